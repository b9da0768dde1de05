"""Where a release goes: checked before any work, then written, summed up, and told by the exit code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tclose.cli.failures import FAILS, HOLDS, say
from tclose.cli.lineage import Events
from tclose.cli.output import NO_PDF, PDF, deliver, face, file_of
from tclose.engines.choosing import target_for
from tclose.errors import InputError
from tclose.progress import silent, terminal_progress
from tclose.sources import locate
from tclose.sources.database import DatabaseTable, is_database, is_database_address
from tclose.targets import FileTarget, FolderTarget, target_at

if TYPE_CHECKING:
    from tclose.anonymizing.storing import Companion, Destination
    from tclose.frontiers import Frontier
    from tclose.releases import Release, Written
    from tclose.render.data.lineage import Dataset

PAGES = (".html", ".htm")
"""The endings of a page."""


def stored_as(table: object, given: Mapping[str, Any]) -> str | None:
    """Return the address of the table that a release is stored as; a name alone is one in the original's database."""
    into: str | None = given["into"]
    if into is None and given["replace"]:
        raise InputError("--replace swaps the table that --into names; name one.")
    if into is None or is_database_address(into):
        return into
    source = locate(table) if is_database(table) else None
    if not isinstance(source, DatabaseTable):
        raise InputError("--into names a table of a database, such as postgresql://HOST/DATABASE#SCHEMA.TABLE.")
    return f"{source.uri}#{into}"


def destination(
    table: object, given: Mapping[str, Any], frontier: Frontier | None = None, events: Events | None = None
) -> Destination:
    """Return everything that is written of a release of a table.

    Parameters
    ----------
    table
        The table.
    given
        The options, with the full address of ``--into``.
    frontier
        What other thresholds cost, for the page.
    events
        What is told of the run.
    """
    from tclose.anonymizing.storing import Destination, certificate_at, recipe_at, statement_at

    target = None if given["output"] is None else target_for(table, given["output"])
    into = None if given["into"] is None else DatabaseTable(given["into"])
    more = [] if given["report"] is None else [_report(given["report"], frontier, given)]
    more += [] if given["recipe_file"] is None else [recipe_at(given["recipe_file"])]
    more += [] if given["certificate"] is None else [certificate_at(given["certificate"])]
    more += [statement_at(path, None if events is None else events.run) for path in given["statement"]]
    return Destination.at(target, into, *more, force=given["force"], replace=given["replace"])


def _report(path: str, frontier: Frontier | None, given: Mapping[str, Any]) -> Companion:
    """Return the report that a person asked for: a page, or data."""
    from tclose.anonymizing.storing import Companion, report_at

    ending = Path(path).suffix.lower()
    if ending == ".json":
        told = report_at(path, always=True)
        return replace(told, kind="page", told=lambda release, found: told.told(_shown(release, given), found))
    if ending == PDF:
        raise InputError(NO_PDF)
    if ending not in PAGES:
        raise InputError("--report writes a page or data; name a file that ends in .html or in .json.")
    return Companion(
        "page", target_at(path), lambda release, written: _page(release, written, frontier, given), always=True
    )


def _page(release: Release, written: Written | None, frontier: Frontier | None, given: Mapping[str, Any]) -> str:
    release = _shown(release, given)
    return release.to_html(written, frontier=frontier, about=given.get("about"), template=given.get("template"))


def _shown(release: Release, given: Mapping[str, Any]) -> Release:
    """Return a release whose documents tell what was asked for."""
    return release.with_original() if given["show_original"] else release


def deliver_release(
    release: Release, table: object, given: Mapping[str, Any], events: Events, frontier: Frontier | None = None
) -> int:
    """Write a release if there is one, sum it up on standard output, and return the exit code."""
    goes = destination(table, given, frontier, events)
    with terminal_progress(quiet=given["quiet"], lines=given["shown_progress"] == "json") as report:
        written = goes.commit(release, report or silent)
    events.made = (release, written, _known_as(goes))
    if goes.into is not None and written is not None:
        say(f"{written.audit.rows:,} rows stored as {goes.into.label}, audited there.", quiet=given["quiet"])
    streamed = given["output"] is not None and file_of(given["output"]) is None
    deliver(_summary(release, written, frontier, given), None, aside=streamed)
    _remark(release, given)
    return HOLDS if release.verdict == "pass" else FAILS


def _known_as(goes: Destination) -> Dataset | None:
    """Return what was written: a table of a database, a file or a folder; None for a stream."""
    if goes.into is not None:
        return goes.into.dataset
    from tclose.render.data.lineage import FILE

    return (FILE, goes.table.path.name) if isinstance(goes.table, FileTarget | FolderTarget) else None


def _remark(release: Release, given: Mapping[str, Any]) -> None:
    """Say what was not written."""
    quiet, target = given["quiet"], given["output"]
    if not release.holds:
        names = [target] if target is not None else []
        names += [DatabaseTable(given["into"]).label] if given["into"] else []
        for name in names:
            say(f"{name} was not written.", quiet=quiet)
    elif target is None and not given["into"]:
        say("Nothing was written; -o FILE writes the release.", quiet=quiet)
    elif target is None and given["recipe_file"] is None and "levels" in given:
        say("The recipe was not kept; --recipe FILE keeps it, with the original.", quiet=quiet)


def _summary(release: Release, written: Written | None, frontier: Frontier | None, given: Mapping[str, Any]) -> str:
    form = given["form"]
    if form == "json":
        from tclose.anonymizing.storing import report_text

        return report_text(release.with_original(), written)  # told to whoever runs the command
    if form == "html":
        return _page(release, written, frontier, given)
    from tclose.render.telling.releases import release_document

    return face(form, [release_document(release, written)], None)
