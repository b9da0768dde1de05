"""What a method returns: which rows make a class, and what each class publishes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.problem import Codes, Floats, Problem, Quasi, coarsest, numbered, top_nodes
from tclose.errors import InternalError, Note
from tclose.models import kernels
from tclose.models.counts import Integers

# Rows dealt to their classes: each to the next free place of its class, in the order in which they come.


def in_classes(classes: Integers, number: int) -> tuple[Integers, Integers]:
    """Return the places of pieces class by class, those of none (−1) left out, and where each class begins and ends."""
    sizes = np.bincount(classes[classes >= 0], minlength=number)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    placed = np.empty(starts[-1], dtype=np.int64)
    kernels.counting.deal(np.ascontiguousarray(classes), starts[:-1].copy(), np.arange(len(classes)), placed)
    return placed, starts


INTERVAL = -1
"""Stands instead of a level where a class publishes an interval of values."""


@dataclass(frozen=True)
class Cells:
    """What each class publishes of each quasi-identifier; arrays of classes × quasi-identifiers.

    Where ``levels`` is a level, ``first`` is a node on it; where it is :data:`INTERVAL`, the cell is the interval
    from the value ``first`` to the value ``last``.
    """

    levels: NDArray[np.int16]
    first: Codes
    last: Codes


@dataclass(frozen=True)
class Partition:
    """Rows put into classes: piece by piece, because a distinct row may be divided among classes."""

    rows: Integers
    """Which distinct row of the problem each piece is of."""
    classes: Integers
    """The class each piece belongs to, from 0; −1 where it is left out of the release."""
    counts: Integers
    """How many rows of the table each piece stands for."""
    cells: Cells
    levels: tuple[int, ...] | None = None
    """The level of each quasi-identifier, where all classes share it (full-domain)."""
    left_out_sizes: Integers | None = None
    """The sizes of the classes that were left out as a whole (full-domain)."""
    notes: tuple[Note, ...] = ()
    """What the method promises of this release, in sentences."""

    @property
    def number(self) -> int:
        """How many classes there are."""
        return len(self.cells.levels)

    def suppressed(self) -> int:
        """Return how many rows are left out."""
        return int(self.counts[self.classes < 0].sum())

    def sizes(self) -> Integers:
        """Return the size of each class."""
        kept = self.classes >= 0
        sizes = np.zeros(self.number, dtype=np.int64)
        np.add.at(sizes, self.classes[kept], self.counts[kept])
        return sizes


def hulls(problem: Problem, rows: Integers, classes: Integers, number: int) -> Cells:
    """Return the finest cells that cover the rows of each class; every class must have rows.

    Parameters
    ----------
    problem
        The rows and the hierarchies.
    rows, classes
        Pieces: a distinct row and the class it belongs to; pieces of no class (−1) are ignored.
    number
        How many classes there are.
    """
    placed, bounds = in_classes(classes, number)
    rows, starts = rows[placed], bounds[:-1]
    if (np.diff(bounds) == 0).any():
        raise InternalError("A class without rows was to be published.")
    shape = (number, len(problem.quasi))
    cells = Cells(np.zeros(shape, dtype=np.int16), np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32))
    for column, quasi in enumerate(problem.quasi):
        codes = problem.codes[rows, column]
        if number:
            _hull(quasi, codes, starts, cells, column)
    return cells


def _hull(quasi: Quasi, codes: Codes, starts: Integers, cells: Cells, column: int) -> None:
    """Fill in one column of cells: intervals where the values lie on a line, else common ancestors."""
    levels = np.full(len(starts), -2, dtype=np.int16)
    for at in range(quasi.lowest, len(quasi.levels)):
        nodes = quasi.levels[at].nodes[codes]
        low, high = np.minimum.reduceat(nodes, starts), np.maximum.reduceat(nodes, starts)
        settled = (levels == -2) & (low == high)
        levels[settled] = at
        cells.first[settled, column] = cells.last[settled, column] = low[settled]
        if at == quasi.lowest and quasi.places is not None:
            _intervals(quasi, codes, starts, levels, cells, column)
    if (levels > quasi.top).any():
        raise InternalError("A class reaches beyond the level that its quasi-identifier is limited to.")
    cells.levels[:, column] = levels


def _intervals(
    quasi: Quasi, codes: Codes, starts: Integers, levels: NDArray[np.int16], cells: Cells, column: int
) -> None:
    """Fill in intervals for classes whose values all lie on the line and within a node of the top level."""
    first, last = quasi.interval_ends
    low, high = first[np.minimum.reduceat(codes, starts)], last[np.maximum.reduceat(codes, starts)]
    places = quasi.places if quasi.places is not None else np.zeros(0)
    tops = quasi.levels[quasi.top].nodes
    open_ended = (levels == -2) & (high < len(places)) & (tops[low] == tops[high])
    levels[open_ended] = INTERVAL
    cells.first[open_ended, column] = low[open_ended]
    cells.last[open_ended, column] = high[open_ended]


def cell_costs(problem: Problem, cells: Cells) -> Floats:
    """Return the loss LM of every cell: classes × quasi-identifiers."""
    costs = np.zeros(cells.levels.shape, dtype=np.float64)
    for column, quasi in enumerate(problem.quasi):
        levels = cells.levels[:, column]
        for at, level in enumerate(quasi.levels):
            here = levels == at
            costs[here, column] = level.costs[cells.first[here, column]]
        if quasi.places is not None:
            here = levels == INTERVAL
            ends = quasi.places[cells.last[here, column]] - quasi.places[cells.first[here, column]]
            costs[here, column] = ends
    return costs


def kept_detail(problem: Problem, partition: Partition) -> float:
    """Return 1 − the mean LM over all cells, by the weights of the columns; rows left out are fully lost."""
    costs = (cell_costs(problem, partition.cells) * problem.weights).sum(axis=1)
    return float(((1.0 - costs) * partition.sizes()).sum() / problem.rows)


def levelled(problem: Problem) -> Partition:
    """Return the release of all rows in which every quasi-identifier is on the coarsest level that it may be on."""
    classes, number = coarsest(problem)
    first = np.zeros(number, dtype=np.int64)
    first[classes[::-1]] = np.arange(len(classes))[::-1]
    nodes = top_nodes(problem)[first]
    levels = tuple(each.top for each in problem.quasi)
    cells = Cells(np.tile(np.array(levels, dtype=np.int16), (number, 1)), nodes, nodes)
    return Partition(np.arange(len(classes)), classes, problem.counts, cells, levels)


def finest(problem: Problem) -> Partition:
    """Return the release of all rows in which every quasi-identifier is on the finest level that it may be on."""
    columns = [quasi.levels[quasi.lowest].nodes[problem.codes[:, at]] for at, quasi in enumerate(problem.quasi)]
    nodes = np.stack(columns, axis=1)
    classes = numbered(nodes)
    _, first = np.unique(classes, return_index=True)
    levels = tuple(quasi.lowest for quasi in problem.quasi)
    cells = Cells(np.tile(np.array(levels, dtype=np.int16), (len(first), 1)), nodes[first], nodes[first])
    return Partition(np.arange(len(classes)), classes, problem.counts, cells, levels)


def published(partition: Partition) -> Partition:
    """Return the partition as a reader of the release sees it: classes that publish the same cells are one."""
    cells = partition.cells
    together = np.concatenate([cells.levels.astype(np.int32) + 1, cells.first, cells.last], axis=1)
    number_of = numbered(together)
    if len(number_of) == 0 or int(number_of.max()) + 1 == len(number_of):
        return partition
    first = np.unique(number_of, return_index=True)[1]
    kept = partition.classes >= 0
    classes = np.where(kept, number_of[np.where(kept, partition.classes, 0)], -1)
    return replace(partition, classes=classes, cells=Cells(cells.levels[first], cells.first[first], cells.last[first]))


def without_whole_lines(problem: Problem, partition: Partition) -> Partition:
    """Return the partition with nodes in the place of intervals that have no end, because they reach over a line."""
    cells = partition.cells
    levels, first, last = cells.levels.copy(), cells.first.copy(), cells.last.copy()
    for at, quasi in enumerate(problem.quasi):
        if quasi.steps is None or quasi.steps.grid.outer is not None:
            continue
        end = len(quasi.steps.of) - 1
        whole = (levels[:, at] == INTERVAL) & (first[:, at] == 0) & (last[:, at] == end)
        level = next(each for each, of in enumerate(quasi.levels) if of.nodes[0] == of.nodes[end])
        levels[whole, at] = level
        first[whole, at] = last[whole, at] = quasi.levels[level].nodes[0]
    return replace(partition, cells=Cells(levels, first, last))


def with_all_rows(problem: Problem, partition: Partition) -> Partition:
    """Return the partition with those rows, too, that count for values alone, where it leaves them out of account."""
    missing = np.ones(len(problem.counts), dtype=bool)
    missing[partition.rows] = False
    if problem.masses is None or not missing.any():
        return partition
    class_of = np.full(len(problem.tuples[1]), -1, dtype=np.int64)
    class_of[problem.tuples[0][partition.rows]] = partition.classes
    rows = np.flatnonzero(missing)
    return replace(
        partition,
        rows=np.append(partition.rows, rows),
        classes=np.append(partition.classes, class_of[problem.tuples[0][rows]]),
        counts=np.append(partition.counts, problem.counts[rows]),
    )


def check_whole(problem: Problem, partition: Partition) -> None:
    """Refuse a partition that loses or doubles rows."""
    found = np.zeros(len(problem.counts), dtype=np.int64)
    np.add.at(found, partition.rows, partition.counts)
    if not np.array_equal(found, problem.counts) or (partition.counts < 0).any():
        raise InternalError("A method lost or doubled rows.")
