"""The earth mover's distance on trees: nominal (one level) and hierarchical (the mean over levels).

For a hierarchy of height H, the distance is the mean of the H total variations that result when every
value is replaced by its ancestor on level 0, 1, …, H − 1; one level alone is the variational distance.
On one level, ``TV = Σ over values with p > q of (p − q)``: only values that the class holds count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tclose.models import kernels
from tclose.models.counts import Block, Distribution, Integers, sparse_block

# What every ground distance of a sensitive attribute offers to the models.


Parts = tuple[NDArray[Any], NDArray[Any]]
"""X and Y of each class as whole numbers (64-bit, or Python's own where those are too small)."""


class Ground(Protocol):
    """A ground distance prepared for one attribute and one reference distribution.

    The earth mover's distance of a class of n rows is ``(X/n − Y/N) / scale`` with whole numbers X, Y.
    """

    @property
    def reference(self) -> Distribution:
        """The distribution that classes are compared with."""
        ...

    @property
    def scale(self) -> int:
        """The divisor that brings distances to [0, 1]; 0 where the domain has one value."""
        ...

    def parts(self, block: Block) -> Parts:
        """Return X and Y of every class."""
        ...

    def largest(self) -> Fraction:
        """Return the largest distance any class can have; a threshold at or above it is vacuous."""
        ...

    def least(self, size: int) -> Fraction:
        """Return a distance that no class of so many rows falls below, whatever values it has."""
        ...

    def needed(self, most: Fraction) -> Iterator[NDArray[Any]]:
        """Give sets of values, by their ranks, of which every class within a distance has one at least."""
        ...


def exact_distance(ground: Ground, x: int, y: int, n: int) -> Fraction:
    """Return the distance of one class as a fraction."""
    if n == 0 or ground.scale == 0:
        return Fraction(0)
    total = ground.reference.total
    return Fraction(int(x) * total - int(y) * int(n), int(n) * total * ground.scale)


def float_distances(ground: Ground, x: NDArray[Any], y: NDArray[Any], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the distances of classes as floats, each within 1e-14 of its exact value."""
    if ground.scale == 0:
        return np.zeros(len(sizes))
    rows = np.where(sizes == 0, 1, sizes)
    if x.dtype == object:
        total, scale = ground.reference.total, ground.scale
        exact = [
            (int(a) * total - int(b) * n) / (n * total * scale)
            for a, b, n in zip(x.tolist(), y.tolist(), rows.tolist(), strict=True)
        ]
        return np.where(sizes == 0, 0.0, np.array(exact, dtype=np.float64))
    found = (x / rows - y / ground.reference.total) / ground.scale
    return np.where(sizes == 0, 0.0, np.maximum(found, 0.0))


# The earth mover's distance on a line: ordered (ranks) and numeric (gaps between values). With C_j and G_j the
# running counts of a class of n rows and of the reference of N rows, and w_j the gap after value j, ``EMD = Σ w_j
# |C_j·N − G_j·n| / (n·N·Σ w_j)``. Between two values that a class holds, C is constant and the sum has a closed
# form, so that a class costs what it holds: O(d log m), not O(m).


_FLOAT_BITS = 1_000
"""So many bits of a whole number a float holds with room to spare: as a magnitude, not every digit."""
_INT64 = 2**62


@dataclass(frozen=True)
class LineGround:
    """Values on a line.

    Parameters
    ----------
    reference
        The distribution that classes are compared with.
    gaps
        The whole-number gap between each value and the next. None stands for gaps of 1, the ordered
        distance; the scaled differences of the values give the numeric one.
    rows
        The size of the largest class that can occur, for the choice of arithmetic.
    """

    reference: Distribution
    gaps: tuple[int, ...] | None
    rows: int

    @property
    def values(self) -> int:
        """How many values the domain has."""
        return len(self.reference.counts)

    @cached_property
    def scale(self) -> int:
        """Σ w: the length of the line."""
        return self.values - 1 if self.gaps is None else sum(self.gaps)

    @cached_property
    def float_gaps(self) -> NDArray[np.float64]:
        """The gaps as floats, in a unit in which a float holds the whole line."""
        unit = self._float_unit
        return np.array([gap / unit for gap in (self.gaps or (1,) * (self.values - 1))], dtype=np.float64)

    @property
    def float_scale(self) -> float:
        """The length of the line in the unit of the gaps as floats."""
        return self.scale / self._float_unit

    @property
    def _float_unit(self) -> int:
        return 1 << max(self.scale.bit_length() - _FLOAT_BITS, 0)

    @cached_property
    def _running(self) -> NDArray[Any]:
        """The running counts of the reference after each value but the last, as whole numbers of any size."""
        return np.asarray(np.cumsum(self.reference.counts.astype(object))[:-1])

    @cached_property
    def _whole_gaps(self) -> NDArray[Any]:
        return np.array([1] * (self.values - 1) if self.gaps is None else self.gaps, dtype=object)

    def least(self, size: int) -> Fraction:
        """Return the least distance of a class of so many rows: each running count is the nearest whole number."""
        if self.scale == 0:
            return Fraction(0)
        total = int(self.reference.total)
        over = self._running * size % total
        apart = int((self._whole_gaps * np.minimum(over, total - over)).sum())
        return Fraction(apart, size * total * self.scale)

    def needed(self, most: Fraction) -> Iterator[NDArray[Any]]:
        """Give the values at either end of which a class has one, as it must not have them all moved in.

        A class without the first values has running counts of 0 there, and is at least the sum of the reference's
        apart from it; without the last ones likewise.
        """
        total = int(self.reference.total)
        beyond = most * total * self.scale
        ends = ((self._running, self._whole_gaps, False), (total - self._running, self._whole_gaps, True))
        for running, gaps, from_last in ends:
            step = -1 if from_last else 1
            apart = np.cumsum((running * gaps)[::step])
            if (found := next((at for at, work in enumerate(apart) if work > beyond), None)) is not None:
                yield np.arange(self.values)[::step][: found + 1]

    def parts(self, block: Block) -> Parts:
        """Return X and Y of every class, exact whole numbers with ``distance = (X/n − Y/N)/Σw``."""
        if self.scale == 0:
            zeros = np.zeros(block.classes, dtype=np.int64)
            return zeros, zeros
        found = [(power, *self._measured(block, prefix)) for power, prefix in self._prefixes]
        if len(found) == 1:
            return found[0][1], found[0][2]
        xs = sum(x.astype(object) * 2**power for power, x, _ in found)
        ys = sum(y.astype(object) * 2**power for power, _, y in found)
        return np.asarray(xs, dtype=object), np.asarray(ys, dtype=object)

    def _measured(self, block: Block, prefix: NDArray[Any]) -> Parts:
        x, y = np.zeros(block.classes, dtype=prefix.dtype), np.zeros(block.classes, dtype=prefix.dtype)
        line = partial(kernels.in_python, "distances", "line") if prefix.dtype == object else kernels.distances.line
        line(block.offsets, block.ranks, block.counts, block.sizes, prefix, self.reference.total, self.values, x, y)
        return x, y

    @cached_property
    def _prefixes(self) -> list[tuple[int, NDArray[Any]]]:
        """The prefix sums of the gaps, whole or in limbs of few bits: X and Y are linear in the gaps.

        Where n·N or N·m itself leaves 64 bits, Python's integers do the work.
        """
        most = max(self.reference.total, self.rows)
        gaps = np.array(self.gaps if self.gaps is not None else [1] * (self.values - 1), dtype=object)
        bits = 61 - (most * self.values).bit_length()
        if self.reference.total * self.rows >= _INT64 or bits < 1:
            return [(0, self._prefix(gaps))]
        if self.scale * most < _INT64:
            return [(0, self._prefix(gaps.astype(np.int64)))]
        mask = (1 << bits) - 1
        return [
            (power, self._prefix(np.array([(gap >> power) & mask for gap in gaps], dtype=np.int64)))
            for power in range(0, max(gaps).bit_length(), bits)
        ]

    def _prefix(self, gaps: NDArray[Any]) -> NDArray[Any]:
        weights = np.append(gaps, 0).astype(gaps.dtype)
        running = np.cumsum(self.reference.counts.astype(gaps.dtype))
        prefix = np.zeros((self.values + 1, 4), dtype=gaps.dtype)
        prefix[1:, 0] = running
        prefix[:-1, 3] = running
        prefix[1:, 1] = np.cumsum(weights)
        prefix[1:, 2] = np.cumsum(weights * running)
        return prefix.ravel()

    def largest(self) -> Fraction:
        """Return the largest distance any class can have: all its rows at one end of the line."""
        if self.scale == 0:
            return Fraction(0)
        gaps = self.gaps if self.gaps is not None else (1,) * (self.values - 1)
        running, before, after = 0, 0, 0
        for gap, count in zip(gaps, self.reference.counts.tolist(), strict=False):
            running += count
            before += gap * running
            after += gap * (self.reference.total - running)
        return Fraction(max(before, after), self.reference.total * self.scale)


_WHOLE = 2**62


@dataclass(frozen=True)
class TreeGround:
    """Leaves of a tree: ``levels[l, v]`` is the code of value v's ancestor on level l.

    Level 0 are the values themselves; a single level is the nominal distance.
    """

    reference: Distribution
    levels: tuple[Integers, ...]

    @property
    def scale(self) -> int:
        """The height H of the tree, or 0 where there is one value."""
        return len(self.levels) if len(self.reference.counts) > 1 else 0

    @cached_property
    def _references(self) -> list[Integers]:
        """The reference's counts on each level."""
        found = []
        for codes in self.levels:
            summed = np.zeros(int(codes.max()) + 1, dtype=self.reference.counts.dtype)
            np.add.at(summed, codes, self.reference.counts)
            found.append(summed)
        return found

    def parts(self, block: Block) -> Parts:
        """Return X and Y of every class, exact whole numbers with ``distance = (X/n − Y/N)/H``."""
        large = self.reference.total * max(int(block.sizes.max(initial=0)), 1) * len(self.levels) >= _WHOLE
        kind: type = object if large else np.int64
        x: NDArray[Any] = np.zeros(block.classes, dtype=kind)
        y: NDArray[Any] = np.zeros(block.classes, dtype=kind)
        surplus = partial(kernels.in_python, "distances", "surplus") if large else kernels.distances.surplus
        for level, (codes, reference) in enumerate(zip(self.levels, self._references, strict=True)):
            rolled = block if level == 0 else _rolled(block, codes)
            surplus(rolled.offsets, rolled.ranks, rolled.counts, rolled.sizes, reference, self.reference.total, x, y)
        return x, y

    def least(self, size: int) -> Fraction:
        """Return the least distance of a class of so many rows, on each level by itself.

        Rounding down the shares of the reference, and up where the most is cut off, is nearest to them.
        """
        if self.scale == 0:
            return Fraction(0)
        total, apart = int(self.reference.total), 0
        for reference in self._references:
            cut = np.sort(reference.astype(object) * size % total)[::-1]
            apart += int((total - cut[: int(cut.sum()) // total]).sum())
        return Fraction(apart, size * total * self.scale)

    def needed(self, most: Fraction) -> Iterator[NDArray[Any]]:
        """Give sets of values of which a class has one: without them it is their share apart, on their level and below.

        On each level the rarest nodes that together are too many to lack, and the rarest one that is too many alone.
        """
        for level, (codes, reference) in enumerate(zip(self.levels, self._references, strict=True), start=1):
            beyond = most * int(self.reference.total) * self.scale / level
            rarest = np.argsort(reference, kind="stable")
            lacking = np.cumsum(reference[rarest].astype(object))
            last = next((at for at, share in enumerate(lacking) if share > beyond), None)
            if last is None:
                continue
            spare = [0, *lacking[:last].tolist()]
            first = max(at for at, share in enumerate(spare) if lacking[last] - share > beyond)
            yield np.flatnonzero(np.isin(codes, rarest[first : last + 1]))
            alone = next((node for node in rarest if reference[node] > beyond), None)
            if alone is not None:
                yield np.flatnonzero(codes == alone)

    def largest(self) -> Fraction:
        """Return the largest distance any class can have: all its rows on the one worst value."""
        if self.scale == 0:
            return Fraction(0)
        shares = np.zeros(len(self.reference.counts), dtype=object)
        for codes, reference in zip(self.levels, self._references, strict=True):
            shares += reference.astype(object)[codes]
        total = self.reference.total
        return Fraction(total * len(self.levels) - int(min(shares.tolist())), total * len(self.levels))


def nominal_ground(reference: Distribution) -> TreeGround:
    """Return the ground distance in which any two different values are equally far apart."""
    return TreeGround(reference, (np.arange(len(reference.counts), dtype=np.int64),))


def _rolled(block: Block, codes: Integers) -> Block:
    """Return the block with every value replaced by its ancestor."""
    classes = np.repeat(np.arange(block.classes), block.distinct)
    return sparse_block(classes, codes[block.ranks].astype(np.int32), block.counts, block.classes)
