"""Figures of every column of a table in a database, counted there; never a value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from tclose.engines.base import Progress, check_rows
from tclose.engines.database.connection import Connection
from tclose.engines.database.table import DatabaseColumn, OpenedTable
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

_COLUMNS_A_SCAN = 100


def table_statistics(connection: Connection, opened: OpenedTable, progress: Progress) -> TableStatistics:
    """Count every column of a table, each by a grouping of its own.

    Parameters
    ----------
    connection
        The connection to its database.
    opened
        The table.
    progress
        Called with a stage and a share done.
    """
    columns = opened.settled(opened.columns)
    rows, scanned = _scanned(connection, opened, columns)
    check_rows(rows, opened.label)
    found = tuple(_counted(connection, opened, columns, rows, scanned, progress))
    return TableStatistics(opened.label, rows, found, opened.notes)


@dataclass(frozen=True)
class _Scanned:
    """How many cells of a column are present, look like addresses and sentences; the least and greatest whole one."""

    present: int
    emails: int
    sentences: int
    ends: tuple[int | None, int | None]


def _scanned(
    connection: Connection, table: OpenedTable, columns: tuple[DatabaseColumn, ...]
) -> tuple[int, dict[str, _Scanned]]:
    """Return the number of rows, and what one look at each column shows."""
    usable = [column for column in columns if column.problem is None]
    found: dict[str, _Scanned] = {}
    rows = 0
    for start in range(0, max(1, len(usable)), _COLUMNS_A_SCAN):
        some = usable[start : start + _COLUMNS_A_SCAN]
        asked = ["count(*) AS a"]
        for at, column in enumerate(some):
            asked += _looks(column, table.dialect.cell(column), at)
        ((rows, *figures),) = connection.rows(f"SELECT {', '.join(asked)} FROM {table.relation}")  # noqa: S608 - quoted
        for at, column in enumerate(some):
            present, emails, sentences, *ends = figures[5 * at : 5 * at + 5]
            low, high = (None if end is None else int(end) for end in ends)
            found[column.name] = _Scanned(int(present), int(emails), int(sentences), (low, high))
    return int(rows), found


def _looks(column: DatabaseColumn, value: str, at: int) -> list[str]:
    """Return what is asked of a column."""
    texts = (
        [f"coalesce(sum(CASE WHEN {like(value, patterns)} THEN 1 ELSE 0 END), 0)" for patterns in (EMAILS, SENTENCES)]
        if is_text(column.type)
        else ["0", "0"]
    )
    ends = [f"{end}({value})" if is_whole(column.type) else "NULL" for end in ("min", "max")]
    asked = [f"count({value})", *texts, *(f"CAST({end} AS VARCHAR(80))" for end in ends)]
    return [f"{look} AS l{at}_{place}" for place, look in enumerate(asked)]


def _counted(
    connection: Connection,
    table: OpenedTable,
    columns: tuple[DatabaseColumn, ...],
    rows: int,
    scanned: dict[str, _Scanned],
    progress: Progress,
) -> Iterator[ColumnStatistics]:
    for done, column in enumerate(columns):
        progress("Counting values", done / len(columns))
        if column.problem is not None:
            yield ColumnStatistics(column.name, column.type, rows, problem=column.problem)
            continue
        seen = scanned[column.name]
        value = table.dialect.cell(column)
        ((distinct, same),) = connection.rows(
            "SELECT count(*) AS d, CAST(coalesce(sum(CAST(n AS DECIMAL(38,0)) * (n - 1)), 0) AS VARCHAR(80)) AS s FROM "  # noqa: S608
            f"(SELECT {value} AS v, count(*) AS n FROM {table.relation} GROUP BY 1) AS g WHERE v IS NOT NULL"
        )
        nulls = rows - seen.present
        pairs = (Fraction(same) + nulls * (nulls - 1)) / 2
        yield ColumnStatistics(
            column.name, column.type, rows, nulls, int(distinct), pairs,
            emails=seen.emails / max(1, seen.present), sentences=seen.sentences / max(1, seen.present),
            numbering=is_numbering(*seen.ends, int(distinct)),
        )  # fmt: skip


def some_texts(connection: Connection, table: OpenedTable, name: str, share: int) -> list[str]:
    """Return different values of a column as text, one in so many, evenly spread over their order.

    Parameters
    ----------
    connection
        The connection to its database.
    table, name
        The table, and the column.
    share
        One in how many.
    """
    kept = table.keep([name])
    values = f"SELECT DISTINCT {kept.dialect.cell(kept.column(name))} AS v FROM {kept.relation}"  # noqa: S608 - quoted
    query = f"SELECT v FROM ({values}) AS d WHERE v IS NOT NULL"  # noqa: S608 - our own words
    if share > 1:
        ranked = f"SELECT v, row_number() OVER (ORDER BY v) AS r FROM ({values}) AS d WHERE v IS NOT NULL"  # noqa: S608
        query = f"SELECT v FROM ({ranked}) AS w WHERE r - {share} * CAST(floor(r / {share}.0) AS BIGINT) = 0"  # noqa: S608
    return sorted(str(text) for (text,) in connection.rows(query))
