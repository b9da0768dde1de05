"""Opening and closing DuckDB: in memory, offline, with a private folder to spill to."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import stat
import tempfile
import time
import weakref
from pathlib import Path
from typing import IO

import duckdb

from tclose.errors import EngineFailedError, InputError

_PREFIX = "tclose-"
_ALIVE = "alive"
_SPILL = "spill"
_SETTLING_SECONDS = 60
_MOST_THREADS = 1024


def connect(
    *, memory: str | None = None, threads: int | None = None, temp: str | None = None
) -> duckdb.DuckDBPyConnection:
    """Open DuckDB in memory: no network, no extensions from outside, no sight of Python variables.

    Parameters
    ----------
    memory
        The most memory to use, such as ``"4GB"``; DuckDB's own bound by default.
    threads
        The number of threads; all cores by default.
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


def _opened(place: _Place, *, memory: str | None = None, threads: int | None = None) -> duckdb.DuckDBPyConnection:
    folder, alive = place
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "preserve_insertion_order": "false",
        "python_enable_replacements": "false",
        "temp_directory": str(folder / _SPILL),
    }
    if threads is not None and not 1 <= threads <= _MOST_THREADS:
        _remove(folder, alive, os.getpid())
        raise _refused(memory, threads)
    if memory is not None:
        config["memory_limit"] = memory
    if threads is not None:
        config["threads"] = str(threads)
    try:
        return duckdb.connect(":memory:", config=config)
    except duckdb.Error:
        _remove(folder, alive, os.getpid())
        raise _refused(memory, threads) from None


def _refused(memory: str | None, threads: int | None) -> InputError:
    return InputError(
        f"DuckDB does not accept these settings: memory {memory!r}, threads {threads!r}. "
        f"Write memory as '4GB', and threads as a whole number from 1 to {_MOST_THREADS}."
    )


def _prepared(connection: duckdb.DuckDBPyConnection, place: _Place) -> duckdb.DuckDBPyConnection:
    """Make a connection report progress, and tie its private folder to it."""
    connection.execute("SET enable_progress_bar = true")
    connection.execute("SET enable_progress_bar_print = false")
    folder, alive = place
    _folders[connection] = folder
    _finalizers[connection] = weakref.finalize(connection, _remove, folder, alive, os.getpid())
    return connection


def disconnect(connection: duckdb.DuckDBPyConnection) -> None:
    """Close a connection and remove its private folder."""
    connection.close()
    if finalizer := _finalizers.pop(connection, None):
        finalizer()


def private_folder(connection: duckdb.DuckDBPyConnection) -> Path:
    """Return the folder of a connection that only its owner can read."""
    return _folders[connection]


_Place = tuple[Path, IO[bytes]]
"""A private folder and the open file whose lock says that its owner lives."""
_folders: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, Path] = weakref.WeakKeyDictionary()
_finalizers: weakref.WeakKeyDictionary[
    duckdb.DuckDBPyConnection, weakref.finalize[[Path, IO[bytes], int], duckdb.DuckDBPyConnection]
] = weakref.WeakKeyDictionary()


@atexit.register
def _disconnect_all() -> None:
    for connection in list(_finalizers):
        disconnect(connection)


def _private_folder(parent: Path) -> tuple[Path, IO[bytes]]:
    try:
        _sweep(parent)
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))  # created with mode 0700
        alive = (folder / _ALIVE).open("wb")
    except OSError as problem:
        raise EngineFailedError(
            f"No temporary folder can be made in {str(parent)!r}: {problem.strerror}. Name another one."
        ) from None
    _lock(alive)
    return folder, alive


def _sweep(parent: Path) -> None:
    """Remove the folders of our own processes that died without cleaning up."""
    for folder in parent.glob(f"{_PREFIX}*"):
        try:
            about = folder.lstat()
            ours = stat.S_ISDIR(about.st_mode) and (not hasattr(os, "getuid") or about.st_uid == os.getuid())
            if ours and time.time() - about.st_mtime > _SETTLING_SECONDS and _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


def _is_abandoned(folder: Path) -> bool:
    """Say whether the owner of a folder is dead: nobody holds the lock on its ``alive`` file."""
    with (folder / _ALIVE).open("rb+") as alive:
        return _lock(alive)


def _lock(file: IO[bytes]) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows has no such lock: there, nothing of another process is swept
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove(folder: Path, alive: IO[bytes], owner: int) -> None:
    alive.close()
    if os.getpid() == owner:  # not in a forked child, whose parent still works there
        shutil.rmtree(folder, ignore_errors=True)
