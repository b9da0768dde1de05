"""Which engine works on a table: the one where its rows already are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tclose.engines.duckdb.statistics import TableStatistics
    from tclose.engines.interface import Progress, Session
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
    from tclose.engines.spark.reading import is_spark_frame
    from tclose.sources import is_database

    if is_spark_frame(table):
        from tclose.engines.spark.session import ClusterSession

        return ClusterSession.of(table, memory=memory, threads=threads, temp=temp)
    if is_database(table):
        from tclose.engines.database.session import DatabaseSession

        return DatabaseSession(read=read, memory=memory, threads=threads, temp=temp)
    from tclose.engines.duckdb.session import DuckDBSession

    return DuckDBSession(read=read, memory=memory, threads=threads, temp=temp)


@contextmanager
def working_session(table: object, **settings: Any) -> Iterator[Session]:
    """Give a session of the engine that a table belongs to, and end its transactions when the block ends.

    They end after an error, too, even while somebody keeps the error and with it the session.

    Parameters
    ----------
    table
        What the caller named or holds.
    settings
        As for :func:`session_for`.
    """
    session = session_for(table, **settings)
    try:
        yield session
    finally:
        if close := getattr(session, "close", None):
            close()


def statistics_of(
    table: object,
    *,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Progress | None = None,
) -> TableStatistics:
    """Return the figures of every column of a table, counted by the engine that it belongs to."""
    from tclose.engines.spark.reading import is_spark_frame
    from tclose.sources import is_database

    if is_spark_frame(table):
        from tclose.engines.spark.statistics import table_statistics as on_the_cluster

        return on_the_cluster(table, progress=progress)
    if is_database(table):
        from tclose.engines.database.statistics import table_statistics as in_the_database

        return in_the_database(table, progress=progress)
    from tclose.engines.duckdb.statistics import table_statistics

    return table_statistics(table, read=read, memory=memory, threads=threads, temp=temp, progress=progress)


def column_names(table: object, *, read: ReadOptions | None = None) -> tuple[str, ...]:
    """Return the names of the columns of a table."""
    with working_session(table, read=read) as session:
        return tuple(column.name for column in session.open(table).columns)
