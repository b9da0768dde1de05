"""The pieces of a recoding as a temporary table of a database, and how the rows there find theirs."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from tclose.engines.database.connection import Connection
from tclose.engines.database.recoded import Plan
from tclose.engines.database.sql import identifier
from tclose.engines.database.table import OpenedTable, cell

_INSTEAD = {"VARCHAR": "''", "BOOLEAN": "FALSE", "DATE": "DATE '2000-01-01'", "TIME": "TIME '00:00:00'"}
"""What stands for a missing value, beside a mark that says so: databases find no row fast by what is missing."""
_INSTEAD_IN_SQLITE = {"VARCHAR": "''", "DATE": "'2000-01-01'"}


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
        driver, found = table.source.driver, []
        for at, (column, marked) in enumerate(zip(plan.cube.columns, self.marked, strict=True)):
            value = cell(table.column(column.name), driver)
            if marked:
                found.append(f"coalesce({value}, {_instead(column.type, driver)}) AS x{at}")
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
        shown.append(f"coalesce(k{at}, {_instead(column.type, 'duckdb')}) AS k{at}" if marked[at] else f"k{at}")
        shown += [f"CAST(k{at} IS NULL AS INTEGER) AS m{at}"] if marked[at] else []
    shown += [f"q{at}" for at in range(len(plan.recoding.quasi))]
    name = f"tclose_pieces_{secrets.token_hex(6)}"
    rows = plan.cube.connection.sql(f"SELECT {', '.join(shown)} FROM {plan.pieces}")  # noqa: S608 - our own names
    connection.ingest((name,), rows, temporary=True)
    pieces = Pieces(identifier(name, connection.driver), tuple(bool(each) for each in marked))
    if connection.driver == "postgresql":
        connection.run(f"ANALYZE {pieces.name}")
    elif connection.driver == "sqlite":
        keys = ", ".join(f"k{at}" for at in range(len(columns)))
        connection.run(f"CREATE INDEX temp.{identifier(name + '_keys', 'sqlite')} ON {pieces.name} ({keys})")
        connection.run(f"CREATE INDEX temp.{identifier(name + '_first', 'sqlite')} ON {pieces.name} (first)")
    return pieces


def _instead(kind: str, driver: str) -> str:
    if driver == "sqlite":
        return _INSTEAD_IN_SQLITE.get(kind, "0")
    return "TIMESTAMP '2000-01-01 00:00:00'" if kind.startswith("TIMESTAMP") else _INSTEAD.get(kind, "0")
