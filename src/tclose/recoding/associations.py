"""How closely two columns go together, before a release and as a reader of it would draw them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tclose.counts import Integers
from tclose.recoding.partition import Partition
from tclose.recoding.problem import Codes, Floats, Problem
from tclose.recoding.reader import covered

MOST_CELLS = 4_000_000
"""Pairs of columns with more combinations of values are looked at as they are published, a cell as one value."""
_NOTHING = 1e-9
"""So few rows are what is left of rounding."""


@dataclass(frozen=True)
class Association:
    """How closely two columns go together: 0 not at all, 1 where each decides the other."""

    first: str
    second: str
    before: float | None
    """In the original; None where nearly every row has a value of its own, so that nothing can be said."""
    after: float | None
    """In the release, each cell counted evenly for the values that it may stand for; None likewise."""


@dataclass(frozen=True)
class _Column:
    """A column of the original and of a release, piece by piece."""

    name: str
    before: Codes
    after: Codes
    """What is published; −1 where a piece is left out."""
    first: Codes
    last: Codes
    """The first and the last position that the published cell covers, in an order that keeps cells together."""
    values: int


def associations(problem: Problem, partition: Partition, published: Codes, most: int) -> Iterator[Association]:
    """Give how closely columns go together, pair by pair.

    Parameters
    ----------
    problem
        The original.
    partition
        The release.
    published
        Pieces × quasi-identifiers: the number of the published cell; −1 for pieces that are left out.
    most
        How many quasi-identifiers are looked at.
    """
    columns = [*_quasi(problem, partition, published, most), *_sensitive(problem, partition)]
    counts = partition.counts
    for one, other in combinations(columns, 2):
        before = association(one.before, other.before, counts)
        if one.values * other.values > MOST_CELLS:
            after = association(one.after, other.after, counts)
        else:
            after = _of_table(_drawn(one, other, counts))
        yield Association(one.name, other.name, before, after)


def _quasi(problem: Problem, partition: Partition, published: Codes, most: int) -> Iterator[_Column]:
    first, last = covered(problem, partition.cells)
    kept = np.maximum(partition.classes, 0)
    for at, quasi in enumerate(problem.quasi[:most]):
        before = problem.codes[partition.rows, at]
        yield _Column(quasi.name, before, published[:, at], first[kept, at], last[kept, at], len(quasi.values))


def _sensitive(problem: Problem, partition: Partition) -> Iterator[_Column]:
    for at, domain in enumerate(problem.domains):
        ranks = problem.ranks[partition.rows, at]
        after = np.where(partition.classes < 0, -1, ranks)
        yield _Column(domain.name, ranks, after, ranks, ranks, len(domain.values))


def _drawn(one: _Column, other: _Column, counts: Integers) -> Floats:
    """Return how many rows have each pair of values, if every cell counts evenly for the values in it."""
    kept = (one.after >= 0) & (other.after >= 0)
    (low, high), (left, right) = ((each.first[kept], each.last[kept] + 1) for each in (one, other))
    share = counts[kept] / ((high - low) * (right - left).astype(np.float64))
    wide, size = other.values + 1, (one.values + 1) * (other.values + 1)
    steps = np.zeros(size)
    for row, column, sign in ((low, left, 1), (high, right, 1), (low, right, -1), (high, left, -1)):
        steps += sign * np.bincount(row.astype(np.int64) * wide + column, weights=share, minlength=size)
    table = steps.reshape(-1, wide).cumsum(axis=0).cumsum(axis=1)[:-1, :-1]
    return np.where(table > _NOTHING, table, 0.0)


def _of_table(table: Floats) -> float | None:
    """Return the association of two columns by how many rows have each pair of their values."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows = float(table.sum())
    if rows < 2 - _NOTHING:
        return None
    if 1 in table.shape:
        return 0.0
    square = float((table * (table / table.sum(axis=1, keepdims=True)) / table.sum(axis=0)).sum()) - 1.0
    return _corrected(square, table.shape[0] - 1.0, table.shape[1] - 1.0, rows)


def association(first: Codes, second: Codes, counts: Integers) -> float | None:
    """Return Cramér's V of two columns, without the bias that many values bring (Bergsma 2013).

    Parameters
    ----------
    first, second
        The value of each piece; pieces with −1 in either are left out.
    counts
        How many rows each piece stands for.

    Examples
    --------
    >>> halves, pieces = np.array([0, 0, 1, 1]), np.array([500, 0, 0, 500])
    >>> association(halves, np.array([0, 1, 0, 1]), pieces)
    1.0
    """
    kept = (first >= 0) & (second >= 0) & (counts > 0)
    if not kept.any():
        return None
    ones, one_of = np.unique(first[kept], return_inverse=True)
    others, other_of = np.unique(second[kept], return_inverse=True)
    weights = counts[kept].astype(np.float64)
    rows = float(weights.sum())
    if rows < 2:
        return None
    if len(ones) == 1 or len(others) == 1:
        return 0.0
    pairs, place = np.unique(one_of * len(others) + other_of, return_inverse=True)
    together = np.bincount(place, weights=weights)
    of_first = np.bincount(one_of, weights=weights)[pairs // len(others)]
    of_second = np.bincount(other_of, weights=weights)[pairs % len(others)]
    square = float((together * (together / of_first) / of_second).sum()) - 1.0
    return _corrected(square, len(ones) - 1.0, len(others) - 1.0, rows)


def _corrected(square: float, wide: float, high: float, rows: float) -> float | None:
    """Return V by the mean square contingency, without the bias that so many values bring."""
    square = max(0.0, square - wide * high / (rows - 1.0))
    least = min(wide - wide**2 / (rows - 1.0), high - high**2 / (rows - 1.0))
    return min(1.0, float(np.sqrt(square / least))) if least > 0 else None
