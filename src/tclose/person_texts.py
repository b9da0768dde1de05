"""People told apart by texts: a text goes with its rows to a share of the people, and is compared there byte by byte.

A hash chooses the share and the place where a text is looked for; that two people are one is decided by their texts
alone, so the hash need not tell them apart. It begins with a random number: nobody can make texts for one place.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.compiled import machine_code
from tclose.counts import Integers

kernel = machine_code
Codes = NDArray[np.int32]
Words = NDArray[np.uint64]
_SEED = np.uint64(secrets.randbits(64))
_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_FOLD, _LOW, _HIGH = np.uint64(29), np.uint64(20), np.uint64(32)
_FEWEST_SLOTS = 64


@dataclass(frozen=True)
class Texts:
    """The texts of some rows: where each begins in bytes that follow one another, and how many bytes it has."""

    begins: NDArray[Any]
    data: NDArray[np.uint8]
    lengths: Codes

    @staticmethod
    def hashed(
        bounds: NDArray[Any], data: NDArray[np.uint8], valid: NDArray[np.uint8], first: int
    ) -> tuple[NDArray[np.uint32], Texts]:
        """Return a hash of each row's text, 0 for a missing one, and the texts.

        Parameters
        ----------
        bounds
            Where the text of each row begins and, after the last, ends.
        data
            The bytes of all texts.
        valid
            A bit for each row that has a text, the lowest first; empty where all have.
        first
            Which bit belongs to the first row.
        """
        keys = np.empty(len(bounds) - 1, dtype=np.uint32)
        lengths = np.empty(len(bounds) - 1, dtype=np.int32)
        hash_texts(bounds, data, valid, first, _SEED, keys, lengths)
        return keys, Texts(bounds[:-1], data, lengths)


@dataclass(frozen=True)
class DealtTexts:
    """The texts of all rows, dealt to shares of people: the bytes of each, and the words of each share together."""

    lengths: Codes
    words: Words
    bounds: Integers

    def numbered(self, keys: NDArray[Any], share: int, low: int) -> tuple[Codes, int]:
        """Return numbers of a share's people, whose rows begin at a place, and how many people there are."""
        lengths = self.lengths[low : low + len(keys)]
        numbers = np.empty(len(keys), dtype=np.int32)
        slots = np.full(max(_FEWEST_SLOTS, 1 << (2 * len(keys)).bit_length()), -1, dtype=np.int32)
        words = self.words[self.bounds[share] : self.bounds[share + 1]]
        firsts = np.empty((len(keys), 2), dtype=np.int64)
        people = number_texts(keys, lengths, words, slots, firsts, numbers)
        return numbers, int(people)


def words_of_shares(
    keys: Sequence[NDArray[Any]], texts: Sequence[Texts], factor: np.uint64, shift: np.uint64, shares: int
) -> Integers:
    """Return how many words of eight bytes the texts of each share of people take."""
    counts = np.zeros(shares, dtype=np.int64)
    for own, some in zip(keys, texts, strict=True):
        tally_words(own, factor, shift, some.lengths, counts)
    return counts


@kernel
def hash_texts(bounds, data, valid, first, seed, keys, lengths):  # type: ignore[no-untyped-def]
    """Write a hash of each row's text, never 0, and its length; for a missing one, 0 and 0."""
    for i in range(bounds.shape[0] - 1):
        bit = first + i
        if valid.shape[0] > 0 and not (valid[bit >> 3] >> (bit & 7)) & 1:
            keys[i] = 0
            lengths[i] = 0
            continue
        low = np.int64(bounds[i])
        high = np.int64(bounds[i + 1])
        lengths[i] = high - low
        found = seed ^ np.uint64(high - low)
        while low < high:
            word = np.uint64(0)
            if low + 8 <= high:
                for at in range(8):
                    word |= np.uint64(data[low + at]) << np.uint64(8 * at)
            else:
                for at in range(high - low):
                    word |= np.uint64(data[low + at]) << np.uint64(8 * at)
            found = (found ^ word) * _FACTOR
            found ^= found >> _FOLD
            low += 8
        keys[i] = max(np.uint32((found * _FACTOR) >> _HIGH), np.uint32(1))


@kernel
def tally_words(keys, factor, shift, lengths, counts):  # type: ignore[no-untyped-def]
    """Add to ``counts`` how many words of eight bytes the texts of each share of people take."""
    for i in range(keys.shape[0]):
        counts[np.int64((np.uint64(keys[i]) * factor) >> shift)] += (lengths[i] + 7) >> 3


@kernel
def deal_texts(keys, factor, shift, row, word, begins, data, lengths, dealt_lengths, dealt):  # type: ignore[no-untyped-def]
    """Write each row's text, as words filled up with zeros, and its length to the next free place of its share."""
    for i in range(keys.shape[0]):
        share = np.int64((np.uint64(keys[i]) * factor) >> shift)
        dealt_lengths[row[share]] = lengths[i]
        row[share] += 1
        to = word[share]
        low = np.int64(begins[i])
        high = low + lengths[i]
        while low < high:
            taken = np.uint64(0)
            if low + 8 <= high:
                for at in range(8):
                    taken |= np.uint64(data[low + at]) << np.uint64(8 * at)
            else:
                for at in range(high - low):
                    taken |= np.uint64(data[low + at]) << np.uint64(8 * at)
            dealt[to] = taken
            to += 1
            low += 8
        word[share] = to


@kernel
def number_texts(keys, lengths, words, slots, firsts, numbers):  # type: ignore[no-untyped-def]
    """Give rows the number of their person by first appearance, and return how many people there are.

    The slots are more than the rows, a power of two, and -1 before; ``firsts`` gets the first row of each person, and
    where the words of its text begin.
    """
    mask = slots.shape[0] - 1
    people = 0
    begin = 0
    for i in range(keys.shape[0]):
        at = np.int64((np.uint64(keys[i]) * _FACTOR) >> _LOW) & mask
        taken = (lengths[i] + 7) >> 3
        while True:
            person = slots[at]
            if person < 0:
                slots[at] = people
                firsts[people, 0] = i
                firsts[people, 1] = begin
                numbers[i] = people
                people += 1
                break
            other = firsts[person, 0]
            if keys[other] == keys[i] and lengths[other] == lengths[i]:
                same = 0
                theirs = firsts[person, 1]
                while same < taken and words[theirs + same] == words[begin + same]:
                    same += 1
                if same == taken:
                    numbers[i] = person
                    break
            at = (at + 1) & mask
        begin += taken
    return people
