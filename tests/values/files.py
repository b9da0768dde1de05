"""Columns written as files by the programs that usually write them, and what each file then holds."""

from __future__ import annotations

import csv
import datetime as dt
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from values.cells import EPOCH, Cells, Clock, Moment, Span, cell, cells_of_arrow, midnights, read_letters, sorts
from values.columns import ROWS, Column
from values.physical import physical, physicals

Table = Mapping[str, Column]


@dataclass(frozen=True)
class Format:
    """A way in: which cells a column has there, None where it cannot be there at all, and how tables are put there.

    ``held`` may give several readings of a column, where the documentation leaves it open.
    """

    name: str
    held: Callable[[Column], tuple[Cells, ...] | None]
    put: Callable[[Path, Table], object]


def letters(value: object, choice: int) -> str | None:
    """Return a value as people and programs write it; ``choice`` picks among usual spellings."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower() if choice % 2 else str(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, float | np.floating):
        return str(value)
    if isinstance(value, Moment):
        return _moment_letters(value, choice)
    if isinstance(value, Clock):
        return value.python.isoformat()
    if isinstance(value, Span):
        return f"{value.ns / 10**9:.9f} s"
    return str(value)


def _moment_letters(value: Moment, choice: int) -> str:
    mark = " " if choice % 2 else "T"
    own = choice % 3 == 0
    text = (value if own or value.offset is None else Moment(value.ns, 0)).python.isoformat(mark)
    fine = value.ns % 1000
    if fine:
        text = f"{text if '.' in text else text + '.000000'}{fine:03d}"
    return text if own or value.offset is None else text.replace("+00:00", "Z")


def _letters(column: Column) -> list[str | None]:
    return [letters(value, column.choice) for value in column.values]


# Text tables.


def _held_letters(column: Column, *, commas: bool) -> tuple[Cells, ...]:
    return (read_letters(_letters(column), commas=commas),)


def _put_csv(folder: Path, table: Table, *, ending: str, delimiter: str) -> Path:
    path = folder / f"table{ending}"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(table)
        writer.writerows(zip(*(_letters(column) for column in table.values()), strict=True))
    return path


# JSON.


def _held_json(column: Column) -> tuple[Cells, ...] | None:
    """A string is its letters; days and moments that are all written in the same way may be what they say."""
    found = tuple(cell(value if _in_json(value) else letters(value, column.choice)) for value in column.values)
    if sorts(found) != {"text"}:
        return (found,)
    texts = [None if each is None else each[1] for each in found]
    read = () if "" in texts else read_letters(texts, commas=False)
    different = dict(zip(texts, read, strict=False))
    alike = sorts(read) & {"day", "moment"} and len(set(read)) == len(different)
    ordered = alike and sorted(filter(None, texts)) == sorted(filter(None, texts), key=lambda text: different[text])
    return (read, found) if ordered else (found,)


def _in_json(value: object) -> bool:
    return value is None or isinstance(value, bool | int | Decimal | float | np.floating)


def _json_text(value: object, choice: int) -> str:
    if value is None or (isinstance(value, float | np.floating) and np.isnan(value)):
        return "null"
    if isinstance(value, Decimal) and choice % 3 == 0:
        return f"{value:e}"
    if isinstance(value, float | np.floating) and np.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if _in_json(value):
        return letters(value, 1) or ""
    return json.dumps(letters(value, choice), ensure_ascii=choice % 2 == 0)


def _put_json(folder: Path, table: Table, *, ending: str) -> Path:
    path = folder / f"table{ending}"
    texts = [[_json_text(value, column.choice) for value in column.values] for column in table.values()]
    names = [json.dumps(name) for name in table]
    rows = ["{" + ", ".join(map(": ".join, zip(names, row, strict=True))) + "}" for row in zip(*texts, strict=True)]
    path.write_text("[" + ",\n".join(rows) + "]" if ending == ".json" else "\n".join(rows), encoding="utf-8")
    return path


# Parquet and Arrow.


def _held_arrow(column: Column, *, turn: int) -> tuple[Cells, ...] | None:
    found = physical(column, turn)
    return None if found is None else (cells_of_arrow(found),)


def _held_parquet(column: Column) -> tuple[Cells, ...] | None:
    """A duration is a whole number to every reader of Parquet but Arrow's."""
    found = physical(column)
    if found is None:
        return None
    own = cells_of_arrow(found)
    if not pa.types.is_duration(found.type):
        return (own,)
    return own, tuple(cell(value) for value in found.cast(pa.int64()).to_pylist())


def arrow_table(table: Table, turn: int) -> pa.Table:
    return pa.table({name: physical(column, turn) for name, column in table.items()})


def _put_parquet(folder: Path, table: Table) -> Path:
    path = folder / "table.parquet"
    pyarrow.parquet.write_table(arrow_table(table, 0), path)
    return path


def _put_feather(folder: Path, table: Table) -> Path:
    path = folder / "table.feather"
    pyarrow.feather.write_feather(arrow_table(table, 1), path)
    return path


_HALVES = (slice(0, ROWS // 2), slice(ROWS // 2, ROWS))


def _parts(column: Column) -> list[pa.Array] | None:
    """Return the halves of a column, of different types where several can hold it."""
    halves = [physicals(column, rows) for rows in _HALVES]
    if not all(halves) or pa.types.is_duration(halves[0][0].type):
        return None
    return [found[(column.choice + turn) % len(found)] for turn, found in enumerate(halves)]


def _held_parts(column: Column) -> tuple[Cells, ...] | None:
    halves = _parts(column)
    return None if halves is None else (tuple(found for half in halves for found in cells_of_arrow(half)),)


def _put_parts(folder: Path, table: Table) -> list[str]:
    paths = []
    for turn in range(len(_HALVES)):
        path = folder / f"part-{turn}.parquet"
        columns = {name: (_parts(column) or [])[turn] for name, column in table.items()}
        pyarrow.parquet.write_table(pa.table(columns), path)
        paths.append(str(path))
    return paths


# Workbooks.

_CONTROLS = frozenset(chr(code) for code in range(32)) | {"\ufffe", "\uffff"}
_FIRST_DAY = dt.date(1900, 3, 1)
_A_DAY, _EPOCH_DAY = 86_400 * 10**9, EPOCH.toordinal()
_FAILURES = frozenset(openpyxl.cell.cell.ERROR_CODES)
"""Texts that a workbook takes for a failed formula."""


def _in_workbook(value: object) -> object:
    """Return a value as openpyxl takes it, or raise ValueError where a workbook cannot hold it."""
    if isinstance(value, float) and np.isnan(value):
        return None
    if value is None or isinstance(value, bool):
        return value
    if (
        isinstance(value, str)
        and value not in _FAILURES
        and not value.startswith("=")
        and not _CONTROLS & set(value)
        and "_x" not in value
    ):
        return value if value.strip() else None  # blanks alone are nothing to the reader of workbooks
    if isinstance(value, int) and abs(value) <= 2**53:
        return value
    if isinstance(value, float) and np.isfinite(value):
        return float(f"{value:.16g}")  # so many digits are written
    if isinstance(value, dt.date) and value >= _FIRST_DAY:
        return value
    if (
        isinstance(value, Moment)
        and value.offset is None
        and value.python.date() >= _FIRST_DAY
        and not value.ns % 10**9
    ):
        return value.python
    raise ValueError


def _held_workbook(column: Column) -> tuple[Cells, ...] | None:
    """A column of several types is read as text there, as the documentation says; a day beside moments is midnight."""
    try:
        found = tuple(cell(_in_workbook(value)) for value in column.values)
    except ValueError:
        return None
    if sorts(found) == {"day", "moment"}:
        return (midnights(found),)
    if sorts(found) == {"moment"} and all(each is None or each[1] % _A_DAY == 0 for each in found):
        days = tuple(None if each is None else ("day", int(each[1] // _A_DAY) + _EPOCH_DAY) for each in found)
        return found, days  # a workbook tells a day from its midnight by how it is shown alone
    if len(sorts(found)) < 2:
        return (found,)
    texts = tuple(cell(_whole_letters(_in_workbook(value))) for value in column.values)
    return found, texts


def _whole_letters(value: object) -> str | None:
    return letters(int(value) if isinstance(value, float) and value.is_integer() else value, 0)


def _put_workbook(folder: Path, table: Table) -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(list(table))
    for row in zip(*(column.values for column in table.values()), strict=True):
        sheet.append([_in_workbook(value) for value in row])
    path = folder / "table.xlsx"
    book.save(path)
    return path


FILES = (
    Format("csv", partial(_held_letters, commas=False), partial(_put_csv, ending=".csv", delimiter=",")),
    Format("csv with semicolons", partial(_held_letters, commas=True), partial(_put_csv, ending=".csv", delimiter=";")),
    Format("tsv", partial(_held_letters, commas=True), partial(_put_csv, ending=".tsv", delimiter="\t")),
    Format("json", _held_json, partial(_put_json, ending=".json")),
    Format("json lines", _held_json, partial(_put_json, ending=".jsonl")),
    Format("parquet", _held_parquet, _put_parquet),
    Format("parquet in parts", _held_parts, _put_parts),
    Format("feather", partial(_held_arrow, turn=1), _put_feather),
    Format("workbook", _held_workbook, _put_workbook),
)
