"""Files written whole or not at all: the ending says the format, a temporary file beside the target takes the rows."""

from __future__ import annotations

import errno
import importlib
import os
import shutil
import stat
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import duckdb

from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.sql import literal, quoted
from tclose.errors import EngineNotInstalledError, HeadroomError, InputError

_BARE = frozenset(" _-.()/%")
"""Characters that a name in the header of a text table may have, beside letters and digits, without quotes."""

_LITTLE_ROOM = 1 << 25
"""A disk with fewer free bytes than this is full."""


@dataclass(frozen=True)
class Form:
    """A file format, as the ending of a file name says it."""

    ending: str
    kind: Literal["csv", "json", "parquet", "arrow"]
    options: str = ""
    delimiter: str = ""


def _text_forms() -> Iterator[Form]:
    for packed, compression in (("", ""), (".gz", ", COMPRESSION gzip")):
        yield Form(f".csv{packed}", "csv", compression, ",")
        yield Form(f".tsv{packed}", "csv", compression, "\t")
        yield Form(f".json{packed}", "json", f", ARRAY true{compression}")
        yield Form(f".jsonl{packed}", "json", compression)
        yield Form(f".ndjson{packed}", "json", compression)


_FORMS = (
    *_text_forms(),
    Form(".parquet", "parquet"),
    Form(".feather", "arrow"),
    Form(".arrow", "arrow"),
)


def check_ending(path: str | Path) -> Form:
    """Return the format that the ending of a path stands for, or say which endings there are.

    Examples
    --------
    >>> check_ending("release.CSV.gz").ending
    '.csv.gz'
    """
    name = Path(path).name.lower()
    found = next((form for form in _FORMS if name.endswith(form.ending) and name != form.ending), None)
    if found is None:
        endings = ", ".join(form.ending for form in _FORMS)
        raise InputError(
            f"The ending of {Path(path).name!r} does not say which kind of file to write; it is one of {endings}."
        )
    if found.kind == "arrow":
        imported("pyarrow", "Writing Arrow and Feather files")
    return found


def imported(package: str, purpose: str) -> Any:
    """Return an optional package, or say how to get it."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise EngineNotInstalledError(purpose, package, "files") from None


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary file beside a target, and put it in the target's place when the block ends well.

    Only its owner can read the temporary file. It has the target's ending. After an error or an interrupt it
    is removed and the target is as it was.
    """
    form = check_ending(path)
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name[:40]}.{uuid.uuid4().hex}.tmp{form.ending}")
    try:
        with refused_by_system(path):
            mode = _created(temporary, target)
        yield temporary
        with refused_by_system(path):
            _settle(temporary)
            temporary.chmod(mode)
            temporary.replace(target)
        with suppress(OSError):  # some systems cannot settle a folder
            _settle(target.parent)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def refused_by_system(path: str | Path) -> Iterator[None]:
    """Turn a refusal of the operating system to write a file into one of ours."""
    try:
        yield
    except OSError as problem:
        raise InputError(f"{str(path)!r} cannot be written: {problem.strerror or 'the system refused'}.") from None


def _created(temporary: Path, target: Path) -> int:
    """Create an empty private file; return the permissions that the target has or would be given."""
    if target.is_dir():
        raise InputError(f"{str(target)!r} is a folder. Name the file to write.")
    os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    usual = stat.S_IMODE(temporary.stat().st_mode)
    temporary.chmod(0o600)
    return stat.S_IMODE(target.stat().st_mode) if target.exists() else usual


def _settle(path: Path) -> None:
    """Wait until what was written is on the disk."""
    descriptor = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def copy_query(connection: duckdb.DuckDBPyConnection, query: str, names: Sequence[str], path: Path, label: str) -> None:
    """Write what a query gives to a file.

    Parameters
    ----------
    connection
        Where the query runs.
    query
        A query whose columns are ``c0``, ``c1`` and so on.
    names
        The names of the columns in the file.
    path
        The file; its ending says the format.
    label
        What is written, for messages.
    """
    form = check_ending(path)
    aliases = [f"c{at}" for at in range(len(names))]
    if form.kind == "csv":
        query, options = _csv_query(query, names), _csv_options(form, names)
    else:
        shown = ", ".join(f"{alias} AS {quoted(name)}" for alias, name in zip(aliases, names, strict=True))
        query, options = f"SELECT {shown} FROM ({query})", f"FORMAT {form.kind}{form.options}"  # noqa: S608 - quoted
    with _room_for(path), translated(label, connection=connection), _within_the_limit(path), refused_by_system(path):
        if form.kind == "arrow":
            _write_arrow(connection.sql(query), path)
        else:
            connection.execute(f"COPY ({query}) TO {literal(str(path))} ({options}, USE_TMP_FILE false)")


@contextmanager
def _room_for(path: Path) -> Iterator[None]:
    """Say that it is the disk of the file that is full, where it is."""
    try:
        yield
    except HeadroomError:
        if shutil.disk_usage(path.parent).free > _LITTLE_ROOM:
            raise
        raise InputError(f"{str(path.parent)!r} has no room left for the file; write to another disk.") from None


@contextmanager
def _within_the_limit(path: Path) -> Iterator[None]:
    """Say that files may not grow so large, where that is why DuckDB could not write this one."""
    try:
        yield
    except duckdb.IOException as problem:
        if os.strerror(errno.EFBIG) not in str(problem) or path.name not in str(problem):
            raise
    else:
        return
    raise InputError(
        f"The file in {str(path.parent)!r} cannot be written: it would be larger than the system lets a file be. "
        "Raise that limit (ulimit -f), or write to another disk."
    )


def _csv_query(query: str, names: Sequence[str]) -> str:
    """Return the query for a text table; of a single column, nothing is written as quotes, not as a blank line."""
    if len(names) > 1:
        return query
    return f"SELECT coalesce(CAST(c0 AS VARCHAR), '') AS c0 FROM ({query})"  # noqa: S608 - our own names


def _csv_options(form: Form, names: Sequence[str]) -> str:
    header = form.delimiter.join(_heading(name) for name in names) + "\n"
    every = ", FORCE_QUOTE *" if len(names) == 1 else ""
    return (
        f"FORMAT csv, HEADER false, PREFIX {literal(header)}, SUFFIX {literal(chr(10))}, "
        f"DELIMITER {literal(form.delimiter)}, QUOTE '\"', ESCAPE '\"'{every}{form.options}"
    )


def _heading(name: str) -> str:
    """Return a name as a cell of the header, in quotes if it has a character that might separate cells."""
    plain = all(character.isalnum() or character in _BARE for character in name)
    return name if plain else '"' + name.replace('"', '""') + '"'


def _write_arrow(relation: duckdb.DuckDBPyRelation, path: Path) -> None:
    pyarrow = imported("pyarrow", "Writing Arrow and Feather files")
    reader = pyarrow.RecordBatchReader.from_stream(relation)
    ipc = importlib.import_module("pyarrow.ipc")
    with pyarrow.OSFile(str(path), "wb") as sink, ipc.new_file(sink, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
