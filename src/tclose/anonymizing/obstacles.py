"""What stands in the way of a release: requirements that even the coarsest one allowed does not meet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tclose.counts import Integers, Part, sparse_block
from tclose.measuring import Task, measured
from tclose.models.catalogue import Requirement
from tclose.recoding.checking import failing_classes
from tclose.recoding.methods import coarsest
from tclose.recoding.partition import Partition, hulls
from tclose.recoding.problem import Problem
from tclose.releases import Obstacle
from tclose.results import Value


def obstacles(problem: Problem) -> tuple[Obstacle, ...]:
    """Return the requirements that no release can meet, with the best figure that one can have, and ways out.

    Merging classes never makes them worse, so that where the coarsest classes fail, all others do. An average is
    required of every class, so that its worst class counts. A way out is named only where it leads to a release.
    """
    classes, number = coarsest(problem)
    without_limits = {
        (task.attribute, requirement)
        for task, requirement, _, _ in _missed(problem, np.zeros_like(classes), 1)
    }  # fmt: skip
    share = _share_to_leave_out(problem, classes, number)
    found = []
    for task, requirement, value, worst in _missed(problem, classes, number):
        domain = problem.domains[task.attribute] if task.attribute is not None else None
        named = replace(requirement, attribute=domain.name if domain is not None else None)
        coarser = (task.attribute, requirement) not in without_limits
        found.append(Obstacle(named, value, _key(problem, classes, worst), coarser, share))
    return tuple(found)


def _missed(problem: Problem, classes: Integers, number: int) -> Iterator[tuple[Task, Requirement, Value, int]]:
    """Give the requirements that some classes miss, each with the worst figure and the class that has it."""
    sizes = np.zeros(number, dtype=np.int64)
    np.add.at(sizes, classes, problem.counts)
    blocks = tuple(
        sparse_block(classes, problem.ranks[:, at], problem.counts, number) for at in range(len(problem.domains))
    )
    part = Part(np.arange(number)[:, np.newaxis], sizes, blocks)
    for task, tally in zip(problem.tasks, measured(part, problem.tasks, problem.domains).tallies, strict=True):
        value = Fraction(1, int(sizes.min())) if task.model.averaged else tally.value
        if value is None:
            continue
        worst = int(tally.keys[0][0, 0]) if tally.keys and len(tally.keys[0]) else int(sizes.argmin())
        for requirement in task.requirements:
            if not requirement.met_by(Fraction(value) if isinstance(value, int) else value):
                yield task, requirement, value, worst


def _share_to_leave_out(problem: Problem, classes: Integers, number: int) -> Fraction | None:
    """Return the share of rows in coarsest classes that miss something, if all others are a release without them."""
    rows = np.arange(len(classes))
    whole = Partition(rows, classes, problem.counts, hulls(problem, rows, classes, number))
    missed = failing_classes(problem, whole)
    if missed.all():
        return None
    kept = np.cumsum(~missed) - 1
    left = np.where(missed, -1, kept)[classes]
    rest = Partition(rows, left, problem.counts, hulls(problem, rows, left, int(kept[-1]) + 1))
    return None if failing_classes(problem, rest).any() else Fraction(rest.suppressed(), problem.rows)


def _key(problem: Problem, classes: Integers, number: int) -> dict[str, object]:
    """Return what the coarsest class of this number would publish."""
    row = int(np.flatnonzero(classes == number)[0])
    return {
        quasi.name: quasi.levels[quasi.top].labels[quasi.levels[quasi.top].nodes[problem.codes[row, at]]]
        for at, quasi in enumerate(problem.quasi)
    }
