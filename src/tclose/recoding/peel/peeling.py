"""One peeling: release the close parts of what is left, node by node, from the finest node of the lattice on."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.recoding.checking import Checker
from tclose.recoding.peel.closeness import Closeness, Kinds
from tclose.recoding.problem import Codes, Floats, Problem

MOST_WORK = 30_000_000
"""So many combinations of quasi-identifiers are looked at, over all nodes, before nodes are left out."""
_MOST_DRAWN = 6000


@dataclass(frozen=True)
class Visits:
    """The nodes that are visited, cheapest first, and the node of each value on each level."""

    nodes: NDArray[np.int64]
    node_of: Codes


def visits(problem: Problem, most: int) -> Visits:
    """Return the nodes to visit, at most so many; of very many, levels in between are left out."""
    columns = [list(range(quasi.lowest, quasi.top + 1)) for quasi in problem.quasi]
    costs = [_level_costs(problem, at) for at in range(len(problem.quasi))]
    while np.prod([float(len(levels)) for levels in columns]) > most:
        longest = max(range(len(columns)), key=lambda at: len(columns[at]))
        if len(columns[longest]) <= 2:
            break
        levels = columns[longest]
        inner = range(1, len(levels) - 1)
        dense = min(inner, key=lambda at: costs[longest][levels[at + 1]] - costs[longest][levels[at - 1]])
        levels.pop(dense)
    nodes = _products(columns)
    cost = sum(weight * costs[at][nodes[:, at]] for at, weight in enumerate(problem.weights))
    order = np.lexsort((*nodes.T[::-1], np.round(np.asarray(cost), 12)))
    if len(order) > most:
        order = order[np.unique(np.linspace(0, len(order) - 1, most).astype(np.int64))]
    tallest = max(len(quasi.levels) for quasi in problem.quasi)
    widest = max(len(quasi.values) for quasi in problem.quasi)
    node_of = np.zeros((len(problem.quasi), tallest, widest), dtype=np.int32)
    for at, quasi in enumerate(problem.quasi):
        for level, found in enumerate(quasi.levels):
            node_of[at, level, : len(quasi.values)] = found.nodes
    return Visits(np.ascontiguousarray(nodes[order]), node_of)


def _products(columns: list[list[int]]) -> NDArray[np.int64]:
    sizes = [len(levels) for levels in columns]
    if np.prod([float(size) for size in sizes]) <= 1_000_000:
        return np.array(list(itertools.product(*columns)), dtype=np.int64).reshape(-1, len(columns))
    bottom = np.array([levels[0] for levels in columns])
    top = np.array([levels[-1] for levels in columns])
    draws = np.random.default_rng(0).random((_MOST_DRAWN, len(columns)))
    height = np.linspace(0.0, 1.0, _MOST_DRAWN)[:, np.newaxis]
    sampled = np.where(draws < height, top, bottom)
    return np.unique(np.concatenate([sampled, [bottom], [top]]), axis=0)


def _level_costs(problem: Problem, column: int) -> Floats:
    """Return the mean LM of publishing a column on each level."""
    quasi = problem.quasi[column]
    rows = np.bincount(problem.codes[:, column], weights=problem.counts, minlength=len(quasi.values))
    return np.array([np.average(level.costs[level.nodes], weights=rows) for level in quasi.levels])


@dataclass(frozen=True)
class PeelSettings:
    """What decides which rows make up a part of a class.

    Rows are preferred whose kind would else stay behind here in great numbers (``near``) or is
    plentiful in all that is left (``far``). With ``carved``, rows are taken away from the class until the rest is
    close; else a part is built up from each kind's due share. The first suits lines, the second trees.
    """

    near: float
    far: float
    carved: bool
    nodes: int
    """How many nodes are visited at most: with more, more is released early, and what is left is harder to place."""
    shuffled: int = 0
    """Which order the combinations of quasi-identifiers are taken in; 0 is their own."""


@dataclass
class Peeled:
    """What has been released so far, piece by piece, and how many rows of each distinct row are left."""

    left: Integers
    rows: list[Integers] = field(default_factory=list)
    classes: list[Integers] = field(default_factory=list)
    counts: list[Integers] = field(default_factory=list)
    number: int = 0

    def pieces(self) -> tuple[Integers, Integers, Integers]:
        """Return the rows, classes and counts of all pieces."""
        none = np.zeros(0, dtype=np.int64)
        return (
            np.concatenate([none, *self.rows]),
            np.concatenate([none, *self.classes]),
            np.concatenate([none, *self.counts]),
        )


class Peeler:
    """Peels the rows of one problem; what does not change between attempts is made once."""

    def __init__(self, problem: Problem, *, whole: bool) -> None:
        self.problem = problem
        self.whole = whole
        self._visits: dict[int, Visits] = {}
        self.kinds = Kinds.of(problem)
        self.numbers, self.codes = problem.tuples
        self.starts = np.searchsorted(self.numbers, np.arange(len(self.codes) + 1))
        self.checker = Checker.of(problem)
        self.loop_decides = all(
            task.model.key == "t" or task.model.least_size(each.threshold) is not None
            for task in problem.tasks
            for each in task.requirements
        )

    def peel(self, close: Closeness, settings: PeelSettings, left: Integers, tell: Callable[[float], None]) -> Peeled:
        """Release the close parts of what is left, node by node; tell which share of the nodes is behind."""
        from tclose.recoding.peel.loops import propose

        done = Peeled(left.copy())
        pool = np.bincount(self.kinds.of_row, weights=left, minlength=len(self.kinds.shares)).astype(np.int64)
        alive, living = self._order(settings.shuffled), np.add.reduceat(left, self.starts[:-1])
        out = [np.empty(len(left) + 1, dtype=np.int64) for _ in range(3)]
        path = self.visits(settings.nodes)
        node, work = 0, MOST_WORK
        while node < len(path.nodes):
            levels = path.nodes[node]
            tell(node / len(path.nodes))
            alive = alive[living[alive] > 0]
            if len(alive) == 0:
                break
            work -= len(alive)
            node = _following(node, len(path.nodes) - 1, len(alive), work)
            pieces, classes = propose(
                alive, self.codes, path.node_of, levels, self.starts, done.left, self.kinds.of_row,
                self.kinds.ranks, self.kinds.shares, pool, settings.near, settings.far, self.problem.k,
                self.whole, settings.carved, close.heights, close.sizes, close.cells, close.expected, close.weights,
                close.limits, *out,
            )  # fmt: skip
            if classes:
                rows, of_class, counts = (array[:pieces].copy() for array in out)
                self._release(done, pool, rows, of_class, counts, classes)
                np.subtract.at(living, self.numbers[done.rows[-1]], done.counts[-1])
        return done

    def visits(self, most: int) -> Visits:
        """Return the nodes to visit, at most so many."""
        if most not in self._visits:
            self._visits[most] = visits(self.problem, most)
        return self._visits[most]

    def _order(self, shuffled: int) -> Integers:
        if not shuffled:
            return np.arange(len(self.codes))
        return np.random.default_rng([self.problem.seed, shuffled]).permutation(len(self.codes))

    def _release(
        self, done: Peeled, pool: Integers, rows: Integers, classes: Integers, counts: Integers, number: int
    ) -> None:
        """Take in the proposed classes, but for those that a requirement beyond the loop's own refuses."""
        if not self.loop_decides:
            passed = ~self.checker.failing(rows, classes, counts, number)
            kept = passed[classes]
            np.add.at(pool, self.kinds.of_row[rows[~kept]], counts[~kept])
            rows, counts = rows[kept], counts[kept]
            classes = (np.cumsum(passed) - 1)[classes[kept]]
            number = int(passed.sum())
        done.left[rows] -= counts
        done.rows.append(rows)
        done.classes.append(classes + done.number)
        done.counts.append(counts)
        done.number += number


def _following(node: int, last: int, alive: int, work: int) -> int:
    """Return the node to visit next, so that the work that is left suffices; the coarsest is always visited."""
    step = max(1, -(-(last - node) * alive // max(work, 1)))
    return node + 1 if node == last else min(node + step, last)
