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
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.engines.people import Census
from tclose.engines.spark.gathering import UNKNOWN, changes, in_cells, numbered, summed, whole_numbers

CELLS, SUMMARY = -1, -2
"""What a row is, beside the shares of sets, which are numbered from 0."""
_SHARES = 256
"""So many shares are made of the sets of classes that people are in: all that are equal go to the same."""
_ROWS = 1 << 22
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
    rows, most = 0, _ROWS
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= most:
            kept = [_without_repeats([*kept, _once_each(waiting)])]
            waiting, rows = [], kept[0].num_rows
            most = max(_ROWS, 2 * rows)
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
