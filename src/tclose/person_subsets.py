"""People in the classes of every subset of columns, who may be in several classes of all columns: counted once each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Block, Integers, Part, PeopleBlock, Ranks, ValueSets
from tclose.domains import Domain
from tclose.engines.distinct import DistinctRows
from tclose.measuring import Task
from tclose.subsets import SubsetJudge

_WORD = 2**62


@dataclass(frozen=True)
class PeopleJudge(SubsetJudge):
    """Measures tasks on the people of all subsets of at most so many columns."""

    people: Integers
    """Whose each distinct row is."""
    ranks: tuple[Ranks, ...]
    """Which value of each attribute each distinct row has; negative where it has none that counts."""

    def part(self, numbers: Integers, count: int, name: int) -> Part:
        """Return the classes of a subset, everyone counted once in a class and once for each value there."""
        keys = np.stack([np.full(count, name, dtype=np.int64), np.arange(count)], axis=1)
        here = _once(self.people, numbers, count)
        blocks = [self._block(numbers, count, ranks) for ranks in self.ranks]
        for at, known in enumerate(self._known):
            if known is not None:
                blocks[at] = replace(blocks[at], people=self._people_block(numbers, count, at, known))
        return Part(keys, np.bincount(here, minlength=count).astype(np.int64), tuple(blocks))

    def together(self, part: Part, classes: NDArray[np.bool_], whole: NDArray[np.bool_]) -> int:
        """Return how many different people are in some classes."""
        del part, classes
        return len(np.unique(self.people[whole]))

    @cached_property
    def _known(self) -> list[ValueSets | None]:
        """The values of everybody, for each attribute of which somebody has several."""
        return [values_of_people(self.people, ranks) for ranks in self.ranks]

    def _people_block(self, numbers: Integers, count: int, at: int, known: ValueSets) -> PeopleBlock:
        """Return who is in each class, everyone a set of values of their own."""
        ranks, missing = self.ranks[at], self.domains[at].missing
        present = None if missing is None else self._with_one(numbers, count, (ranks >= 0) & (ranks != missing))
        some = (known.lengths > 0)[self.people]
        sets = self._block(numbers[some], count, self.people[some].astype(np.int32), self.people[some])
        return PeopleBlock(self._with_one(numbers, count, ranks >= 0), sets, known, present)

    def _with_one(self, numbers: Integers, count: int, rows: NDArray[np.bool_]) -> Integers:
        """Return how many people of each class have one of some rows there."""
        return np.bincount(_once(self.people[rows], numbers[rows], count), minlength=count).astype(np.int64)

    def _block(self, numbers: Integers, count: int, ranks: Ranks, people: Integers | None = None) -> Block:
        values = int(ranks.max(initial=0)) + 1
        kept = ranks >= 0
        pairs = numbers[kept] * values + ranks[kept]
        whose = (self.people if people is None else people)[kept]
        distinct, counts = np.unique(_once(whose, pairs, count * values), return_counts=True)
        offsets = np.searchsorted(distinct, np.arange(count + 1) * values).astype(np.int64)
        running = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
        sizes = running[offsets[1:]] - running[offsets[:-1]]
        return Block(offsets, (distinct % values).astype(np.int32), counts.astype(np.int64), sizes)


def values_of_people(people: Integers, ranks: Ranks) -> ValueSets | None:
    """Return the values of everybody, everyone a set of their own; None where nobody has several values, or none too.

    Parameters
    ----------
    people
        Whose each row is, numbered from 0.
    ranks
        Which value each row has; negative where it has none that counts.
    """
    span = int(ranks.max(initial=-1)) + 2
    pairs = np.unique(people * span + ranks + 1)
    whose, found = np.divmod(pairs, span)
    if not (whose[1:] == whose[:-1]).any():
        return None
    number = int(people.max(initial=-1)) + 1
    whose, found = whose[found > 0], found[found > 0]
    offsets = np.searchsorted(whose, np.arange(number + 1)).astype(np.int64)
    return ValueSets(offsets, (found - 1).astype(np.int32), np.ones(number, dtype=np.int64))


def _once(people: Integers, what: Integers, span: int) -> Integers:
    """Return what people have, each thing once for everyone who has it; things are numbers below a span."""
    keys = np.sort(people * span + what)
    first = np.ones(len(keys), dtype=bool)
    first[1:] = keys[1:] != keys[:-1]
    found: Integers = keys[first] % span
    return found


def people_judge(
    distinct: DistinctRows,
    rank_of: Sequence[Mapping[object, int]],
    most: int,
    tasks: Sequence[Task],
    domains: Sequence[Domain],
) -> PeopleJudge | None:
    """Return the judge of distinct rows whose last column tells people apart; None where numbers would not suffice.

    Parameters
    ----------
    distinct
        The distinct rows, by the quasi-identifiers and whose they are.
    rank_of
        The rank of each value of each sensitive attribute.
    most
        How many columns somebody knows at most.
    tasks, domains
        What is measured.
    """
    rows, values = len(distinct.counts), max((len(each) for each in rank_of), default=1)
    if math.prod((len(distinct.quasi[-1].counts) + 1, rows + 1, values + 1)) > _WORD:
        return None
    ranks = tuple(
        np.array([rank_of[at][value] for value in observed.listed], dtype=np.int32)[distinct.sensitive_codes[:, at]]
        for at, observed in enumerate(distinct.sensitive)
    )
    codes: NDArray[np.integer] = distinct.codes[:, :-1]
    whole = Part(np.arange(rows, dtype=np.int64)[:, np.newaxis], np.ones(rows, dtype=np.int64), ())
    return PeopleJudge(whole, codes, most, tasks, domains, distinct.codes[:, -1].astype(np.int64), ranks)
