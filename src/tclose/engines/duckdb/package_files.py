"""Workbooks, statistics packages' files and Arrow files, through the packages of the extra ``files``."""

from __future__ import annotations

import datetime as dt
import importlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any  # the packages of the extra have no types

import duckdb

from tclose.engines.duckdb.apart import DamagedError, answers, needed
from tclose.engines.duckdb.connection import private_folder
from tclose.engines.duckdb.frames import load_arrow
from tclose.engines.duckdb.problems import MERGED, NO_DAYS, UNCOMPUTED, UNSURE_DAYS
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import LoadedTable, check_names
from tclose.engines.duckdb.values import load_values
from tclose.errors import Ask, EmptyTableError, Hint, SourceError, listed, meant
from tclose.labels import naming
from tclose.notes import Note
from tclose.sources import FileSource, ReadOptions
from tclose.sources.csv_format import unnamed_columns
from tclose.sources.text import Allowance
from tclose.values.texts import same_text

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
