"""Columns held by frames and by Python itself, in each of the types that these have for them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from values.cells import Cells, Clock, Moment, Span, cell, cells_of_arrow, midnights, sorts
from values.columns import Column
from values.files import Format, Table, arrow_table
from values.physical import physical

_WIDTHS = ("int64", "int32", "uint64", "int16", "int8", "uint8")


def _own(column: Column) -> tuple[Cells, ...]:
    """The cells as drawn; a day among moments is its midnight."""
    found = tuple(cell(value) for value in column.values)
    return (midnights(found) if sorts(found) == {"day", "moment"} else found,)


def _python(value: object) -> object:
    """Return a value of Python, or of NumPy where Python's is not fine enough."""
    if isinstance(value, Moment):
        return value.python if value.offset is not None or value.ns % 1000 == 0 else np.datetime64(value.ns, "ns")
    if isinstance(value, Span):
        return value.python if value.ns % 1000 == 0 else np.timedelta64(value.ns, "ns")
    return value.python if isinstance(value, Clock) else value


def _put_columns(folder: Path, table: Table) -> dict[str, list[object]]:
    return {name: [_python(value) for value in column.values] for name, column in table.items()}


def _put_rows(folder: Path, table: Table) -> list[dict[str, object]]:
    columns = _put_columns(folder, table)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _put_objects(folder: Path, table: Table) -> pd.DataFrame:
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in _put_columns(folder, table).items()})


# pandas with NumPy's types.


def _numpy(column: Column) -> Any:
    """Return a series of one of NumPy's types, or None where none holds the column as it is."""
    values: list[Any] = list(column.values)
    present = [value for value in values if value is not None]
    kinds = {type(value) for value in present}
    if kinds == {int} and len(present) == len(values):
        fitting = [w for w in _WIDTHS if all(np.iinfo(w).min <= v <= np.iinfo(w).max for v in values)]
        return pd.Series(np.array(values, dtype=fitting[column.choice % len(fitting)])) if fitting else None
    if kinds == {bool} and len(present) == len(values):
        return pd.Series(np.array(values, dtype=bool))
    if len(kinds) == 1 and issubclass(next(iter(kinds)), float | np.floating):
        dtype = next(iter(kinds)) if kinds != {float} else np.float64
        return pd.Series(np.array([np.nan if value is None else value for value in values], dtype=dtype))
    if kinds == {str}:
        return pd.Series(values, dtype=("str", "category", "string")[column.choice % 3])
    return _numpy_times(values, kinds, column.choice)


def _numpy_times(values: list[Any], kinds: set[type], choice: int) -> Any:
    if kinds not in ({Moment}, {Span}):
        return None
    whole = np.array([np.iinfo(np.int64).min if value is None else value.ns for value in values])
    if kinds == {Span}:
        return pd.Series(whole.view("timedelta64[ns]"))
    series = pd.Series(whole.view("datetime64[ns]"))
    if next(value for value in values if value is not None).offset is None:
        return series
    return series.dt.tz_localize("UTC").dt.tz_convert(("UTC", "America/New_York", "Europe/Berlin")[choice % 3])


def _held_if(make: Any, column: Column) -> tuple[Cells, ...] | None:
    return None if make(column) is None else _own(column)


def _frame_of(make: Any, folder: Path, table: Table) -> pd.DataFrame:
    return pd.DataFrame({name: make(column) for name, column in table.items()})


def _nullable(column: Column) -> Any:
    """Return a series of one of pandas' own types."""
    values: list[Any] = list(column.values)
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int}:
        present = [value for value in values if value is not None]
        fitting = [w for w in _WIDTHS if all(np.iinfo(w).min <= v <= np.iinfo(w).max for v in present)]
        return pd.Series(_whole(values, fitting[column.choice % len(fitting)])) if fitting else None
    if kinds == {float} or kinds == {np.float32}:
        name = "Float64" if kinds == {float} else "Float32"
        values = [None if value is None or np.isnan(value) else value for value in values]
    else:
        name = {bool: "boolean", str: "string"}.get(next(iter(kinds))) if len(kinds) == 1 else None
    return pd.Series(pd.array(values, dtype=name)) if name else None


def _whole(values: list[Any], width: str) -> Any:
    """Return whole numbers as pandas keeps them; it would itself make floats of some in between."""
    numbers = np.array([0 if value is None else value for value in values], dtype=width)
    return pd.arrays.IntegerArray(numbers, np.array([value is None for value in values]))


# Arrow in memory, and what is built on it.


def _held_arrow(column: Column, *, turn: int) -> tuple[Cells, ...] | None:
    found = physical(column, turn)
    return None if found is None else (cells_of_arrow(found),)


def _put_arrow(folder: Path, table: Table) -> pa.Table:
    return arrow_table(table, 2)


def _put_arrow_pandas(folder: Path, table: Table) -> pd.DataFrame:
    return arrow_table(table, 3).to_pandas(types_mapper=pd.ArrowDtype)


_NOT_IN_POLARS = (pa.types.is_decimal256, pa.types.is_date64)


def _polars(column: Column) -> pl.Series | None:
    """Return a series of polars; whole numbers in 128 bits too."""
    kinds = {type(value) for value in column.values if value is not None}
    if kinds == {int} and column.choice % 4 == 0 and all(v is None or abs(v) < 2**127 for v in column.values):
        return pl.Series(list(column.values), dtype=pl.Int128)
    found = physical(column, 4)
    if found is None or any(is_kind(found.type) for is_kind in _NOT_IN_POLARS):
        return None
    return pl.Series(pl.from_arrow(found))


def _held_polars(column: Column) -> tuple[Cells, ...] | None:
    series = _polars(column)
    if series is None:
        return None
    return _own(column) if series.dtype == pl.Int128 else (cells_of_arrow(physical(column, 4)),)


def _put_polars(folder: Path, table: Table) -> pl.DataFrame:
    return pl.DataFrame({name: _polars(column) for name, column in table.items()})


FRAMES = (
    Format("columns of Python", _own, _put_columns),
    Format("rows of Python", _own, _put_rows),
    Format("pandas, objects", _own, _put_objects),
    Format("pandas, NumPy", partial(_held_if, _numpy), partial(_frame_of, _numpy)),
    Format("pandas, nullable", partial(_held_if, _nullable), partial(_frame_of, _nullable)),
    Format("pandas, Arrow", partial(_held_arrow, turn=3), _put_arrow_pandas),
    Format("arrow", partial(_held_arrow, turn=2), _put_arrow),
    Format("polars", _held_polars, _put_polars),
)
