"""The SQL that makes a released table of another in the same database: no row leaves it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase

from tclose.engines.database.connection import Connection
from tclose.engines.database.dialect import Dialect
from tclose.engines.database.pieces import Pieces, uploaded
from tclose.engines.database.recoded import Plan
from tclose.engines.database.table import OpenedTable
from tclose.errors import Ask, Hint, SourceError, TcloseError, listed
from tclose.sources import DatabaseTable

_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


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
    dialect = connection.dialect
    place = dialect.relation(target)
    names = [dialect.identifier(name) for name in plan.recoding.columns]
    shown = ", ".join(f"r.c{at} AS {name}" for at, name in enumerate(names))
    order = dialect.by_content("r", [f"r.c{at}" for at in range(len(names))], plan.recoding.seed)
    query = f"SELECT {shown} FROM ({rows}) AS r ORDER BY {order}"  # noqa: S608 - our own names, and quoted ones
    own = {name: shows_own_cell(plan, name) for name in plan.recoding.columns}
    for statement in dialect.making(connection, place, query, table.source, own):
        connection.run(statement)
    connection.run(f"DROP TABLE {pieces.name}")


def released_rows(table: OpenedTable, plan: Plan, pieces: Pieces) -> str:
    """Return the query of the published rows, as ``c0``, ``c1`` and so on."""
    own = [name for name in plan.recoding.columns if shows_own_cell(plan, name)]
    dialect = table.dialect
    cells = [*pieces.cells(plan, table), *(f"{dialect.identifier(name)} AS o{at}" for at, name in enumerate(own))]
    rows = f"(SELECT {', '.join(cells)} FROM {table.relation}) AS t"  # noqa: S608 - quoted, or the person's own query
    matched = f"FROM {rows} JOIN {pieces.name} AS p ON {pieces.matches()}"
    shown = [
        f"{f't.o{own.index(name)}' if name in own else f'p.{plan.label(name)}'} AS c{at}"
        for at, name in enumerate(plan.recoding.columns)
    ]
    if not plan.divided:
        return f"SELECT {', '.join(shown)} {matched} WHERE p.kept = 1"
    others = [f"t.o{at}" for at in range(len(own))]
    row = f"ROW({', '.join(others)})"
    order = dialect.by_content(row, others, plan.recoding.seed) if others else "p.piece"
    place = f"row_number() OVER (PARTITION BY p.piece ORDER BY {order}) - 1 AS place"
    placed = ", ".join([*(f"{other} AS o{at}" for at, other in enumerate(others)), "p.piece AS shared", place])
    return (
        f"SELECT {', '.join(shown)} FROM (SELECT {placed} {matched} WHERE p.piece = p.first) AS t "  # noqa: S608
        f"JOIN {pieces.name} AS p ON p.first = t.shared AND t.place >= p.low AND t.place < p.low + p.n "
        "WHERE p.kept = 1"
    )


def shows_own_cell(plan: Plan, name: str) -> bool:
    """Say whether every published row shows its own cell of a column, in the type that the database has for it."""
    return name not in plan.recoding.quasi


def check_names(dialect: Dialect, target: DatabaseTable, columns: Sequence[str]) -> None:
    """Refuse names that the database keeps for itself, would cut off, so that they are another's, or take for one.

    Parameters
    ----------
    dialect
        The database's dialect.
    target
        The table to make.
    columns
        The names of its columns, as far as they are known.
    """
    *schemas, table = target.parts
    if table.lower().startswith(dialect.own_tables) or any(
        name.lower().startswith(dialect.own_schemas) for name in schemas
    ):
        raise SourceError(f"{target.server} keeps {'.'.join(target.parts)!r} for itself. Name another table.")
    most = dialect.name_bytes
    long = [name for name in (*target.parts, *columns) if most is not None and len(name.encode()) > most]
    if long:
        raise SourceError(
            f"{target.server} keeps {most} bytes of a name, and these are longer: {listed(long)}. Rename them."
        )
    folded = [name.translate(_LOWER) if dialect.ignores_case else name for name in columns]
    alike = Counter(folded)
    twice = [name for name, fold in zip(columns, folded, strict=True) if alike[fold] > 1]
    if twice:
        raise SourceError(
            f"The columns {listed(twice)} differ only in case, which {target.server} does not keep apart. Rename them."
        )


def check_place(connection: Connection, target: DatabaseTable, *, replace: bool) -> bool:
    """Refuse a target that is there already and may not be replaced; say whether it is there.

    Parameters
    ----------
    connection
        A connection to the database.
    target
        The table to make.
    replace
        Whether a table that is there is to be swapped for the new one.
    """
    dialect = connection.dialect
    if replace and not dialect.swaps:
        raise SourceError(
            f"In {target.server}, a table cannot be swapped in one transaction. Name one that is not there."
        )
    there = dialect.is_there(connection, target)
    if there and not replace:
        raise SourceError(
            f"{target.server} has the table {target.table} already.",
            code="table-exists",
            field="force",
            hint=Hint("Name one that is not there, drop it first, or swap it with {}.", Ask("replace", value=True)),
        )
    return there


def swap(connection: Connection, made: DatabaseTable, target: DatabaseTable, original: DatabaseTable | None) -> None:
    """Give a new table the name of one that is there and goes, inside the transaction.

    Parameters
    ----------
    connection
        A connection that may write.
    made
        The new table, under the name it waited with.
    target
        The table that goes.
    original
        What the release is made of, where it is in the same database: it must not be the table that goes, nor read it.
    """
    dialect = connection.dialect
    connection.run(f"DROP TABLE {dialect.relation(target)}")
    if original is not None:
        try:
            connection.schema(f"SELECT * FROM {dialect.relation(original)} LIMIT 0")  # noqa: S608 - quoted, or a query
        except TcloseError:
            raise never_replaced(target) from None
    connection.run(f"ALTER TABLE {dialect.relation(made)} RENAME TO {dialect.identifier(target.parts[-1])}")


def never_replaced(target: DatabaseTable) -> SourceError:
    """Return that a release does not take the place of what it is made of."""
    return SourceError(f"The release is made of {target.label}, which is never replaced. Name another table.")
