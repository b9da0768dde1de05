"""Rows to counts in one stream of codes: the quick way, for tables whose codes fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar, TypeVar

import nanoarrow
import numpy as np
from numpy.typing import NDArray

from tclose.engines.base import Progress
from tclose.engines.duckdb.codes import Coding, changed
from tclose.engines.duckdb.counts import CodedTable, PairCounts, ScannedCounts, rank_tables
from tclose.engines.duckdb.errors import translated
from tclose.engines.grouping import DIRECT_SPAN, Batch, FixedIndex, GroupedRows
from tclose.engines.people import Census, Trajectories
from tclose.engines.prefetching import ReadAhead
from tclose.models import kernels
from tclose.models.counts import Integers, Part, Ranks
from tclose.models.value_order import Observed

# The rows of a coded table as one stream of Arrow arrays, read ahead while others still get ready.


_AHEAD = 64
"""So many arrays wait at most; with 131,072 rows each, that is little beside what they become."""


class RowStream:
    """The raw codes of rows, array by array: the quasi-identifiers' columns, then the attributes'.

    Reading starts at once, in a thread of its own: the engine works while the kernels are being loaded.

    Parameters
    ----------
    coded_table
        The table.
    rows
        How many rows there are.
    progress
        Told how far reading is.
    where
        The SQL that selects the rows.
    person
        The SQL of the key of each row's person, where people are counted; it comes last.
    """

    def __init__(
        self, coded_table: CodedTable, rows: int, progress: Progress, where: str = "", person: str | None = None
    ) -> None:
        self.rows = rows
        self._progress = progress
        columns = coded_table.keys.raw_columns(coded_table.table)
        columns += [coded_table.raw_attribute(at) for at in range(len(coded_table.attributes))]
        columns += [f"{person} AS p"] if person is not None else []
        query = f"SELECT {', '.join(columns)} FROM {coded_table.table.name} {where}"  # noqa: S608 - our own names
        connection = coded_table.table.connection
        with translated(coded_table.table.label, connection=connection):
            stream = nanoarrow.c_array_stream(connection.sql(query))
        self._reading = ReadAhead((array for array in stream), _AHEAD, "tclose-reader")

    def __iter__(self) -> Iterator[Any]:
        seen = 0
        try:
            while (item := self._reading.next()) is not None:
                seen += item.length
                self._progress("Reading rows", min(1.0, seen / max(self.rows, 1)))
                yield item
        finally:
            self._reading.abandon()


Result = TypeVar("Result")


class RowCounts:
    """Counts made from the codes of every row, held in memory: four bytes for each row and column.

    Parameters
    ----------
    coded_table
        The table.
    stream
        Its rows, or some of them.
    threads
        How many workers take part.
    """

    census: Census | None = None
    sets_known: ClassVar[bool] = False

    def __init__(self, coded_table: CodedTable, stream: RowStream, threads: int) -> None:
        self._coded = coded_table
        spans = coded_table.keys.spans
        self._word_type = np.int32 if len(spans) == 1 and spans[0] <= DIRECT_SPAN else np.int64
        self._key_readers = [
            _Reader(column.codings[0]) if len(column.codings) == 1 else _Reader(None, column.size)
            for column in coded_table.keys.raw
        ]
        self._readers = [_Reader(attribute.coding) for attribute in coded_table.attributes]
        with translated(coded_table.table.label, connection=coded_table.table.connection):
            self._grouped = self._group(
                arrivals=iter(stream),
                batch_of=self._batch,
                spans=spans,
                code_spans=[reader.size for reader in self._readers],
                rows=stream.rows,
                threads=threads,
            )
        if self._grouped.rows != stream.rows:
            raise changed()

    def _group(self, **taken: Any) -> GroupedRows:
        """Return the rows, taken in."""
        return GroupedRows(**taken)

    def _batch(self, array: Any) -> Batch:
        """Return an Arrow array as a batch."""
        return self._coded_rows(self._columns(array), array.length)

    def _columns(self, array: Any) -> list[NDArray[Any]]:
        """Return the raw codes in an Arrow array, column by column."""
        return [self._column(array.child(at), array.length) for at in range(array.n_children)]

    def _column(self, child: Any, rows: int) -> NDArray[Any]:
        """Return the raw codes in one child of an Arrow array."""
        return np.asarray(child.view().buffer(1))[child.offset : child.offset + rows]

    def _coded_rows(self, columns: Sequence[NDArray[Any]], rows: int) -> Batch:
        """Return rows as a batch of key words and codes, every raw code checked."""
        words = self._words(columns[: len(self._key_readers)], rows)
        codes = [
            reader.codes(column)
            for column, reader in zip(columns[len(self._key_readers) :], self._readers, strict=True)
        ]
        return Batch(tuple(words), tuple(codes))

    def _words(self, columns: Sequence[NDArray[Any]], rows: int) -> list[NDArray[Any]]:
        """Return the key words of a batch; a single column of codes is its word already."""
        keys = self._coded.keys.raw
        if len(keys) == 1 and self._key_readers[0].delivers_codes:
            return [self._key_readers[0].codes(columns[0]).astype(self._word_type, copy=False)]
        words = [np.zeros(rows, dtype=self._word_type) for _ in self._coded.keys.spans]
        for column, reader, key in zip(columns, self._key_readers, keys, strict=True):
            reader.add(column, key.stride, words[key.word])
        return words

    def trajectories(self) -> Trajectories | None:
        """Return by which sets of classes people are told apart; of rows, nothing is known of them."""
        return None

    @cached_property
    def _observed(self) -> list[tuple[Observed, Integers]]:
        return [self._coded.observed_from(at, counts) for at, counts in enumerate(self._grouped.code_counts)]

    @property
    def observed(self) -> list[Observed]:
        """The values of each attribute and how many of the rows carry them."""
        return [observed for observed, _ in self._observed]

    @property
    def observed_codes(self) -> list[Integers]:
        """The code of each observed value."""
        return [codes for _, codes in self._observed]

    def map(self, ranks: Sequence[Ranks], measure: Callable[[Part], Result], progress: Progress) -> Iterator[Result]:
        """Count class by class and apply ``measure`` to each part; ``ranks`` belong to the observed values."""
        return self.map_tables(rank_tables(self._coded, self._observed, ranks), measure, progress)

    def map_tables(
        self, tables: Sequence[Ranks], measure: Callable[[Part], Result], progress: Progress
    ) -> Iterator[Result]:
        """Count class by class and apply ``measure`` to each part; ``tables`` have a rank for each code."""

        def tell(share: float) -> None:
            progress("Measuring classes", share)

        return self._grouped.map(tables, [int(table.max(initial=0)) + 1 for table in tables], measure, tell)


class _Reader:
    """Turns the raw codes of one column into codes, compiled and safe in several threads."""

    def __init__(self, coding: Coding | None, size: int = 0) -> None:
        self.size = coding.size if coding is not None else size
        self._table = coding.table if coding is not None else None
        wide = coding is not None and coding.raw is not None and coding.table is None
        self._index = FixedIndex(coding.raw.astype(np.int64)) if wide else None  # type: ignore[union-attr]

    @property
    def delivers_codes(self) -> bool:
        """Whether raw codes are the codes."""
        return self._table is None and self._index is None

    def _known(self, raw: NDArray[Any]) -> NDArray[Any]:
        """Return raw codes that a loop can take without checking bounds."""
        if self._index is not None:
            raw = self._index.numbers(raw.astype(np.int64))
        limit = len(self._table) if self._table is not None else self.size
        if len(raw) and int(raw.max()) >= limit:
            raise changed()
        return raw.astype(np.int32 if limit < 2**31 else np.int64, copy=False)

    def add(self, raw: NDArray[Any], stride: int, words: NDArray[Any]) -> None:
        """Add the codes of a column, times its stride, to the key words of rows."""
        known = self._known(raw)
        if self._table is None:
            kernels.counting.add_codes(known, stride, words)
        elif kernels.counting.add_looked_up(known, self._table, stride, words):
            raise changed()

    def codes(self, raw: NDArray[Any]) -> NDArray[Any]:
        """Return the codes of an attribute."""
        known = self._known(raw)
        if self._table is None:
            return known
        codes: NDArray[np.int32] = self._table[known]
        if len(codes) and int(codes.min()) < 0:
            raise changed()
        return codes


class SetCounts(ScannedCounts):
    """Counts of a table beyond memory: one set of whole classes after the other, each read anew.

    A set whose rows are too many, because one class is, is grouped by DuckDB instead: a class has at most
    as many pairs as there are values.
    """

    def __init__(self, coded_table: CodedTable, threads: int, most_rows: int) -> None:
        super().__init__(coded_table)
        self._threads = threads
        self._most_rows = most_rows
        self._sets = 1 + coded_table.rows * 5 // (4 * most_rows)

    def _row_counts(self, rows: int, progress: Progress, where: str) -> RowCounts:
        """Return the counts of the rows of one set."""
        return RowCounts(self._coded, RowStream(self._coded, rows, progress, where), self._threads)

    def map(self, ranks: Sequence[Ranks], measure: Callable[[Part], Result], progress: Progress) -> Iterator[Result]:
        """Count one set after the other and apply ``measure`` to its parts."""
        number = self._coded.set_of_classes(self._sets)
        sizes = self._coded.run(
            f"SELECT {number} AS number, count(*) AS n FROM {self._coded.table.name} GROUP BY number ORDER BY number"  # noqa: S608
        ).fetchall()
        tables = rank_tables(self._coded, self._coded.observed, ranks)
        for at, (chosen, rows) in enumerate(sizes):
            where = f"WHERE {number} = {chosen}"

            def reported(stage: str, share: float | None, at: int = at) -> None:
                progress(f"{stage}, set {at + 1} of {len(sizes)}", share)

            if rows <= self._most_rows:
                yield from self._row_counts(rows, reported, where).map_tables(tables, measure, reported)
            else:
                yield from PairCounts(self._coded, where).map(ranks, measure, reported)
