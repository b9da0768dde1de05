"""One piece of work with DuckDB: a connection, the table opened on it, and the counts made from it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast

import numpy as np
from numpy.typing import NDArray

from tclose.data.sources import ReadOptions, locate
from tclose.data.values import FineMoment, castable, named_texts
from tclose.engines.base import Counted, Engine, Progress, aligned, check_rows
from tclose.engines.distinct import DistinctRows
from tclose.engines.duckdb.classes import DuckDBClasses
from tclose.engines.duckdb.connection import allowed_memory, connect, give_back
from tclose.engines.duckdb.counts import CodedTable, PairCounts, kind_of
from tclose.engines.duckdb.distinct import distinct_rows
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.load import load, names_of
from tclose.engines.duckdb.people import person_key, person_text, with_histories
from tclose.engines.duckdb.pseudonyms import alone_by_dates, disguised
from tclose.engines.duckdb.recoded import DuckDBRecoder
from tclose.engines.duckdb.released import DuckDBRecodedTable
from tclose.engines.duckdb.rows import RowStream
from tclose.engines.duckdb.statistics import some_texts, table_statistics
from tclose.engines.duckdb.table import LoadedTable, rounding
from tclose.engines.histories import Held, HistoryCounted
from tclose.engines.people import BLANKS_QUERY, PEOPLE_QUERY, TRAJECTORY_QUERY, Census, Trajectories
from tclose.engines.pseudonyms import Disguise, Disguised
from tclose.engines.recoding import Recoding, Unknown
from tclose.engines.statistics import Steady, TableStatistics, steady_query
from tclose.errors import DomainError
from tclose.models.counts import ClassPeople, Integers, Part, Ranks, ValueSets
from tclose.models.value_order import Observed

if TYPE_CHECKING:
    from tclose.engines.duckdb.people import PeopleCounts
    from tclose.engines.duckdb.rows import RowCounts, SetCounts

Result = TypeVar("Result")
Counts = Union[PairCounts, "RowCounts", "SetCounts"]

_SHARE_OF_MEMORY = 4
"""Row codes and what numbers their classes may take one part in so many of the allowed memory."""
_BYTES_A_CLASS = 120
"""What finding the number of a class takes, in words of two workers."""


class DuckDBSession(Engine):
    """Opens tables on one connection and counts them."""

    hands_over_people = True

    def __init__(
        self,
        *,
        read: ReadOptions | None = None,
        memory: str | None = None,
        threads: int | None = None,
        temp: str | None = None,
    ) -> None:
        self.connection = connect(memory=memory, threads=threads, temp=temp)
        self.threads = threads or os.cpu_count() or 1
        self._histories: dict[tuple[object, ...], tuple[LoadedTable, list[Held]]] = {}
        self._read = read

    def open(self, table: object) -> LoadedTable:
        """Return a table with its columns; its rows are not read yet."""
        if isinstance(table, DuckDBRecodedTable) and table.connection is self.connection:
            return table.table
        return load(self.connection, locate(table, options=self._read))

    def names(self, table: object) -> tuple[str, ...]:
        """Return the names of a table's columns."""
        return names_of(self.connection, locate(table, options=self._read))

    def brought(self, table: LoadedTable, columns: Sequence[str], progress: Progress) -> LoadedTable:
        """Return the rows of some columns of a table."""
        del progress
        return table.keep(columns)

    def count(
        self,
        table: LoadedTable,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
        population: LoadedTable | None = None,
    ) -> Counted:
        """Count the classes of the quasi-identifiers by the values of the sensitive attributes."""
        if population is not None:
            table, population = aligned(table, population, quasi)
        counted, sets_known = self._counted(table, quasi, sensitive, progress, population)
        if table.person is None or sets_known or not sensitive:
            return counted
        known = (table.name, table.person, *sensitive)
        if known not in self._histories:
            self._histories[known] = with_histories(table, sensitive)
        joined, held = self._histories[known]
        if not held:
            return counted
        names = [*sensitive, *((name,) for each in held for name in each.names)]
        counted, _ = self._counted(joined, quasi, names, progress, population)
        contents = [self._counted(joined, [each.sets], [sensitive[each.at]], progress)[0] for each in held]
        return HistoryCounted(counted, held, contents, len(sensitive))

    def _counted(
        self,
        table: LoadedTable,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
        population: LoadedTable | None = None,
    ) -> tuple[DuckDBCounted, bool]:
        """Return counts, and whether they know which values people have in the whole table."""
        coded = CodedTable(table, quasi, sensitive, population)
        check_rows(coded.rows, table.label)
        counts = self._counts(coded, progress)
        return DuckDBCounted(coded, quasi, counts, progress), counts.sets_known

    def _counts(self, coded: CodedTable, progress: Progress) -> Counts:
        allowed = allowed_memory(self.connection) // _SHARE_OF_MEMORY
        if coded.table.person is not None:
            return self._people_counts(coded, coded.table.person, allowed, progress)
        if coded.table.weight is not None:
            return PairCounts(coded)
        most_rows = self._most_rows(coded, allowed, 4 + 8 * len(coded.attributes))  # codes as they come, and sorted
        stream = RowStream(coded, coded.rows, progress) if coded.rows <= most_rows else None
        from tclose.engines.duckdb.rows import RowCounts, SetCounts

        return RowCounts(coded, stream, self.threads) if stream else SetCounts(coded, self.threads, most_rows)

    def _most_rows(self, coded: CodedTable, allowed: int, bytes_a_row: int) -> int:
        """Return of how many rows the codes and classes fit; classes are estimated where their number decides."""
        classes = min(coded.rows, math.prod(coded.keys.spans))
        if coded.rows * bytes_a_row + classes * _BYTES_A_CLASS > allowed:
            classes = min(classes, coded.classes_about)
        return max(1, allowed * coded.rows // (coded.rows * bytes_a_row + classes * _BYTES_A_CLASS))

    def _people_counts(self, coded: CodedTable, person: str, allowed: int, progress: Progress) -> Counts:
        from tclose.engines.duckdb.people import MOST_ROWS, PeopleCounts, PeopleSets

        bytes_a_row = 24 + 8 * len(coded.attributes)  # class, person and codes once as they come, once by person
        key, most_rows = person_text(coded.table, person), 0
        if key is not None:
            most_rows = min(self._most_rows(coded, allowed, bytes_a_row + key.more_bytes), MOST_ROWS)
        if key is None or coded.rows > most_rows:
            key = person_key(coded.table, person)
            most_rows = min(self._most_rows(coded, allowed, bytes_a_row), MOST_ROWS)
        if coded.rows > most_rows:
            return PeopleSets(coded, self.threads, most_rows, key)
        stream = RowStream(coded, coded.rows, progress, person=key.expression)
        return PeopleCounts(coded, stream, self.threads, key, allowed)

    def values(self, table: LoadedTable, names: tuple[str, ...]) -> Observed:
        """Return the distinct values of a column, or of several taken as one, with their counts."""
        return CodedTable(table, (), [names]).observed[0][0]

    def rounding(self, table: LoadedTable, steps: Mapping[str, Fraction]) -> LoadedTable:
        """Return a table with numbers of columns that it has rounded, as soon as they are kept."""
        return rounding(table, steps)

    def census(self, table: LoadedTable, person: str, *, several: bool = True) -> Census:
        """Return how many people the rows of a table are of, told apart by a column."""
        del several  # known without further work
        grouped = f"SELECT {table.telling(person)} AS p, {table.row_tally} AS n FROM {table.name} GROUP BY 1"  # noqa: S608
        with translated(table.label, connection=table.connection):
            (found,) = table.connection.execute(PEOPLE_QUERY.format(grouped=grouped)).fetchall()
        return Census(*map(int, found))

    def told_by_blanks(self, table: LoadedTable, person: str) -> int:
        """Return how many texts of a column are there in several ways that differ only by blanks around them."""
        texts = f"(SELECT CAST({table.column(person).alias} AS VARCHAR) AS p FROM {table.name}) AS t"  # noqa: S608 - our own names
        with translated(table.label, connection=table.connection):
            ((found,),) = table.connection.execute(BLANKS_QUERY.format(texts=texts)).fetchall()
        return int(found)

    def trajectories(self, table: LoadedTable, quasi: Sequence[str], person: str) -> Trajectories:
        """Return by which sets of classes people are told apart."""
        key = f"row({', '.join(table.telling(name) for name in quasi)})"
        listed = (
            f"SELECT list_sort(list(DISTINCT {key})) AS l, len(l) AS m FROM {table.name} "  # noqa: S608 - our own names
            f"GROUP BY {table.telling(person)}"
        )
        with translated(table.label, connection=table.connection):
            return Trajectories.of(table.connection.execute(TRAJECTORY_QUERY.format(listed=listed)).fetchall())

    def disguise(self, table: LoadedTable, disguise: Disguise) -> Disguised:
        """Return a table with pseudonyms in the place of whose rows are, and dates shifted."""
        return disguised(table, disguise)

    def alone_by_dates(self, table: LoadedTable, dates: Sequence[str], person: str | None) -> tuple[int, int]:
        """Return how many people or rows have dates, and how many alone have the days between theirs."""
        return alone_by_dates(table, dates, person)

    def distinct(
        self, table: LoadedTable, quasi: Sequence[str], sensitive: Sequence[tuple[str, ...]], progress: Progress
    ) -> DistinctRows:
        """Return the distinct combinations of quasi-identifiers and sensitive values, with their counts."""
        return distinct_rows(table, quasi, sensitive, progress)

    def statistics(self, table: LoadedTable, progress: Progress) -> TableStatistics:
        """Return what every column of a table has: rows, missing and different values; never a value."""
        return table_statistics(table, progress)

    def some_texts(self, table: LoadedTable, shares: Mapping[str, int]) -> dict[str, list[str]]:
        """Return different values of columns as text, of each about one in so many, chosen by their hash."""
        return some_texts(table.keep(list(shares)), shares)

    def steady(self, table: LoadedTable, key: str, names: Sequence[str]) -> Steady:
        """Return in how many rows that share a value of a key other columns are one value."""
        kept = table.keep([key, *names])
        query = steady_query(kept.column(key).alias, [kept.column(name).alias for name in names], kept.name)
        with translated(table.label, connection=table.connection):
            ((several, *within),) = table.connection.execute(query).fetchall()
        return Steady(int(several), dict(zip(names, map(int, within), strict=True)))

    def recode(self, table: LoadedTable, recoding: Recoding, *, unknown: Unknown = "refuse") -> DuckDBRecodedTable:
        """Return the table that a recoding publishes; rows that it does not know are refused or dropped."""
        released = DuckDBRecoder(table, recoding).recoded(unknown)
        self.give_back()
        return released

    def give_back(self) -> None:
        """Give memory that was freed back to the system, where a person said how much may be used."""
        give_back(self.connection)


class DuckDBCounted(Counted):
    """A counted table: what the audit reads part by part, and how keys are read back."""

    def __init__(self, coded: CodedTable, quasi: Sequence[str], counts: Counts, progress: Progress) -> None:
        self.rows = coded.rows
        self.quasi = tuple(quasi)
        self.census = counts.census
        self._coded = coded
        self._counts = counts
        self._people = cast("PeopleCounts", counts) if counts.sets_known else None
        self._progress = progress
        self._population = self._population_lookup() if coded.population is not None else None

    @property
    def observed(self) -> list[Observed]:
        """The values of each attribute and how many rows carry them."""
        return self._counts.observed

    def trajectories(self) -> Trajectories | None:
        """Return by which sets of classes people are told apart, where the counts tell it."""
        return self._counts.trajectories()

    @property
    def tells_people(self) -> bool:
        """Whether it can say how many different people some classes have together."""
        return self._people is not None and self._people.tells_people

    def people_in(self, classes: NDArray[np.bool_]) -> int:
        """Return how many different people are in some classes, which are marked in the order of all parts."""
        return super().people_in(classes) if self._people is None else self._people.people_in(classes)

    def map(self, ranks: Sequence[Ranks], measure: Callable[[Part], Result]) -> Iterator[Result]:
        """Apply a function to every part; results come in a fixed order."""
        return self._counts.map(ranks, measure, self._progress)

    def classes(self, figures: Sequence[str], whole: Sequence[bool]) -> DuckDBClasses:
        """Return an empty class table with these figures."""
        return DuckDBClasses(self._coded.table.connection, self._coded.keys, self.quasi, figures, whole)

    def foremost(self, keys: Integers) -> Integers:
        """Return the position of the key that is first in the order of its values."""
        return np.array([self._coded.keys.first(keys)])

    def codes(self, keys: Integers) -> Integers:
        """Return, for each key, the code of each quasi-identifier."""
        return self._coded.keys.codes(keys)

    def histogram(self, at: int, key: Mapping[str, object]) -> list[int]:
        """Return how many rows of a class carry each observed value of an attribute."""
        where, values = self._matching(key)
        own = self._coded.tables[at]
        found = self._coded.run(
            f"SELECT {self._coded.raw_attribute(at)}, {own.tally} AS n "  # noqa: S608 - our own names, bound values
            f"FROM {own.name} WHERE {where} GROUP BY ALL",
            values,
        ).fetchnumpy()
        coding = self._coded.attributes[at].coding
        by_code = np.zeros(coding.size, dtype=np.int64)
        by_code[coding.codes(found[f"s{at}"])] = found["n"]
        return [int(count) for count in by_code[self._counts.observed_codes[at]]]

    def held(self, at: int, key: Mapping[str, object]) -> ClassPeople | None:
        """Return the people of a class."""
        table = self._coded.table
        if table.person is None or self.observed[at].people is None:
            return None
        where, values = self._matching(key)
        person, raw = table.telling(table.person), self._coded.raw_attribute(at)
        rows = self._coded.run(
            f"SELECT l, count(*) FROM (SELECT list_sort(list(DISTINCT s{at})) AS l FROM "  # noqa: S608 - bound values
            f"(SELECT {raw}, {person} AS p FROM {table.name}) WHERE p IN "
            f"(SELECT {person} FROM {table.name} WHERE {where}) GROUP BY p) GROUP BY l",
            values,
        ).fetchall()
        lengths = np.array([len(codes) for codes, _ in rows], dtype=np.int64)
        coding = self._coded.attributes[at].coding
        place = np.full(coding.size, -1, dtype=np.int32)
        place[self._counts.observed_codes[at]] = np.arange(len(self._counts.observed_codes[at]), dtype=np.int32)
        raw_codes = np.array([code for codes, _ in rows for code in codes], dtype=np.int64)
        found = place[coding.codes(raw_codes)]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        names = self._coded.attributes[at].names
        missing = f" AND {table.telling(names[0])} IS NOT NULL" if len(names) == 1 else ""
        ((valued,),) = self._coded.run(
            f"SELECT count(DISTINCT {person}) FROM {table.name} WHERE ({where}){missing}",  # noqa: S608 - bound values
            values,
        ).fetchall()
        sets = ValueSets(offsets, found, np.array([people for _, people in rows], dtype=np.int64))
        return ClassPeople(sets, int(valued))

    def matching(self, key: Mapping[str, object]) -> int:
        """Return how many classes have these values in the columns that are named."""
        where, values = self._matching(key)
        columns = ", ".join(self._coded.table.column(name).alias for name in self.quasi)
        rows = self._coded.run(
            f"SELECT count(*) FROM (SELECT DISTINCT {columns} FROM {self._coded.table.name} WHERE {where})",  # noqa: S608
            values,
        ).fetchall()
        return int(rows[0][0])

    def _matching(self, key: Mapping[str, object]) -> tuple[str, list[object]]:
        """Return a condition for a class key; a text matches the value that it names."""
        conditions: list[str] = []
        values: list[object] = []
        for name, value in key.items():
            column = self._coded.table.column(name)
            if isinstance(value, str | FineMoment | np.datetime64) and column.type != "VARCHAR":
                texts = castable(named_texts(value, kind_of(column.type), column.spelling), column.type)
                conditions.append(f"{column.alias} IN ({', '.join([f'TRY_CAST(? AS {column.type})'] * len(texts))})")
                values += texts
            else:
                conditions.append(f"{column.alias} IS NOT DISTINCT FROM ?")
                values.append(value)
        return " AND ".join(conditions) or "true", values

    def population(self, keys: Integers) -> Integers | None:
        """Return the size of each class in the population, 0 where it has none; None without a population."""
        return self._population(keys) if self._population is not None else None

    def _population_lookup(self) -> Callable[[Integers], Integers]:
        people = self._coded.population
        if people is None:
            raise DomainError("No population was given.")
        keys = self._coded.keys
        check_rows(people.rows, people.label)
        found = self._coded.run(
            f"SELECT {', '.join(keys.raw_columns(people))}, {people.tally} AS n FROM {people.name} GROUP BY ALL"  # noqa: S608
        ).fetchnumpy()
        words = keys.words([found[f"r{at}"] for at in range(len(keys.raw))], len(found["n"]))
        known = _rows_as_keys(words)
        order = np.argsort(known)
        known = known[order]
        sizes: Integers = found["n"].astype(np.int64)[order]

        def look_up(keys: Integers) -> Integers:
            wanted = _rows_as_keys(keys)
            at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
            return np.where(known[at] == wanted, sizes[at], 0)

        return look_up


def _rows_as_keys(keys: Integers) -> NDArray[Any]:
    """Return each row of words as one value that can be sorted and compared."""
    if keys.shape[1] == 1:
        return keys[:, 0]
    kind = np.dtype([(f"w{at}", np.int64) for at in range(keys.shape[1])])
    return np.ascontiguousarray(keys).view(kind).ravel()
