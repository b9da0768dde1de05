"""What a recoding makes of a table in a database, planned from the counts of its distinct rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.recoded import pieces_table
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable
from tclose.engines.recoding import Recoder, Recoding


@dataclass(frozen=True)
class Plan:
    """The pieces of a recoding with their numbers of rows, as a table of DuckDB.

    Its columns are those of the pieces of any recoding, ``piece``, ``kept``, ``n``, ``first``, ``parts``, ``low``,
    ``q0``, ``q1`` … for what is published, and ``k0``, ``k1`` … for the values of every column of ``cube``: where the
    keys alone decide, there is a piece for each distinct row, so that the plan says how often each is published.
    """

    cube: LoadedTable
    recoding: Recoding
    pieces: str
    rows: int
    """How many rows are published."""
    unknown: int
    """How many rows are dropped because their key values are no piece's."""

    @property
    def divided(self) -> bool:
        """Whether rows of the same key values go to several pieces."""
        return bool(self.run(f"SELECT max(parts) > 1 FROM {self.pieces}")[0][0])  # noqa: S608 - our own name

    def run(self, query: str) -> list[Any]:
        """Execute a query here, with our errors."""
        return _run(self.cube, query)

    def key(self, name: str) -> str:
        """Return the column of the pieces that has the values of a column."""
        return f"k{[column.name for column in self.cube.columns].index(name)}"

    def label(self, name: str) -> str:
        """Return the column of the pieces that has what is published of a quasi-identifier."""
        return f"q{self.recoding.quasi.index(name)}"

    def column(self, name: str, alias: str) -> Column:
        """Return a published column as it can be counted here."""
        if name in self.recoding.quasi:
            return Column(name, alias, "VARCHAR")
        original = self.cube.column(name)
        return Column(name, alias, original.type, original.categories)

    def published(self, names: Sequence[str]) -> LoadedTable:
        """Return the published values of some columns with their numbers of rows; the rows are not needed."""
        shown = [self.label(name) if name in self.recoding.quasi else self.key(name) for name in names]
        listing = "".join(f"{expression} AS c{at}, " for at, expression in enumerate(shown))
        name = _made(
            self.cube,
            "published",
            f"SELECT {listing}CAST(sum(n) AS BIGINT) AS n FROM {self.pieces} WHERE kept AND n > 0 GROUP BY ALL",  # noqa: S608
        )
        columns = tuple(self.column(each, f"c{at}") for at, each in enumerate(names))
        return LoadedTable(self.cube.connection, columns, "the release", name, self.rows, weight="n")


class DatabaseRecoder(Recoder[Plan]):
    """One recoding of a table in a database, planned from its counts.

    Parameters
    ----------
    cube
        The counts of the table by the keys of the recoding first, and by other columns that were searched.
    recoding
        What becomes of the rows.
    """

    def __init__(self, cube: LoadedTable, recoding: Recoding) -> None:
        super().__init__(recoding, cube.label)
        self.cube = cube
        self._given, _ = pieces_table(cube, recoding)

    @cached_property
    def divided(self) -> bool:
        """Whether rows of the same key values go to several pieces."""
        ((most,),) = _run(self.cube, f"SELECT max(parts) FROM {self._given}")  # noqa: S608 - our own name
        return (most or 0) > 1

    @cached_property
    def _pieces(self) -> str:
        """The pieces; where the keys alone decide, one of each distinct row."""
        if self.recoding.counts is not None:
            return self._given
        values = "".join(f", c.{column.alias} AS k{at}" for at, column in enumerate(self.cube.columns))
        labels = "".join(f", p.q{at}" for at in range(len(self.recoding.quasi)))
        return _made(
            self.cube,
            "counted",
            f"SELECT row_number() OVER () - 1 AS piece, p.kept, c.w AS n, piece AS first, 1 AS parts, "  # noqa: S608
            f"0::BIGINT AS low{values}{labels} FROM {self._distinct} AS c LEFT JOIN {self._given} AS p "
            f"ON {self._matches}",
        )

    @property
    def _distinct(self) -> str:
        """The distinct rows of the cube with their counts; what was several values there may be one here."""
        aliases = ", ".join(column.alias for column in self.cube.columns)
        return f"(SELECT {aliases}, {self.cube.tally} AS w FROM {self.cube.name} GROUP BY {aliases})"  # noqa: S608

    @property
    def _matches(self) -> str:
        keys = [self.cube.column(name).alias for name in self.recoding.keys]
        return " AND ".join(f"c.{key} IS NOT DISTINCT FROM p.k{at}" for at, key in enumerate(keys)) or "true"

    def unmatched(self) -> int:
        """Return how many rows belong to no piece."""
        return self._rows("kept IS NULL")

    def _rows(self, which: str) -> int:
        ((rows,),) = _run(self.cube, f"SELECT coalesce(sum(n), 0)::BIGINT FROM {self._pieces} WHERE {which}")  # noqa: S608
        return int(rows)

    def as_counted(self) -> bool:
        """Say whether the table has as many rows of each key values as its pieces take."""
        takes = f"(SELECT *, sum(n) OVER (PARTITION BY first) AS takes FROM {self._given} QUALIFY piece = first)"  # noqa: S608
        ((differing,),) = _run(
            self.cube,
            f"SELECT count(*) FROM {self._distinct} AS c FULL JOIN {takes} AS p ON {self._matches} "  # noqa: S608
            "WHERE coalesce(c.w, 0) <> coalesce(p.takes, 0)",
        )
        ((known,),) = _run(self.cube, f"SELECT count(*) FROM {self._given}")  # noqa: S608 - our own name
        return not differing and bool(known == len(self.recoding.classes))

    def published(self) -> int:
        """Return how many rows are published."""
        return self._rows("kept")

    def released(self, published: int, unmatched: int) -> Plan:
        """Return the plan."""
        _run(self.cube, f"DELETE FROM {self._pieces} WHERE kept IS NULL")  # noqa: S608 - our own name
        return Plan(self.cube, self.recoding, self._pieces, published, unmatched)


def _run(cube: LoadedTable, query: str) -> list[Any]:
    with translated(cube.label, connection=cube.connection):
        return cube.connection.execute(query).fetchall()


def _made(cube: LoadedTable, stem: str, query: str) -> str:
    name = fresh_name(stem)
    _run(cube, f"CREATE TEMP TABLE {name} AS {query}")
    return name
