"""Merging: the way that always ends. A class that misses a requirement joins the class beside which least is lost.

Every distance here is convex, so a union is no farther from the table than the farther of its parts, and in the end,
where a whole compartment is one class, it is as near as it can be. Only whole classes are merged or left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.checking import Checker, failing_classes
from tclose.anonymization.algorithms.hyperrectangles import Boxes
from tclose.anonymization.algorithms.partition import Partition, hulls, in_classes, published
from tclose.anonymization.algorithms.problem import Codes, Floats, Problem
from tclose.anonymization.algorithms.search import Search, Tell
from tclose.models import kernels
from tclose.models.counts import Integers

PAIRS_AT_ONCE = 250_000
"""Up to this many pairs of classes are all compared; beyond, only classes that are near in some order."""
REACH = 4
"""How far a class looks for another, before and after it, in each order."""


def find(problem: Problem, search: Search) -> Partition | None:
    """Return the release that merging finds from the table itself, or None if it cannot meet the requirements.

    Parameters
    ----------
    problem
        The rows and the requirements.
    search
        What to minimise, and whether the release is also judged by itself where rows are left out.
    """
    rows = np.arange(len(problem.counts))
    classes = problem.tuples[0]
    cells = hulls(problem, rows, classes, int(classes.max(initial=-1)) + 1)
    return repaired(problem, Partition(rows, classes, problem.counts, cells), search)


def repaired(problem: Problem, partition: Partition, search: Search) -> Partition | None:
    """Return the partition with classes merged until all meet the requirements, or None if that cannot be.

    It is found whenever the whole table does, or each compartment where levels are limited. Rows are left out
    only as far as the problem allows and where that loses less.

    Parameters
    ----------
    problem
        The rows and the requirements.
    partition
        Where to begin; rows that it leaves out are taken in again unless the limit allows it.
    search
        What to minimise, and whether the release is also judged by itself where rows are left out.
    """
    boxes = Boxes.of(problem)
    partition = published(partition)
    here = search if not problem.most_suppressed else search.part(0.0, 0.5)
    found = [_Merging.of(problem, boxes, _taken_in(problem, partition), 0).finished(here.tell)]
    if problem.most_suppressed:
        left = problem.most_suppressed - partition.suppressed()
        start, room = (partition, left) if left >= 0 else (_taken_in(problem, partition), problem.most_suppressed)
        thinned = _Merging.of(problem, boxes, start, room).finished(search.part(0.5, 1.0).tell)
        if thinned is not None and not failing_classes(problem, thinned, own=search.own).any():
            found.append(thinned)
    met = [each for each in found if each is not None]
    return min(met, key=lambda each: search.loss(problem, each)) if met else None


def _taken_in(problem: Problem, partition: Partition) -> Partition:
    """Return the partition with the rows that it leaves out in classes of their own, by their quasi-identifiers."""
    out = partition.classes < 0
    if not out.any():
        return partition
    numbers = np.unique(problem.tuples[0][partition.rows[out]], return_inverse=True)[1]
    classes = partition.classes.copy()
    classes[out] = partition.number + numbers
    cells = hulls(problem, partition.rows, classes, int(classes.max()) + 1)
    return published(Partition(partition.rows, classes, partition.counts, cells))


@dataclass
class _Merging:
    """Classes while they are merged: their pieces, and the size, the box and the verdict of each."""

    problem: Problem
    boxes: Boxes
    rows: Integers
    counts: Integers
    room: int
    """How many more rows may be left out."""
    classes: Integers
    """The class of each piece, −1 where it is left out."""
    sizes: Integers
    low: Codes
    high: Codes
    compartments: Integers
    failing: NDArray[np.bool_]

    @staticmethod
    def of(problem: Problem, boxes: Boxes, partition: Partition, room: int) -> _Merging:
        """Return the classes of a partition, ready to be merged."""
        pieces = (partition.rows, partition.classes, partition.counts)
        by_class, bounds = in_classes(partition.classes, partition.number)
        rows, first = partition.rows[by_class], bounds[:-1]
        positions = boxes.positions[rows]
        return _Merging(
            problem, boxes, partition.rows, partition.counts, room, partition.classes, partition.sizes(),
            _reduced(np.minimum, positions, first), _reduced(np.maximum, positions, first),
            boxes.compartments[rows[first]], Checker.of(problem).failing(*pieces, partition.number),
        )  # fmt: skip

    def finished(self, tell: Tell) -> Partition | None:
        """Return the partition when every class meets the requirements, or None if one cannot; tell how far it is."""
        if not self.room and not self._possible():
            return None
        before = np.count_nonzero(self.failing)
        while self.failing.any():
            tell("Merging", 1 - np.count_nonzero(self.failing) / before)
            losses = self.boxes.losses(self.low, self.high)
            growth, partner = self._partners(np.flatnonzero(self.failing), losses * self.sizes)
            into = np.arange(len(self.sizes))
            into[self._left_out(growth, losses)] = -1
            waiting = np.flatnonzero(self.failing & (into >= 0))
            if not np.isfinite(growth[waiting]).all():
                return None
            order = waiting[np.argsort(self.sizes[waiting], kind="stable")]
            kernels.partitions.join(order, partner, self.sizes, into, np.zeros_like(self.sizes))
            self._renumber(into)
        return Partition(
            self.rows, self.classes, self.counts, hulls(self.problem, self.rows, self.classes, len(self.sizes))
        )

    def _possible(self) -> bool:
        """Return whether every compartment as a whole meets the requirements."""
        numbers = np.unique(self.compartments, return_inverse=True)[1]
        whole = np.where(self.classes >= 0, numbers[self.classes], -1)
        return not Checker.of(self.problem).failing(self.rows, whole, self.counts, int(numbers.max()) + 1).any()

    def _partners(self, failing: Integers, losses: Floats) -> tuple[Floats, Integers]:
        """Return how little the loss can grow by merging each failing class, and the partner; infinite without one."""
        growth = np.full(len(self.sizes), np.inf)
        partner = np.full(len(self.sizes), -1, dtype=np.int64)
        every = np.arange(len(self.sizes))
        if len(failing) * len(every) <= PAIRS_AT_ONCE:
            self._compare(np.repeat(failing, len(every)), np.tile(every, len(failing)), losses, (growth, partner))
            return growth, partner
        middles = self.low.astype(np.int64) + self.high
        for axis in range(len(self.boxes.axes)):
            order = np.lexsort((*np.roll(middles, -axis, axis=1).T[::-1], self.compartments))
            place = np.empty_like(order)
            place[order] = every
            for step in (*range(-REACH, 0), *range(1, REACH + 1)):
                beside = place[failing] + step
                within = (beside >= 0) & (beside < len(order))
                self._compare(failing[within], order[beside[within]], losses, (growth, partner))
        return growth, partner

    def _compare(self, ones: Integers, others: Integers, losses: Floats, best: tuple[Floats, Integers]) -> None:
        """Note the best of these pairs for each class; the first among equals."""
        fitting = (ones != others) & (self.compartments[ones] == self.compartments[others])
        ones, others = ones[fitting], others[fitting]
        low, high = np.minimum(self.low[ones], self.low[others]), np.maximum(self.high[ones], self.high[others])
        sizes = self.sizes[ones] + self.sizes[others]
        more = self.boxes.losses(low, high) * sizes - losses[ones] - losses[others]
        chosen = np.arange(len(ones))
        if not (ones[1:] > ones[:-1]).all():
            order = np.lexsort((others, more, ones))
            first = np.ones(len(order), dtype=bool)
            first[1:] = ones[order[1:]] != ones[order[:-1]]
            chosen = order[first]
        growth, partner = best
        chosen = chosen[more[chosen] < growth[ones[chosen]]]
        growth[ones[chosen]], partner[ones[chosen]] = more[chosen], others[chosen]

    def _left_out(self, growth: Floats, losses: Floats) -> list[int]:
        """Return the failing classes that are left out: merging them would lose more, and there is room."""
        saved = np.where(self.failing, growth / self.sizes - (1 - losses), 0.0)
        out = []
        for one in np.argsort(-saved, kind="stable")[: np.count_nonzero(saved > 0)].tolist():
            if self.sizes[one] <= self.room:
                self.room -= int(self.sizes[one])
                out.append(one)
        return out

    def _renumber(self, into: Integers) -> None:
        """Put classes into those they joined, leave out those of −1, and judge the classes that changed."""
        changed = np.zeros(len(into), dtype=bool)
        changed[into[(into >= 0) & (into != np.arange(len(into)))]] = True
        stays = into == np.arange(len(into))
        numbers = np.append(np.where(into >= 0, (np.cumsum(stays) - 1)[into], -1), -1)
        self.classes = numbers[self.classes]
        order = np.argsort(numbers[:-1], kind="stable")[np.count_nonzero(into < 0) :]
        first = np.searchsorted(numbers[order], np.arange(np.count_nonzero(stays)))
        self.sizes = np.add.reduceat(self.sizes[order], first) if len(first) else self.sizes[:0]
        self.low = _reduced(np.minimum, self.low[order], first)
        self.high = _reduced(np.maximum, self.high[order], first)
        self.compartments, self.failing, changed = self.compartments[stays], self.failing[stays], changed[stays]
        self._judge(changed)

    def _judge(self, changed: NDArray[np.bool_]) -> None:
        """Judge some classes anew."""
        pieces = np.flatnonzero((self.classes >= 0) & np.append(changed, False)[self.classes])
        among = (np.cumsum(changed) - 1)[self.classes[pieces]]
        checker = Checker.of(self.problem)
        number = int(np.count_nonzero(changed))
        self.failing[changed] = checker.failing(self.rows[pieces], among, self.counts[pieces], number)


def _reduced(least: np.ufunc, positions: Codes, first: Integers) -> Codes:
    """Return the lowest or highest positions of each class, whose rows begin at ``first``."""
    return np.asarray(least.reduceat(positions, first, axis=0)) if len(first) else positions[:0]
