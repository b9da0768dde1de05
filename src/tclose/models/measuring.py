"""From parts to figures: every model on every class, the worst class, and how many miss a threshold.

Floats find the few classes that matter; whole numbers decide among them. No answer depends on the order
in which parts arrive, because ties are kept until all parts are in.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.errors import DomainError, Hint, InternalError
from tclose.models.base import AttributeModel, ClassFigures, Exact, Model, TableModel
from tclose.models.catalogue import Requirement
from tclose.models.counts import Block, Integers, Part, Superset, without_value
from tclose.models.distances.divergences import DIGITS
from tclose.models.domains import Domain
from tclose.policy.exact_numbers import as_float

_EQUAL = Decimal(10) ** -50
_NEAR = 4
"""Numbers within so many times as many as there are are ranked by a table, others by sorting."""
Foremost = Callable[[Integers], Integers]
"""Takes keys; returns the positions of those among which is the first in the order of the engine's values."""


@dataclass(frozen=True)
class Task:
    """A model to measure, on the table or on one attribute, and the requirements it must meet."""

    model: Model
    attribute: int | None = None
    requirements: tuple[Requirement, ...] = ()
    unasked: int = 0
    """How many of the first requirements are only counted, not judged."""


@dataclass
class Tally:
    """What one task found so far: the worst figure, the classes that have it, and who fails."""

    value: Exact | None = None
    keys: list[Integers] = field(default_factory=list)
    sizes: list[Integers] = field(default_factory=list)
    tied: int = 0
    """How many classes have the worst figure; ``keys`` need not name all of them, but names the first."""
    failing_classes: list[int] = field(default_factory=list)
    failing_rows: list[int] = field(default_factory=list)
    shares: dict[int, int] = field(default_factory=dict)
    """For averaged models: rows by denominator."""
    totals: dict[str, float] = field(default_factory=dict)
    """What the model wants added up over all classes."""
    at_most: set[int] = field(default_factory=set)
    """The requirements that fewer people may miss: somebody may be in several of the classes."""
    ways: list[Exact | None] = field(default_factory=list)
    """The worst figure in each way in which classes are judged, with and without missing values."""

    def merge(self, other: Tally, model: Model) -> None:
        """Take in what was found in another part."""
        for mine, others in (
            (self.failing_classes, other.failing_classes),
            (self.failing_rows, other.failing_rows),
        ):
            mine.extend([0] * (len(others) - len(mine)))
            for i, number in enumerate(others):
                mine[i] += number
        for denominator, rows in other.shares.items():
            self.shares[denominator] = self.shares.get(denominator, 0) + rows
        for name, total in other.totals.items():
            self.totals[name] = self.totals.get(name, 0) + total
        self.at_most |= other.at_most
        self.ways.extend([None] * (len(other.ways) - len(self.ways)))
        for at, found in enumerate(other.ways):
            if found is not None and compared(found, self.ways[at], model) > 0:
                self.ways[at] = found
        if other.value is None:
            return
        order = compared(other.value, self.value, model)
        if order > 0:
            self.value, self.keys, self.sizes, self.tied = other.value, [], [], 0
        elif order == 0 and isinstance(self.value, float):
            self.value = _worst_of(model, self.value, other.value)
        if order >= 0:
            self.keys += other.keys
            self.sizes += other.sizes
            self.tied += other.tied

    @property
    def average(self) -> Fraction:
        """The mean over rows of one over the denominators."""
        rows = sum(self.shares.values())
        return sum((Fraction(count, denominator) for denominator, count in self.shares.items()), Fraction(0)) / rows


@dataclass(frozen=True)
class Measured:
    """One part, measured: the keys and sizes of its classes, each task's values, and the tallies."""

    keys: Integers
    sizes: Integers
    values: tuple[NDArray[np.float64], ...]
    tallies: tuple[Tally, ...]
    people: int = 0
    """How many people of the population are in these classes."""
    size: int = 0
    """The sum of the sizes of these classes."""
    short: int = 0
    """How many of these classes have fewer rows in the population than in the table."""


def checked(parts: Iterable[Measured]) -> Iterator[Measured]:
    """Pass measured parts on, and refuse the population after the last one if it lacks rows of the table."""
    short = 0
    for part in parts:
        short += part.short
        yield part
    check_population(short)


class Means:
    """Figures on average over rows, summed exactly, so that it does not matter in which order classes come."""

    def __init__(self, tasks: int) -> None:
        self._products: list[list[NDArray[np.float64]]] = [[] for _ in range(tasks)]
        self._rows = [0] * tasks
        self._whole = True

    def of(self, parts: Iterable[Measured]) -> Iterator[Measured]:
        """Pass measured parts on, and keep what is needed of each."""
        for part in parts:
            self._whole = self._whole and len(part.values) == len(self._products)
            for at, values in enumerate(part.values):
                there = ~np.isnan(values)
                self._products[at].append(values[there] * part.sizes[there])
                self._rows[at] += int(part.sizes[there].sum())
            yield part

    def mean(self, task: int) -> float | None:
        """Return the mean of a figure; None where classes stayed where they are, or none has it."""
        if not self._whole or not self._rows[task]:
            return None
        return math.fsum(itertools.chain.from_iterable(self._products[task])) / self._rows[task]


def check_population(fewer: int) -> None:
    """Refuse a population that has fewer rows than the table in some classes: the table was not drawn from it."""
    if fewer:
        raise DomainError(
            f"The population has fewer rows than the table in {fewer} of the table's classes.",
            field="population",
            hint=Hint(
                "Name one that contains everyone in the table, with quasi-identifiers generalised in the same way."
            ),
        )


def measured(
    part: Part,
    tasks: Sequence[Task],
    domains: Sequence[Domain],
    population: Integers | None = None,
    supersets: list[Superset] | None = None,
    foremost: Foremost | None = None,
) -> Measured:
    """Return every task's figures for the classes of a part.

    Parameters
    ----------
    part
        Some whole classes.
    tasks
        What to measure.
    domains
        The domain of each attribute.
    population
        The size of each class in the population, if there is one.
    supersets
        For models that compare a class with larger ones: each way to enlarge classes. The part must then hold all
        classes.
    foremost
        Which of some keys may be the first; the tallies keep only those of the tied classes. All of them if None.
    """
    values: list[NDArray[np.float64]] = []
    tallies: list[Tally] = []
    people = short = 0
    if population is not None:
        people, short = int(population.sum()), int(np.count_nonzero(population < part.sizes))
        population = np.maximum(population, part.sizes)  # whoever asked refuses one that is short, when all is counted
    rest: dict[int, Block] = {}
    for task in tasks:
        judges = _judges(task, part, domains, rest, population, supersets)
        values.append(_worse([judge.figures.values for judge in judges], task.model))
        tallies.append(tally(task, judges, part, foremost))
    return Measured(part.keys, part.sizes, tuple(values), tuple(tallies), people, int(part.sizes.sum()), short)


def _judges(
    task: Task,
    part: Part,
    domains: Sequence[Domain],
    rest: dict[int, Block],
    population: Integers | None = None,
    supersets: list[Superset] | None = None,
) -> list[_Judge]:
    """Return who judges the classes of a part; where a missing value counts as a value, another one without it.

    Of these, the worse counts. A class in which all values are missing has nothing to be judged by without them. In
    ``rest`` the blocks without missing values are kept from one task to the next.
    """
    model = task.model
    if isinstance(model, TableModel):
        return [_Judge(model, model.measure(part.sizes, population), None, None)]
    if not isinstance(model, AttributeModel) or task.attribute is None:
        raise InternalError("A model was measured without what it measures.")
    domain, block = domains[task.attribute], part.blocks[task.attribute]
    beside = None if supersets is None else [superset.of(task.attribute) for superset in supersets]
    judges = [_Judge(model, _figures(model, block, domain, beside), block, domain)]
    if domain.present is not None and domain.missing is not None:
        missing = domain.missing
        if task.attribute not in rest:
            rest[task.attribute] = without_value(block, missing)
        block = rest[task.attribute]
        if beside is not None:
            beside = [(numbers, some and without_value(some, missing)) for numbers, some in beside]
        figures = _figures(model, block, domain.present, beside)
        figures = replace(figures, values=np.where(block.sizes == 0, np.nan, figures.values))
        judges.append(_Judge(model, figures, block, domain.present))
    return judges


def in_both_ways(block: Block, domain: Domain) -> list[tuple[Block, Domain]]:
    """Return counts with their domain; where a missing value counts as a value, those without it, too."""
    found = [(block, domain)]
    if domain.present is not None and domain.missing is not None:
        found.append((without_value(block, domain.missing), domain.present))
    return found


def _figures(
    model: AttributeModel, block: Block, domain: Domain, beside: list[tuple[Integers, Block | None]] | None
) -> ClassFigures:
    return model.measure(block, domain) if beside is None else model.measure_beside(block, domain, beside)


def _worse(ways: Sequence[NDArray[np.float64]], model: Model) -> NDArray[np.float64]:
    """Return the worse figure of each class; NaN says nothing of it."""
    return reduce(np.fmax if model.good == "low" else np.fmin, ways)


def tally(task: Task, judges: Sequence[_Judge], part: Part, foremost: Foremost | None = None) -> Tally:
    """Return the worst figure of a part and how many of its classes miss each requirement."""
    figures = judges[0].figures
    found = Tally(totals=dict(figures.totals))
    if task.model.averaged and figures.parts is not None:
        denominators, at = np.unique(figures.parts[0], return_inverse=True)
        rows = np.bincount(at, weights=part.sizes).astype(np.int64)
        found.shares = dict(zip(denominators.tolist(), rows.tolist(), strict=True))
        return found
    found.value, tied = judges[0].worst()
    found.ways = [found.value]
    for judge in judges[1:]:
        value, others = judge.worst()
        found.ways.append(value)
        order = -1 if value is None else compared(value, found.value, task.model)
        tied = others if order > 0 else np.union1d(tied, others) if order == 0 else tied
        if order > 0:
            found.value = value
        elif order == 0 and isinstance(found.value, float):
            found.value = _worst_of(task.model, value, found.value)
    found.tied = len(tied)
    if foremost is not None and len(tied) > 1:
        tied = tied[foremost(part.keys[tied])]
    found.keys, found.sizes = [part.keys[tied]], [part.sizes[tied]]
    for requirement in task.requirements:
        failing = _failing(judges, requirement)
        found.failing_classes.append(int(np.count_nonzero(failing)))
        found.failing_rows.append(int(part.sizes[failing].sum()))
    return found


def vacuous(requirement: Requirement, domain: Domain | None) -> bool:
    """Say whether no class could ever miss a requirement, with missing values as one of their own and without them."""
    ways = (None,) if domain is None else domain.ways
    return all(requirement.model.vacuous(each, requirement.threshold) for each in ways)


def failing(part: Part, tasks: Sequence[Task], domains: Sequence[Domain]) -> NDArray[np.bool_]:
    """Return which classes of a part miss a requirement of any task that judges classes."""
    missed = np.zeros(len(part.sizes), dtype=bool)
    rest: dict[int, Block] = {}
    for task in tasks:
        judges = _judges(task, part, domains, rest)
        for requirement in task.requirements:
            missed |= _failing(judges, requirement)
    return missed


def _failing(judges: Sequence[_Judge], requirement: Requirement) -> NDArray[np.bool_]:
    """Return which classes miss a requirement by any of those who judge."""
    return np.asarray(np.logical_or.reduce([judge.failing(requirement) for judge in judges]))


@dataclass(frozen=True)
class _Judge:
    """Decides about the classes of a part: exactly where floats are too near to each other."""

    model: Model
    figures: ClassFigures
    block: Block | None
    domain: Domain | None

    def worst(self) -> tuple[Exact | None, Integers]:
        """Return the worst figure and the positions of the classes that have it."""
        values = self.figures.values if self.model.good == "low" else -self.figures.values
        known = ~np.isnan(values)
        if not known.any():
            return None, np.zeros(0, dtype=np.int64)
        top = float(np.max(values, where=known, initial=-np.inf))
        if math.isinf(top):
            near = np.flatnonzero(values == top)
            return (top if self.model.good == "low" else -top), near
        near = np.flatnonzero(values >= top - self._margin(top))
        if self.figures.parts is None:
            return float(self.figures.values[near[0]]) if len(near) == 1 else self._typical(near), near
        exact, group = self._exactly(near)
        best = exact[0]
        for value in exact[1:]:
            if compared(value, best, self.model) > 0:
                best = value
        as_bad = np.array([compared(value, best, self.model) == 0 for value in exact])
        return best, near[as_bad[group]]

    def _margin(self, value: float) -> float:
        return self.model.margin * max(1.0, abs(value)) if math.isfinite(value) else 0.0

    def _typical(self, near: Integers) -> float:
        """Return one float for figures that differ only by rounding, whichever came first."""
        values = self.figures.values[near]
        return float(values.max() if self.model.good == "low" else values.min())

    def failing(self, requirement: Requirement) -> NDArray[np.bool_]:
        """Return which classes miss a requirement."""
        values, limit = self.figures.values, min(as_float(requirement.threshold), sys.float_info.max)
        beyond = values > limit if self.model.good == "low" else values < limit
        near = np.flatnonzero(np.abs(values - limit) <= self._margin(limit))
        if len(near) and self.figures.parts is not None:
            exact, group = self._exactly(near)
            missed = np.array([not requirement.met_by(value) for value in exact])
            beyond[near] = missed[group]
        else:
            for position in near.tolist():
                beyond[position] = not self._certainly_met(position, requirement)
        return np.asarray(beyond)

    def _exactly(self, near: Integers) -> tuple[list[Exact], Integers]:
        """Return the different exact figures among some classes, and which of them each class has."""
        columns = [part[near] for part in self.figures.parts or ()]
        number, group = 1, np.zeros(len(near), dtype=np.int64)
        for column in columns:
            different, code = _ranked(column)
            number, group = _ranked(group * different + code) if different > 1 else (number, group)
        first = np.empty(number, dtype=np.int64)
        first[group[::-1]] = np.arange(len(near))[::-1]
        return [self.model.exact(self.domain, *(int(column[at]) for column in columns)) for at in first.tolist()], group

    def _certainly_met(self, position: int, requirement: Requirement) -> bool:
        if self.block is None:
            raise InternalError("A figure without exact value was judged without its counts.")
        value = self.model.certain(self.domain, self.block, position)
        with localcontext() as context:
            context.prec = DIGITS
            threshold = Decimal(requirement.threshold.numerator) / Decimal(requirement.threshold.denominator)
            if abs(value - threshold) < _EQUAL:
                return not self.model.strict
        return (value > threshold) == (self.model.good == "high")


def _worst_of(model: Model, *values: Exact | None) -> Exact:
    """Return the worst of figures that differ only by rounding."""
    return (max if model.good == "low" else min)(value for value in values if value is not None)


def _ranked(numbers: NDArray[Any]) -> tuple[int, Integers]:
    """Return how many different numbers there are, and which of them, in their order, each is; near ones unsorted."""
    if numbers.dtype.kind == "i":
        low = int(numbers.min())
        span = int(numbers.max()) - low + 1
        if span <= _NEAR * len(numbers):
            present = np.zeros(span, dtype=np.int64)
            present[numbers - low] = 1
            ranks = np.cumsum(present) - 1
            return int(ranks[-1]) + 1, ranks[numbers - low]
    different, ranks = np.unique(numbers, return_inverse=True)
    return len(different), ranks


def compared(value: Exact, other: Exact | None, model: Model) -> int:
    """Return 1 if ``value`` is worse than ``other``, 0 if equal, −1 if better; rounding counts as equal."""
    if other is None:
        return 1
    if value == other:
        return 0
    if isinstance(value, float) and isinstance(other, float) and math.isfinite(value) and math.isfinite(other):
        difference, size = abs(value - other), abs(other)
        if difference <= model.margin * max(1.0, size):
            return 0
    return 1 if (value > other) == (model.good == "low") else -1


def merged(parts: Iterable[Measured], tasks: Sequence[Task]) -> list[Tally]:
    """Return the tallies of all parts together."""
    totals = [Tally() for _ in tasks]
    for part in parts:
        for total, task, found in zip(totals, tasks, part.tallies, strict=True):
            total.merge(found, task.model)
    return totals
