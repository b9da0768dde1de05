"""Figures of every column of a table, in one scan and as few more as the exact ones need; never a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tclose.engines.base import Progress
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable, check_rows
from tclose.engines.duckdb.wide_tables import is_wide, wide_statistics
from tclose.engines.statistics import (
    EMAILS,
    SENTENCES,
    ColumnStatistics,
    TableStatistics,
    is_numbering,
    is_text,
    is_whole,
    like,
)

EXACT_CELLS = 100_000_000
"""Columns with many values are counted exactly, the cheapest first, up to so many cells together."""
FEW_VALUES = 50_000
"""Columns with fewer values are always counted exactly; of others an estimate takes about so many values."""
_COLUMNS_A_SCAN = 100
_TEXTS_AT_ONCE = 200
_FEW_ROWS = 50_000
"""Of a table with up to so many rows, the texts of many columns are looked at by one query."""
_ROWS_A_QUERY = 1_000_000
"""Columns are counted together in one query as long as they have no more rows together."""


@dataclass(frozen=True)
class _Scanned:
    column: Column
    nulls: int
    near_distinct: int
    emails: float
    sentences: float
    ends: tuple[int | None, int | None]


def table_statistics(opened: LoadedTable, progress: Progress) -> TableStatistics:
    """Count every column of a table.

    Parameters
    ----------
    opened
        The table.
    progress
        Called with a stage and a share done.
    """
    progress("Reading rows", None)
    found = opened.counter(opened, progress) if opened.counter else None
    return found or _read(opened, progress)


def _read(opened: LoadedTable, progress: Progress) -> TableStatistics:
    """Count every column of a table whose rows are read for it."""
    kept = opened.keep([column.name for column in opened.columns if column.problem is None])
    ((rows,),) = _rows(kept, f"SELECT count(*) FROM {kept.name}")  # noqa: S608 - our own name
    check_rows(rows, kept.label)
    wide = is_wide(kept.columns, rows)
    counted = (
        wide_statistics(kept, rows, progress) if wide else _counted(kept, rows, _scan(kept, rows, progress), progress)
    )
    found = {entry.name: entry for entry in counted}
    unusable = {c.name: ColumnStatistics(c.name, c.type, rows, problem=c.problem) for c in opened.columns if c.problem}
    every = {**found, **unusable}
    columns = tuple(every[column.name] for column in opened.columns)
    return TableStatistics(kept.label, rows, columns, kept.notes, kept)


def _scan(table: LoadedTable, rows: int, progress: Progress) -> list[_Scanned]:
    """Count nulls and about how many different values each column has."""
    scanned = []
    for start in range(0, max(1, len(table.columns)), _COLUMNS_A_SCAN):
        progress("Scanning columns", start / max(1, len(table.columns)))
        some = table.columns[start : start + _COLUMNS_A_SCAN]
        asked = []
        for column in some:
            asked += [f"count({column.alias})", f"approx_count_distinct({column.alias})", *_looks(column)]
        (figures,) = _rows(table, f"SELECT {', '.join(asked)} FROM {table.name}")  # noqa: S608 - aliases
        for at, column in enumerate(some):
            present, near, emails, sentences, low, high = figures[6 * at : 6 * at + 6]
            shares = emails / max(1, present), sentences / max(1, present)
            scanned.append(_Scanned(column, rows - present, min(near, present), *shares, (low, high)))
    return scanned


def _looks(column: Column) -> tuple[str, str, str, str]:
    """Return what to ask of a column: how many values look like addresses and sentences, and the least and greatest."""
    alias = column.alias
    texts, ends = ("0", "0"), ("NULL", "NULL")
    if is_text(column.type):
        texts = f"count(*) FILTER ({like(alias, EMAILS)})", f"count(*) FILTER ({like(alias, SENTENCES)})"
    if is_whole(column.type):
        ends = f"min({alias})", f"max({alias})"
    return *texts, *ends


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
                column.name, column.type, rows, entry.nulls, distinct, pairs / 2, one_in == 1, entry.emails,
                entry.sentences, is_numbering(*entry.ends, distinct),
            )  # fmt: skip


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


def some_texts(table: LoadedTable, shares: Mapping[str, int]) -> dict[str, list[str]]:
    """Return different values of the columns of a table as text, of each about one in so many.

    Values are chosen by their hash, so that neither the order of rows nor the number of threads matters.
    """
    found: dict[str, list[str]] = {}
    together = _TEXTS_AT_ONCE if table.rows is not None and table.rows <= _FEW_ROWS else 1
    for start in range(0, len(table.columns), together):
        some = table.columns[start : start + together]
        texts = ", ".join(f"CAST({column.alias} AS VARCHAR)" for column in some)
        kept = ", ".join(str(shares[column.name]) for column in some)
        query = (
            f"SELECT DISTINCT place, cell FROM (SELECT unnest([{texts}]) AS cell, unnest(range({len(some)})) AS place, "  # noqa: S608 - aliases
            f"unnest([{kept}]) AS share FROM {table.name}) WHERE cell IS NOT NULL AND hash(cell) % share = 0"
        )
        if len(some) == 1:
            query = (
                f"SELECT DISTINCT 0, {texts} FROM {table.name} WHERE {some[0].alias} IS NOT NULL "  # noqa: S608 - aliases
                f"AND hash({some[0].alias}) % {kept} = 0"
            )
        found |= {column.name: [] for column in some}
        with translated(table.label, connection=table.connection):
            for place, text in table.connection.execute(query).fetchall():
                found[some[place].name].append(text)
    return {name: sorted(texts) for name, texts in found.items()}


def _rows(table: LoadedTable, query: str) -> list[tuple[int, ...]]:
    with translated(table.label, connection=table.connection):
        return table.connection.execute(query).fetchall()
