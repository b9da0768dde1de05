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

from tclose.models import kernels
from tclose.models.counts import Integers

Codes = NDArray[np.int32]
Words = NDArray[np.uint64]
_SEED = secrets.randbits(64)
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
        kernels.people.hash_texts(bounds, data, valid, first, _SEED, keys, lengths)
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
        first_rows, first_words = np.empty(len(keys), dtype=np.int64), np.empty(len(keys), dtype=np.int64)
        people = kernels.people.number_texts(keys, lengths, words, slots, first_rows, first_words, numbers)
        return numbers, int(people)


def words_of_shares(
    keys: Sequence[NDArray[Any]], texts: Sequence[Texts], factor: np.uint64, shift: np.uint64, shares: int
) -> Integers:
    """Return how many words of eight bytes the texts of each share of people take."""
    counts = np.zeros(shares, dtype=np.int64)
    for own, some in zip(keys, texts, strict=True):
        kernels.people.tally_words(own, factor, shift, some.lengths, counts)
    return counts
