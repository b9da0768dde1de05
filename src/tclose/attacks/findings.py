"""What attacks found: for every attacker its claims, how many are right, and how many would be without the release."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from tclose.data.text_encoding import holdable
from tclose.errors import Note
from tclose.models.catalogue import FEW, Requirement
from tclose.policy.roles import Roles

NORMAL_95 = 1.959963984540054
"""The normal quantile of a 95 % interval."""


@dataclass(frozen=True)
class Interval:
    """An estimate with the ends of its interval of 95 %."""

    value: float
    low: float
    high: float

    def above(self, deviations: float) -> float:
        """Return what lies so many standard deviations above the estimate."""
        return self.value + (self.high - self.value) * deviations / NORMAL_95


@dataclass(frozen=True)
class Exposure:
    """Some people, of one sensitive value or in classes of some size, and how many were rightly claimed about."""

    label: str
    people: int
    right: int
    """About how many of them the attacker makes a claim that is right."""
    control: int
    control_right: int
    persons: int
    """How many different people they are at least, however often the table was divided."""

    @property
    def shown(self) -> int:
        """How few people a document shows that tells of them: those that there are, or those that it counts."""
        return min(self.persons, self.people)

    @property
    def numbers(self) -> tuple[int, int, int, int, int]:
        """All that is counted of them, in the order of the fields."""
        return self.people, self.right, self.control, self.control_right, self.persons

    @property
    def difference(self) -> float | None:
        """By how much the share of right claims is larger among them than in the control group; None without one."""
        if not self.people or not self.control:
            return None
        return self.right / self.people - self.control_right / self.control


def _gathered(exposures: Sequence[Exposure], few: int, *, once: bool) -> tuple[Exposure, ...]:
    """Return groups with the small ones together; ``once`` says that nobody is in two of them."""
    together: list[Exposure] = []
    for each in sorted(exposures, key=lambda each: each.shown):
        if each.shown >= few and (not together or _at_least(together, once=once) >= few):
            break
        together.append(each)
    if not together:
        return tuple(exposures)
    sums = [sum(numbers) for numbers in zip(*(each.numbers for each in together), strict=True)]
    one = Exposure(f"{len(together)} others together", *sums)
    return (*(each for each in exposures if each not in together), one)


def _at_least(exposures: Sequence[Exposure], *, once: bool) -> int:
    """Return how many people some groups are at least: of those who may be in several, the largest group."""
    return sum(each.shown for each in exposures) if once else max(each.shown for each in exposures)


@dataclass(frozen=True)
class Outcome:
    """What one attacker got about one sensitive attribute, over all divisions."""

    attacker: str
    attribute: str
    people: int
    """Of how many people it concluded something, over all divisions."""
    beyond: float
    """The share of people whose posterior is farther from the table's distribution than t."""
    claims: float
    """The share of people of whom some value's posterior exceeds its share in the table by more than t."""
    right: float | None
    """The share of claims that are right; None without claims."""
    said: float | None
    """The share of claims that the attacker believed to be right."""
    control_people: int
    control_claims: float | None
    control_right: float | None
    """The share of the same claims that are right about people who are not in the release."""
    gain: Interval | None
    """The share of all people about whom it is right because they are in the release; None with nobody to compare."""
    accuracy: tuple[float, float | None, float]
    """How often the likeliest value is the right one: members, control, and whoever names the commonest value."""
    by_value: tuple[Exposure, ...]
    by_size: tuple[Exposure, ...]

    @property
    def risk(self) -> float | None:
        """(right − right of control) / (1 − right of control), as Giomi et al. 2023 define it; None without either."""
        if self.right is None or self.control_right is None or self.control_right >= 1:
            return None
        return (self.right - self.control_right) / (1 - self.control_right)


@dataclass(frozen=True)
class Attack:
    """What attackers learn from releases of a table, or from one release that exists.

    ``attack.outcomes`` has an entry for each attacker and sensitive attribute, ``attack.gain`` the largest upper end
    of their gains, and ``attack.holds`` the verdict on what was required of it, None where nothing was.
    """

    source: str
    roles: Roles
    requirements: tuple[Requirement, ...]
    method: str | None
    """How the attacked releases were made; None for a release that exists."""
    rows: int
    """How many rows an attacked release is of."""
    divisions: int
    """How often half of the table was released, both halves of a division in turn; 0 for a release that exists."""
    kept: float | None
    """The share of detail that the attacked releases keep on average."""
    beyond: dict[str, Fraction]
    """For each attribute t, by which claims are decided."""
    limit: Fraction | None
    """The largest gain allowed; None where nothing is required of it."""
    outcomes: tuple[Outcome, ...]
    notes: tuple[Note, ...]
    few: int = FEW
    """Of fewer people nothing is told apart from others; 0 where the table is about nobody."""
    people: int | None = None
    """How many people an attacked release is of, where they may have several rows; None where rows are people."""
    rho: dict[str, float] = field(default_factory=dict)
    """For each attribute that is the same in all rows of a person, how much the classes publish of it together, as a
    multiple of what there is to know of everybody."""
    shows_people: bool = False
    """Whether documents tell of fewer all the same, which they do only where that was asked for."""

    @property
    def has_few(self) -> bool:
        """Whether some groups are so small that they show single people."""
        groups = (each for outcome in self.outcomes for each in (*outcome.by_value, *outcome.by_size))
        return any(each.shown < self.few for each in groups)

    @property
    def hides(self) -> bool:
        """Whether documents tell of such groups only together with others."""
        return self.has_few and not self.shows_people

    def with_people(self) -> Attack:
        """Return the attack for those who may see single people: its documents show small groups, and say so."""
        return replace(self, shows_people=True)

    def told(self, exposures: Sequence[Exposure]) -> tuple[Exposure, ...]:
        """Return groups of people as documents show them: small ones together, with others until they are not few.

        So nobody finds the few by taking what is shown from all.
        """
        return tuple(exposures) if self.shows_people else _gathered(exposures, self.few, once=self.people is None)

    @property
    def gain(self) -> float | None:
        """The largest upper end of any attacker's gain; None where nobody could be compared with."""
        return max((outcome.gain.high for outcome in self.outcomes if outcome.gain is not None), default=None)

    @property
    def holds(self) -> bool | None:
        """Whether no attacker's gain is above the limit, upper ends of intervals counted; None without a limit.

        Where nobody can be compared with, a gain may be that of everybody.
        """
        if self.limit is None:
            return None
        return (1.0 if self.gain is None else self.gain) <= float(self.limit)

    @property
    def worst(self) -> Outcome | None:
        """The outcome of the largest gain, or without a control group of the most claims; None without outcomes.

        An attacker who claims nothing comes behind those who do, however wide the interval of its gain.
        """

        def rank(outcome: Outcome) -> tuple[bool, float, float]:
            high = -1.0 if outcome.gain is None else outcome.gain.high
            return (outcome.claims > 0, high, outcome.claims)

        return max(self.outcomes, key=rank, default=None)

    def __getitem__(self, attacker: str) -> Outcome:
        """Return the outcome of an attacker, of the first attribute if there are several."""
        for outcome in self.outcomes:
            if outcome.attacker == attacker:
                return outcome
        raise KeyError(attacker)

    def to_dict(self) -> dict[str, Any]:
        """Return the attack as JSON-ready data; ``docs/attack.schema.json`` describes it."""
        from tclose.reports.machine_readable.attacks import attack_data

        return attack_data(self)

    def to_json(self) -> str:
        """Return the attack as JSON text."""
        from tclose.reports.machine_readable.audits import json_text

        return json_text(self.to_dict())

    def to_svg(self) -> str:
        """Return the attack as a picture: claims that are right, members beside control."""
        from tclose.reports.charts.attacks import attack_picture

        return attack_picture(self)

    def to_html(self) -> str:
        """Return the attack as a page that stands alone."""
        from tclose.reports.content.attacks import attack_document
        from tclose.reports.formats.html import report
        from tclose.reports.phrases.cells import unfoldered_result

        return report(attack_document(unfoldered_result(self)))

    def to_markdown(self) -> str:
        """Return the attack as Markdown."""
        from tclose.reports.content.attacks import attack_document
        from tclose.reports.formats.markdown import markdown

        return markdown(attack_document(self))

    def __str__(self) -> str:
        from tclose.reports.content.attacks import attack_document
        from tclose.reports.formats.text import text

        return holdable(text(attack_document(self)), sys.stdout)

    def _repr_html_(self) -> str:
        from tclose.reports.content.attacks import attack_document
        from tclose.reports.formats.html import fragment
        from tclose.reports.phrases.cells import unfoldered_result

        return fragment(attack_document(unfoldered_result(self)))
