"""Mondrian: cut the table again and again, always where most detail is gained for the distance it takes.

Strict: rows with the same quasi-identifiers stay together. A cut is made only if every piece meets every
requirement, so that every class does. Distances are convex: a piece beyond t cannot be mended by cutting it further.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.measuring import Task
from tclose.recoding.boxes import Boxes
from tclose.recoding.checking import Checker
from tclose.recoding.mondrian.counting import dealt
from tclose.recoding.mondrian.cuts import Cuts, Parts, counted_up, cuts_along
from tclose.recoding.mondrian.judging import Judge
from tclose.recoding.partition import Partition, hulls
from tclose.recoding.problem import Floats, Problem
from tclose.recoding.search import Search

TRIES = (
    (Fraction(1), True), (Fraction(1), False), *((Fraction(tenths, 10), True) for tenths in range(9, 2, -1)),
)  # fmt: skip
"""What is tried: this share of t, because whatever is t′-close is t-close; and whether distances count in the score.

One step that gains much can lead the search astray, be it near t or not; the best of all is kept.
"""
TRIED_UP_TO = 30_000
"""Up to this many distinct rows everything is tried; beyond, the first alone."""
_GAIN = 1e-9
"""A smaller gain is none."""


def find(problem: Problem, search: Search) -> Partition | None:
    """Return the release that cutting finds, or None where the table as a whole misses a requirement.

    Parameters
    ----------
    problem
        The rows and the requirements.
    search
        What to minimise among several tries.
    """
    boxes = Boxes.of(problem)
    number = int(boxes.compartments.max(initial=-1)) + 1
    rows = np.arange(len(problem.counts))
    if number == 0 or Checker.of(problem).failing(rows, boxes.compartments, problem.counts, number).any():
        return None
    whole = _parts(problem, boxes, boxes.compartments, number, _sorted_rows(problem, boxes))
    best: Partition | None = None
    for at, (share, wary) in enumerate(tries := _tries(problem)):

        def tell(done: float, at: int = at) -> None:
            search.tell("cutting", (at + done) / len(tries))

        tighter = replace(problem, tasks=_tightened(problem.tasks, share))
        if share < 1 and Checker.of(tighter).failing(rows, boxes.compartments, problem.counts, number).any():
            continue
        classes = _Cutting(tighter, boxes, Judge.of(tighter, wary=wary), tell).classes(whole)
        cells = hulls(problem, rows, classes, int(classes.max()) + 1)
        found = Partition(rows, classes, problem.counts, cells)
        if best is None or search.loss(problem, found) < search.loss(problem, best):
            best = found
    return best


def divided(problem: Problem, partition: Partition, search: Search) -> Partition:
    """Return a partition that holds with its classes cut further wherever every piece still holds.

    Parameters
    ----------
    problem
        The rows and the requirements.
    partition
        Where to begin; rows that it leaves out stay out.
    search
        Whom to tell.
    """
    kept = partition.classes >= 0
    rows, counts = partition.rows[kept], partition.counts[kept]
    pieces = replace(
        problem,
        codes=np.ascontiguousarray(problem.codes[rows]),
        ranks=np.ascontiguousarray(problem.ranks[rows]),
        counts=counts,
    )
    boxes = Boxes.of(pieces)
    orders = _sorted_rows(pieces, boxes)
    whole = _parts(pieces, boxes, partition.classes[kept], partition.number, orders)
    cutting = _Cutting(pieces, boxes, Judge.of(pieces, wary=False), lambda done: search.tell("cutting", done))
    classes = cutting.classes(whole)
    cells = hulls(problem, rows, classes, int(classes.max()) + 1)
    return Partition(
        np.concatenate([rows, partition.rows[~kept]]),
        np.concatenate([classes, partition.classes[~kept]]),
        np.concatenate([counts, partition.counts[~kept]]),
        cells,
    )


def _tries(problem: Problem) -> tuple[tuple[Fraction, bool], ...]:
    close = any(task.model.key == "t" and any(each.threshold for each in task.requirements) for task in problem.tasks)
    return TRIES if close and len(problem.counts) <= TRIED_UP_TO else TRIES[:1]


def _tightened(tasks: tuple[Task, ...], share: Fraction) -> tuple[Task, ...]:
    """Return the tasks with this share of every t."""
    return tuple(
        replace(task, requirements=tuple(replace(each, threshold=each.threshold * share) for each in task.requirements))
        if task.model.key == "t"
        else task
        for task in tasks
    )


def _sorted_rows(problem: Problem, boxes: Boxes) -> tuple[list[Integers], list[Integers]]:
    """Return the distinct rows in the order of each axis, and in the order of each sensitive attribute."""
    by_axis = [np.argsort(boxes.positions[:, axis], kind="stable") for axis in range(len(boxes.axes))]
    by_value = [np.argsort(problem.ranks[:, at], kind="stable") for at in range(problem.ranks.shape[1])]
    return by_axis, by_value


def _parts(
    problem: Problem, boxes: Boxes, part_of: Integers, number: int, orders: tuple[list[Integers], list[Integers]]
) -> Parts:
    """Return the parts that rows belong to (none where it is −1), their rows in every order."""
    lengths = np.bincount(part_of[part_of >= 0], minlength=number)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    by_axis, by_value = (tuple(_dealt_out(order, part_of, starts) for order in each) for each in orders)
    rows = by_axis[0]
    positions = boxes.positions[rows]
    if number == 0:
        nothing = np.zeros((0, len(boxes.axes)), dtype=np.int32)
        return Parts(starts, lengths, nothing, nothing, by_axis, by_value)
    return Parts(
        starts,
        np.add.reduceat(problem.counts[rows], starts[:-1]),
        np.minimum.reduceat(positions, starts[:-1], axis=0),
        np.maximum.reduceat(positions, starts[:-1], axis=0),
        by_axis,
        by_value,
    )


def _dealt_out(order: Integers, part_of: Integers, starts: Integers) -> Integers:
    placed = np.empty(starts[-1], dtype=np.int64)
    dealt(part_of[order], starts[:-1].copy(), order, placed, work=len(order))
    return placed


@dataclass
class _Best:
    """The best cut of each part so far."""

    scores: Floats
    axes: Integers
    begin: Integers
    end: Integers
    widths: Integers

    @staticmethod
    def none(parts: int) -> _Best:
        """Return that no part has a cut yet."""
        zeros = np.zeros(parts, dtype=np.int64)
        return _Best(np.zeros(parts), np.full(parts, -1), zeros, zeros.copy(), zeros.copy())

    def consider(self, axis: int, cuts: Cuts, scores: Floats) -> None:
        """Keep the cuts that are better than all before; the first among equals."""
        order = np.lexsort((-scores, cuts.part))
        first = np.ones(len(order), dtype=bool)
        first[1:] = cuts.part[order[1:]] != cuts.part[order[:-1]]
        chosen = order[first]
        chosen = chosen[scores[chosen] > self.scores[cuts.part[chosen]]]
        part = cuts.part[chosen]
        self.scores[part], self.axes[part] = scores[chosen], axis
        self.begin[part], self.end[part] = cuts.begin[chosen], cuts.end[chosen]
        self.widths[part] = np.where(cuts.begin[chosen] < 0, cuts.widths[part], 2)


@dataclass(frozen=True)
class _Cutting:
    """One run of the rule: all parts are cut in rounds until none can be."""

    problem: Problem
    boxes: Boxes
    judge: Judge
    tell: Callable[[float], None]
    """Told which share of the rows is done."""

    def classes(self, parts: Parts) -> Integers:
        """Return the class of each distinct row."""
        classes = np.full(len(self.problem.counts), -1, dtype=np.int64)
        closed = 0
        while parts.number:
            self.tell(1 - int(parts.sizes.sum()) / self.problem.rows)
            best, labels = self._best_cuts(parts)
            pieces = np.where(best.axes < 0, 1, best.widths)
            piece = self._piece_of(parts, best, labels, np.cumsum(pieces) - pieces)
            sizes = np.bincount(piece, weights=self.problem.counts[parts.by_axis[0]], minlength=int(pieces.sum()))
            done = (np.repeat(best.axes, pieces) < 0) | (sizes < 2 * self.problem.k)
            rows, ending = parts.by_axis[0], done[piece]
            classes[rows[ending]] = closed + (np.cumsum(done) - 1)[piece[ending]]
            closed += int(done.sum())
            part_of = np.full(len(classes), -1, dtype=np.int64)
            part_of[rows[~ending]] = (np.cumsum(~done) - 1)[piece[~ending]]
            orders = (list(parts.by_axis), list(parts.by_value))
            parts = _parts(self.problem, self.boxes, part_of, int((~done).sum()), orders)
        first = np.full(closed, len(classes), dtype=np.int64)
        np.minimum.at(first, classes, np.arange(len(classes)))
        number = np.empty(closed, dtype=np.int64)
        number[np.argsort(first)] = np.arange(closed)
        return number[classes]

    def _best_cuts(self, parts: Parts) -> tuple[_Best, list[NDArray[np.int32]]]:
        """Return the best cut of each part, and the labels of the rows along every axis."""
        losses = self.boxes.losses(parts.low, parts.high) * parts.sizes
        best, labels = _Best.none(parts.number), []
        for axis in range(len(self.boxes.axes)):
            cuts = cuts_along(self.problem, self.boxes, parts, axis)
            labels.append(cuts.labels)
            if len(cuts.part):
                best.consider(axis, *self._scored(parts, cuts, losses))
        return best, labels

    def _scored(self, parts: Parts, cuts: Cuts, losses: Floats) -> tuple[Cuts, Floats]:
        """Return the cuts that gain something, and their scores; −1 where a piece misses a requirement."""
        cut_of = cuts.pieces.cut
        sizes, low, high = cuts.boxed()
        left = np.bincount(cut_of, weights=self.boxes.losses(low, high) * sizes, minlength=len(cuts.part))
        gains = losses[cuts.part] - left
        useful = gains > _GAIN
        cuts = replace(cuts, part=cuts.part[useful], begin=cuts.begin[useful], end=cuts.end[useful])
        failing, strain = self.judge.judged(parts, cuts, sizes[useful[cut_of]])
        return cuts, np.where(failing, -1.0, gains[useful] / strain)

    def _piece_of(self, parts: Parts, best: _Best, labels: list[NDArray[np.int32]], first: Integers) -> Integers:
        """Return the number of the piece that each row falls into, rows in the order of the first axis."""
        rows = parts.by_axis[0]
        part = counted_up(np.diff(parts.starts))[0]
        piece = first[part]
        for axis, label_of in enumerate(labels):
            here = best.axes[part] == axis
            label, of = label_of[rows[here]], part[here]
            apart = (best.begin[of] <= label) & (label < best.end[of])
            piece[here] += np.where(best.begin[of] < 0, label, np.where(apart, 0, 1))
        return piece
