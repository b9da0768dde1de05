"""Numbers of DuckDB rounded: columns whose cells are never read but rounded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import duckdb

from tclose.engines.duckdb.exposing import plain_decimal
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable, keep_view
from tclose.engines.rounding import (
    FLOAT_PLACES,
    LARGEST_FLOAT,
    MOST_DIGITS,
    is_idle,
    nearest,
    no_numbers,
    plain,
    rounded_type,
    scale_of,
    too_large,
)


def rounding(table: LoadedTable, steps: Mapping[str, Fraction]) -> LoadedTable:
    """Return a table whose columns are rounded as soon as they are kept, when their types are known."""
    keep, gather = table.keeper or keep_view, table.gatherer

    def keeper(given: LoadedTable, kept: tuple[Column, ...]) -> LoadedTable:
        return _rounded(keep(given, kept), steps)

    def gatherer(given: LoadedTable, kept: tuple[Column, ...]) -> LoadedTable | None:
        found = None if gather is None else gather(given, kept)
        return None if found is None else _rounded(found, steps)

    return replace(table, keeper=keeper, gatherer=gatherer)


def _rounded(table: LoadedTable, steps: Mapping[str, Fraction]) -> LoadedTable:
    """Return a view of a table with its numbers rounded; refuse a number that cannot be."""
    columns, values = [], []
    for column in table.columns:
        if column.name not in steps:
            columns.append(column)
            values.append(column.alias)
            continue
        step = steps[column.name]
        kind = rounded_type(column.type, step)
        if kind is None:
            raise no_numbers(column.name, table.label, column.type)
        value = rounded_sql(column.alias, column.type, step)
        _check(table.connection, table.name, table.label, column, value)
        values.append(f"{value} AS {column.alias}")
        columns.append(column if kind == column.type else replace(column, type=kind, given=None))
    name = fresh_name("rounded")
    listing = ", ".join([*values, *([] if table.weight is None else [table.weight])])
    with translated(table.label, connection=table.connection):
        table.connection.execute(f"CREATE TEMP VIEW {name} AS SELECT {listing} FROM {table.name}")  # noqa: S608 - aliases
    return replace(table, columns=tuple(columns), name=name, gatherer=None)


def _check(connection: duckdb.DuckDBPyConnection, source: str, label: str, column: Column, value: str) -> None:
    with translated(label, connection=connection):
        ((lost,),) = connection.execute(
            f"SELECT count(*) FROM {source} WHERE {column.alias} IS NOT NULL AND {value} IS NULL"  # noqa: S608
        ).fetchall()
    if lost:
        raise too_large(column.name, label, lost)


def rounded_sql(value: str, kind: str, step: Fraction) -> str:
    """Return the SQL of a rounded number in the type that it gets; null for one that has no place in it."""
    made = rounded_type(kind, step)
    if is_idle(kind, step):
        return f"CAST({value} AS {made})"
    if kind == "DOUBLE":
        between = f"DECIMAL({MOST_DIGITS},{FLOAT_PLACES})"
        enough = f"-?[0-9]+([.][0-9]{{1,{FLOAT_PLACES}}})?"
        digits = f"regexp_extract({plain_decimal(f'CAST({value} AS VARCHAR)')}, '{enough}')"
        exact = nearest(f"TRY_CAST({digits} AS {between})", f"CAST('{plain(step)}' AS {between})")
        text = f"CASE WHEN abs({value}) < {LARGEST_FLOAT} THEN CAST(TRY({exact}) AS VARCHAR) END"
        return f"TRY_CAST({text} AS DOUBLE)"
    scale = scale_of(str(made))
    between = "HUGEINT" if scale is None else f"DECIMAL({MOST_DIGITS},{scale[1]})"
    exact = nearest(f"TRY_CAST({value} AS {between})", f"CAST('{plain(step)}' AS {between})")
    return f"TRY_CAST(TRY({exact}) AS {made})"
