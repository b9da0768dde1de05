"""A release stored as a new table of a database: in one transaction, and judged there before it lasts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tclose.engines.database.connection import Connection
from tclose.engines.database.session import DatabaseSession
from tclose.engines.database.table import OpenedTable
from tclose.engines.duckdb.table import LoadedTable
from tclose.engines.interface import ReleasedTable
from tclose.errors import SourceError
from tclose.sources import DatabaseTable


@contextmanager
def storing(
    released: ReleasedTable, target: DatabaseTable
) -> Iterator[tuple[DatabaseSession, OpenedTable | LoadedTable]]:
    """Make a new table of a release, give it as others will see it, and keep it when the block ends without an error.

    Parameters
    ----------
    released
        The rows.
    target
        The table to make; one that is there already is not touched.

    Yields
    ------
    tuple
        A session inside the transaction, and the new table as it opened it.
    """
    if target.table is None:
        raise SourceError(f"A release goes into a table of {target.server}, not into a query. Name the table.")
    session = DatabaseSession()
    connection = Connection(target, writable=True)
    session.join(connection)
    try:
        connection.ingest(target.parts, released)
        yield session, session.open(target)
        connection.commit()
    finally:
        session.close()
