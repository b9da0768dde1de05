"""One piece of work with DuckDB: a connection, the table opened on it, and the counts made from it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers, Part, Ranks
from tclose.domains import Observed
from tclose.engines.duckdb.classes import DuckDBClasses
from tclose.engines.duckdb.connection import allowed_memory, connect
from tclose.engines.duckdb.counts import SMALL, CodedTable, PairCounts, kind_of
from tclose.engines.duckdb.distinct import distinct_rows
from tclose.engines.duckdb.load import load
from tclose.engines.duckdb.recoded import recode
from tclose.engines.duckdb.released import DuckDBReleased
from tclose.engines.duckdb.stream import RowStream
from tclose.engines.duckdb.table import LoadedTable, aligned, check_rows
from tclose.engines.interface import DistinctRows, Progress, Recoding, Unknown
from tclose.errors import DomainError
from tclose.sources import ReadOptions, locate

if TYPE_CHECKING:
    from tclose.engines.duckdb.rows import RowCounts, SetCounts

Result = TypeVar("Result")
Counts = Union[PairCounts, "RowCounts", "SetCounts"]

_SHARE_OF_MEMORY = 4
"""Row codes may take one part in so many of the allowed memory."""


class DuckDBSession:
    """Opens tables on one connection and counts them."""

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
        self._read = read

    def open(self, table: object) -> LoadedTable:
        """Return a table with its columns; its rows are not read yet."""
        if isinstance(table, DuckDBReleased) and table.connection is self.connection:
            return table.table
        return load(self.connection, locate(table, options=self._read))

    def count(
        self,
        table: LoadedTable,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
        population: LoadedTable | None = None,
    ) -> DuckDBCounted:
        """Count the classes of the quasi-identifiers by the values of the sensitive attributes."""
        if population is not None:
            table, population = aligned(table, population, quasi)
        coded = CodedTable(table, quasi, sensitive, population)
        check_rows(coded.rows, table.label)
        return DuckDBCounted(coded, quasi, self._counts(coded, progress), progress)

    def _counts(self, coded: CodedTable, progress: Progress) -> Counts:
        if coded.rows <= SMALL:
            return PairCounts(coded)
        bytes_a_row = 4 + 8 * len(coded.attributes)  # the codes once as they come, once sorted
        most_rows = max(1, allowed_memory(self.connection) // _SHARE_OF_MEMORY // bytes_a_row)
        stream = RowStream(coded, coded.rows, progress) if coded.rows <= most_rows else None
        from tclose.engines.duckdb.rows import RowCounts, SetCounts  # loads the compiler, while the engine reads

        return RowCounts(coded, stream, self.threads) if stream else SetCounts(coded, self.threads, most_rows)

    def values(self, table: LoadedTable, names: tuple[str, ...]) -> Observed:
        """Return the distinct values of a column, or of several taken as one, with their counts."""
        columns = [table.column(name) for name in names]
        listing = ", ".join(column.alias for column in columns)
        rows = table.connection.execute(
            f"SELECT {listing}, {table.tally} FROM {table.name} GROUP BY {listing}"  # noqa: S608 - our own aliases
        ).fetchall()
        values = [row[0] if len(names) == 1 else tuple(row[:-1]) for row in rows]
        kind = kind_of(columns[0].type) if len(names) == 1 else "text"
        return Observed(values, np.array([row[-1] for row in rows], dtype=np.int64), kind, columns[0].categories)

    def distinct(
        self, table: LoadedTable, quasi: Sequence[str], sensitive: Sequence[tuple[str, ...]], progress: Progress
    ) -> DistinctRows:
        """Return the distinct combinations of quasi-identifiers and sensitive values, with their counts."""
        return distinct_rows(table, quasi, sensitive, progress)

    def recode(self, table: LoadedTable, recoding: Recoding, *, unknown: Unknown = "refuse") -> DuckDBReleased:
        """Return the table that a recoding publishes; rows that it does not know are refused or dropped."""
        return recode(table, recoding, unknown)


class DuckDBCounted:
    """A counted table: what the audit reads part by part, and how keys are read back."""

    def __init__(self, coded: CodedTable, quasi: Sequence[str], counts: Counts, progress: Progress) -> None:
        self.rows = coded.rows
        self.quasi = tuple(quasi)
        self._coded = coded
        self._counts = counts
        self._progress = progress
        self._population = self._population_lookup() if coded.population is not None else None

    @property
    def observed(self) -> list[Observed]:
        """The values of each attribute and how many rows carry them."""
        return self._counts.observed

    def map(self, ranks: Sequence[Ranks], measure: Callable[[Part], Result]) -> Iterator[Result]:
        """Apply a function to every part; results come in a fixed order."""
        return self._counts.map(ranks, measure, self._progress)

    def classes(self, figures: Sequence[str], whole: Sequence[bool]) -> DuckDBClasses:
        """Return an empty class table with these figures."""
        return DuckDBClasses(self._coded.table.connection, self._coded.keys, self.quasi, figures, whole)

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
        """Return a condition for a class key; a text matches what a value of another type reads as."""
        conditions: list[str] = []
        values: list[object] = []
        for name, value in key.items():
            column = self._coded.table.column(name)
            if isinstance(value, str) and column.type != "VARCHAR":
                conditions.append(
                    f"(CAST({column.alias} AS VARCHAR) = ? OR {column.alias} = TRY_CAST(? AS {column.type}))"
                )
                values += [value, value]
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
