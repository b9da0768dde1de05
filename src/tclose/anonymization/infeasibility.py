"""What stands in the way of a release: requirements that even the coarsest one allowed does not meet."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.partition import Partition, hulls
from tclose.anonymization.algorithms.problem import Problem, coarsest, top_nodes
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.algorithms.suppression import least_left_out, thinned
from tclose.anonymization.releases import Binding, Obstacle
from tclose.auditing.results import Value
from tclose.models.catalogue import Requirement, columns_known
from tclose.models.counts import Integers, Part, sparse_block
from tclose.models.measuring import Task, measured
from tclose.models.subsets import SubsetJudge
from tclose.policy.exact_numbers import as_float


def obstacles(problem: Problem, search: Search) -> tuple[Obstacle, ...]:
    """Return the requirements that no release of all rows can meet, with the best figure of one, and ways out.

    Merging classes never makes them worse, so that where the coarsest classes fail, all others do. An average is
    required of every class, so that its worst class counts, and nothing is proven where the average of all is enough. A
    way out is named only where it leads to a release. Where rows may be left out, that proves nothing but where more of
    them would have to be.
    """
    sparing = problem.most_suppressed > 0
    proven = not sparing or (problem.any is None and least_left_out(problem) > problem.most_suppressed)
    classes, number = coarsest(problem)
    without_limits = {
        (task.attribute, requirement)
        for task, requirement, _, _ in _missed(problem, np.zeros_like(classes), 1, search)
    }  # fmt: skip
    share = _share_to_leave_out(problem, search)
    found = []
    for task, requirement, value, worst in _missed(problem, classes, number, search):
        domain = problem.domains[task.attribute] if task.attribute is not None else None
        named = replace(requirement, attribute=domain.name if domain is not None else None)
        coarser = (task.attribute, requirement) not in without_limits
        size = int(problem.counts[classes == worst].sum())
        on_average = task.model.averaged and requirement.met_by(Fraction(number, problem.rows))
        known = proven and not on_average
        found.append(Obstacle(named, value, _key(problem, classes, worst), coarser, share, known, sparing, size))
    return tuple(found)


def missed_by_counts(search: Search, problem: Problem) -> tuple[Obstacle, ...]:
    """Return what the coarsest classes miss, by what is counted of distinct rows."""
    found = []
    for task, requirement, value, _worst in _missed(problem, *coarsest(problem), search):
        name = problem.domains[task.attribute].name if task.attribute is not None else None
        found.append(Obstacle(replace(requirement, attribute=name), value, {}))
    return tuple(found)


def binding(problem: Problem, missed_by: Callable[[Problem], tuple[Obstacle, ...]]) -> Binding | None:
    """Return why only one class for all was found: what the coarsest classes miss that keep some detail of a column.

    For each column alone the level below its coarsest is tried, all rows kept. Of these, the one counts that misses
    fewest requirements, and these by least. None where no column has such a level, or one misses nothing.

    Parameters
    ----------
    problem
        The rows and what is required.
    missed_by
        Says what the coarsest classes of a problem miss.
    """
    found: list[tuple[int, float, Binding]] = []
    for at, quasi in enumerate(problem.quasi):
        if quasi.top <= quasi.lowest:
            continue
        finer = replace(quasi, highest=quasi.top - 1)
        posed = replace(problem, quasi=(*problem.quasi[:at], finer, *problem.quasi[at + 1 :]))
        number = coarsest(posed)[1]
        if number < 2:
            continue
        missed = missed_by(posed)
        beyond = sum(_beyond(each) for each in missed)
        if missed and math.isfinite(beyond):
            found.append((len(missed), beyond, Binding(quasi.name, number, missed)))
    return min(found, key=lambda each: each[:2])[2] if found else None


def _beyond(obstacle: Obstacle) -> float:
    """Return by how much a figure misses its threshold; of one above 1, as a share of it."""
    value, threshold = float(obstacle.value), as_float(obstacle.requirement.threshold)
    return abs(value - threshold) / max(threshold, 1.0)


def _missed(
    problem: Problem, classes: Integers, number: int, search: Search
) -> Iterator[tuple[Task, Requirement, Value, int]]:
    """Give the requirements that some classes miss, each with the worst figure and the class that has it."""
    sizes = np.zeros(number, dtype=np.int64)
    np.add.at(sizes, classes, problem.counts)
    rows = np.arange(len(classes))
    blocks = tuple(
        sparse_block(classes, problem.ranks[:, at], problem.valued(at, rows, problem.counts), number)
        for at in range(len(problem.domains))
    )
    part = Part(np.arange(number)[:, np.newaxis], sizes, blocks)
    first = np.unique(classes, return_index=True)[1]
    for task in problem.tasks:
        if (known := columns_known(task.requirements)) is None:
            tally = measured(part, [task], problem.domains).tallies[0]
            value = Fraction(1, int(sizes.min())) if task.model.averaged else tally.value
            worst = int(tally.keys[0][0, 0]) if tally.keys and len(tally.keys[0]) else int(sizes.argmin())
        else:
            judge = SubsetJudge(part, top_nodes(problem)[first], known, [task], problem.domains)
            (total,) = judge.judged(search.tell)
            value, worst = total.value, int(sizes.argmin()) if total.part is None else total.part
        if value is None:
            continue
        for requirement in task.requirements:
            if not requirement.met_by(Fraction(value) if isinstance(value, int) else value):
                yield task, requirement, value, worst


def _share_to_leave_out(problem: Problem, search: Search) -> Fraction | None:
    """Return a share of rows without which the coarsest classes are a release, if one is known."""
    thin = thinned(replace(problem, suppress=Fraction(1)), whole_classes=search.whole_classes)
    if thin is None:
        return None
    left = thin.problem
    rows = np.arange(len(left.counts))
    classes, number = coarsest(left)
    rest = thin.lifted(Partition(rows, classes, left.counts, hulls(left, rows, classes, number)))
    missed = failing_classes(problem, rest, own=search.own).any()
    return None if missed else Fraction(rest.suppressed(), problem.rows)


def _key(problem: Problem, classes: Integers, number: int) -> dict[str, object]:
    """Return what the coarsest class of this number would publish."""
    row = int(np.flatnonzero(classes == number)[0])
    return {
        quasi.name: quasi.levels[quasi.top].labels[quasi.levels[quasi.top].nodes[problem.codes[row, at]]]
        for at, quasi in enumerate(problem.quasi)
    }
