"""One piece of work with a database: its tables opened in one snapshot, and counted from the cubes it gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from tclose.data.sources import DatabaseTable, is_database, locate
from tclose.engines.base import Counted, Engine, Progress, aligned, check_names
from tclose.engines.database.connection import Connection
from tclose.engines.database.counts import CubeCounts, expanded, fetched_cube, fetched_cubes, narrowed
from tclose.engines.database.histories import with_histories
from tclose.engines.database.recoded import DatabaseRecoder
from tclose.engines.database.released import DatabaseRecodedTable
from tclose.engines.database.rounding import rounding
from tclose.engines.database.statistics import some_texts, table_statistics
from tclose.engines.database.table import DatabaseColumn, OpenedTable
from tclose.engines.distinct import DistinctRows
from tclose.engines.duckdb.counts import CodedTable
from tclose.engines.duckdb.distinct import distinct_rows
from tclose.engines.duckdb.released import DuckDBRecodedTable
from tclose.engines.duckdb.session import DuckDBCounted, DuckDBSession
from tclose.engines.duckdb.table import LoadedTable
from tclose.engines.histories import Held, HistoryCounted
from tclose.engines.people import BLANKS_QUERY, PEOPLE_QUERY, TRAJECTORY_QUERY, Census, Trajectories
from tclose.engines.pseudonyms import Disguise, Disguised
from tclose.engines.recoding import Recoding, Unknown
from tclose.engines.statistics import Steady, TableStatistics, steady_query
from tclose.models.value_order import Observed

_Key = tuple[str, str, str | None]
"""A database, what is read from it, and the column that tells people apart, where they are counted."""


class DatabaseSession(Engine):
    """Opens tables of databases, has them grouped there, and counts what they give.

    Files and frames, such as a reference beside a table in a database, are opened by the DuckDB session within,
    which also keeps the cubes.
    """

    def __init__(self, **settings: Any) -> None:
        self._local = DuckDBSession(**settings)
        self._connections: dict[str, Connection] = {}
        self._cubes: dict[_Key, list[LoadedTable]] = {}
        self._searched: dict[_Key, tuple[str, ...]] = {}
        self._histories: dict[tuple[object, ...], tuple[OpenedTable, list[Held]]] = {}

    def open(self, table: object) -> OpenedTable | LoadedTable:
        """Return a table with its columns; a table of a database is opened in the snapshot of the session."""
        if not is_database(table):
            return self._local.open(table)
        source = locate(table)
        if not isinstance(source, DatabaseTable):
            return self._local.open(table)
        connection = self.connection(source)
        dialect = connection.dialect
        place = dialect.relation(source)
        columns = dialect.columns(connection, place)
        settler = dialect.settler(connection, source, place)
        opened = OpenedTable(dialect, source, place, columns, source.label, settler=settler, stays=connection.writable)
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
        """Return the counts of a table by some columns; from a cube that is here already, if one has them.

        Rows of a larger cube can be added up; people cannot, who may be in several places of it.
        """
        wanted = tuple(dict.fromkeys(names))
        having = self._having(table, wanted)
        if not having:
            columns = self._to_group_by(table, wanted, progress)
            having = [fetched_cube(self._local.connection, self.connection(table.source), table, columns)]
            self._cubes.setdefault(_key(table), []).extend(having)
        return narrowed(min(having, key=lambda cube: len(cube.columns)), wanted)

    def _having(self, table: OpenedTable, wanted: Sequence[str]) -> list[LoadedTable]:
        """Return the cubes that are here already and have some columns."""
        known = self._cubes.get(_key(table), ())
        having = [cube for cube in known if {*wanted} <= {column.name for column in cube.columns}]
        return having if table.person is None else [cube for cube in having if len(cube.columns) == len(wanted)]

    def _to_group_by(self, table: OpenedTable, wanted: Sequence[str], progress: Progress) -> tuple[DatabaseColumn, ...]:
        """Return the columns of a cube that is about to be fetched."""
        progress("Grouping in the database", None)
        columns = table.keep(wanted).columns
        table.check_usable(columns)
        return columns

    def _nested(self, table: OpenedTable, quasi: Sequence[str], names: Sequence[str], progress: Progress) -> None:
        """Fetch the people of classes and of their values by one query, where neither is here."""
        outer, wanted = dict.fromkeys(quasi), dict.fromkeys((*quasi, *names))
        new = len(outer) < len(wanted) and not self._having(table, [*outer]) and not self._having(table, [*wanted])
        if table.dialect.nests and new:
            columns = self._to_group_by(table, tuple(wanted), progress)
            connection = self.connection(table.source)
            found = fetched_cubes(self._local.connection, connection, table, columns, len(outer))
            self._cubes.setdefault(_key(table), []).extend(found)

    def brought(self, table: OpenedTable | LoadedTable, columns: Sequence[str], progress: Progress) -> LoadedTable:
        """Return the rows of some columns of a table: the database gives different rows, each with its number."""
        if isinstance(table, LoadedTable):
            return self._local.brought(table, columns, progress)
        return expanded(self.cube(table.counting(None), columns, progress))

    def count(
        self,
        table: OpenedTable | LoadedTable,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
        population: OpenedTable | LoadedTable | None = None,
    ) -> Counted:
        """Count the classes of the quasi-identifiers by the values of the sensitive attributes."""
        if not isinstance(table, OpenedTable) or table.person is None or not sensitive:
            return self._classes(table, quasi, sensitive, progress, population)
        known = (*_key(table), *(column.name for column in table.columns), *sensitive)
        if known not in self._histories:
            self._histories[known] = with_histories(self.connection(table.source), table, sensitive)
        joined, held = self._histories[known]
        if not held:
            return self._classes(table, quasi, sensitive, progress, population)
        names = [*sensitive, *((name,) for each in held for name in each.names)]
        counted = self._classes(joined, quasi, names, progress, population)
        contents = [self._classes(joined, [each.sets], [sensitive[each.at]], progress) for each in held]
        return HistoryCounted(counted, held, contents, len(sensitive))

    def _classes(
        self,
        table: OpenedTable | LoadedTable,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
        population: OpenedTable | LoadedTable | None = None,
    ) -> Counted:
        people = self.cube(population, quasi, progress) if isinstance(population, OpenedTable) else population
        if isinstance(table, LoadedTable) and table.weight is None:
            return self._local.count(table, quasi, sensitive, progress, people)
        if isinstance(table, OpenedTable) and table.person is not None:
            self._nested(table, quasi, sensitive[0], progress)
        cubes = [self._counted(table, (*quasi, *names), progress) for names in sensitive]
        sizes, wholes = cubes[0], None
        if table.person is not None:
            sizes = self._counted(table, quasi, progress)
            wholes = [self._counted(table, names, progress) for names in sensitive]
        if people is not None:
            (sizes, people), *pairs = [aligned(cube, people, quasi) for cube in (sizes, *cubes)]
            cubes = [cube for cube, _ in pairs]
        coded = CodedTable(sizes, quasi, sensitive, people, cubes, wholes)
        most = max(self._pairs(cube) for cube in cubes)
        return DuckDBCounted(coded, quasi, CubeCounts(coded, most), progress)

    def _pairs(self, cube: LoadedTable) -> int:
        ((pairs,),) = cube.connection.execute(f"SELECT count(*) FROM {cube.name}").fetchall()  # noqa: S608 - our own name
        return int(pairs)

    def values(self, table: OpenedTable | LoadedTable, names: tuple[str, ...]) -> Observed:
        """Return the distinct values of a column, or of several taken as one, with their counts."""
        return self._local.values(self._counted(table, names), names)

    def rounding(self, table: OpenedTable | LoadedTable, steps: Mapping[str, Fraction]) -> OpenedTable | LoadedTable:
        """Return a table with numbers of columns that it has rounded; those of a database are rounded there."""
        if isinstance(table, LoadedTable):
            return self._local.rounding(table, steps)
        return rounding(self.connection(table.source), table, steps)

    def census(self, table: OpenedTable | LoadedTable, person: str, *, several: bool = False) -> Census:
        """Return how many people the rows of a table are of, told apart by a column; who has several, where asked."""
        if isinstance(table, LoadedTable):
            return self._local.census(table, person)
        kept = table.keep([person])
        cell = kept.dialect.cell(kept.column(person))
        if not several:
            counts = f"SELECT count(*) AS a, count(DISTINCT {cell}) AS b, count({cell}) AS c FROM {kept.relation}"  # noqa: S608 - quoted
            ((rows, people, someones),) = self.connection(kept.source).rows(counts)
            return Census(int(rows), int(people), None, int(rows) - int(someones))
        grouped = f"SELECT {cell} AS p, count(*) AS n FROM {kept.relation} GROUP BY 1"  # noqa: S608 - quoted
        (found,) = self.connection(kept.source).rows(PEOPLE_QUERY.format(grouped=grouped))
        return Census(*map(int, found))

    def told_by_blanks(self, table: OpenedTable | LoadedTable, person: str) -> int:
        """Return how many texts of a column are there in several ways that differ only by blanks around them."""
        if isinstance(table, LoadedTable):
            return self._local.told_by_blanks(table, person)
        kept = table.keep([person])
        texts = f"(SELECT {kept.dialect.cell(kept.column(person))} AS p FROM {kept.relation}) AS t"  # noqa: S608 - quoted
        ((found,),) = self.connection(kept.source).rows(BLANKS_QUERY.format(texts=texts))
        return int(found)

    def disguise(self, table: OpenedTable | LoadedTable, disguise: Disguise) -> Disguised:
        """Return a table with pseudonyms and shifted dates; rows of a database are fetched, and disguised here."""
        if isinstance(table, OpenedTable):
            table = expanded(self._counted(table, [column.name for column in table.columns]))
        return self._local.disguise(table, disguise)

    def alone_by_dates(self, table: LoadedTable, dates: Sequence[str], person: str | None) -> tuple[int, int]:
        """Return how many people or rows have dates, and how many alone have the days between theirs."""
        return self._local.alone_by_dates(table, dates, person)

    def trajectories(self, table: OpenedTable | LoadedTable, quasi: Sequence[str], person: str) -> Trajectories:
        """Return by which sets of classes people are told apart; the sets stay in the database."""
        if isinstance(table, LoadedTable):
            return self._local.trajectories(table, quasi, person)
        kept = table.keep([*quasi, person])
        keys = ", ".join(kept.dialect.cell(kept.column(name)) for name in quasi)
        cell = kept.dialect.cell(kept.column(person))
        pairs = f"SELECT DISTINCT {cell} AS p, dense_rank() OVER (ORDER BY {keys}) AS c FROM {kept.relation}"  # noqa: S608
        listed = f"SELECT {kept.dialect.listing.format('c')} AS l, count(*) AS m FROM ({pairs}) AS d GROUP BY p"  # noqa: S608
        return Trajectories.of(self.connection(kept.source).rows(TRAJECTORY_QUERY.format(listed=listed)))

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
            self._searched[_key(table)] = names
        return distinct_rows(self._counted(table, names, progress), quasi, sensitive, progress)

    def statistics(self, table: OpenedTable | LoadedTable, progress: Progress) -> TableStatistics:
        """Return what every column of a table has: rows, missing and different values; never a value."""
        if isinstance(table, LoadedTable):
            return self._local.statistics(table, progress)
        return table_statistics(self.connection(table.source), table, progress)

    def some_texts(self, table: OpenedTable | LoadedTable, shares: Mapping[str, int]) -> dict[str, list[str]]:
        """Return different values of columns as text, of each about one in so many, evenly spread over their order."""
        if isinstance(table, LoadedTable):
            return self._local.some_texts(table, shares)
        return {name: some_texts(self.connection(table.source), table, name, share) for name, share in shares.items()}

    def steady(self, table: OpenedTable | LoadedTable, key: str, names: Sequence[str]) -> Steady:
        """Return in how many rows that share a value of a key other columns are one value."""
        if isinstance(table, LoadedTable):
            return self._local.steady(table, key, names)
        kept = table.keep([key, *names])
        columns = [kept.column(name) for name in names]
        cells = [_comparable(kept.dialect.cell(column), column.type) for column in columns]
        query = steady_query(kept.dialect.cell(kept.column(key)), cells, kept.relation)
        ((several, *within),) = self.connection(kept.source).rows(query)
        return Steady(int(several), dict(zip(names, map(int, within), strict=True)))

    def recode(
        self, table: OpenedTable | LoadedTable, recoding: Recoding, *, unknown: Unknown = "refuse"
    ) -> DuckDBRecodedTable | DatabaseRecodedTable:
        """Return the table that a recoding publishes; planned only, where the caller holds a transaction open."""
        if isinstance(table, LoadedTable):
            return self._local.recode(table, recoding, unknown=unknown)
        if table.source.transaction is None:
            released = self.recode_here(table, recoding, unknown=unknown)
            self.close()  # a release may live long, and a transaction should not
            return released
        searched = self._searched.get(_key(table), ()) if recoding.counts is None else ()
        cube = self._counted(table, tuple(dict.fromkeys((*recoding.keys, *searched))))
        return DatabaseRecodedTable(self, table, DatabaseRecoder(cube, recoding).recoded(unknown))

    def recode_here(self, table: OpenedTable, recoding: Recoding, *, unknown: Unknown = "refuse") -> DuckDBRecodedTable:
        """Return the table that a recoding publishes, made here of the distinct rows of the published columns."""
        fetched = expanded(self._counted(table, (*recoding.keys, *recoding.read)))
        return self._local.recode(fetched, recoding, unknown=unknown)

    def _counted(self, table: Any, names: Sequence[str], progress: Progress | None = None) -> LoadedTable:
        if isinstance(table, LoadedTable):
            return table if table.weight is None else narrowed(table, tuple(dict.fromkeys(names)))
        return self.cube(table, names, progress or (lambda _stage, _share: None))


def _key(table: OpenedTable) -> _Key:
    return table.source.uri, table.relation, table.person


def _comparable(cell: str, kind: str) -> str:
    """Return the SQL of a cell that has a least and a greatest: PostgreSQL knows none of truth values."""
    return f"CASE WHEN {cell} THEN 1 WHEN NOT {cell} THEN 0 END" if kind == "BOOLEAN" else cell
