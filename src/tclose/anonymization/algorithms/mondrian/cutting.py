"""Cutting rows that are held here: all parts in rounds, until none can be cut."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.hyperrectangles import Boxes
from tclose.anonymization.algorithms.mondrian.cuts import Parts, Profile, Runs, Values
from tclose.anonymization.algorithms.mondrian.scoring import Chooser, Division, Judge
from tclose.anonymization.algorithms.problem import Codes, Problem
from tclose.anonymization.algorithms.threads import in_threads
from tclose.models import kernels
from tclose.models.counts import Integers

_NEARLY = 0.9
"""So much is done at the most as long as many rows are in parts that may still be cut."""
SHARE = 32_000
"""About so many distinct rows are cut to the end at a time: what is known of them fits into the cache."""
_FIRST = 0.4
"""Which share of the work it is to cut a large table into parts of so few rows."""


def cut_here(
    problem: Problem, boxes: Boxes, part_of: Integers, judge: Judge, tell: Callable[[float], None], threads: int = 1
) -> Integers:
    """Return the class of each distinct row after cutting parts until no cut is left.

    Parameters
    ----------
    problem, boxes
        The rows, and where they lie.
    part_of
        The part of each row, from 0; every part is of one compartment and meets the requirements.
    judge
        Says which cuts are allowed.
    tell
        Told which share is done: of the rows, or of the rounds that halve a table until parts have k rows.
    threads
        How many may share the work on a large table; the classes do not depend on it.
    """
    large = len(problem.counts) > 2 * SHARE
    first = _FIRST if large else 1.0
    found = _cut_down(problem, boxes, part_of, judge, lambda done: tell(first * done), SHARE if large else 0)
    classes, shares = found.classes, _shares(found.small)

    def cut(at: int) -> Integers:
        rows = shares[at]
        part = np.unique(found.small[rows], return_inverse=True)[1]
        return _cut_down(*_rows_of(problem, boxes, rows), part, judge, lambda _done: None, 0).classes

    def told(done: float) -> None:
        tell(first + (1 - first) * done)

    following = int(classes.max(initial=-1)) + 1
    for rows, own in zip(shares, in_threads(cut, [len(rows) for rows in shares], threads, told), strict=True):
        classes[rows] = following + own
        following += int(own.max(initial=-1)) + 1
    return numbered_by_first(classes)


@dataclass(frozen=True)
class _CutDown:
    """What came of rows: they are in a class, or wait in a part that is small enough to be cut by itself."""

    classes: Integers
    """The class of each row, from 0; −1 where it is in a small part."""
    small: Integers
    """The small part of each row; −1 where it is in a class."""


def _cut_down(
    problem: Problem, boxes: Boxes, part_of: Integers, judge: Judge, tell: Callable[[float], None], small: int
) -> _CutDown:
    """Cut all parts round by round, until none is left that can be cut and has more distinct rows than a small one."""
    rows, chooser = RowsHere.of(problem, boxes, part_of), Chooser(boxes, judge)
    classes, waiting = (np.full(len(problem.counts), -1, dtype=np.int64) for _ in range(2))
    closed, left, rounds, halvings = 0, 0, 0, math.log2(max(problem.rows / max(problem.k, small), 2.0))
    while rows.parts.number:
        tell(max(1 - int(rows.parts.sizes.sum()) / problem.rows, min(rounds / halvings, _NEARLY)))
        rounds += 1
        division, labelled = chooser.division(rows)
        done = division.uncut | (division.summed([each.sizes for each in labelled]) < 2 * problem.k)
        piece, mine = rows.pieces(division, labelled), rows.by_axis[0]
        resting = ~done & (np.bincount(piece, minlength=len(done)) <= small)
        for kind, into, begin in ((done, classes, closed), (resting, waiting, left)):
            here = kind[piece]
            into[mine[here]] = begin + (np.cumsum(kind) - 1)[piece[here]]
        closed, left, open_ = closed + int(done.sum()), left + int(resting.sum()), ~(done | resting)
        part_of = np.full(len(classes), -1, dtype=np.int64)
        part_of[mine[open_[piece]]] = (np.cumsum(open_) - 1)[piece[open_[piece]]]
        rows = rows.dealt(part_of)
    return _CutDown(classes, waiting)


def _shares(small: Integers) -> list[Integers]:
    """Return the rows that wait in small parts, some whole parts at a time."""
    waiting = np.flatnonzero(small >= 0)
    order = waiting[np.argsort(small[waiting], kind="stable")]
    ends = np.cumsum(np.bincount(small[waiting]))
    bounds = ends[np.flatnonzero(np.diff(ends // SHARE))]
    return [each for each in np.split(order, bounds) if len(each)]


def _rows_of(problem: Problem, boxes: Boxes, rows: Integers) -> tuple[Problem, Boxes]:
    """Return some rows side by side, where cutting finds them without going through all of memory."""
    here = replace(
        problem,
        codes=problem.codes[:0],
        ranks=problem.ranks[rows],
        counts=problem.counts[rows],
        masses=None if problem.masses is None else problem.masses[rows],
        people=None,
    )
    return here, replace(boxes, positions=boxes.positions[rows], compartments=boxes.compartments[rows])


def numbered_by_first(classes: Integers) -> Integers:
    """Return classes numbered from 0 in the order of their first rows."""
    distinct, first, number = np.unique(classes, return_index=True, return_inverse=True)
    new = np.empty(len(distinct), dtype=np.int64)
    new[np.argsort(first)] = np.arange(len(distinct))
    return new[number]


@dataclass(frozen=True)
class LabelledHere:
    """Rows of parts with labels along an axis, held in memory."""

    rows: RowsHere
    labels: Codes
    """The label of each distinct row of the problem; of no meaning for rows of other parts."""
    sizes: Integers
    low: Codes
    high: Codes

    @property
    def lengths(self) -> Integers:
        """How many rows each part has."""
        return np.diff(self.rows.starts)

    def values(self, attribute: int, some: range) -> Values:
        """Return the values of an attribute in some parts."""
        starts = self.rows.starts[some.start : some.stop + 1]
        rows = self.rows.by_value[attribute][starts[0] : starts[-1]]
        problem = self.rows.problem
        counts = problem.valued(attribute, rows, problem.counts[rows])
        return Values(starts - starts[0], self.labels[rows], problem.ranks[rows, attribute], counts)


@dataclass(frozen=True)
class RowsHere:
    """The rows of parts that may still be cut: part p has ``starts[p]:starts[p + 1]`` of every order."""

    problem: Problem
    boxes: Boxes
    starts: Integers
    by_axis: Sequence[Integers]
    """The distinct rows in the order of each axis."""
    by_value: Sequence[Integers]
    """The distinct rows in the order of each sensitive attribute."""

    @staticmethod
    def of(problem: Problem, boxes: Boxes, part_of: Integers) -> RowsHere:
        """Return the rows of parts, sorted; those of no part (−1) are left out."""
        by_axis = [np.argsort(column, kind="stable") for column in boxes.positions.T]
        by_value = [np.argsort(column, kind="stable") for column in problem.ranks.T]
        return RowsHere(problem, boxes, np.zeros(1, dtype=np.int64), by_axis, by_value).dealt(part_of)

    def dealt(self, part_of: Integers) -> RowsHere:
        """Return the rows of other parts, which are among these rows; those of no part (−1) are left out."""
        number = int(part_of.max(initial=-1)) + 1
        starts = np.concatenate([[0], np.cumsum(np.bincount(part_of[part_of >= 0], minlength=number))])
        by_axis = [_dealt_out(order, part_of, starts) for order in self.by_axis]
        by_value = [_dealt_out(order, part_of, starts) for order in self.by_value]
        return RowsHere(self.problem, self.boxes, starts, by_axis, by_value)

    @cached_property
    def parts(self) -> Parts:
        """The parts."""
        bounds = (self.by_axis[0], self.problem.counts, self.boxes.positions, len(self.starts) - 1)
        return Parts(*slot_bounds(self._part, *bounds))

    @property
    def _part(self) -> Integers:
        """The part of each row, in every order."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def profiles(self) -> Iterator[Profile]:
        """Give the profile of the parts along each axis."""
        for axis, order in enumerate(self.by_axis):
            yield Profile(self.starts, self.boxes.positions[order, axis], self.problem.counts[order])

    def labelled(self, runs: Sequence[Runs]) -> Iterator[LabelledHere]:
        """Give the rows with the labels that the runs of each axis say."""
        for order, some in zip(self.by_axis, runs, strict=True):
            lengths = np.diff(np.append(some.starts, len(order)))
            labels = np.zeros(len(self.problem.counts), dtype=np.int32)
            labels[order] = np.repeat(some.label, lengths)
            slots = np.repeat(some.slots[some.part] + some.label, lengths)
            bounds = slot_bounds(slots, order, self.problem.counts, self.boxes.positions, int(some.slots[-1]))
            yield LabelledHere(self, labels, *bounds)

    def pieces(self, division: Division, labelled: Sequence[LabelledHere]) -> Integers:
        """Return the piece that each row falls into, rows in the order of the first axis."""
        rows = self.by_axis[0]

        def labels(axis: int, here: NDArray[np.bool_]) -> Codes:
            return labelled[axis].labels[rows[here]]

        return division.pieces(self._part, labels)


def _dealt_out(order: Integers, part_of: Integers, starts: Integers) -> Integers:
    placed = np.empty(starts[-1], dtype=np.int64)
    kernels.counting.deal(part_of[order], starts[:-1].copy(), order, placed)
    return placed


def slot_bounds(
    slots: Integers, rows: Integers, counts: Integers, positions: Codes, number: int
) -> tuple[Integers, Codes, Codes]:
    """Return the size and the box of each slot.

    Parameters
    ----------
    slots, rows
        The slot that each of some rows lies in, from 0, and the number of the row.
    counts, positions
        How many rows of the table each row stands for, and where it lies: rows × axes.
    number
        How many slots there are; one without rows has a size of 0.
    """
    axes = positions.shape[1]
    sizes = np.zeros(number, dtype=np.int64)
    low = np.full(number * axes, np.iinfo(np.int32).max, dtype=np.int32)
    high = np.full(number * axes, -1, dtype=np.int32)
    placed = positions[rows].astype(np.int32, copy=False).ravel()
    kernels.partitions.slot_boxes(slots, counts[rows], placed, axes, sizes, low, high)
    return sizes, low.reshape(number, axes), high.reshape(number, axes)
