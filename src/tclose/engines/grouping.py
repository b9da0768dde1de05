"""Rows of codes to blocks of counts: the last step to the waist, shared by every engine.

An engine delivers batches: for each row its key words (which class) and one code for each sensitive
attribute. Rows are distributed to their classes by a counting sort and counted class by class; the
cost is linear in rows and independent of how many classes or values there are.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tclose.errors import HeadroomError
from tclose.models import kernels
from tclose.models.counts import Block, Integers, Part, Ranks

# Numbering keys: from the key words of a row to the number of its class.


MOST_KEYS = 2**31 - 2


class KeyIndex:
    """Numbers tuples of key words by first appearance.

    One word is looked up directly. Of several words, the number of the first is joined with the
    number of the next, two at a time, so that every step looks up one 64-bit key.
    """

    def __init__(self, words: int) -> None:
        self._tables = [_Table() for _ in range(max(1, words))]
        self._joined = [_Table() for _ in range(words - 1)]

    @property
    def size(self) -> int:
        """How many distinct keys were seen."""
        return self._joined[-1].size if self._joined else self._tables[0].size

    def numbers(self, words: tuple[Integers, ...]) -> NDArray[np.int32]:
        """Return the number of each row's key, adding the keys not seen before."""
        numbers = self._tables[0].numbers(words[0])
        for word, table, joined in zip(words[1:], self._tables[1:], self._joined, strict=True):
            both = (numbers.astype(np.int64) << 31) | table.numbers(word)
            numbers = joined.numbers(both)
        return numbers

    def words(self) -> tuple[Integers, ...]:
        """Return the key words of every key seen, in the order of their numbers."""
        numbers = np.arange(self.size)
        found: list[Integers] = []
        for table, joined in zip(reversed(self._tables[1:]), reversed(self._joined), strict=True):
            both = joined.known[numbers]
            found.append(table.known[both & (2**31 - 1)])
            numbers = both >> 31
        found.append(self._tables[0].known[numbers])
        return tuple(reversed(found))


class _Table:
    """An open-addressing hash table from 64-bit keys to numbers 0, 1, 2, … that grows by doubling."""

    def __init__(self) -> None:
        self._known = np.empty(1 << 12, dtype=np.int64)
        self._size = np.zeros(1, dtype=np.int64)
        self._make_slots()

    def _make_slots(self) -> None:
        slots = 2 * len(self._known)
        self._slot_keys = np.zeros(slots, dtype=np.int64)
        self._slot_numbers = np.full(slots, -1, dtype=np.int32)

    @property
    def size(self) -> int:
        return int(self._size[0])

    @property
    def known(self) -> Integers:
        return self._known[: self.size]

    def numbers(self, keys: Integers) -> NDArray[np.int32]:
        numbers = np.empty(len(keys), dtype=np.int32)
        done = self._enter(keys, numbers, 0)
        while done < len(keys):
            self._grow()
            done = self._enter(keys, numbers, done)
        return numbers

    def _enter(self, keys: Integers, numbers: NDArray[np.int32], start: int) -> int:
        slots = self._slot_keys, self._slot_numbers
        return int(kernels.counting.find_or_add(keys, *slots, self._known, self._size, numbers, start))

    def _grow(self) -> None:
        if len(self._known) * 2 > MOST_KEYS:
            raise HeadroomError("The table has more than two billion classes; name fewer quasi-identifiers.")
        seen = self.known
        self._known = np.empty(2 * len(self._known), dtype=np.int64)
        self._size[0] = 0
        self._make_slots()
        self._enter(seen, np.empty(len(seen), dtype=np.int32), 0)


class FixedIndex:
    """Numbers keys that are all known beforehand; safe to use from several threads."""

    def __init__(self, keys: Integers) -> None:
        self._table = _Table()
        self._table.numbers(keys)
        self.size = self._table.size

    def numbers(self, keys: Integers) -> NDArray[np.int32]:
        """Return the number of each key; an unknown key gets a number of ``size`` or more."""
        return self._table.numbers(keys)


Codes = NDArray[np.int32]
_Placed = tuple[Integers, Integers, list[Integers]]
"""The key of each class, where its rows start, and for each worker the first place of its rows of each class."""
Result = TypeVar("Result")
Arrival = TypeVar("Arrival")

ROWS_PER_PART = 1_000_000
"""A part holds about so many rows, or fewer where that leaves workers without one."""
DIRECT_SPAN = 1 << 20
"""Up to this span a single key word is used as class number itself."""


@dataclass(frozen=True)
class Batch:
    """Some rows as codes: key words (one array each) and one code array for each attribute."""

    words: tuple[Integers, ...]
    codes: tuple[Codes, ...]


@dataclass
class Share:
    """What one worker took in: class numbers of its own, codes, and how many of each it saw."""

    index: KeyIndex | None
    sizes: Integers
    code_counts: list[Integers]
    numbers: list[NDArray[np.int32]] = field(default_factory=list)
    codes: list[tuple[Codes, ...]] = field(default_factory=list)

    def take(self, batch: Batch) -> None:
        """Take rows in."""
        self.take_classes(batch)
        for codes, counts in zip(batch.codes, self.code_counts, strict=True):
            kernels.counting.tally(codes, counts)

    def take_classes(self, batch: Batch) -> None:
        """Take in which classes rows are in, and count how many rows each class has."""
        if self.index is None:
            numbers = np.asarray(batch.words[0], dtype=np.int32)
        else:
            numbers = self.index.numbers(batch.words)
            if self.index.size > len(self.sizes):
                self.sizes = np.concatenate([self.sizes, np.zeros(self.index.size, dtype=self.sizes.dtype)])
        kernels.counting.tally(numbers, self.sizes)
        self.numbers.append(numbers)
        self.codes.append(batch.codes)


class GroupedRows:
    """The rows of a table, taken in once, ready to be counted class by class.

    Parameters
    ----------
    arrivals
        The rows as the engine delivers them, in any order and in pieces of any size.
    batch_of
        What makes a batch of such a piece; called from several threads.
    spans
        For each key word, one more than its largest value.
    code_spans
        For each attribute, one more than its largest code.
    rows
        How many rows there will be at most; fewer bytes for each counter keep more of them near.
    threads
        How many workers take part.
    """

    def __init__(
        self,
        arrivals: Iterator[Arrival],
        batch_of: Callable[[Arrival], Batch],
        spans: Sequence[int],
        code_spans: Sequence[int],
        rows: int,
        threads: int,
    ) -> None:
        direct = len(spans) == 1 and spans[0] <= DIRECT_SPAN
        counter: type[np.int32] | type[np.int64] = np.int32 if rows < 2**31 else np.int64
        self._counter = counter
        self._threads = threads
        lock, stopped = threading.Lock(), threading.Event()

        def work(_: int) -> Share:
            share = self._share(
                None if direct else KeyIndex(len(spans)),
                np.zeros(spans[0] if direct else 1024, dtype=counter),
                [np.zeros(span, dtype=counter) for span in code_spans],
            )
            while not stopped.is_set():
                with lock:
                    arrival = next(arrivals, None)
                if arrival is None:
                    return share
                share.take(batch_of(arrival))
            return share

        self._pool = _pool(threads, os.getpid())
        try:
            self._shares = list(self._pool.map(work, range(threads)))
        except BaseException:
            stopped.set()
            raise
        self.code_counts: list[Integers] = [
            np.asarray(sum(share.code_counts[at].astype(np.int64) for share in self._shares))
            for at in range(len(code_spans))
        ]
        self._number_of: list[Integers | NDArray[np.int32]] = []
        """For each worker the number of each of its classes, where the workers' own numbers are not those of all."""
        whole = self._shares[0].index
        if whole is None:
            self.keys, self._starts, self._first = self._placed_by_code()
        else:
            self.keys, self._starts, self._first = self._placed_by_index(whole)
        self.rows = int(self._starts[-1])

    def _share(self, index: KeyIndex | None, sizes: Integers, code_counts: list[Integers]) -> Share:
        """Return the share of a worker, which has taken nothing in yet."""
        return Share(index, sizes, code_counts)

    def _placed_by_code(self) -> _Placed:
        """Place the classes where the key word itself is the class number."""
        totals: Integers = np.sum([share.sizes for share in self._shares], axis=0, dtype=np.int64)
        present = np.flatnonzero(totals)
        starts = running(totals)
        first = [starts[:-1].copy()]
        for share in self._shares[:-1]:
            first.append(first[-1] + share.sizes)
        return present[:, np.newaxis].astype(np.int64), np.append(starts[present], starts[-1]), first

    def _placed_by_index(self, whole: KeyIndex) -> _Placed:
        """Place the classes after giving the keys that each worker numbered one number for all."""
        numbers = [np.arange(whole.size, dtype=np.int32)]
        numbers += [whole.numbers(share.index.words()) for share in self._shares[1:] if share.index]
        counted = np.zeros((len(self._shares), whole.size), dtype=np.int64)
        for row, number, share in zip(counted, numbers, self._shares, strict=True):
            row[number] = share.sizes[: len(number)]
        starts = running(counted.sum(axis=0))
        first, place = [], starts[:-1].copy()
        for row, number in zip(counted, numbers, strict=True):
            first.append(place[number])
            place = place + row
        self._number_of = [*numbers]
        keys = np.stack(whole.words(), axis=1)
        for share in self._shares:
            share.index = None  # all are numbered: on raw tables it is the most that is held
        return keys, starts, first

    def sorted_codes(self, attribute: int, rank_of_code: Ranks) -> Ranks:
        """Return the attribute's ranks with the rows of each class together."""
        ranks = np.empty(self.rows, dtype=np.int32)

        def scatter(worker: int) -> None:
            share = self._shares[worker]
            place = self._first[worker].astype(share.sizes.dtype)
            for numbers, codes in zip(share.numbers, share.codes, strict=True):
                kernels.counting.scatter(numbers, codes[attribute], rank_of_code, place, ranks)

        list(self._pool.map(scatter, range(len(self._shares))))
        return ranks

    def _column(self, attribute: int, rank_of_code: Ranks, values: int) -> CountedColumn:
        """Return an attribute, ready to be counted class by class."""
        return CountedColumn(self.sorted_codes(attribute, rank_of_code), values, self._counter)

    def _sizes(self, low: int, high: int) -> Integers:
        """Return the sizes of some classes."""
        return np.diff(self._starts[low : high + 1])

    def map(
        self,
        rank_of_code: Sequence[Ranks],
        values: Sequence[int],
        measure: Callable[[Part], Result],
        tell: Callable[[float], None] = lambda _share: None,
    ) -> Iterator[Result]:
        """Count the rows class by class and apply ``measure`` to each part; results in class order.

        Parameters
        ----------
        rank_of_code
            For each attribute, the rank of each code; negative for codes to leave out.
        values
            For each attribute, how many ranks there are.
        measure
            What to do with each part; called from several threads.
        tell
            Told which share of the classes is measured.
        """
        tell(0.0)
        columns = [self._column(at, *given) for at, given in enumerate(zip(rank_of_code, values, strict=True))]
        starts = self._starts
        step = max(1, min(ROWS_PER_PART, self.rows // (4 * self._threads) + 1))
        cuts = np.unique(np.append(np.searchsorted(starts, np.arange(0, self.rows, step)), len(starts) - 1))
        scratch = threading.local()

        def work(position: int) -> Result:
            low, high = int(cuts[position]), int(cuts[position + 1])
            if not hasattr(scratch, "counters"):
                scratch.counters = [column.counters() for column in columns]
            blocks = tuple(
                column.block(counters, starts, low, high)
                for column, counters in zip(columns, scratch.counters, strict=True)
            )
            return measure(Part(self.keys[low:high], self._sizes(low, high), blocks))

        for done, result in enumerate(self._pool.map(work, range(len(cuts) - 1)), start=1):
            yield result
            tell(done / (len(cuts) - 1))


class CountedColumn:
    """The values of an attribute with the rows of each class together."""

    def __init__(self, rows: Ranks, values: int, counter: type[np.int32] | type[np.int64]) -> None:
        self._rows = rows
        self._values = values
        self._counter = counter

    def counters(self) -> Counters:
        """Return scratch space to count in."""
        return Counters(self._values, self._counter)

    def block(self, counters: Counters, starts: Integers, low: int, high: int) -> Block:
        """Return the counts of some classes, whose rows begin at these places."""
        return counters.block(self._rows, starts, low, high)


class Counters:
    """Scratch space to count the values of one class after the other, without sorting them."""

    def __init__(self, values: int, counter: type[np.int32] | type[np.int64]) -> None:
        self._counts = np.zeros(values + 1, dtype=counter)
        self._bits = [np.zeros((values >> shift) + 1, dtype=np.uint64) for shift in (6, 12, 18)]

    def block(self, rows: Ranks, starts: Integers, low: int, high: int) -> Block:
        """Return the counts of some classes."""
        capacity = int(starts[high] - starts[low])
        offsets = np.zeros(high - low + 1, dtype=np.int64)
        ranks = np.empty(capacity, dtype=np.int32)
        counts = np.empty(capacity, dtype=np.int64)
        sizes = np.empty(high - low, dtype=np.int64)
        used = kernels.counting.count_classes(
            rows, starts[low : high + 1], self._counts, *self._bits, offsets, ranks, counts, sizes
        )
        return Block(offsets, ranks[:used], counts[:used], sizes)


@functools.lru_cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Return the workers of a process; starting them anew would cost each audit a few milliseconds."""
    del process  # a forked child must not wait for the workers of its parent
    return ThreadPoolExecutor(threads, thread_name_prefix="tclose")


def running(counts: Integers) -> Integers:
    """Return the sum of the counts before each one, and of all."""
    running = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=running[1:])
    return running
