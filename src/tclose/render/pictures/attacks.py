"""An attack as a picture: right claims about members beside right claims about people who are not in the release."""

from __future__ import annotations

from dataclasses import dataclass

from tclose.attacks.findings import Attack, Outcome
from tclose.render.pictures.bars import heading, sample
from tclose.render.pictures.frame import MARGIN, legend
from tclose.render.pictures.lettering import shortened
from tclose.render.pictures.svg import Subject, document, element, escaped, line, words
from tclose.render.words.attacks import finding, share, title

WIDTH = 720
LEFT = 190
_BAR, _GAP, _PAIR = 13, 3, 46
_READING = (
    "Of all people, the share about whom an attacker makes a claim that is right, beside what would be right of as "
    "many claims about people who are not in the release. The difference is the gain."
)


@dataclass(frozen=True)
class _Pair:
    """The bars of one attacker."""

    label: str
    members: float
    control: float | None


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
    pairs = [_pair(outcome, several=several) for outcome in attack.outcomes]
    head, y = heading(title(attack), _READING, WIDTH)
    entries = [(sample(subject.identity, marked=True), "people in the release")]
    if attack.divisions:
        entries.append((sample(subject.identity, marked=False), "people who are not in it, but look alike"))
    key, y = legend(entries, y + 12, WIDTH)
    most = max([max(pair.members, pair.control or 0.0) for pair in pairs], default=0.0) or 1.0
    parts = [*head, *key]
    for at, pair in enumerate(pairs):
        parts += _drawn(pair, y + 14 + at * _PAIR, most, subject.identity)
    floor = y + 14 + len(pairs) * _PAIR
    parts.append(line(LEFT, y + 8, LEFT, floor - 8, "tc-axis"))
    told = "; ".join(f"{pair.label}: {_shares(pair)}" for pair in pairs)
    return document(subject, title(attack), f"{finding(attack)} {told}.", (WIDTH, floor + 10), parts)


def _pair(outcome: Outcome, *, several: bool) -> _Pair:
    label = f"{outcome.attacker}, {outcome.attribute}" if several else outcome.attacker
    control = None if outcome.gain is None else outcome.claims * (outcome.control_right or 0.0)
    return _Pair(label, outcome.claims * (outcome.right or 0.0), control)


def _shares(pair: _Pair) -> str:
    control = "" if pair.control is None else f", control {share(pair.control)}"
    return f"{share(pair.members)}{control}"


def _drawn(pair: _Pair, y: float, most: float, identity: str) -> list[str]:
    """Return the bars of one attacker with their numbers."""
    label = shortened(pair.label, LEFT - MARGIN - 12)
    parts = [words(LEFT - 10, y + _BAR + 6, label, anchor="end", hint=pair.label)]
    shown = [(pair.members, True), *([(pair.control, False)] if pair.control is not None else [])]
    for at, (value, member) in enumerate(shown):
        top = y + at * (_BAR + _GAP)
        wide = max((WIDTH - LEFT - 90) * value / most, 1.0)
        hint = element("title", escaped(f"{pair.label}: {share(value)} of {'members' if member else 'control'}"))
        shape = {"x": LEFT, "y": top, "width": wide, "height": _BAR}
        if member:
            parts.append(element("rect", hint, **shape, class_="tc-leave", fill=f"url(#{identity}-hatch)"))
        else:
            parts.append(element("rect", hint, **shape, class_="tc-stay"))
        parts.append(words(LEFT + wide + 6, top + _BAR - 2, share(value), "tc-small", anchor="start"))
    return parts
