"""Thinning: which rows to leave out where even the coarsest classes miss a requirement.

Classes that meet the requirements still do so where they are merged, so that a release exists just if the coarsest
classes of some of the rows are one. Of a class that is one-sided, rows of its most frequent values are left out first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.checking import Checker
from tclose.anonymization.algorithms.partition import Partition
from tclose.anonymization.algorithms.problem import Codes, Floats, Problem, coarsest
from tclose.models.counts import Integers
from tclose.models.measuring import Task

_Removal = Callable[[int], Integers]
"""Returns how many of each of some distinct rows go, where so many units of them are left out."""


@dataclass(frozen=True)
class Thinned:
    """A problem without some of its rows, which no further row may be left out of."""

    whole: Problem
    kept: Integers
    """How many of each distinct row are kept."""

    @property
    def problem(self) -> Problem:
        """What is left."""
        there = self.whole.left(self.kept)
        return replace(self.whole.only(there, self.kept[there]), suppress=Fraction(0))

    def lifted(self, partition: Partition) -> Partition:
        """Return a partition of what is left as one of the whole problem, which leaves the other rows out."""
        gone, there = self.whole.counts - self.kept, self.whole.left(self.kept)
        out = np.flatnonzero((gone > 0) | ~there)
        return replace(
            partition,
            rows=np.append(np.flatnonzero(there)[partition.rows], out),
            classes=np.append(partition.classes, np.full(len(out), -1)),
            counts=np.append(partition.counts, gone[out]),
        )


def thinned(problem: Problem, *, whole_classes: bool) -> Thinned | None:
    """Return the problem without rows that keep coarsest classes from meeting the requirements.

    Parameters
    ----------
    problem
        The rows, the requirements, and how many rows may be left out.
    whole_classes
        Whether rows with the same quasi-identifiers are left out together.

    Returns
    -------
    Thinned or None
        None where the coarsest classes of all rows meet the requirements, or where no way was found.
    """
    lost, others = _failing(problem)
    kept, gone = np.where(lost, 0, problem.counts), int(problem.counts[lost].sum())
    for thinning in others:
        if gone > problem.most_suppressed:
            return None
        left = thinning.thinned(problem.most_suppressed - gone, whole_classes=whole_classes)
        kept[thinning.members] = 0 if left is None else left
        gone += int((thinning.counts - kept[thinning.members]).sum())
    return Thinned(problem, kept) if 0 < gone <= problem.most_suppressed else None


def least_left_out(problem: Problem) -> int:
    """Return a number of rows that must be left out at least, whichever they are, so that there is a release."""
    lost, others = _failing(problem)
    found = int(problem.counts[lost].sum())
    for thinning in others:
        if found > problem.most_suppressed:
            break
        found += thinning.least()
    return found


def _failing(problem: Problem) -> tuple[NDArray[np.bool_], Iterator[_Thinning]]:
    """Return the rows of coarsest classes that fewer rows do not help, and the other classes that miss something."""
    classes, number = coarsest(problem)
    pieces = (np.arange(len(classes)), classes, problem.counts, number)
    checker = Checker.of(problem)
    hopeless = tuple(task for task in problem.tasks if task.model.fewer_rows == "never")
    lost = replace(checker, problem=replace(problem, tasks=hopeless)).failing(*pieces)
    order = np.argsort(classes, kind="stable")
    ends = np.searchsorted(classes[order], np.arange(number + 1))
    others = np.flatnonzero(checker.failing(*pieces) & ~lost).tolist()
    return lost[classes], (_Thinning(problem, order[ends[at] : ends[at + 1]]) for at in others)


@dataclass(frozen=True)
class _Thinning:
    """One coarsest class of which rows are left out."""

    problem: Problem
    members: Integers

    @property
    def counts(self) -> Integers:
        return self.problem.counts[self.members]

    def missed(self, left: Integers) -> list[Task]:
        """Return the tasks that the class misses with so many of its rows."""
        return [task for task in self.problem.tasks if self._misses(task, left)]

    def _misses(self, task: Task, left: Integers) -> bool:
        alone = replace(Checker.of(self.problem), problem=replace(self.problem, tasks=(task,)))
        there = self.problem.left(left, self.members)
        rows = self.members[there]
        return bool(alone.failing(rows, np.zeros(len(rows), dtype=np.int64), left[there], 1)[0])

    def thinned(self, room: int, *, whole_classes: bool) -> Integers | None:
        """Return how many of each row are kept so that the class meets all; None if it is to be left out as a whole."""
        left = self.counts
        for _ in range(2 * len(self.problem.tasks)):
            missed = self.missed(left)
            if not missed:
                return left
            if any(task.model.fewer_rows == "never" for task in missed):
                return None
            removal, units = self._removal(missed[0], left, whole_classes=whole_classes)
            fewest = self._fewest(missed[0], left, removal, units, room - int((self.counts - left).sum()))
            if fewest is None:
                return None
            left = left - removal(fewest)
        return None

    def least(self) -> int:
        """Return how many rows must go at least: what is known of each task alone."""
        counts, found = self.counts, 1
        size = int(counts.sum())
        for task in self.missed(counts):
            if task.model.fewer_rows == "never":
                return size
            if task.model.fewer_rows == "even":
                removal, units = self._removal(task, counts, whole_classes=False)
                found = max(found, self._fewest(task, counts, removal, units, size - 1) or size)
        return found

    def _removal(self, task: Task, left: Integers, *, whole_classes: bool) -> tuple[_Removal, int]:
        """Return what goes first, second and so on for a task, and how many units there are to go."""
        rows = np.repeat(np.arange(len(left)), left)
        excess = self._excess(task, rows)
        if not whole_classes:
            order = rows[np.argsort(-excess, kind="stable")]
            return lambda units: np.bincount(order[:units], minlength=len(left)), len(order)
        tuples = np.unique(self.problem.tuples[0][self.members], return_inverse=True)[1]
        number = int(tuples.max()) + 1
        sizes = np.bincount(tuples[rows], minlength=number)
        mean = np.bincount(tuples[rows], excess, minlength=number) / np.maximum(sizes, 1)
        mean[sizes == 0] = -np.inf  # nothing of it is left to go
        place = np.argsort(np.argsort(-mean, kind="stable"))[tuples]
        return lambda units: np.where(place < units, left, 0), int((sizes > 0).sum())

    def _excess(self, task: Task, rows: Integers) -> Floats:
        """Return for each row how full its value is with it, against the reference if the model compares with that."""
        attribute = task.attribute or 0
        ranks: Codes = self.problem.ranks[self.members, attribute][rows]
        chance = np.random.default_rng(self.problem.seed).permutation(len(rows))
        order = np.lexsort((chance, ranks))
        starts = np.searchsorted(ranks[order], ranks[order])
        place = np.empty(len(rows), dtype=np.float64)
        place[order] = np.arange(len(rows)) - starts + 1
        if task.model.fewer_rows == "nearer":
            place /= np.maximum(self.problem.domains[attribute].counts, 1)[np.maximum(ranks, 0)]
        return np.where(ranks < 0, -1.0, place)

    def _fewest(self, task: Task, left: Integers, removal: _Removal, units: int, room: int) -> int | None:
        """Return the fewest units without which a task is met, if no more rows go than there is room for."""

        def met(number: int) -> bool:
            gone = removal(number)
            return int(gone.sum()) < int(left.sum()) and not self._misses(task, left - gone)

        high = _most(removal, units, room)
        while high and not met(high):
            high //= 2
        low = 0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if met(middle) else (middle, high)
        return high or None


def _most(removal: _Removal, units: int, room: int) -> int:
    """Return how many units may go at most."""
    low, high = 0, units
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if int(removal(middle).sum()) <= room else (low, middle - 1)
    return low
