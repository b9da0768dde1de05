"""Where parts may be cut along one axis: between values of a line, or between the children of a node."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.recoding.boxes import Axis, Boxes
from tclose.recoding.mondrian.counting import piece_boxes
from tclose.recoding.problem import Codes, Problem

SHARES = 10
"""A line is cut after one tenth of a part's rows, two tenths, …, and in the middle of its width."""
MOST_CHILDREN = 32
"""At most this many children of a node become parts of their own at once; the smaller ones stay together."""
MOST_ALONE = 16
"""At most this many children are tried alone against all the others."""


@dataclass(frozen=True)
class Parts:
    """Parts that may still be cut, and their rows: part p has ``starts[p]:starts[p + 1]`` of every order."""

    starts: Integers
    sizes: Integers
    """How many rows of the table each part has."""
    low: Codes
    high: Codes
    """The box of each part: parts × axes."""
    by_axis: tuple[Integers, ...]
    """The distinct rows in the order of each axis."""
    by_value: tuple[Integers, ...]
    """The distinct rows in the order of each sensitive attribute."""

    @property
    def number(self) -> int:
        """How many parts there are."""
        return len(self.sizes)


@dataclass(frozen=True)
class Pieces:
    """What cuts make of parts: of the labels of its part, a piece has those from begin to end, or all the others."""

    cut: Integers
    part: Integers
    begin: Integers
    end: Integers
    outside: NDArray[np.bool_]


@dataclass(frozen=True)
class Cuts:
    """Ways to cut parts along one axis, part by part.

    The rows of a part are labelled 0, 1, …; a cut takes some labels apart from the others, or all from each other.
    """

    labels: Codes
    """The label of each distinct row of the problem; of no meaning for rows of other parts."""
    slots: Integers
    """Where the labels of each part begin among the labels of all parts."""
    slot_sizes: Integers
    slot_low: Codes
    slot_high: Codes
    part: Integers
    """The part that each cut is of, ascending."""
    begin: Integers
    """The first label that goes apart; −1 if every label does."""
    end: Integers

    @cached_property
    def widths(self) -> Integers:
        """How many labels each part has."""
        return np.diff(self.slots)

    @cached_property
    def pieces(self) -> Pieces:
        """The pieces of every cut, cut by cut."""
        every = self.begin < 0
        cut, within = counted_up(np.where(every, self.widths[self.part], 2))
        every = every[cut]
        return Pieces(
            cut,
            self.part[cut],
            np.where(every, within, self.begin[cut]),
            np.where(every, within + 1, self.end[cut]),
            ~every & (within == 1),
        )

    def boxed(self) -> tuple[Integers, Codes, Codes]:
        """Return the size and the box of each piece."""
        pieces = self.pieces
        number, axes = len(pieces.cut), self.slot_low.shape[1]
        sizes = np.zeros(number, dtype=np.int64)
        low = np.full((number, axes), np.iinfo(np.int32).max, dtype=np.int32)
        high = np.full((number, axes), -1, dtype=np.int32)
        piece_boxes(
            pieces.part, pieces.begin, pieces.end, pieces.outside, self.slots, self.slot_sizes,
            self.slot_low.ravel(), self.slot_high.ravel(), axes, sizes, low.ravel(), high.ravel(),
            work=4 * axes * (number + len(self.slot_sizes)),
        )  # fmt: skip
        return sizes, low, high


def counted_up(numbers: Integers) -> tuple[Integers, Integers]:
    """Return, for things of which there are so many of each kind, the kind of each thing and its place within it."""
    kind = np.repeat(np.arange(len(numbers)), numbers)
    return kind, np.arange(len(kind)) - np.repeat(np.cumsum(numbers) - numbers, numbers)


@dataclass(frozen=True)
class _Runs:
    """Stretches of rows in the order of an axis that have the same label."""

    starts: Integers
    part: Integers
    label: Integers


def cuts_along(problem: Problem, boxes: Boxes, parts: Parts, axis: int) -> Cuts:
    """Return the cuts of parts along an axis that leave at least k rows in every piece.

    Parameters
    ----------
    problem, boxes
        The rows, and where they lie.
    parts
        The parts; each is of one compartment.
    axis
        The number of the axis.
    """
    order = parts.by_axis[axis]
    running = np.concatenate([[0], np.cumsum(problem.counts[order])])
    runs_of = _line_runs if boxes.axes[axis].is_line else _tree_runs
    runs, alone = runs_of(boxes.axes[axis], parts, boxes.positions[order, axis], running, (axis, problem.k))
    labels = np.zeros(len(problem.counts), dtype=np.int32)
    labels[order] = np.repeat(runs.label, np.diff(np.append(runs.starts, len(order))))
    widths = np.zeros(parts.number, dtype=np.int64)
    np.maximum.at(widths, runs.part, runs.label + 1)
    slots = np.concatenate([[0], np.cumsum(widths)])
    slot = slots[runs.part] + runs.label
    by_slot = np.argsort(slot, kind="stable")
    first = np.searchsorted(slot[by_slot], np.arange(slots[-1]))
    positions = boxes.positions[order]
    low = np.minimum.reduceat(positions, runs.starts, axis=0)[by_slot]
    high = np.maximum.reduceat(positions, runs.starts, axis=0)[by_slot]
    sizes = np.diff(running[np.append(runs.starts, len(order))])[by_slot]
    part, begin, end = _tree_cuts(widths, alone) if alone is not None else _line_cuts(widths)
    return Cuts(
        labels, slots, np.add.reduceat(sizes, first), np.minimum.reduceat(low, first, axis=0),
        np.maximum.reduceat(high, first, axis=0), part, begin, end,
    )  # fmt: skip


def _line_cuts(widths: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the part, begin and end of the cuts after each label but the last."""
    part, within = counted_up(widths - 1)
    return part, np.zeros(len(part), dtype=np.int64), within + 1


def _tree_cuts(widths: Integers, alone: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the part, begin and end of the cuts of single labels from the others, and of all from each other."""
    singles = np.where(widths == 2, 1, np.where(widths > 2, np.minimum(alone, MOST_ALONE), 0))
    part, within = counted_up(singles + (widths > 2))
    every = within == singles[part]
    return part, np.where(every, -1, within), np.where(every, -1, within + 1)


def _line_runs(
    axis: Axis, parts: Parts, positions: Codes, running: Integers, numbers: tuple[int, int]
) -> tuple[_Runs, None]:
    """Return the runs between cuts of lines, and None."""
    column, k = numbers
    starts, ends = parts.starts[:-1], parts.starts[1:]
    live = np.flatnonzero((parts.low[:, column] < parts.high[:, column]) & (parts.sizes >= 2 * k))
    changes = np.ones(len(positions) + 1, dtype=bool)
    changes[1:-1] = positions[1:] != positions[:-1]
    changes[starts] = True
    change = np.flatnonzero(changes)
    steps = np.arange(1, SHARES)
    targets = running[starts[live]][:, np.newaxis] + -(-parts.sizes[live][:, np.newaxis] * steps // SHARES)
    after = np.searchsorted(change, np.searchsorted(running, targets.ravel()))
    middles = parts.low[live, column], parts.high[live, column]
    middle = (axis.first[middles[0]] + axis.last[middles[1]]) / 2
    part_of = np.repeat(np.arange(parts.number), ends - starts)
    halves = np.searchsorted(4.0 * part_of + axis.last[positions], 4.0 * live + middle, side="right")
    halves = change[np.searchsorted(change, halves)]
    found = np.unique(np.concatenate([change[after], change[after - 1], halves]))
    part = np.searchsorted(parts.starts, found, side="right") - 1
    inside = part < parts.number
    found, part = found[inside], part[inside]
    fits = (running[found] - running[starts[part]] >= k) & (running[ends[part]] - running[found] >= k)
    run_starts = np.union1d(starts, found[fits])
    run_part = np.searchsorted(parts.starts, run_starts, side="right") - 1
    first = np.searchsorted(run_starts, starts)
    return _Runs(run_starts, run_part, np.arange(len(run_starts)) - first[run_part]), None


def _tree_runs(
    axis: Axis, parts: Parts, positions: Codes, running: Integers, numbers: tuple[int, int]
) -> tuple[_Runs, Integers]:
    """Return the runs of children of each part's node, and how many children have a label of their own."""
    column, k = numbers
    levels = axis.levels(parts.low[:, column], parts.high[:, column])
    levels[(levels <= axis.quasi.lowest) | (parts.sizes < 2 * k)] = 0
    lengths = np.diff(parts.starts)
    level_of = np.repeat(levels, lengths)
    child = np.zeros(len(positions), dtype=np.int32)
    for level in range(axis.quasi.lowest + 1, len(axis.nodes)):
        here = level_of == level
        child[here] = axis.nodes[level - 1][positions[here]]
    changes = np.ones(len(positions), dtype=bool)
    changes[1:] = child[1:] != child[:-1]
    changes[parts.starts[:-1]] = True
    starts = np.flatnonzero(changes)
    part = np.searchsorted(parts.starts, starts, side="right") - 1
    sizes = np.diff(running[np.append(starts, len(positions))])
    label, alone = _children(part, sizes, parts, k)
    return _Runs(starts, part, label), alone


def _children(part: Integers, sizes: Integers, parts: Parts, k: int) -> tuple[Integers, Integers]:
    """Return the label of each child, larger children first, and how many have a label of their own.

    Children of less than k rows share the last label; the smallest other joins them where they are too few.
    """
    by_size = np.lexsort((-sizes, part))
    rank = np.empty(len(part), dtype=np.int64)
    rank[by_size] = np.arange(len(part)) - np.searchsorted(part, np.arange(parts.number))[part]
    own = (sizes >= k) & (rank < MOST_CHILDREN)
    alone = np.bincount(part[own], minlength=parts.number)
    together = parts.sizes - np.bincount(part[own], weights=sizes[own], minlength=parts.number).astype(np.int64)
    alone -= (together > 0) & (together < k) & (alone > 0)
    return np.minimum(rank, alone[part]), alone
