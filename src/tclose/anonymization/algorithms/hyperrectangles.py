"""Boxes: each quasi-identifier as an axis on which every node is a stretch, and what a box of stretches costs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tclose.anonymization.algorithms.problem import Codes, Floats, Problem, Quasi, numbered
from tclose.models import kernels
from tclose.models.counts import Integers


@dataclass(frozen=True)
class Axis:
    """The values of a quasi-identifier in an order that keeps the values of every node together.

    On a line (intervals may be published) that is the order of the values themselves.
    """

    quasi: Quasi
    position_of: Codes
    """The position of each value."""
    nodes: tuple[Codes, ...]
    """The node of each position, level by level."""
    first: Floats
    """On a line: the place where the interval of a class begins that has this position as its lowest."""
    last: Floats

    @staticmethod
    def of(quasi: Quasi) -> Axis:
        """Return the axis of a quasi-identifier."""
        values = len(quasi.values)
        if quasi.places is not None:
            first, last = _ends(quasi, quasi.places)
            return Axis(quasi, np.arange(values, dtype=np.int32), tuple(x.nodes for x in quasi.levels), first, last)
        order = np.lexsort([level.nodes for level in quasi.levels])
        position_of = np.empty(values, dtype=np.int32)
        position_of[order] = np.arange(values, dtype=np.int32)
        nothing = np.zeros(0)
        return Axis(quasi, position_of, tuple(level.nodes[order] for level in quasi.levels), nothing, nothing)

    @property
    def is_line(self) -> bool:
        """Whether classes publish intervals."""
        return self.quasi.places is not None

    @cached_property
    def costs_at(self) -> tuple[Floats, ...]:
        """The loss of the node of each position, level by level."""
        return tuple(level.costs[nodes] for level, nodes in zip(self.quasi.levels, self.nodes, strict=True))

    def levels(self, low: Codes, high: Codes) -> Integers:
        """Return the finest level that may be published on which the nodes of two positions are the same."""
        found = np.full(len(low), len(self.nodes) - 1, dtype=np.int64)
        for level in range(len(self.nodes) - 2, self.quasi.lowest - 1, -1):
            nodes = self.nodes[level]
            found[nodes[low] == nodes[high]] = level
        return found

    @cached_property
    def from_lowest(self) -> tuple[Codes, Floats]:
        """The node of each position and its loss, level after level from the finest that may be published."""
        lowest = self.quasi.lowest
        return np.concatenate(self.nodes[lowest:]).astype(np.int32), np.concatenate(self.costs_at[lowest:])

    def add_losses(self, low: Codes, high: Codes, weight: float, losses: Floats) -> None:
        """Add the weighted loss LM of classes that reach from one position to another."""
        places = 0 if self.quasi.places is None else len(self.quasi.places)
        ends = (np.ascontiguousarray(low), np.ascontiguousarray(high))
        kernels.partitions.add_losses(
            *ends, *self.from_lowest, len(self.nodes[0]), places, self.first, self.last, weight, losses
        )


def _ends(quasi: Quasi, places: Floats) -> tuple[Floats, Floats]:
    """Return where an interval begins and ends that reaches from or to each value; a missing value lies outside."""
    placed = np.concatenate([places, np.full(len(quasi.values) - len(places), 2.0)])
    first, last = quasi.interval_ends
    return placed[first], placed[last]


@dataclass(frozen=True)
class Boxes:
    """The axes of a problem, and where each distinct row lies on them."""

    axes: tuple[Axis, ...]
    positions: Codes
    """Distinct rows × axes."""
    weights: Floats
    compartments: Integers
    """The number of the compartment of each distinct row: rows of different ones can never be in one class."""

    @staticmethod
    def of(problem: Problem) -> Boxes:
        """Return the boxes of a problem."""
        axes = tuple(Axis.of(quasi) for quasi in problem.quasi)
        shape = (len(problem.counts), len(axes))
        positions, tops = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
        for column, axis in enumerate(axes):
            codes = problem.codes[:, column]
            positions[:, column] = axis.position_of[codes]
            tops[:, column] = axis.quasi.levels[axis.quasi.top].nodes[codes]
        return Boxes(axes, positions, problem.weights, numbered(tops))

    def losses(self, low: Codes, high: Codes) -> Floats:
        """Return what each row of a class loses: the weighted loss of its cells, given its box (classes × axes)."""
        losses = np.zeros(len(low))
        for column, (axis, weight) in enumerate(zip(self.axes, self.weights.tolist(), strict=True)):
            axis.add_losses(low[:, column], high[:, column], weight, losses)
        return losses
