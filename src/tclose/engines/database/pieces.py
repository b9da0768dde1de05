"""The pieces of a recoding as a temporary table of a database, and how the rows there find theirs."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from tclose.engines.database.connection import Connection
from tclose.engines.database.dialect import instead
from tclose.engines.database.recoded import Plan
from tclose.engines.database.table import OpenedTable


@dataclass(frozen=True)
class Pieces:
    """The pieces of a plan, uploaded to a database.

    Parameters
    ----------
    name
        The name of the temporary table, quoted.
    marked
        For each column of the plan's cube, whether it misses values, so that a mark says which.
    """

    name: str
    marked: tuple[bool, ...]

    def matches(self) -> str:
        """Return the condition that a row ``t`` has the values of a piece ``p``."""
        conditions = [f"t.x{at} = p.k{at}" for at in range(len(self.marked))]
        conditions += [f"t.m{at} = p.m{at}" for at, marked in enumerate(self.marked) if marked]
        return " AND ".join(conditions)

    def cells(self, plan: Plan, table: OpenedTable) -> list[str]:
        """Return the SQL of what is compared of each row."""
        found = []
        for at, (column, marked) in enumerate(zip(plan.cube.columns, self.marked, strict=True)):
            value = table.dialect.cell(table.column(column.name))
            if marked:
                found.append(f"coalesce({value}, {table.dialect.instead(column.type)}) AS x{at}")
                found.append(f"CASE WHEN {value} IS NULL THEN 1 ELSE 0 END AS m{at}")
            else:
                found.append(f"{value} AS x{at}")
        return found


def uploaded(connection: Connection, plan: Plan) -> Pieces:
    """Upload the pieces of a plan to a temporary table.

    Parameters
    ----------
    connection
        A connection that may write.
    plan
        The plan.
    """
    columns = plan.cube.columns
    missing = ", ".join(f"coalesce(bool_or(k{at} IS NULL), false)" for at in range(len(columns)))
    (marked,) = plan.run(f"SELECT {missing} FROM {plan.pieces}")  # noqa: S608 - our own names
    shown = ["piece", "first", "low", "n", "CAST(kept AS INTEGER) AS kept"]
    for at, column in enumerate(columns):
        shown.append(f"coalesce(k{at}, {instead(column.type)}) AS k{at}" if marked[at] else f"k{at}")
        shown += [f"CAST(k{at} IS NULL AS INTEGER) AS m{at}"] if marked[at] else []
    shown += [f"q{at}" for at in range(len(plan.recoding.quasi))]
    name = f"tclose_pieces_{secrets.token_hex(6)}"
    rows = plan.cube.connection.sql(f"SELECT {', '.join(shown)} FROM {plan.pieces}")  # noqa: S608 - our own names
    connection.ingest((name,), rows, temporary=True)
    pieces = Pieces(connection.dialect.identifier(name), tuple(bool(each) for each in marked))
    for statement in connection.dialect.indexed(name, [f"k{at}" for at in range(len(columns))]):
        connection.run(statement)
    return pieces
