"""Where a release goes: checked before any work, then written, summed up, and told by the exit code."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tclose.cli.errors import FAILS, HOLDS, message_of, say
from tclose.cli.interrupts import TOO_LATE, heard, too_late
from tclose.cli.options import OUTPUT, option, template_option, together
from tclose.cli.output import NO_PDF, PDF, deliver, face, file_of
from tclose.data.progress import silent, terminal_progress
from tclose.data.sources import DatabaseTable, files_read, locate
from tclose.data.sources.database import DatabaseTable as DatabaseTable_of_releasing
from tclose.data.sources.database import is_database, is_database_address
from tclose.data.targets import FileTarget, FolderTarget, check_apart, refused_by_system, target_at
from tclose.data.text_encoding import visible
from tclose.engines.dispatch import target_for
from tclose.errors import InputError, TcloseError

if TYPE_CHECKING:
    from tclose.anonymization.frontier_points import Frontier
    from tclose.anonymization.output import Companion, Destination
    from tclose.anonymization.releases import Release, Written
    from tclose.reports.machine_readable.openlineage import Dataset, LineageRun


# The options that say where a release goes.


release_output_options = together(
    option(
        "-o",
        "--output",
        section=OUTPUT,
        usual=True,
        metavar="FILE",
        type=click.Path(),
        help="The release, by its ending; its recipe and report go beside it.",
    ),
    option(
        "--into",
        section=OUTPUT,
        metavar="[ADDRESS#]TABLE",
        help="Store the release as a new table of the original's database, or of postgresql://HOST/DATABASE#TABLE.",
    ),
    option(
        "--recipe",
        "recipe_file",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        help="Also write the recipe, which makes the release again; keep it with the original.",
    ),
    option(
        "--report",
        section=OUTPUT,
        usual=True,
        metavar="FILE",
        type=click.Path(),
        help="Also write a report, as .html or .json.",
    ),
    option(
        "--statement",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        multiple=True,
        help="Also say for catalogues what the release promises: .jsonld (Croissant) or .openlineage.json.",
    ),
    option(
        "--certificate",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        help="Also certify the file of the release, as .json: 'tclose verify' checks it.",
    ),
    option(
        "--lineage",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        help="Append the run to a file as events of OpenLineage, a line each: START, then COMPLETE, FAIL or ABORT.",
    ),
    template_option(OUTPUT),
    option(
        "--show-original",
        section=OUTPUT,
        is_flag=True,
        help="Tell in --report and --format html what only the owner of the original may know; such a document "
        "is confidential.",
    ),
    option("--force", section=OUTPUT, usual=True, is_flag=True, help="Write over existing files."),
    option(
        "--replace", section=OUTPUT, is_flag=True, help="With --into: swap a table that is there, in one transaction."
    ),
    option(
        "--format",
        "form",
        section=OUTPUT,
        type=click.Choice(["text", "json", "html"]),
        default="text",
        show_default=True,
        help="The summary on standard output.",
    ),
)


# The run of a command as events of OpenLineage, appended to a file while it happens.


_APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
"""Windows writes other ends of lines unless it is told that bytes are bytes."""
UNMET = "No release meets every requirement; nothing was written."


@dataclass
class Events:
    """The events of one run, and the file they are appended to; without a file they go nowhere."""

    run: LineageRun
    path: Path | None
    made: tuple[Release, Written | None, Dataset | None] | None = field(default=None, init=False)
    """The release that was delivered, where it was written, and by which name it is known."""

    @property
    def read_too(self) -> dict[Path, str]:
        """The file, as one that nothing else may be written to."""
        return {} if self.path is None else {self.path: "the file that events are appended to"}

    def tell(self, event: Mapping[str, Any]) -> None:
        """Append an event as one line, in one write, so that runs at the same time keep their lines apart."""
        if self.path is None:
            return
        line = json.dumps(event, ensure_ascii=False, allow_nan=False) + "\n"
        with refused_by_system(repr(str(self.path))):
            opened = os.open(self.path, _APPENDING, 0o666)
            try:
                os.write(opened, line.encode())
                os.fsync(opened)
            finally:
                os.close(opened)

    def ended(self) -> Mapping[str, Any]:
        """Return the event of an end without an error."""
        if self.made is None or not self.made[0].holds:
            return self.run.failed(UNMET)
        release, written, name = self.made
        return self.run.completed(release, name, None if written is None else written.size)


def events_of(job: str, table: object, given: Mapping[str, Any], inputs: Mapping[Path, str]) -> Events:
    """Return the events of a run, its file checked beside all that is read.

    Parameters
    ----------
    job
        The command.
    table
        What it reads.
    given
        The options.
    inputs
        All files that it reads, each with what it is.
    """
    path = None if given["lineage"] is None else Path(given["lineage"])
    if path is not None:
        check_apart([target_at(path)], inputs)
        if path.exists() and not path.is_file():
            raise InputError(f"--lineage appends to a file; {str(path)!r} is none.")
        if not path.parent.is_dir():
            raise InputError(f"{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}.")
    from tclose.reports.machine_readable.openlineage import LineageRun

    return Events(LineageRun(job, _dataset_of(table)), path)


def _dataset_of(table: object) -> Dataset | None:
    """Return what is read, as anyone may know it; None where it has no name before it is read."""
    if isinstance(table, DatabaseTable):
        return table.dataset
    from tclose.reports.machine_readable.openlineage import FILE

    name = ", ".join(each.name for each in files_read(table))
    return (FILE, name) if name else None


@contextmanager
def recorded(events: Events) -> Iterator[None]:
    """Tell that a run starts, and how it ends; trouble with the telling hides no trouble of the run."""
    events.tell(events.run.started())
    try:
        yield
    except BaseException as problem:
        with suppress(Exception):
            events.tell(_failure(events, problem))
        raise
    events.tell(events.ended())


def _failure(events: Events, problem: BaseException) -> Mapping[str, Any]:
    """Return the event of an end by an error, or by somebody who asked for it."""
    if too_late():
        return events.run.failed(TOO_LATE)
    if isinstance(problem, click.Abort | KeyboardInterrupt) or heard():
        return events.run.aborted()
    if isinstance(problem, TcloseError):
        return events.run.failed(visible(problem.public))
    said = "The command line was not understood." if isinstance(problem, click.ClickException) else message_of(problem)
    return events.run.failed(visible(said))


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
    if not isinstance(source, DatabaseTable_of_releasing):
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
    from tclose.anonymization.output import Destination, certificate_at, recipe_at, statement_at

    target = None if given["output"] is None else target_for(table, given["output"])
    into = None if given["into"] is None else DatabaseTable_of_releasing(given["into"])
    more = [] if given["report"] is None else [_report(given["report"], frontier, given)]
    more += [] if given["recipe_file"] is None else [recipe_at(given["recipe_file"])]
    more += [] if given["certificate"] is None else [certificate_at(given["certificate"])]
    more += [statement_at(path, None if events is None else events.run) for path in given["statement"]]
    return Destination.at(target, into, *more, force=given["force"], replace=given["replace"])


def _report(path: str, frontier: Frontier | None, given: Mapping[str, Any]) -> Companion:
    """Return the report that a person asked for: a page, or data."""
    from tclose.anonymization.output import Companion, report_at

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
    from tclose.reports.machine_readable.openlineage import FILE

    return (FILE, goes.table.path.name) if isinstance(goes.table, FileTarget | FolderTarget) else None


def _remark(release: Release, given: Mapping[str, Any]) -> None:
    """Say what was not written."""
    quiet, target = given["quiet"], given["output"]
    if not release.holds:
        names = [target] if target is not None else []
        names += [DatabaseTable_of_releasing(given["into"]).label] if given["into"] else []
        for name in names:
            say(f"{name} was not written.", quiet=quiet)
    elif target is None and not given["into"]:
        say("Nothing was written; -o FILE writes the release.", quiet=quiet)
    elif target is None and given["recipe_file"] is None and "levels" in given:
        say("The recipe was not kept; --recipe FILE keeps it, with the original.", quiet=quiet)


def _summary(release: Release, written: Written | None, frontier: Frontier | None, given: Mapping[str, Any]) -> str:
    form = given["form"]
    if form == "json":
        from tclose.anonymization.output import report_text

        return report_text(release.with_original(), written)  # told to whoever runs the command
    if form == "html":
        return _page(release, written, frontier, given)
    from tclose.reports.content.releases import release_document

    return face(form, [release_document(release, written)], None)
