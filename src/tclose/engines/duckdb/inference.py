"""Text columns in DuckDB, and what its SQL calls what every engine asks of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import duckdb

from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.inferring import CELL, Looking
from tclose.engines.text_types import Sql, TextType


class DuckSql(Sql):
    """DuckDB's words."""

    def matches(self, text: str, pattern: str) -> str:
        """Return the SQL of whether a pattern matches the whole of a text."""
        return f"regexp_full_match({text}, '{pattern}')"

    def trimmed(self, text: str) -> str:
        """Return the SQL of a text without the blanks around it."""
        return f"trim({text})"

    def cast(self, text: str, kind: str) -> str:
        """Return the SQL of a text as a value of a type; null where it is none."""
        return f"TRY_CAST({text} AS {kind})"

    def day(self, text: str, form: str) -> str:
        """Return the SQL of a text as a date written in a form such as ``%d.%m.%Y``; null where it is none."""
        return f"TRY_CAST(try_strptime({text}, '{form}') AS DATE)"

    def moment(self, text: str) -> str:
        """Return the SQL of a point in time that says it is in UTC; null where it is none."""
        return self.cast(text, "TIMESTAMP")


SQL = DuckSql()
_MANY = 100
"""From so many columns on, their different cells are kept while questions are asked of them."""


class DuckTexts(Looking):
    """A table of text columns in DuckDB."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, table: str) -> None:
        super().__init__(SQL)
        self._connection = connection
        self._table = table
        self._places: dict[str, int] = {}
        self._cells = ""

    def seen(self, aggregates: Sequence[str]) -> Sequence[Any]:
        """Return what aggregates over all rows give."""
        (row,) = self._connection.execute(f"SELECT {', '.join(aggregates)} FROM {self._table}").fetchall()  # noqa: S608
        return tuple(row)

    def seen_of_each(self, columns: Sequence[str], aggregates: Sequence[str]) -> list[Sequence[Any]]:
        """Return what aggregates over the cells of each column give.

        All cells are brought into one column first, each different one once, because preparing the patterns anew for
        each column, and applying them to a cell again, takes longer; what is aggregated does not count a cell twice.
        """
        query = f"SELECT {', '.join(aggregates)} FROM ({self._distinct(columns)}) GROUP BY place ORDER BY place"  # noqa: S608
        return list(self._connection.execute(query).fetchall()) or [(None,) * len(aggregates)] * len(columns)

    def _distinct(self, columns: Sequence[str]) -> str:
        """Return the query for the different cells of columns; those of many columns are kept for the next question."""
        cells = (
            f"SELECT DISTINCT unnest([{', '.join(columns)}]) AS {CELL}, unnest(range({len(columns)})) AS place "  # noqa: S608
            f"FROM {self._table}"
        )
        if self._places.keys() >= set(columns):
            chosen = ", ".join(str(self._places[column]) for column in columns)
            return f"FROM {self._cells} WHERE place IN ({chosen})"
        if len(columns) < _MANY:
            return cells
        self.forget()
        self._cells, self._places = fresh_name("cells"), {column: at for at, column in enumerate(columns)}
        self._connection.execute(f"CREATE TEMP TABLE {self._cells} AS {cells}")
        return f"FROM {self._cells}"

    def forget(self) -> None:
        """Keep the different cells no longer."""
        if self._cells:
            self._connection.execute(f"DROP TABLE {self._cells}")
        self._cells, self._places = "", {}


def strict_value(kind: TextType, column: str) -> str:
    """Return the SQL of a value; an error where the text does not fit."""
    if kind.type == "VARCHAR":
        return column
    refused = f"CAST(error('a value does not have the type of its column') AS {kind.type})"
    return f"CASE WHEN {kind.fits(column, SQL)} THEN {kind.value(column, SQL)} ELSE {refused} END"
