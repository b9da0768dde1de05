"""Figures of the columns of a wide table: all cells become one column, so that a query costs cells and not columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import duckdb

from tclose.engines.base import Progress
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable, with_one_zero
from tclose.engines.duckdb.text_files import SQL, DuckTexts
from tclose.engines.statistics import EMAILS, SENTENCES, ColumnStatistics, is_numbering, is_text, is_whole, like
from tclose.engines.text_types import CELL, TextType

# Wide tables of text columns: all cells become one column, read once, from which types and counts are both made.


_MANY = 100
"""From so many columns on, a query for the cells of all of them is quicker than a question for each."""
_AT_ONCE = 250
"""The cells of so many columns are brought into one column by one query; with more, a list of cells is slow."""
_MOST_CELLS = 20_000_000
"""More cells than this are not held at once; their columns are looked at some hundreds at a time."""


def may_be_held(rows: int, columns: int) -> bool:
    """Say whether the cells of a table are held as one column: there are many columns, and not too many cells."""
    return columns > _MANY and rows * columns <= _MOST_CELLS


class WideTexts(DuckTexts):
    """A table of many text columns, whose different cells are held with how often each is there.

    Parameters
    ----------
    connection
        Where the table is.
    table
        Its name.
    columns
        Its columns.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str]) -> None:
        super().__init__(connection, table)
        self.at_once = len(columns)
        self.held = True
        self._cells = fresh_name("cells")
        self._places = {column: at for at, column in enumerate(columns)}
        into = f"CREATE TEMP TABLE {self._cells} AS"
        for first in range(0, len(columns), _AT_ONCE):
            some = columns[first : first + _AT_ONCE]
            places = f"unnest(range({first}, {first + len(some)}))"
            connection.execute(
                f"{into} SELECT {CELL}, place, count(*) AS n FROM (SELECT unnest([{', '.join(some)}]) AS {CELL}, "  # noqa: S608
                f"CAST({places} AS INTEGER) AS place FROM {table}) GROUP BY ALL"
            )
            into = f"INSERT INTO {self._cells}"

    def fitting(self, types: Mapping[str, TextType]) -> Sequence[bool | None]:
        """Return whether all values of each column have its type, by a query for each type."""
        fits: dict[str, bool | None] = {column: True for column, kind in types.items() if kind.by_shape}
        for kind, columns in alike(types).items():
            if not kind.by_shape:
                seen = self.seen_of_each(columns, [f"bool_and({kind.fits(CELL, SQL)})"])
                fits |= {column: found for column, (found,) in zip(columns, seen, strict=True)}
        return [fits[column] for column in types]

    def cells_of(self, columns: Iterable[str]) -> str:
        """Return the query for the different cells of columns, with their places and how often each is there."""
        chosen = ", ".join(str(self._places[column]) for column in columns)
        return f"FROM {self._cells} WHERE place IN ({chosen})"

    def _distinct(self, columns: Sequence[str]) -> str:
        return self.cells_of(columns)

    def forget(self) -> None:
        """Keep the cells, which are counted next."""

    def release(self) -> None:
        """Hold the cells no longer."""
        if self.held:
            self._connection.execute(f"DROP TABLE {self._cells}")
        self.held = False


def alike(types: Mapping[str, TextType]) -> dict[TextType, list[str]]:
    """Return the columns of each type."""
    found: dict[TextType, list[str]] = {}
    for column, kind in types.items():
        found.setdefault(kind, []).append(column)
    return found


_MANY_COUNTED = 100
"""From so many columns on, planning a query for each of them takes longer than counting their cells."""
_FEW_ROWS = 50_000
"""Up to so many rows; with more, columns are counted one after the other, and some are estimated."""
_COUNTED_AT_ONCE = range(500, 2_001)
"""So many columns are counted by one query; each query binds all columns of the table first."""
_CELLS_AT_ONCE = 20_000_000
_KNOWN_BY_TEXT = re.compile(r"VARCHAR|BOOLEAN|(TINY|SMALL|BIG|HUGE)INT|INTEGER|DOUBLE|DATE|TIMESTAMP|DECIMAL\(.*")
"""The types whose different values have different texts, and equal ones the same."""


def is_wide(columns: Sequence[Column], rows: int) -> bool:
    """Say whether columns are counted here: many of them, few rows, and values that their texts tell apart."""
    alike_texts = all(_KNOWN_BY_TEXT.fullmatch(column.type) for column in columns)
    return len(columns) > _MANY_COUNTED and rows <= _FEW_ROWS and alike_texts


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
    together = min(max(_CELLS_AT_ONCE // max(rows, 1), _COUNTED_AT_ONCE[0]), _COUNTED_AT_ONCE[-1])
    for start in range(0, len(table.columns), together):
        progress("Counting values", start / len(table.columns))
        some = table.columns[start : start + together]
        texts = ", ".join(f"CAST({with_one_zero(column, column.alias)} AS VARCHAR)" for column in some)
        cells = (
            f"SELECT place, cell, count(*)::HUGEINT AS n FROM (SELECT unnest([{texts}]) AS cell, "  # noqa: S608 - aliases
            f"unnest(range({len(some)})) AS place FROM {table.name}) GROUP BY place, cell"
        )
        yield from _figures(table, some, rows, cells)


def held_statistics(
    table: LoadedTable, texts: WideTexts, types: Mapping[str, TextType], progress: Progress
) -> Iterator[ColumnStatistics]:
    """Count every column of a wide text table from the cells that its types were decided by.

    Parameters
    ----------
    table
        The table, its rows known.
    texts
        Its cells.
    types
        How the text of each column becomes a value.
    progress
        Called with a stage and a share done.
    """
    kinds = alike({column.alias: types[column.alias] for column in table.columns})
    columns = {column.alias: column for column in table.columns}
    done = 0
    for kind, aliases in kinds.items():
        progress("Counting values", done / len(columns))
        done += len(aliases)
        value = with_one_zero(columns[aliases[0]], kind.value(CELL, SQL))
        cells = (
            f"SELECT place, CAST({value} AS VARCHAR) AS cell, sum(n) AS n FROM ({texts.cells_of(aliases)}) "  # noqa: S608
            "GROUP BY ALL"
        )
        if kind.type == "VARCHAR":
            cells = f"SELECT place, {CELL} AS cell, CAST(n AS HUGEINT) AS n FROM ({texts.cells_of(aliases)})"  # noqa: S608
        yield from _figures(table, [columns[alias] for alias in aliases], table.rows or 0, cells)


def _figures(table: LoadedTable, some: Sequence[Column], rows: int, cells: str) -> Iterator[ColumnStatistics]:
    """Return what columns have, given the query for their different cells with places and numbers."""
    with translated(table.label, connection=table.connection):
        found = _counted(table.connection, some, cells)
    for column, (_, nulls, distinct, same, emails, sentences, low, high) in zip(some, found, strict=True):
        present = max(1, rows - nulls)
        yield ColumnStatistics(
            column.name,
            column.type,
            rows,
            nulls,
            distinct,
            Fraction(int(same) + nulls * (nulls - 1)) / 2,
            emails=emails / present if is_text(column.type) else 0.0,
            sentences=sentences / present if is_text(column.type) else 0.0,
            numbering=is_whole(column.type) and is_numbering(low, high, distinct),
        )


def _counted(
    connection: duckdb.DuckDBPyConnection, some: Sequence[Column], cells: str
) -> list[tuple[int, int, int, str, int, int, int | None, int | None]]:
    """Return a row for each column: counts of its values, and the least and the greatest whole number."""
    texts, ends = ["0", "0"], ["NULL", "NULL"]
    if any(is_text(column.type) for column in some):
        texts = [f"coalesce(sum(n) FILTER ({like('cell', each)}), 0)::BIGINT" for each in (EMAILS, SENTENCES)]
    if any(is_whole(column.type) for column in some):
        ends = [f"{end}(TRY_CAST(cell AS HUGEINT))" for end in ("min", "max")]
    return connection.execute(
        "SELECT place, coalesce(sum(n) FILTER (cell IS NULL), 0)::BIGINT, count(cell), "  # noqa: S608 - aliases
        f"coalesce(sum(n * (n - 1)) FILTER (cell IS NOT NULL), 0)::VARCHAR, {', '.join(texts + ends)} "
        f"FROM ({cells}) GROUP BY place ORDER BY place"
    ).fetchall()
