"""What someone can tell who knows only some of the quasi-identifiers: the classes of every subset of columns.

The classes of a subset are unions of the classes of all columns, so that they are made from counts and no row is
read again.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tclose.errors import Ask, Hint, InputError
from tclose.models.base import Exact
from tclose.models.counts import Integers, Part, joined, merged_block
from tclose.models.domains import Domain
from tclose.models.measuring import Tally, Task, failing, measured

MOST_SUBSETS = 1_000_000
"""Beyond so many subsets nobody would wait for the answer."""
_PLACES_AT_ONCE = 2_000_000
"""About so many class numbers, of several subsets, are held and measured together."""
_SPARE_PLACES = 4
"""Keys are numbered by a table while it has at most so many places for each of them, else by sorting."""

Subset = tuple[int, ...]
"""Columns by their positions."""
Tell = Callable[[str, float | None], None]


def column_subsets(columns: int, most: int) -> Iterator[Subset]:
    """Give every subset of 1 to ``most`` columns, the smaller ones first.

    Examples
    --------
    >>> list(column_subsets(3, 2))
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    """
    for size in range(1, min(most, columns) + 1):
        yield from itertools.combinations(range(columns), size)


def number_of_subsets(columns: int, most: int) -> int:
    """Return how many subsets of 1 to ``most`` columns there are."""
    return sum(math.comb(columns, size) for size in range(1, min(most, columns) + 1))


def check_subsets(columns: int, most: int) -> None:
    """Refuse to look at more subsets than anybody would wait for."""
    number = number_of_subsets(columns, most)
    if number > MOST_SUBSETS:
        raise InputError(
            f"Any {most} of {columns} quasi-identifiers make {number:,} combinations of columns, too many to judge.",
            code="too-many-combinations",
            field="any",
            hint=Hint("Name fewer columns, such as {}, or leave it out to judge all columns together.", Ask("any", 3)),
        )


class SubsetNumbers:
    """Numbers the classes that subsets of columns make of the classes of all columns.

    Parameters
    ----------
    codes
        Classes × columns: whole numbers, equal for equal values.
    """

    def __init__(self, codes: NDArray[np.integer]) -> None:
        self._columns = [np.unique(codes[:, at], return_inverse=True)[1].ravel() for at in range(codes.shape[1])]
        self._path: list[int] = []
        self._made: list[tuple[Integers, int]] = [(np.zeros(len(codes), dtype=np.int64), 1)]

    def of(self, subset: Subset) -> tuple[Integers, int]:
        """Return the number of each class among those of a subset, and how many these are."""
        shared = 0
        while shared < min(len(self._path), len(subset)) and self._path[shared] == subset[shared]:
            shared += 1
        del self._path[shared:], self._made[shared + 1 :]
        for column in subset[shared:]:
            self._made.append(_refined(*self._made[-1], self._columns[column]))
            self._path.append(column)
        return self._made[-1]


def _refined(numbers: Integers, count: int, codes: Integers) -> tuple[Integers, int]:
    """Return the numbers of classes that a further column divides, and how many they are."""
    span = int(codes.max(initial=0)) + 1
    keys = numbers * span + codes
    if count * span > _SPARE_PLACES * len(keys) + 1024:
        distinct, found = np.unique(keys, return_inverse=True)
        return found.ravel().astype(np.int64), len(distinct)
    present = np.zeros(count * span, dtype=np.int64)
    present[keys] = 1
    ids = np.cumsum(present) - 1
    return ids[keys], int(ids[-1]) + 1 if len(ids) else 0


def merged_part(whole: Part, numbers: Integers, count: int, name: int = 0) -> Part:
    """Return larger classes made of all classes; their keys are a name for all of them, and their numbers."""
    sizes = np.zeros(count, dtype=np.int64)
    np.add.at(sizes, numbers, whole.sizes)
    keys = np.stack([np.full(count, name, dtype=np.int64), np.arange(count)], axis=1)
    return Part(keys, sizes, tuple(merged_block(block, numbers, count) for block in whole.blocks))


@dataclass
class SubsetTally:
    """What one task found of all subsets: the worst figure, who must know what for it, and where it fails."""

    tally: Tally = field(default_factory=Tally)
    value: Exact | None = None
    """The worst figure."""
    subset: Subset = ()
    """The smallest subset that has it; of several, the first."""
    part: int | None = None
    """A class of all columns that is part of the worst class of that subset; of several, of the first by its key."""
    size: int = 0
    """The size of that worst class."""
    failing_subsets: list[int] = field(default_factory=list)
    """For each requirement, in how many subsets a class misses it."""
    missed: list[NDArray[np.bool_]] = field(default_factory=list)
    """For each requirement, which classes of all columns are part of a class that misses it."""
    most_failing: list[int] = field(default_factory=list)
    """For each requirement, how many rows or people the classes of one subset that miss it have at most."""

    def failing_rows(self, at: int, sizes: Integers) -> int:
        """Return how many rows are in a class of some subset that misses a requirement."""
        return int(sizes[self.missed[at]].sum()) if self.missed else 0


@dataclass(frozen=True)
class _Batch:
    """Some subsets that are measured together."""

    subsets: list[Subset]
    numbers: list[Integers]
    parts: list[Part]


@dataclass(frozen=True)
class SubsetJudge:
    """Measures tasks on the classes of all subsets of at most so many columns."""

    whole: Part
    """All classes of all columns."""
    codes: NDArray[np.integer]
    """Classes × columns: whole numbers in the order of the values, equal for equal ones."""
    most: int
    tasks: Sequence[Task]
    domains: Sequence[Domain]

    @property
    def subsets(self) -> list[Subset]:
        """All subsets, the smaller ones first."""
        return list(column_subsets(self.codes.shape[1], self.most))

    def judged(self, tell: Tell) -> list[SubsetTally]:
        """Return what each task finds of all subsets."""
        totals = [
            SubsetTally(
                failing_subsets=[0] * len(task.requirements),
                missed=[np.zeros(len(self.whole.sizes), dtype=bool) for _ in task.requirements],
                most_failing=[0] * len(task.requirements),
            )
            for task in self.tasks
        ]
        for batch in self._batches(tell, self.subsets):
            self._take(batch, totals)
        numbering = SubsetNumbers(self.codes)
        for total in totals:
            self._name_worst(total, numbering)
        return totals

    def failures(self, tell: Tell, subsets: Sequence[Subset]) -> Iterator[tuple[Subset, NDArray[np.bool_]]]:
        """Give the subsets with a class that misses a requirement, and which classes of all columns are part of one."""
        for batch in self._batches(tell, subsets):
            missed = failing(joined(batch.parts), self.tasks, self.domains)
            for subset, numbers, here in zip(batch.subsets, batch.numbers, _split(missed, batch), strict=True):
                if here.any():
                    yield subset, here[numbers]

    def _batches(self, tell: Tell, subsets: Sequence[Subset]) -> Iterator[_Batch]:
        numbering = SubsetNumbers(self.codes)
        step = max(1, _PLACES_AT_ONCE // max(len(self.codes), 1))
        for done in range(0, len(subsets), step):
            tell("Looking at combinations of columns", done / len(subsets))
            some = list(subsets[done : done + step])
            numbered = [numbering.of(subset) for subset in some]
            parts = [self.part(*found, done + at) for at, found in enumerate(numbered)]
            yield _Batch(some, [numbers for numbers, _ in numbered], parts)

    def part(self, numbers: Integers, count: int, name: int) -> Part:
        """Return the classes of a subset, given the number of each class of all columns among them."""
        return merged_part(self.whole, numbers, count, name)

    def _take(self, batch: _Batch, totals: Sequence[SubsetTally]) -> None:
        """Take in what every task finds of some subsets."""
        together = joined(batch.parts)
        found = measured(together, self.tasks, self.domains)
        for task, total, tally in zip(self.tasks, totals, found.tallies, strict=True):
            if task.model.averaged:
                self._take_averages(task, total, batch)
                continue
            _take_worst(task, total, tally, batch)
            for at, requirement in enumerate(task.requirements):
                if tally.failing_classes[at]:
                    alone = replace(task, requirements=(requirement,))
                    self._note(total, at, failing(together, [alone], self.domains), batch)

    def _note(self, total: SubsetTally, at: int, missed: NDArray[np.bool_], batch: _Batch) -> None:
        """Note which subsets, and which classes of all columns, miss a requirement."""
        for numbers, part, here in zip(batch.numbers, batch.parts, _split(missed, batch), strict=True):
            if here.any():
                total.failing_subsets[at] += 1
                total.most_failing[at] = max(total.most_failing[at], self.together(part, here, here[numbers]))
                total.missed[at] |= here[numbers]

    def together(self, part: Part, classes: NDArray[np.bool_], whole: NDArray[np.bool_]) -> int:
        """Return how many are in some classes of a subset, which are made of some of the classes of all columns."""
        del whole
        return int(part.sizes[classes].sum())

    def _take_averages(self, task: Task, total: SubsetTally, batch: _Batch) -> None:
        """Take in the mean over all rows of each subset; where it misses a requirement, no class is to blame."""
        for subset, part in zip(batch.subsets, batch.parts, strict=True):
            value = measured(part, [task], self.domains).tallies[0].average
            if total.value is None or ((value > total.value) == (task.model.good == "low") and value != total.value):
                total.value, total.subset = value, subset
            for at, requirement in enumerate(task.requirements):
                total.failing_subsets[at] += not requirement.met_by(value)

    def _name_worst(self, total: SubsetTally, numbering: SubsetNumbers) -> None:
        """Say of which class of all columns the first of the worst classes of a subset can be told."""
        keys = total.tally.keys
        if keys and len(keys[0]):
            numbers, worst = numbering.of(total.subset)[0], keys[0][:, 1]
            parts = np.flatnonzero(np.isin(numbers, worst))
            first = np.lexsort(self.codes[parts][:, total.subset[::-1]].T)[0]
            total.part = int(parts[first])
            total.size = int(total.tally.sizes[0][worst == numbers[total.part]][0])


def _take_worst(task: Task, total: SubsetTally, tally: Tally, batch: _Batch) -> None:
    """Take in the worst figure; of the classes that have it, keep those of the first subset only."""
    keys = tally.keys[0]
    if len(keys):
        first = keys[:, 0] == keys[:, 0].min()
        tally.keys, tally.sizes = [keys[first]], [tally.sizes[0][first]]
    total.tally.merge(tally, task.model)
    total.tally.keys, total.tally.sizes = total.tally.keys[:1], total.tally.sizes[:1]
    if total.tally.keys and total.tally.keys[0] is tally.keys[0]:
        total.subset = batch.subsets[int(tally.keys[0][0, 0]) - int(batch.parts[0].keys[0, 0])]
    total.value = total.tally.value


def _split(found: NDArray[np.bool_], batch: _Batch) -> list[NDArray[np.bool_]]:
    """Return what was found of the classes of a batch, subset by subset."""
    return np.split(found, np.cumsum([len(part.sizes) for part in batch.parts])[:-1])
