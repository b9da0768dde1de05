"""The tables of a database, by the names that its addresses take."""

from __future__ import annotations

from tclose.engines.database.connection import Connection
from tclose.sources import DatabaseTable
from tclose.sources.database import table_name

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
