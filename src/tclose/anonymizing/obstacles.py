"""What stands in the way of a release: requirements that even the coarsest one allowed does not meet."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from tclose.counts import Part, sparse_block
from tclose.measuring import measured
from tclose.recoding.methods import coarsest
from tclose.recoding.problem import Problem
from tclose.releases import Obstacle


def obstacles(problem: Problem) -> tuple[Obstacle, ...]:
    """Return the requirements that no release can meet, with the best figure that one can have.

    Merging classes never makes them worse, so that where the coarsest classes fail, all others do. An average is
    required of every class, so that its worst class counts.
    """
    classes, number = coarsest(problem)
    sizes = np.zeros(number, dtype=np.int64)
    np.add.at(sizes, classes, problem.counts)
    blocks = tuple(
        sparse_block(classes, problem.ranks[:, at], problem.counts, number) for at in range(len(problem.domains))
    )
    part = Part(np.arange(number)[:, np.newaxis], sizes, blocks)
    tallies = measured(part, problem.tasks, problem.domains).tallies
    found = []
    for task, tally in zip(problem.tasks, tallies, strict=True):
        value = Fraction(1, int(sizes.min())) if task.model.averaged else tally.value
        if value is None:
            continue
        worst = int(tally.keys[0][0, 0]) if tally.keys and len(tally.keys[0]) else int(sizes.argmin())
        for requirement in task.requirements:
            if not requirement.met_by(Fraction(value) if isinstance(value, int) else value):
                domain = problem.domains[task.attribute] if task.attribute is not None else None
                named = replace(requirement, attribute=domain.name if domain is not None else None)
                found.append(Obstacle(named, value, _key(problem, classes, worst)))
    return tuple(found)


def _key(problem: Problem, classes: np.ndarray, number: int) -> dict[str, object]:
    """Return what the coarsest class of this number would publish."""
    row = int(np.flatnonzero(classes == number)[0])
    return {
        quasi.name: quasi.levels[quasi.top].labels[quasi.levels[quasi.top].nodes[problem.codes[row, at]]]
        for at, quasi in enumerate(problem.quasi)
    }
