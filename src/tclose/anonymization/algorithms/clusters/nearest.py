"""Classes filled with the nearest rows: a seed far from the rest, and round it the planned number from each bucket."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tclose.anonymization.algorithms.clusters.coordinates import Space
from tclose.anonymization.algorithms.problem import Floats
from tclose.anonymization.algorithms.search import Share, nobody, shared
from tclose.models import kernels
from tclose.models.counts import Integers

WHOLE_UP_TO = 40_000
"""Up to this many rows, seeds and their nearest rows are sought among all rows."""
BLOCK = 16_384
"""Beyond that, they are sought among this many rows that follow each other on a curve."""


class Pool:
    """Rows that are not yet in a class, bucket by bucket.

    Parameters
    ----------
    space
        Where the rows lie.
    buckets
        The bucket of each row, from 0; None puts all into one.
    sizes
        How many rows of the table each row stands for; None stands for 1 each.
    """

    def __init__(self, space: Space, buckets: Integers | None, sizes: Integers | None) -> None:
        rows = space.rows
        buckets = np.zeros(rows, dtype=np.int64) if buckets is None else buckets
        number = int(buckets.max(initial=0)) + 1
        self.members: Integers = np.argsort(buckets, kind="stable").astype(np.int64)
        bounds = np.searchsorted(buckets[self.members], np.arange(number + 1)).astype(np.int64)
        self.starts: Integers = bounds[:-1].copy()
        self.ends: Integers = bounds[1:].copy()
        self.sizes = np.ones(rows, dtype=np.int64) if sizes is None else sizes
        self.labels = np.full(rows, -1, dtype=np.int64)
        self.gaps = np.zeros(rows)
        self._centre = np.zeros(space.points.shape[1])
        self._points = kernels.clusters.Points(
            space.points.ravel(), space.nodes.ravel(), space.edges.ravel(), space.off_centre(),
            space.points.shape[1], space.nodes.shape[1],
        )  # fmt: skip
        self._left = kernels.clusters.Left(self.members, self.starts, self.ends, self.gaps)
        self._last_seed = -1

    def seed(self) -> int:
        """Return the next seed: in turn the row farthest from the centre and the one farthest from the last seed.

        The gaps of all rows left are measured from it; −1 says that no row is left.
        """
        if self._last_seed < 0:
            self._measure(-1)
        seed = int(kernels.clusters.farthest(self._left))
        self._last_seed = seed if self._last_seed < 0 else -1
        if seed >= 0:
            self._measure(seed)
        return seed

    def _measure(self, seed: int) -> None:
        if seed < 0:
            kernels.clusters.centre(self._points, self._left, self._centre)
        kernels.clusters.measure(self._points, self._left, self._centre, seed)

    def take(self, plan: Integers, label: int) -> None:
        """Put the planned number of each bucket's nearest rows into a class."""
        kernels.clusters.take(self._left, plan, self.sizes, label, self.labels)

    def nearest(self, number: int) -> Integers:
        """Return the nearest rows left, in the order of their gaps; of equally near ones the lower first."""
        left = self.members[: self.ends[0]]
        gaps = self.gaps[left]
        if number < len(left):
            farthest = np.partition(gaps, number - 1)[number - 1]
            left, gaps = left[gaps <= farthest], gaps[gaps <= farthest]
        return left[np.lexsort((left, gaps))][:number]

    def remove(self, rows: Integers, label: int) -> None:
        """Put rows of the only bucket into a class."""
        self.labels[rows] = label
        left = self.members[: self.ends[0]]
        left = left[self.labels[left] < 0]
        self.members[: len(left)] = left
        self.ends[0] = len(left)


def filled(
    space: Space,
    buckets: Integers,
    plan: Integers,
    *,
    order: Integers | None = None,
    sizes: Integers | None = None,
    tell: Share = nobody,
) -> Integers:
    """Return the class of each row, where each class takes the planned number of rows from each bucket.

    Parameters
    ----------
    space
        Where the rows lie.
    buckets
        The bucket of each row, from 0.
    plan
        Classes × buckets: how many rows each class takes of each bucket.
    order
        The rows along a curve; needed beyond :data:`WHOLE_UP_TO` rows.
    sizes
        How many rows of the table each row stands for; None stands for 1 each.
    tell
        Told which share of the classes is filled.
    """
    if space.rows <= WHOLE_UP_TO or order is None:
        return _filled(space, buckets, plan, sizes, tell)
    labels = np.full(space.rows, -1, dtype=np.int64)
    by_bucket = order[np.argsort(buckets[order], kind="stable")]
    firsts = np.searchsorted(buckets[by_bucket], np.arange(plan.shape[1]))
    for first, last in _spans(plan.sum(axis=1)):
        wanted = plan[first:last].sum(axis=0)
        spans = [by_bucket[at : at + count] for at, count in zip(firsts.tolist(), wanted.tolist(), strict=True)]
        firsts = firsts + wanted
        rows = np.sort(np.concatenate(spans))
        here = shared(tell, first / len(plan), last / len(plan))
        labels[rows] = first + _filled(space.part(rows), buckets[rows], plan[first:last], None, here)
    return labels


def _spans(sizes: Integers) -> Iterator[tuple[int, int]]:
    """Yield the first and last of consecutive classes that together have about a block of rows."""
    running = np.cumsum(sizes)
    cuts = np.unique(np.searchsorted(running, np.arange(BLOCK, int(running[-1]), BLOCK)) + 1)
    cuts = cuts[cuts < len(sizes)]
    yield from zip([0, *cuts.tolist()], [*cuts.tolist(), len(sizes)], strict=True)


def _filled(space: Space, buckets: Integers, plan: Integers, sizes: Integers | None, tell: Share) -> Integers:
    pool = Pool(space, buckets, sizes)
    plan = np.ascontiguousarray(plan[:, : len(pool.starts)])
    for label in range(len(plan)):
        tell(label / len(plan))
        if pool.seed() < 0:
            break
        pool.take(plan[label], label)
    return pool.labels


def mdav(points: Floats, k: int) -> Integers:
    """Return the class of each point by maximum distance to average vector.

    Each class has k points; the last, of what is left, up to 2k − 1. Of equally near or far points the one
    with the lowest index is taken.

    Parameters
    ----------
    points
        Points × coordinates, already on comparable scales.
    k
        The least size of a class.

    References
    ----------
    J. Domingo-Ferrer, V. Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation
    (2005), section 3.

    Examples
    --------
    >>> mdav(np.array([[0.0], [1.0], [9.0], [10.0], [11.0]]), 2).tolist()
    [0, 0, 1, 1, 1]
    """
    points = np.ascontiguousarray(points, dtype=np.float64)
    space = Space(points, np.zeros((len(points), 0), dtype=np.int64), np.zeros((len(points), 0)))
    return filled(space, np.zeros(len(points), dtype=np.int64), equal_plan(len(points), k))


def equal_plan(rows: int, k: int) -> Integers:
    """Return the sizes of classes of one bucket: k each, and the last what is left."""
    number = max(rows // max(k, 1), 1)
    plan = np.full((number, 1), k, dtype=np.int64)
    plan[-1] = rows - k * (number - 1)
    return plan


def with_others(plan: Integers, others: int) -> Integers:
    """Return the plan with one more bucket, of rows that are spread over the classes by their sizes."""
    running = np.cumsum(plan.sum(axis=1))
    ends = running * others // max(int(running[-1]), 1)
    return np.column_stack([plan, np.diff(np.append(0, ends))])
