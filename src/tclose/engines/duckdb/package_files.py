"""Workbooks, statistics packages' files and Arrow files, through the packages of the extra ``files``."""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

import duckdb

from tclose.data.labels import naming
from tclose.data.sources import FileSource, ReadOptions
from tclose.data.sources.csv_format import unnamed_columns
from tclose.data.sources.text_files import Allowance
from tclose.data.values.texts import same_text
from tclose.engines.duckdb.arrow_tables import load_values
from tclose.engines.duckdb.connection import allowed_memory, private_folder
from tclose.engines.duckdb.errors import MERGED, NO_DAYS, UNCOMPUTED, UNSURE_DAYS
from tclose.engines.duckdb.frames import load_arrow
from tclose.engines.duckdb.package_reader import answer_of
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import LoadedTable, check_names
from tclose.errors import (
    Ask,
    EmptyTableError,
    EngineFailedError,
    EngineNotInstalledError,
    Hint,
    Note,
    SourceError,
    listed,
    meant,
)

# Readers that may crash, hang or take all memory run apart: in a process with limits, whose answers lie in a file.


LEAST_MEMORY = 2**30
"""Bytes that a reader is given at least: its own code takes some hundred million of addresses."""
SECONDS = 900
"""How long a reader may work."""
_FRUGAL = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
"""What keeps packages from taking addresses that they do not use."""


class DamagedError(Exception):
    """The reader says that the file is not what it should be."""


def needed(module: str, package: str, purpose: str) -> None:
    """Refuse to go on without a package of the extra ``files``."""
    if importlib.util.find_spec(module) is None:
        raise EngineNotInstalledError(purpose, package, "files")


def answers(connection: duckdb.DuckDBPyConnection, name: str, **request: Any) -> Iterator[list[Any]]:
    """Give what a reader in a process of its own says of a file.

    Parameters
    ----------
    connection
        Whose memory bounds the reader's, and whose private folder takes its answers.
    name
        How messages name the file.
    request
        What :mod:`~tclose.engines.duckdb.package_reader` is asked for.

    Raises
    ------
    DamagedError
        If the reader refuses the file.
    SourceError
        If it crashed, took more memory or more time than it may.
    """
    memory = max(LEAST_MEMORY, allowed_memory(connection))
    path = private_folder(connection) / fresh_name("answers")
    try:
        code = _run({**request, "answers": str(path), "memory": memory, "seconds": SECONDS}, name)
        yield from _read(path, name, code, memory)
    finally:
        path.unlink(missing_ok=True)


def _run(request: dict[str, Any], name: str) -> int:
    """Run the reader to its end, or to the end of its time, and return its exit code."""
    paths = os.pathsep.join(path for path in sys.path if path)
    surroundings = {**os.environ, **_FRUGAL, "PYTHONPATH": paths}
    command = [sys.executable, "-P", "-X", "utf8", "-m", "tclose.engines.duckdb.package_reader"]
    nowhere = subprocess.DEVNULL
    try:
        process = subprocess.Popen(  # noqa: S603 - our own
            command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, env=surroundings
        )
    except OSError as problem:
        raise EngineFailedError(f"No process can be started to read {name}: {problem.strerror}.") from None
    try:
        return _waited(process, request)
    except subprocess.TimeoutExpired:
        raise SourceError(
            f"{name} cannot be read: its reader did not end within {request['seconds']} seconds. "
            "The file is damaged or too large; save the table as CSV or Parquet."
        ) from None
    finally:
        process.kill()
        process.communicate()


def _waited(process: subprocess.Popen[bytes], request: dict[str, Any]) -> int:
    """Ask the reader, and wait until it ends; while standard input is open, it knows that it is wanted."""
    with contextlib.suppress(BrokenPipeError):  # it ended before it was asked
        if process.stdin is not None:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
    return process.wait(request["seconds"])


def _read(path: Path, name: str, code: int, memory: int) -> Iterator[list[Any]]:
    ended = False
    if code == 0 and path.exists():
        with path.open(encoding="ascii") as lines:
            for line in lines:
                answer = answer_of(line)
                if answer == ["damaged"]:
                    raise DamagedError
                ended = answer == ["end"]
                if not ended:
                    yield answer
    if not ended:
        raise SourceError(
            f"{name} cannot be read: its reader crashed, or needed more than the {memory // 2**20:,} MiB that it may "
            "take. The file is damaged, or has cells very far apart; save the table as CSV or Parquet, or allow more "
            "memory."
        )


_STATISTICS_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
    ".dta": "read_dta",
}
_NEEDS_NO_NUMPY = 18
"""From this version on pyarrow starts without NumPy, which takes longer to load than pyarrow itself."""
_READER_OF_FORMAT = {"spss": "read_sav", "sas": "read_sas7bdat", "stata": "read_dta"}


def load_package_file(connection: duckdb.DuckDBPyConnection, source: FileSource) -> LoadedTable:
    """Copy a file that DuckDB cannot open by itself."""
    if len(source.paths) > 1:
        count = len(source.paths)
        raise SourceError(f"{source.label} is {count} files of format {source.format}; give one at a time.")
    path, name = source.paths[0], source.name_of(source.paths[0])
    if source.format == "arrow":
        return load_arrow(connection, _arrow_table(connection, path, name, source.options), source.label)
    if source.format == "excel":
        sheet = _workbook(connection, path, name, source.options)
        table = load_values(connection, sheet.columns, source.label, mixed_as_text=True)
        marked = tuple(
            replace(column, problem=sheet.problems.get(at, column.problem)) for at, column in enumerate(table.columns)
        )
        return replace(table, columns=marked, notes=sheet.notes + table.notes)
    columns, labels, notes = _statistics(connection, path, name, source)
    found = load_values(connection, columns, source.label)
    meant = tuple(replace(column, labels=labels.get(column.name, {})) for column in found.columns)
    return replace(found, columns=meant, notes=notes + found.notes)


def _arrow_table(connection: duckdb.DuckDBPyConnection, path: Path, name: str, options: ReadOptions) -> Any:
    """Return the table of an Arrow file, which DuckDB trusts to be whole: of a copy that its reader has checked."""
    needed("pyarrow", "pyarrow", "Reading Arrow and Feather files")
    folder = private_folder(connection)
    copy = folder / fresh_name("arrow")
    allowance = Allowance(name, options.most_unpacked, folder)
    spared = ["numpy"] if int(version("pyarrow").partition(".")[0]) >= _NEEDS_NO_NUMPY else []
    asked = {"path": str(path), "copy": str(copy), "room": allowance.most, "without": spared}
    try:
        ((_, taken),) = answers(connection, name, package="pyarrow", **asked)
    except DamagedError:
        raise _damaged(name, "Arrow") from None
    allowance.check(taken)
    pyarrow = importlib.import_module("pyarrow")
    return pyarrow.ipc.open_stream(pyarrow.memory_map(str(copy))).read_all()


@dataclass(frozen=True)
class _Sheet:
    """The columns of a sheet, what was assumed while reading it, and why columns cannot be used, by their places."""

    columns: dict[str, list[object]]
    notes: tuple[Note, ...]
    problems: dict[int, str]


def _workbook(connection: duckdb.DuckDBPyConnection, path: Path, name: str, options: ReadOptions) -> _Sheet:
    needed("python_calamine", "python-calamine", "Reading workbooks")
    asked = {"path": str(path), "sheet": options.sheet, "header": options.header}
    try:
        reading = answers(connection, name, package="python_calamine", **asked)
        _, sheets, shown = next(reading)
        sheet = _sheet(sheets, shown, options.sheet, name)
        answered = list(reading)
    except (DamagedError, StopIteration):
        raise _damaged(name, "Excel or OpenDocument") from None
    rows = [[_cell(value, options.null) for value in row] for kind, row in answered if kind == "row"]
    rows = [row for row in rows if any(value is not None for value in row)]
    which = naming("The sheet {} of {}", repr(sheet), name)
    if not rows:
        raise EmptyTableError(f"{which} is empty.", field="sheet", hint=_other_sheets(shown, sheet))
    notes: tuple[Note, ...] = ()
    if options.sheet is None and len(shown) > 1:
        notes = (
            Note(
                "first-sheet",
                naming("The sheet {} of {} was read, the first of {} shown.", repr(sheet), name, str(len(shown))),
                Hint("Read another with {}.", Ask("sheet")),
            ),
        )
    if options.header is False:
        names = [f"column_{at + 1}" for at in range(len(rows[0]))]
    else:
        names, unnamed = _titles(rows.pop(0), which, guessed=options.header is None)
        notes += unnamed
    if not rows:
        raise EmptyTableError(f"{which} has no rows below its first.", field="sheet", hint=_other_sheets(shown, sheet))
    marks = {kind: places for kind, places in answered if kind != "row"}
    notes += tuple(_errors_read(count, names[at]) for at, count in marks["errors"])
    spoiled = {"merged": MERGED, "uncomputed": UNCOMPUTED, "no days": NO_DAYS, "unsure days": UNSURE_DAYS}
    problems = {at: problem for kind, problem in spoiled.items() for at in marks[kind]}
    columns = [_whole_where_possible([row[at] for row in rows]) for at in range(len(names))]
    for at in marks["days of 1904"]:
        columns[at] = [_first_of_1904(value) for value in columns[at]]
    return _Sheet(dict(zip(names, columns, strict=True)), notes, problems)


def _other_sheets(shown: Sequence[str], sheet: str) -> Hint | None:
    others = [name for name in shown if name != sheet]
    return Hint("The workbook also has {}; name one: {}.", listed(others), Ask("sheet")) if others else None


def _errors_read(count: int, column: str) -> Note:
    cells = "1 cell" if count == 1 else f"{count:,} cells"
    text = f"{cells} of {column!r} held an error such as #N/A, read as missing."
    return Note("error-cells-missing", text, column=column)


def _first_of_1904(value: object) -> object:
    """Return a time as one of the first day of a workbook whose days are counted from it, and other values as they are.

    Examples
    --------
    >>> _first_of_1904(dt.time(0)), _first_of_1904(dt.time(12))
    (datetime.date(1904, 1, 1), datetime.datetime(1904, 1, 1, 12, 0))
    """
    day = dt.date(1904, 1, 1)
    return value if not isinstance(value, dt.time) else dt.datetime.combine(day, value) if value != dt.time() else day


def _sheet(sheets: Sequence[str], shown: Sequence[str], wanted: str | int | None, name: str) -> str:
    if not sheets:
        raise EmptyTableError(f"{name} has no sheets.")
    if wanted is None:
        return shown[0]
    if isinstance(wanted, int) and 1 <= wanted <= len(sheets):
        return sheets[wanted - 1]
    if wanted in sheets:
        return str(wanted)
    hint = meant(wanted, sheets) or Hint("It has {}.", listed(sheets))
    raise SourceError(naming("{} has no sheet {}.", name, repr(wanted)), field="sheet", hint=hint)


def _cell(value: object, null_text: Sequence[str]) -> object:
    """Return a cell with empty ones as None."""
    return None if value is None or (isinstance(value, str) and (not value or value in null_text)) else value


def _titles(first: Sequence[object], what: str, *, guessed: bool) -> tuple[list[str], tuple[Note, ...]]:
    names = [f"column_{at}" if title is None else same_text(title) for at, title in enumerate(first, start=1)]
    unnamed = [name for name, title in zip(names, first, strict=True) if title is None]
    check_names(names, what[:1].lower() + what[1:], guessed=guessed)
    return names, (unnamed_columns(what, unnamed),) if unnamed else ()


def _statistics(
    connection: duckdb.DuckDBPyConnection, path: Path, name: str, source: FileSource
) -> tuple[dict[str, list[object]], dict[str, dict[float, str]], tuple[Note, ...]]:
    """Return the columns of a file, what their codes mean, and what was assumed."""
    needed("pyreadstat", "pyreadstat", "Reading SPSS, SAS and Stata files")
    reader = _STATISTICS_READERS.get(path.suffix.lower(), _READER_OF_FORMAT[source.format])
    columns: dict[str, list[object]] = {}
    labels: dict[str, dict[float, str]] = {}
    notes: tuple[Note, ...] = ()
    try:
        for kind, column, values in answers(connection, name, package="pyreadstat", path=str(path), reader=reader):
            if kind == "labels":
                labels[column] = dict(values)
            elif kind == "missing":
                notes += _kinds_of_missing(column, *values)
            else:
                columns.setdefault(column, []).extend(values)
    except DamagedError:
        raise _damaged(name, source.format.upper()) from None
    nulls = _declared_nulls(source.options)
    plain = {
        column: _whole_where_possible(
            [None if isinstance(value, str) and value in nulls else value for value in values]
        )
        for column, values in columns.items()
    }
    return plain, labels, notes


def _kinds_of_missing(column: str, kinds: int, count: int) -> tuple[Note, ...]:
    """Return the note that cells are missing in several ways, of which the table keeps one."""
    if kinds < 2:
        return ()
    text = (
        f"{count:,} cells of {column!r} are missing in {kinds} ways in the file, read as one. Someone who can tell "
        "them apart may find smaller classes."
    )
    return (Note("kinds-of-missing", text, column=column),)


def _declared_nulls(options: ReadOptions) -> tuple[str, ...]:
    """Return the texts that are missing values because somebody said so; in these files a blank text is a value."""
    return () if options.null == ReadOptions().null else options.null


def _whole_where_possible(values: Sequence[object]) -> list[object]:
    """Return codes as the whole numbers they are; these files keep every number as a real."""
    plain = list(values)
    numbers = [value for value in plain if isinstance(value, float) and math.isfinite(value)]
    if all(number.is_integer() for number in numbers):
        whole = {number: int(Decimal(repr(number))) for number in numbers}
        return [whole.get(value, value) if isinstance(value, float) else value for value in plain]
    return list(plain)


def _damaged(name: str, kind: str) -> SourceError:
    return SourceError(f"{name} is not a whole {kind} file: it is damaged, protected or of another format.")
