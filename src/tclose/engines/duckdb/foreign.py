"""Workbooks, statistics packages' files and Arrow files, through the packages of the extra ``files``."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any  # the packages of the extra have no types

import duckdb

from tclose.engines.duckdb.frames import load_arrow
from tclose.engines.duckdb.table import LoadedTable, check_names
from tclose.engines.duckdb.values import load_values
from tclose.errors import EmptyTableError, EngineNotInstalledError, SourceError, closest, listed
from tclose.sources import FileSource, ReadOptions

_STATISTICS_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
    ".dta": "read_dta",
}
_READER_OF_FORMAT = {"spss": "read_sav", "sas": "read_sas7bdat", "stata": "read_dta"}


def load_foreign(connection: duckdb.DuckDBPyConnection, source: FileSource) -> LoadedTable:
    """Copy a file that DuckDB cannot open by itself."""
    if len(source.paths) > 1:
        count = len(source.paths)
        raise SourceError(f"{source.label} is {count} files of format {source.format}; give one at a time.")
    path, name = source.paths[0], source.name_of(source.paths[0])
    if source.format == "arrow":
        return load_arrow(connection, _arrow_table(path, name), source.label)
    if source.format == "excel":
        columns, notes = _workbook(path, name, source.options)
        table = load_values(connection, columns, source.label, mixed_as_text=True)
        table.notes = notes + table.notes
        return table
    return load_values(connection, _statistics(path, name, source.format), source.label)


def _package(name: str, package: str, purpose: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise EngineNotInstalledError(purpose, package, "files") from None


def _arrow_table(path: Path, name: str) -> Any:
    pyarrow = _package("pyarrow", "pyarrow", "Reading Arrow and Feather files")
    feather = importlib.import_module("pyarrow.feather")
    ipc = importlib.import_module("pyarrow.ipc")
    try:
        with path.open("rb") as file:
            is_stream = not file.read(6).startswith((b"ARROW1", b"FEA1"))
        if is_stream:
            with pyarrow.memory_map(str(path)) as mapped:
                table = ipc.open_stream(mapped).read_all()
        else:
            table = feather.read_table(path, memory_map=True)
        table.validate(full=True)  # DuckDB trusts Arrow data; a damaged file would crash the process
    except (pyarrow.ArrowException, OSError):
        raise _damaged(name, "Arrow") from None
    return table


def _workbook(path: Path, name: str, options: ReadOptions) -> tuple[dict[str, list[object]], tuple[str, ...]]:
    calamine = _package("python_calamine", "python-calamine", "Reading workbooks")
    try:
        with calamine.CalamineWorkbook.from_path(str(path)) as workbook:
            sheet = _sheet(list(workbook.sheet_names), options.sheet, name)
            cells = workbook.get_sheet_by_name(sheet).to_python(skip_empty_area=True)
    except (calamine.CalamineError, OSError):
        raise _damaged(name, "Excel or OpenDocument") from None
    rows = [[_cell(value, options.null_text) for value in row] for row in cells]
    rows = [row for row in rows if any(value is not None for value in row)]
    if not rows:
        raise EmptyTableError(f"The sheet {sheet!r} of {name} is empty.")
    if options.header is False:
        return {f"column_{at + 1}": [row[at] for row in rows] for at in range(len(rows[0]))}, ()
    names, notes = _titles(rows.pop(0), f"The sheet {sheet!r} of {name}")
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}, notes


def _sheet(sheets: Sequence[str], wanted: str | int | None, name: str) -> str:
    if not sheets:
        raise EmptyTableError(f"{name} has no sheets.")
    if wanted is None:
        return sheets[0]
    if isinstance(wanted, int) and 1 <= wanted <= len(sheets):
        return sheets[wanted - 1]
    if wanted in sheets:
        return str(wanted)
    near = closest(str(wanted), sheets)
    hint = f"Did you mean {near!r}?" if near else f"It has {listed(sheets)}."
    raise SourceError(f"{name} has no sheet {wanted!r}. {hint}")


def _cell(value: object, null_text: Sequence[str]) -> object:
    """Return a cell with empty ones as None and whole numbers, which Excel keeps as reals, as such."""
    if value is None or (isinstance(value, str) and (not value or value in null_text)):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _titles(first: Sequence[object], what: str) -> tuple[list[str], tuple[str, ...]]:
    names = [f"column_{at}" if title is None else str(title) for at, title in enumerate(first, start=1)]
    unnamed = [name for name, title in zip(names, first, strict=True) if title is None]
    check_names(names, what[:1].lower() + what[1:])
    return names, (f"{what} has a column without a name, called {listed(unnamed)} here.",) if unnamed else ()


def _statistics(path: Path, name: str, kind: str) -> Mapping[str, object]:
    pyreadstat = _package("pyreadstat", "pyreadstat", "Reading SPSS, SAS and Stata files")
    reader = getattr(pyreadstat, _STATISTICS_READERS.get(path.suffix.lower(), _READER_OF_FORMAT[kind]))
    try:
        columns, _ = reader(str(path), output_format="dict")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, ValueError):
        raise _damaged(name, kind.upper()) from None
    return {name: _whole_where_possible(values) for name, values in columns.items()}


def _whole_where_possible(values: Any) -> list[object]:
    """Return codes as the whole numbers they are; these files keep every number as a real."""
    plain = values.tolist() if hasattr(values, "tolist") else list(values)
    numbers = [value for value in plain if isinstance(value, float) and math.isfinite(value)]
    if all(number.is_integer() for number in numbers):
        whole = {number: int(number) for number in numbers}
        return [whole.get(value, value) if isinstance(value, float) else value for value in plain]
    return list(plain)


def _damaged(name: str, kind: str) -> SourceError:
    return SourceError(f"{name} is not a whole {kind} file: it is damaged, protected or of another format.")
