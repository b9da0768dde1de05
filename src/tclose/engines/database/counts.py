"""Cubes: a table grouped in its database by some columns, and its counts fetched into DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import duckdb

from tclose.engines.base import check_rows
from tclose.engines.database.connection import Connection
from tclose.engines.database.table import DatabaseColumn, OpenedTable
from tclose.engines.duckdb.arrow_tables import Capsule, streamed
from tclose.engines.duckdb.counts import CodedTable, PairSets
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import LoadedTable, bind
from tclose.errors import SourceError

Result = TypeVar("Result")

PAIRS_AT_ONCE = 4_000_000
"""So many pairs are measured together at most, as long as classes are small."""
_ROWS_AT_ONCE = 250_000
_REPEATED_AT_ONCE = 2048
_MOST_DIGITS = 38
_WITH_NAN = ("DOUBLE", "DECIMAL")
_COUNT = "the number of rows\0"
"""The name of the column of counts; no column of a database can have it."""
_BEFORE_TIME = "-4800-01-01"
"""Before PostgreSQL's first day; its infinite dates arrive as days long before."""


def grouping_query(table: OpenedTable, columns: Sequence[DatabaseColumn]) -> str:
    """Return the one query that a cube needs, in the dialect of its database."""
    expressions = [each for column in columns for each in _grouped(table, column)]
    sent = [f"{expression} AS a{at}" for at, expression in enumerate(expressions)]
    places = ", ".join(str(at + 1) for at in range(len(sent)))
    grouped = f" GROUP BY {places}" if places else ""
    counted = "*" if table.person is None else f"DISTINCT {table.dialect.cell(table.column(table.person))}"
    listing = ", ".join([*sent, f"count({counted}) AS tclose_rows"])
    return f"SELECT {listing} FROM {table.relation}{grouped}"  # noqa: S608 - quoted, or the person's own query


def nested_query(table: OpenedTable, columns: Sequence[DatabaseColumn], outer: int) -> str:
    """Return the one query that gives two cubes: by all columns, and by so many of the first ones alone.

    Rows of the second have 1 in the last column. To sort the people once for both is less work than twice.
    """
    expressions = [each for column in columns for each in _grouped(table, column)]
    sent = [f"{expression} AS a{at}" for at, expression in enumerate(expressions)]
    names = [f"a{at}" for at in range(len(sent))]
    fewer = names[: sum(len(column.sent) for column in columns[:outer])]
    person = table.dialect.cell(table.column(str(table.person)))
    sets = f"GROUPING SETS (({', '.join(names)}), ({', '.join(fewer)}))"
    listing = ", ".join([*names, "count(DISTINCT p) AS tclose_rows", f"grouping({names[-1]}) AS tclose_outer"])
    rows = f"SELECT {', '.join(sent)}, {person} AS p FROM {table.relation}"  # noqa: S608 - quoted, or the person's own
    return f"SELECT {listing} FROM ({rows}) AS tclose_people GROUP BY {sets}"  # noqa: S608


def _grouped(table: OpenedTable, column: DatabaseColumn) -> Sequence[str]:
    """Return what is grouped by; whose number is missing in two ways, null and NaN, is counted once."""
    if table.person is not None and column.type in _WITH_NAN and len(column.sent) == 1:
        return (table.dialect.cell(column),)
    return column.sent


def fetched_cube(
    local: duckdb.DuckDBPyConnection, connection: Connection, table: OpenedTable, columns: Sequence[DatabaseColumn]
) -> LoadedTable:
    """Group a table in its database and fetch the groups with their numbers of rows.

    Parameters
    ----------
    local
        The DuckDB connection that keeps the cube.
    connection
        The connection to the database.
    table
        The table.
    columns
        What to group by.
    """
    raw, pairs = _copied(local, connection, grouping_query(table, columns), table.label)
    check_rows(pairs, table.label)
    return _cube(local, raw, table, columns)


def fetched_cubes(
    local: duckdb.DuckDBPyConnection,
    connection: Connection,
    table: OpenedTable,
    columns: Sequence[DatabaseColumn],
    outer: int,
) -> list[LoadedTable]:
    """Return two cubes of people by one query: by all columns, and by so many of the first ones alone."""
    raw, pairs = _copied(local, connection, nested_query(table, columns, outer), table.label)
    check_rows(pairs, table.label)
    found = []
    for mark, some in enumerate((columns, columns[:outer])):
        part = fresh_name("cube")
        with translated(table.label, connection=local):
            local.execute(f"CREATE TEMP VIEW {part} AS FROM {raw} WHERE tclose_outer = {mark}")
        found.append(_cube(local, part, table, some))
    return found


def _cube(
    local: duckdb.DuckDBPyConnection, raw: str, table: OpenedTable, columns: Sequence[DatabaseColumn]
) -> LoadedTable:
    """Return the cube of what was fetched."""
    values, place = [], 0
    for at, column in enumerate(columns):
        arrived = [f"a{place + more}" for more in range(len(column.sent))]
        values.append(f"{_value(local, raw, column, arrived, table.label)} AS c{at}")
        place += len(arrived)
    listing = ", ".join([*values, "CAST(tclose_rows AS BIGINT) AS n"])
    names = [*(column.name for column in columns), _COUNT]
    bound = bind(local, f"(SELECT {listing} FROM {raw})", names, table.label)  # noqa: S608 - our own names
    *kept, weight = bound.columns
    exposed = tuple(replace(mine, categories=column.categories) for mine, column in zip(kept, columns, strict=True))
    cube = replace(bound, columns=exposed, weight=weight.alias, notes=table.notes)
    _check_times(cube)
    with translated(table.label, connection=local):
        ((cube.rows,),) = local.execute(f"SELECT {cube.tally} FROM {cube.name}").fetchall()  # noqa: S608
    check_rows(cube.rows, table.label)
    return cube


def _copied(local: duckdb.DuckDBPyConnection, connection: Connection, query: str, label: str) -> tuple[str, int]:
    """Copy what a query gives into DuckDB, where it can spill; return the copy's name and its number of rows."""
    name, rows = fresh_name("cube"), 0
    schema, batches = connection.batches(query)
    _insert(local, name, [], schema, label, new=True)
    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        rows += batch.length
        if sum(each.length for each in waiting) >= _ROWS_AT_ONCE:
            _insert(local, name, waiting, schema, label)
            waiting = []
    _insert(local, name, waiting, schema, label)
    return name, rows


def _insert(
    local: duckdb.DuckDBPyConnection, name: str, batches: list[Any], schema: Any, label: str, *, new: bool = False
) -> None:
    given = fresh_name("batches")
    with translated(label, connection=local):
        local.register(given, Capsule(streamed(batches, schema), schema))
        local.execute(f"CREATE TEMP TABLE {name} AS FROM {given}" if new else f"INSERT INTO {name} FROM {given}")
        local.unregister(given)


def _value(
    local: duckdb.DuckDBPyConnection, raw: str, column: DatabaseColumn, arrived: Sequence[str], label: str
) -> str:
    """Return the SQL that makes the value of a column from what was fetched."""
    value = column.value.format(*arrived)
    if column.type != "DECIMAL":
        return value
    with translated(label, connection=local):
        ((odd, before, after),) = local.execute(
            "SELECT coalesce(bool_or(NOT regexp_full_match(c, '-?[0-9]+([.][0-9]+)?')), false), "  # noqa: S608
            "coalesce(max(length(ltrim(split_part(c, '.', 1), '-0'))), 0), "
            "coalesce(max(length(rtrim(split_part(c, '.', 2), '0'))), 0) "
            f"FROM (SELECT {value} AS c FROM {raw}) WHERE c IS NOT NULL"
        ).fetchall()
    if odd or before + after > _MOST_DIGITS:
        what = "an infinite number" if odd else "numbers of more than 38 digits"
        raise SourceError(f"The column {column.name!r} of {label} cannot be used: it has {what}. Select it as text.")
    return f"CAST({value} AS DECIMAL({_MOST_DIGITS},{after}))"


def _check_times(cube: LoadedTable) -> None:
    """Refuse dates without end, which no calendar here has."""
    times = [column for column in cube.columns if column.type.startswith(("DATE", "TIMESTAMP"))]
    for column in times:
        with translated(cube.label, connection=cube.connection):
            ((infinite,),) = cube.connection.execute(
                f"SELECT count(*) FROM {cube.name} WHERE {column.alias} < DATE '{_BEFORE_TIME[1:]} (BC)' "  # noqa: S608
                f"OR NOT isfinite({column.alias})"
            ).fetchall()
        if infinite:
            raise SourceError(
                f"The column {column.name!r} of {cube.label} cannot be used: it has infinite dates. "
                "Select other values for them in a query."
            )


def narrowed(cube: LoadedTable, names: Sequence[str]) -> LoadedTable:
    """Return a cube with just these columns, under aliases in their order."""
    view = fresh_name("narrowed")
    columns = tuple(replace(cube.column(name), alias=f"c{at}") for at, name in enumerate(names))
    listing = ", ".join(f"{cube.column(name).alias} AS c{at}" for at, name in enumerate(names))
    listing = f"{listing}, " if listing else ""
    with translated(cube.label, connection=cube.connection):
        cube.connection.execute(
            f"CREATE TEMP VIEW {view} AS SELECT {listing}{cube.weight} AS n FROM {cube.name}"  # noqa: S608 - aliases
        )
    return replace(cube, name=view, columns=columns, weight="n")


def expanded(cube: LoadedTable) -> LoadedTable:
    """Return the rows that a cube stands for, each as often as it is in the source."""
    view = fresh_name("expanded")
    aliases = ", ".join(column.alias for column in cube.columns)
    begun = f"SELECT *, unnest(range(0, {cube.weight}, {_REPEATED_AT_ONCE})) AS begun FROM {cube.name}"  # noqa: S608
    repeated = f"SELECT *, unnest(range(least({_REPEATED_AT_ONCE}, {cube.weight} - begun))) FROM ({begun})"  # noqa: S608
    with translated(cube.label, connection=cube.connection):
        cube.connection.execute(f"CREATE TEMP VIEW {view} AS SELECT {aliases} FROM ({repeated})")  # noqa: S608
    return replace(cube, name=view, weight=None)


class CubeCounts(PairSets):
    """Counts of classes and values that a database grouped: one set of whole classes after the other."""

    def __init__(self, coded_table: CodedTable, pairs: int) -> None:
        super().__init__(coded_table, 1 + pairs // PAIRS_AT_ONCE)
