"""Tables written to files: the ending says the format."""

from __future__ import annotations

import errno
import importlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Literal

import duckdb

from tclose.data.targets import StreamTarget, Target, refused_by_system, target_at
from tclose.engines.duckdb.connection import private_folder
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.package_writing import ValueLabels, write_package_file
from tclose.engines.duckdb.sql import fresh_name, literal, quoted
from tclose.engines.errors import imported
from tclose.errors import HeadroomError, InputError

_BARE = frozenset(" _-.()/%")
"""Characters that a name in the header of a text table may have, beside letters and digits, without quotes."""

_BYTES_AT_ONCE = 1 << 20
_LITTLE_ROOM = 1 << 25
"""A disk with fewer free bytes than this is full."""


@dataclass(frozen=True)
class Form:
    """A file format, as the ending of a file name says it."""

    ending: str
    kind: Literal["csv", "json", "parquet", "arrow", "excel", "spss", "stata"]
    options: str = ""
    delimiter: str = ""

    @property
    def by_lines(self) -> bool:
        """Whether a row is a line, or a few in quotes, that can be written again as it stands."""
        return self.kind == "csv" and not self.options


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
    Form(".xlsx", "excel"),
    Form(".sav", "spss"),
    Form(".dta", "stata"),
)
_PACKAGES = {
    "arrow": (("pyarrow",), "Writing Arrow and Feather files"),
    "spss": (("pyreadstat", "pandas"), "Writing SPSS files"),
    "stata": (("pyreadstat", "pandas"), "Writing Stata files"),
}
"""The packages that a format is written by."""


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
    packages, purpose = _PACKAGES.get(found.kind, ((), ""))
    for package in packages:
        imported(package, purpose)
    return found


def target(path: str | Path) -> Target:
    """Return the file or stream that a table is written to; a stream whose ending says nothing gets CSV."""
    found = target_at(path)
    try:
        ending = check_ending(path).ending
    except InputError:
        if not isinstance(found, StreamTarget):
            raise
        ending = ".csv"
    return replace(found, ending=ending)


def copy_query(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    names: Sequence[str],
    path: Path,
    label: str,
    labels: Mapping[str, ValueLabels] | None = None,
) -> None:
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
    labels
        What the codes of columns mean, for files of statistics packages.
    """
    form = check_ending(path)
    aliases = [f"c{at}" for at in range(len(names))]
    if form.kind in ("excel", "spss", "stata"):
        with _room_for(path, label), translated(label, connection=connection):
            write_package_file(connection, query, names, path, form.kind, label, labels or {})
        return
    if form.kind == "csv":
        query, options = _csv_query(query, names), _csv_options(form, names)
    else:
        shown = ", ".join(f"{alias} AS {quoted(name)}" for alias, name in zip(aliases, names, strict=True))
        query, options = f"SELECT {shown} FROM ({query})", f"FORMAT {form.kind}{form.options}"  # noqa: S608 - quoted
    with _room_for(path, label), translated(label, connection=connection), _within_the_limit(path, label):
        if form.kind == "arrow":
            with refused_by_system(label):
                _write_arrow(connection.sql(query), path)
        else:
            connection.execute(f"COPY ({query}) TO {literal(str(path))} ({options}, USE_TMP_FILE false)")


def copy_repeated(
    connection: duckdb.DuckDBPyConnection, query: str, names: Sequence[str], path: Path, label: str
) -> None:
    """Write what a query gives to a text file, each row as often as its first column says.

    Rows are written once to a private file, behind their numbers, and repeated from there as they stand.

    Parameters
    ----------
    connection
        Where the query runs.
    query
        A query whose columns are ``n``, ``c0``, ``c1`` and so on.
    names
        The names of ``c0``, ``c1`` and so on in the file; at least two.
    path
        The file; its ending says the format, which is of lines.
    label
        What is written, for messages.
    """
    form = check_ending(path)
    once = private_folder(connection) / f"{fresh_name('once')}{form.ending}"
    try:
        with translated(label, connection=connection), _within_the_limit(once, label):
            connection.execute(f"COPY ({query}) TO {literal(str(once))} ({_csv_options(form, ['1', *names])})")
        allowed = (refused_by_system(label), _room_for(path, label), _within_the_limit(path, label))
        with allowed[0], allowed[1], allowed[2], once.open("rb") as lines, path.open("wb") as file:
            for record in _records(lines):
                number, _, row = record.partition(form.delimiter.encode())
                _write_often(file, row, int(number))
    finally:
        once.unlink(missing_ok=True)


def _records(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Give the rows of a text table; one whose quotes are open at the end of a line goes on in the next."""
    begun = b""
    for line in lines:
        begun += line
        if begun.count(b'"') % 2 == 0:
            yield begun
            begun = b""


def _write_often(file: IO[bytes], row: bytes, number: int) -> None:
    """Write a row so many times, about a megabyte at once."""
    at_once = max(1, _BYTES_AT_ONCE // len(row))
    whole, rest = divmod(number, at_once)
    block = row * min(at_once, number)
    for _ in range(whole):
        file.write(block)
    file.write(block[: rest * len(row)])


@contextmanager
def _room_for(path: Path, label: str) -> Iterator[None]:
    """Say that it is the disk of the file that is full, where it is."""
    try:
        yield
    except (HeadroomError, OSError) as problem:
        full = getattr(problem, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
        if not full and (isinstance(problem, OSError) or shutil.disk_usage(path.parent).free > _LITTLE_ROOM):
            raise
        raise InputError(
            f"The disk has no room left for {label}, which is to be written there; write to another disk."
        ) from None


@contextmanager
def _within_the_limit(path: Path, label: str) -> Iterator[None]:
    """Say that files may not grow so large, where that is why DuckDB could not write this one."""
    try:
        yield
    except (duckdb.IOException, OSError) as problem:
        named = os.strerror(errno.EFBIG) in str(problem) and path.name in str(problem)
        if not named and getattr(problem, "errno", None) != errno.EFBIG:
            raise
    else:
        return
    raise InputError(
        f"{label[:1].upper()}{label[1:]} cannot be written: it would be larger than the system lets a file be. "
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
