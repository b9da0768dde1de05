"""Which engine works on a table: the one where its rows already are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tclose.engines.interface import Session
    from tclose.sources import ReadOptions


def session_for(
    table: object,
    *,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
) -> Session:
    """Return a session of the engine that a table belongs to.

    Parameters
    ----------
    table
        What the caller named or holds.
    read
        How files are to be read.
    memory, threads, temp
        What the engine may use, where that is ours to say.
    """
    del table
    from tclose.engines.duckdb.session import DuckDBSession

    return DuckDBSession(read=read, memory=memory, threads=threads, temp=temp)
