"""What a method searches: the distinct rows of a table as codes, and what the release must meet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.interval_ends import Steps
from tclose.models.counts import Integers, PeopleBlock, ValueSets, sparse_block
from tclose.models.domains import Domain
from tclose.models.measuring import Task

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Level:
    """One level of a quasi-identifier's hierarchy: the node of each value, and what each node is."""

    nodes: Codes
    """The node of each value; nodes are numbered from 0 in the order of their first values."""
    labels: tuple[str, ...]
    leaves: Integers
    """How many leaves of the hierarchy each node covers, those that do not occur included."""
    costs: Floats
    """The loss LM of each node: 0 for a single value, 1 for everything."""


@dataclass(frozen=True)
class Quasi:
    """A quasi-identifier: its values in their order, its hierarchy, and whether it has intervals.

    Where ``places`` is given, the first ``len(places)`` values lie on a line (numbers, dates, ordered
    categories), and a class may be published as an interval, from the step of its lowest to the step of its highest
    value; such an interval costs the part of the line that it covers. A missing value is last, after them.
    """

    name: str
    values: tuple[object, ...]
    levels: tuple[Level, ...]
    """From the values themselves (level 0) to one node (the last level)."""
    leaves: int
    """How many leaves the hierarchy has."""
    places: Floats | None = None
    """The place of each value on the line, from 0 to 1; None where there are no intervals."""
    lowest: int = 0
    """The finest level that may be published."""
    highest: int = -1
    """The coarsest level that may be published; −1 stands for the last."""
    weight: float = 1.0
    steps: Steps | None = None
    """Where intervals may begin and end; None where that is at every value."""
    line: Floats | None = None
    """The places of values that lie on a line also where no interval is published; losses are measured by them."""

    @cached_property
    def interval_ends(self) -> tuple[Codes, Codes]:
        """For each value, a missing one too, the first and the last value of an interval that reaches to it."""
        codes = np.arange(len(self.values), dtype=np.int32)
        if self.steps is None:
            return codes, codes
        first, last = self.steps.first_and_last
        return np.append(first, codes[len(first) :]), np.append(last, codes[len(last) :])

    @property
    def top(self) -> int:
        """The coarsest level that may be published."""
        return self.highest if self.highest >= 0 else len(self.levels) - 1


@dataclass(frozen=True)
class HeldSets:
    """Which sets of values of an attribute the people have whom each row counts: row r has ``starts[r]:starts[r + 1]``.

    Known where nobody has several combinations of quasi-identifiers: whoever is in a class has all values there.
    """

    starts: Integers
    sets: Codes
    """The set, a position in ``values``; none that is empty."""
    counts: Integers
    """How many of the people have it."""
    values: ValueSets
    """What the sets hold, as ranks."""

    def only(self, rows: Integers | NDArray[np.bool_]) -> HeldSets:
        """Return the sets of people whom some rows count."""
        chosen = np.arange(len(self.starts) - 1)[rows]
        places, of_row = self.placed(chosen)
        starts = np.searchsorted(of_row, np.arange(len(chosen) + 1))
        return HeldSets(starts, self.sets[places], self.counts[places], self.values)

    def placed(self, rows: Integers) -> tuple[Integers, Integers]:
        """Return the places of the sets of some rows, and for each the position of its row among them."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        ends = np.cumsum(lengths)
        places = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(self.starts[rows] - ends + lengths, lengths)
        return places, np.repeat(np.arange(len(rows)), lengths)

    def ranked(self, ranks: Codes) -> HeldSets:
        """Return the same with other ranks of the values; whoever has none that is left counts no more."""
        values = self.values.renumbered(ranks)
        kept = values.lengths[self.sets] > 0
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        return HeldSets(starts, self.sets[kept], self.counts[kept], values)

    def block(self, rows: Integers, classes: Integers, number: int, missing: int | None) -> PeopleBlock:
        """Return the people of classes made of these rows; a rank may stand for a missing value."""
        places, of_row = self.placed(rows)
        held, counts, here = self.sets[places], self.counts[places], classes[of_row]
        sets = sparse_block(here, held, counts, number)
        present = None
        if missing is not None:
            alone = np.zeros(len(self.values.lengths), dtype=bool)
            single = self.values.lengths == 1
            alone[single] = self.values.ranks[self.values.offsets[:-1][single]] == missing
            there = ~alone[held]
            present = np.bincount(here[there], counts[there], number).astype(np.int64)
        return PeopleBlock(sets.sizes, sets, self.values, present)

    def reference(self, rows: Integers) -> ValueSets:
        """Return the sets of the people whom some rows count."""
        places, _ = self.placed(rows)
        people = np.bincount(self.sets[places], self.counts[places], len(self.values.people)).astype(np.int64)
        return replace(self.values, people=people)


@dataclass(frozen=True)
class Problem:
    """Distinct rows with their counts, and what the classes made of them must meet.

    Row ``i`` stands for ``counts[i]`` rows of the table with the same quasi-identifiers and the same
    sensitive values. Rows are in the order of their codes, so nothing depends on the order of the table.
    """

    quasi: tuple[Quasi, ...]
    codes: Codes
    """The code of each row's value of each quasi-identifier: a position in ``Quasi.values``."""
    ranks: Codes
    """The rank of each row's value of each sensitive attribute; −1 where it is left out."""
    counts: Integers
    domains: tuple[Domain, ...]
    """Each sensitive attribute; its reference is the distribution of the original table."""
    tasks: tuple[Task, ...]
    """The requirements: a model, the attribute it judges (None: class sizes), and its thresholds."""
    suppress: Fraction = Fraction(0)
    """The largest share of rows that may be left out of the release."""
    seed: int = 0
    adds_up: bool = True
    """Whether the counts of a class are the sums of its rows' counts; not where somebody may be in several rows."""
    masses: Integers | None = None
    """For each sensitive attribute how often each row counts for its value, where that is not how often it counts.

    Where people are counted, a row counts those who are not yet counted with another row of the same quasi-identifiers,
    and for a value those who are not yet counted with it. Such rows, of which some count for values alone, stay
    together.
    """
    people: tuple[HeldSets | None, ...] | None = None
    """For each sensitive attribute of which somebody has several values the sets that people have, where known."""

    def valued(self, attribute: int, rows: Integers, counts: Integers) -> Integers:
        """Return how often pieces of these rows, of so many each, count for their values of an attribute."""
        return counts if self.masses is None else self.masses[rows, attribute]

    def only(self, rows: Integers | NDArray[np.bool_], counts: Integers) -> Problem:
        """Return the problem of some rows, of so many each."""
        return replace(
            self,
            codes=np.ascontiguousarray(self.codes[rows]),
            ranks=np.ascontiguousarray(self.ranks[rows]),
            counts=counts,
            masses=None if self.masses is None else self.masses[rows],
            people=None if self.people is None else tuple(each and each.only(rows) for each in self.people),
        )

    def left(self, counts: Integers, rows: Integers | slice = slice(None)) -> NDArray[np.bool_]:
        """Return which rows are left where of each (of those given) so many are kept."""
        if self.masses is None:
            return counts > 0
        whole = self.tuples[0][rows]
        return np.bincount(whole, counts, len(self.tuples[1]))[whole] > 0

    @cached_property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.counts.sum())

    @cached_property
    def most_suppressed(self) -> int:
        """How many rows may be left out; one at least is kept."""
        return min(int(self.suppress * self.rows), max(self.rows - 1, 0))

    @cached_property
    def k(self) -> int:
        """The smallest size that the requirements on class sizes allow."""
        required = [task.model.least_size(each.threshold) for task in self.tasks for each in task.requirements]
        sizes = [self.rows + 1 if size == math.inf else math.ceil(size) for size in required if size is not None]
        return max([1, *sizes])

    @cached_property
    def any(self) -> int | None:
        """At most how many columns someone knows, where a requirement is about that; None where none is."""
        return max((each.any for task in self.tasks for each in task.requirements if each.any), default=None)

    @cached_property
    def weights(self) -> Floats:
        """The weight of each quasi-identifier, summing to 1."""
        weights = np.array([each.weight for each in self.quasi], dtype=np.float64)
        return np.asarray(weights / weights.sum())

    @cached_property
    def tuples(self) -> tuple[Integers, Codes]:
        """The number of each row's combination of quasi-identifiers, and the codes of each combination."""
        numbers = numbered(self.codes)
        first = np.unique(numbers, return_index=True)[1]
        return numbers, self.codes[first]


def numbered(keys: NDArray[np.integer], spans: Sequence[int] | None = None) -> Integers:
    """Return the number of each row of a matrix of codes among its distinct rows, in their order."""
    numbers = np.zeros(len(keys), dtype=np.int64)
    distinct = 1
    for column in range(keys.shape[1]):
        span = int(spans[column]) if spans is not None else int(keys[:, column].max(initial=0)) + 1
        numbers = numbers * span + keys[:, column]
        distinct *= span
        if distinct >= 2**40:
            numbers = np.unique(numbers, return_inverse=True)[1].astype(np.int64)
            distinct = int(numbers.max(initial=0)) + 1
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def coarsest(problem: Problem) -> tuple[Integers, int]:
    """Return the class of each row where everything is published on its coarsest level, and how many there are."""
    classes = numbered(top_nodes(problem))
    return classes, int(classes.max(initial=-1)) + 1


def top_nodes(problem: Problem) -> Codes:
    """Return the node of each row in each column on its coarsest level."""
    tops = enumerate(problem.quasi)
    return np.stack([quasi.levels[quasi.top].nodes[problem.codes[:, at]] for at, quasi in tops], axis=1)
