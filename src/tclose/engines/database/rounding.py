"""Numbers rounded in a database: the query that stands for its table from then on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from tclose.engines.database.connection import Connection
from tclose.engines.database.table import OpenedTable
from tclose.engines.rounding import UNSIGNED, WHOLE, no_numbers, too_large
from tclose.errors import InputError


def rounding(connection: Connection, table: OpenedTable, steps: Mapping[str, Fraction]) -> OpenedTable:
    """Return a table whose numbers its database rounds; refuse what it cannot round exactly, before any work.

    Parameters
    ----------
    connection
        The connection to the database.
    table
        The table.
    steps
        What the numbers of columns are rounded to multiples of.
    """
    dialect = table.dialect
    values, cells = {}, {}
    for column in table.settled(tuple(table.column(name) for name in steps)):
        if not _holds_numbers(column.type):
            raise no_numbers(column.name, table.label, column.type)
        table.check_usable([column])
        value = dialect.rounded(column, steps[column.name])
        if value is None:
            raise InputError(
                f"The column {column.name!r} of {table.label} cannot be rounded exactly in {table.source.server}. Save "
                "the table as Parquet and take that, or round in a query and do not ask for it here."
            )
        values[column.name], cells[column.name] = value, dialect.cell(column)
    _check(connection, table, values, cells)
    listing = ", ".join(
        f"{values[column.name]} AS {column.alias}" if column.name in values else column.alias
        for column in table.columns
    )
    relation = f"(SELECT {listing} FROM {table.relation}) AS tclose_rounded"  # noqa: S608 - quoted names
    columns = dialect.columns(connection, relation)
    return replace(
        table, relation=relation, columns=columns, settler=dialect.settler(connection, table.source, relation)
    )


def _holds_numbers(kind: str) -> bool:
    return kind in WHOLE or kind in UNSIGNED or kind == "DOUBLE" or kind.startswith("DECIMAL")


def _check(connection: Connection, table: OpenedTable, values: Mapping[str, str], cells: Mapping[str, str]) -> None:
    """Refuse numbers that have no rounded one."""
    looks = [
        f"coalesce(sum(CASE WHEN {cells[name]} IS NOT NULL AND {value} IS NULL THEN 1 ELSE 0 END), 0)"
        for name, value in values.items()
    ]
    listing = ", ".join(f"{look} AS n{at}" for at, look in enumerate(looks))
    (found,) = connection.rows(f"SELECT {listing} FROM {table.relation}")  # noqa: S608 - quoted names
    for name, lost in zip(values, found, strict=True):
        if int(lost):
            raise too_large(name, table.label, int(lost))
