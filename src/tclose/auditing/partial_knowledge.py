"""What was found for whoever knows only some of the columns: the worst figures of all subsets, and where they fail."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.auditing.measurement import Finding, Inspected, Inspection, Run, count_failing_once, figures_by_key
from tclose.auditing.results import AnyColumns, Figure, Verdict, WorstClass
from tclose.engines.distinct import DistinctRows
from tclose.errors import InputError, InternalError
from tclose.models.counts import Block, Integers, Part, PeopleBlock, Ranks, ValueSets
from tclose.models.domains import Domain
from tclose.models.measuring import Tally, Task, compared, merged, vacuous
from tclose.models.subsets import Subset, SubsetJudge, check_subsets, column_subsets, number_of_subsets

# People in the classes of every subset of columns, who may be in several classes of all columns: counted once each.


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


_MOST_ROWS = 2_000_000
"""Up to so many rows, those of people are held here while subsets of columns are looked at."""


@dataclass(frozen=True)
class SubsetFinding(Finding):
    """What was found of one task for whoever knows only some of the columns."""

    failing_subsets: tuple[int, ...]
    """For each requirement, in how many subsets a class misses it."""
    failing_rows: tuple[int, ...]
    """For each requirement the rows in such classes, each once; of people, the most in one subset."""

    def verdicts(self) -> Iterator[Verdict]:
        """Judge the worst figure of all subsets by what a person required of it."""
        averaged = self.task.model.averaged
        for at, requirement in enumerate(self.task.requirements):
            yield Verdict(
                requirement=replace(requirement, attribute=self.attribute),
                holds=self.failing_subsets[at] == 0,
                figure=self.figure,
                failing_classes=0 if averaged else self.tally.failing_classes[at],
                failing_rows=self.failing_rows[at],
                at_most=at in self.tally.at_most,
                vacuous=vacuous(requirement, self.domain),
                failing_subsets=self.failing_subsets[at],
            )


def subset_findings(inspection: Inspection, run: Run, found: Inspected) -> list[SubsetFinding]:
    """Measure every model on the classes of every subset of at most so many columns; nothing where none is asked."""
    if inspection.any is None:
        return []
    check_subsets(len(run.quasi), inspection.any)
    tasks = [task for task in inspection.tasks(run, found.domains, subsets=True) if _of_classes_alone(task)]
    if inspection.table.person is not None:
        return _of_people(inspection, inspection.any, run, found, tasks)
    return _of_rows(inspection, inspection.any, run, found, tasks)


def any_columns(most: int, columns: int, known: Sequence[SubsetFinding]) -> AnyColumns:
    """Return the figures for whoever knows at most so many columns."""
    names = dict.fromkeys(finding.attribute for finding in known if finding.attribute is not None)
    return AnyColumns(
        most,
        number_of_subsets(columns, most),
        figures_by_key([finding for finding in known if finding.attribute is None]),
        {name: figures_by_key([finding for finding in known if finding.attribute == name]) for name in names},
    )


def _of_classes_alone(task: Task) -> bool:
    """Say whether a task can be measured on the classes of a subset; refuse one that cannot and is required."""
    beyond = task.model.needs_population or task.model.needs_supersets
    if beyond and task.requirements:
        raise InputError(
            f"{task.model.title} cannot be required for some of the columns: it depends on more than the class itself.",
            field=task.model.key,
        )
    return not beyond


def _of_rows(inspection: Inspection, most: int, run: Run, found: Inspected, tasks: list[Task]) -> list[SubsetFinding]:
    """Merge the classes of all columns to those of each subset: no row is read again."""
    counted, whole = found.evidence[0].counted, found.whole
    if whole is None:
        raise InternalError("Subsets of columns were looked at without the classes of all columns.")
    judge = SubsetJudge(whole, counted.codes(whole.keys), most, tasks, found.domains)
    totals = judge.judged(inspection.progress)
    named = iter(found.classes.first_of([whole.keys[[total.part]] for total in totals if total.part is not None]))
    findings = []
    for task, total in zip(tasks, totals, strict=True):
        columns = tuple(run.quasi[at] for at in total.subset)
        worst = None
        if total.part is not None:
            key, _ = next(named)
            worst = WorstClass({name: key[name] for name in columns}, total.size, total.tally.tied)
        figure = Figure(task.model, 0 if total.value is None else total.value, worst, known=columns)
        rows = tuple(total.failing_rows(at, whole.sizes) for at in range(len(task.requirements)))
        domain = found.domains[task.attribute] if task.attribute is not None else None
        findings.append(SubsetFinding(task, total.tally, figure, domain, tuple(total.failing_subsets), rows))
    return findings


@dataclass
class _Totals:
    """What one task found of the people of every subset so far."""

    tally: Tally = field(default_factory=Tally)
    value: Any = None
    subset: Subset = ()
    worst: tuple[Mapping[str, object], int] | None = None
    failing_subsets: list[int] = field(default_factory=list)
    failing_people: list[int] = field(default_factory=list)


def _of_people(inspection: Inspection, most: int, run: Run, found: Inspected, tasks: list[Task]) -> list[SubsetFinding]:
    """Judge the people of each subset; a person may be in several classes of all columns."""
    judge = _people_at_hand(inspection, most, run, found, tasks)
    if judge is None:
        return _counted_anew(inspection, most, run, found, tasks)
    findings = []
    recounted: dict[Subset, tuple[list[Tally], Any]] = {}
    for at, total in enumerate(judge.judged(inspection.progress)):
        task, worst, columns = tasks[at], None, tuple(run.quasi[column] for column in total.subset)
        if total.tally.keys and len(total.tally.keys[0]):
            if total.subset not in recounted:
                recounted[total.subset] = _recounted(inspection, run, found, tasks, total.subset)
            tallies, first_of = recounted[total.subset]
            if total.value is None or compared(total.value, tallies[at].value, task.model):
                raise InternalError("Two ways to count the people of some columns differ.")
            ((key, place),) = first_of([np.concatenate(tallies[at].keys)])
            worst = WorstClass(key, int(np.concatenate(tallies[at].sizes)[place]), total.tally.tied)
        figure = Figure(task.model, total.value or 0, worst, unit="people", known=columns)
        domain = found.domains[task.attribute] if task.attribute is not None else None
        failing = tuple(total.failing_subsets), tuple(total.most_failing)
        findings.append(SubsetFinding(task, total.tally, figure, domain, *failing))
    return findings


def _people_at_hand(
    inspection: Inspection, most: int, run: Run, found: Inspected, tasks: list[Task]
) -> PeopleJudge | None:
    """Return the judge of people whose distinct rows may be held here; None where they stay with their engine."""
    person, census = str(inspection.table.person), found.census
    if not inspection.session.hands_over_people or census is None or census.rows > _MOST_ROWS:
        return None
    rows = inspection.table.counting(None)
    distinct = inspection.session.distinct(rows, [*run.quasi, person], run.names, lambda _stage, _share: None)
    pairs = zip(found.counted.observed, found.ranks, strict=True)
    rank_of = [dict(zip(observed.listed, ranks.tolist(), strict=True)) for observed, ranks in pairs]
    return people_judge(distinct, rank_of, most, tasks, found.domains)


def _recounted(
    inspection: Inspection, run: Run, found: Inspected, tasks: list[Task], subset: Subset, *, once: bool = False
) -> tuple[list[Tally], Any]:
    """Count the people of one subset in the engine; return what tasks find, and what names the first of its classes.

    With ``once`` who misses a requirement in several classes counts once.
    """
    counted = inspection.session.count(
        inspection.table, [run.quasi[column] for column in subset], run.names, lambda _stage, _share: None
    )
    tallies = merged(counted.measured(found.ranks, tasks, found.domains), tasks)
    if once and found.census is not None:
        count_failing_once(counted, found.ranks, tasks, tallies, found.domains, found.census.people)
    return list(tallies), counted.classes([], []).first_of


def _counted_anew(
    inspection: Inspection, most: int, run: Run, found: Inspected, tasks: list[Task]
) -> list[SubsetFinding]:
    """Count people anew for each subset, where the engine is."""
    totals = [_Totals(Tally(), None, (), None, *([0] * len(task.requirements) for _ in "ab")) for task in tasks]
    number = number_of_subsets(len(run.quasi), most)
    for at, subset in enumerate(column_subsets(len(run.quasi), most)):
        inspection.progress("Looking at combinations of columns", at / number)
        tallies, first = _recounted(inspection, run, found, tasks, subset, once=True)
        for task, total, tally in zip(tasks, totals, tallies, strict=True):
            _take(task, total, tally, subset, first)
    findings = []
    for task, total in zip(tasks, totals, strict=True):
        worst = None if total.worst is None else WorstClass(*total.worst, total.tally.tied)
        columns = tuple(run.quasi[at] for at in total.subset)
        figure = Figure(task.model, total.value or 0, worst, unit="people", known=columns)
        domain = found.domains[task.attribute] if task.attribute is not None else None
        failing = tuple(total.failing_subsets), tuple(total.failing_people)
        findings.append(SubsetFinding(task, total.tally, figure, domain, *failing))
    return findings


def _take(task: Task, total: _Totals, tally: Tally, subset: Subset, first_of: Any) -> None:
    """Take in what one task found of the people of one subset."""
    averaged = task.model.averaged
    for at, requirement in enumerate(task.requirements):
        missed = not requirement.met_by(tally.average) if averaged else tally.failing_classes[at] > 0
        total.failing_subsets[at] += missed
        total.failing_people[at] = max(total.failing_people[at], 0 if averaged else tally.failing_rows[at])
    if averaged:
        if total.value is None or tally.average > total.value:
            total.value, total.subset = tally.average, subset
        return
    total.tally.merge(tally, task.model)
    total.value = total.tally.value
    if tally.keys and total.tally.keys[0] is tally.keys[0]:
        ((key, at),) = first_of([np.concatenate(tally.keys)])
        total.subset, total.worst = subset, (key, int(np.concatenate(tally.sizes)[at]))
    total.tally.keys, total.tally.sizes = total.tally.keys[:1], total.tally.sizes[:1]
