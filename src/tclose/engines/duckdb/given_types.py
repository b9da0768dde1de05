"""The types that the columns of a caller's frame had, given back to those that a release publishes as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any  # frames come from packages that tclose does not depend on

import duckdb

from tclose.engines.duckdb.sql import literal
from tclose.engines.duckdb.table import Column
from tclose.engines.optional import imported

_MOST_CATEGORIES = 10_000
"""A column with more different values is text where it leaves, though it was made of categories."""
_CATEGORIES = ("CategoricalDtype", "DictionaryType", "Enum", "Categorical")
_DURATIONS = ("Duration", "DurationType")


def given_types(frame: Any) -> list[Any]:
    """Return the types of a frame's columns as its own package has them; none where it has no such types."""
    package = type(frame).__module__.partition(".")[0]
    if package == "pandas":
        return list(frame.dtypes)
    if package == "polars":
        return list(frame.collect_schema().values())
    return list(frame.schema.types) if package == "pyarrow" else []


def with_categories(connection: duckdb.DuckDBPyConnection, column: Column, rows: str) -> str:
    """Return the SQL of a column as it leaves in Arrow: one of categories with the list of those that are published.

    The others may be values of rows that were left out, or of people who are not in the table at all.

    Parameters
    ----------
    connection
        Where the rows are.
    column
        A published column.
    rows
        A query in which every published value occurs.
    """
    if _kind(column) not in _CATEGORIES or column.type != "VARCHAR":
        return column.published
    distinct = f"SELECT DISTINCT {column.alias} AS v FROM ({rows}) WHERE v IS NOT NULL LIMIT {_MOST_CATEGORIES + 1}"  # noqa: S608
    found = {str(value) for (value,) in connection.execute(distinct).fetchall()}
    declared = [str(each) for each in _declared(column.given)]
    listed = [each for each in declared if each in found] if found <= {*declared} else sorted(found)
    if not listed or len(listed) > _MOST_CATEGORIES:
        return column.published
    return f"CAST({column.alias} AS ENUM({', '.join(map(literal, listed))}))"


def _kind(column: Column) -> str:
    return type(column.given).__name__


def is_duration(column: Column) -> bool:
    """Say whether a column of intervals has durations, which no month is part of."""
    return column.type == "INTERVAL" and (_kind(column) in _DURATIONS or getattr(column.given, "kind", "") == "m")


def _declared(given: Any) -> Sequence[Any]:
    """Return the categories that a type lists; none where the rows say which there are."""
    return tuple(given.categories) if type(given).__name__ in ("CategoricalDtype", "Enum") else ()


def as_pandas(series: Any, column: Column) -> Any:
    """Return a series in the type that the column had, or as it is where that would change a value."""
    dtype = column.given
    if dtype is None or type(dtype).__module__.partition(".")[0] not in ("pandas", "numpy"):
        return series.astype("category") if _kind(column) in _CATEGORIES else series
    if series.dtype == dtype:
        return series
    try:
        made = _objects(series, column) if dtype.name == "object" else series.astype(dtype)
    except (TypeError, ValueError):
        return series
    if made.isna().sum() != series.isna().sum():
        return series
    return made.cat.remove_unused_categories() if _kind(column) in _CATEGORIES else made


def _objects(series: Any, column: Column) -> Any:
    """Return days and texts as objects of Python; of other objects the types of NumPy are better."""
    if column.type == "DATE":
        series = series.dt.date
    elif column.type != "VARCHAR":
        return series
    return series.astype(object).where(series.notna(), None)


def as_arrow(table: Any, columns: Sequence[Column]) -> Any:
    """Return a table of pyarrow with columns in the types that they had, where these are of pyarrow too."""
    arrow = imported("pyarrow", "This view of the release")
    for at, column in enumerate(columns):
        made = table.column(at)
        if is_duration(column):
            made = made.cast(arrow.duration("us"))
        given = column.given if isinstance(column.given, arrow.DataType) else made.type
        if made.type != given:
            made = _cast(arrow, made, given, column.categories)
        table = table.set_column(at, table.field(at).with_type(made.type), made)
    return table


def _cast(arrow: Any, cells: Any, given: Any, order: Sequence[str] | None) -> Any:
    if arrow.types.is_null(given):
        return arrow.chunked_array([arrow.nulls(len(cells))]) if cells.null_count == len(cells) else cells
    if not arrow.types.is_dictionary(given):
        return cells.cast(given)
    held = {value for value in cells.unique().to_pylist() if value is not None}
    values = [value for value in order if value in held] if order else sorted(held)
    listed = arrow.array(values, given.value_type)
    chunks = [
        arrow.DictionaryArray.from_arrays(
            arrow.compute.index_in(chunk.cast(given.value_type), listed).cast(given.index_type),
            listed,
            ordered=given.ordered,
        )
        for chunk in cells.chunks
    ]
    return arrow.chunked_array(chunks, given)


def as_polars(frame: Any, columns: Sequence[Column]) -> Any:
    """Return a frame of polars with columns in the types that they had, where these are of polars too."""
    polars = imported("polars", "This view of the release")
    casts = []
    for name, column in zip(frame.columns, columns, strict=True):
        cells = polars.col(name)
        if is_duration(column):
            cells = cells.cast(polars.Duration("us"))
        if _kind(column) == "Enum":
            held = {*frame[name].cast(polars.String)}
            cells = cells.cast(polars.String).cast(
                polars.Enum([each for each in column.given.categories if each in held])
            )
        elif isinstance(column.given, polars.DataType):
            cells = cells.cast(column.given)
        casts.append(cells)
    return frame.with_columns(casts)
