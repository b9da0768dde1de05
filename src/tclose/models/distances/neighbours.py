"""Numbers that lie near each other: how many of a class are within ε of a member, and its narrowest bands."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.models import kernels
from tclose.models.counts import Block, Integers, Ranks, sparse_block

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
    places: Ranks
    unit: int

    @staticmethod
    def of(whole: list[int], ranks: Integers, values: int, unit: int) -> Numbers:
        """Return the numbers of the values with these ranks."""
        small = all(abs(each) < _SMALL for each in whole)
        positions = np.array(whole, dtype=np.int64 if small else object)
        order = np.argsort(positions, kind="stable")
        places = np.full(values, -1, dtype=np.int32)
        places[ranks[order]] = np.arange(len(order))
        return Numbers(positions[order], places, unit)

    @cached_property
    def ascending(self) -> bool:
        """Whether the values stand in the order of their numbers and none is missing."""
        return bool((self.places == np.arange(len(self.places))).all())


def _placed(block: Block, numbers: Numbers) -> Block:
    """Return the numbers that each class holds, in ascending order."""
    if numbers.ascending:
        return block
    classes, places = np.repeat(np.arange(block.classes), block.distinct), numbers.places[block.ranks]
    there = places >= 0
    return sparse_block(classes[there], places[there], block.counts[there], block.classes)


def largest_neighbourhoods(block: Block, numbers: Numbers, epsilon: Fraction) -> Integers:
    """Return, for each class, how many of it at the most are within ε of one of its members; 0 if it is empty."""
    placed, positions = _placed(block, numbers), numbers.positions
    found = np.zeros(block.classes, dtype=np.int64)
    if not placed.pairs:
        return found
    classes = np.repeat(np.arange(block.classes), placed.distinct)
    before = np.zeros(placed.pairs + 1, dtype=np.int64)
    np.cumsum(placed.counts, out=before[1:])
    reach = min(int(epsilon * numbers.unit), int(positions[-1]) - int(positions[0]))
    highest = np.searchsorted(positions, positions + reach, side="right")
    lowest = np.searchsorted(positions, positions - reach, side="left")
    span = len(positions) + 1
    keys = classes * span + placed.ranks
    upto = np.searchsorted(keys, classes * span + highest[placed.ranks])
    since = np.searchsorted(keys, classes * span + lowest[placed.ranks])
    near = before[upto] - before[since]
    held = placed.sizes > 0
    found[held] = np.maximum.reduceat(near, placed.offsets[:-1][held])
    return found


def narrowest_bands(
    block: Block, numbers: Numbers, reference: NDArray[Any], share: Fraction
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the width of the narrowest band that holds a share of each class, and how many of the reference it holds.

    Of equally narrow bands the one counts that holds the fewest of the reference. Both are −1 for a class without a
    number.
    """
    placed, positions = _placed(block, numbers), numbers.positions
    there = numbers.places >= 0
    weights = np.zeros(len(positions), dtype=reference.dtype)
    weights[numbers.places[there]] = reference[there]
    before = np.concatenate([np.zeros(1, dtype=reference.dtype), np.cumsum(weights)])
    widths = np.zeros(block.classes, dtype=positions.dtype)
    holds = np.zeros(block.classes, dtype=before.dtype)
    wide = positions.dtype.hasobject or before.dtype.hasobject
    found = partial(kernels.in_python, "neighbours", "narrowest") if wide else kernels.neighbours.narrowest
    found(
        placed.offsets, placed.ranks, placed.counts, placed.sizes, share.numerator, share.denominator, positions,
        before, widths, holds,
    )  # fmt: skip
    return widths, holds
