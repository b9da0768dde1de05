"""The run of a command as events of OpenLineage, appended to a file while it happens."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tclose.cli.failures import message_of
from tclose.cli.interrupts import TOO_LATE, heard, too_late
from tclose.errors import InputError, TcloseError
from tclose.letters import visible
from tclose.sources import DatabaseTable, files_read
from tclose.targets import check_apart, refused_by_system, target_at

if TYPE_CHECKING:
    from tclose.releases import Release, Written
    from tclose.render.data.lineage import Dataset, LineageRun

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
    from tclose.render.data.lineage import LineageRun

    return Events(LineageRun(job, _dataset_of(table)), path)


def _dataset_of(table: object) -> Dataset | None:
    """Return what is read, as anyone may know it; None where it has no name before it is read."""
    if isinstance(table, DatabaseTable):
        return table.dataset
    from tclose.render.data.lineage import FILE

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
