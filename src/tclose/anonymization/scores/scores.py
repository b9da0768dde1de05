"""What a release is worth beside its original, as figures that others use too."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tclose.data.text_encoding import holdable
from tclose.errors import Note

MOVED = 0.1
"""A mean or a slope that moves by more than this share of itself is warned of."""


@dataclass(frozen=True)
class Correlation:
    """How closely two columns go together in the original and in the release."""

    first: str
    second: str
    measure: str
    """``"pearson"`` of two columns of numbers, else ``"cramer"``: Cramér's V, corrected for many values."""
    original: float | None
    release: float | None


@dataclass(frozen=True)
class Bias:
    """A mean, a quantile or a slope in the original and in the release."""

    what: str
    """``"mean"``, ``"lower quartile"``, ``"median"``, ``"upper quartile"`` or ``"slope"``."""
    column: str
    on: str | None
    """Of a slope the column that explains."""
    original: float
    release: float
    overlap: float | None = None
    """How much of the 95 % confidence intervals lies in both, as a share of each on average; None of a quantile."""

    @property
    def moved(self) -> float | None:
        """By what share of itself it moved; None where it was 0."""
        return abs(self.release - self.original) / abs(self.original) if self.original else None

    @property
    def warned(self) -> bool:
        """Whether it is a mean or a slope that moved by more than a tenth."""
        return self.what in ("mean", "slope") and (self.release != 0 if self.moved is None else self.moved > MOVED)


@dataclass(frozen=True)
class Matches:
    """Rows that stand once in the original, and are in the release as they are."""

    unique: int
    """How many rows stand once in the original."""
    found: int
    """How many of them are in the release."""
    chance: float
    """How many would be in a table of as many rows whose columns have the release's values independently."""


@dataclass(frozen=True)
class Scores:
    """What a release is worth beside its original."""

    release: str
    original: str
    rows: int
    original_rows: int
    columns: tuple[str, ...]
    """The columns of both."""
    marginals: Mapping[int, float]
    """By how many columns: 1000 where all tables of so many are the same, 0 where they have nothing in common."""
    correlations: tuple[Correlation, ...]
    propensity: float
    """The mean squared error of the propensity score, 0 where a model cannot tell release and original apart."""
    matches: Matches
    biases: tuple[Bias, ...]
    notes: tuple[Note, ...] = ()

    @property
    def warnings(self) -> tuple[Bias, ...]:
        """The means and slopes that moved by more than a tenth."""
        return tuple(each for each in self.biases if each.warned)

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as JSON-ready data; ``docs/usefulness.schema.json`` describes it."""
        from tclose.reports.machine_readable.scores import scores_data

        return scores_data(self)

    def to_json(self) -> str:
        """Return the scores as JSON text."""
        from tclose.reports.machine_readable.audits import json_text

        return json_text(self.to_dict())

    def to_markdown(self) -> str:
        """Return the scores as Markdown."""
        from tclose.reports.content.scores import scores_document
        from tclose.reports.formats.markdown import markdown

        return markdown(scores_document(self))

    def __str__(self) -> str:
        from tclose.reports.content.scores import scores_document
        from tclose.reports.formats.text import text

        return holdable(text(scores_document(self)), sys.stdout)

    def _repr_html_(self) -> str:
        from tclose.reports.content.scores import scores_document
        from tclose.reports.formats.html import fragment

        return fragment(scores_document(self))
