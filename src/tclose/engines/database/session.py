"""One piece of work with a database: its tables opened in one snapshot, and counted from the cubes it gave."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from tclose.domains import Observed
from tclose.engines.database import other, postgresql, sqlite
from tclose.engines.database.connection import Connection
from tclose.engines.database.counts import CubeCounts, expanded, fetched_cube, narrowed
from tclose.engines.database.recoded import planned
from tclose.engines.database.released import DatabaseReleased
from tclose.engines.database.sql import relation
from tclose.engines.database.table import OpenedTable
from tclose.engines.duckdb.counts import CodedTable
from tclose.engines.duckdb.distinct import distinct_rows
from tclose.engines.duckdb.released import DuckDBReleased
from tclose.engines.duckdb.session import DuckDBCounted, DuckDBSession
from tclose.engines.duckdb.table import LoadedTable, aligned, check_names
from tclose.engines.interface import DistinctRows, Progress, Recoding, Unknown
from tclose.sources import DatabaseTable, ReadOptions, is_database, locate

_Key = tuple[str, str]
"""A database and what is read from it."""


class DatabaseSession:
    """Opens tables of databases, has them grouped there, and counts what they give.

    Files and frames, such as a reference beside a table in a database, are opened by the DuckDB session within,
    which also keeps the cubes.
    """

    def __init__(
        self,
        *,
        read: ReadOptions | None = None,
        memory: str | None = None,
        threads: int | None = None,
        temp: str | None = None,
    ) -> None:
        self._local = DuckDBSession(read=read, memory=memory, threads=threads, temp=temp)
        self._connections: dict[str, Connection] = {}
        self._cubes: dict[_Key, list[LoadedTable]] = {}
        self._searched: dict[_Key, tuple[str, ...]] = {}

    def open(self, table: object) -> OpenedTable | LoadedTable:
        """Return a table with its columns; a table of a database is opened in the snapshot of the session."""
        if not is_database(table):
            return self._local.open(table)
        source = locate(table)
        if not isinstance(source, DatabaseTable):
            return self._local.open(table)
        connection, place = self.connection(source), relation(source)
        if source.driver == "sqlite":
            columns = sqlite.columns_of(connection, place)
            settler = partial(sqlite.settled, connection, source, place)
            opened = OpenedTable(source, place, columns, settler=settler, stays=connection.writable)
        else:
            dialect = postgresql if source.driver == "postgresql" else other
            opened = OpenedTable(source, place, dialect.columns_of(connection, place), stays=connection.writable)
        check_names([column.name for column in opened.columns], opened.label)
        return opened

    def connection(self, source: DatabaseTable) -> Connection:
        """Return the connection to a database, made when it is first needed unless the caller holds one open."""
        if isinstance(source.transaction, Connection):
            return source.transaction
        known = self._connections.get(source.uri)
        if known is None or not known.close.alive:
            known = self._connections[source.uri] = Connection(source)
        return known

    def close(self) -> None:
        """End the transactions that were begun here; what was fetched stays."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def cube(self, table: OpenedTable, names: Sequence[str], progress: Progress) -> LoadedTable:
        """Return the counts of a table by some columns; from a cube that is here already, if one has them."""
        key = (table.source.uri, table.relation)
        wanted = tuple(dict.fromkeys(names))
        having = [cube for cube in self._cubes.get(key, ()) if {*wanted} <= {column.name for column in cube.columns}]
        if not having:
            progress("Grouping in the database", None)
            columns = table.keep(wanted).columns
            table.check_usable(columns)
            having = [fetched_cube(self._local.connection, self.connection(table.source), table, columns)]
            self._cubes.setdefault(key, []).extend(having)
        return narrowed(min(having, key=lambda cube: len(cube.columns)), wanted)

    def count(
        self,
        table: OpenedTable | LoadedTable,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
        population: OpenedTable | LoadedTable | None = None,
    ) -> DuckDBCounted:
        """Count the classes of the quasi-identifiers by the values of the sensitive attributes."""
        people = self.cube(population, quasi, progress) if isinstance(population, OpenedTable) else population
        if isinstance(table, LoadedTable) and table.weight is None:
            return self._local.count(table, quasi, sensitive, progress, people)
        cubes = [self._counted(table, (*quasi, *names), progress) for names in sensitive]
        if people is not None:
            pairs = [aligned(cube, people, quasi) for cube in cubes]
            cubes, people = [cube for cube, _ in pairs], pairs[0][1]
        coded = CodedTable(cubes[0], quasi, sensitive, people, cubes)
        most = max(self._pairs(cube) for cube in cubes)
        return DuckDBCounted(coded, quasi, CubeCounts(coded, most), progress)

    def _pairs(self, cube: LoadedTable) -> int:
        ((pairs,),) = cube.connection.execute(f"SELECT count(*) FROM {cube.name}").fetchall()  # noqa: S608 - our own name
        return int(pairs)

    def values(self, table: OpenedTable | LoadedTable, names: tuple[str, ...]) -> Observed:
        """Return the distinct values of a column, or of several taken as one, with their counts."""
        return self._local.values(self._counted(table, names), names)

    def distinct(
        self,
        table: OpenedTable | LoadedTable,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
    ) -> DistinctRows:
        """Return the distinct combinations of quasi-identifiers and sensitive values, with their counts."""
        names = (*quasi, *(name for several in sensitive for name in several))
        if isinstance(table, OpenedTable):
            self._searched[table.source.uri, table.relation] = names
        return distinct_rows(self._counted(table, names, progress), quasi, sensitive, progress)

    def recode(
        self, table: OpenedTable | LoadedTable, recoding: Recoding, *, unknown: Unknown = "refuse"
    ) -> DuckDBReleased | DatabaseReleased:
        """Return the table that a recoding publishes; planned only, where the caller holds a transaction open."""
        if isinstance(table, LoadedTable):
            return self._local.recode(table, recoding, unknown=unknown)
        if table.source.transaction is None:
            released = self.recode_here(table, recoding, unknown=unknown)
            self.close()  # a release may live long, and a transaction should not
            return released
        searched = self._searched.get((table.source.uri, table.relation), ()) if recoding.counts is None else ()
        cube = self._counted(table, tuple(dict.fromkeys((*recoding.keys, *searched))))
        return DatabaseReleased(self, table, planned(cube, recoding, unknown))

    def recode_here(self, table: OpenedTable, recoding: Recoding, *, unknown: Unknown = "refuse") -> DuckDBReleased:
        """Return the table that a recoding publishes, made here of the distinct rows of the published columns."""
        fetched = expanded(self._counted(table, (*recoding.keys, *recoding.columns)))
        return self._local.recode(fetched, recoding, unknown=unknown)

    def _counted(self, table: Any, names: Sequence[str], progress: Progress | None = None) -> LoadedTable:
        if isinstance(table, LoadedTable):
            return table if table.weight is None else narrowed(table, tuple(dict.fromkeys(names)))
        return self.cube(table, names, progress or (lambda _stage, _share: None))
