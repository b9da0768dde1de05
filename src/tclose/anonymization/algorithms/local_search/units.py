"""Units: rows that move together, with what they add to the cells of each sensitive attribute."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tclose.anonymization.algorithms.closeness import Closeness
from tclose.anonymization.algorithms.hyperrectangles import Boxes
from tclose.anonymization.algorithms.local_search.costs import Crowd, Limits
from tclose.anonymization.algorithms.partition import Partition, hulls
from tclose.anonymization.algorithms.problem import Codes, Problem, numbered
from tclose.models.counts import Integers

MOST_NODES = 256
"""Of a tree with more nodes the rarest count as one that nobody has: no class is then farther than it seems."""


@dataclass(frozen=True)
class Units:
    """Rows that look alike and are in one class, or pieces of distinct rows where look-alikes may be divided."""

    problem: Problem
    partition: Partition
    """Where the units were in the beginning; pieces in the order of units."""
    of_piece: Integers
    starts: Integers
    positions: Codes
    weights: Integers
    classes: Integers
    """The class of each unit in the beginning; −1 where it is left out."""

    @staticmethod
    def of(problem: Problem, boxes: Boxes, partition: Partition, *, whole: bool) -> Units:
        """Return the units of a partition; with ``whole``, rows that look alike are one unit in each class."""
        pieces = np.arange(len(partition.rows))
        if whole:
            pieces = numbered(np.stack([problem.tuples[0][partition.rows], partition.classes + 1], axis=1))
        order = np.argsort(pieces, kind="stable")
        sorted_out = replace(
            partition, rows=partition.rows[order], classes=partition.classes[order], counts=partition.counts[order]
        )
        of_piece = pieces[order]
        number = int(of_piece[-1]) + 1 if len(of_piece) else 0
        starts = np.searchsorted(of_piece, np.arange(number + 1))
        first = sorted_out.rows[starts[:-1]]
        return Units(
            problem, sorted_out, of_piece, starts, boxes.positions[first],
            np.bincount(of_piece, weights=sorted_out.counts, minlength=number).astype(np.int64),
            sorted_out.classes[starts[:-1]],
        )  # fmt: skip

    def partitioned(self, classes: Integers) -> Partition:
        """Return the partition with units in these classes, whatever their numbers; −1 leaves a unit out."""
        numbers = np.unique(classes[classes >= 0])
        own = np.where(classes >= 0, np.searchsorted(numbers, classes), -1)[self.of_piece]
        rows, counts = self.partition.rows, self.partition.counts
        return Partition(rows, own, counts, hulls(self.problem, rows, own, len(numbers)))

    def pieces_of(self, units: Integers) -> tuple[Integers, Integers]:
        """Return the pieces of some units, and the place of each piece's unit among them."""
        lengths = self.starts[units + 1] - self.starts[units]
        places = np.repeat(np.arange(len(units)), lengths)
        ends = np.cumsum(lengths)
        return np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(
            self.starts[units] - ends + lengths, lengths
        ), places


@dataclass(frozen=True)
class Masses:
    """The limits on distances, and where rows of each rank count."""

    limits: Limits
    cells: tuple[Codes, ...]
    """For each attribute, levels × ranks: the cell among all."""

    @staticmethod
    def of(problem: Problem, close: Closeness) -> Masses:
        """Return the limits in the form that the kernel reads."""
        ends, cells, expected, weights = [0], [], [], []
        for a, height in enumerate(close.heights.tolist()):
            size = int(close.sizes[a])
            own, share, cost = close.cells[a, : max(height, 1)], close.expected[a, :size], close.weights[a, :size]
            if height and size > MOST_NODES:
                frequent = np.argsort(-share, kind="stable")[: MOST_NODES - 1]
                place = np.full(size, MOST_NODES - 1, dtype=np.int32)
                place[frequent] = np.arange(MOST_NODES - 1, dtype=np.int32)
                own, share, cost = place[own], np.append(share[frequent], 0.0), np.append(cost[frequent], cost[0])
            cells.append(own + np.int32(ends[-1]))
            expected.append(share)
            weights.append(cost)
            ends.append(ends[-1] + len(share))
        bounds = np.array([ends[:-1], ends[1:], close.heights == 0], dtype=np.int64).T
        every = np.stack([np.concatenate([np.zeros(0), *expected]), np.concatenate([np.zeros(0), *weights])], axis=1)
        return Masses(Limits(np.ascontiguousarray(bounds), every, close.limits, problem.k), tuple(cells))

    def crowd(self, units: Units, chosen: Integers, positions: Codes) -> Crowd:
        """Return some units, at these positions, with what they add to each cell."""
        pieces, places = units.pieces_of(chosen)
        rows, counts = units.partition.rows[pieces], units.partition.counts[pieces]
        ranks = units.problem.ranks[rows]
        cells = len(self.limits.cells)
        width = cells + len(self.cells)
        mass = np.zeros(len(chosen) * width)
        for a, own in enumerate(self.cells):
            known = ranks[:, a] >= 0
            at, counted = places[known] * width, units.problem.valued(a, rows, counts)[known]
            mass += np.bincount(at + cells + a, counted, len(mass))
            for level in own:
                mass += np.bincount(at + level[ranks[known, a]], counted, len(mass))
        table = mass.reshape(len(chosen), width)
        for begin, end, on_line in self.limits.attributes.tolist():
            if on_line:
                table[:, begin:end] = np.cumsum(table[:, begin:end], axis=1)
        return Crowd(positions, units.weights[chosen], table, np.zeros((len(chosen), 2)))
