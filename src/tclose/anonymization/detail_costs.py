"""What costs the detail of a release: what would be kept without each column and requirement, and advice."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tclose.models.catalogue import Requirement


@dataclass(frozen=True)
class ColumnCost:
    """What one quasi-identifier keeps, and what it costs the others."""

    column: str
    kept: float
    """The share of its detail that the release keeps."""
    others: float | None
    """What the other quasi-identifiers keep in the search that others are compared with; None where there are none."""
    others_without: float | None
    """What these would keep in a release without the column; None where none was found."""


@dataclass(frozen=True)
class RequirementCost:
    """What one requirement costs, of one attribute."""

    requirement: Requirement
    binds: bool
    """Whether more would be kept without it."""
    kept_without: float
    """What would be kept without it, at least."""
    looser: Requirement | None
    """The same at the next looser usual threshold that allows more classes, where one still asks for something."""
    kept_looser: float | None
    """What would be kept with that, at least."""
    most_classes: int | None
    """In how many classes any release has its rows at the most; None where that is not known."""


@dataclass(frozen=True)
class Advice:
    """One change by which more would be kept, as it was found by making that release with the effort of this one."""

    kind: Literal["hierarchy", "method", "suppress", "column", "threshold"]
    kept: float
    """The share of detail that is kept then; without a column, by the others."""
    before: float
    """The share that the release keeps of the same."""
    column: str | None = None
    """The column to leave out, or to generalise otherwise."""
    hierarchy: str | None = None
    method: str | None = None
    suppress: Fraction | None = None
    requirement: Requirement | None = None
    """The looser requirement."""


@dataclass(frozen=True)
class DetailCosts:
    """What costs the detail of a release. Only the owner of the original may know it."""

    kept: float
    """What the release keeps."""
    compared: float
    """What a search of less effort keeps, with which the others of the same effort are compared."""
    columns: tuple[ColumnCost, ...]
    """Each quasi-identifier, the one first without which most is gained."""
    requirements: tuple[RequirementCost, ...]
    advice: Advice | None
    """None where no change that was tried keeps notably more."""
