"""What runs in an executor before anything is sent: the pairs of each class, gathered into one cell of bytes.

A cell takes 8 bytes for each pair, and whatever a class needs besides is sent once for all of its pairs.
Nothing here knows Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tclose.counts import Integers, Ranks

UNKNOWN = -2
"""The rank of a value that the first look at the table did not see."""
_ROWS = 1 << 20
_BYTES = 1 << 26
"""Classes are gathered from about so many rows or bytes at once."""
_CELL = 1 << 10
"""A cell has at most so many pairs: Spark hands over thousands of cells at once."""
_DENSE = 1 << 21
"""Up to so many combinations of values are numbered without looking which of them occur."""
_LARGEST = 2**31 - 1


@dataclass(frozen=True)
class Gathering:
    """How rows are gathered; it travels to the executors by pickling."""

    quasi: int
    attributes: int

    def gathered(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Gather the rows of a partition.

        Parameters
        ----------
        batches
            Rows: the key of a class in ``q0``, ``q1`` …, the rank of each attribute in ``r0``, ``r1`` …, and how many
            rows of the table each stands for in ``n``, where that is there.

        Yields
        ------
        RecordBatch
            Classes: the key, and in ``p0``, ``p1`` … the pairs of each attribute. A class may come several times.
        """
        waiting: list[pa.RecordBatch] = []
        rows = size = 0
        for batch in batches:
            waiting.append(batch)
            rows, size = rows + batch.num_rows, size + batch.nbytes
            if rows >= _ROWS or size >= _BYTES:
                yield from self._classes(pa.Table.from_batches(waiting))
                waiting, rows, size = [], 0, 0
        if rows:
            yield from self._classes(pa.Table.from_batches(waiting))

    def _classes(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        keys = table.select([f"q{at}" for at in range(self.quasi)])
        numbers, first = numbered(keys, table.num_rows)
        counts = whole_numbers(table.column("n")) if "n" in table.column_names else None
        pairs = []
        for at in range(self.attributes):
            ranks = whole_numbers(pc.fill_null(table.column(f"r{at}"), UNKNOWN))
            pairs.append(summed(numbers, ranks, counts))
        yield from in_cells(keys, first, pairs).combine_chunks().to_batches()


@dataclass(frozen=True)
class Pairs:
    """Pairs in the order of their classes and ranks, each once."""

    classes: Integers
    ranks: Integers
    counts: Integers


def summed(classes: Integers, ranks: Integers, counts: Integers | None) -> Pairs:
    """Return each pair once with its number of rows; without counts, each pair is one row."""
    span = int(ranks.max(initial=UNKNOWN)) - UNKNOWN + 1
    keys = classes * span + (ranks - UNKNOWN)
    cells = (int(classes.max(initial=0)) + 1) * span
    if counts is not None:
        found, numbers = _summed_keys(keys, counts, cells)
    elif cells <= 4 * len(keys):
        every = np.bincount(keys)
        found = np.flatnonzero(every)
        numbers = every[found]
    else:
        keys = np.sort(keys)
        at = changes(keys)
        found, numbers = keys[at], np.diff(np.append(at, len(keys)))
    return Pairs(found // span, found % span + UNKNOWN, numbers)


def _summed_keys(keys: Integers, counts: Integers, cells: int) -> tuple[Integers, Integers]:
    """Return each key once with its counts summed; where both fit into 63 bits, they are sorted as one number."""
    bits = int(counts.max(initial=0)).bit_length()
    if cells.bit_length() + bits <= 63:
        packed = np.sort((keys << bits) | counts)
        keys, counts = packed >> bits, packed & ((1 << bits) - 1)
    else:
        order = np.argsort(keys, kind="stable")
        keys, counts = keys[order], counts[order]
    at = changes(keys)
    return keys[at], np.add.reduceat(counts, at) if len(at) else counts


def changes(ascending: Integers) -> Integers:
    """Return where runs of equal numbers begin."""
    begins = np.ones(len(ascending), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=begins[1:])
    return np.flatnonzero(begins)


def in_cells(keys: pa.Table, first: Integers, pairs: Sequence[Pairs]) -> pa.Table:
    """Return classes with the pairs of each attribute in cells.

    Parameters
    ----------
    keys
        The keys of classes, in some order.
    first
        Where in ``keys`` the key of each class is.
    pairs
        The pairs of each attribute; their classes are positions in ``first``.
    """
    pairs = [_in_four_bytes(each) for each in pairs]
    every = np.arange(len(first) + 1)
    bounds = [np.searchsorted(each.classes, every) for each in pairs]
    lengths = [np.diff(bound) for bound in bounds]
    cells = np.maximum(1, -(-np.max(lengths, axis=0) // _CELL))
    class_of = np.repeat(every[:-1], cells)
    place = np.arange(len(class_of)) - np.repeat(np.cumsum(cells) - cells, cells)
    columns = {name: keys.column(name).take(pa.array(first[class_of])) for name in keys.column_names}
    for at, (each, bound, length) in enumerate(zip(pairs, bounds, lengths, strict=True)):
        begins = bound[:-1][class_of] + np.minimum(place * _CELL, length[class_of])
        offsets = (np.append(begins, len(each.ranks)) * 8).astype(np.int32)
        content = np.stack([each.ranks, each.counts], axis=1).astype(np.int32)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
        columns[f"p{at}"] = pa.Array.from_buffers(pa.binary(), len(class_of), buffers)
    return pa.table(columns)


def _in_four_bytes(pairs: Pairs) -> Pairs:
    """Return pairs with larger counts than four bytes hold spread over several that are equal."""
    if int(pairs.counts.max(initial=0)) <= _LARGEST:
        return pairs
    times = -(-pairs.counts // _LARGEST)
    counts = np.full(int(times.sum()), _LARGEST, dtype=np.int64)
    counts[np.cumsum(times) - 1] = pairs.counts - (times - 1) * _LARGEST
    return Pairs(np.repeat(pairs.classes, times), np.repeat(pairs.ranks, times), counts)


def pairs_in(column: pa.ChunkedArray, class_of: Integers) -> tuple[Integers, Integers, Integers]:
    """Return what is in cells: the class, the rank and the number of rows of every pair.

    Parameters
    ----------
    column
        The cells; one that is missing is empty.
    class_of
        The class of each cell.
    """
    contents: list[Ranks] = []
    lengths: list[Integers] = []
    for chunk in column.chunks:
        _, ends, content = chunk.buffers()
        offsets = np.frombuffer(ends, dtype=np.int32, count=len(chunk) + 1, offset=4 * chunk.offset) // 4
        if content is not None:
            contents.append(np.frombuffer(content, dtype=np.int32, count=int(offsets[-1]))[offsets[0] :])
        lengths.append(np.diff(offsets) // 2)
    whole = np.concatenate([*contents, np.zeros(0, dtype=np.int32)]).astype(np.int64)
    return np.repeat(class_of, np.concatenate([*lengths, np.zeros(0, np.int64)])), whole[0::2], whole[1::2]


def numbered(keys: pa.Table, rows: int) -> tuple[Integers, Integers]:
    """Return the number of each row's class, and a row of each class."""
    numbers, many = np.zeros(rows, dtype=np.int64), 1
    for column in keys.columns:
        codes, values = _codes(column.combine_chunks())
        numbers, many = numbers * values + codes, many * values
        if many > _DENSE:
            numbers, many = _codes(pa.array(numbers))
    at = np.full(many, -1, dtype=np.int64)
    at[numbers] = np.arange(rows)
    occurring = at >= 0
    if not occurring.all():
        numbers = (np.cumsum(occurring) - 1)[numbers]
    return numbers, at[occurring]


def _codes(values: pa.Array) -> tuple[Integers, int]:
    """Return a number for each value, equal for equal ones, and how many there are; a missing one is a value."""
    encoded = values.dictionary_encode(null_encoding="encode")
    return np.asarray(encoded.indices.to_numpy(), dtype=np.int64), len(encoded.dictionary)


def whole_numbers(column: pa.ChunkedArray | pa.Array) -> NDArray[np.int64]:
    """Return a column of whole numbers."""
    return np.asarray(column.to_numpy(), dtype=np.int64)
