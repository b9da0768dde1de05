"""The frontier: what each threshold costs with each method, so that a person can choose."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tclose.data.text_encoding import holdable
from tclose.errors import Note
from tclose.models.catalogue import Requirement
from tclose.policy.roles import Roles


@dataclass(frozen=True)
class Point:
    """One search: a method at a threshold, and what its release costs."""

    method: str
    threshold: Fraction
    holds: bool
    """Whether the method found a release."""
    loss: float | None
    """The loss that was minimised; None without a release."""
    kept: float | None
    """The share of detail that was kept."""
    classes: int
    suppressed: int


@dataclass(frozen=True)
class Frontier:
    """Loss against privacy: the points of each method over the swept thresholds, ascending."""

    source: str
    roles: Roles
    requirements: tuple[Requirement, ...]
    """What every release meets besides the swept threshold."""
    sweep: str
    """The key of the swept model, such as ``"t"`` or ``"k"``."""
    loss: str
    """The key of the loss that was minimised."""
    rows: int
    points: tuple[Point, ...]
    notes: tuple[Note, ...]
    people: int | None = None
    """How many people the rows are of, where people were counted."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that were tried, in their order."""
        return tuple(dict.fromkeys(point.method for point in self.points))

    @property
    def thresholds(self) -> tuple[Fraction, ...]:
        """The thresholds that were swept, ascending."""
        return tuple(sorted({point.threshold for point in self.points}))

    def best(self, threshold: Fraction) -> Point | None:
        """Return the point of least loss at a threshold, or None if no method found a release."""
        found = [point for point in self.points if point.threshold == threshold and point.loss is not None]
        return min(found, key=lambda point: point.loss or 0.0) if found else None

    def to_dict(self) -> dict[str, Any]:
        """Return the frontier as JSON-ready data."""
        from tclose.reports.machine_readable.frontiers import frontier_data

        return frontier_data(self)

    def to_svg(self) -> str:
        """Return the frontier as a picture."""
        from tclose.reports.charts.frontier import frontier_picture

        return frontier_picture(self)

    def __str__(self) -> str:
        from tclose.reports.content.frontiers import frontier_document
        from tclose.reports.formats.text import text

        return holdable(text(frontier_document(self)), sys.stdout)

    def _repr_html_(self) -> str:
        from tclose.reports.content.frontiers import frontier_document
        from tclose.reports.formats.html import fragment
        from tclose.reports.phrases.cells import unfoldered_result

        return fragment(frontier_document(unfoldered_result(self)))
