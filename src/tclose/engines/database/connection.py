"""Connections to databases through ADBC: read-only, with one snapshot for all queries of a verb."""

from __future__ import annotations

import importlib
import queue
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import nanoarrow

from tclose.engines.database.failures import translated
from tclose.errors import EngineNotInstalledError, SourceError, TcloseError
from tclose.sources import DatabaseTable

_AHEAD = 4
"""So many batches wait at most, so that a slow reader does not fill the memory."""
_PATIENCE = 0.1
_SQLITE_ROWS = 65_536
"""SQLite's driver gives so many rows at once."""
_READ_FIRST = {
    "postgresql": ("SAVEPOINT tclose_reading", "SET TRANSACTION READ ONLY"),
    "sqlite": ("PRAGMA query_only = ON",),
}
"""What keeps a transaction that will write from writing before its time, such as by a function in a query."""
_THEN_WRITE = {
    "postgresql": ("ROLLBACK TO SAVEPOINT tclose_reading",),
    "sqlite": ("PRAGMA query_only = OFF",),
}


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
        self.driver = source.driver
        self.writable = writable
        manager = _imported("adbc_driver_manager", self.driver)
        module = _imported(f"adbc_driver_{self.driver}", self.driver)
        with translated(source):
            database = module.connect(_address(source, writable=writable))
            try:
                self._connection = manager.AdbcConnection(database)
            except BaseException:
                database.close()
                raise
        self._statement = manager.AdbcStatement
        self.close = weakref.finalize(self, _closed, self._connection, database)
        self._begin(writable=writable)

    @contextmanager
    def _working(self) -> Iterator[None]:
        """Turn a driver's errors into ours; after one, the transaction is spent and the connection is closed."""
        try:
            with translated(self.source):
                yield
        except TcloseError:
            self.close()
            raise

    def _begin(self, *, writable: bool) -> None:
        with self._working():
            self._connection.set_autocommit(False)
        if self.driver == "postgresql":
            self.run(f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ {'WRITE' if writable else 'ONLY'}")
            if self.source.timeout is not None:
                self.run(f"SET LOCAL statement_timeout = {max(1, round(self.source.timeout * 1000))}")
        if writable:
            for statement in _READ_FIRST.get(self.driver, ()):
                self.run(statement)

    def allow_writing(self) -> None:
        """Let the transaction write from here on, in the state that was read."""
        for statement in _THEN_WRITE.get(self.driver, ()):
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
        statement = self._prepared(query)
        try:
            with self._working():
                stream = nanoarrow.c_array_stream(statement.execute_query()[0])
                schema = stream.get_schema()
        except BaseException:
            statement.close()
            raise
        return schema, self._read(statement, stream)

    def _prepared(self, query: str) -> Any:
        with self._working():
            statement = self._statement(self._connection)
            if self.driver == "sqlite":
                statement.set_options(**{"adbc.sqlite.query.batch_rows": str(_SQLITE_ROWS)})
            statement.set_sql_query(query)
        return statement

    def _read(self, statement: Any, stream: Any) -> Iterator[Any]:
        """Give batches while a thread waits for the next ones; an interrupt stops the database, too."""
        reader = _Reader(stream)
        with self._working():
            try:
                yield from reader
            finally:
                if reader.busy:
                    with suppress(Exception):
                        self._connection.cancel()
                reader.stop()
                with suppress(Exception):
                    statement.close()

    def ingest(self, parts: tuple[str, ...], rows: Any, *, temporary: bool = False) -> None:
        """Make a new table, of the name that these parts are, and fill it with an Arrow stream."""
        *schema, name = parts
        options = {"adbc.ingest.target_table": name, "adbc.ingest.mode": "adbc.ingest.mode.create"}
        if temporary:
            options["adbc.ingest.temporary"] = "true"
        if schema:
            options["adbc.ingest.target_catalog" if self.driver == "sqlite" else "adbc.ingest.target_db_schema"] = (
                schema[0]
            )
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


class _Reader:
    """Reads a stream in a thread of its own, a few batches ahead."""

    def __init__(self, stream: Any) -> None:
        self._waiting: queue.Queue[Any] = queue.Queue(_AHEAD)
        self._abandoned = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(stream,), name="tclose-database", daemon=True)
        self._thread.start()

    def _run(self, stream: Any) -> None:
        try:
            with stream:
                for batch in stream:
                    self._offer(batch)
                    if self._abandoned.is_set():
                        return
            self._offer(None)
        except BaseException as problem:  # noqa: BLE001 - it is raised where the batches are awaited
            self._offer(problem)

    def _offer(self, item: object) -> None:
        while not self._abandoned.is_set():
            try:
                self._waiting.put(item, timeout=_PATIENCE)
            except queue.Full:
                continue
            return

    def __iter__(self) -> Iterator[Any]:
        while (item := self._waiting.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item

    @property
    def busy(self) -> bool:
        """Whether the stream is still being read."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Leave the rest of the stream unread."""
        self._abandoned.set()
        self._thread.join()


def _closed(connection: Any, database: Any) -> None:
    """End the transaction and close the connection, whatever state it is in."""
    for end in (connection.rollback, connection.close, database.close):
        with suppress(Exception):
            end()


def _imported(package: str, driver: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError:
        extra = "database"
        raise EngineNotInstalledError(f"Reading a {driver} database", package.replace("_", "-"), extra) from None


def _address(source: DatabaseTable, *, writable: bool) -> str:
    """Return what the driver is to connect to."""
    if source.uri.lower().startswith("adbc:"):
        return source.uri.split(":", 2)[2]
    if source.driver != "sqlite":
        return source.uri
    path = sqlite_path(source.uri)
    if not path.is_file() and not (writable and path.parent.is_dir()):
        raise SourceError(f"There is no SQLite database {str(path)!r}. Check the path.")
    escaped = str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{escaped}?mode={'rwc' if writable else 'ro'}"


def sqlite_path(uri: str) -> Path:
    """Return the file of an address: ``sqlite:PATH``, or ``sqlite:///PATH`` as other tools write it.

    Examples
    --------
    >>> sqlite_path("sqlite:data/clinic.db").as_posix(), sqlite_path("sqlite:////data/clinic.db").as_posix()
    ('data/clinic.db', '/data/clinic.db')
    """
    path = uri.partition(":")[2]
    if not path.startswith("///"):
        return Path(path)
    absolute, relative = Path(path[2:]), Path(path[3:])
    return absolute if absolute.exists() else relative


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
    if one.driver != other.driver:
        return False
    if one.uri.lower().startswith("sqlite:") and other.uri.lower().startswith("sqlite:"):
        return sqlite_path(one.uri).resolve() == sqlite_path(other.uri).resolve()
    return one.uri.partition(":")[2] == other.uri.partition(":")[2]
