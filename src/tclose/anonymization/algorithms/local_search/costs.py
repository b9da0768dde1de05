"""What the cells of each column cost in the loss that is minimised, as arrays for the kernel.

Losses that add up cell by cell (LM, GCP, entropy) are meant exactly, precision but for the steps at which intervals
end, ARX's loss by its slope, and others by LM. Whatever the search goes by, the loss itself decides in the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tclose.anonymization.algorithms.hyperrectangles import Axis, Boxes
from tclose.anonymization.algorithms.losses.cells import (
    losses_by_column,
    node_bits,
    node_penalties,
    runs_on,
    tallest,
    value_counts,
)
from tclose.anonymization.algorithms.partition import Partition
from tclose.anonymization.algorithms.problem import Codes, Floats, Problem
from tclose.models.counts import Integers

# What the search by moves hands to its kernel, whose classes of the same fields say what each array holds.


TREE, LINE, BITS = 0, 1, 2
"""What the cells of a column cost: by their node; where intervals are published, their width, or its logarithm."""


class Shapes(NamedTuple):
    """What cells cost: the fields of :class:`tclose.models.kernels.annealing.Costs`."""

    columns: Integers
    nodes: Codes
    costs: Floats
    line: Floats
    scales: Floats
    stretch_of: Integers
    stretches: Codes
    pairs: Floats


class Limits(NamedTuple):
    """What classes must meet as far as the kernel knows: the fields of ``annealing.Limits``."""

    attributes: Integers
    cells: Floats
    bounds: Floats
    least: int


class Crowd(NamedTuple):
    """Rows that move together: the fields of :class:`tclose.models.kernels.annealing.Units`."""

    positions: Codes
    weights: Integers
    mass: Floats
    alone: Floats


class Plan(NamedTuple):
    """How a region is searched: round by round the temperature, and what a row beyond a limit costs."""

    heat: Floats
    strictness: Floats
    seed: int
    once: bool
    """Whether a class takes part in one move at the most, so that each move can be judged by itself."""
    full: float
    """What a row loses that is left out."""


FEW_POSITIONS = 128
"""Up to so many positions, each one of a column is a stretch of its own."""
MOST_STRETCHES = 16
"""Those of another column are taken together in so many stretches of neighbours, about as many in each: what a class
would cost at the least with one of them is known at once, and what exactly is found out where that is little enough."""


@dataclass(frozen=True)
class Column:
    """What the cells of one column cost."""

    kind: int
    nodes: Codes
    """The node of each position, level by level from the finest that may be published."""
    costs: Floats
    on_line: int
    first: Floats
    last: Floats
    top: int
    """The coarsest level that may be published."""
    scale: float

    def at(self, positions: Codes) -> Column:
        """Return the column with these positions only, in this order."""
        line = int(np.searchsorted(positions, self.on_line))
        return Column(
            self.kind, self.nodes[:, positions], self.costs[:, positions], line, self.first[positions],
            self.last[positions], self.top, self.scale,
        )  # fmt: skip


def columns_of(problem: Problem, boxes: Boxes, loss: str, start: Partition | None = None) -> tuple[Column, ...]:
    """Return what the cells of each column cost.

    Parameters
    ----------
    problem, boxes
        The rows and their axes.
    loss
        The key of the loss that is minimised.
    start
        Where the search begins, by which the columns of a loss that is not a sum of cells are weighed.
    """
    weights = _weights(problem, loss, start)
    return tuple(_column(problem, axis, at, loss, float(weights[at])) for at, axis in enumerate(boxes.axes))


def _weights(problem: Problem, loss: str, start: Partition | None) -> Floats:
    """Return the weight of each column, one on average, so that temperatures mean the same in every loss."""
    number = len(problem.quasi)
    if loss == "precision":
        return np.ones(number)
    if loss in ("nue", "nue_share"):
        return np.full(number, 1.0 / max(float(np.log2(problem.rows)), 1.0))
    weights = problem.weights
    if loss == "arx" and start is not None:
        weights = weights / (1.0 + np.array(list(losses_by_column(problem, start).values())))
    return np.asarray(weights * number / weights.sum())


def _column(problem: Problem, axis: Axis, at: int, loss: str, weight: float) -> Column:
    quasi = axis.quasi
    levels = range(quasi.lowest, len(quasi.levels))
    nodes = np.stack([axis.nodes[level] for level in levels])
    values, top = len(quasi.values), quasi.top - quasi.lowest
    line = len(quasi.places) if quasi.places is not None else 0
    kind, first, last = (LINE, axis.first, axis.last) if line else (TREE, np.zeros(values), np.zeros(values))
    if loss == "precision":
        if line:
            nodes = np.stack([runs_on(quasi, level) for level in levels])
            nodes[-1] = 0
        costs = np.stack([np.full(values, level / tallest(quasi)) for level in levels])
        return Column(TREE, nodes, weight * costs, 0, first, last, top, weight)
    if loss in ("nue", "nue_share"):
        counts = value_counts(problem, at)
        by_node = [node_bits(quasi, level, counts) for level in levels]
        if line:
            running, ends = np.concatenate([[0.0], np.cumsum(counts)]), quasi.interval_ends
            kind, first, last = BITS, running[ends[0]], running[ends[1] + 1]
    elif loss == "gcp":
        by_node = [node_penalties(quasi, level) for level in levels]
    else:
        by_node = [quasi.levels[level].costs for level in levels]
    costs = np.stack([of_node[axis.nodes[level]] for of_node, level in zip(by_node, levels, strict=True)])
    return Column(kind, nodes, weight * costs, line, first, last, top, weight)


def shapes_of(columns: Sequence[Column]) -> Shapes:
    """Return the columns in the form that the kernel reads."""
    begin = end = first = pairs = 0
    described, stretch_of, stretches = [], [], []
    for column in columns:
        height, span = column.nodes.shape
        few = span <= FEW_POSITIONS
        number = span if few else min(span, MOST_STRETCHES)
        starts = np.arange(number) * span // number
        described.append(
            (column.kind, span, height, begin, column.on_line, end, column.top, first, number, pairs if few else -1)
        )
        pairs += span * span * few
        stretch_of.append(first + np.repeat(np.arange(number), np.diff(starts, append=span)))
        stretches.append(np.stack([starts, np.append(starts[1:], span) - 1], axis=1))
        begin, end, first = begin + height * span, end + span, first + number
    return Shapes(
        np.array(described, dtype=np.int64),
        np.concatenate([column.nodes.ravel() for column in columns]).astype(np.int32),
        np.concatenate([column.costs.ravel() for column in columns]),
        np.concatenate([np.stack([column.first, column.last], axis=1) for column in columns]),
        np.array([column.scale for column in columns]),
        np.concatenate(stretch_of),
        np.concatenate(stretches).astype(np.int32),
        np.zeros(pairs),
    )
