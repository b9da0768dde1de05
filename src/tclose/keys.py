"""Numbering keys: from the key words of a row to the number of its class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tclose import kernels
from tclose.counts import Integers
from tclose.errors import HeadroomError

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
