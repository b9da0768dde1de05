"""Mondrian: cut the table again and again, always where most detail is gained for the distance it takes.

Strict: rows with the same quasi-identifiers stay together. A cut is made only if every piece meets every
requirement, so that every class does. Distances are convex: a piece beyond t cannot be mended by cutting it further.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tclose.anonymization.algorithms.checking import Checker
from tclose.anonymization.algorithms.hyperrectangles import Boxes
from tclose.anonymization.algorithms.mondrian.cluster_cutting import PAYS_FROM, cut_on_cluster
from tclose.anonymization.algorithms.mondrian.cutting import cut_here
from tclose.anonymization.algorithms.mondrian.scoring import Judge
from tclose.anonymization.algorithms.partition import Partition, hulls
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.algorithms.search import Search
from tclose.models.counts import Integers
from tclose.models.measuring import Task

TRIES = (
    (Fraction(1), True), (Fraction(1), False), *((Fraction(tenths, 10), True) for tenths in range(9, 2, -1)),
)  # fmt: skip
"""What is tried: this share of t, because whatever is t′-close is t-close; and whether distances count in the score.

One step that gains much can lead the search astray, be it near t or not; the best of all is kept.
"""
TRIED_UP_TO = 30_000
"""Up to this many distinct rows everything is tried; beyond, the first alone."""


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
    best: Partition | None = None
    for at, (share, wary) in enumerate(tries := _tries(problem)):

        def tell(done: float, at: int = at) -> None:
            search.tell("cutting", (at + done) / len(tries))

        tighter = replace(problem, tasks=_tightened(problem.tasks, share))
        if share < 1 and Checker.of(tighter).failing(rows, boxes.compartments, problem.counts, number).any():
            continue
        if best is not None and search.late():
            break
        judge = Judge.of(tighter, wary=wary)
        classes = _cut(tighter, boxes, boxes.compartments, judge, tell, search)
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
    pieces = problem.only(rows, counts)
    boxes = Boxes.of(pieces)

    def tell(done: float) -> None:
        search.tell("cutting", done)

    classes = _cut(pieces, boxes, partition.classes[kept], Judge.of(pieces, wary=False), tell, search)
    cells = hulls(problem, rows, classes, int(classes.max()) + 1)
    return Partition(
        np.concatenate([rows, partition.rows[~kept]]),
        np.concatenate([classes, partition.classes[~kept]]),
        np.concatenate([counts, partition.counts[~kept]]),
        cells,
    )


def _cut(
    problem: Problem,
    boxes: Boxes,
    part_of: Integers,
    judge: Judge,
    tell: Callable[[float], None],
    search: Search,
) -> Integers:
    """Return the class of each distinct row after cutting parts, here or on the cluster that the rows came from."""
    if search.cluster is None or problem.masses is not None or len(problem.counts) < PAYS_FROM:
        return cut_here(problem, boxes, part_of, judge, tell, search.workers)
    return cut_on_cluster(problem, boxes, part_of, judge, tell, search.cluster)


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
