"""Kernels for the extremes of a class: its commonest value, its largest and smallest gain over the reference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tclose.compiled import kernel
from tclose.counts import Block, Distribution, Integers


@kernel
def _commonest(offsets, counts, found):  # type: ignore[no-untyped-def]
    for c in range(len(offsets) - 1):
        most = 0
        for i in range(offsets[c], offsets[c + 1]):
            if counts[i] > most:
                most = counts[i]
        found[c] = most


@kernel
def _gains(offsets, ranks, counts, reference, most_count, most_share, least_count, least_share):  # type: ignore[no-untyped-def]
    """Write, for each class, the counts c and g with the largest and the smallest c/g."""
    for c in range(len(offsets) - 1):
        high_count = 0
        high_share = 1
        low_count = 1
        low_share = 0
        for i in range(offsets[c], offsets[c + 1]):
            count = counts[i]
            share = reference[ranks[i]]
            if count * high_share > high_count * share:
                high_count = count
                high_share = share
            if count * low_share < low_count * share:
                low_count = count
                low_share = share
        most_count[c] = high_count
        most_share[c] = high_share
        least_count[c] = low_count
        least_share[c] = low_share


@kernel
def _over_cap(offsets, ranks, counts, sizes, reference, caps, total, worst_count, worst_share, number):  # type: ignore[no-untyped-def]
    """Write, for each class, the counts c and g whose gain exceeds its cap most, and how many exceed it."""
    for c in range(len(offsets) - 1):
        n = sizes[c]
        most = -1e300
        for i in range(offsets[c], offsets[c + 1]):
            share = reference[ranks[i]]
            excess = 1e300
            if share > 0:
                excess = counts[i] / n * (total / share) - 1.0 - caps[ranks[i]]
            if excess > 1e-12:
                number[c] += 1
            if excess > most:
                most = excess
                worst_count[c] = counts[i]
                worst_share[c] = share


@kernel
def _tails(offsets, counts, level, top, first, tail):  # type: ignore[no-untyped-def]
    """Write, for each class, its largest count and the sum of all counts but the ``level − 1`` largest."""
    for c in range(len(offsets) - 1):
        held = 0
        total = 0
        for i in range(offsets[c], offsets[c + 1]):
            count = counts[i]
            total += count
            at = held
            if held < level - 1:
                held += 1
            elif level > 1 and top[held - 1] < count:
                at = held - 1
            else:
                continue
            while at > 0 and top[at - 1] < count:
                top[at] = top[at - 1]
                at -= 1
            top[at] = count
        kept = 0
        for j in range(held):
            kept += top[j]
        most = 0
        for i in range(offsets[c], offsets[c + 1]):
            if counts[i] > most:
                most = counts[i]
        first[c] = most
        tail[c] = total - kept


def commonest(block: Block) -> Integers:
    """Return the count of each class's commonest value."""
    found = np.zeros(block.classes, dtype=np.int64)
    _commonest(block.offsets, block.counts, found, work=block.pairs)
    return found


def gains(block: Block, reference: Distribution) -> tuple[Integers, Integers, Integers, Integers]:
    """Return, for each class, c and g of the value with the largest c/g and of that with the smallest."""
    kind = reference.counts.dtype
    most_count, least_count = np.zeros(block.classes, dtype=np.int64), np.zeros(block.classes, dtype=np.int64)
    most_share, least_share = np.zeros(block.classes, dtype=kind), np.zeros(block.classes, dtype=kind)
    wide = int(block.sizes.max(initial=0)) * reference.total >= 2**62
    _gains(
        block.offsets, block.ranks, block.counts, reference.counts, most_count, most_share, least_count, least_share,
        work=0 if wide else block.pairs,
    )  # fmt: skip
    return most_count, most_share, least_count, least_share


def over_cap(block: Block, reference: Distribution, caps: NDArray[np.float64]) -> tuple[Integers, Integers, Integers]:
    """Return, for each class, c and g of the value whose gain is most over its cap, and how many are over."""
    count, share = np.zeros(block.classes, dtype=np.int64), np.ones(block.classes, dtype=reference.counts.dtype)
    number = np.zeros(block.classes, dtype=np.int64)
    _over_cap(
        block.offsets, block.ranks, block.counts, block.sizes, reference.counts, caps, float(reference.total),
        count, share, number, work=0 if reference.counts.dtype == object else block.pairs,
    )  # fmt: skip
    return count, share, number


def tails(block: Block, level: int) -> tuple[Integers, Integers]:
    """Return r₁ and r_ℓ + … + r_m of each class, its counts sorted in descending order."""
    first, tail = np.zeros(block.classes, dtype=np.int64), np.zeros(block.classes, dtype=np.int64)
    level = min(level, int(block.distinct.max(initial=0)) + 2)
    top = np.zeros(level, dtype=np.int64)
    _tails(block.offsets, block.counts, level, top, first, tail, work=block.pairs)
    return first, tail
