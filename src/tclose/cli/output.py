"""Where results go: to standard output, or to files that are checked before the work and written together after it."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tclose.data.targets import (
    Target,
    check_apart,
    committing,
    is_standard_output,
    refused_by_system,
    target_at,
    write_text,
)
from tclose.data.text_encoding import visible
from tclose.errors import InputError

if TYPE_CHECKING:
    from tclose.reports.document import Document

FORMAT_OF_ENDING = {
    ".txt": "text",
    ".json": "json",
    ".html": "html",
    ".htm": "html",
    ".csv": "csv",
    ".md": "markdown",
    ".toml": "toml",
    ".tex": "latex",
    ".svg": "svg",
    ".xml": "junit",
    ".sarif": "sarif",
}
PDF = ".pdf"
NO_PDF = "tclose does not write PDF files; write the report as .html and print it from a browser."


def format_for(target: str | None, given: str | None, known: Iterable[str]) -> str:
    """Return the format of an output: as given, else by the ending of its file; text for no ending, .txt and .log."""
    if given:
        return given
    ending = Path(target).suffix.lower() if target else ""
    if ending in ("", ".txt", ".log"):
        return "text"
    if ending == PDF:
        raise InputError(NO_PDF)
    found = FORMAT_OF_ENDING.get(ending)
    if found not in tuple(known):
        raise InputError(f"No format goes by the ending {ending!r} here; name one with --format, or another file.")
    return found


def file_word(name: str) -> str:
    """Return a name as a part of a file's name.

    Examples
    --------
    >>> file_word("pay / year")
    'pay_year'
    """
    return re.sub(r"[^\w-]+", "_", name)


def colour_wanted() -> bool:
    """Say whether standard output is a terminal that wants colour."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def terminal_width() -> int:
    """Return the width of the terminal, or 80 where there is none."""
    return min(120, shutil.get_terminal_size((80, 24)).columns) if sys.stdout.isatty() else 80


def file_of(target: str | None) -> str | None:
    """Return the file that a target names; None where it is standard output."""
    return None if target is None or is_standard_output(target) else target


def text_shape(target: str | None) -> tuple[int, bool]:
    """Return how wide text is on its target, and whether it is coloured there."""
    return (terminal_width(), colour_wanted()) if file_of(target) is None else (80, False)


def face(form: str, documents: Sequence[Document], target: str | None) -> str:
    """Return documents in a format, as wide and coloured as their target is."""
    if form == "html":
        from tclose.reports.formats.html import page

        return page(*documents)
    if form == "markdown":
        from tclose.reports.formats.markdown import markdown

        return markdown(*documents)
    if form == "latex":
        from tclose.reports.formats.latex import latex

        return latex(*documents)
    from tclose.reports.formats.text import text

    width, colour = text_shape(target)
    return text(*documents, width=width, colour=colour)


def deliver(text: str, target: str | None, *, aside: bool = False) -> None:
    """Write text to a file, or to standard output if none is named; ``aside`` is to standard error instead."""
    text = text if text.endswith("\n") else text + "\n"
    file = file_of(target)
    if file is None:
        stream = sys.stderr if aside else sys.stdout
        with quiet_if_closed():
            stream.write(text)
            stream.flush()
        return
    write_text(target_at(file), text)


def deliver_file(path: Path) -> None:
    """Copy a text file to standard output; on a terminal, what it would obey is written out."""
    with quiet_if_closed(), path.open(encoding="utf-8", newline="") as file:
        if sys.stdout.isatty():
            sys.stdout.writelines(visible(line.rstrip("\r\n")) + "\n" for line in file)
        else:
            shutil.copyfileobj(file, sys.stdout)
        sys.stdout.flush()


@contextmanager
def quiet_if_closed() -> Iterator[None]:
    """Go on in silence when the reader of standard output has left; the exit code still tells the verdict."""
    try:
        yield
    except OSError as problem:
        with Path(os.devnull).open("w") as nowhere:  # what is still held back must not fail again at exit
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        if not isinstance(problem, BrokenPipeError):
            raise


Writer = Callable[[Path], object]
"""Writes a result to the file that it waits in."""


def check_targets(targets: Iterable[Target], inputs: Mapping[Path, str], *, force: bool = True) -> None:
    """Refuse what cannot or may not be written, before any work is done.

    Parameters
    ----------
    targets
        All that the command will write.
    inputs
        All that it reads, each with what it is.
    force
        Whether what is there already may be replaced.
    """
    targets = list(targets)
    check_apart(targets, inputs)
    for target in targets:
        target.check(force=force)


def named_targets(*named: str | None) -> list[Target]:
    """Return the files and streams that are named, without standard output."""
    return [target_at(file) for name in named if (file := file_of(name)) is not None]


def commit(writers: Mapping[Target, Writer], inputs: Mapping[Path, str]) -> None:
    """Write several results, which take their places together."""
    check_apart(writers, inputs)
    with committing(list(writers)) as places:
        for (target, write), place in zip(writers.items(), places, strict=True):
            with refused_by_system(repr(target.shown)):
                write(place)


def text_writer(text: str) -> Writer:
    """Return what writes a text."""
    ended = text if text.endswith("\n") else text + "\n"
    return lambda place: place.write_text(ended, encoding="utf-8", errors="backslashreplace", newline="\n")
