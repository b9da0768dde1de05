"""Where results go: to standard output, or to a file that is never half-written."""

from __future__ import annotations

import glob
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tclose.errors import InputError, SourceError
from tclose.render.cells import visible

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
}


def format_for(target: str | None, given: str | None, known: Iterable[str]) -> str:
    """Return the format of an output: as given, else by the ending of its file; text for no ending, .txt and .log."""
    if given:
        return given
    ending = Path(target).suffix.lower() if target else ""
    if ending in ("", ".txt", ".log"):
        return "text"
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
    return None if target == "-" else target


def text_shape(target: str | None) -> tuple[int, bool]:
    """Return how wide text is on its target, and whether it is coloured there."""
    return (terminal_width(), colour_wanted()) if file_of(target) is None else (80, False)


def deliver(text: str, target: str | None) -> None:
    """Write text to a file, or to standard output if none is named."""
    text = text if text.endswith("\n") else text + "\n"
    file = file_of(target)
    if file is None:
        with quiet_if_closed():
            sys.stdout.write(text)
            sys.stdout.flush()
        return
    with replacing(file) as beside:
        beside.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


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


@contextmanager
def replacing(target: str) -> Iterator[Path]:
    """Give a path beside the target; what is written there takes the target's place if all goes well."""
    path = Path(target)
    if path.exists() and not path.is_file():
        if path.is_dir():
            raise SourceError(f"{target!r} is a folder; name a file to write to.")
        yield path
        return
    beside = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        yield beside
        beside.replace(path)
    except OSError as problem:
        raise SourceError(f"{target!r} cannot be written: {problem.strerror}.") from None
    finally:
        beside.unlink(missing_ok=True)


def check_not_input(target: str | None, tables: Iterable[str]) -> None:
    """Refuse to write over a file that is being read."""
    if target is None or not Path(target).exists():
        return
    for table in tables:
        if any(Path(target).samefile(file) for file in _files_of(table)):
            raise SourceError(f"{target!r} is the table itself or one of its files; name another file to write to.")


def _files_of(table: str) -> Iterator[Path]:
    """Give the files that a name stands for: one, those of a folder, or those of a pattern."""
    path = Path(table).expanduser()
    if path.is_dir():
        yield from (file for file in path.rglob("*") if file.is_file())
    elif path.exists():
        yield path
    else:
        matching = map(Path, glob.glob(str(path), recursive=True))  # noqa: PTH207 - Path.glob has no absolute patterns
        yield from (file for file in matching if file.is_file())
