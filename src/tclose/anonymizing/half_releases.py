"""The release of half a table: as it is made of the whole one, by people audited by people, but never recoded."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from tclose.anonymizing.framing import Frame
from tclose.anonymizing.proving import check_undivided, proof
from tclose.attacks.crowds import Crowd
from tclose.attacks.halves import Halves
from tclose.counts import Integers, Part, Ranks
from tclose.domains import Domain, recounted
from tclose.measuring import Task, measured
from tclose.person_subsets import PeopleJudge, values_of_people
from tclose.recoding.checking import cell_codes
from tclose.recoding.methods import Found, coarsest_found, found
from tclose.recoding.partition import Partition, published
from tclose.recoding.problem import Problem
from tclose.recoding.search import Search
from tclose.results import Figure, Value, Verdict


@dataclass(frozen=True)
class Made:
    """The release of a half: its classes as published, and the method that found them."""

    partition: Partition
    method: str


def half_released(frame: Frame, halves: Halves, method: str, search: Search) -> Made | None:
    """Return the release of a half, None where there is none.

    Parameters
    ----------
    frame
        The problem of the half.
    halves
        The half, with whose its rows are.
    method, search
        How it is searched for.
    """
    if halves.members is None:
        best = found(method, frame.problem, search) if frame.problem.k <= frame.problem.rows else None
        return None if best is None else Made(published(best.partition), best.method)
    if frame.problem.k > halves.members.number:
        return None
    people = _People.of(frame, halves, halves.members)
    proven = proof(
        lambda problem: people.attempt(found(method, problem, search)),
        lambda: people.attempt(coarsest_found(frame.problem, search)),
        frame.problem,
        search.late,
    )
    return None if proven.best is None else proven.best.made


@dataclass(frozen=True)
class _Attempt:
    """A release of a half, judged by its people."""

    made: Made | None
    people: _People
    loss: float
    left_out: Fraction

    def missed(self) -> tuple[Verdict, ...]:
        """Return what its people miss: against the half's distribution, else against its own."""
        return () if self.made is None else self.people.missed(self.made.partition)


@dataclass(frozen=True)
class _People:
    """The people of a half beside the rows of its problem."""

    problem: Problem
    crowd: Crowd
    """Whose the rows of the problem are."""

    @staticmethod
    def of(frame: Frame, halves: Halves, crowd: Crowd) -> _People:
        origin = halves.rows[frame.rows]
        place = np.full(len(halves.whole.counts), -1, dtype=np.int64)
        place[origin] = np.arange(len(origin))
        return _People(frame.problem, replace(crowd, rows=place[crowd.rows]))

    def attempt(self, best: Found | None) -> _Attempt:
        """Return what a search found as an attempt."""
        if best is None:
            return _Attempt(None, self, math.inf, Fraction(0))
        partition = published(best.partition)
        check_undivided(divided=len(np.unique(partition.rows)) < len(partition.rows))
        rows = self.crowd.rows_of(len(self.problem.counts))
        left_out = Fraction(int(rows[partition.rows[partition.classes < 0]].sum()), max(int(rows.sum()), 1))
        return _Attempt(Made(partition, best.method), self, best.loss, left_out)

    def missed(self, partition: Partition) -> tuple[Verdict, ...]:
        """Return the requirements that a release misses by people."""
        classes = np.full(len(self.problem.counts), -1, dtype=np.int64)
        classes[partition.rows] = partition.classes
        kept = classes[self.crowd.rows] >= 0
        persons, rows = self.crowd.persons[kept], self.crowd.rows[kept]
        ranks = [self.problem.ranks[rows, at] for at in range(len(self.problem.domains))]
        judged = self._verdicts(partition, classes[rows], persons, ranks, self._domains)
        if judged or kept.all():
            return judged
        own = [_own(domain, persons, held) for domain, held in zip(self.problem.domains, ranks, strict=True)]
        return self._verdicts(partition, classes[rows], persons, [held for _, held in own], [each for each, _ in own])

    @cached_property
    def _domains(self) -> list[Domain]:
        """The attributes of the half, with the values of its people."""
        return [
            replace(domain, people=values_of_people(self.crowd.persons, self.problem.ranks[self.crowd.rows, at]))
            for at, domain in enumerate(self.problem.domains)
        ]

    def _verdicts(
        self,
        partition: Partition,
        classes: Integers,
        persons: Integers,
        ranks: Sequence[Ranks],
        domains: Sequence[Domain],
    ) -> tuple[Verdict, ...]:
        tasks = [task for task in self.problem.tasks if not _for_any(task)]
        some = [task for task in self.problem.tasks if _for_any(task)]
        whole = Part(np.arange(len(persons))[:, np.newaxis], np.ones(len(persons), dtype=np.int64), ())
        codes = cell_codes(partition)[classes]
        judge = PeopleJudge(whole, codes, self.problem.any or 1, some, domains, persons, tuple(ranks))
        part = judge.part(classes, partition.number, 0)
        verdicts = []
        for task, tally in zip(tasks, measured(part, tasks, domains).tallies, strict=True):
            averaged = task.model.averaged
            failing = (
                [not each.met_by(tally.average) for each in task.requirements] if averaged else tally.failing_classes
            )
            verdicts += self._missed(task, tally.average if averaged else tally.value, failing)
        for task, total in zip(some, judge.judged(lambda _stage, _share: None) if some else (), strict=True):
            verdicts += self._missed(task, total.value, total.failing_subsets)
        return tuple(verdicts)

    def _missed(self, task: Task, value: Value | None, failing: Sequence[int]) -> list[Verdict]:
        name = None if task.attribute is None else self.problem.domains[task.attribute].name
        figure = Figure(task.model, 0 if value is None else value, None, unit="people")
        return [
            Verdict(replace(each, attribute=name), False, figure, int(count), 0, vacuous=False)  # noqa: FBT003 - a field
            for each, count in zip(task.requirements, failing, strict=True)
            if count
        ]


def _for_any(task: Task) -> bool:
    return any(requirement.any is not None for requirement in task.requirements)


def _own(domain: Domain, persons: Integers, ranks: Ranks) -> tuple[Domain, Ranks]:
    """Return an attribute as the release alone shows it, everybody counted once for each value, and its ranks."""
    number = len(domain.counts)
    held = np.unique(persons[ranks >= 0] * number + ranks[ranks >= 0]) % number
    own, new_rank = recounted(domain, np.bincount(held, minlength=number).astype(np.int64))
    return replace(own, people=values_of_people(persons, new_rank[ranks])), new_rank[ranks]
