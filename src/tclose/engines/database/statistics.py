"""Figures of every column of a table in a database, counted there; never a value."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from tclose.engines.database.connection import Connection
from tclose.engines.database.session import DatabaseSession
from tclose.engines.database.table import DatabaseColumn, OpenedTable, cell
from tclose.engines.duckdb.statistics import ColumnStatistics, TableStatistics
from tclose.engines.duckdb.table import check_rows
from tclose.engines.interface import Progress
from tclose.errors import InternalError

_COLUMNS_A_SCAN = 100


def table_statistics(table: object, *, progress: Progress | None = None) -> TableStatistics:
    """Count every column of a table, each by a grouping of its own.

    Parameters
    ----------
    table
        The address of a table, or a :class:`~tclose.sources.DatabaseTable`.
    progress
        Called with a stage and a share done.
    """
    session = DatabaseSession()
    try:
        opened = session.open(table)
        if not isinstance(opened, OpenedTable):
            raise InternalError("A table that is not in a database was taken for one.")
        connection = session.connection(opened.source)
        columns = opened.settled(opened.columns)
        rows, present = _scanned(connection, opened, columns)
        check_rows(rows, opened.label)
        tell = progress or (lambda _stage, _share: None)
        found = tuple(_counted(connection, opened, columns, rows, present, tell))
        return TableStatistics(opened.label, rows, found, opened.notes)
    finally:
        session.close()


def _scanned(
    connection: Connection, table: OpenedTable, columns: tuple[DatabaseColumn, ...]
) -> tuple[int, dict[str, tuple[int, int]]]:
    """Return the number of rows, and of each column how many cells are present and look like e-mail addresses."""
    usable = [column for column in columns if column.problem is None]
    found: dict[str, tuple[int, int]] = {}
    rows = 0
    for start in range(0, max(1, len(usable)), _COLUMNS_A_SCAN):
        some = usable[start : start + _COLUMNS_A_SCAN]
        asked = ["count(*) AS a"]
        for at, column in enumerate(some):
            value = cell(column, connection.driver)
            alike = f"sum(CASE WHEN {value} LIKE '%_@_%._%' THEN 1 ELSE 0 END)" if column.type == "VARCHAR" else "0"
            asked += [f"count({value}) AS p{at}", f"coalesce({alike}, 0) AS e{at}"]
        ((rows, *figures),) = connection.rows(f"SELECT {', '.join(asked)} FROM {table.relation}")  # noqa: S608 - quoted
        for at, column in enumerate(some):
            found[column.name] = (int(figures[2 * at]), int(figures[2 * at + 1]))
    return int(rows), found


def _counted(
    connection: Connection,
    table: OpenedTable,
    columns: tuple[DatabaseColumn, ...],
    rows: int,
    present: dict[str, tuple[int, int]],
    progress: Progress,
) -> Iterator[ColumnStatistics]:
    for done, column in enumerate(columns):
        progress("Counting values", done / len(columns))
        if column.problem is not None:
            yield ColumnStatistics(column.name, column.type, rows, problem=column.problem)
            continue
        cells, emails = present[column.name]
        value = cell(column, connection.driver)
        ((distinct, same),) = connection.rows(
            "SELECT count(*) AS d, CAST(coalesce(sum(CAST(n AS DECIMAL(38,0)) * (n - 1)), 0) AS VARCHAR(80)) AS s FROM "  # noqa: S608
            f"(SELECT {value} AS v, count(*) AS n FROM {table.relation} GROUP BY 1) AS g WHERE v IS NOT NULL"
        )
        nulls = rows - cells
        pairs = (Fraction(same) + nulls * (nulls - 1)) / 2
        yield ColumnStatistics(
            column.name, column.type, rows, nulls, int(distinct), pairs, exact=True, emails=emails / max(1, cells)
        )
