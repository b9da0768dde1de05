"""Connections to databases through ADBC: read-only, with one snapshot for all queries of a verb."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import nanoarrow

from tclose.engines.database.dialect import Dialect
from tclose.engines.database.dialects import dialect_of
from tclose.engines.database.failures import translated
from tclose.engines.database.streams import Reader, awaited
from tclose.engines.optional import imported
from tclose.errors import TcloseError
from tclose.sources import DatabaseTable


class Connection:
    """A connection, inside one transaction from its first query until it is closed.

    Parameters
    ----------
    source
        The database, and what messages name.
    writable
        Whether the transaction may write, once :meth:`allow_writing` was called; until then it only reads.
    """

    def __init__(self, source: DatabaseTable, *, writable: bool = False) -> None:
        self.source = source
        self.dialect = dialect_of(source.driver)
        self.writable = writable
        self.dialect.check(source)
        manager = imported("adbc_driver_manager", f"Reading a {source.driver} database", "database")
        self._statement = manager.AdbcStatement
        with translated(source, self.dialect.causes):
            connect = partial(_connected, manager.AdbcConnection, self.dialect, source, writable=writable)
            self._connection, database = awaited(connect, source.timeout, lambda made: _closed(*made))
        self.close = weakref.finalize(self, _closed, self._connection, database)
        for statement in self.dialect.begin(source, writable=writable):
            self.run(statement)

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Turn a driver's errors into ours; after one, the transaction is spent and the connection is closed."""
        try:
            with translated(self.source, self.dialect.causes):
                yield
        except TcloseError:
            self.close()
            raise

    def allow_writing(self) -> None:
        """Let the transaction write from here on, in the state that was read."""
        for statement in self.dialect.then_write:
            self.run(statement)

    def run(self, query: str) -> None:
        """Execute a statement that gives no rows."""
        for _ in self.batches(query)[1]:
            pass

    def schema(self, query: str) -> Any:
        """Return the Arrow schema of what a query gives; the query is to give no rows."""
        schema, batches = self.batches(query)
        for _ in batches:
            pass
        return schema

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a small answer: whole numbers and texts."""
        schema, batches = self.batches(query)
        names = [child.name for child in schema.children]
        return [tuple(row[name] for name in names) for batch in batches for row in nanoarrow.Array(batch).to_pylist()]

    def batches(self, query: str) -> tuple[Any, Iterator[Any]]:
        """Return the Arrow schema and the batches of what a query gives."""
        with self._working():
            statement = self._statement(self._connection)
            statement.set_options(**self.dialect.options)
            statement.set_sql_query(query)
            seconds = None if self.dialect.times_out else self.source.timeout
            reader = Reader(lambda: nanoarrow.c_array_stream(statement.execute_query()[0]), seconds)
            try:
                schema = reader.next()
            except BaseException:
                self._stop(reader, statement)
                raise
        return schema, self._read(statement, reader)

    def _read(self, statement: Any, reader: Reader) -> Iterator[Any]:
        with self._working():
            try:
                while (batch := reader.next()) is not None:
                    yield batch
            finally:
                self._stop(reader, statement)

    def _stop(self, reader: Reader, statement: Any) -> None:
        """Stop the database, too, where work is left unfinished; a connection that goes on by itself is abandoned."""
        if reader.stop(self._connection.cancel):
            with suppress(Exception):
                statement.close()
        else:
            self.close.detach()

    def ingest(self, parts: tuple[str, ...], rows: Any, *, temporary: bool = False) -> None:
        """Make a new table, of the name that these parts are, and fill it with an Arrow stream."""
        *schema, name = parts
        options = {"adbc.ingest.target_table": name, "adbc.ingest.mode": "adbc.ingest.mode.create"}
        if temporary:
            options["adbc.ingest.temporary"] = "true"
        if schema:
            options[self.dialect.schema_option] = schema[0]
        with self._working():
            statement = self._statement(self._connection)
            try:
                statement.set_options(**options)
                statement.bind_stream(rows)
                statement.execute_update()
            finally:
                statement.close()

    def commit(self) -> None:
        """Make what was written lasting."""
        with self._working():
            self._connection.commit()


def _connected(kind: Any, dialect: Dialect, source: DatabaseTable, *, writable: bool) -> tuple[Any, Any]:
    """Return a connection with a transaction that goes on until it is ended, and what it is a connection to."""
    database = dialect.database(source, writable=writable)
    try:
        connection = kind(database)
    except BaseException:
        database.close()
        raise
    try:
        connection.set_autocommit(False)
    except BaseException:
        _closed(connection, database)
        raise
    return connection, database


def _closed(connection: Any, database: Any) -> None:
    """End the transaction and close the connection, whatever state it is in."""
    for end in (connection.rollback, connection.close, database.close):
        with suppress(Exception):
            end()


def same_database(one: DatabaseTable, other: DatabaseTable) -> bool:
    """Say whether two tables are surely in one database, for the same user: their addresses are the same.

    Examples
    --------
    >>> table = DatabaseTable("postgres://ann@db.example/clinic#patients")
    >>> same_database(table, DatabaseTable("postgresql://ann@db.example/clinic#published.patients"))
    True
    >>> same_database(table, DatabaseTable("postgresql://bob@db.example/clinic#patients"))
    False
    """
    return one.driver == other.driver and dialect_of(one.driver).same(one, other)
