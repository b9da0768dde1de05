"""Rows to counts with DuckDB grouping the pairs: for small tables, and for those beyond memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers, Part, Ranks, sparse_block
from tclose.domains import Kind, Observed
from tclose.engines.duckdb.codes import TABLE_SPAN, Coding, coded, dictionary_coding
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.key_words import KeyWords
from tclose.engines.duckdb.table import LoadedTable
from tclose.engines.interface import Progress

Result = TypeVar("Result")

SMALL = 40_000
"""Up to this many rows, grouping in SQL is quicker than loading the compiler."""
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
            "UHUGEINT", "DOUBLE", "FLOAT", "DECIMAL")  # fmt: skip
_TIMES = ("DATE", "TIME", "TIMESTAMP", "INTERVAL")


@dataclass(frozen=True)
class Attribute:
    """A sensitive attribute as codes; several columns make one joint attribute."""

    names: tuple[str, ...]
    coding: Coding


class CodedTable:
    """A table whose quasi-identifiers and sensitive attributes have been coded.

    ``tables`` has, for each attribute, the table that its values are counted in: the same for all, unless the
    source has already been grouped by the quasi-identifiers and each attribute.
    """

    def __init__(
        self,
        table: LoadedTable,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        population: LoadedTable | None = None,
        tables: Sequence[LoadedTable] | None = None,
    ) -> None:
        self.table = table
        self.tables = tuple(tables) if tables is not None else (table,) * len(sensitive)
        self.population = population
        peopled = [table] if population is None else [table, population]
        self.keys = KeyWords(tuple(coded(peopled, quasi, offsets_below=1 << 32)))
        self.attributes = [
            Attribute(
                names,
                coded([own], names, offsets_below=TABLE_SPAN)[0]
                if len(names) == 1
                else dictionary_coding([own], tuple(own.column(name) for name in names)),
            )
            for names, own in zip(sensitive, self.tables, strict=True)
        ]
        self.rows = self._count_rows()

    def _count_rows(self) -> int:
        if self.table.rows is not None:
            return self.table.rows
        ((rows,),) = self.run(f"SELECT {self.table.tally} FROM {self.table.name}").fetchall()  # noqa: S608 - our own name
        return int(rows)

    def run(self, query: str, values: Sequence[object] = ()) -> Any:
        """Execute a query on the table's connection, with our errors."""
        with translated(self.table.label, connection=self.table.connection):
            return self.table.connection.execute(query, list(values))

    @cached_property
    def observed(self) -> list[tuple[Observed, Integers]]:
        """The values of each attribute with their numbers of rows, and the code of each value; one scan each."""
        found = []
        for at, (attribute, own) in enumerate(zip(self.attributes, self.tables, strict=True)):
            grouped = self.run(
                f"SELECT {self.raw_attribute(at)}, {own.tally} AS n FROM {own.name} GROUP BY ALL"  # noqa: S608
            ).fetchnumpy()
            counts = np.zeros(attribute.coding.size, dtype=np.int64)
            counts[attribute.coding.codes(grouped[f"s{at}"])] = grouped["n"]
            found.append(self.observed_from(at, counts))
        return found

    def set_of_classes(self, sets: int) -> str:
        """Return the SQL that divides the classes into sets: all rows of a class have the same number."""
        codes = [column.rpartition(" AS ")[0] for column in self.keys.raw_columns(self.table)]
        return f"hash({', '.join(codes) or '0'}) % {sets}"

    def raw_attribute(self, at: int) -> str:
        """Return the SQL for the raw code of an attribute, named s0, s1 and so on."""
        coding = self.attributes[at].coding
        return f"{coding.expression([column.alias for column in coding.columns])} AS s{at}"

    def observed_from(self, at: int, counts: Integers) -> tuple[Observed, Integers]:
        """Return the values of an attribute with their numbers of rows, and the code of each value.

        Parameters
        ----------
        at
            Which attribute.
        counts
            How many rows carry each code.
        """
        attribute = self.attributes[at]
        coding, column = attribute.coding, attribute.coding.columns[0]
        kind = "text" if len(attribute.names) > 1 else kind_of(column.type)
        if coding.minimum is None:
            values = ", ".join(f"v{place}" for place in range(len(attribute.names)))
            query = f"SELECT {values} FROM {coding.dictionary} ORDER BY code"  # noqa: S608 - our own names
            if column.type == "TIMESTAMP_NS" and len(attribute.names) == 1:
                listed = _nanoseconds(self.run(query).fetchnumpy()["v0"])
            else:
                listed = [row[0] if len(row) == 1 else row for row in self.run(query).fetchall()]
            return Observed(listed, counts, kind, column.categories), np.arange(coding.size)
        codes = np.flatnonzero(counts)
        numbers = (codes - 1) + coding.minimum
        if codes[0] == 0:
            return Observed([None, *numbers[1:].tolist()], counts[codes], kind), codes
        return Observed(numbers, counts[codes], kind, ascending=True), codes


def _nanoseconds(times: NDArray[Any]) -> list[object]:
    """Return points in time that Python's own type would round."""
    return [None if np.ma.is_masked(time) or np.isnat(time) else time for time in times]


def kind_of(type_name: str) -> Kind:
    """Return what the values of a DuckDB type are."""
    if type_name == "BOOLEAN":
        return "truth"
    if type_name.startswith(_NUMBERS):
        return "number"
    return "time" if type_name.startswith(_TIMES) else "text"


class ScannedCounts:
    """Counts whose values are looked up in the whole table, before any class is counted."""

    def __init__(self, coded_table: CodedTable) -> None:
        self._coded = coded_table

    @property
    def observed(self) -> list[Observed]:
        """The values of each attribute and how many rows carry them."""
        return [observed for observed, _ in self._coded.observed]

    @property
    def observed_codes(self) -> list[Integers]:
        """The code of each observed value."""
        return [codes for _, codes in self._coded.observed]


class PairCounts(ScannedCounts):
    """Counts of (class, value) pairs grouped by DuckDB: all classes, or one set of them."""

    def __init__(self, coded_table: CodedTable, where: str = "") -> None:
        super().__init__(coded_table)
        self._where = where

    def map(self, ranks: Sequence[Ranks], measure: Callable[[Part], Result], progress: Progress) -> Iterator[Result]:
        """Group the pairs and apply ``measure`` to them."""
        progress("Counting classes", None)
        grouped = [self._pairs(at) for at in range(len(ranks))]
        if not len(grouped[0][0]):
            return
        numbered = [_numbered(words) for words, _, _ in grouped]
        keys = numbered[0][0]
        tables = rank_tables(self._coded, self._coded.observed, ranks)
        blocks = tuple(
            sparse_block(classes, table[codes], counts, len(keys))
            for (_, classes), (_, codes, counts), table in zip(numbered, grouped, tables, strict=True)
        )
        sizes = np.zeros(len(keys), dtype=np.int64)
        np.add.at(sizes, numbered[0][1], grouped[0][2])
        yield measure(Part(keys, sizes, blocks))

    def _pairs(self, at: int) -> tuple[Integers, Integers, Integers]:
        """Return the key words, codes and counts of the pairs."""
        own = self._coded.tables[at]
        raw = self._coded.keys.raw_columns(own)
        found = self._coded.run(
            f"SELECT {', '.join([*raw, self._coded.raw_attribute(at)])}, {own.tally} AS n "  # noqa: S608 - our own names
            f"FROM {own.name} {self._where} GROUP BY ALL"
        ).fetchnumpy()
        words = self._coded.keys.words([found[f"r{place}"] for place in range(len(raw))], len(found["n"]))
        codes = self._coded.attributes[at].coding.codes(found[f"s{at}"])
        return words, codes, found["n"].astype(np.int64)


def rank_tables(
    coded_table: CodedTable, observed: Sequence[tuple[Observed, Integers]], ranks: Sequence[Ranks]
) -> list[Ranks]:
    """Return, for each attribute, the rank of each code; −1 for codes that do not occur or are left out."""
    tables = []
    for attribute, (_, codes), some in zip(coded_table.attributes, observed, ranks, strict=True):
        table = np.full(attribute.coding.size, -1, dtype=np.int32)
        table[codes] = some
        tables.append(table)
    return tables


def _numbered(words: Integers) -> tuple[Integers, Integers]:
    """Return the distinct keys in ascending order and the number of each row's key."""
    if words.shape[1] == 1:
        keys, numbers = np.unique(words[:, 0], return_inverse=True)
        return keys[:, np.newaxis], numbers
    keys, numbers = np.unique(words, axis=0, return_inverse=True)
    return keys, numbers.ravel()
