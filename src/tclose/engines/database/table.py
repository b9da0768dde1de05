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


def cell(column: DatabaseColumn, driver: str) -> str:
    """Return the SQL of a cell in the database's dialect: equal for equal values, null where it is missing."""
    if driver == "postgresql" and column.type in ("FLOAT", "DOUBLE", "DECIMAL"):
        return f"NULLIF({column.sent[0]}, 'NaN')"
    if driver == "postgresql" and column.type == "TIMESTAMP WITH TIME ZONE":
        return f"({column.sent[0]} AT TIME ZONE 'UTC')"
    if len(column.sent) > 1:
        return f"CASE WHEN NOT ({column.sent[1]}) THEN {column.sent[0]} END"
    return column.sent[0]


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
    stays: bool = False
    """Whether what is made of it stays in the database, so that columns of any type may be kept."""

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
        if not self.stays:
            self.check_usable(kept)
        return replace(self, columns=kept, settler=None)

    def check_usable(self, columns: Sequence[DatabaseColumn]) -> None:
        """Refuse columns whose values have no place here."""
        for column in columns:
            if column.problem:
                raise SourceError(f"The column {column.name!r} of {self.label} cannot be used: {column.problem}")

    def settled(self, columns: tuple[DatabaseColumn, ...]) -> tuple[DatabaseColumn, ...]:
        """Return columns with their types."""
        return columns if self.settler is None else self.settler(columns)
