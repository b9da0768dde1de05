"""Which values people have in the whole table, as further columns of a table in its database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tclose.engines.database.connection import Connection
from tclose.engines.database.table import DatabaseColumn, OpenedTable
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.histories import Held


def with_histories(
    connection: Connection, table: OpenedTable, attributes: Sequence[tuple[str, ...]]
) -> tuple[OpenedTable, list[Held]]:
    """Return a table with the number of each person's set of values beside every row, and for which attributes.

    Parameters
    ----------
    connection
        The connection to the database.
    table
        A table whose people are counted.
    attributes
        The sensitive attributes; several columns make one of their combinations.
    """
    settled = table.keep([column.name for column in table.columns])
    cell = {column.name: table.dialect.cell(column) for column in settled.columns}
    person = cell[str(table.person)]
    found = [_told(connection, table, person, [cell[name] for name in names]) for names in attributes]
    relation, held, columns = table.relation, [], list(settled.columns)
    for at, (several, missing) in enumerate(found):
        if not several:
            continue
        values = [cell[name] for name in attributes[at]]
        sets, valued = fresh_name("sets"), fresh_name("valued") if missing else None
        held.append(Held(at, sets, valued))
        columns += [_number(name) for name in held[-1].names]
        numbered = (
            f"SELECT tclose_p, dense_rank() OVER (ORDER BY tclose_l) AS {sets} FROM (SELECT tclose_p, "  # noqa: S608 - quoted
            f"{table.dialect.listing.format('tclose_c')} AS tclose_l FROM (SELECT DISTINCT {person} AS tclose_p, "
            f"dense_rank() OVER (ORDER BY {', '.join(values)}) AS tclose_c FROM {table.relation}) AS tclose_d "
            "GROUP BY tclose_p) AS tclose_g"
        )
        added = [f"{sets}.{sets}"]
        if valued is not None:
            added.append(f"CASE WHEN {values[0]} IS NULL THEN 0 ELSE 1 END AS {valued}")
        relation = (
            f"(SELECT tclose_t.*, {', '.join(added)} FROM (SELECT * FROM {relation}) AS tclose_t "  # noqa: S608 - quoted
            f"JOIN ({numbered}) AS {sets} ON {sets}.tclose_p = {person}) AS tclose_histories"
        )
    return (replace(table, relation=relation, columns=tuple(columns), settler=None), held) if held else (table, [])


def _told(connection: Connection, table: OpenedTable, person: str, values: Sequence[str]) -> tuple[bool, bool]:
    """Return whether somebody has several values of an attribute, and whether a row has none."""
    different = " + ".join(
        f"CASE WHEN count(DISTINCT {value}) + max(CASE WHEN {value} IS NULL THEN 1 ELSE 0 END) > 1 THEN 1 ELSE 0 END"
        for value in values
    )
    missing = f"max(CASE WHEN {values[0]} IS NULL THEN 1 ELSE 0 END)" if len(values) == 1 else "0"
    grouped = f"SELECT {different} AS d, {missing} AS m FROM {table.relation} GROUP BY {person}"  # noqa: S608 - quoted
    ((several, without),) = connection.rows(f"SELECT max(d) AS a, max(m) AS b FROM ({grouped}) AS g")  # noqa: S608
    return bool(several), bool(without)


def _number(name: str) -> DatabaseColumn:
    return DatabaseColumn(name, name, "BIGINT", sent=(name,))
