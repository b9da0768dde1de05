"""Whose the rows of a table are, where people may have several: of one combination and value, or of many."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.problem import Problem, numbered
from tclose.engines.distinct import DistinctRows
from tclose.models.counts import Integers
from tclose.models.domains import recounted


@dataclass(frozen=True)
class Subjects:
    """The distinct rows of a table, and whose they are where people may have several."""

    distinct: DistinctRows
    crowd: Crowd | None = None

    @property
    def people(self) -> int:
        """How many people there are; without a crowd everyone has one row."""
        return self.distinct.rows if self.crowd is None else self.crowd.number


@dataclass(frozen=True)
class Crowd:
    """The people of a table: every pair of a person and a distinct row that is theirs, in the order of the people."""

    persons: Integers
    rows: Integers
    """The distinct row of each pair."""
    repeats: Integers
    """How many rows of the table each pair stands for."""
    number: int
    """How many people there are."""

    @staticmethod
    def of(told_apart: DistinctRows) -> Subjects:
        """Return the distinct rows of a table with whose they are; given those whose last column tells people apart."""
        quasi, values = told_apart.codes[:, :-1], told_apart.sensitive_codes
        place = numbered(np.concatenate([quasi, values], axis=1))
        first = np.unique(place, return_index=True)[1]
        persons = told_apart.codes[:, -1].astype(np.int64)
        order = np.lexsort((place, persons))
        counts = np.bincount(place, told_apart.counts).astype(np.int64)
        distinct = DistinctRows(
            told_apart.quasi[:-1], told_apart.sensitive, quasi[first], values[first], counts, told_apart.rows
        )
        number = len(told_apart.quasi[-1].counts)
        return Subjects(distinct, Crowd(persons[order], place[order], told_apart.counts[order], number))

    @property
    def repeats_people(self) -> bool:
        """Whether somebody has several rows."""
        return len(self.rows) > self.number or bool((self.repeats > 1).any())

    def undecided(self, things: NDArray[np.integer]) -> int:
        """Return how many people have several of some things, given which thing every distinct row is; −1 is none."""
        had = things[self.rows].astype(np.int64)
        width = int(had.max(initial=0)) + 1
        pairs = np.unique(self.persons[had >= 0] * width + had[had >= 0])
        return int((np.bincount(pairs // width, minlength=1) > 1).sum())

    def divided(self, draw: np.random.Generator) -> tuple[Crowd, Crowd]:
        """Return half of the people, drawn at random, and the others: everybody with all their rows."""
        inside = np.zeros(self.number, dtype=bool)
        inside[draw.permutation(self.number)[: self.number // 2]] = True
        return self._only(inside), self._only(~inside)

    def _only(self, some: NDArray[np.bool_]) -> Crowd:
        kept = some[self.persons]
        new = np.cumsum(some) - 1
        return Crowd(new[self.persons[kept]], self.rows[kept], self.repeats[kept], int(some.sum()))

    def placed(self, order: Integers) -> Crowd:
        """Return the crowd of the same distinct rows in another order."""
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return Crowd(self.persons, place[self.rows], self.repeats, self.number)

    def rows_of(self, distinct: int) -> Integers:
        """Return how many of their rows each of so many distinct rows stands for."""
        return np.bincount(self.rows, self.repeats, distinct).astype(np.int64)

    def people_of(self, things: NDArray[np.integer], number: int) -> Integers:
        """Return how many people have each of some things, given which thing every distinct row is; −1 is none."""
        had = things[self.rows].astype(np.int64)
        pairs = np.unique(self.persons[had >= 0] * number + had[had >= 0])
        return np.bincount(pairs % max(number, 1), minlength=number).astype(np.int64)


def by_rows(problem: Problem, counts: Integers) -> Problem:
    """Return a problem of people as its release shows it, which has all rows of everybody.

    Parameters
    ----------
    problem
        The problem, in which everybody counts once.
    counts
        How many rows each of its distinct rows stands for.
    """
    domains, ranks = [], np.full_like(problem.ranks, -1)
    for at, domain in enumerate(problem.domains):
        before = problem.ranks[:, at]
        held = np.bincount(before[before >= 0], counts[before >= 0], len(domain.counts)).astype(np.int64)
        own, new_rank = recounted(domain, held)
        domains.append(own)
        ranks[:, at] = new_rank[before]
    return replace(problem, ranks=ranks, counts=counts, domains=tuple(domains))
