"""In how many classes a release has its rows at the most, by each requirement: proven before anything is searched."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tclose.anonymization.algorithms.problem import Problem
from tclose.models.base import Held, MostClasses
from tclose.models.catalogue import Requirement
from tclose.models.measuring import Task

_NOTABLE = 2
"""A requirement limits releases notably where it allows so many times fewer classes than all others do."""


@dataclass(frozen=True)
class Limit:
    """The most classes that a requirement allows."""

    task: Task
    requirement: Requirement
    most: MostClasses


def limits(problem: Problem) -> Iterator[Limit]:
    """Give the most classes that each requirement allows; those for any some columns speak of larger classes."""
    for task in problem.tasks:
        domain = None if task.attribute is None else problem.domains[task.attribute]
        held, without = _held(problem, task)
        for requirement in task.requirements:
            if requirement.any is not None:
                continue
            found = task.model.most_classes(domain, requirement.threshold, held)
            if found is not None:
                bare = without // held.size  # classes without a value of the attribute meet every requirement of it
                yield Limit(task, requirement, MostClasses(found.number + bare, found.reason))


def notable_limits(problem: Problem) -> list[Limit]:
    """Return the limits of sensitive attributes that leave far fewer classes than all else does."""
    found = list(limits(problem))
    whole = len(problem.tuples[1])
    return [
        each
        for each in found
        if each.task.attribute is not None
        and each.most.number * _NOTABLE <= min([whole, *(other.most.number for other in _apart(found, each))])
    ]


def _apart(found: list[Limit], limit: Limit) -> Iterator[Limit]:
    """Give the limits of other models and attributes."""
    for each in found:
        if (each.task.model, each.task.attribute) != (limit.task.model, limit.task.attribute):
            yield each


def _held(problem: Problem, task: Task) -> tuple[Held, int]:
    """Return what there is to share, and how much of it has no value of the attribute.

    A class has no more of anything than its distinct rows together, also where these may be of the same people.
    """
    if task.attribute is None:
        return Held(problem.rows, np.array([problem.rows])), 0
    ranks = problem.ranks[:, task.attribute]
    there = ranks >= 0
    values = np.zeros(len(problem.domains[task.attribute].counts), dtype=np.int64)
    np.add.at(values, ranks[there], problem.valued(task.attribute, np.flatnonzero(there), problem.counts[there]))
    without = max(problem.rows - int(values.sum()), 0)
    return Held(int(values.sum()), values, 1 if without else _size(problem)), without


def _size(problem: Problem) -> int:
    """Return how large every class is: requirements on average, and for some of the columns, do not say that."""
    each = [task for task in problem.tasks if not task.model.averaged]
    sizes = tuple(replace(task, requirements=tuple(r for r in task.requirements if r.any is None)) for task in each)
    return replace(problem, tasks=sizes).k
