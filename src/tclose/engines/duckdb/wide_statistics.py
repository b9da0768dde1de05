"""Figures of the columns of a wide table: all cells become one column, so that a query costs cells and not columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from tclose.engines.base import Progress
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.table import Column, LoadedTable, with_one_zero
from tclose.engines.statistics import EMAILS, SENTENCES, ColumnStatistics, is_numbering, is_text, is_whole, like

_MANY = 100
"""From so many columns on, planning a query for each of them takes longer than counting their cells."""
_FEW_ROWS = 50_000
"""Up to so many rows; with more, columns are counted one after the other, and some are estimated."""
_AT_ONCE = 500
_KNOWN_BY_TEXT = re.compile(r"VARCHAR|BOOLEAN|(TINY|SMALL|BIG|HUGE)INT|INTEGER|DOUBLE|DATE|TIMESTAMP|DECIMAL\(.*")
"""The types whose different values have different texts, and equal ones the same."""


def is_wide(columns: Sequence[Column], rows: int) -> bool:
    """Say whether columns are counted here: many of them, few rows, and values that their texts tell apart."""
    alike = all(_KNOWN_BY_TEXT.fullmatch(column.type) for column in columns)
    return len(columns) > _MANY and rows <= _FEW_ROWS and alike


def wide_statistics(table: LoadedTable, rows: int, progress: Progress) -> Iterator[ColumnStatistics]:
    """Count every column of a wide table.

    Parameters
    ----------
    table
        The table.
    rows
        How many rows it has.
    progress
        Called with a stage and a share done.
    """
    for start in range(0, len(table.columns), _AT_ONCE):
        progress("Counting values", start / len(table.columns))
        some = table.columns[start : start + _AT_ONCE]
        with translated(table.label, connection=table.connection):
            found = table.connection.execute(_query(table, some)).fetchall()
        for column, (_, nulls, distinct, same, emails, sentences, low, high) in zip(some, found, strict=True):
            present, text = max(1, rows - nulls), is_text(column.type)
            yield ColumnStatistics(
                column.name,
                column.type,
                rows,
                nulls,
                distinct,
                Fraction(int(same) + nulls * (nulls - 1)) / 2,
                emails=emails / present if text else 0.0,
                sentences=sentences / present if text else 0.0,
                numbering=is_whole(column.type) and is_numbering(low, high, distinct),
            )


def _query(table: LoadedTable, some: Sequence[Column]) -> str:
    """Return the SQL of a row for each column: counts of its values, and the least and the greatest whole number."""
    texts = ", ".join(f"CAST({with_one_zero(column, column.alias)} AS VARCHAR)" for column in some)
    looks = ", ".join(
        f"coalesce(sum(n) FILTER ({like('cell', patterns)}), 0)::BIGINT" for patterns in (EMAILS, SENTENCES)
    )
    number = "TRY_CAST(cell AS HUGEINT)"
    return (
        "SELECT place, coalesce(sum(n) FILTER (cell IS NULL), 0)::BIGINT, count(cell), "  # noqa: S608 - aliases
        f"coalesce(sum(n * (n - 1)) FILTER (cell IS NOT NULL), 0)::VARCHAR, {looks}, min({number}), max({number}) "
        f"FROM (SELECT place, cell, count(*)::HUGEINT AS n FROM (SELECT unnest([{texts}]) AS cell, "
        f"unnest(range({len(some)})) AS place FROM {table.name}) GROUP BY place, cell) GROUP BY place ORDER BY place"
    )
