"""Which engine works on a table: the one where its rows already are. Verbs and faces know them by this door alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tclose.data.progress import silent
from tclose.data.sources import DatabaseTable, ReadOptions, is_database
from tclose.engines.errors import imported
from tclose.engines.spark.reading import is_in_spark
from tclose.errors import InputError

if TYPE_CHECKING:
    from tclose.data.targets import Target
    from tclose.engines.base import Engine, Progress, RecodedTable, Table
    from tclose.engines.statistics import TableStatistics


def _kind(table: object) -> type[Engine]:
    if is_in_spark(table):
        imported("pyspark", "The engine spark", "spark")
        from tclose.engines.spark.session import ClusterSession

        return ClusterSession
    if is_database(table):
        from tclose.engines.database.session import DatabaseSession

        return DatabaseSession
    from tclose.engines.duckdb.session import DuckDBSession

    return DuckDBSession


def is_on_cluster(table: object) -> bool:
    """Say whether the rows of a table are on a cluster, where this process does not read them."""
    return is_in_spark(table)


def session_for(
    table: object,
    *,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
) -> Engine:
    """Return the engine that a table belongs to.

    Parameters
    ----------
    table
        What the caller named or holds.
    read
        How files are to be read.
    memory, threads, temp
        What the engine may use, where that is ours to say.
    """
    if not isinstance(read, ReadOptions | None):
        raise InputError(
            f"How files are read is given as ReadOptions(…), not as an object of type {type(read).__name__}."
        )
    return _kind(table).of(table, read=read, memory=memory, threads=threads, temp=temp)


@contextmanager
def working_session(table: object, **settings: Any) -> Iterator[Engine]:
    """Give the engine that a table belongs to, and end its transactions when the block ends.

    They end after an error, too, even while somebody keeps the error and with it the engine.

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
        session.close()


def statistics_of(table: object, *, progress: Progress | None = None, **settings: Any) -> TableStatistics:
    """Return the figures of every column of a table, counted by the engine that it belongs to."""
    with working_session(table, **settings) as session:
        (progress or silent)("Reading the table", None)
        return session.statistics(session.open(table), progress or silent)


def column_names(table: object, *, read: ReadOptions | None = None) -> tuple[str, ...]:
    """Return the names of the columns of a table."""
    with working_session(table, read=read) as session:
        return session.names(table)


def database_tables(uri: str, name: str | None = None) -> list[str]:
    """Return the tables and views of a database that may be read; messages name it by its address, or otherwise."""
    from tclose.engines.database.connection import tables_of

    return tables_of(uri, name)


def target_for(table: object, path: str | Path) -> Target:
    """Return where a table, or the classes of one, would be written by its engine; refused if it cannot say how."""
    return _kind(table).target(path)


def write_values(columns: Mapping[str, Sequence[object]], path: Path, label: str) -> None:
    """Write columns of values to a file; messages name what is written by a label."""
    from tclose.engines.duckdb.values_written import write_values as written

    written(columns, path, label)


def transaction(
    source: DatabaseTable | None, target: DatabaseTable | None, *, replace: bool = False
) -> AbstractContextManager[object]:
    """Begin the transaction in which a table is read, to be recoded, and its release stored if that goes there, too."""
    from tclose.engines.database.released import begun

    return begun(source, target, replace=replace)


@contextmanager
def stored(
    released: RecodedTable[Any],
    target: DatabaseTable,
    engine: Engine,
    *,
    replace: bool = False,
    original: Table[Any] | None = None,
) -> Iterator[tuple[Engine, Table[Any]]]:
    """Make a table of a release, give it and the engine to audit it, and keep it when the block ends well.

    Parameters
    ----------
    released
        The rows.
    target
        The table to make.
    engine
        The engine that made the release.
    replace
        Whether a table that is there may be replaced.
    original
        The table that the release was made of, which never is.
    """
    from tclose.engines.database.released import storing
    from tclose.engines.database.session import DatabaseSession

    session = engine if isinstance(engine, DatabaseSession) else DatabaseSession()
    with storing(released, target, session, replace=replace, original=original) as table:
        yield session, table


def held_rows(table: object, *, read: ReadOptions | None = None, sample: int | None = None) -> Any:
    """Read a table once and hold its rows, to be looked at often; what an audit says of them is the same.

    With ``sample`` no more than that many rows are held, drawn at random.
    """
    from tclose.engines.duckdb.load import hold

    return hold(table, read=read, sample=sample)


def share_done(connections: Any) -> float | None:
    """Return which share is done of the query that runs on one of some connections; None where that is not known."""
    from tclose.engines.duckdb.connection import share_done as done

    return done(connections)


def interruptible() -> AbstractContextManager[Any]:
    """Give the connections that this thread opens while the block runs, so that another thread can interrupt them."""
    from tclose.engines.duckdb.connection import gathered

    return gathered()
