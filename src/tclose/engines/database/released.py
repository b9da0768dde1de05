"""A release of a table in a database: stored there as a new table, or handed over where its rows are asked for."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, Any

from tclose.data.sources import DatabaseTable
from tclose.data.targets import Target
from tclose.engines.base import RecodedTable, Table, aligned
from tclose.engines.database.connection import Connection, same_database
from tclose.engines.database.dialect import Dialect, instead
from tclose.engines.database.dialects import dialect_of
from tclose.engines.database.recoded import Plan
from tclose.engines.database.table import DatabaseColumn, OpenedTable
from tclose.engines.duckdb import writing
from tclose.engines.duckdb.released import DuckDBRecodedTable
from tclose.engines.duckdb.table import LoadedTable
from tclose.errors import Ask, EngineFailedError, Hint, SourceError, TcloseError, listed

if TYPE_CHECKING:
    from tclose.engines.database.session import DatabaseSession


# The pieces of a recoding as a temporary table of a database, and how the rows there find theirs.


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


# The SQL that makes a released table of another in the same database: no row leaves it.


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


class DatabaseRecodedTable(RecodedTable[DatabaseColumn]):
    """A released table whose rows are still in the database, in the transaction in which they were counted.

    Parameters
    ----------
    session
        The session that counted the original.
    original
        The original.
    plan
        What is published of it.
    """

    def __init__(self, session: DatabaseSession, original: OpenedTable, plan: Plan) -> None:
        self.session = session
        self.original = original
        self.plan = plan
        self.rows = plan.rows
        self.unknown = plan.unknown
        self.columns = tuple(original.column(name) for name in plan.recoding.columns)

    def keep(self, columns: Sequence[str]) -> LoadedTable:
        """Return the table of just these columns; of those that were counted no row is fetched."""
        known = {column.name for column in self.plan.cube.columns}
        return self.plan.published(columns) if {*columns} <= known else self._fetched.keep(columns)

    @cached_property
    def _fetched(self) -> DuckDBRecodedTable:
        """The rows, fetched and recoded here."""
        return self.session.recode_here(self.original, self.plan.recoding)

    def target(self, path: str | Path) -> Target:
        """Return the file or stream that the table is written to."""
        return writing.target(path)

    def write_to(self, path: str | Path) -> None:
        """Write to just this file, which need not be whole after a failure."""
        self._fetched.write_to(path)

    def read_back(self, path: str | Path) -> LoadedTable:
        """Open a file that this table was written to, as somebody who knows nothing else of it would."""
        return self._fetched.read_back(path)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._fetched.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """Return the table as a pandas frame."""
        return self._fetched.to_pandas()


@contextmanager
def begun(
    source: DatabaseTable | None, target: DatabaseTable | None, *, replace: bool = False
) -> Iterator[Connection | None]:
    """Begin the transaction in which a table is read, to be recoded, and its release stored if that goes there, too.

    Parameters
    ----------
    source
        The original, or None where it is in no database.
    target
        The table that will be made, or None; it is refused if it is there already.
    replace
        Whether a table that is there is to be swapped for the new one.
    """
    if target is not None and target.table is None:
        raise SourceError(f"A release goes into a table of {target.server}, not into a query. Name the table.")
    if target is not None:
        check_names(dialect_of(target.driver), target, ())
    together = source is not None and target is not None and same_database(source, target)
    connection = None if source is None else Connection(source, writable=together)
    try:
        if target is not None:
            if replace and together and source is not None and source.parts == target.parts:
                raise never_replaced(target)
            _check_place(target, connection if together else None, replace=replace)
        yield connection
    finally:
        if connection is not None:
            connection.close()


def _check_place(target: DatabaseTable, connection: Connection | None, *, replace: bool) -> None:
    """Refuse a table that is there already and may not be replaced, before any work is done."""
    if connection is not None:
        check_place(connection, target, replace=replace)
        return
    file = dialect_of(target.driver).file(target)
    if file is None or file.is_file():
        reading = Connection(target)
        try:
            check_place(reading, target, replace=replace)
        finally:
            reading.close()


@contextmanager
def storing(
    released: RecodedTable[Any],
    target: DatabaseTable,
    session: DatabaseSession,
    *,
    replace: bool = False,
    original: Table[Any] | None = None,
) -> Iterator[OpenedTable | LoadedTable]:
    """Make a new table of a release, give it as others will see it, and keep it when the block ends without an error.

    Where the original is in the same database and was counted in a transaction that may write, the rows are recoded
    there, in that transaction, or sent there in it if they were fetched to be disguised. Otherwise they are sent there.

    Parameters
    ----------
    released
        The rows.
    target
        The table to make; one that is there already is not touched unless it is to be replaced.
    session
        What audits the new table.
    replace
        Whether a table that is there is swapped for the new one, at the moment at which that is kept.
    original
        What the release is made of, which is never replaced.

    Yields
    ------
    OpenedTable
        The new table, inside the transaction.
    """
    check_names(dialect_of(target.driver), target, [column.name for column in released.columns])
    there = _transaction(released, original, target)
    connection = there or Connection(target, writable=True)
    try:
        replaced = check_place(connection, target, replace=replace)
        place = target.waiting_as(f"tclose_{token_hex(8)}") if replaced else target
        connection.source = target
        connection.allow_writing()
        if there is None or not isinstance(released, DatabaseRecodedTable):
            connection.ingest(place.parts, released)
        else:
            make_table(connection, released.original, released.plan, place)
        table = session.open(place.within(connection))
        if there is not None and isinstance(released, DatabaseRecodedTable):
            _check_as_planned(released, session, table)
        yield table
        if replaced:
            swap(connection, place, target, _in_the_same(target, original))
        connection.commit()
    finally:
        connection.close()


def _transaction(released: RecodedTable[Any], original: Table[Any] | None, target: DatabaseTable) -> Connection | None:
    """Return the transaction in which the original was counted, if a table can be made in it."""
    original = released.original if isinstance(released, DatabaseRecodedTable) else original
    if not isinstance(original, OpenedTable):
        return None
    source = original.source
    held: Connection | None = source.transaction
    return held if held is not None and held.writable and same_database(source, target) else None


def _in_the_same(target: DatabaseTable, original: Table[Any] | None) -> DatabaseTable | None:
    """Return what a release is made of, if it is in the database of a table."""
    source = original.source if isinstance(original, OpenedTable) else None
    return source if source is not None and same_database(source, target) else None


def _check_as_planned(released: DatabaseRecodedTable, session: DatabaseSession, table: Any) -> None:
    """Refuse a new table in which any combination of values is not as often as it was planned."""
    names = [column.name for column in released.plan.cube.columns if column.name in released.plan.recoding.columns]
    stored = session.cube(table, names, lambda _stage, _share: None)
    mine, theirs = aligned(released.plan.published(names), stored, names)
    aliases = ", ".join(f"c{at}" for at in range(len(names)))
    counts = [f"(SELECT {aliases}, {each.tally} FROM {each.name} GROUP BY {aliases})" for each in (mine, theirs)]  # noqa: S608
    ((differing,),) = released.plan.run(
        f"SELECT count(*) FROM ((FROM {counts[0]} EXCEPT FROM {counts[1]}) UNION ALL "  # noqa: S608 - our own names
        f"(FROM {counts[1]} EXCEPT FROM {counts[0]}))"
    )
    if differing:
        raise EngineFailedError(
            f"What arrived in {table.label} is not what was counted: {released.original.label} may have changed "
            "meanwhile. Nothing of it was kept; run again."
        )
