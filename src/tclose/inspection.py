"""One grouping of a table, inspected: which models to measure on it, what they found, and where."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from tclose.counts import Block, Integers, Part, Ranks
from tclose.domains import Domain, Observed, arranged
from tclose.engines.interface import ClassStore, Counted, MeasuredThere, MeasuresThere, Progress, Session, Table
from tclose.errors import DomainError, InputError
from tclose.measuring import Measured, Tally, Task, measured, merged
from tclose.models.base import Model
from tclose.models.catalogue import Requirement, label
from tclose.models.journalist import JournalistRisk
from tclose.models.prosecutor import ProsecutorRisk
from tclose.models.t_closeness import TCloseness
from tclose.results import AttributeAudit, Figure, Value, Verdict, WorstClass
from tclose.roles import Distance

AT_RISK = Fraction(1, 5)
"""A row counts as at risk where the chance to re-identify it is more than this."""
_MOST_DROPPED = 12
"""(n,t)-closeness tries every way to drop quasi-identifiers; with more of them there are too many."""


@dataclass(frozen=True)
class Run:
    """One grouping: by these quasi-identifiers, of these attributes (several names make one joint attribute)."""

    quasi: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    table_models: bool = True
    attribute_models: bool = True
    own: str | None = None
    """The attribute whose own classes these are, if they are not those of the quasi-identifiers."""


@dataclass(frozen=True)
class Finding:
    """What was found of one task."""

    task: Task
    tally: Tally
    figure: Figure
    domain: Domain | None

    @property
    def attribute(self) -> str | None:
        """The name of the attribute, or None for a figure of the table."""
        return self.domain.name if self.domain is not None else None

    def verdicts(self) -> Iterator[Verdict]:
        """Judge the figure by what a person required of it."""
        for at, requirement in enumerate(self.task.requirements):
            if at < self.task.unasked:
                continue
            averaged = self.task.model.averaged
            yield Verdict(
                requirement=replace(requirement, attribute=self.attribute),
                holds=requirement.met_by(self.figure.value) if averaged else self.tally.failing_classes[at] == 0,
                figure=self.figure,
                failing_classes=0 if averaged else self.tally.failing_classes[at],
                failing_rows=0 if averaged else self.tally.failing_rows[at],
                vacuous=self.task.model.vacuous(self.domain, requirement.threshold),
            )


@dataclass(frozen=True)
class Traced:
    """The way from a class back to its counts of one attribute."""

    domain: Domain
    quasi: tuple[str, ...]
    counted: Counted
    at: int
    ranks: Ranks

    def histogram(self, key: Mapping[str, object]) -> list[int]:
        """Return how many rows of a class carry each value; all 0 if there is no such class."""
        found = [0] * len(self.domain.values)
        for rank, count in zip(self.ranks.tolist(), self.counted.histogram(self.at, key), strict=True):
            if rank >= 0:
                found[rank] = count
        return found

    def matching(self, key: Mapping[str, object]) -> int:
        """Return how many classes have these values in the columns that are named."""
        return self.counted.matching(key)


@dataclass(frozen=True)
class Inspected:
    """What was found of one grouping."""

    rows: int
    domains: tuple[Domain, ...]
    ranks: tuple[Ranks, ...]
    findings: tuple[Finding, ...]
    classes: ClassStore
    evidence: tuple[Traced, ...]


@dataclass(frozen=True)
class Inspection:
    """A table under inspection: what to measure, what is required, and the engine that counts."""

    session: Session
    table: Table
    wanted: tuple[Requirement, ...]
    models: tuple[Model, ...]
    population: Table | None
    progress: Progress

    def inspect(
        self,
        run: Run,
        distances: Sequence[Distance | None],
        references: Sequence[Observed | Mapping[object, Any] | None],
    ) -> Inspected:
        """Count one grouping and measure every model on it."""
        population = self.population if run.table_models else None
        counted = self.session.count(self.table, run.quasi, run.names, self.progress, population)
        domains, ranks = zip(
            *(
                arranged(" × ".join(names), observed, distance, reference)
                for names, observed, distance, reference in zip(
                    run.names, counted.observed, distances, references, strict=True
                )
            ),
            strict=True,
        )
        tasks = self._tasks(run, domains)
        classes = counted.classes(_columns(tasks, domains), [task.model.whole for task in tasks])
        people: list[int] = []
        tallies = merged(_stored(self._parts(counted, ranks, tasks, domains, people), classes), tasks)
        findings = _findings(tasks, tallies, domains, classes, counted.rows, sum(people))
        evidence = tuple(
            Traced(domain, run.quasi, counted, at, some)
            for at, (domain, some) in enumerate(zip(domains, ranks, strict=True))
        )
        return Inspected(counted.rows, domains, ranks, findings, classes, evidence)

    def _tasks(self, run: Run, domains: Sequence[Domain]) -> list[Task]:
        """Return what to measure: table models once, attribute models for each attribute they apply to."""
        tasks = []
        for model in self.models:
            mine = [requirement for requirement in self.wanted if requirement.model == model]
            if model.scope == "table":
                always = [Requirement(model, AT_RISK)] if isinstance(model, ProsecutorRisk | JournalistRisk) else []
                if run.table_models:
                    tasks.append(Task(model, None, (*always, *mine), unasked=len(always)))
                continue
            for at, domain in enumerate(domains if run.attribute_models else ()):
                here = tuple(each for each in mine if each.attribute in (None, domain.name))
                refusal = model.refusal(domain)
                if refusal and here:
                    raise InputError(f"{model.title} cannot be required of {domain.name!r}: it {refusal}.")
                if not refusal:
                    tasks.append(Task(model, at, here))
        return tasks

    def _parts(
        self,
        counted: Counted,
        ranks: Sequence[Ranks],
        tasks: Sequence[Task],
        domains: Sequence[Domain],
        people: list[int],
    ) -> Iterable[Measured]:
        """Measure part by part; where classes are compared with larger ones, all in one part."""

        def measure(part: Part, supersets: list[Integers] | None = None) -> Measured:
            population = counted.population(part.keys)
            if population is not None:
                _check_population(int(np.count_nonzero(population < part.sizes)))
                people.append(int(population.sum()))
            return measured(part, tasks, domains, population, supersets)

        if not any(task.model.needs_supersets for task in tasks):
            there: MeasuresThere | None = getattr(counted, "measured", None)
            return counted.map(ranks, measure) if there is None else _there(there(ranks, tasks, domains), people)
        whole = _joined(list(counted.map(ranks, lambda part: part)))
        return [measure(whole, _supersets(counted.codes(whole.keys)))]

    def drivers(self, run: Run, found: Inspected, quasi: Sequence[str]) -> list[dict[str, Fraction] | None]:
        """Return, for each attribute, t with each quasi-identifier left out."""
        without: list[dict[str, Fraction]] = [{} for _ in found.domains]
        tasks = [Task(TCloseness(), at) for at in range(len(found.domains))]
        for name in quasi:
            fewer = [other for other in run.quasi if other != name]
            counted = self.session.count(self.table, fewer, run.names, self.progress)
            tallies = merged(self._parts(counted, found.ranks, tasks, found.domains, []), tasks)
            for driving, tally in zip(without, tallies, strict=True):
                driving[name] = Fraction(tally.value or 0)
        return list(without)


def _there(parts: Iterable[MeasuredThere], people: list[int]) -> Iterator[Measured]:
    """Give parts that the engine measured where their rows are, with what it found of the population."""
    for part in parts:
        _check_population(part.short)
        people.append(part.people)
        yield part


def _check_population(fewer: int) -> None:
    """Refuse a population that cannot have been the one the table was drawn from."""
    if fewer:
        raise DomainError(
            f"The population has fewer rows than the table in {fewer} of the table's classes; it must contain everyone "
            "in the table, with quasi-identifiers generalised in the same way."
        )


def attribute_audit(
    domain: Domain, findings: Sequence[Finding], drivers: Mapping[str, Fraction] | None
) -> AttributeAudit:
    """Return the figures of one attribute."""
    return AttributeAudit(
        name=domain.name,
        distance=domain.distance,
        values=len(domain.values),
        left_out=domain.left_out,
        figures=figures_by_key([finding for finding in findings if finding.attribute == domain.name]),
        largest_t=domain.ground.largest(),
        notes=domain.notes,
        drivers=drivers,
    )


def figures_by_key(findings: Sequence[Finding]) -> dict[str, Figure]:
    """Return figures by model key; a further figure of the same model goes by its parameters."""
    found: dict[str, Figure] = {}
    for finding in findings:
        model = finding.task.model
        found[model.key if model.key not in found else label(model)] = finding.figure
    return found


def _columns(tasks: Sequence[Task], domains: Sequence[Domain]) -> list[str]:
    """Return the class table's column for each task; a second one of a model is named with its parameters."""
    names: list[str] = []
    for task in tasks:
        prefix = "" if task.attribute is None else f"{domains[task.attribute].name}."
        name = prefix + task.model.key
        names.append(name if name not in names else prefix + label(task.model))
    return names


def _stored(parts: Iterable[Measured], classes: ClassStore) -> Iterator[Measured]:
    for part in parts:
        classes.add(part)
        yield part


def _findings(
    tasks: Sequence[Task],
    tallies: Sequence[Tally],
    domains: Sequence[Domain],
    classes: ClassStore,
    rows: int,
    people: int,
) -> tuple[Finding, ...]:
    """Name the class that decides each figure, and add the averages that go with the risks."""
    tied = [np.concatenate(tally.keys) if tally.keys else np.zeros((0, 1), dtype=np.int64) for tally in tallies]
    named = iter(classes.first_of([keys for keys in tied if len(keys)]))
    found = []
    average = next((tally.average for task, tally in zip(tasks, tallies, strict=True) if task.model.averaged), None)
    for task, tally, keys in zip(tasks, tallies, tied, strict=True):
        worst = None
        if len(keys):
            key, at = next(named)
            worst = WorstClass(key, int(np.concatenate(tally.sizes)[at]), tally.tied)
        value: Value = tally.average if task.model.averaged else (tally.value if tally.value is not None else 0)
        details = _details(task, tally, average, len(classes), rows, people)
        domain = domains[task.attribute] if task.attribute is not None else None
        found.append(Finding(task, tally, Figure(task.model, value, worst, details), domain))
    return tuple(found)


def _details(
    task: Task, tally: Tally, average: Fraction | None, classes: int, rows: int, people: int
) -> dict[str, Value]:
    if isinstance(task.model, ProsecutorRisk):
        return {"average": Fraction(classes, rows), "at_risk": Fraction(tally.failing_rows[0], rows)}
    if isinstance(task.model, JournalistRisk):
        expected = Fraction(classes, people)
        return {
            "average": max(expected, average or expected),
            "at_risk": Fraction(tally.failing_rows[0], rows),
        }
    return task.model.details(tally.totals, rows)


def _joined(parts: Sequence[Part]) -> Part:
    """Return all parts as one."""
    blocks = []
    for several in zip(*(part.blocks for part in parts), strict=True):
        lengths = np.concatenate([block.distinct for block in several])
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        ranks, counts, sizes = (
            np.concatenate([getattr(block, name) for block in several]) for name in ("ranks", "counts", "sizes")
        )
        blocks.append(Block(offsets, ranks, counts, sizes))
    keys = np.concatenate([part.keys for part in parts])
    return Part(keys, np.concatenate([part.sizes for part in parts]), tuple(blocks))


def _supersets(codes: Integers) -> list[Integers]:
    """Return, for every way to drop quasi-identifiers, the number of each class's superset."""
    columns = codes.shape[1]
    if columns > _MOST_DROPPED:
        raise InputError(
            f"(n,t)-closeness tries every way to drop quasi-identifiers; {columns} of them are too many, "
            f"name at most {_MOST_DROPPED}."
        )
    found = []
    for kept in range(columns):
        for chosen in itertools.combinations(range(columns), kept):
            numbers = np.zeros(len(codes), dtype=np.int64)
            for column in chosen:
                _, code = np.unique(codes[:, column], return_inverse=True)
                _, numbers = np.unique(numbers * (int(code.max()) + 1) + code, return_inverse=True)
            found.append(numbers)
    return found
