"""Whether classes meet the requirements: the same models and the same exact verdicts as an audit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.partition import Partition, published
from tclose.anonymization.algorithms.problem import Codes, HeldSets, Problem, numbered
from tclose.models.counts import Integers, Part, sparse_block
from tclose.models.domains import Domain, recounted
from tclose.models.measuring import Task, failing
from tclose.models.subsets import SubsetJudge


@dataclass(frozen=True)
class Checker:
    """Judges classes of a problem's rows, against the original's distribution or another."""

    problem: Problem
    domains: tuple[Domain, ...]
    ranks: Codes
    """The rank of each distinct row's value in those domains."""
    people: tuple[HeldSets | None, ...]
    """The sets of values that people have, by those ranks, where that is known and somebody has several."""

    @staticmethod
    def of(problem: Problem) -> Checker:
        """Return the checker that compares classes with the original table."""
        people = _held(problem)
        rows = np.arange(len(problem.counts))
        domains = tuple(
            domain if held is None else replace(domain, people=held.reference(rows))
            for domain, held in zip(problem.domains, people, strict=True)
        )
        return Checker(problem, domains, problem.ranks, people)

    @staticmethod
    def of_release(problem: Problem, partition: Partition) -> Checker:
        """Return the checker of someone who sees the release alone: its rows, and only the values they have."""
        kept = partition.classes >= 0
        rows, counts = partition.rows[kept], partition.counts[kept]
        domains, people, ranks = [], [], np.empty_like(problem.ranks)
        for at, (domain, held) in enumerate(zip(problem.domains, _held(problem), strict=True)):
            before = problem.ranks[:, at]
            released = np.zeros(len(domain.counts), dtype=np.int64)
            valued = problem.valued(at, rows, counts)
            np.add.at(released, before[rows][before[rows] >= 0], valued[before[rows] >= 0])
            own, new_rank = recounted(domain, released)
            known = None if held is None else held.ranked(new_rank[: len(domain.counts)])
            domains.append(own if known is None else replace(own, people=known.reference(rows)))
            people.append(known)
            ranks[:, at] = new_rank[before]
        return Checker(problem, tuple(domains), ranks, tuple(people))

    def failing(self, rows: Integers, classes: Integers, counts: Integers, number: int) -> NDArray[np.bool_]:
        """Return which of the classes 0 … ``number`` − 1, made of these pieces, miss a requirement."""
        kept = classes >= 0
        if not kept.all():
            rows, classes, counts = rows[kept], classes[kept], counts[kept]
        return failing(self.part(rows, classes, counts, number), self.problem.tasks, self.domains)

    def part(self, rows: Integers, classes: Integers, counts: Integers, number: int) -> Part:
        """Return classes made of these pieces, none of which is left out."""
        sizes = np.zeros(number, dtype=np.int64)
        np.add.at(sizes, classes, counts)
        blocks = [
            sparse_block(classes, self.ranks[rows, at], self.problem.valued(at, rows, counts), number)
            for at in range(len(self.domains))
        ]
        for at, held in enumerate(self.people):
            if held is not None:
                known = held.block(rows, classes, number, self.domains[at].missing)
                blocks[at] = replace(blocks[at], people=known)
        return Part(np.arange(number)[:, np.newaxis], sizes, tuple(blocks))

    def failing_as_known(self, partition: Partition) -> NDArray[np.bool_]:
        """Return which classes of a release miss a requirement, those for any so many columns by these columns."""
        kept = partition.classes >= 0
        part = self.part(partition.rows[kept], partition.classes[kept], partition.counts[kept], partition.number)
        tasks, most = self.problem.tasks, self.problem.any
        missed = failing(part, [task for task in tasks if not _is_any(task)], self.domains)
        if most is not None:
            some = [task for task in tasks if _is_any(task)]
            judge = SubsetJudge(part, cell_codes(partition), most, some, self.domains)
            for _, classes in judge.failures(lambda _stage, _share: None, judge.subsets):
                missed |= classes
        return missed


def _held(problem: Problem) -> tuple[HeldSets | None, ...]:
    """Return the sets of values that people have; none where classes by some of the columns are judged, too."""
    if problem.people is None or problem.any is not None:
        return (None,) * len(problem.domains)
    return problem.people


def failing_classes(problem: Problem, partition: Partition, *, own: bool = True) -> NDArray[np.bool_]:
    """Return which classes miss a requirement against the original, and with ``own`` also against the release itself.

    Classes are judged as published: those with the same cells together. A release that leaves out every row with
    a value of some attribute has nothing to be judged by, so all its classes miss.
    """
    seen = published(partition)
    if seen.suppressed() and _empties_an_attribute(problem, seen):
        return np.ones(seen.number, dtype=bool)
    missed = Checker.of(problem).failing_as_known(seen)
    if own and seen.suppressed():
        missed |= Checker.of_release(problem, seen).failing_as_known(seen)
    return missed


def cell_codes(partition: Partition) -> Codes:
    """Return a number for what each class publishes of each quasi-identifier, equal for the same cells."""
    cells = partition.cells
    columns = [
        numbered(np.stack([cells.levels[:, at].astype(np.int32) + 1, cells.first[:, at], cells.last[:, at]], axis=1))
        for at in range(cells.levels.shape[1])
    ]
    return np.stack(columns, axis=1).astype(np.int32)


def _is_any(task: Task) -> bool:
    """Say whether a task is about whoever knows only some of the columns."""
    return any(requirement.any is not None for requirement in task.requirements)


def _empties_an_attribute(problem: Problem, partition: Partition) -> bool:
    kept = problem.ranks[partition.rows[partition.classes >= 0]]
    return bool((kept < 0).all(axis=0).any())
