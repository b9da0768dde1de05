"""A table in a database: its columns, how each is grouped there, and how its values are made again here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tclose.errors import ColumnNotFoundError, SourceError
from tclose.sources import DatabaseTable

NESTED = "its values are nested, binary or of a type of the database's own. Select them as text or numbers in a query."


@dataclass(frozen=True)
class DatabaseColumn:
    """A column of a table in a database.

    Parameters
    ----------
    name
        The name in the database.
    sent
        The SQL of what is grouped by and fetched, in the database's dialect: one expression, or more.
    value
        The SQL that makes the value again here, with ``{0}``, ``{1}`` for what was fetched.
    type
        The type that the values have here; the scale of a decimal number is found when they are fetched.
    categories
        The order that an enum declares.
    problem
        Why the column cannot be used; None for a column that can.
    """

    name: str
    sent: tuple[str, ...]
    type: str
    value: str = "{0}"
    categories: tuple[str, ...] | None = None
    problem: str | None = None


Settler = Callable[[tuple[DatabaseColumn, ...]], tuple[DatabaseColumn, ...]]
"""What finds the types of columns that are needed, where a database does not know them beforehand."""


@dataclass(frozen=True)
class OpenedTable:
    """A table in a database, opened by a session."""

    source: DatabaseTable
    relation: str
    """What stands after FROM."""
    columns: tuple[DatabaseColumn, ...]
    notes: tuple[str, ...] = ()
    settler: Settler | None = field(default=None, repr=False)

    @property
    def label(self) -> str:
        """How reports name the table."""
        return self.source.label

    def column(self, name: str) -> DatabaseColumn:
        """Return the column of a name, or raise :class:`~tclose.errors.ColumnNotFoundError`."""
        for column in self.columns:
            if column.name == name:
                return column
        raise ColumnNotFoundError(name, [column.name for column in self.columns])

    def keep(self, columns: Sequence[str]) -> OpenedTable:
        """Return the table of just these columns; no other is ever asked for."""
        kept = self.settled(tuple(self.column(name) for name in dict.fromkeys(columns)))
        for column in kept:
            if column.problem:
                raise SourceError(f"The column {column.name!r} of {self.label} cannot be used: {column.problem}")
        return replace(self, columns=kept, settler=None)

    def settled(self, columns: tuple[DatabaseColumn, ...]) -> tuple[DatabaseColumn, ...]:
        """Return columns with their types."""
        return columns if self.settler is None else self.settler(columns)
