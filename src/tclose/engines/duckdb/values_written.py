"""Columns of values written to a file, whose ending says the format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from tclose.data.sources import locate
from tclose.engines.duckdb.connection import connect
from tclose.engines.duckdb.load import load
from tclose.engines.duckdb.writing import copy_query


def write_values(columns: Mapping[str, Sequence[object]], path: Path, label: str) -> None:
    """Write columns of values, in their order.

    Parameters
    ----------
    columns
        The values by name.
    path
        The file; its ending says the format.
    label
        What is written, for messages.
    """
    connection = connect()
    try:
        table = load(connection, locate(dict(columns))).keep(list(columns))
        cells = ", ".join(f"{column.alias} AS c{at}" for at, column in enumerate(table.columns))
        copy_query(connection, f"SELECT {cells} FROM {table.name}", list(columns), path, label)  # noqa: S608 - our own names
    finally:
        connection.close()
