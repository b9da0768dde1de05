"""What was found of someone who knows a person's traits and some of their facts, as plain frozen data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from tclose.models.base import Model
from tclose.models.catalogue import Requirement
from tclose.models.counts import Block, ClassPeople
from tclose.models.domains import Domain
from tclose.models.measuring import in_both_ways

FEWER = 5
"""People with fewer candidates are counted where no k is required."""


@dataclass(frozen=True)
class Fact:
    """One fact: the published cells of a row that are not the same in all rows of a person."""

    table: str
    """The table that the row is in."""
    cells: Mapping[str, object] = field(repr=False)


@dataclass(frozen=True)
class Candidates:
    """The people who have certain traits and facts; of several such sets with a figure, the first."""

    base: Mapping[str, object] = field(repr=False)
    """The traits that are known."""
    facts: tuple[Fact, ...] = field(repr=False)
    """The facts that are known; one that is known twice is listed twice."""
    size: int
    """How many people they are."""


@dataclass(frozen=True)
class CandidateEvidence:
    """What the candidates behind a figure have of a sensitive attribute: the counts of one class, of people."""

    domain: Domain
    block: Block = field(repr=False)
    quasi: tuple[str, ...] = ()

    def histogram(self, key: Mapping[str, object]) -> list[int]:
        """Return how many people have each value; there is one class, whatever its key."""
        del key
        found = np.zeros(len(self.domain.values), dtype=np.int64)
        found[self.block.ranks] = self.block.counts
        return [int(count) for count in found]

    def held(self, key: Mapping[str, object]) -> ClassPeople | None:
        """Return the people; None where everybody has one value."""
        del key
        people = self.block.people
        if people is None:
            return None
        counts = np.zeros(len(people.values_of.people), dtype=np.int64)
        counts[people.sets.ranks] = people.sets.counts
        return ClassPeople(replace(people.values_of, people=counts), int(people.valued[0]))

    def matching(self, key: Mapping[str, object]) -> int:
        """Return that there is one class."""
        del key
        return 1

    @property
    def present(self) -> CandidateEvidence | None:
        """The same without missing values, where they count as a value."""
        ways = in_both_ways(self.block, self.domain)
        return CandidateEvidence(ways[1][1], ways[1][0]) if len(ways) > 1 else None


@dataclass(frozen=True)
class FactFigure:
    """The worst figure of one model among the candidates of everybody."""

    model: Model
    value: Fraction | int | float
    """Exact where the model has an exact figure."""
    worst: Candidates
    tied: int
    """How many sets of traits and facts have it."""
    evidence: CandidateEvidence | None = field(default=None, repr=False, compare=False)
    """What the candidates have; None for figures of no attribute, and where the candidates are withheld."""


@dataclass(frozen=True)
class Drawn:
    """People who were drawn at random because there are too many sets of facts to count them all."""

    people: int
    """How many were drawn."""
    fewer: int
    """For how many of them a set of facts was found that leaves too few candidates."""
    low: float
    """At least this share of all people has such a set, with a confidence of 95 % (Clopper and Pearson 1934)."""
    high: float | None
    """At most this share has one; None where somebody's sets were not all looked at."""


@dataclass(frozen=True)
class Power:
    """The figures for someone who knows the traits of a person and at most so many facts."""

    known: int
    """At most how many facts are known."""
    sets: int
    """How many sets of facts that people have were looked at, each once for everybody who has it."""
    k: FactFigure
    """The fewest candidates of anybody."""
    alone: int
    """How many people some set of facts leaves as the only candidate."""
    fewer: int
    """How many people some set of facts leaves among fewer candidates than :attr:`Facts.fewer_than`."""
    attributes: Mapping[str, Mapping[str, FactFigure]]
    """Figures of each sensitive attribute, by the key of their model."""
    drawn: Drawn | None = None
    """Set where sets were drawn: then every figure is the worst that was found, and may be worse."""


@dataclass(frozen=True)
class Linked:
    """How many people are told apart by a few of their rows, where a column links the rows of a person."""

    known: int
    """How many rows are known, at most."""
    alone: int
    """How many people some of their rows leave as the only candidate."""
    people: int
    at_least: bool
    """Whether these are the ones that were found among people who were drawn."""


@dataclass(frozen=True)
class FactVerdict:
    """Whether a requirement holds for someone who knows the facts."""

    requirement: Requirement
    holds: bool
    """Whether no set of facts that was looked at misses it."""
    figure: FactFigure
    failing: int
    """How many sets of traits and facts miss it."""
    known: int
    """At most how many facts are known."""

    @property
    def text(self) -> str:
        """The requirement as a person reads it."""
        return f"{self.requirement.text} for any {'fact' if self.known == 1 else f'{self.known} facts'}"


@dataclass(frozen=True)
class FactTable:
    """One table of a database of people."""

    label: str
    rows: int
    people: int
    """How many people have rows in it."""
    traits: tuple[str, ...]
    """The quasi-identifiers that are the same in all rows of a person."""
    facts: tuple[str, ...]
    """The quasi-identifiers whose cells make the facts of a row."""
    steady: tuple[str, ...] = ()
    """The sensitive attributes that are the same in all rows of a person."""


@dataclass(frozen=True)
class Facts:
    """What is learned by someone who knows the traits of a person and some of their facts."""

    asked: int
    """How many facts someone was said to know."""
    largest: int
    """How many facts the person has who has most."""
    repeated: bool
    """Whether it is known how often a fact is true of a person."""
    people: int
    tables: tuple[FactTable, ...]
    fewer_than: int
    powers: tuple[Power, ...]
    """One for each number of facts, from none."""
    verdicts: tuple[FactVerdict, ...]
    drivers: Mapping[str, int] | None = None
    """How many people are still alone without each column of facts; None where that was not counted."""

    def telling(self, figure: Callable[[FactFigure], FactFigure], named: Callable[[str], str] = str) -> Facts:
        """Return the same with every figure, and every name of a table, as a function gives it back."""
        powers = (
            replace(
                power,
                k=figure(power.k),
                attributes={
                    name: {key: figure(each) for key, each in figures.items()}
                    for name, figures in power.attributes.items()
                },
            )
            for power in self.powers
        )
        return replace(
            self,
            tables=tuple(replace(table, label=named(table.label)) for table in self.tables),
            powers=tuple(powers),
            verdicts=tuple(replace(verdict, figure=figure(verdict.figure)) for verdict in self.verdicts),
        )

    @property
    def last(self) -> Power:
        """The figures for someone who knows as many facts as were asked for."""
        return self.powers[-1]

    @property
    def certain(self) -> bool:
        """Whether every set of facts was looked at."""
        return all(power.drawn is None for power in self.powers)
