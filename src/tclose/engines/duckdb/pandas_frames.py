"""pandas frames: registered as they are, with columns of Python objects typed by all their values."""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib
import re
from dataclasses import dataclass, replace
from typing import Any  # pandas is the caller's, never a dependency

import duckdb

from tclose.engines.duckdb.exposing import zone_called
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.problems import MIXED, TOO_FINE, unread
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable, bind, check_names, check_rows
from tclose.engines.duckdb.values import shortest, typed_values

_DIRECT = re.compile(
    r"u?int\d+|U?Int\d+|float\d+|Float\d+|bool|boolean|str|string|category|(datetime64|timedelta64).*|.*\[pyarrow\]"
)
_NARROW = re.compile(r"halffloat|decimal256")
_DURATION = re.compile(r"timedelta64|duration")
_ZONED = re.compile(r"timestamp\[\w+, tz=(.+)\]\[pyarrow\]")
_STORAGE = {"int64": "Int64", "float64": "Float64", "bool": "boolean", "string": "string"}


@dataclass(frozen=True)
class _Shown:
    """A series as DuckDB can take it, and what has to be said about it."""

    series: Any
    cast: str | None = None
    order: tuple[str, ...] | None = None
    problem: str | None = None
    zone: dt.tzinfo | None = None

    def of(self, column: Column) -> Column:
        """Return a column that was bound with what has to be said about it."""
        said = replace(column, categories=self.order, problem=self.problem or column.problem)
        return said.moved(self.zone) if self.zone is not None else said


def load_pandas(connection: duckdb.DuckDBPyConnection, frame: Any, label: str) -> LoadedTable:
    """Bind a pandas frame; its index is no part of the table."""
    names = [str(name) for name in frame.columns]
    check_names(names, label)
    check_rows(len(frame), label)
    shown = frame.copy(deep=False)
    shown.columns = [f"c{at}" for at in range(len(names))]
    columns = {alias: _shown(shown[alias]) for alias in shown.columns}
    for alias, column in columns.items():
        if column.series is not None:
            shown[alias] = column.series
    registered = fresh_name("frame")
    with translated(label, connection=connection):
        connection.register(registered, shown)
    casts = {alias: column.cast for alias, column in columns.items() if column.cast}
    table = bind(connection, registered, names, label, casts)
    said = tuple(columns[column.alias].of(column) for column in table.columns)
    return replace(table, rows=len(frame), columns=said)


def _shown(series: Any) -> _Shown:
    """Return a series as DuckDB can take it; ``series`` is None where it can as it is."""
    kind = series.dtype.name
    if kind == "category":
        return _categorical(series)
    if kind == "object":
        return _typed(series)
    if kind.startswith("Sparse"):
        return _Shown(series.sparse.to_dense())
    if kind.startswith(("period", "interval")):
        return _Shown(series.astype("object").map(str, na_action="ignore").astype("string"))
    if kind == "float16":
        return _Shown(type(series)(shortest(series.to_numpy()), index=series.index, dtype="float64"))
    if _NARROW.match(kind) or not _DIRECT.fullmatch(kind):
        return _Shown(_nothing(series), problem=unread(kind))
    if _DURATION.match(kind) and bool(series.dt.nanoseconds.any()):
        return _Shown(_nothing(series), problem=TOO_FINE)
    if zone := getattr(series.dtype, "tz", None):
        return _Shown(series.dt.tz_convert("UTC").dt.tz_localize(None), zone=zone)
    if declared := _ZONED.fullmatch(kind):
        return _Shown(None, zone=zone_called(declared[1]))
    return _Shown(series.copy() if _is_backwards(series.array) else None)


def _is_backwards(array: Any) -> bool:
    """Say whether an array is a view from the last row to the first, which DuckDB does not take."""
    parts = (getattr(array, name, None) for name in ("_ndarray", "_data", "_mask"))
    return any(stride < 0 for part in parts for stride in getattr(part, "strides", ()))


def _nothing(series: Any) -> Any:
    return series.astype("object").map(lambda _: None).astype("string")


def _categorical(series: Any) -> _Shown:
    categories = list(series.cat.categories)
    order = tuple(str(category) for category in categories) if series.cat.ordered else None
    if all(isinstance(category, str) for category in categories):
        return _Shown(None, order=order)
    if series.cat.categories.dtype.kind in "iufbM":
        return replace(_typed(series.astype("object")), order=order)
    if len({str(category) for category in categories}) < len(categories):
        return _Shown(series.astype("object").map(str, na_action="ignore").astype("string"), problem=MIXED)
    return _Shown(series.cat.rename_categories([str(category) for category in categories]), order=order)


def _typed(series: Any) -> _Shown:
    """Type a series of Python objects by all its values, not by a sample as DuckDB would."""
    if importlib.import_module("pandas").api.types.infer_dtype(series, skipna=True) == "string":
        with contextlib.suppress(UnicodeEncodeError):
            return _Shown(series.astype("string"))
    typed = typed_values(series.tolist())
    converted = type(series)(typed.values, index=series.index, dtype=_STORAGE[typed.storage])
    return _Shown(converted, cast=typed.type, problem=typed.problem, zone=typed.zone)
