"""What anonymizing found: the release, what it cost, and what stands in the way where there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from tclose.engines.interface import ReleasedTable
from tclose.errors import InputError
from tclose.frontiers import Frontier
from tclose.models.catalogue import Requirement
from tclose.recipes import Recipe
from tclose.results import Audit, Value
from tclose.roles import Roles


@dataclass(frozen=True)
class Obstacle:
    """A requirement that even the coarsest release allowed does not meet."""

    requirement: Requirement
    value: Value
    """The best figure that any release can have: for t, the nearest threshold that can be met."""
    key: Mapping[str, object] = field(repr=False)
    """The class that decides it, as it would be published."""
    coarser: bool = False
    """Whether it would be met if levels were not limited."""
    suppress: Fraction | None = None
    """A share of rows without which all requirements can be met; None where none is known."""


@dataclass(frozen=True)
class Written:
    """A release that was written or stored: where, and the audits of the table as it was read back."""

    path: Path
    """The file, or the name of the table of a database."""
    recipe: Path | None
    report: Path | None
    audit: Audit
    """Against the distribution of the release itself."""
    against_original: Audit
    """Against the distribution of the original table."""


class Work(Protocol):
    """What a release needs of the engine that holds its rows."""

    @property
    def table(self) -> ReleasedTable:
        """The rows that are published."""
        ...

    def before(self) -> Audit | None:
        """Return the audit of the original by the same requirements; None where it is not at hand."""
        ...

    def drivers(self) -> Mapping[str, Mapping[str, Fraction] | None]:
        """Return, for each attribute, t of the release with each quasi-identifier left out; None for too many rows."""
        ...

    def audits(self) -> tuple[Audit, Audit]:
        """Return the audit of the release against itself, and against the original."""
        ...

    def write(self, release: Release, path: Path, *, force: bool) -> Written:
        """Write the release, its recipe and its report; nothing is left half-written."""
        ...


@dataclass(frozen=True)
class Release:
    """A table that may be published, or what stands in the way of one.

    ``release.holds`` is the verdict, ``release.losses`` what it cost, ``release.write(path)`` writes it and audits
    what was written; ``print(release)`` is the report for people and ``release.to_json()`` the one for machines.
    """

    source: str
    roles: Roles
    requirements: tuple[Requirement, ...]
    method: str
    """The method that found it."""
    rows: int
    """How many rows the original has."""
    classes: int
    suppressed: int
    """How many rows are left out."""
    levels: Mapping[str, int] | None
    """The level of each quasi-identifier, where all classes share it (full-domain)."""
    losses: Mapping[str, float | None]
    """Every loss by its key; None where there is nothing to measure."""
    column_losses: Mapping[str, float]
    """The loss LM of each quasi-identifier."""
    notes: tuple[str, ...]
    obstacles: tuple[Obstacle, ...] = ()
    recipe: Recipe | None = field(default=None, repr=False, compare=False)
    work: Work | None = field(default=None, repr=False, compare=False)

    @property
    def holds(self) -> bool:
        """Whether a release that meets every requirement was found."""
        return self.work is not None

    @property
    def kept(self) -> float | None:
        """The share of detail that was kept, 1 − LM over all cells of quasi-identifiers; None if not measured."""
        lost = self.losses.get("lm")
        return None if lost is None else 1.0 - lost

    def _made(self) -> Work:
        if self.work is None:
            raise InputError(
                "There is no release that meets the requirements, so there is none to write or look at; "
                "'obstacles' says what stands in the way."
            )
        return self.work

    @property
    def table(self) -> ReleasedTable:
        """The rows that are published."""
        return self._made().table

    def audits(self) -> tuple[Audit, Audit]:
        """Return the audit of the release against its own distribution, and against the original's."""
        return self._made().audits()

    def write(self, path: str | Path, *, force: bool = False) -> Written:
        """Write the release by the ending of the path, beside it its recipe and report; audit what was written.

        Parameters
        ----------
        path
            The file; ``.csv``, ``.parquet``, ``.jsonl`` and others.
        force
            Whether files that are there already may be replaced.
        """
        return self._made().write(self, Path(path), force=force)

    def to_pandas(self) -> Any:
        """Return the released rows as a pandas frame."""
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        """Return the released rows as a polars frame."""
        return self.table.to_polars()

    def to_arrow(self) -> Any:
        """Return the released rows as a pyarrow table."""
        return self.table.to_arrow()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def to_dict(self) -> dict[str, Any]:
        """Return the release as JSON-ready data; ``docs/release.schema.json`` describes it."""
        from tclose.render.release_json import release_data

        return release_data(self)

    def to_json(self) -> str:
        """Return the release as JSON text."""
        from tclose.render.json import json_text

        return json_text(self.to_dict())

    def to_html(self, written: Written | None = None, *, frontier: Frontier | None = None) -> str:
        """Return the release as a report: a page that stands alone, ready to be printed and signed.

        Parameters
        ----------
        written
            The files that were written; their audits are shown instead of audits of the rows at hand.
        frontier
            What other thresholds would have cost, to be shown beside it.
        """
        from tclose.render.release_report import release_report_html

        return release_report_html(self, written, frontier=frontier)

    def __str__(self) -> str:
        from tclose.render.release_text import release_text

        return release_text(self)

    def _repr_html_(self) -> str:
        from tclose.render.release_html import release_html

        return release_html(self)
