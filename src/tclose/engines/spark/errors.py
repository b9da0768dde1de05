"""From Spark's exceptions to ours, without the cells that Spark quotes in its texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from tclose.engines.errors import capital, stopped, translating
from tclose.errors import EngineFailedError, HeadroomError, SourceError, TcloseError

_FOREIGN = ("pyspark", "py4j", "grpc", "pyarrow")
"""Packages whose exceptions are Spark's way to say that something went wrong."""
_MISSING_MODULE = re.compile(r"No module named '(tclose|pyarrow|numpy)")
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")
_NO_ROOM = ("OutOfMemoryError", "No space left on device", "GC overhead limit", "exceeds max allowed", "MemoryError")
_NOT_THERE = ("PATH_NOT_FOUND", "TABLE_OR_VIEW_NOT_FOUND", "FILE_NOT_EXIST", "FileNotFoundException")
_FORBIDDEN = ("Permission denied", "AccessControlException", "AccessDenied", "(403)")
_UNREADABLE = (
    "UNABLE_TO_INFER_SCHEMA", "CANNOT_READ_FILE", "FAILED_READ_FILE", "MALFORMED", "CAST_INVALID_INPUT",
    "not a Parquet",
)  # fmt: skip


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Turn every exception of Spark into one of ours that carries no cell.

    Parameters
    ----------
    what
        What is being read or done, as the person knows it.

    Raises
    ------
    SourceError
        If the input cannot be found or read.
    HeadroomError
        If an executor or the driver has not enough memory or disk.
    EngineFailedError
        If Spark stopped for another reason.
    """
    with translating(lambda problem: translation(problem, what) if _from_spark(problem) else None):
        yield


def _from_spark(problem: Exception) -> bool:
    packages = {parent.__module__.partition(".")[0] for parent in type(problem).__mro__}
    return bool(packages & set(_FOREIGN)) or isinstance(problem, ConnectionError | EOFError)


def translation(problem: Exception, what: str) -> TcloseError:
    """Return our exception for one of Spark's; its text is built from facts, never passed on."""
    text = str(problem)
    if missing := _MISSING_MODULE.search(text):
        return EngineFailedError(
            f"Spark's executors have no Python package {missing[1]!r}. Install tclose with its extra 'spark' where "
            "they run, or ship it with --py-files; PYSPARK_PYTHON names the Python they use."
        )
    if any(sign in text for sign in _NO_ROOM):
        return HeadroomError(
            f"{capital(what)} does not fit into the memory or disk that Spark allows its executors and driver. "
            "Allow more (spark.executor.memory, spark.driver.memory), or set more spark.sql.shuffle.partitions."
        )
    if any(sign in text for sign in _NOT_THERE):
        return SourceError(f"{capital(what)} cannot be read: Spark finds no such table, path or file.")
    if any(sign in text for sign in _FORBIDDEN):
        return SourceError(f"{capital(what)} cannot be read or written: Spark has no permission. Ask who grants it.")
    if any(sign in text for sign in _UNREADABLE):
        return SourceError(f"{capital(what)} cannot be read: it is damaged, or not what its name or schema says.")
    condition = _CONDITION.search(text)
    kind = condition[1] if condition else type(problem).__name__
    return EngineFailedError(stopped("Spark", what, kind))
