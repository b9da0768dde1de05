"""The folder of a released database: tables and reports, written together once an audit has confirmed the tables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tclose.anonymization.database.release import DatabaseRelease
from tclose.auditing.database_audit import audit_tables
from tclose.auditing.facts import Facts
from tclose.auditing.facts.database_audits import DatabaseAudit
from tclose.auditing.facts.findings import FactFigure
from tclose.data.progress import silent
from tclose.data.targets import FolderTarget, check_apart, committing, refused_by_system
from tclose.engines.base import Progress
from tclose.engines.dispatch import target_for, write_values
from tclose.errors import Ask, Hint, InputError, InternalError
from tclose.policy.several_tables import TableAsked
from tclose.reports.document import Document

REPORT = "report.json"
"""The file by which a folder with a release is known."""
_BESIDE = (REPORT, "report.md", "report.html")


@dataclass(frozen=True)
class WrittenDatabase:
    """A release of several tables as it was written, with the audit of the tables that were read back."""

    release: DatabaseRelease
    audit: DatabaseAudit

    def document(self) -> Document:
        """Return what was released as a document."""
        from tclose.reports.content.database_releases import release_of_database

        return release_of_database(self.release, self.audit)

    def to_dict(self) -> dict[str, Any]:
        """Return what was released as JSON-ready data."""
        from tclose.reports.machine_readable.database_releases import data_of_database

        return data_of_database(self.release, self.audit)


def folder_target(path: str | Path) -> FolderTarget:
    """Return the folder that a release goes to."""
    return FolderTarget(Path(path), sign=REPORT, maker="tclose")


def check_folder(path: str | Path, names: tuple[str, ...], inputs: Mapping[Path, str], *, force: bool) -> FolderTarget:
    """Return the folder that a release goes to; refuse one that cannot or may not be written.

    Parameters
    ----------
    path
        The folder.
    names
        The files of the release.
    inputs
        All that is read, each with what it is.
    force
        Whether a release that is there may be replaced.
    """
    target = folder_target(path)
    for name in names:
        target_for({}, target.path / name)  # an ending that says no format is refused before any work
        if name in _BESIDE:
            raise InputError(f"A table named {name!r} would be in the place of a report; rename it.", field="table")
    for read, what in inputs.items():
        if read.resolve().is_relative_to(target.real):
            raise InputError(f"{target.shown!r} holds {what}; name another folder to write to.", field="output")
    check_apart([target], inputs)
    target.check(force=force)
    return target


def write_database(
    release: DatabaseRelease, target: FolderTarget, *, force: bool, tell: Progress = silent
) -> WrittenDatabase:
    """Write a release to a folder: whole, and only if the audit of the written tables meets every requirement.

    Parameters
    ----------
    release
        A release that was found.
    target
        The folder, as :func:`check_folder` returned it.
    force
        Whether a release that is there may be replaced.
    tell
        Told what is being done.
    """
    with committing([target], force=force) as (place,), refused_by_system(repr(target.shown)):
        place.mkdir()
        written = write_tables(release, place, tell)
        _write_reports(written, place)
    return written


def write_tables(release: DatabaseRelease, place: Path, tell: Progress = silent) -> WrittenDatabase:
    """Write the tables of a release to a folder and audit what was written; refuse what that does not confirm."""
    if not release.holds:
        raise InputError("There is no release that meets the requirements, so there is none to write.")
    for name, columns in release.tables.items():
        tell(f"Writing {name}", None)
        write_values(columns, place / name, repr(name))
    tell("Reading the release back", None)
    policies = [
        replace(policy, table=str(place / name)) for name, policy in zip(release.tables, release.published, strict=True)
    ]
    audit = confirmed(release, audit_tables([TableAsked(each) for each in policies])).in_public()
    return WrittenDatabase(release, replace(audit, facts=_named(audit.facts, place)))


def _named(facts: Facts, place: Path) -> Facts:
    """Return facts whose traits do not name the folder in which the tables waited."""

    def told(figure: FactFigure) -> FactFigure:
        base = {name.removeprefix(f"{place}{os.sep}"): cell for name, cell in figure.worst.base.items()}
        return replace(figure, worst=replace(figure.worst, base=base))

    return facts.telling(told)


def confirmed(release: DatabaseRelease, audit: DatabaseAudit) -> DatabaseAudit:
    """Return the audit of written tables; refuse one that does not confirm the release."""
    if not audit.facts.certain:
        raise InputError(
            "The released tables have more sets of facts than are counted, so that nobody can say what they give away.",
            code="facts-drawn",
            field="fact_sets",
            hint=Hint("Count more of them: {}.", Ask("fact_sets", 10**10)),
        )
    rows = [len(next(iter(columns.values()))) for columns in release.tables.values()]
    if [table.rows for table in audit.facts.tables] != rows:
        raise InternalError("The written tables do not have the rows that they should.")
    if any(not each.holds for each in audit.facts.verdicts) or audit.verdict != "pass":
        raise InternalError("The written tables do not meet the requirements that the search met.")
    return audit


def _write_reports(written: WrittenDatabase, place: Path) -> None:
    from tclose.reports.formats.html import page
    from tclose.reports.formats.markdown import markdown
    from tclose.reports.machine_readable.audits import json_text

    document = written.document()
    texts = (json_text(written.to_dict()), markdown(document), page(document))
    for name, text in zip(_BESIDE, texts, strict=True):
        (place / name).write_text(text.rstrip("\n") + "\n", encoding="utf-8", errors="backslashreplace", newline="\n")
