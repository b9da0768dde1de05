"""Kernels for the extremes of a class: its commonest value, its largest and smallest gain over the reference."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from tclose import kernels
from tclose.counts import Block, Distribution, Integers


def commonest(block: Block) -> Integers:
    """Return the count of each class's commonest value."""
    found = np.zeros(block.classes, dtype=np.int64)
    kernels.distances.commonest(block.offsets, block.counts, found)
    return found


def gains(block: Block, reference: Distribution) -> tuple[Integers, Integers, Integers, Integers]:
    """Return, for each class, c and g of the value with the largest c/g and of that with the smallest."""
    kind = reference.counts.dtype
    most_count, least_count = np.zeros(block.classes, dtype=np.int64), np.zeros(block.classes, dtype=np.int64)
    most_share, least_share = np.zeros(block.classes, dtype=kind), np.zeros(block.classes, dtype=kind)
    wide = int(block.sizes.max(initial=0)) * reference.total >= 2**62
    found = partial(kernels.in_python, "distances", "gains") if wide or kind.hasobject else kernels.distances.gains
    found(block.offsets, block.ranks, block.counts, reference.counts, most_count, most_share, least_count, least_share)
    return most_count, most_share, least_count, least_share


def over_cap(block: Block, reference: Distribution, caps: NDArray[np.float64]) -> tuple[Integers, Integers, Integers]:
    """Return, for each class, c and g of the value whose gain is most over its cap, and how many are over."""
    count, share = np.zeros(block.classes, dtype=np.int64), np.ones(block.classes, dtype=reference.counts.dtype)
    number = np.zeros(block.classes, dtype=np.int64)
    wide = reference.counts.dtype == object
    found = partial(kernels.in_python, "distances", "over_cap") if wide else kernels.distances.over_cap
    found(
        block.offsets, block.ranks, block.counts, block.sizes, reference.counts, caps, float(reference.total),
        count, share, number,
    )  # fmt: skip
    return count, share, number


def tails(block: Block, level: int) -> tuple[Integers, Integers]:
    """Return r₁ and r_ℓ + … + r_m of each class, its counts sorted in descending order."""
    first, tail = np.zeros(block.classes, dtype=np.int64), np.zeros(block.classes, dtype=np.int64)
    level = min(level, int(block.distinct.max(initial=0)) + 2)
    top = np.zeros(level, dtype=np.int64)
    kernels.distances.tails(block.offsets, block.counts, level, top, first, tail)
    return first, tail
