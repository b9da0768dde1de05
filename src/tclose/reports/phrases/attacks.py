"""The sentences and phrases of an attack."""

from __future__ import annotations

from tclose.attacks.catalogue import ATTACKERS
from tclose.attacks.findings import Attack, Exposure, Interval, Outcome
from tclose.errors import Ask, Hint
from tclose.policy.exact_numbers import written
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import CONFIDENTIAL, counted, joined, percent
from tclose.reports.phrases.releases import required_texts

NONE = "–"


def title(attack: Attack) -> str:
    """Return the verdict, or what an attacker learns at the most, in words."""
    source = visible(attack.source)
    if attack.limit is not None:
        allowed = f"a gain of {written(attack.limit)}"
        if attack.gain is None and not attack.holds:
            return f"Nobody could be compared with, so that {allowed} cannot be shown for {source}."
        word = "stays within" if attack.holds else "exceeds"
        return f"What attackers learn from {source} {word} {allowed}."
    return f"What attackers learn from {source}"


def about(attack: Attack) -> str:
    """Return what was attacked, in words."""
    quasi = joined(attack.roles.quasi)
    met = joined(required_texts(attack.requirements))
    if attack.divisions:
        times = "once" if attack.divisions == 1 else f"{attack.divisions} times"
        kept = "" if attack.kept is None else f", which keep {percent(attack.kept)} of the detail"
        return (
            f"Half of the table, {_many(attack)}, was released {times} by {attack.method} to meet {met}{kept}; the "
            f"halves of a random division took turns. Attackers knew {quasi} and concluded about the people of the "
            "half, and about people of the other half who look like them."
        )
    return (
        f"A release of {_many(attack)} was attacked by whoever knows {quasi}. Without people outside it "
        "nobody can say how much of it an attacker would have known anyway."
    )


def _many(attack: Attack) -> str:
    """Return how many rows an attacked release has, and of how many people where they may have several."""
    rows = counted(attack.rows, "row")
    if attack.people is None:
        return rows
    about = "about " if attack.divisions else ""
    return f"{counted(attack.people, 'person', 'people')} ({about}{rows})"


def finding(attack: Attack) -> str:
    """Return what the most successful attacker gets, in words that can be quoted."""
    worst = attack.worst
    if worst is None:
        return ""
    who = f"The attacker '{worst.attacker}', who knows {ATTACKERS[worst.attacker].knows},"
    if not worst.claims:
        return f"No attacker can claim a value of {' or '.join(map(visible, attack.beyond))} of anybody."
    told = f"{who} makes claims about {percent(worst.claims)} of people, of which {percent(worst.right or 0)} are right"
    if worst.gain is None:
        return f"{told}."
    stranger = (
        "nobody else can be claimed about"
        if worst.control_right is None
        else f"{percent(worst.control_right)} of the same claims are right about people who are not in the release"
    )
    most = "at most " if worst.control_right is None else ""
    return (
        f"{told}; {stranger}. So it is right about {most}{share(worst.gain.value)} of all people because they are in "
        f"the release (95 % interval: {share(worst.gain.low)} to {share(worst.gain.high)})."
    )


def share(value: float) -> str:
    """Return a share that may be negative, in per cent.

    Examples
    --------
    >>> share(0.0123), share(-0.004), share(0.0)
    ('1.23 %', '−0.4 %', '0 %')
    """
    text = f"{abs(100 * value):.2f}".rstrip("0").rstrip(".")
    return f"{'−' if value < 0 and text != '0' else ''}{text} %"


def rate(value: float | None) -> str:
    """Return a share in per cent, or that there is none."""
    return NONE if value is None else percent(max(value, 0.0))


def gain(interval: Interval | None) -> list[str]:
    """Return a gain and the ends of its interval."""
    return [NONE] * 3 if interval is None else [share(each) for each in (interval.value, interval.low, interval.high)]


def legend(attack: Attack) -> str:
    """Return what the numbers mean, in words."""
    limits = sorted(set(attack.beyond.values()))
    t = (
        written(limits[0])
        if len(limits) == 1
        else joined([f"{written(t)} ({name})" for name, t in attack.beyond.items()])
    )
    meaning = (
        f"A claim is a value whose probability, as the attacker sees it, exceeds its share in the table by more than "
        f"t = {t}. Said: how many claims the attacker believed to be right."
    )
    if not attack.divisions:
        return meaning
    return (
        f"{meaning} Control: the same claims about people who are not in the release. Gain: the share of all people "
        "about whom the attacker is right because they are in the release; from and to: its interval of 95 % over "
        "people and divisions."
    )


def gathered_sentence(attack: Attack) -> str:
    """Return which groups are told only together, in words; empty where none is."""
    if not attack.hides:
        return ""
    return (
        f"Groups of fewer than {counted(attack.few, 'person', 'people')} are told together, with others until they are "
        f"more: they would show single people. {Hint('{} shows them.', Ask('show_people', value=True))}".strip()
    )


def confidential_words(attack: Attack) -> str:
    """Return that what is told shows single people; empty where it does not."""
    return CONFIDENTIAL if attack.has_few and attack.shows_people else ""


def exposed(exposure: Exposure) -> list[str]:
    """Return some people and how many were rightly claimed about, as cells."""
    of_control = exposure.control_right / exposure.control if exposure.control else None
    return [
        visible(exposure.label),
        f"{exposure.people:,}",
        rate(exposure.right / exposure.people if exposure.people else None),
        rate(of_control),
        NONE if exposure.difference is None else share(exposure.difference),
    ]


def described(outcome: Outcome) -> str:
    """Return what an attacker knows and how it concludes."""
    known = ATTACKERS[outcome.attacker]
    return f"knows {known.knows}; {known.concludes} ({known.source})"
