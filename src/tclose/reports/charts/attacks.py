"""An attack as a picture: right claims about members beside right claims about people who are not in the release."""

from __future__ import annotations

from tclose.attacks.findings import Attack, Outcome
from tclose.reports.charts.bars import PAIRS_WIDTH as WIDTH
from tclose.reports.charts.bars import Compared, Group, groups_drawn, heading, sample
from tclose.reports.charts.frame import legend
from tclose.reports.charts.svg import Subject, document
from tclose.reports.phrases.attacks import finding, share, title

_READING = (
    "Of all people, the share about whom an attacker makes a claim that is right, beside what would be right of as "
    "many claims about people who are not in the release. The difference is the gain."
)


def attack_picture(attack: Attack, *, mark: str = "") -> str:
    """Return an attack as a complete SVG picture.

    Parameters
    ----------
    attack
        What to draw.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    subject = Subject("attack", attack.source, "", (mark, attack.outcomes))
    several = len(attack.beyond) > 1
    groups = [_group(outcome, several=several) for outcome in attack.outcomes]
    head, y = heading(title(attack), _READING, WIDTH)
    entries = [(sample(subject.identity, marked=True), "people in the release")]
    if attack.divisions:
        entries.append((sample(subject.identity, marked=False), "people who are not in it, but look alike"))
    key, y = legend(entries, y + 12, WIDTH)
    most = max((bar.value for group in groups for bar in group.bars), default=0.0)
    drawn, floor = groups_drawn(groups, y + 14, most, subject.identity)
    told = "; ".join(f"{group.label}: {_told(group)}" for group in groups)
    return document(subject, title(attack), f"{finding(attack)} {told}.", (WIDTH, floor + 10), [*head, *key, *drawn])


def _group(outcome: Outcome, *, several: bool) -> Group:
    label = f"{outcome.attacker}, {outcome.attribute}" if several else outcome.attacker
    members = outcome.claims * (outcome.right or 0.0)
    bars = [Compared(members, share(members), marked=True, hint=f"{label}: {share(members)} of members")]
    if outcome.gain is not None:
        control = outcome.claims * (outcome.control_right or 0.0)
        bars.append(Compared(control, share(control), marked=False, hint=f"{label}: {share(control)} of control"))
    return Group(label, tuple(bars))


def _told(group: Group) -> str:
    return ", control ".join(bar.shown for bar in group.bars)
