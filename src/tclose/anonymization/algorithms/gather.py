"""Gathering: whole classes of rows that complement each other's sensitive values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tclose.anonymization.algorithms.closeness import Closeness, closeness
from tclose.anonymization.algorithms.hyperrectangles import Boxes
from tclose.anonymization.algorithms.local_search.annealing import (
    Course,
    annealed,
    improved,
    known_to_moves,
    rounds_paid,
)
from tclose.anonymization.algorithms.local_search.units import Masses
from tclose.anonymization.algorithms.mondrian.cutting import cut_here
from tclose.anonymization.algorithms.mondrian.scoring import Judge
from tclose.anonymization.algorithms.partition import Partition, hulls
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.algorithms.search import Search
from tclose.models.catalogue import requirements
from tclose.models.measuring import Task

# Gathering: classes of neighbours, exchanged until their sensitive values complement each other. The table is cut
# by its quasi-identifiers alone into classes so large that rows drawn by chance would be just close. Annealing then
# moves whole combinations of quasi-identifiers: far beyond t in the beginning, within it in the end.


HEAT = 3.0
"""How much may be lost by a move in the beginning, in rows whose column is lost."""
_CUTTING = 0.1
"""Which share of the work is cutting, about."""
PARTS = (1, 2, 4, 8)
"""By what the size to begin with is divided, one after the other, because values that go along with quasi-identifiers
are no drawing by chance: on tables of more rows than ``LEAST_ROWS``, of at most so many units."""
LEAST_ROWS, MOST_UNITS = 100, 5_000
_FEW_UNITS = 1_500
"""Up to so many units, what each start leads to is improved, not the best alone: which is best shows only then."""
_FEW_JUDGED = 3
"""So many, where the models themselves judge every move, which takes long."""
SURROGATES = tuple(Fraction(share, 100) for share in (50, 30, 15))
"""What stands for t where something else is required of an attribute: the search goes by it, exact checks decide."""


def find(problem: Problem, search: Search) -> Partition | None:
    """Return the release that gathering finds, or None if there is none.

    Parameters
    ----------
    problem
        The rows and the requirements.
    search
        What to minimise, and how much effort to take.
    """
    if not problem.rows:
        return None
    whole = replace(search, whole_classes=True)
    made: list[Partition] = []
    promising: list[Partition] = []
    limits = list(_limits(problem))
    tries = [(close, size) for close in limits for size in _sizes(problem, close)]

    def loss(found: Partition) -> float:
        return search.loss(problem, found)

    for at, (close, size) in enumerate(tries):
        if made and search.late():
            break
        here = whole.part(at / len(tries), (at + 1) / len(tries))
        start = _start(problem, size, here.part(0.0, _CUTTING))
        paid = rounds_paid(problem, start, whole, len(tries) // len(limits)) // len(limits)
        for rounds in sorted({1, max(paid, 1)} if _is_middling(problem) else {max(paid, 1)}):
            found = annealed(problem, start, here.part(_CUTTING, 1.0), Course(rounds, HEAT), close)
            made += [] if found is None else [found]
            promising += [] if found is None or rounds == 1 else [found]
        if made and min(map(loss, made)) == 0:
            break
    if _is_middling(problem) and len(problem.tuples[1]) <= _FEW_UNITS:
        most = len(promising) if known_to_moves(problem) else _FEW_JUDGED
        made += [improved(problem, each, whole) for each in sorted(promising, key=loss)[:most]]
    return min(made, key=loss, default=None)


def _sizes(problem: Problem, close: Closeness) -> list[int]:
    """Return the sizes of classes to begin with: on a middling table also smaller ones, which may turn out better."""
    size = first_size(problem, close)
    if not _is_middling(problem):
        return [size]
    return list(dict.fromkeys(max(size // part, problem.k, 2) for part in PARTS))


def _is_middling(problem: Problem) -> bool:
    """Return whether several starts are tried, each also without annealing, so that effort never does harm."""
    return problem.rows > LEAST_ROWS and len(problem.tuples[1]) <= MOST_UNITS


def _limits(problem: Problem) -> Iterator[Closeness]:
    """Give the limits on distances to go by."""
    if any(task.attribute is not None and task.model.key != "t" for task in problem.tasks):
        for surrogate in SURROGATES:
            yield closeness(problem, surrogate=surrogate)
    else:
        yield closeness(problem)


def _start(problem: Problem, size: int, search: Search) -> Partition:
    """Return the table cut by its quasi-identifiers alone, as finely as classes of a size allow."""

    def tell(share: float) -> None:
        search.tell("Cutting by quasi-identifiers alone", share)

    boxes = Boxes.of(problem)
    classes = boxes.compartments
    if size <= problem.rows:
        (large_enough,) = requirements({"k": size})
        sizes_alone = replace(problem, tasks=(Task(large_enough.model, None, (large_enough,)),))
        classes = cut_here(sizes_alone, boxes, classes, Judge.of(sizes_alone, wary=False), tell, search.workers)
    rows = np.arange(len(problem.counts))
    return Partition(rows, classes, problem.counts, hulls(problem, rows, classes, int(classes.max(initial=-1)) + 1))


def first_size(problem: Problem, close: Closeness) -> int:
    """Return the size at which rows drawn by chance are, on average, as far from the table as they may be.

    A count that is expected to be n·e deviates by about √(2·n·e·(1 − e)/π), half of it upwards.
    """
    limits = Masses.of(problem, close).limits
    largest = float(problem.k)
    for (begin, end, on_line), bound in zip(limits.attributes.tolist(), limits.bounds.tolist(), strict=True):
        share, cost = limits.cells[begin:end].T
        deviation = float((cost * np.sqrt(np.maximum(share * (1 - share), 0.0) * 2 / np.pi)).sum())
        if bound < 1:
            largest = max(largest, (deviation * (1.0 if on_line else 0.5) / max(bound, 1e-6)) ** 2)
    return int(min(np.ceil(largest), problem.rows + 1))
