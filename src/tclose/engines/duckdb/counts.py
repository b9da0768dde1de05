"""Rows to counts with DuckDB grouping the pairs: for weighted rows, and for tables beyond memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import numpy as np

from tclose.engines.base import Progress
from tclose.engines.duckdb.codes import TABLE_SPAN, Coding, KeyWords, coded, dictionary_coding
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.published_types import fetched, in_zone
from tclose.engines.duckdb.table import LoadedTable
from tclose.engines.people import Census, Trajectories
from tclose.models.counts import Integers, Part, Ranks, sparse_block
from tclose.models.value_order import Kind, Observed

Result = TypeVar("Result")

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

    ``tables`` has, for each attribute, the table that its values are counted in by class, and ``references`` the one
    they are counted in as a whole: the same for all, unless the source has already been grouped.
    """

    def __init__(
        self,
        table: LoadedTable,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        population: LoadedTable | None = None,
        tables: Sequence[LoadedTable] | None = None,
        references: Sequence[LoadedTable] | None = None,
    ) -> None:
        self.table = table
        self.tables = tuple(tables) if tables is not None else (table,) * len(sensitive)
        self.references = self.tables if references is None else tuple(references)
        self.sized_apart = table.person is not None or references is not None
        """Whether the size of a class is not the sum of its values' counts: a person may have several values."""
        self.population = population
        of_people = [table] if population is None else [table, population]
        self.keys = KeyWords(tuple(coded(of_people, quasi, offsets_below=1 << 32, missing="first")))
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
        ((rows,),) = self.run(f"SELECT {self.table.row_tally} FROM {self.table.name}").fetchall()  # noqa: S608 - our own name
        return int(rows)

    def run(self, query: str, values: Sequence[object] = ()) -> Any:
        """Execute a query on the table's connection, with our errors."""
        with translated(self.table.label, connection=self.table.connection):
            return self.table.connection.execute(query, list(values))

    @cached_property
    def observed(self) -> list[tuple[Observed, Integers]]:
        """The values of each attribute with their numbers of rows, and the code of each value; one scan each."""
        found = []
        for at, (attribute, whole) in enumerate(zip(self.attributes, self.references, strict=True)):
            grouped = self.run(
                f"SELECT {self.raw_attribute(at, whole)}, {whole.tally} AS n FROM {whole.name} GROUP BY ALL"  # noqa: S608
            ).fetchnumpy()
            counts = np.zeros(attribute.coding.size, dtype=np.int64)
            counts[attribute.coding.codes(grouped[f"s{at}"])] = grouped["n"]
            found.append(self.observed_from(at, counts))
        return found

    def _listed(self, coding: Coding) -> list[object]:
        """Return the values of a dictionary in the order of their codes; points in time as their zone shows them."""
        alone = len(coding.columns) == 1
        parts = [fetched(f"v{at}", column.type) for at, column in enumerate(coding.columns)]
        rows = self.run(f"SELECT {', '.join(parts)} FROM {coding.dictionary} ORDER BY code").fetchall()  # noqa: S608
        shown = [
            in_zone(values, column.zone, column.type)
            for values, column in zip(zip(*rows, strict=True), coding.columns, strict=True)
        ]
        return shown[0] if alone else list(zip(*shown, strict=True))

    def set_of_classes(self, sets: int) -> str:
        """Return the SQL that divides the classes into sets: all rows of a class have the same number."""
        return f"{self._hash_of_class()} % {sets}"

    def _hash_of_class(self) -> str:
        codes = [column.rpartition(" AS ")[0] for column in self.keys.raw_columns(self.table)]
        return f"hash({', '.join(codes) or '0'})"

    @property
    def classes_about(self) -> int:
        """About how many classes there are, from one scan."""
        query = f"SELECT approx_count_distinct({self._hash_of_class()}) FROM {self.table.name}"  # noqa: S608
        return int(self.run(query).fetchall()[0][0])

    def raw_attribute(self, at: int, table: LoadedTable | None = None) -> str:
        """Return the SQL for the raw code of an attribute, named s0, s1 and so on; in its own table unless another."""
        coding, table = self.attributes[at].coding, table or self.tables[at]
        return f"{coding.expression([table.column(column.name).alias for column in coding.columns])} AS s{at}"

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
            listed = self._listed(coding)
            return Observed(listed, counts, kind, column.categories, spelling=column.spelling), np.arange(coding.size)
        codes = np.flatnonzero(counts)
        numbers = (codes - 1) + coding.minimum
        if codes[0] == 0:
            return Observed([None, *numbers[1:].tolist()], counts[codes], kind), codes
        return Observed(numbers, counts[codes], kind, ascending=True), codes


def kind_of(type_name: str) -> Kind:
    """Return what the values of a DuckDB type are."""
    if type_name == "BOOLEAN":
        return "truth"
    if type_name.startswith(_NUMBERS):
        return "number"
    return "time" if type_name.startswith(_TIMES) else "text"


class ScannedCounts:
    """Counts whose values are looked up in the whole table, before any class is counted."""

    census: Census | None = None
    sets_known: ClassVar[bool] = False
    """Whether the observed values come with the sets of them that people have."""

    def __init__(self, coded_table: CodedTable) -> None:
        self._coded = coded_table

    def trajectories(self) -> Trajectories | None:
        """Return by which sets of classes people are told apart; counts of pairs do not tell it."""
        return None

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
        yield measure(Part(keys, self._sizes(keys, numbered[0][1], grouped[0][2]), blocks))

    def _sizes(self, keys: Integers, classes: Integers, counts: Integers) -> Integers:
        """Return the size of each class: the sum of the counts of its values, or counted apart."""
        sizes = np.zeros(len(keys), dtype=np.int64)
        if self._coded.sized_apart:
            words, counts = self._words_and_counts(self._coded.table, [])[:2]
            classes = _numbered(words)[1]
        np.add.at(sizes, classes, counts)
        return sizes

    def _pairs(self, at: int) -> tuple[Integers, Integers, Integers]:
        """Return the key words, codes and counts of the pairs."""
        words, counts, found = self._words_and_counts(self._coded.tables[at], [self._coded.raw_attribute(at)])
        return words, self._coded.attributes[at].coding.codes(found[f"s{at}"]), counts

    def _words_and_counts(self, own: LoadedTable, beside: list[str]) -> tuple[Integers, Integers, dict[str, Any]]:
        """Return the key words of a table grouped by class and something beside, the counts, and all that was found."""
        raw = self._coded.keys.raw_columns(own)
        listing = ", ".join([*raw, *beside, f"{own.tally} AS n"])
        found = self._coded.run(f"SELECT {listing} FROM {own.name} {self._where} GROUP BY ALL").fetchnumpy()  # noqa: S608
        words = self._coded.keys.words([found[f"r{place}"] for place in range(len(raw))], len(found["n"]))
        return words, found["n"].astype(np.int64), found


class PairSets(PairCounts):
    """Counts of pairs that DuckDB groups one set of whole classes after the other, so that few are here at once."""

    def __init__(self, coded_table: CodedTable, sets: int) -> None:
        super().__init__(coded_table)
        self._sets = sets

    def map(self, ranks: Sequence[Ranks], measure: Callable[[Part], Result], progress: Progress) -> Iterator[Result]:
        """Apply ``measure`` to the classes of each set."""
        number = self._coded.set_of_classes(self._sets)
        for chosen in range(self._sets):
            progress("Measuring classes", chosen / self._sets)
            where = f"WHERE {number} = {chosen}" if self._sets > 1 else ""
            yield from PairCounts(self._coded, where).map(ranks, measure, lambda _stage, _share: None)


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
