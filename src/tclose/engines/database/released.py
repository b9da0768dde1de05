"""A release of a table in a database: stored there as a new table, or handed over where its rows are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from tclose.engines.base import Released, Table, aligned
from tclose.engines.database.connection import Connection, same_database
from tclose.engines.database.dialects import dialect_of
from tclose.engines.database.recoded import Plan
from tclose.engines.database.storing import check_names, check_place, make_table, never_replaced, swap
from tclose.engines.database.table import DatabaseColumn, OpenedTable
from tclose.engines.duckdb import writing
from tclose.engines.duckdb.released import DuckDBReleased
from tclose.engines.duckdb.table import LoadedTable
from tclose.errors import EngineFailedError, SourceError
from tclose.sources import DatabaseTable
from tclose.targets import Target

if TYPE_CHECKING:
    from tclose.engines.database.session import DatabaseSession


class DatabaseReleased(Released[DatabaseColumn]):
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
    def _fetched(self) -> DuckDBReleased:
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
    released: Released[Any],
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
        if there is None or not isinstance(released, DatabaseReleased):
            connection.ingest(place.parts, released)
        else:
            make_table(connection, released.original, released.plan, place)
        table = session.open(place.within(connection))
        if there is not None and isinstance(released, DatabaseReleased):
            _check_as_planned(released, session, table)
        yield table
        if replaced:
            swap(connection, place, target, _in_the_same(target, original))
        connection.commit()
    finally:
        connection.close()


def _transaction(released: Released[Any], original: Table[Any] | None, target: DatabaseTable) -> Connection | None:
    """Return the transaction in which the original was counted, if a table can be made in it."""
    original = released.original if isinstance(released, DatabaseReleased) else original
    if not isinstance(original, OpenedTable):
        return None
    source = original.source
    held: Connection | None = source.transaction
    return held if held is not None and held.writable and same_database(source, target) else None


def _in_the_same(target: DatabaseTable, original: Table[Any] | None) -> DatabaseTable | None:
    """Return what a release is made of, if it is in the database of a table."""
    source = original.source if isinstance(original, OpenedTable) else None
    return source if source is not None and same_database(source, target) else None


def _check_as_planned(released: DatabaseReleased, session: DatabaseSession, table: Any) -> None:
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
