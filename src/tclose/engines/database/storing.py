"""The SQL that makes a released table of another in the same database: no row leaves it."""

from __future__ import annotations

import re

from tclose.engines.database.connection import Connection
from tclose.engines.database.pieces import Pieces, uploaded
from tclose.engines.database.recoded import Plan
from tclose.engines.database.sql import identifier, literal, relation
from tclose.engines.database.sqlite import declared_types
from tclose.engines.database.table import OpenedTable
from tclose.errors import SourceError
from tclose.sources import DatabaseTable

_PLAIN_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_ ]*(\([0-9, ]+\))?")


def make_table(connection: Connection, table: OpenedTable, plan: Plan, target: DatabaseTable) -> None:
    """Make a new table of what a plan publishes of another; one that is there already is not touched.

    Parameters
    ----------
    connection
        A connection that may write, in the transaction in which the plan was made.
    table
        The original.
    plan
        What becomes of its rows.
    target
        The name of the new table.
    """
    pieces = uploaded(connection, plan)
    rows = released_rows(table, plan, pieces)
    place = relation(target)
    names = [identifier(name, connection.driver) for name in plan.recoding.columns]
    shown = ", ".join(f"r.c{at} AS {name}" for at, name in enumerate(names))
    order = _by_content(connection.driver, "r", [f"r.c{at}" for at in range(len(names))], plan.recoding.seed)
    query = f"SELECT {shown} FROM ({rows}) AS r ORDER BY {order}"  # noqa: S608 - our own names, and quoted ones
    if connection.driver == "sqlite":
        connection.run(f"CREATE TABLE {place} ({_declarations(connection, table, plan)})")
        connection.run(f"INSERT INTO {place} {query}")
    else:
        connection.run(f"CREATE TABLE {place} AS {query}")
    connection.run(f"DROP TABLE {pieces.name}")


def released_rows(table: OpenedTable, plan: Plan, pieces: Pieces) -> str:
    """Return the query of the published rows, as ``c0``, ``c1`` and so on."""
    own = [name for name in plan.recoding.columns if shows_own_cell(plan, name)]
    driver, seed = table.source.driver, plan.recoding.seed
    cells = [*pieces.cells(plan, table), *(f"{identifier(name, driver)} AS o{at}" for at, name in enumerate(own))]
    rows = f"(SELECT {', '.join(cells)} FROM {table.relation}) AS t"  # noqa: S608 - quoted, or the person's own query
    matched = f"FROM {rows} JOIN {pieces.name} AS p ON {pieces.matches()}"
    shown = [
        f"{f't.o{own.index(name)}' if name in own else f'p.{plan.label(name)}'} AS c{at}"
        for at, name in enumerate(plan.recoding.columns)
    ]
    if not plan.divided:
        return f"SELECT {', '.join(shown)} {matched} WHERE p.kept = 1"
    others = [f"t.o{at}" for at in range(len(own))]
    order = _by_content(driver, f"ROW({', '.join(others)})", others, seed) if others else "p.piece"
    place = f"row_number() OVER (PARTITION BY p.piece ORDER BY {order}) - 1 AS place"
    placed = ", ".join([*(f"{other} AS o{at}" for at, other in enumerate(others)), "p.piece AS shared", place])
    return (
        f"SELECT {', '.join(shown)} FROM (SELECT {placed} {matched} WHERE p.piece = p.first) AS t "  # noqa: S608
        f"JOIN {pieces.name} AS p ON p.first = t.shared AND t.place >= p.low AND t.place < p.low + p.n "
        "WHERE p.kept = 1"
    )


def shows_own_cell(plan: Plan, name: str) -> bool:
    """Say whether every published row shows its own cell of a column, in the type that the database has for it."""
    return name not in plan.recoding.quasi or plan.keeps_values(name)


def _by_content(driver: str, row: str, cells: list[str], seed: int) -> str:
    """Return an order of rows that follows from their content alone, never from where the original has them."""
    if driver == "postgresql":
        return f"md5(CAST({row} AS text) || ':{int(seed)}')"
    return ", ".join(cells)


def _declarations(connection: Connection, table: OpenedTable, plan: Plan) -> str:
    """Return the columns of a new SQLite table, those with the original's cells under the types declared there."""
    declared = declared_types(connection, table.source)
    found = []
    for name in plan.recoding.columns:
        kind = declared.get(name, "") if shows_own_cell(plan, name) else "TEXT"
        found.append(f"{identifier(name, 'sqlite')} {kind if _PLAIN_TYPE.fullmatch(kind) else ''}")
    return ", ".join(found)


def _check_schema(connection: Connection, target: DatabaseTable) -> None:
    """Refuse a schema that is not there."""
    for schema in target.parts[:-1][-1:]:
        named = literal(identifier(schema, "postgresql"))
        if not connection.rows(f"SELECT count(to_regnamespace({named})) AS n")[0][0]:
            raise SourceError(f"{target.server} has no schema for the table {target.table}. Make the schema first.")


def check_absent(connection: Connection, target: DatabaseTable) -> None:
    """Refuse a target that is there already, before any work is done."""
    *schema, name = target.parts
    if connection.driver == "sqlite":
        place = f", {literal(schema[0])}" if schema else ""
        there = f"SELECT count(*) AS n FROM pragma_table_info({literal(name)}{place})"  # noqa: S608 - quoted
    elif connection.driver == "postgresql":
        _check_schema(connection, target)
        there = f"SELECT count(to_regclass({literal(relation(target))})) AS n"
    else:
        return
    if connection.rows(there)[0][0]:
        raise SourceError(
            f"{target.server} has the table {target.table} already. Name one that is not there, or drop it first."
        )
