"""What every ground distance of a sensitive attribute offers to the models."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Block, Distribution

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
