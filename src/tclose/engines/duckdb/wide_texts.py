"""Wide tables of text columns: all cells become one column, read once, from which types and counts are both made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import duckdb

from tclose.engines.duckdb.inference import SQL, DuckTexts
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.inferring import CELL
from tclose.engines.text_types import TextType

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
