"""Opening and closing DuckDB: in memory, offline, with a private folder to spill to."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import re
import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from tclose.data import progress, targets
from tclose.data.targets import PrivateFolder
from tclose.errors import EngineFailedError, InputError

# How much memory a person allows, in bytes.


UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
         "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}  # fmt: skip
_SIZE = re.compile(r"\s*(\d{1,6}(?:\.\d{1,3})?)\s*([kKMGT]i?B|B)\s*")


def bytes_of(memory: str) -> int | None:
    """Return the bytes that a size of memory stands for; None where a text is no such size.

    Examples
    --------
    >>> bytes_of("4GB"), bytes_of("1.5 MiB"), bytes_of("much")
    (4000000000, 1572864, None)
    """
    match = _SIZE.fullmatch(memory)
    return None if match is None else int(float(match[1]) * UNITS[match[2].replace("k", "K")])


_SPILL = "spill"
_MOST_THREADS = 1024
_LEAST_MEMORY = 5_000_000
_LEAST_SHARE = 3
"""One part in so many of what is allowed is DuckDB's, whatever is held beside it."""
_LITTLE_MEMORY = 50_000_000
"""Two parts of three are, where that is less than so many bytes: with fewer it may have no room to spill from."""
_MEMORY_OF_A_THREAD = 250_000_000
"""With fewer bytes for each, threads that sort wide rows leave each other no room to spill from."""


def connect(
    *, memory: str | None = None, threads: int | None = None, temp: str | None = None
) -> duckdb.DuckDBPyConnection:
    """Open DuckDB in memory: no network, no extensions from outside, no sight of Python variables.

    Parameters
    ----------
    memory
        The most memory to use, such as ``"4GB"``; DuckDB's own bound by default.
    threads
        The number of threads; by default all cores, or as many as the memory has room for.
    temp
        The folder in which the private spill folder is made; the system's temporary folder by default.

    Returns
    -------
    duckdb.DuckDBPyConnection
        The connection; its spill folder goes with it, on :func:`disconnect` or at exit.

    Examples
    --------
    >>> connection = connect(threads=1)
    >>> connection.execute("SELECT current_setting('threads')").fetchall()
    [(1,)]
    >>> disconnect(connection)
    """
    if memory is None and threads is None and temp is None:
        return _prepared(_shared(os.getpid()).cursor(), _private_folder(Path(tempfile.gettempdir())))
    place = _private_folder(Path(temp) if temp else Path(tempfile.gettempdir()))
    return _prepared(_opened(place, memory=memory, threads=threads), place)


@functools.cache
def _shared(process: int) -> duckdb.DuckDBPyConnection:
    """Return the database that connections of a process share if they ask for nothing special.

    Opening one takes as long as auditing a small table. What a connection makes is temporary and its own.
    """
    del process  # a forked child must neither use nor close the database of its parent
    place = _private_folder(Path(tempfile.gettempdir()))
    return _prepared(_opened(place), place)


def _opened(
    place: PrivateFolder, *, memory: str | None = None, threads: int | None = None
) -> duckdb.DuckDBPyConnection:
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "preserve_insertion_order": "false",
        "python_enable_replacements": "false",
        "temp_directory": str(place.path / _SPILL),
    }
    too_little = memory is not None and not _is_enough(memory)
    if too_little or (threads is not None and not _is_number_of_threads(threads)):
        place.remove()
        raise _refused(memory, threads)
    if memory is not None:
        config["memory_limit"] = memory.strip()
    if threads is not None:
        config["threads"] = str(threads)
    try:
        connection = duckdb.connect(":memory:", config=config)
    except duckdb.Error:
        place.remove()
        raise _refused(memory, threads) from None
    if memory is not None and threads is None:
        fitting = max(1, allowed_memory(connection) // _MEMORY_OF_A_THREAD)
        connection.execute(f"SET threads = least({fitting}, current_setting('threads'))")
    if memory is not None:
        _allowed[connection] = bytes_of(memory) or allowed_memory(connection)  # which is rounded
    return connection


def allowed_memory(connection: duckdb.DuckDBPyConnection) -> int:
    """Return how many bytes a connection may use, about."""
    ((text,),) = connection.execute("SELECT current_setting('memory_limit')").fetchall()
    number, unit = str(text).split(" ")
    return int(float(number) * UNITS.get(unit, 1))


def share_memory(connection: duckdb.DuckDBPyConnection, holder: str, taken: int) -> None:
    """Let a connection use what its caller allowed without what is held beside it, but for a share that stays its own.

    Parameters
    ----------
    connection
        The connection; where nobody said how much it may use, nothing is done.
    holder
        What holds memory beside DuckDB; what others hold counts as well.
    taken
        About how many bytes it holds from now on.
    """
    if connection in _allowed:
        _held.setdefault(connection, {})[holder] = taken
        give_back(connection)


def give_back(connection: duckdb.DuckDBPyConnection) -> None:
    """Give memory that was freed back to the system, where the caller of a connection said how much it may use.

    DuckDB does so whenever its bound is set, with what it freed itself and with what the rest of the process did.
    """
    allowed = _allowed.get(connection)
    if allowed is not None:
        least = max(allowed // _LEAST_SHARE, min(2 * allowed // 3, _LITTLE_MEMORY))
        bound = max(allowed - sum(_held.get(connection, {}).values()), least)
        with contextlib.suppress(duckdb.OutOfMemoryException):  # it keeps what it holds and cannot spill
            connection.execute(f"SET memory_limit = '{bound}B'")


def given_memory(connection: duckdb.DuckDBPyConnection) -> int | None:
    """Return how many bytes the caller allowed; None where nothing was said."""
    return _allowed.get(connection)


def _is_number_of_threads(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= _MOST_THREADS


def _is_enough(memory: object) -> bool:
    """Say whether a text is a size of memory with which DuckDB can start at all."""
    return isinstance(memory, str) and (bytes_of(memory) or 0) >= _LEAST_MEMORY


def _refused(memory: object, threads: object) -> InputError:
    given = {"memory": memory if isinstance(memory, int) else memory and str(memory)[:40], "threads": threads}
    settings = ", ".join(f"{name} {value!r}" for name, value in given.items() if value is not None)
    return InputError(
        f"DuckDB does not accept these settings: {settings}. Write memory as "
        f"'4GB', at least {_LEAST_MEMORY // 10**6}MB, and threads as a whole number from 1 to {_MOST_THREADS}."
    )


def _prepared(connection: duckdb.DuckDBPyConnection, place: PrivateFolder) -> duckdb.DuckDBPyConnection:
    """Make a connection report progress, and tie its private folder to it.

    In a notebook without ipywidgets DuckDB refuses to: it then says of no query how far it is.
    """
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = true")
        connection.execute("SET enable_progress_bar_print = false")
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    _folders[connection] = place.path
    for gathering in getattr(_gathering, "sets", ()):
        gathering.add(connection)
    _finalizers[connection] = weakref.finalize(connection, place.remove)
    return connection


def disconnect(connection: duckdb.DuckDBPyConnection) -> None:
    """Close a connection and remove its private folder."""
    with _asking:
        connection.close()
    if finalizer := _finalizers.pop(connection, None):
        finalizer()


@contextmanager
def gathered() -> Iterator[weakref.WeakSet[duckdb.DuckDBPyConnection]]:
    """Give the connections that this thread opens while the block runs, so that another thread can interrupt them."""
    found: weakref.WeakSet[duckdb.DuckDBPyConnection] = weakref.WeakSet()
    before = getattr(_gathering, "sets", ())
    _gathering.sets = (*before, found)
    try:
        yield found
    finally:
        _gathering.sets = before


def share_done(connections: Iterable[duckdb.DuckDBPyConnection] | None = None) -> float | None:
    """Return which share is done of the query that runs on one of some connections, else of the process's.

    Another thread may ask, while a query runs; None where none does, or where DuckDB does not know.
    """
    with _asking:
        for connection in list(_folders if connections is None else connections):
            try:
                percent = connection.query_progress()
            except duckdb.Error:  # it is closed
                continue
            if percent >= 0:
                return min(1.0, percent / 100)
    return None


def private_folder(connection: duckdb.DuckDBPyConnection) -> Path:
    """Return the folder of a connection that only its owner can read."""
    return _folders[connection]


_gathering = threading.local()
_asking = threading.Lock()
"""Held while a connection is asked how far it is, or closed, because nobody may ask one that is being closed."""
_allowed: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, int] = weakref.WeakKeyDictionary()
_held: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, dict[str, int]] = weakref.WeakKeyDictionary()
_folders: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, Path] = weakref.WeakKeyDictionary()
_finalizers: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, weakref.finalize[[], duckdb.DuckDBPyConnection]] = (
    weakref.WeakKeyDictionary()
)


progress.ask(share_done)


@atexit.register
def _disconnect_all() -> None:
    for connection in list(_finalizers):
        disconnect(connection)


def _private_folder(parent: Path) -> PrivateFolder:
    try:
        return targets.private_folder(parent)
    except OSError as problem:
        raise EngineFailedError(
            f"No temporary folder can be made in {str(parent)!r}: {problem.strerror}. Name another one."
        ) from None
