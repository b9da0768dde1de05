"""Numbers that lie near each other: how many of a class are within ε of a member, and its narrowest bands."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Block, Integers

_SMALL = 2**61
"""Positions below it can be added and subtracted in 64 bits."""


@dataclass(frozen=True)
class Numbers:
    """The numbers among the values of an attribute.

    Parameters
    ----------
    positions
        The numbers as whole multiples of one unit, ascending; Python integers where 64 bits could be too few.
    places
        Where each value stands among the positions; −1 for a missing value.
    unit
        How many units make 1.
    """

    positions: NDArray[Any]
    places: Integers
    unit: int

    @staticmethod
    def of(whole: list[int], ranks: Integers, values: int, unit: int) -> Numbers:
        """Return the numbers of the values with these ranks."""
        small = all(abs(each) < _SMALL for each in whole)
        positions = np.array(whole, dtype=np.int64 if small else object)
        order = np.argsort(positions, kind="stable")
        places = np.full(values, -1, dtype=np.int64)
        places[ranks[order]] = np.arange(len(order))
        return Numbers(positions[order], places, unit)

    @cached_property
    def ascending(self) -> bool:
        """Whether the values stand in the order of their numbers and none is missing."""
        return bool((self.places == np.arange(len(self.places))).all())


@dataclass(frozen=True)
class _Placed:
    """The numbers of each class in ascending order."""

    classes: Integers
    """The class of each pair of a class and a number."""
    places: Integers
    before: Integers
    """How many are counted before each pair, over all classes; at the end, how many at all."""
    offsets: Integers
    sizes: Integers


def _placed(block: Block, numbers: Numbers) -> _Placed:
    classes = np.repeat(np.arange(block.classes), block.distinct)
    places, counts, offsets = numbers.places[block.ranks], block.counts, block.offsets
    if not numbers.ascending:
        there = places >= 0
        classes, places, counts = classes[there], places[there], counts[there]
        order = np.lexsort((places, classes))
        places, counts = places[order], counts[order]
        offsets = np.searchsorted(classes, np.arange(block.classes + 1))
    before = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=before[1:])
    return _Placed(classes, places, before, offsets, np.diff(before[offsets]))


def largest_neighbourhoods(block: Block, numbers: Numbers, epsilon: Fraction) -> Integers:
    """Return, for each class, how many of it at the most are within ε of one of its members; 0 if it is empty."""
    placed, positions = _placed(block, numbers), numbers.positions
    found = np.zeros(block.classes, dtype=np.int64)
    if not len(placed.places):
        return found
    reach = min(int(epsilon * numbers.unit), int(positions[-1]) - int(positions[0]))
    highest = np.searchsorted(positions, positions + reach, side="right")
    lowest = np.searchsorted(positions, positions - reach, side="left")
    span = len(positions) + 1
    keys = placed.classes * span + placed.places
    upto = np.searchsorted(keys, placed.classes * span + highest[placed.places])
    since = np.searchsorted(keys, placed.classes * span + lowest[placed.places])
    near = placed.before[upto] - placed.before[since]
    held = placed.sizes > 0
    found[held] = np.maximum.reduceat(near, placed.offsets[:-1][held])
    return found


def narrowest_bands(
    block: Block, numbers: Numbers, reference: NDArray[Any], share: Fraction
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the width of the narrowest band that holds a share of each class, and how many of the reference it holds.

    Of equally narrow bands the one counts that holds the fewest of the reference. Both are −1 for a class without a
    number. Each number is the low end of one band at the most: the other end is the first that makes it large enough.
    """
    placed, positions = _placed(block, numbers), numbers.positions
    widths = np.full(block.classes, -1, dtype=positions.dtype)
    holds = np.full(block.classes, -1, dtype=reference.dtype)
    if not len(placed.places):
        return widths, holds
    parts, whole = share.numerator, share.denominator
    needed = np.array([-(-size * parts // whole) for size in np.unique(placed.sizes).tolist()], dtype=np.int64)
    needed = needed[np.searchsorted(np.unique(placed.sizes), placed.sizes)]
    last = np.searchsorted(placed.before[1:], placed.before[:-1] + needed[placed.classes])
    low = np.flatnonzero(last < placed.offsets[placed.classes + 1])
    classes, first, last = placed.classes[low], placed.places[low], placed.places[last[low]]
    starts = np.flatnonzero(np.r_[True, classes[1:] != classes[:-1]])
    held = classes[starts]
    width = positions[last] - positions[first]
    widths[held] = np.minimum.reduceat(width, starts)
    there = numbers.places >= 0
    weights = np.zeros(len(positions), dtype=reference.dtype)
    weights[numbers.places[there]] = reference[there]
    before = np.concatenate([np.zeros(1, dtype=reference.dtype), np.cumsum(weights)])
    narrowest = width == widths[classes]
    inside = np.where(narrowest, before[last + 1] - before[first], before[-1])
    holds[held] = np.minimum.reduceat(inside, starts)
    return widths, holds
