"""Readers that may crash, hang or take all memory run apart: in a process with limits, whose answers lie in a file."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from tclose.engines.duckdb.connection import allowed_memory, private_folder
from tclose.engines.duckdb.package_reader import answer_of
from tclose.engines.duckdb.sql import fresh_name
from tclose.errors import EngineFailedError, EngineNotInstalledError, SourceError

LEAST_MEMORY = 2**30
"""Bytes that a reader is given at least: its own code takes some hundred million of addresses."""
SECONDS = 900
"""How long a reader may work."""
_FRUGAL = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
"""What keeps packages from taking addresses that they do not use."""


class DamagedError(Exception):
    """The reader says that the file is not what it should be."""


def needed(module: str, package: str, purpose: str) -> None:
    """Refuse to go on without a package of the extra ``files``."""
    if importlib.util.find_spec(module) is None:
        raise EngineNotInstalledError(purpose, package, "files")


def answers(connection: duckdb.DuckDBPyConnection, name: str, **request: Any) -> Iterator[list[Any]]:
    """Give what a reader in a process of its own says of a file.

    Parameters
    ----------
    connection
        Whose memory bounds the reader's, and whose private folder takes its answers.
    name
        How messages name the file.
    request
        What :mod:`~tclose.engines.duckdb.package_reader` is asked for.

    Raises
    ------
    DamagedError
        If the reader refuses the file.
    SourceError
        If it crashed, took more memory or more time than it may.
    """
    memory = max(LEAST_MEMORY, allowed_memory(connection))
    path = private_folder(connection) / fresh_name("answers")
    try:
        code = _run({**request, "answers": str(path), "memory": memory, "seconds": SECONDS}, name)
        yield from _read(path, name, code, memory)
    finally:
        path.unlink(missing_ok=True)


def _run(request: dict[str, Any], name: str) -> int:
    """Run the reader to its end, or to the end of its time, and return its exit code."""
    paths = os.pathsep.join(path for path in sys.path if path)
    surroundings = {**os.environ, **_FRUGAL, "PYTHONPATH": paths}
    command = [sys.executable, "-P", "-X", "utf8", "-m", "tclose.engines.duckdb.package_reader"]
    nowhere = subprocess.DEVNULL
    try:
        process = subprocess.Popen(  # noqa: S603 - our own
            command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, env=surroundings
        )
    except OSError as problem:
        raise EngineFailedError(f"No process can be started to read {name}: {problem.strerror}.") from None
    try:
        return _waited(process, request)
    except subprocess.TimeoutExpired:
        raise SourceError(
            f"{name} cannot be read: its reader did not end within {request['seconds']} seconds. "
            "The file is damaged or too large; save the table as CSV or Parquet."
        ) from None
    finally:
        process.kill()
        process.communicate()


def _waited(process: subprocess.Popen[bytes], request: dict[str, Any]) -> int:
    """Ask the reader, and wait until it ends; while standard input is open, it knows that it is wanted."""
    with contextlib.suppress(BrokenPipeError):  # it ended before it was asked
        if process.stdin is not None:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
    return process.wait(request["seconds"])


def _read(path: Path, name: str, code: int, memory: int) -> Iterator[list[Any]]:
    ended = False
    if code == 0 and path.exists():
        with path.open(encoding="ascii") as lines:
            for line in lines:
                answer = answer_of(line)
                if answer == ["damaged"]:
                    raise DamagedError
                ended = answer == ["end"]
                if not ended:
                    yield answer
    if not ended:
        raise SourceError(
            f"{name} cannot be read: its reader crashed, or needed more than the {memory // 2**20:,} MiB that it may "
            "take. The file is damaged, or has cells very far apart; save the table as CSV or Parquet, or allow more "
            "memory."
        )
