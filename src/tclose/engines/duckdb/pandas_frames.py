"""pandas frames: registered as they are, with columns of Python objects typed by all their values."""

from __future__ import annotations

import contextlib
import importlib
import re
from dataclasses import dataclass, replace
from typing import Any  # pandas is the caller's, never a dependency

import duckdb

from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import LoadedTable, bind, check_names, check_rows
from tclose.engines.duckdb.values import MIXED, typed_values

_DIRECT = re.compile(
    r"u?int\d+|U?Int\d+|float\d+|Float\d+|bool|boolean|str|string|category|(datetime64|timedelta64).*|.*\[pyarrow\]"
)
_STORAGE = {"int64": "Int64", "float64": "Float64", "bool": "boolean", "string": "string"}


@dataclass(frozen=True)
class _Shown:
    """A series as DuckDB can take it, and what has to be said about it."""

    series: Any
    cast: str | None = None
    order: tuple[str, ...] | None = None
    problem: str | None = None


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
    return replace(
        table,
        rows=len(frame),
        columns=tuple(
            replace(
                column,
                categories=columns[column.alias].order,
                problem=columns[column.alias].problem or column.problem,
            )
            for column in table.columns
        ),
    )


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
    if not _DIRECT.fullmatch(kind):
        nothing = series.astype("object").map(lambda _: None).astype("string")
        return _Shown(nothing, problem=f"tclose does not understand its type {kind!r}. Make it text or numbers.")
    return _Shown(None)


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
    return _Shown(converted, cast=typed.type, problem=typed.problem)
