"""The tables of a database, by the names that its addresses take."""

from __future__ import annotations

import ctypes
import re
import time
import weakref
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import nanoarrow
from nanoarrow.c_array import CArray

from tclose.data.sources import DatabaseTable
from tclose.data.sources.database import table_name
from tclose.engines.database.dialect import Cause, Dialect
from tclose.engines.database.dialects import dialect_of
from tclose.engines.errors import imported, translating
from tclose.engines.prefetching import ReadAhead
from tclose.errors import EngineFailedError, HeadroomError, SourceError, TcloseError

# From a driver's errors to ours, without the cells, passwords and queries that databases quote in their texts.


_STATE = re.compile(r"SQLSTATE: ([0-9A-Z]{5})")
_UNREACHED = ("connection refused", "could not translate host name", "could not connect", "no route to host",
              "network is unreachable", "timeout expired", "is the server running", "name or service not known",
              "no such file or directory")  # fmt: skip
_LOST = ("server closed the connection", "terminating connection", "connection not open", "no connection to the server",
         "connection reset", "broken pipe", "ssl syscall error", "lost synchronization", "admin shutdown",
         "shutting down", "could not receive data", "could not send data", "eof detected")  # fmt: skip
_LOCKED = ("could not set lock", "database is locked", "database table is locked", "disk i/o error")
_PASSWORDS = ("authentication failed", "no password supplied", "no pg_hba.conf entry", "password")
_DENIED = "{server} refused the user or the password."
_NO_ANSWER = "No database answers at {server}. Check the host and the port, and that it runs."
_CAUSES: tuple[Cause, ...] = (
    (("42501",), ("permission denied",), "{server} does not let this user work with {what}. Ask for the right to."),
    (("28",), (), _DENIED),
    (
        ("25006",),
        ("read-only transaction", "readonly database"),
        "The query on {server} would change something; give one that only reads.",
    ),
    (
        ("42P01", "3F000"),
        ("no such table",),
        "{server} has no {named}. Check the schema, the name and its capitals.",
    ),
    (("42P07",), ("already exists",), "{server} has {what} already. Name one that is not there, or drop it first."),
    (
        ("3D000", "42703"),
        ("does not exist", "no such schema", "unknown database"),
        "{server} does not have that database, user or column. Check the address and the query.",
    ),
    ((), _UNREACHED, _NO_ANSWER),
    (
        ("42", "0A"),
        ("syntax error", "no such column", "no such function", "incomplete input", "unrecognized token"),
        "{server} does not understand {what}: it is not one query that gives rows.",
    ),
    ((), ("unable to open",), "{server} cannot be opened. Check the path and its permissions."),
    ((), ("failed to connect",), "{server} cannot be reached by this address. Check how it is written."),
    (
        ("22",),
        ("invalid input syntax", "out of range", "division by zero", "invalid byte sequence", "cannot take"),
        "In {what} of {server} there is a value that an expression refuses. Mend the value or the expression.",
    ),
)
"""What the messages of any database mean; the first that applies counts."""


@contextmanager
def translated(source: DatabaseTable, causes: tuple[Cause, ...] = ()) -> Iterator[None]:
    """Turn every exception of a driver into one of ours, which names the table and the server.

    Parameters
    ----------
    source
        What is being read.
    causes
        What the dialect knows of its messages.

    Raises
    ------
    SourceError
        If the address, the table or the query is wrong, or access is refused.
    HeadroomError
        If the database ran out of memory or disk.
    EngineFailedError
        If the database stopped, or its connection was lost.
    """
    with translating(lambda problem: translation(problem, source, causes)):
        yield


def translation(problem: BaseException, source: DatabaseTable, causes: tuple[Cause, ...] = ()) -> TcloseError:
    """Return our exception for one of a driver's; its text is built from facts, never passed on."""
    text = str(problem).lower()
    state = str(getattr(problem, "sqlstate", None) or "") or (
        found[1] if (found := _STATE.search(str(problem))) else ""
    )
    if isinstance(problem, TimeoutError):
        return _late(source)
    if state[:2] in ("57", "08") or any(sign in text for sign in (*_LOST, "canceling statement")):
        return _stopped(text, state, source)
    if state[:2] == "53" or "out of memory" in text or "disk full" in text or "no space left" in text:
        return HeadroomError(f"{source.server} ran out of memory or disk while it grouped {_what(source)}.")
    if any(sign in text for sign in _LOCKED):
        return EngineFailedError(f"{source.server} is in use by somebody who writes to it. Run again later.")
    return _refused(text, state, source, causes)


def _stopped(text: str, state: str, source: DatabaseTable) -> TcloseError:
    if state == "57014" or "canceling statement" in text:
        if "timeout" in text:
            return _late(source)
        return EngineFailedError(f"The work of {source.server} on {_what(source)} was cancelled there.")
    if any(sign in text for sign in _UNREACHED):
        return SourceError(_NO_ANSWER.format(server=source.server))
    return EngineFailedError(
        f"The connection to {source.server} was lost while working on {_what(source)}. "
        "Run again when the server is there; nothing was changed."
    )


def _late(source: DatabaseTable) -> TcloseError:
    return EngineFailedError(
        f"{source.server} did not finish its work on {_what(source)} in the time allowed. Allow more."
    )


def _refused(text: str, state: str, source: DatabaseTable, causes: tuple[Cause, ...]) -> TcloseError:
    """Return the error for what the person can mend, or say that the engine failed."""
    connecting = "failed to connect" in text
    for states, signs, reason in (*causes, *_CAUSES):
        if any(state.startswith(each) for each in states) or any(sign in text for sign in signs):
            break
        if connecting and reason == _DENIED and any(sign in text for sign in _PASSWORDS):
            break
    else:
        return EngineFailedError(
            f"{source.server} stopped while working on {_what(source)}. Its words are withheld: they may quote cells."
        )
    return SourceError(reason.format(server=source.server, what=_what(source), named=_named(source)))


def _what(source: DatabaseTable) -> str:
    return "the query" if source.table is None else f"the table {source.table}"


def _named(source: DatabaseTable) -> str:
    return "table that the query names" if source.table is None else f"table {source.table}"


# Arrow streams of a driver, read a few batches ahead in a thread of their own, so that everything else goes on.


_AHEAD = 4
"""So many batches wait at most, so that a slow reader does not fill the memory."""
_GRACE = 10.0
"""So many seconds a driver has to stop once it was told to."""
_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_ERROR = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)


class _Stream(ctypes.Structure):
    """The functions of an Arrow stream, as its interface lays them out."""

    _fields_ = [
        (name, ctypes.c_void_p) for name in ("get_schema", "get_next", "get_last_error", "release", "private_data")
    ]


def batches(stream: Any) -> Iterator[Any]:
    """Give the batches of a stream; other threads run while the driver works, which nanoarrow would not let them."""
    place, schema = stream._addr(), stream.get_schema()
    functions = _Stream.from_address(place)
    get_next, get_last_error = _NEXT(functions.get_next), _ERROR(functions.get_last_error)
    while True:
        batch = CArray.allocate(schema)
        if get_next(place, batch._addr()):
            raise RuntimeError((get_last_error(place) or b"").decode("utf-8", "replace"))
        if not batch.is_valid():
            return
        yield batch


class Reader:
    """Has a driver work in a thread of its own, and reads what it gives a few batches ahead.

    Parameters
    ----------
    start
        Begins the work and returns its stream.
    seconds
        How long all of it may take; None for as long as it takes.
    """

    def __init__(self, start: Callable[[], Any], seconds: float | None = None) -> None:
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._reading = ReadAhead(_schema_and_batches(start), _AHEAD, "tclose-database")

    def next(self) -> Any:
        """Return what comes next: the schema first, then the batches, and None at the end."""
        return self._reading.next(None if self._deadline is None else max(0.0, self._deadline - time.monotonic()))

    def stop(self, cancel: Callable[[], object]) -> bool:
        """Leave the rest unread, and say whether the driver has stopped; one that cannot be cancelled may go on."""
        self._reading.abandon()
        if not self._reading.ended():
            try:
                awaited(cancel, _GRACE)
            except Exception:  # noqa: BLE001 - drivers raise errors of many kinds where they cannot
                return False
        return self._reading.ended(_GRACE)


def awaited(work: Callable[[], Any], seconds: float | None, drop: Callable[[Any], object] | None = None) -> Any:
    """Have a driver do something in a thread of its own: a server that says nothing holds nobody up.

    Parameters
    ----------
    work
        What to do.
    seconds
        How long it may take; None for as long as it takes, which an interrupt ends.
    drop
        Takes back what is done when nobody waits for it any more.

    Raises
    ------
    TimeoutError
        If it is not done in time.
    """
    doing = ReadAhead(_done(work, drop), 1, "tclose-database")
    try:
        return doing.next(seconds)
    except BaseException:
        doing.abandon()
        raise


def _done(work: Callable[[], Any], drop: Callable[[Any], object] | None) -> Generator[Any, None, None]:
    made = work()
    if made is None:
        return
    try:
        yield made
    except GeneratorExit:
        if drop is not None:
            drop(made)
        raise


def _schema_and_batches(start: Callable[[], Any]) -> Generator[Any, None, None]:
    with start() as stream:
        yield stream.get_schema()
        yield from batches(stream)


# Connections to databases through ADBC: read-only, with one snapshot for all queries of a verb.


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


MOST_TABLES = 2_000


def tables_of(uri: str, name: str | None = None) -> list[str]:
    """Return the tables and views of a database, each as ``TABLE`` or ``SCHEMA.TABLE``.

    Parameters
    ----------
    uri
        The address of the database, without a table.
    name
        How messages name it; by its address if left out.
    """
    connection = Connection(DatabaseTable(uri, query="its tables").named("the list of its tables", name))
    try:
        rows = connection.rows(connection.dialect.tables(MOST_TABLES))
    finally:
        connection.close()
    return [table_name([part for part in row if part]) for row in rows]
