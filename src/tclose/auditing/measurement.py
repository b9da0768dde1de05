"""One grouping of a table, inspected: which models to measure on it, what they found, and where."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.auditing.results import AttributeAudit, Averages, Figure, Value, Verdict, WorstClass
from tclose.engines.base import Counted, Engine, Progress, Table
from tclose.engines.class_tables import ClassTable
from tclose.engines.people import Census, Trajectories
from tclose.errors import InputError, Note, Problems, counted
from tclose.models.base import Model, Whole
from tclose.models.catalogue import Requirement, label
from tclose.models.counts import (
    Block,
    ClassPeople,
    Integers,
    Part,
    Ranks,
    Superset,
    joined,
    ranks_without,
    sparse_block,
)
from tclose.models.domains import Domain, arranged
from tclose.models.measuring import Measured, Tally, Task, checked, compared, failing, merged, vacuous
from tclose.models.populations import Sampling
from tclose.models.traits import rho
from tclose.models.value_order import Observed
from tclose.policy.exact_numbers import shown
from tclose.policy.roles import Distance

_MOST_DROPPED = 12
"""(n,t)-closeness tries every way to drop quasi-identifiers; with more of them there are too many."""

_COUNTED_AGAIN = 1_000_000
"""A class is counted again for further figures in tables of at most so many rows: that takes a look at all."""


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
                at_most=not averaged and at in self.tally.at_most,
                vacuous=vacuous(requirement, self.domain),
            )


@dataclass(frozen=True)
class ClassEvidence:
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

    def held(self, key: Mapping[str, object]) -> ClassPeople | None:
        """Return the people of a class; None where everybody has one value, or where rows are counted."""
        found = self.counted.held(self.at, key)
        if found is None:
            return None
        valued = found.valued if (self.ranks < 0).any() else int(found.sets.people.sum())
        return ClassPeople(found.sets.renumbered(self.ranks), valued)

    def matching(self, key: Mapping[str, object]) -> int:
        """Return how many classes have these values in the columns that are named."""
        return self.counted.matching(key)

    @cached_property
    def present(self) -> ClassEvidence | None:
        """The same without missing values, where they count as a value."""
        domain, missing = self.domain.present, self.domain.missing
        if domain is None or missing is None:
            return None
        return replace(self, domain=domain, ranks=ranks_without(self.ranks, missing))


@dataclass(frozen=True)
class Inspected:
    """What was found of one grouping."""

    counted: Counted
    census: Census | None
    """How many people there are, where they are counted."""
    domains: tuple[Domain, ...]
    ranks: tuple[Ranks, ...]
    findings: tuple[Finding, ...]
    classes: ClassTable
    evidence: tuple[ClassEvidence, ...]
    whole: Part | None
    """All classes, where they were needed together."""
    sizes: Mapping[int, int]
    """How many classes have each size, where people are counted; empty where an engine sends home no sizes."""

    def rho(self, at: int) -> float | None:
        """Return ρ of an attribute, None where it is not the same in all rows of a person, or nobody has several."""
        observed, people = self.counted.observed[at], self.people
        sizes = np.array(list(self.sizes), dtype=np.int64)
        classes = np.array(list(self.sizes.values()), dtype=np.int64)
        if people is None or observed.people is not None or int(sizes @ classes) <= people:
            return None
        return rho(sizes, np.asarray(observed.counts), classes)

    @property
    def traits(self) -> list[str]:
        """The attributes of which nobody has two values, where people are counted."""
        pairs = zip(self.domains, self.counted.observed, strict=True)
        return [] if self.census is None else [domain.name for domain, seen in pairs if seen.people is None]

    @property
    def without_people(self) -> list[str]:
        """The attributes of which somebody has several values, and whose reference says nothing of people."""
        pairs = zip(self.domains, self.counted.observed, strict=True)
        return [domain.name for domain, seen in pairs if seen.people is not None and domain.people is None]

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return self.counted.rows if self.census is None else self.census.rows

    @property
    def people(self) -> int | None:
        """How many people, where they are counted."""
        return None if self.census is None else self.census.people


@dataclass(frozen=True)
class Inspection:
    """A table under inspection: what to measure, what is required, and the engine that counts."""

    session: Engine
    table: Table[Any]
    wanted: tuple[Requirement, ...]
    models: tuple[Model, ...]
    population: Table[Any] | None
    progress: Progress
    any: int | None = None
    """At most how many columns someone knows, where that is looked at too."""
    sampling: Sampling | None = None
    """How the table was drawn from its population, where that is estimated."""

    def _census(self, counted: Counted) -> Census | None:
        """Return how many people there are, every row of someone; None where rows are counted."""
        if self.table.person is None:
            return None
        found = counted.census or self._asked_census
        found.check(self.table.person, self.table.label)
        return found

    @cached_property
    def _asked_census(self) -> Census:
        """How many people there are, asked of the engine once for all groupings."""
        return self.session.census(self.table, str(self.table.person))

    def trajectories(self, found: Inspected) -> Trajectories | None:
        """Return by which sets of the classes found people are told apart; None where rows are counted."""
        person = self.table.person
        if person is None:
            return None
        return found.counted.trajectories() or self.session.trajectories(self.table, found.counted.quasi, person)

    def inspect(
        self,
        run: Run,
        distances: Sequence[Distance | None],
        references: Sequence[Observed | Mapping[object, Any] | None],
    ) -> Inspected:
        """Count one grouping and measure every model on it."""
        population = self.population if run.table_models else None
        counted = self.session.count(self.table, run.quasi, run.names, self.progress, population)
        census = self._census(counted)
        problems, arranged_all = Problems(), []
        for names, observed, distance, reference in zip(
            run.names, counted.observed, distances, references, strict=True
        ):
            with problems.caught():
                arranged_all.append(arranged(" × ".join(names), observed, distance, reference))
        problems.check()
        domains, ranks = zip(*arranged_all, strict=True)
        tasks = self.tasks(run, domains)
        classes = counted.classes(_columns(tasks, domains), [task.model.whole for task in tasks])
        whole, sums = self._whole(counted, ranks, tasks), _Sums(by_size=self.table.person is not None)
        tallies = merged(_stored(sums.of(self.parts(run, counted, whole, ranks, tasks, domains)), classes), tasks)
        if census is not None:
            several = sums.size > census.people
            count_failing_once(counted, ranks, tasks, tallies, domains, census.people, several=several)
        findings = _findings(tasks, tallies, domains, classes, sums)
        if self.table.person is not None:
            findings = tuple(replace(found, figure=replace(found.figure, unit="people")) for found in findings)
        evidence = tuple(
            ClassEvidence(domain, run.quasi, counted, at, some)
            for at, (domain, some) in enumerate(zip(domains, ranks, strict=True))
        )
        findings = tuple(_with_worst(found, evidence) for found in findings)
        return Inspected(counted, census, domains, ranks, findings, classes, evidence, whole, sums.sizes)

    def tasks(self, run: Run, domains: Sequence[Domain], *, subsets: bool = False) -> list[Task]:
        """Return what to measure: table models once, attribute models for each attribute they apply to.

        With ``subsets``, what is required of whoever knows only some of the columns; else, of whoever knows all.
        """
        tasks = []
        for model in self.models:
            mine = [each for each in self.wanted if each.model == model and (each.any is not None) == subsets]
            always = [Requirement(model, model.at_risk)] if model.at_risk is not None and not subsets else []
            if model.scope == "table":
                if run.table_models:
                    tasks.append(Task(model, None, (*always, *mine), unasked=len(always)))
                continue
            for at, domain in enumerate(domains if run.attribute_models else ()):
                here = tuple(each for each in mine if each.attribute in (None, domain.name))
                refusal = model.refusal(domain)
                if refusal and here:
                    problem = f"{model.title} cannot be required of {domain.name!r}: it {refusal}."
                    raise InputError(problem, field=model.key, column=domain.name)
                if not refusal:
                    tasks.append(Task(model, at, (*always, *here), unasked=len(always)))
        return tasks

    def _whole(self, counted: Counted, ranks: Sequence[Ranks], tasks: Sequence[Task]) -> Part | None:
        """Return all classes in one part where they are compared with larger ones or merged; None elsewhere."""
        merging = self.any is not None and self.table.person is None
        if not merging and not any(task.model.needs_supersets for task in tasks):
            return None
        return joined(list(counted.map(ranks, lambda part: part)))

    def parts(
        self,
        run: Run,
        counted: Counted,
        whole: Part | None,
        ranks: Sequence[Ranks],
        tasks: Sequence[Task],
        domains: Sequence[Domain],
    ) -> Iterator[Measured]:
        """Measure part by part, or all classes in one part where they are all here."""
        if whole is None:
            return counted.measured(ranks, tasks, domains)
        compared = any(task.model.needs_supersets for task in tasks)
        supersets = self._supersets(run, counted, whole, ranks) if compared else None
        return checked([counted.measure(whole, tasks, domains, supersets)])

    def _supersets(self, run: Run, counted: Counted, whole: Part, ranks: Sequence[Ranks]) -> list[Superset]:
        """Return every way to drop quasi-identifiers; people are counted again, who may be in several classes."""
        codes = counted.codes(whole.keys)
        found = []
        for chosen in _subsets(codes.shape[1]):
            blocks = None
            if self.table.person is not None:
                fewer = self.session.count(self.table, [run.quasi[at] for at in chosen], run.names, self.progress)
                united = joined(list(fewer.map(ranks, lambda part: part)))
                places = np.argsort(_numbered(fewer.codes(united.keys)))
                blocks = tuple(_in_order(block, places) for block in united.blocks)
            found.append(Superset(_numbered(codes[:, list(chosen)]), blocks))
        return found


@dataclass(frozen=True)
class Driving:
    """What leaving out each quasi-identifier does to t of an attribute."""

    without: Mapping[str, Fraction] | None = None
    averages: Averages | None = None


def attribute_audit(domain: Domain, findings: Sequence[Finding], driving: Driving) -> AttributeAudit:
    """Return the figures of one attribute."""
    return AttributeAudit(
        name=domain.name,
        distance=domain.distance,
        values=len(domain.values),
        left_out=domain.left_out,
        figures=figures_by_key([finding for finding in findings if finding.attribute == domain.name]),
        largest_t=max(each.largest_t for each in domain.ways),
        notes=(*domain.notes, *_judged_both_ways(domain, findings)),
        drivers=driving.without,
        averages=driving.averages,
    )


def _judged_both_ways(domain: Domain, findings: Sequence[Finding]) -> Iterator[Note]:
    """Say which figures differ with and without missing values, where these count as a value."""
    mine = [each for each in findings if each.attribute == domain.name]
    differing = [
        f"{label(each.task.model)} is {shown(with_them)} with and {shown(without)} without them"
        for each in mine
        for with_them, without in [each.tally.ways] * (len(each.tally.ways) == 2)
        if with_them is not None and without is not None and compared(with_them, without, each.task.model)
    ]
    if differing and domain.missing is not None:
        number = int(domain.counts[domain.missing])
        people = "1 person" if number == 1 else f"{number} people"
        missing = counted(number, "row") if mine[0].figure.unit == "rows" else people
        yield Note(
            "missing-judged-twice",
            f"{missing} without a value of {domain.name!r}: a class is judged with missing values as one of their own "
            f"and without them, and the worse counts. {'; '.join(differing)}.",
            column=domain.name,
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


@dataclass
class _Sums:
    """What is summed over the classes while they pass by: their sizes, and their sizes in the population."""

    size: int = 0
    people: int = 0
    by_size: bool = False
    """Whether it is asked how many classes have each size."""
    sizes: Counter[int] = field(default_factory=Counter)

    def of(self, parts: Iterable[Measured]) -> Iterator[Measured]:
        for part in parts:
            self.size += part.size
            self.people += part.people
            if self.by_size:
                there, classes = np.unique(part.sizes, return_counts=True)
                self.sizes.update(dict(zip(there.tolist(), classes.tolist(), strict=True)))
            yield part


def _stored(parts: Iterable[Measured], classes: ClassTable) -> Iterator[Measured]:
    for part in parts:
        classes.add(part)
        yield part


def _findings(
    tasks: Sequence[Task],
    tallies: Sequence[Tally],
    domains: Sequence[Domain],
    classes: ClassTable,
    whole: _Sums,
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
        at_risk = tally.failing_rows[0] if task.model.at_risk is not None else 0
        details = task.model.details(Whole(whole.size, len(classes), whole.people, at_risk, tally.totals, average))
        domain = domains[task.attribute] if task.attribute is not None else None
        found.append(Finding(task, tally, Figure(task.model, value, worst, details), domain))
    return tuple(found)


def _with_worst(found: Finding, evidence: Sequence[ClassEvidence]) -> Finding:
    """Return a finding with the further figures of its worst class; in a large table only if that is at risk."""
    model, at, worst = found.task.model, found.task.attribute, found.figure.worst
    if not model.of_worst or at is None or worst is None:
        return found
    traced, at_risk = evidence[at], model.at_risk is not None and found.tally.failing_classes[0] > 0
    if traced.counted.rows > _COUNTED_AGAIN and not at_risk:
        return found
    details = model.details_of_worst(traced.domain, traced.histogram(worst.key))
    return replace(found, figure=replace(found.figure, details={**found.figure.details, **details}))


def count_failing_once(
    counted: Counted,
    ranks: Sequence[Ranks],
    tasks: Sequence[Task],
    tallies: Sequence[Tally],
    domains: Sequence[Domain],
    people: int,
    *,
    several: bool = True,
) -> None:
    """Count everybody once who is in classes that miss a requirement; where nobody can, say at most how many are.

    Parameters
    ----------
    counted, ranks, tasks, domains
        What was counted and measured.
    tallies
        What was found of each task, in which people are counted once instead of once in each class.
    people
        How many people there are.
    several
        Whether somebody may be in several classes.
    """
    missed = [
        (task, tally, at)
        for task, tally in zip(tasks, tallies, strict=True)
        for at in range(task.unasked, len(tally.failing_rows))
        if tally.failing_classes[at] > 1 and several
    ]
    by_class = [each for each in missed if not (each[0].model.needs_supersets or each[0].model.needs_population)]
    known = by_class if counted.tells_people else []
    judged = [replace(task, requirements=(task.requirements[at],)) for task, _, at in known]

    def misses(part: Part) -> NDArray[np.bool_]:
        return np.stack([failing(part, [task], domains) for task in judged])

    marks = np.concatenate(list(counted.map(ranks, misses)), axis=1) if judged else ()
    for (_, tally, at), classes in zip(known, marks, strict=True):
        tally.failing_rows[at] = counted.people_in(classes)
    for each in missed:
        _, tally, at = each
        if not any(each is one for one in known):
            tally.failing_rows[at] = min(tally.failing_rows[at], people)
            tally.at_most.add(at)


def _subsets(columns: int) -> Iterator[tuple[int, ...]]:
    """Give every way to drop some of the quasi-identifiers: those that stay."""
    if columns > _MOST_DROPPED:
        raise InputError(
            f"(n,t)-closeness tries every way to drop quasi-identifiers; {columns} of them are too many, "
            f"name at most {_MOST_DROPPED}.",
            field="quasi",
        )
    for kept in range(columns):
        yield from itertools.combinations(range(columns), kept)


def _numbered(codes: Integers) -> Integers:
    """Return the number of each row of codes among the different ones, in the order of the codes."""
    numbers = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        _, code = np.unique(column, return_inverse=True)
        _, numbers = np.unique(numbers * (int(code.max()) + 1) + code, return_inverse=True)
    return numbers


def _in_order(block: Block, places: Integers) -> Block:
    """Return a block with its classes in another order."""
    number = np.empty_like(places)
    number[places] = np.arange(len(places))
    classes = np.repeat(number, block.distinct)
    return sparse_block(classes, block.ranks, block.counts, block.classes)
