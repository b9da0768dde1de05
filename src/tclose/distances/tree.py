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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose import kernels
from tclose.counts import Block, Distribution, Integers, sparse_block
from tclose.distances.ground import Parts

_INT64 = 2**62


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
        large = self.reference.total * max(int(block.sizes.max(initial=0)), 1) * len(self.levels) >= _INT64
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
