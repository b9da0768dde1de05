"""What anonymizing found: the release, what it cost, and what stands in the way where there is none."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from tclose.anonymization.algorithms.associations import Usefulness
from tclose.anonymization.algorithms.full_domain.neighbourhood import Surroundings
from tclose.anonymization.algorithms.losses.release_context import Costs
from tclose.anonymization.detail_costs import DetailCosts
from tclose.anonymization.frontier_points import Frontier
from tclose.anonymization.recipes import Recipe
from tclose.attacks.findings import Attack
from tclose.auditing.results import Audit, Value
from tclose.auditing.verdicts import POINTS, ROWS, Outcome, Reason, accepted, reason_of, verdict_of
from tclose.data.progress import Report
from tclose.data.text_encoding import holdable
from tclose.engines.base import RecodedTable
from tclose.engines.class_tables import ClassTable
from tclose.engines.pseudonyms import Revealed
from tclose.errors import InputError, Note
from tclose.models.catalogue import Requirement
from tclose.policy.parts import About
from tclose.policy.roles import Roles


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
    proven: bool = True
    """Whether no release meets all requirements, whichever rows are left out; if not, none was found."""
    sparing: bool = False
    """Whether rows may be left out, so that a nearer threshold than that of all rows may be met."""
    size: int = 0
    """How many rows, or people, that class has."""


@dataclass(frozen=True)
class Binding:
    """Why a release keeps no detail at all: the requirements that the coarsest classes with some detail miss."""

    column: str
    """The quasi-identifier that would keep some."""
    groups: int
    """In how many groups."""
    obstacles: tuple[Obstacle, ...]
    """The requirements, each with the figure that these classes have."""


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
    sha256: str | None = None
    """The checksum of the file, where a statement or a certificate was asked for."""
    size: int | None = None
    """The bytes of the file, likewise."""
    alone: Audit | None = None
    """The audit of the file as whoever has nothing else would make it, where a certificate was asked for."""
    named: tuple[tuple[str, Path], ...] = ()
    """What else was asked for and written: ``page``, ``statement`` or ``certificate``, and the file."""

    @property
    def audits(self) -> tuple[Audit, Audit]:
        """Both audits: against the release itself, and against the original."""
        return self.audit, self.against_original


class Work(Protocol):
    """What a release needs of the engine that holds its rows."""

    @property
    def table(self) -> RecodedTable[Any]:
        """The rows that are published."""
        ...

    def before(self) -> Audit | None:
        """Return the audit of the original by the same requirements; None where it is not at hand."""
        ...

    def drivers(self) -> Mapping[str, Mapping[str, Fraction] | None]:
        """Return, for each attribute, t of the release with each quasi-identifier left out; None for too many rows."""
        ...

    def useful(self) -> Usefulness | None:
        """Return what the release is still good for; None where that is not known."""
        ...

    def around(self) -> Surroundings | None:
        """Return what lies around the levels of the release in the lattice of all levels; None where it has none."""
        ...

    def why(self, release: Release, progress: Report | None = None) -> DetailCosts | None:
        """Return what costs the detail of the release; None where that is not known."""
        ...

    def audits(self) -> tuple[Audit, Audit]:
        """Return the audit of the release against itself, and against the original."""
        ...

    def write(
        self,
        release: Release,
        place: str | Path,
        *,
        force: bool,
        certificate: str | Path | None = None,
        progress: Report | None = None,
    ) -> Written:
        """Write the release, its recipe, its report and its certificate; nothing is left half-written."""
        ...


@dataclass(frozen=True)
class Findings:
    """What is known of a release without its rows, as it comes out of a pickle."""

    found: tuple[Audit, Audit]
    original: Audit | None
    driving: Mapping[str, Mapping[str, Fraction] | None]
    good_for: Usefulness | None
    neighbours: Surroundings | None

    @staticmethod
    def of(work: Work) -> Findings:
        """Return what an engine's work has found."""
        return Findings(work.audits(), work.before(), work.drivers(), work.useful(), work.around())

    @property
    def table(self) -> Any:
        """Refuse: there are no rows."""
        raise InputError(
            "A pickled release has no rows. Write it, or take its rows (to_pandas, to_polars, to_arrow) before."
        )

    def before(self) -> Audit | None:
        """Return the audit of the original."""
        return self.original

    def drivers(self) -> Mapping[str, Mapping[str, Fraction] | None]:
        """Return t of the release with each quasi-identifier left out."""
        return self.driving

    def useful(self) -> Usefulness | None:
        """Return what the release is still good for."""
        return self.good_for

    def around(self) -> Surroundings | None:
        """Return what lies around the levels of the release."""
        return self.neighbours

    def why(self, release: Release, progress: Report | None = None) -> DetailCosts | None:
        """Return nothing: there are no rows to search again."""
        del release, progress
        return None

    def audits(self) -> tuple[Audit, Audit]:
        """Return the audit of the release against itself, and against the original."""
        return self.found

    def write(
        self,
        release: Release,
        place: str | Path,
        *,
        force: bool,
        certificate: str | Path | None = None,
        progress: Report | None = None,
    ) -> Written:
        """Refuse: there are no rows to write."""
        del release, place, force, certificate, progress
        return self.table  # type: ignore[no-any-return]


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
    original_rows: int
    """How many rows the original has."""
    class_count: int
    """How many classes are published."""
    suppressed: int
    """How many rows are left out."""
    levels: Mapping[str, int] | None
    """The level of each quasi-identifier, where all classes share it (full-domain)."""
    losses: Mapping[str, float | None]
    """Every loss by its key; None where there is nothing to measure."""
    column_losses: Mapping[str, float]
    """The loss LM of each quasi-identifier."""
    notes: tuple[Note, ...]
    unprotected: tuple[str, ...] = ()
    """The columns that are published as they are: neither quasi-identifiers nor sensitive."""
    obstacles: tuple[Obstacle, ...] = ()
    recipe: Recipe | None = field(default=None, repr=False, compare=False)
    work: Work | None = field(default=None, repr=False, compare=False)
    people: int | None = None
    """How many people the original's rows are of, where people were counted; None where rows were."""
    slack: Fraction | None = None
    """The share of published cells that could be finer alone with every requirement met; None if not measured."""
    revealed: Revealed | None = None
    """What pseudonyms and shifted dates still give away, where there are any."""
    binding: Binding | None = None
    """Where no detail is kept, why; None elsewhere, and where that is not known."""
    attack: Attack | None = field(default=None, repr=False)
    """What attackers got on releases of halves of the table made alike, where it was to withstand them."""
    costs: Costs | None = field(default=None, repr=False)
    """The losses as they may be told beside the release; None where none was measured."""
    why: DetailCosts | None = field(default=None, repr=False)
    """What costs its detail, where that was measured; see :meth:`with_why`."""
    accept: Mapping[str, str] = field(default_factory=dict)
    """The reasons that somebody accepts, each by its code, or its code and a column, with why."""
    tells_original: bool = False
    """Whether its documents tell what only the owner of the original may know."""

    @property
    def holds(self) -> bool:
        """Whether a release that meets every requirement was found."""
        return self.work is not None

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the verdict on the release is not true of people, or cannot be given."""
        if self.work is None:
            return ()
        warned = (Reason(ROWS, note.text, note.hint, note.column) for note in self.notes if note.code == ROWS)
        told = {each.name: each for audit in self.audits() for each in audit.reasons}
        if self.recipe is not None and self.recipe.points is not None and self.recipe.points.by_row:
            told[POINTS] = reason_of(POINTS, None)
        return accepted((told | {each.name: each for each in warned}).values(), self.accept)

    @property
    def verdict(self) -> Outcome:
        """The verdict: ``"pass"``, ``"fail"`` where there is no release, ``"qualified"`` or ``"undetermined"``."""
        return verdict_of(self.reasons, met=self.holds)

    def __bool__(self) -> bool:
        return self.holds

    @property
    def released_rows(self) -> int:
        """How many rows are published."""
        return self.original_rows - self.suppressed if self.holds else 0

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
    def withholds_original(self) -> bool:
        """Whether what is told beside the release has no figure against the original.

        Where rows were left out, the original's figures less the release's are those of these rows.
        """
        return self.suppressed > 0 and not self.tells_original

    def with_original(self) -> Release:
        """Return the release with documents that tell its owner everything; they say that they are confidential."""
        return replace(self, tells_original=True)

    def with_why(self, progress: Report | None = None) -> Release:
        """Return the release with what costs its detail, by column and by requirement; for its owner alone.

        It takes a search for each column and two for each requirement, each with a fifth of the effort.

        Parameters
        ----------
        progress
            Called with a stage and a share done, from time to time.
        """
        found = self._made().why(self, progress)
        if found is None:
            raise InputError(
                "What costs the detail is told of a release as it comes from its search, and not of one by a recipe, "
                "one that was searched for to withstand attackers, or one out of a pickle.",
                code="why-unknown",
            )
        return replace(self, why=found)

    @property
    def table(self) -> RecodedTable[Any]:
        """The rows that are published."""
        return self._made().table

    @property
    def classes(self) -> ClassTable:
        """All classes that are published, with their figures."""
        return self.audits()[0].classes

    def audits(self) -> tuple[Audit, Audit]:
        """Return the audit of the release against its own distribution, and against the original's."""
        return self._made().audits()

    def usefulness(self) -> Usefulness | None:
        """Return what the release is still good for: pairs of columns before and after, and what a model learns.

        None where that is not known: of a release made by a recipe, and of very many distinct rows.
        """
        return self._made().useful()

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled: everything but the rows, which stay with the engine that has them."""
        return {**self.__dict__, "work": None if self.work is None else Findings.of(self.work)}

    def __deepcopy__(self, memo: object) -> Release:
        """Return the release itself, which nothing can change."""
        del memo
        return self

    def write(
        self,
        path: str | Path,
        *,
        force: bool = False,
        certificate: str | Path | None = None,
        progress: Report | None = None,
    ) -> Written:
        """Write the release, beside it its recipe and report, all at once; audit what was written.

        Parameters
        ----------
        path
            The file, whose ending says its kind: ``.csv``, ``.parquet``, ``.jsonl`` and others; or a new table of a
            database, ``"postgresql://HOST/DATABASE#SCHEMA.TABLE"``, beside which nothing is written.
        force
            Whether what is there already may be replaced; a table of a database is swapped in one transaction.
        certificate
            The file to write a certificate of the release to, which :func:`tclose.verify` checks.
        progress
            Called with a stage and a share done, from time to time.
        """
        return self._made().write(self, path, force=force, certificate=certificate, progress=progress)

    def to_pandas(self, *, intervals: str | Sequence[str] = ()) -> Any:
        """Return the released rows as a pandas frame.

        Parameters
        ----------
        intervals
            Quasi-identifiers of numbers or dates that get the type of intervals, ``interval[float64, both]`` or that
            of points in time, instead of text.
        """
        from tclose.anonymization.row_recoding import with_intervals

        frame, names = self.table.to_pandas(), [intervals] if isinstance(intervals, str) else list(intervals)
        return frame if not names or self.recipe is None else with_intervals(frame, self.recipe, names)

    def to_polars(self) -> Any:
        """Return the released rows as a polars frame."""
        return self.table.to_polars()

    def to_arrow(self) -> Any:
        """Return the released rows as a pyarrow table."""
        return self.table.to_arrow()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def to_dict(self) -> dict[str, Any]:
        """Return the release as JSON-ready data for its owner; ``docs/release.schema.json`` describes it."""
        from tclose.reports.machine_readable.releases import release_data

        return release_data(self.with_original())

    def to_json(self) -> str:
        """Return the release as JSON text for its owner; what may go beside the release, :meth:`write` puts there."""
        from tclose.reports.machine_readable.audits import json_text

        return json_text(self.to_dict())

    def to_html(
        self,
        written: Written | None = None,
        *,
        frontier: Frontier | None = None,
        about: About | None = None,
        template: str | Path | None = None,
    ) -> str:
        """Return the release as a report: a page that stands alone, ready to be printed and signed.

        Parameters
        ----------
        written
            The files that were written; their audits are shown instead of audits of the rows at hand.
        frontier
            What other thresholds would have cost, to be shown beside it; only the owner of the original may know
            that, so that such a report tells everything and is confidential.
        about
            What it is for, and who answers for it.
        template
            A template of Jinja in place of the usual one.
        """
        from tclose.reports.content.release_reports import release_report
        from tclose.reports.formats.html import report

        return report(release_report(self, written, frontier=frontier, about=about), template=template)

    def to_markdown(self) -> str:
        """Return the release as Markdown."""
        from tclose.reports.content.releases import release_handed_over
        from tclose.reports.formats.markdown import markdown

        return markdown(release_handed_over(self))

    def __str__(self) -> str:
        from tclose.reports.content.releases import release_document
        from tclose.reports.formats.text import text

        return holdable(text(release_document(self)), sys.stdout)

    def _repr_html_(self) -> str:
        from tclose.reports.content.release_reports import notebook_release
        from tclose.reports.formats.html import fragment

        return fragment(notebook_release(self))
