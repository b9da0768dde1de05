"""People who have several values: counted by the set of values that each has anywhere in the table.

An engine adds a column with the number of each person's set. That column is counted by class like any other, which says
how many people of a class have which set; grouped by it, the attribute itself says what the sets hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np

from tclose.engines.base import Counted, Made
from tclose.engines.class_tables import ClassTable
from tclose.engines.people import Trajectories
from tclose.models.counts import ClassPeople, Integers, Part, PeopleBlock, Ranks, ValueSets, joined
from tclose.models.domains import Domain
from tclose.models.measuring import Measured, Task
from tclose.models.value_order import Observed

Result = TypeVar("Result")


@dataclass(frozen=True)
class Held:
    """The columns that an engine added for an attribute of which somebody has several values."""

    at: int
    """Which attribute."""
    sets: str
    """The column with the number of the set of values that the person of a row has."""
    valued: str | None
    """The column that is 1 in rows with a value and 0 in others; None where every row has one."""

    @property
    def names(self) -> list[str]:
        """The columns."""
        return [self.sets] if self.valued is None else [self.sets, self.valued]


@dataclass(frozen=True)
class WithPeople:
    """Makes of a part with added attributes one whose blocks know their people."""

    attributes: int
    """How many attributes are not added ones."""
    folded: Sequence[tuple[int, int, int | None, bool, ValueSets]]
    """For attributes with several values a person: its place, those of its sets and of its rows with a value where some
    have none, whether these are left out, and what the sets hold."""

    def __call__(self, part: Part) -> Part:
        """Return the part."""
        blocks = list(part.blocks[: self.attributes])
        for at, sets, valued, left_out, known in self.folded:
            there = part.sizes if valued is None else part.blocks[valued].sizes
            counted, present = (there, None) if left_out or valued is None else (part.sizes, there)
            blocks[at] = replace(blocks[at], people=PeopleBlock(counted, part.blocks[sets], known, present))
        return Part(part.keys, part.sizes, tuple(blocks))


class HistoryCounted(Counted):
    """A table whose people were counted by their sets of values, too.

    Parameters
    ----------
    counted
        The table counted by class, with the added columns as further attributes.
    held
        The added columns.
    contents
        For each of them the table counted by it, with the values of its attribute.
    attributes
        How many of the counted attributes are not added ones.
    """

    def __init__(self, counted: Counted, held: Sequence[Held], contents: Sequence[Counted], attributes: int) -> None:
        self.rows = counted.rows
        self.quasi = counted.quasi
        self.census = counted.census
        self._counted = counted
        self._attributes = attributes
        self._held = held
        self._contents = contents
        places = iter(range(attributes, attributes + sum(len(each.names) for each in held)))
        self._places = [[next(places) for _ in each.names] for each in held]

    @cached_property
    def observed(self) -> list[Observed]:
        """The values of each attribute, how many people carry them, and the sets of values that people have."""
        found = self._counted.observed[: self._attributes]
        for each, contents in zip(self._held, self._contents, strict=True):
            found[each.at] = replace(found[each.at], people=_sets(contents, found[each.at]))
        return found

    def map(self, ranks: Sequence[Ranks], measure: Callable[[Part], Result]) -> Iterator[Result]:
        """Apply a function to every part."""
        every, with_people = self._with_people(ranks)
        return self._counted.map(every, lambda part: measure(with_people(part)))

    def measured(
        self, ranks: Sequence[Ranks], tasks: Sequence[Task], domains: Sequence[Domain], made: Made | None = None
    ) -> Iterator[Measured]:
        """Measure every class where the rows are."""
        every, with_people = self._with_people(ranks)
        return self._counted.measured(every, tasks, domains, made or with_people)

    def _with_people(self, ranks: Sequence[Ranks]) -> tuple[list[Ranks], WithPeople]:
        """Return the ranks of all counted attributes, and what makes their blocks those of people."""
        known = [self._known(each, ranks[each.at]) for each in self._held]
        further = [rank for each, sets in zip(self._places, known, strict=True) for rank in self._ranks(each, sets)]
        left_out = [bool((ranks[each.at] < 0).any()) for each in self._held]
        folded = [
            (each.at, at, valued[0] if valued else None, some, sets)
            for each, (at, *valued), some, sets in zip(self._held, self._places, left_out, known, strict=True)
        ]
        return [*ranks, *further], WithPeople(self._attributes, folded)

    def _known(self, held: Held, ranks: Ranks) -> ValueSets:
        people = self.observed[held.at].people
        if people is None:
            raise TypeError("An attribute has sets of values that nobody looked at.")
        return people.renumbered(ranks)

    def _ranks(self, places: Sequence[int], known: ValueSets) -> Iterator[Ranks]:
        """Give the ranks of the sets, but of those without a value, and of the rows that have a value."""
        sets, *valued = (self._counted.observed[place] for place in places)
        numbers = np.argsort(np.argsort(np.array(sets.listed, dtype=np.int64)))
        yield np.where(known.lengths[numbers] > 0, numbers, -1).astype(np.int32)
        for each in valued:
            yield (np.array(each.listed, dtype=np.int64) - 1).astype(np.int32)

    def trajectories(self) -> Trajectories | None:
        """Return by which sets of classes people are told apart, where the counts tell it."""
        return self._counted.trajectories()

    def foremost(self, keys: Integers) -> Integers:
        """Return the positions of keys among which is the one that is first in the order of its values."""
        return self._counted.foremost(keys)

    def classes(self, figures: Sequence[str], whole: Sequence[bool]) -> ClassTable:
        """Return an empty class table with these figures."""
        return self._counted.classes(figures, whole)

    def codes(self, keys: Integers) -> Integers:
        """Return, for each key, a code of each quasi-identifier."""
        return self._counted.codes(keys)

    def population(self, keys: Integers) -> Integers | None:
        """Return the size of each class in the population."""
        return self._counted.population(keys)

    def histogram(self, at: int, key: Mapping[str, object]) -> list[int]:
        """Return how many people of a class carry each observed value of an attribute."""
        return self._counted.histogram(at, key)

    def held(self, at: int, key: Mapping[str, object]) -> ClassPeople | None:
        """Return the people of a class."""
        for each, (place, *valued) in zip(self._held, self._places, strict=True):
            if each.at == at and (known := self.observed[at].people) is not None:
                order = np.argsort(np.array(self._counted.observed[place].listed, dtype=np.int64))
                people = np.array(self._counted.histogram(place, key), dtype=np.int64)[order]
                there = int(people.sum())
                for other in valued:
                    marks = dict(
                        zip(self._counted.observed[other].listed, self._counted.histogram(other, key), strict=True)
                    )
                    there = marks.get(1, 0)
                return ClassPeople(replace(known, people=people), there)
        return None

    def matching(self, key: Mapping[str, object]) -> int:
        """Return how many classes have these values in the columns that are named."""
        return self._counted.matching(key)


def _sets(contents: Counted, observed: Observed) -> ValueSets:
    """Return what the sets hold, as places among the observed values, from a table grouped by the number of a set."""
    (mine,) = contents.observed
    everything = joined(list(contents.map([np.arange(len(mine.values), dtype=np.int32)], lambda part: part)))
    (block,) = everything.blocks
    order = np.argsort(contents.codes(everything.keys)[:, 0])
    offsets = np.zeros(len(order) + 1, dtype=np.int64)
    np.cumsum(block.distinct[order], out=offsets[1:])
    at = np.repeat(block.offsets[:-1][order] - offsets[:-1], block.distinct[order]) + np.arange(offsets[-1])
    place_of = {repr(value): place for place, value in enumerate(observed.listed)}
    places = np.array([place_of[repr(value)] for value in mine.listed], dtype=np.int32)
    return ValueSets(offsets, block.ranks[at], everything.sizes[order]).renumbered(places)
