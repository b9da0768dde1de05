"""What a recoding makes of a table in a database, planned from the counts of its distinct rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.pieces import pieces_table
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable
from tclose.engines.interface import Recoding, Unknown
from tclose.engines.refusals import check_columns, check_division, check_published, check_strangers, other_table


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

    def keeps_values(self, name: str) -> bool:
        """Say whether every published row shows its own value of a quasi-identifier, in the column's own type."""
        if not self.recoding.native[self.recoding.quasi.index(name)]:
            return False
        differs = f"{self.label(name)} IS DISTINCT FROM {self.key(name)}"
        return not self.run(f"SELECT count(*) FROM {self.pieces} WHERE kept AND {differs}")[0][0]  # noqa: S608

    def column(self, name: str, alias: str) -> Column:
        """Return a published column as it can be counted here."""
        original = self.cube.column(name)
        quasi = self.recoding.quasi
        if name in quasi and not self.recoding.native[quasi.index(name)]:
            return Column(name, alias, "VARCHAR")
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


def planned(cube: LoadedTable, recoding: Recoding, unknown: Unknown) -> Plan:
    """Plan a recoding.

    Parameters
    ----------
    cube
        The counts of the table by the keys of the recoding first, and by other columns that were searched.
    recoding
        What becomes of the rows.
    unknown
        Whether rows whose key values are no piece's are refused or dropped.
    """
    check_columns(recoding)
    given = pieces_table(cube, recoding)
    if recoding.counts is None:
        pieces, strangers = _counted(cube, recoding, given)
    else:
        pieces, strangers = given, 0
        _check_counts(cube, recoding, given)
    check_strangers(strangers, recoding, unknown, cube.label)
    ((rows,),) = _run(cube, f"SELECT coalesce(sum(n), 0)::BIGINT FROM {pieces} WHERE kept")  # noqa: S608 - our own name
    check_published(rows, cube.label)
    return Plan(cube, recoding, pieces, int(rows), strangers)


def _run(cube: LoadedTable, query: str) -> list[Any]:
    with translated(cube.label, connection=cube.connection):
        return cube.connection.execute(query).fetchall()


def _made(cube: LoadedTable, stem: str, query: str) -> str:
    name = fresh_name(stem)
    _run(cube, f"CREATE TEMP TABLE {name} AS {query}")
    return name


def _distinct(cube: LoadedTable) -> str:
    """Return the distinct rows of a cube with their counts; what was several values there may be one here."""
    aliases = ", ".join(column.alias for column in cube.columns)
    return f"(SELECT {aliases}, {cube.tally} AS w FROM {cube.name} GROUP BY {aliases})"  # noqa: S608 - our own names


def _matches(cube: LoadedTable, recoding: Recoding) -> str:
    keys = [cube.column(name).alias for name in recoding.keys]
    return " AND ".join(f"c.{key} IS NOT DISTINCT FROM p.k{at}" for at, key in enumerate(keys)) or "true"


def _counted(cube: LoadedTable, recoding: Recoding, given: str) -> tuple[str, int]:
    """Make a piece of each distinct row, and return their table and the number of rows that belong to none."""
    ((most,),) = _run(cube, f"SELECT max(parts) FROM {given}")  # noqa: S608 - our own name
    check_division(recoding, divided=(most or 0) > 1)
    values = "".join(f", c.{column.alias} AS k{at}" for at, column in enumerate(cube.columns))
    labels = "".join(f", p.q{at}" for at in range(len(recoding.quasi)))
    pieces = _made(
        cube,
        "counted",
        f"SELECT row_number() OVER () - 1 AS piece, p.kept, c.w AS n, piece AS first, 1 AS parts, "  # noqa: S608
        f"0::BIGINT AS low{values}{labels} FROM {_distinct(cube)} AS c LEFT JOIN {given} AS p "
        f"ON {_matches(cube, recoding)}",
    )
    ((strangers,),) = _run(cube, f"SELECT coalesce(sum(n), 0)::BIGINT FROM {pieces} WHERE kept IS NULL")  # noqa: S608
    _run(cube, f"DELETE FROM {pieces} WHERE kept IS NULL")  # noqa: S608 - our own name
    return pieces, int(strangers)


def _check_counts(cube: LoadedTable, recoding: Recoding, given: str) -> None:
    """Refuse a table that does not have as many rows of each key values as its pieces take."""
    takes = f"(SELECT *, sum(n) OVER (PARTITION BY first) AS takes FROM {given} QUALIFY piece = first)"  # noqa: S608
    ((differing,),) = _run(
        cube,
        f"SELECT count(*) FROM {_distinct(cube)} AS c FULL JOIN {takes} AS p ON {_matches(cube, recoding)} "  # noqa: S608
        "WHERE coalesce(c.w, 0) <> coalesce(p.takes, 0)",
    )
    ((known,),) = _run(cube, f"SELECT count(*) FROM {given}")  # noqa: S608 - our own name
    if differing or known != len(recoding.classes):
        raise other_table(cube.label)
