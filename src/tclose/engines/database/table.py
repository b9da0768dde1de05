"""A table in a database: its columns, how each is grouped there, and how its values are made again here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tclose.data.sources import DatabaseTable
from tclose.engines.base import Column, Table
from tclose.errors import Note

if TYPE_CHECKING:
    from tclose.engines.database.dialect import Dialect

NESTED = "its values are nested, binary or of a type of the database's own. Select them as text or numbers in a query."


@dataclass(frozen=True)
class DatabaseColumn(Column):
    """A column of a table in a database; its alias is its name, quoted.

    Parameters
    ----------
    sent
        The SQL of what is grouped by and fetched, in the database's dialect: one expression, or more.
    value
        The SQL that makes the value again here, with ``{0}``, ``{1}`` for what was fetched; the scale of a decimal
        number is found then.
    """

    sent: tuple[str, ...] = ()
    value: str = "{0}"


Settler = Callable[[tuple[DatabaseColumn, ...]], tuple[DatabaseColumn, ...]]
"""What finds the types of columns that are needed, where a database does not know them beforehand."""


@dataclass
class OpenedTable(Table[DatabaseColumn]):
    """A table in a database, opened by a session."""

    dialect: Dialect
    source: DatabaseTable
    relation: str
    """What stands after FROM."""
    columns: tuple[DatabaseColumn, ...]
    label: str
    notes: tuple[Note, ...] = ()
    settler: Settler | None = field(default=None, repr=False)
    stays: bool = False
    """Whether what is made of it stays in the database, so that columns of any type may be kept."""
    person: str | None = None

    def counting(self, person: str | None) -> OpenedTable:
        """Return the table with the people counted whom a column tells apart; with None, the rows."""
        if person is not None:
            self.check_usable([self.column(person)])
        return replace(self, person=person)

    def keep(self, columns: Sequence[str]) -> OpenedTable:
        """Return the table of just these columns; no other is ever asked for."""
        kept = self.settled(tuple(self.column(name) for name in dict.fromkeys(columns)))
        if not self.stays:
            self.check_usable(kept)
        return self.narrowed(kept)

    def narrowed(self, kept: tuple[DatabaseColumn, ...]) -> OpenedTable:
        """Return some columns, their types found."""
        notes = self.dialect.notes(self.source, kept)
        return replace(self, columns=kept, settler=None, notes=tuple(dict.fromkeys((*self.notes, *notes))))

    def settled(self, columns: tuple[DatabaseColumn, ...]) -> tuple[DatabaseColumn, ...]:
        """Return columns with their types."""
        return columns if self.settler is None else self.settler(columns)
