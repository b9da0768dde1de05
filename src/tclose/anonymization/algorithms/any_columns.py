"""Releases for whoever knows only some of the columns: levels are raised until every combination of columns holds.

Nothing but the combinations that miss a requirement is looked at again after a step, because what holds keeps
holding when a column is generalised. In the end levels are lowered again where that breaks nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.partition import Cells, Partition
from tclose.anonymization.algorithms.problem import Codes, Problem, numbered
from tclose.anonymization.algorithms.search import Search
from tclose.models.counts import Integers, Part, sparse_block
from tclose.models.subsets import Subset, SubsetJudge, column_subsets

_STEPS_WITHOUT = 20
"""So many times rows are left out because others were; after that a column is generalised instead."""
_LEAST_COST = 1e-6


def find(problem: Problem, search: Search) -> Partition | None:
    """Return a release with every column on one level, or None if even the coarsest misses a requirement.

    Parameters
    ----------
    problem
        The rows, and what the release must meet; what is not about some of the columns is judged by all of them.
    search
        Told how far the search is.
    """
    climb = _Climb(problem, search)
    kept = climb.up()
    if kept is None:
        return None
    if kept.all():
        climb.down()
    return climb.partition(kept)


@dataclass
class _Climb:
    """The level of each column on the way to a release."""

    problem: Problem
    search: Search
    levels: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.levels = [quasi.lowest for quasi in self.problem.quasi]
        columns, most = len(self.problem.quasi), self.problem.any
        self._every: list[Subset] = [] if most is None else list(column_subsets(columns, most))
        known = {each.any for task in self.problem.tasks for each in task.requirements}
        if None in known and (most or 0) < columns:
            self._every.append(tuple(range(columns)))
        self._merging = all(task.model.kept_by_merging for task in self.problem.tasks)
        self._all = np.ones(len(self.problem.tuples[1]), dtype=bool)

    def up(self) -> NDArray[np.bool_] | None:
        """Raise levels until what is required holds; return which combinations of values are kept, None if none are."""
        pending: Sequence[Subset] = self._every
        while failures := self._failures(pending, self._all):
            missed = np.logical_or.reduce([rows for _, rows in failures])
            if self._rows(missed) <= self.problem.most_suppressed and (kept := self._without()) is not None:
                return kept
            column = self._to_blame(failures)
            if column is None:
                return None
            self.levels[column] += 1
            pending = [subset for subset, _ in failures] if self._merging else self._every
        return self._all

    def down(self) -> None:
        """Lower levels again, those first that cost most, while everything still holds."""
        for column in sorted(range(len(self.levels)), key=lambda at: -self._cost(at, self.levels[at])):
            touched = [subset for subset in self._every if column in subset] if self._merging else self._every
            while self.levels[column] > self.problem.quasi[column].lowest:
                self.levels[column] -= 1
                if self._failures(touched, self._all):
                    self.levels[column] += 1
                    break

    def partition(self, kept: NDArray[np.bool_]) -> Partition:
        """Return the release on the levels that were found."""
        nodes = self._nodes()
        classes = np.full(len(kept), -1, dtype=np.int64)
        classes[kept] = numbered(nodes[kept])
        first = np.unique(classes[kept], return_index=True)[1]
        cells = nodes[kept][first]
        levels = np.empty(cells.shape, dtype=np.int16)
        levels[:] = self.levels
        of_row = classes[self.problem.tuples[0]]
        rows = np.arange(len(self.problem.counts))
        return Partition(rows, of_row, self.problem.counts, Cells(levels, cells, cells), tuple(self.levels))

    def _failures(self, subsets: Sequence[Subset], kept: NDArray[np.bool_]) -> list[tuple[Subset, NDArray[np.bool_]]]:
        """Return the subsets that miss a requirement, and which combinations of values are in a class that does."""
        whole = self._whole if kept is self._all else self._part(kept)
        judge = SubsetJudge(whole, self._nodes()[kept], 1, self.problem.tasks, self.problem.domains)
        found = []
        for subset, missed in judge.failures(self.search.tell, subsets):
            every = np.zeros(len(kept), dtype=bool)
            every[kept] = missed
            found.append((subset, every))
        return found

    def _without(self) -> NDArray[np.bool_] | None:
        """Leave out what misses a requirement until nothing does; None if that is more than may be left out."""
        kept = self._all.copy()
        for _ in range(_STEPS_WITHOUT):
            failures = self._failures(self._every, kept)
            if not failures:
                return kept
            kept &= ~np.logical_or.reduce([rows for _, rows in failures])
            if not kept.any() or self._rows(~kept) > self.problem.most_suppressed:
                return None
        return None

    def _to_blame(self, failures: Sequence[tuple[Subset, NDArray[np.bool_]]]) -> int | None:
        """Return the column in most of what fails, for what it costs to raise it; None if none can be raised."""
        blame = np.zeros(len(self.levels))
        for subset, rows in failures:
            blame[list(subset)] += self._rows(rows)
        worth = [
            blame[at] / (self._cost(at, self.levels[at] + 1) - self._cost(at, self.levels[at]) + _LEAST_COST)
            if blame[at] and self.levels[at] < quasi.top
            else -1.0
            for at, quasi in enumerate(self.problem.quasi)
        ]
        best = int(np.argmax(worth))
        return best if worth[best] >= 0 else None

    def _cost(self, column: int, level: int) -> float:
        """Return what a column loses on a level, by its weight."""
        found = self.problem.quasi[column].levels[level]
        costs = found.costs[found.nodes[self.problem.codes[:, column]]]
        return float((costs * self.problem.counts).sum() / self.problem.rows * self.problem.weights[column])

    def _nodes(self) -> Codes:
        """Return the node of each combination of values in each column."""
        codes = self.problem.tuples[1]
        levels = zip(self.problem.quasi, self.levels, strict=True)
        return np.stack([quasi.levels[level].nodes[codes[:, at]] for at, (quasi, level) in enumerate(levels)], axis=1)

    def _rows(self, combinations: NDArray[np.bool_]) -> int:
        return int(self._sizes[combinations].sum())

    @cached_property
    def _sizes(self) -> Integers:
        sizes = np.zeros(len(self._all), dtype=np.int64)
        np.add.at(sizes, self.problem.tuples[0], self.problem.counts)
        return sizes

    @cached_property
    def _whole(self) -> Part:
        return self._part(self._all)

    def _part(self, kept: NDArray[np.bool_]) -> Part:
        """Return the combinations of values that are kept as classes."""
        number_of = np.cumsum(kept) - 1
        mine = kept[self.problem.tuples[0]]
        classes, number = number_of[self.problem.tuples[0]][mine], int(kept.sum())
        blocks = tuple(
            sparse_block(
                classes,
                self.problem.ranks[mine, at],
                self.problem.valued(at, np.flatnonzero(mine), self.problem.counts[mine]),
                number,
            )
            for at in range(len(self.problem.domains))
        )
        return Part(np.arange(number)[:, np.newaxis], self._sizes[kept], blocks)
