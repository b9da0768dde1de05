"""Why a verdict is not true of people although every requirement holds, or cannot be given.

A table may meet every requirement and still not protect people: its rows are not people, its pseudonyms link them, or a
value that stands in all rows of a person can be solved for. Each reason has a code, by which a policy may accept it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from tclose.engines.people import Trajectories
from tclose.errors import Ask, Hint, InputError, Note, listed, meant
from tclose.policy.roles import Roles

Outcome = Literal["pass", "fail", "qualified", "undetermined"]
"""A verdict: qualified where every requirement holds, but of rows or classes and not of people."""
ROWS, TRAIT, LINKED, REFERENCE = "rows-not-people", "trait-in-histories", "pseudonyms-link", "reference-without-people"
POINTS = "points-per-row"
DRAWN = "facts-drawn"
_UNSURE: tuple[Outcome, ...] = ("undetermined", "qualified")
"""What keeps a verdict from being a pass, the worse first."""
CODES = (ROWS, TRAIT, LINKED, REFERENCE, POINTS, DRAWN)
_NOT_KNOWN = (REFERENCE, DRAWN)
"""The reasons why a figure is not known."""


_TEXTS = {
    ROWS: "Rows are counted, and some people ({}) have several.",
    TRAIT: (
        "{} is the same in all rows of a person, and people are in several classes, which together reveal more about "
        "it than each class alone."
    ),
    LINKED: "Pseudonyms ({}) link the rows of a person: knowing two rows may be enough to find the others.",
    DRAWN: "There are too many sets of facts to count; some were drawn, and others may reveal more.",
    REFERENCE: "Some people have several values of {}, and the reference does not say how many people have each.",
    POINTS: (
        "Each row has points of its own. The cells that they are drawn from meet what is required; the table of points "
        "does not: rows of it stand alone, and some are rows of the original."
    ),
}


@dataclass(frozen=True)
class Reason:
    """One reason why a verdict is qualified or undetermined."""

    code: str
    text: str
    hint: Hint | None = None
    attribute: str | None = None
    """The column that it is about."""
    accepted: str | None = None
    """Why it was accepted, in the words of whoever decided."""

    @property
    def outcome(self) -> Outcome:
        """What a verdict is for this reason alone."""
        return "undetermined" if self.code in _NOT_KNOWN else "qualified"

    @property
    def name(self) -> str:
        """How a policy names it: ``CODE``, or ``CODE:COLUMN``."""
        return self.code if self.attribute is None else f"{self.code}:{self.attribute}"

    def __str__(self) -> str:
        return self.text if self.hint is None else f"{self.text} {self.hint}"


def reasons_of(
    roles: Roles,
    *,
    several: bool,
    apart: Trajectories | None,
    traits: Iterable[str],
    unknown: Iterable[str],
    warnings: Iterable[Note],
) -> Iterator[Reason]:
    """Give what keeps a verdict from being true of people.

    Parameters
    ----------
    roles
        Which column is what.
    several
        Whether people are counted, and some have several rows.
    apart
        By which sets of classes people are told apart; None where that is not known.
    traits
        The sensitive attributes of which nobody has two values.
    unknown
        Those whose reference knows no people although somebody has several values.
    warnings
        What was noticed of the table.
    """
    yield from (Reason(ROWS, note.text, note.hint, note.column) for note in warnings if note.code == ROWS)
    if several and (apart is None or apart.several):
        yield from (reason_of(TRAIT, name) for name in traits)
    if several and roles.pseudonym is not None:
        yield reason_of(LINKED, roles.pseudonym)
    yield from (reason_of(REFERENCE, name) for name in unknown)


def with_facts(reasons: Iterable[Reason], *, certain: bool) -> Iterator[Reason]:
    """Give the reasons where figures hold for someone who knows facts, by which pseudonyms would link rows.

    ``certain`` says whether every set of facts was counted.
    """
    yield from (each for each in reasons if each.code != LINKED)
    if not certain:
        yield reason_of(DRAWN, None)


def reason_of(code: str, column: str | None, accepted: str | None = None) -> Reason:
    """Return a reason by its code and the column that it is about."""
    hints = {
        ROWS: Hint("Count people with {}.", Ask("person", column)),
        TRAIT: Hint("Publish it once for each person, in a table of its own."),
        LINKED: Hint("Leave the pseudonyms out."),
        POINTS: Hint("For a table that meets it, draw points for each class: {}.", Ask("points", "class")),
        DRAWN: Hint("Count more of them ({}), or require it for fewer facts.", Ask("fact_sets", 10**10)),
        REFERENCE: Hint("Give a table with the column of people, such as {}.", Ask("reference", "FILE")),
    }
    return Reason(code, _TEXTS[code].format(repr(column)), hints[code], column, accepted)


def verdict_of(reasons: Iterable[Reason], *, met: bool) -> Outcome:
    """Return the verdict where every requirement is met, or one is not, and there are reasons that nobody accepted."""
    if not met:
        return "fail"
    open_reasons = {each.outcome for each in reasons if each.accepted is None}
    return next((each for each in _UNSURE if each in open_reasons), "pass")


def reasons_data(reasons: Iterable[Reason]) -> list[dict[str, str | None]]:
    """Return reasons as JSON-ready data."""
    return [
        {
            "code": each.code,
            "attribute": each.attribute,
            "verdict": each.outcome,
            "text": each.text,
            "hint": None if each.hint is None else str(each.hint),
            "accepted": each.accepted,
        }
        for each in reasons
    ]


def accepted(reasons: Iterable[Reason], accept: Mapping[str, str]) -> tuple[Reason, ...]:
    """Return the reasons with those accepted that a policy names."""
    return tuple(
        replace(each, accepted=accept.get(each.name, accept.get(each.code))) if each.outcome == "qualified" else each
        for each in reasons
    )


def check_accepted(reasons: Iterable[Reason], accept: Mapping[str, str]) -> None:
    """Refuse to accept what there is no reason for, and what is not known."""
    found = list(reasons)
    for name in accept:
        code = name.partition(":")[0]
        if code not in CODES:
            raise InputError(
                f"{code!r} is no reason that can be accepted; there are {listed(CODES)}.",
                field="accept",
                hint=meant(code, CODES),
            )
        if not any(name in (each.code, each.name) for each in found):
            raise InputError(
                f"{name!r} is accepted, but the verdict needs no such acceptance.",
                field="accept",
                hint=Hint("Take it out."),
            )
        if any(name in (each.code, each.name) and each.outcome == "undetermined" for each in found):
            raise InputError(f"{name!r} cannot be accepted: the figure is not known.", field="accept")
