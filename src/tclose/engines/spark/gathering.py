"""What runs in an executor that has all rows of some people: everyone is counted once, in a class and for each value.

Others' rows add to these counts and change none of them, so that cells of people are summed like cells of rows.
Nothing here knows Spark.
"""

from __future__ import annotations

import hashlib
import itertools
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tclose.engines.people import Census
from tclose.models.counts import Integers, Ranks

# What runs in an executor before anything is sent: the pairs of each class, gathered into one cell of bytes. A cell
# takes 8 bytes for each pair, and whatever a class needs besides is sent once for all of its pairs. Nothing here
# knows Spark.


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


CELLS, SUMMARY = -1, -2
"""What a row is, beside the shares of sets, which are numbered from 0."""
_SHARES = 256
"""So many shares are made of the sets of classes that people are in: all that are equal go to the same."""
_PERSON_ROWS = 1 << 22
"""From so many rows on, those that repeat are dropped while others arrive."""
_WORD = 63
_LAST_BIT = 63
_DIGEST = 16
_SEVERAL = 0x80
"""The bit of a digest's last byte that says that a set has several classes."""


@dataclass(frozen=True)
class Summary:
    """What the rows of some people amount to."""

    census: Census
    counts: tuple[Integers, ...]
    """How many of the people have each value of each attribute."""

    @staticmethod
    def of(several: Sequence[Summary], values: Sequence[int]) -> Summary:
        """Return what the rows of all people amount to; the attributes have so many values."""
        rows, people, many, missing = (
            sum(getattr(each.census, name) for each in several) for name in ("rows", "people", "several", "missing")
        )
        counts = tuple(np.zeros(number, dtype=np.int64) for number in values)
        for each in several:
            for total, some in zip(counts, each.counts, strict=True):
                total[: len(some)] += some
        return Summary(Census(rows, people, many, missing), counts)


@dataclass(frozen=True)
class PersonGathering:
    """How the rows of people are gathered; it travels to the executors by pickling.

    Parameters
    ----------
    quasi, attributes
        How many quasi-identifiers and attributes there are.
    key
        A secret of one audit. Sets of classes are told apart by 127 bits of a hash with it.
    """

    quasi: int
    attributes: int
    key: bytes

    def gathered(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Gather the rows of a partition, which has all rows of its people.

        Parameters
        ----------
        batches
            Rows: the key of a class in ``q0``, ``q1`` …, the place of each attribute's value among all values in
            ``r0``, ``r1`` …, and the ``person``.

        Yields
        ------
        RecordBatch
            What ``which`` says. Classes: the key, and in ``p0``, ``p1`` … how many people have each value, and after
            the last attribute how many are in the class. Or, in ``told``, the pickled :class:`Summary`, or a share of
            the sets of classes, one for each person.
        """
        table = _all_rows(batches)
        if table is None:
            return
        someone, census, whose = _people(table)
        table = table if someone is None else table.filter(someone)
        keys = table.select([f"q{at}" for at in range(self.quasi)])
        numbers, first = numbered(keys, table.num_rows)
        packing = _Packing.of(whose, numbers)
        ranks = (table.column(f"r{at}").fill_null(UNKNOWN) for at in range(self.attributes))
        found = [packing.once(whole_numbers(each)) for each in ranks]
        appearances = found[0].owners[changes(found[0].owners)]
        sizes = summed(packing.classes(appearances), np.zeros(len(appearances), dtype=np.int64), None)
        pairs = [summed(packing.classes(each.owners), each.ranks, None) for each in found]
        cells = in_cells(keys, first, [*pairs, sizes])
        yield from _marked(cells, np.full(cells.num_rows, CELLS), None)
        summary = Summary(census, tuple(packing.people_with(each) for each in found))
        digests = _digests(packing, appearances, _class_words(keys, first, self.key), self.key)
        shares, content = _in_shares(digests)
        told = pa.array([pickle.dumps(summary), *content], pa.binary())
        yield from _marked(cells, np.append(SUMMARY, shares), told)


@dataclass(frozen=True)
class _Once:
    """The values of people in classes, each once: whose and in which class, in order, and which value."""

    owners: Integers
    ranks: Integers


@dataclass(frozen=True)
class _Packing:
    """Whose each row is and in which class, as one number."""

    owners: Integers
    bits: int
    """How many of the bits are the class."""

    @staticmethod
    def of(whose: Integers, numbers: Integers) -> _Packing:
        bits = int(numbers.max(initial=0)).bit_length()
        return _Packing((whose << bits) | numbers, bits)

    def classes(self, owners: Integers) -> Integers:
        return owners & ((1 << self.bits) - 1)

    def people(self, owners: Integers) -> Integers:
        return owners >> self.bits

    def once(self, ranks: Integers) -> _Once:
        """Return the ranks that everyone has in each class; where numbers would not suffice, owners are numbered."""
        bits = (int(ranks.max(initial=UNKNOWN)) - UNKNOWN).bit_length()
        owners, known = self.owners, None
        if int(owners.max(initial=0)).bit_length() + bits > _WORD:
            known, owners = np.unique(owners, return_inverse=True)
        packed = _distinct((owners << bits) | (ranks - UNKNOWN))
        owners = packed >> bits
        return _Once(owners if known is None else known[owners], (packed & ((1 << bits) - 1)) + UNKNOWN)

    def people_with(self, found: _Once) -> Integers:
        """Return how many people have each value, in whatever classes."""
        known = found.ranks >= 0
        people, ranks = self.people(found.owners[known]), found.ranks[known]
        bits = int(ranks.max(initial=0)).bit_length()
        return np.bincount(_distinct((people << bits) | ranks) & ((1 << bits) - 1)).astype(np.int64)


def shared_sets(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Give how many people share a set, how many sets they so share, and how many of these people have several classes.

    The batches have shares of sets in ``told``.
    """
    content = b"".join(cell.as_py() for batch in batches for cell in batch.column("told"))
    if not content:
        return
    words = np.frombuffer(content, dtype="<u8").reshape(-1, 2)
    words = words[np.lexsort((words[:, 0], words[:, 1]))]
    begins = np.ones(len(words), dtype=bool)
    begins[1:] = (words[1:] != words[:-1]).any(axis=1)
    places = np.flatnonzero(begins)
    people = np.diff(np.append(places, len(words)))
    several = people * (words[places, 1] >> np.uint64(_LAST_BIT)).astype(np.int64)
    numbers, at = np.unique(people, return_inverse=True)
    columns = [numbers, np.bincount(at), np.bincount(at, weights=several).astype(np.int64)]
    yield pa.RecordBatch.from_arrays([pa.array(each, pa.int64()) for each in columns], ["a", "b", "c"])


def _all_rows(batches: Iterable[pa.RecordBatch]) -> pa.Table | None:
    """Return the rows of a partition, each as often as ``n`` says where some repeat; None where there are none."""
    kept: list[pa.Table] = []
    waiting: list[pa.RecordBatch] = []
    rows, most = 0, _PERSON_ROWS
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= most:
            kept = [_without_repeats([*kept, _once_each(waiting)])]
            waiting, rows = [], kept[0].num_rows
            most = max(_PERSON_ROWS, 2 * rows)
    if not kept:
        return pa.Table.from_batches(waiting) if rows else None
    return pa.concat_tables([*kept, _once_each(waiting)]) if waiting else kept[0]


def _once_each(batches: list[pa.RecordBatch]) -> pa.Table:
    table = pa.Table.from_batches(batches)
    return table.append_column("n", pa.array(np.ones(table.num_rows, dtype=np.int64)))


def _without_repeats(tables: list[pa.Table]) -> pa.Table:
    every = pa.concat_tables(tables)
    names = [name for name in every.column_names if name != "n"]
    found = every.group_by(names, use_threads=False).aggregate([("n", "sum")])
    return found.select([*names, "n_sum"]).rename_columns([*names, "n"])


def _people(table: pa.Table) -> tuple[pa.Array | None, Census, Integers]:
    """Return which rows are someone's, if not all are, how many people there are, and whose each of these rows is."""
    encoded = table.column("person").combine_chunks().dictionary_encode()
    someone = encoded.indices.is_valid() if encoded.null_count else None
    whose = whole_numbers(encoded.indices.drop_null())
    each = whole_numbers(table.column("n")) if "n" in table.column_names else np.ones(table.num_rows, dtype=np.int64)
    rows, theirs = int(each.sum()), each if someone is None else each[someone.to_numpy(zero_copy_only=False)]
    rows_of = np.bincount(whose, weights=theirs, minlength=len(encoded.dictionary))
    census = Census(rows, len(rows_of), int(np.count_nonzero(rows_of > 1)), rows - int(theirs.sum()))
    return someone, census, whose


def _marked(cells: pa.Table, which: Integers, told: pa.Array | None) -> Iterator[pa.RecordBatch]:
    """Give rows with what they are, and what they tell where they are no cells."""
    if told is not None:
        cells = pa.table([pa.nulls(len(told), field.type) for field in cells.schema], schema=cells.schema)
    marked = cells.append_column("which", pa.array(which, pa.int32()))
    marked = marked.append_column("told", pa.nulls(len(which), pa.binary()) if told is None else told)
    yield from marked.combine_chunks().to_batches()


def _in_shares(digests: NDArray[np.uint8]) -> tuple[Integers, list[bytes]]:
    """Return the shares of sets that there are, and the digests of each."""
    shares = digests[:, 0].astype(np.int64)
    order = np.argsort(digests[:, 0], kind="stable")
    bounds = np.searchsorted(shares[order], np.arange(_SHARES + 1))
    there, content = np.flatnonzero(np.diff(bounds)), digests[order]
    return there, [content[bounds[share] : bounds[share + 1]].tobytes() for share in there.tolist()]


def _class_words(keys: pa.Table, first: Integers, key: bytes) -> NDArray[np.uint64]:
    """Return 128 bits for each class, the same in every partition: the sum of those that each of its values has."""
    words = np.zeros((len(first), 2), dtype=np.uint64)
    for at, column in enumerate(keys.columns):
        encoded = column.take(pa.array(first)).combine_chunks().dictionary_encode(null_encoding="encode")
        person = at.to_bytes(8, "little")
        hashed = [
            hashlib.blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=_DIGEST, key=key, person=person)
            for value in encoded.dictionary.to_pylist()
        ]
        every = np.frombuffer(b"".join(each.digest() for each in hashed), dtype="<u8").reshape(-1, 2)
        words += every[whole_numbers(encoded.indices)]
    return words


def _digests(packing: _Packing, appearances: Integers, words: NDArray[np.uint64], key: bytes) -> NDArray[np.uint8]:
    """Return the digest of each person's set of classes; those of one set are the same in every partition."""
    order = np.lexsort((words[:, 0], words[:, 1]))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    people = packing.people(appearances)
    ascending = np.sort((people << packing.bits) | place[packing.classes(appearances)])
    content = memoryview(words[order][packing.classes(ascending)].tobytes())
    bounds = np.append(changes(people), len(people))
    ends = (bounds * _DIGEST).tolist()
    hashed = b"".join(
        hashlib.blake2b(content[low:high], digest_size=_DIGEST, key=key).digest()
        for low, high in itertools.pairwise(ends)
    )
    digests = np.frombuffer(hashed, dtype=np.uint8).reshape(-1, _DIGEST).copy()
    digests[:, -1] &= _SEVERAL - 1
    digests[np.diff(bounds) > 1, -1] |= _SEVERAL
    return digests


def _distinct(numbers: Integers) -> Integers:
    """Return numbers in their order, each once."""
    ascending = np.sort(numbers)
    return ascending[changes(ascending)]
