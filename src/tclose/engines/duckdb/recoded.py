"""Rows to released rows: each row finds its piece, and the piece says what is published."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.pieces import pieces_table
from tclose.engines.duckdb.released import DuckDBReleased, Expanded, Stored
from tclose.engines.duckdb.sql import fresh_name, seeded_hash
from tclose.engines.duckdb.table import Column, LoadedTable
from tclose.engines.interface import Recoding, Unknown
from tclose.engines.refusals import check_columns, check_division, check_published, check_strangers, other_table


def recode(table: LoadedTable, recoding: Recoding, unknown: Unknown) -> DuckDBReleased:
    """Return the table that a recoding publishes.

    Parameters
    ----------
    table
        The original table.
    recoding
        What becomes of its rows.
    unknown
        Whether rows whose key values are no piece's are refused or dropped.
    """
    check_columns(recoding)
    work = _Work(table.keep([*recoding.keys, *recoding.columns]), recoding)
    work.check_pieces()
    rows = work.rows_in_pieces() if work.others else work.counts_of_pieces()
    number = work.unknown_in(rows)
    check_strangers(number, recoding, unknown, table.label)
    if recoding.counts is not None:
        work.check_counts(rows)
    return work.released(rows, number)


@dataclass
class _Work:
    """One recoding of one table under way."""

    table: LoadedTable
    recoding: Recoding

    def __post_init__(self) -> None:
        self.others = [self.table.column(name) for name in self.recoding.columns if name not in self.recoding.keys]
        self.pieces = pieces_table(self.table, self.recoding)

    def run(self, query: str) -> list[Any]:
        """Execute a query, with our errors."""
        with translated(self.table.label, connection=self.table.connection):
            return self.table.connection.execute(query).fetchall()

    def made(self, stem: str, query: str) -> str:
        """Make a temporary table of what a query gives."""
        name = fresh_name(stem)
        self.run(f"CREATE TEMP TABLE {name} AS {query}")
        return name

    def check_pieces(self) -> None:
        """Refuse a recoding without counts that sends the same row to several pieces."""
        ((most,),) = self.run(f"SELECT max(parts) FROM {self.pieces}")  # noqa: S608 - our own name
        self.divided = (most or 0) > 1
        check_division(self.recoding, divided=self.divided)

    def _matched(self) -> str:
        """Return what stands after FROM: the table's rows with the first piece of their key values, if any."""
        conditions = [
            f"t.{self.table.column(name).alias} IS NOT DISTINCT FROM p.k{at}"
            for at, name in enumerate(self.recoding.keys)
        ]
        first = f"(SELECT * FROM {self.pieces} WHERE piece = first)"  # noqa: S608 - our own name
        return f"{self.table.name} AS t LEFT JOIN {first} AS p ON {' AND '.join(conditions) or 'true'}"

    def counts_of_pieces(self) -> str:
        """Make a table of the pieces with their numbers of rows, where nothing but keys is published."""
        if self.recoding.counts is None:
            return self.made("rows", f"SELECT p.piece, count(*) AS n FROM {self._matched()} GROUP BY ALL")  # noqa: S608
        rows = self.table.rows
        if rows is None:
            ((rows,),) = self.run(f"SELECT count(*) FROM {self.table.name}")  # noqa: S608 - our own name
        if rows != int(self.recoding.counts.sum()):
            raise other_table(self.table.label)
        return self.made("rows", f"SELECT piece, n FROM {self.pieces} WHERE n > 0")  # noqa: S608 - our own name

    def rows_in_pieces(self) -> str:
        """Make a table of all rows: the piece of each, and the other columns that are published."""
        others = ", ".join(f"{_one_zero(column)} AS o{at}" for at, column in enumerate(self.others))
        rows = self.made("rows", f"SELECT p.piece, {others} FROM {self._matched()}")  # noqa: S608 - our own names
        if not self.divided:
            return rows
        names = ", ".join(f"o{at}" for at in range(len(self.others)))
        order = f"{seeded_hash(names, self.recoding.seed)}, {names}"
        shared = (
            f"SELECT r.piece, {names}, row_number() OVER (PARTITION BY r.piece ORDER BY {order}) - 1 AS place "  # noqa: S608
            f"FROM {rows} AS r JOIN {self.pieces} AS p ON p.piece = r.piece WHERE p.parts > 1"
        )
        placed = self.made(
            "rows",
            f"SELECT r.piece, {names} FROM {rows} AS r LEFT JOIN {self.pieces} AS p ON p.piece = r.piece "  # noqa: S608
            f"WHERE p.piece IS NULL OR p.parts = 1 "
            f"UNION ALL SELECT p.piece, {names} FROM ({shared}) AS s "
            f"LEFT JOIN {self.pieces} AS p ON p.first = s.piece AND s.place >= p.low AND s.place < p.low + p.n",
        )
        self.run(f"DROP TABLE {rows}")
        return placed

    def unknown_in(self, rows: str) -> int:
        """Return how many rows belong to no piece."""
        number = "count(*)" if self.others else "coalesce(sum(n), 0)::BIGINT"
        ((found,),) = self.run(f"SELECT {number} FROM {rows} WHERE piece IS NULL")  # noqa: S608 - our own name
        return int(found)

    def check_counts(self, rows: str) -> None:
        """Refuse rows that are not as many in each piece as the recoding says."""
        found = f"SELECT piece, {'count(*)' if self.others else 'sum(n)'} AS n FROM {rows} GROUP BY piece"  # noqa: S608
        ((differing,),) = self.run(
            f"SELECT count(*) FROM {self.pieces} AS p LEFT JOIN ({found}) AS f ON f.piece = p.piece "  # noqa: S608
            f"WHERE p.n <> coalesce(f.n, 0)"
        )
        ((known,),) = self.run(f"SELECT count(*) FROM {self.pieces}")  # noqa: S608 - our own name
        if differing or known != len(self.recoding.classes):
            raise other_table(self.table.label)

    def released(self, rows: str, unknown: int) -> DuckDBReleased:
        """Return the released table, its columns put together from the pieces and the rows."""
        columns = tuple(self._column(at, name) for at, name in enumerate(self.recoding.columns))
        shown = ", ".join(
            f"{self._expression(name)} AS {column.alias}"
            for name, column in zip(self.recoding.columns, columns, strict=True)
        )
        source = f"FROM {rows} AS r JOIN {self.pieces} AS p ON p.piece = r.piece WHERE p.kept"
        number = "count(*)" if self.others else "coalesce(sum(r.n), 0)::BIGINT"
        ((published,),) = self.run(f"SELECT {number} {source}")
        check_published(published, self.table.label)
        if self.others:
            form: Stored | Expanded = Stored(f"SELECT {shown} {source}", len(columns), self.recoding.seed)
        else:
            form = self._expanded(f"SELECT {shown}, r.n {source}", len(columns))
        return DuckDBReleased(self.table.connection, columns, form, int(published), unknown)

    def _expanded(self, query: str, width: int) -> Expanded:
        """Return distinct released rows in the order of their content, each with its number."""
        aliases = ", ".join(f"c{at}" for at in range(width))
        order = f"{seeded_hash(aliases, self.recoding.seed)}, {aliases}"
        placed = self.made(
            "placed",
            f"SELECT *, row_number() OVER (ORDER BY {order}) AS place FROM ({query})",  # noqa: S608 - our own names
        )
        return Expanded(placed, width)

    def _column(self, at: int, name: str) -> Column:
        """Return a published column; a recoded one is text unless it keeps its own type."""
        original = self.table.column(name)
        quasi = self.recoding.quasi
        as_it_is = name not in quasi or self.recoding.native[quasi.index(name)]
        return replace(original, alias=f"c{at}") if as_it_is else Column(name, f"c{at}", "VARCHAR")

    def _expression(self, name: str) -> str:
        """Return the SQL of a published column: the class's label, a key value as it is, or a row's own cell."""
        if name in self.recoding.quasi:
            return f"p.q{self.recoding.quasi.index(name)}"
        if name in self.recoding.keys:
            return f"p.k{self.recoding.keys.index(name)}"
        return f"r.o{[column.name for column in self.others].index(name)}"


def _one_zero(column: Column) -> str:
    """Return a row's own cell, with one zero instead of two."""
    cell = f"t.{column.alias}"
    return f"CAST({cell} + 0.0 AS {column.type})" if column.type in ("DOUBLE", "FLOAT") else cell
