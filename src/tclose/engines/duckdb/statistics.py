"""Figures of every column of a table, in one scan and as few more as the exact ones need; never a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tclose.engines.duckdb.connection import connect, disconnect
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.load import load
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable, check_rows
from tclose.sources import ReadOptions, locate

EXACT_CELLS = 100_000_000
"""Columns with many values are counted exactly, the cheapest first, up to so many cells together."""
FEW_VALUES = 50_000
"""Columns with fewer values are always counted exactly; of others an estimate takes about so many values."""
_COLUMNS_A_SCAN = 100
_ROWS_A_QUERY = 1_000_000
"""Columns are counted together in one query as long as they have no more rows together."""
_TEXT = ("VARCHAR", "CHAR", "TEXT", "STRING")

Progress = Callable[[str, float | None], None]


@dataclass(frozen=True)
class ColumnStatistics:
    """What was counted of a column.

    Parameters
    ----------
    name, type
        The column and the engine's type of it.
    rows, nulls, distinct
        How many rows, missing values and different values there are; a missing value is not a value.
    same_pairs
        How many pairs of rows the column does not separate, missing values counting as one value.
    exact
        Whether ``distinct`` and ``same_pairs`` are counts rather than estimates.
    emails
        The share of values that look like e-mail addresses.
    problem
        Why the column could not be counted; None for one that was.
    """

    name: str
    type: str
    rows: int
    nulls: int = 0
    distinct: int = 0
    same_pairs: Fraction = Fraction(0)
    exact: bool = True
    emails: float = 0.0
    problem: str | None = None


@dataclass(frozen=True)
class TableStatistics:
    """What was counted of a table."""

    label: str
    rows: int
    columns: tuple[ColumnStatistics, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Scanned:
    column: Column
    nulls: int
    near_distinct: int
    emails: float


def table_statistics(
    table: object,
    *,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Progress | None = None,
) -> TableStatistics:
    """Count every column of a table.

    Parameters
    ----------
    table
        Anything that :func:`tclose.audit` takes.
    read, memory, threads, temp
        How to read files, and what the engine may use.
    progress
        Called with a stage and a share done.
    """
    progress = progress or (lambda _stage, _share: None)
    connection = connect(memory=memory, threads=threads, temp=temp)
    try:
        opened = load(connection, locate(table, options=read))
        usable = [column.name for column in opened.columns if column.problem is None]
        progress("Reading rows", None)
        kept = opened.keep(usable)
        rows, scanned = _scan(kept, progress)
        check_rows(rows, kept.label)
        found = {entry.name: entry for entry in _counted(kept, rows, scanned, progress)}
        unusable = {
            c.name: ColumnStatistics(c.name, c.type, rows, problem=c.problem) for c in opened.columns if c.problem
        }
        columns = tuple({**found, **unusable}[column.name] for column in opened.columns)
        return TableStatistics(kept.label, rows, columns, kept.notes)
    finally:
        disconnect(connection)


def column_names(table: object, *, read: ReadOptions | None = None) -> tuple[str, ...]:
    """Return the names of the columns of a table, looking no further than they need."""
    connection = connect()
    try:
        return tuple(column.name for column in load(connection, locate(table, options=read)).columns)
    finally:
        disconnect(connection)


def _scan(table: LoadedTable, progress: Progress) -> tuple[int, list[_Scanned]]:
    """Count rows, nulls and about how many different values each column has."""
    rows, scanned = 0, []
    for start in range(0, max(1, len(table.columns)), _COLUMNS_A_SCAN):
        progress("Scanning columns", start / max(1, len(table.columns)))
        some = table.columns[start : start + _COLUMNS_A_SCAN]
        asked = ["count(*)"]
        for column in some:
            alike = f"count(*) FILTER ({column.alias} LIKE '%_@_%._%')" if column.type in _TEXT else "0"
            asked += [f"count({column.alias})", f"approx_count_distinct({column.alias})", alike]
        (rows, *figures), *_ = _rows(table, f"SELECT {', '.join(asked)} FROM {table.name}")  # noqa: S608 - aliases
        for at, column in enumerate(some):
            present, near, emails = figures[3 * at : 3 * at + 3]
            scanned.append(_Scanned(column, rows - present, min(near, present), emails / max(1, present)))
    return rows, scanned


def _counted(
    table: LoadedTable, rows: int, scanned: Sequence[_Scanned], progress: Progress
) -> Iterator[ColumnStatistics]:
    """Count values exactly while the allowance lasts, the cheapest columns first; then estimate."""
    left = EXACT_CELLS
    shares = []
    ascending = sorted(scanned, key=lambda each: each.near_distinct)
    for entry in ascending:
        one_in = max(1, entry.near_distinct // FEW_VALUES)
        cost = rows * (1 + 9 * entry.near_distinct // max(1, rows))
        if one_in > 1 and cost <= left:
            one_in, left = 1, left - cost
        shares.append(one_in)
    together = max(1, min(_COLUMNS_A_SCAN, _ROWS_A_QUERY // max(1, rows)))
    for start in range(0, len(ascending), together):
        progress("Counting values", start / len(ascending))
        some = list(zip(ascending, shares, strict=True))[start : start + together]
        for (entry, one_in), (distinct, same) in zip(some, _values(table, some), strict=True):
            column, pairs = entry.column, same + entry.nulls * (entry.nulls - 1)
            yield ColumnStatistics(
                column.name, column.type, rows, entry.nulls, distinct, pairs / 2, one_in == 1, entry.emails
            )


def _values(table: LoadedTable, some: Sequence[tuple[_Scanned, int]]) -> list[tuple[int, Fraction]]:
    """Return for each column how many values there are, and how many ordered pairs of rows share one.

    An estimate counts all rows of one in so many values, chosen by their hash: it depends on the values
    alone, not on the order of rows or the number of threads.
    """
    name = table.name if len(some) == 1 else _narrow(table, [entry.column for entry, _ in some])
    queries = []
    for at, (entry, one_in) in enumerate(some):
        alias = entry.column.alias
        chosen = f"{alias} IS NOT NULL" + (f" AND hash({alias}) % {one_in} = 0" if one_in > 1 else "")
        queries.append(
            f"SELECT {at} AS place, count(*), coalesce(sum(n * (n - 1)), 0)::VARCHAR FROM "  # noqa: S608 - aliases
            f"(SELECT count(*)::HUGEINT AS n FROM {name} WHERE {chosen} GROUP BY {alias})"
        )
    found = _rows(table, " UNION ALL ".join(queries) + " ORDER BY place")
    if len(some) > 1:
        _rows(table, f"DROP TABLE {name}")
    return [
        (values if one_in == 1 else entry.near_distinct, Fraction(same) * one_in)
        for (entry, one_in), (_, values, same) in zip(some, found, strict=True)
    ]


def _narrow(table: LoadedTable, columns: Sequence[Column]) -> str:
    """Copy some columns, because every query of a table with thousands of columns looks at all of them first."""
    name = fresh_name("narrow")
    aliases = ", ".join(column.alias for column in columns)
    _rows(table, f"CREATE TEMP TABLE {name} AS SELECT {aliases} FROM {table.name}")  # noqa: S608 - our own names
    return name


def _rows(table: LoadedTable, query: str) -> list[tuple[int, ...]]:
    with translated(table.label, connection=table.connection):
        return table.connection.execute(query).fetchall()
