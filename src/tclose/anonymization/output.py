"""Where a release goes: a file, a folder, a stream or a new table of a database, with all that is said of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tclose.anonymization.engine_release import EngineWork
from tclose.anonymization.file_audit import written_alone
from tclose.anonymization.release_points import check_certifiable
from tclose.anonymization.releases import Release, Written
from tclose.auditing.results import Audit
from tclose.data.progress import shows_progress, silent, told_each
from tclose.data.sources import DatabaseTable, files_read, is_database, locate
from tclose.data.sources.database import is_database_address
from tclose.data.targets import FileTarget, Target, check_apart, committing, refused_by_system, target_at
from tclose.engines.base import Progress
from tclose.engines.dispatch import stored, transaction
from tclose.errors import InputError, InternalError, listed

if TYPE_CHECKING:
    from tclose.reports.machine_readable.croissant import Statement
    from tclose.reports.machine_readable.openlineage import LineageRun


_ASKED_FOR = ("page", "statement", "certificate")


@contextmanager
def held(table: object, into: str | None, *, replace: bool = False) -> Iterator[object]:
    """Give a table to be anonymized, all of whose reading is in one transaction if it is in a database.

    The rows of a release then need not leave the database, and are written in the same transaction where they go
    into the same database. The transaction ends with the block, and what was not stored by then is gone.

    Parameters
    ----------
    table
        What the caller named.
    into
        The address of the table that the release will be stored as; None where it will not be. It is refused here
        if it is there already.
    replace
        Whether a table that is there is to be swapped for the new one.
    """
    target = None if into is None else DatabaseTable(into)
    source = locate(table) if is_database(table) else None
    if target is None and not isinstance(source, DatabaseTable):
        yield table
        return
    original = source if isinstance(source, DatabaseTable) else None
    with transaction(original, target, replace=replace) as begun:
        yield table if original is None else original.within(begun)


@dataclass(frozen=True)
class Companion:
    """A text that is written of a release, at the same moment as the release."""

    kind: Literal["recipe", "report", "page", "statement", "certificate"]
    target: Target
    told: Callable[[Release, Written | None], str]
    """What it says of a release, given the audits of what was written."""
    always: bool = False
    """Whether it is written even where there is no release, to say why."""


def recipe_at(path: str | Path) -> Companion:
    """Return the recipe of a release as a file that only its owner may read."""
    return Companion("recipe", target_at(path, mode=0o600), lambda release, _: _recipe(release))


def report_at(path: str | Path, *, always: bool = False) -> Companion:
    """Return the report of a release for machines as a file."""
    return Companion("report", target_at(path), report_text, always)


def statement_at(path: str | Path, run: LineageRun | None = None) -> Companion:
    """Return what a release is and promises for catalogues as a file, whose ending says in which words.

    Parameters
    ----------
    path
        The file.
    run
        The run that makes the release, for words that name one.
    """
    from tclose.reports.machine_readable.croissant import STATEMENTS
    from tclose.reports.machine_readable.openlineage import LINEAGE_ENDING, lineage_statement

    kind = next((ending for ending in STATEMENTS if str(path).lower().endswith(ending)), None)
    if kind is None:
        raise InputError(f"A statement is written to a file that ends in one of {listed(STATEMENTS)}.")
    told = STATEMENTS[kind] if kind != LINEAGE_ENDING else partial(lineage_statement, run=run)
    return Companion("statement", target_at(path), lambda release, found: _statement(release, found, told))


def certificate_at(path: str | Path) -> Companion:
    """Return the certificate of a release as a file."""
    return Companion("certificate", target_at(path), _certificate)


def _certificate(release: Release, found: Written | None) -> str:
    from tclose.anonymization.certificates import Certificate

    if found is None:
        raise InternalError("A certificate was to be written of a release that is no file.")
    return Certificate.of(release, found).to_json()


def _statement(release: Release, found: Written | None, told: Statement) -> str:
    from tclose.reports.machine_readable.audits import json_text
    from tclose.reports.machine_readable.openlineage import Handed

    if found is None or found.sha256 is None or found.size is None:
        raise InternalError("A statement was to be written of a release that is no file.")
    return json_text(told(release, [Handed(found.path.name, found.sha256, found.size)]))


def report_text(release: Release, found: Written | None) -> str:
    """Return the report of a release for machines, with the audits of what was written where there are any."""
    from tclose.reports.machine_readable.audits import json_text
    from tclose.reports.machine_readable.releases import release_data, report_data

    return json_text(release_data(release) if found is None else report_data(release, found))


def _recipe(release: Release) -> str:
    return "" if release.recipe is None else release.recipe.to_json()


@dataclass(frozen=True)
class Destination:
    """Everything that one run writes of a release: checked together before the work, committed together after it."""

    table: Target | None = None
    into: DatabaseTable | None = None
    companions: tuple[Companion, ...] = ()
    force: bool = False
    """Whether files that are there already may be replaced."""
    replace: bool = False
    """Whether a table of a database that is there is swapped for the new one."""

    @staticmethod
    def at(
        table: Target | None, into: DatabaseTable | None, *more: Companion, force: bool, replace: bool = False
    ) -> Destination:
        """Return a destination where a recipe and a report go beside a file or folder."""
        beside: tuple[Companion, ...] = ()
        if isinstance(table, FileTarget):
            name = table.path.name
            beside = (
                recipe_at(table.path.with_name(f"{name}.recipe.json")),
                report_at(table.path.with_name(f"{name}.report.json")),
            )
        return Destination(table, into, (*beside, *more), force, replace)

    def check(self, inputs: Mapping[Path, str]) -> None:
        """Refuse what cannot or may not be written, what is read, and what is named twice."""
        targets = [*([] if self.table is None else [self.table]), *(each.target for each in self.companions)]
        for kind in ("statement", "certificate"):
            if self._path(kind) is not None and type(self.table) is not FileTarget:
                raise InputError(f"A {kind} describes the file of a release: name one with -o FILE.")
        check_apart(targets, {**inputs, **files_read(self.into, "the database that the release goes into")})
        for target in targets:
            target.check(force=self.force)

    def commit(self, release: Release, tell: Progress = silent) -> Written | None:
        """Write all that there is to say of a release; None where there is none, or where it goes nowhere.

        Files are renamed after a database has taken its table. Whoever is to be told is told what is being done.
        """
        check_certifiable(release.recipe, self._path("certificate"))
        work = release.work if isinstance(release.work, EngineWork) else None
        companions = [each for each in self.companions if work is not None or each.always]
        tables = [] if self.table is None or work is None else [self.table]
        targets = [*tables, *(each.target for each in companions)]
        with committing(targets, force=self.force) as places, ExitStack() as transactions:
            found = None
            if work is not None and self.into is not None:
                tell("Storing the release", None)
                stored = transactions.enter_context(_stored(work, self.into, tell, swapped=self.replace))
                found = Written(Path(self.into.table or ""), self._path("recipe"), None, *stored)
            if work is not None and self.table is not None:
                audits = work.written_to(places[0], self.table.path.name, tell)
                found = Written(self.table.path, self._path("recipe"), self._path("report"), *audits)
                if self._path("statement") is not None or self._path("certificate") is not None:
                    found = replace(found, **_measured(places[0]))
                if self._path("certificate") is not None:
                    tell("Auditing the file alone", None)
                    found = replace(found, alone=written_alone(release, found, places[0]))
            beside = list(zip(companions, places[len(tables) :], strict=True))
            for each, place in told_each(beside, tell, "Writing what is said of it"):
                with refused_by_system(repr(each.target.shown)):
                    place.write_bytes(f"{each.told(release, found)}\n".encode())
        return found if found is None else replace(found, named=self._named())

    def _named(self) -> tuple[tuple[str, Path], ...]:
        """Return the files that a person asked for besides the release, its report and its recipe."""
        return tuple((each.kind, each.target.path) for each in self.companions if each.kind in _ASKED_FOR)

    def _path(self, kind: str) -> Path | None:
        """Return where the first companion of a kind goes."""
        return next((each.target.path for each in self.companions if each.kind == kind), None)


def _measured(place: Path) -> dict[str, Any]:
    """Return the checksum and the size of a file."""
    with place.open("rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "size": place.stat().st_size}


@contextmanager
def _stored(work: EngineWork, place: DatabaseTable, tell: Progress, *, swapped: bool) -> Iterator[tuple[Audit, Audit]]:
    """Store a release as a new table of a database, give its audits, and keep it when the block ends well."""
    with stored(work.table, place, work.session, replace=swapped, original=work.source) as (session, table):
        audits = work.audits_there(session, table, tell)
        if audits is None:
            raise InternalError("The stored release does not meet the requirements that its search met.")
        if audits[1].rows != work.table.rows:
            raise InternalError("The stored release does not have the rows that it should.")
        yield audits


def store(
    release: Release,
    target: DatabaseTable | str,
    *,
    recipe: Path | None = None,
    swapped: bool = False,
    progress: Progress | None = None,
) -> Written:
    """Store a release as a new table of a database.

    The table is made, filled and audited in one transaction. Unless the audit of what is in the table meets the
    requirements, nothing of it stays. The rows are recoded in the database where the original was read in a
    transaction there that :func:`held` keeps open; otherwise they are sent there.

    Parameters
    ----------
    release
        A release that meets its requirements.
    target
        The table to make: ``"postgresql://HOST/DATABASE#SCHEMA.TABLE"``. It must not be there
        already, unless it is to be swapped.
    recipe
        The file to write the recipe to, if it is to be kept; it is there only if the table is.
    swapped
        Whether a table that is there is swapped for the new one in the same transaction.
    progress
        Told what is being done.

    Returns
    -------
    Written
        The audits of the new table: against itself, and against the original.
    """
    place = target if isinstance(target, DatabaseTable) else DatabaseTable(target)
    companions = () if recipe is None else (recipe_at(recipe),)
    return _committed(release, Destination(None, place, companions, replace=swapped), progress=progress)


def write(
    release: Release,
    place: str | Path,
    *,
    force: bool,
    certificate: str | Path | None = None,
    progress: Progress | None = None,
) -> Written:
    """Write a release to a file, a folder or a stream, or store it as a new table of a database; audit what is there.

    Parameters
    ----------
    release
        A release that meets its requirements.
    place
        A path, whose ending says the format, or the address of a table.
    force
        Whether what is there already may be replaced.
    certificate
        The file of its certificate, if there is to be one.
    progress
        Told what is being done.
    """
    more = [] if certificate is None else [certificate_at(certificate)]
    if is_database_address(place):
        into = DatabaseTable(str(place))
        return _committed(release, Destination(None, into, tuple(more), replace=force), progress=progress)
    target = release.table.target(place)
    return _committed(release, Destination.at(target, None, *more, force=force), progress=progress)


@shows_progress
def _committed(release: Release, destination: Destination, *, progress: Progress | None) -> Written:
    if not isinstance(release.work, EngineWork):
        raise InputError("There is no release that meets the requirements, so there is none to store.")
    destination.check(release.work.inputs)
    found = destination.commit(release, progress or silent)
    if found is None:
        raise InternalError("A release was to be written, and none was.")
    return found
