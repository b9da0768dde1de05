"""What several releases say together, as plain frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from tclose.models.catalogue import Requirement


@dataclass(frozen=True)
class JointClass:
    """Classes of several releases, one of each, that may hold the same person."""

    keys: tuple[Mapping[str, object], ...] = field(repr=False)
    """The key of each class, the audited release's last."""
    sizes: tuple[int, ...]
    """How many rows each class has."""
    people: int | None
    """How many people are in all of them; None where nothing tells people apart."""


@dataclass(frozen=True)
class JointFigure:
    """The worst figure of all joint classes."""

    key: str
    """The model that it is compared by: l, alpha or t."""
    value: Fraction | int
    worst: JointClass
    tied: int
    """How many joint classes have it."""


@dataclass(frozen=True)
class Difference:
    """By how much the counts of a release differ from those of the one before.

    Where nobody else joined or left, that is what the few who did have.
    """

    same: int
    """Classes that have the same cells in both releases."""
    few: int
    """Of them those that gained or lost some rows, but fewer than :attr:`least`."""
    joined: int
    """Rows by which all values together became more."""
    left: int
    """Rows by which all values together became fewer."""
    least: int
    """Fewer rows than so many are few."""

    @property
    def tells(self) -> bool:
        """Whether it tells of few people."""
        return self.few > 0 or 0 < self.joined < self.least or 0 < self.left < self.least


@dataclass(frozen=True)
class LinkedAttribute:
    """What releases say together of one sensitive attribute."""

    figures: Mapping[str, JointFigure]
    """l: the fewest values that all releases allow; alpha: the surest guess; t: the farthest. Empty if none agree."""
    contradicting: int
    """Joint classes without a common value: nobody is in them whose value stayed the same."""
    changed: int
    """Joint classes whose classes do not hold the same set of values."""
    m: int
    """The m by which the releases are m-invariant; 0 where they are not."""
    difference: Difference | None = None
    """What the counts of the two releases tell of who joined or left; None where there are more than two."""


@dataclass(frozen=True)
class Linked:
    """Some previous releases together with the audited one."""

    previous: tuple[str, ...]
    """How the previous releases are named."""
    classes: int
    """How many joint classes there are."""
    people: int | None
    """How many people are in all of the releases; None where nothing tells people apart."""
    attributes: Mapping[str, LinkedAttribute]


@dataclass(frozen=True)
class JointVerdict:
    """Whether what all releases say together meets what is required of a class."""

    requirement: Requirement
    holds: bool
    previous: tuple[str, ...]
    figure: JointFigure | None
    """None where no joint class has a common value."""
    failing: int
    """How many joint classes miss it."""

    @property
    def text(self) -> str:
        """The requirement as a person reads it."""
        return f"{self.requirement.text} after {', '.join(self.previous)}"


@dataclass(frozen=True)
class Composition:
    """What somebody learns who has the audited release and previous ones about the same people."""

    person: str | None
    """The column that tells who is in several releases; None where cells that may be the same person's do."""
    linked: tuple[Linked, ...]
    """For each previous release, and for all of them together where there are several."""
    verdicts: tuple[JointVerdict, ...]
