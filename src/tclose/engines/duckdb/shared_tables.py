"""Tables that are read once and looked at often: copied into the database that connections of this process share."""

from __future__ import annotations

from dataclasses import dataclass, field

import duckdb

from tclose.engines.duckdb.connection import connect, disconnect
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, Keeper, LoadedTable, text_of
from tclose.notes import Note
from tclose.sources import ReadOptions, Source


@dataclass(frozen=True)
class HeldTable(Source):
    """A table in the shared database, with its columns typed by all their values; it is there until it is dropped."""

    columns: tuple[Column, ...]
    name: str
    rows: int | None
    notes: tuple[Note, ...]
    keeper: Keeper | None = field(repr=False)

    def bound(self, connection: duckdb.DuckDBPyConnection) -> LoadedTable:
        """Return the table as a connection of the shared database sees it."""
        return LoadedTable(connection, self.columns, self.label, self.name, self.rows, self.notes, self.keeper)

    def texts(self) -> dict[str, list[str | None]]:
        """Return the cells of every column that can be read, as texts; each column has the rows in the same order."""
        columns = [column for column in self.columns if column.problem is None]
        connection = connect()
        try:
            listing = ", ".join(f"CAST({text_of(column)} AS VARCHAR)" for column in columns)
            rows = connection.execute(f"SELECT {listing} FROM {self.name}").fetchall()  # noqa: S608 - aliases
        finally:
            disconnect(connection)
        return {column.name: [row[at] for row in rows] for at, column in enumerate(columns)}

    def drop(self) -> None:
        """Free what the rows take."""
        connection = connect()
        connection.execute(f"DROP TABLE IF EXISTS {self.name}")
        disconnect(connection)


def hold(table: object, *, read: ReadOptions | None = None, sample: int | None = None) -> HeldTable:
    """Read a table and hold its rows; what an audit says of them is the same.

    Parameters
    ----------
    table
        Anything that :func:`tclose.audit` takes, except a table of a database.
    read
        How to read files.
    sample
        How many rows to hold at most, drawn at random; all by default.

    Examples
    --------
    >>> held = hold({"zip": [1, 2]})
    >>> held.rows, held.label
    (2, 'a mapping of columns')
    >>> held.drop()
    """
    from tclose.engines.duckdb.load import load
    from tclose.sources import locate

    connection = connect()
    try:
        opened = load(connection, locate(table, options=read))
        kept = opened.keep([column.name for column in opened.columns if column.problem is None])
        name = fresh_name("held")
        with translated(opened.label, connection=connection):
            drawn = "" if sample is None else f" USING SAMPLE reservoir({sample} ROWS) REPEATABLE (1)"
            ((rows,),) = connection.execute(f"CREATE TABLE {name} AS FROM {kept.name}{drawn}").fetchall()
        typed = {column.name: column for column in kept.columns}
        columns = tuple(typed.get(column.name, column) for column in opened.columns)
        return HeldTable(opened.label, columns, name, rows, opened.notes, kept.keeper)
    finally:
        disconnect(connection)
