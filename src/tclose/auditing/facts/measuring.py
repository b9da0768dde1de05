"""From the groups of people who share traits and facts to exact figures: models measure them as they do classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tclose.auditing.facts.counting import Histograms, Key, Level
from tclose.auditing.facts.findings import CandidateEvidence, Candidates, FactFigure, FactVerdict
from tclose.errors import InputError
from tclose.models.base import Exact, Model
from tclose.models.catalogue import MODELS, Requirement
from tclose.models.counts import Block, Integers, Part, PeopleBlock, Ranks, ValueSets, sparse_block
from tclose.models.domains import Domain
from tclose.models.measuring import Task, compared, failing, measured

USUAL = ("t", "alpha", "l")
"""The models of sensitive attributes that are measured of candidates without being asked."""


def tasks_of(attributes: Sequence[str], wanted: Sequence[Requirement], more: Sequence[Model] = ()) -> list[Task]:
    """Return what to measure: k and the usual models, those of ``more``, and what is required.

    Raises
    ------
    InputError
        If a model is required that needs more than the people who may be meant.
    """
    models = list(dict.fromkeys([*(each.model for each in wanted), *more]))
    models += [MODELS[key]() for key in ("k", *USUAL) if key not in [model.key for model in models]]
    found = []
    for model in sorted(models, key=lambda each: list(MODELS).index(each.key)):
        mine = tuple(each for each in wanted if each.model == model)
        beyond = model.needs_population or model.needs_supersets or model.averaged
        if beyond and mine:
            raise InputError(
                f"{model.title} cannot be required for someone who knows facts: it depends on more than the people "
                "who share them.",
                field=model.key,
            )
        if beyond or (model.scope == "table" and model.key != "k" and not mine):
            continue
        if model.scope == "table":
            found.append(Task(model, None, mine))
        for at, name in enumerate(attributes if model.scope == "attribute" else ()):
            found.append(Task(model, at, tuple(each for each in mine if each.attribute in (None, name))))
    return found


@dataclass
class Worst:
    """What one task found so far: the worst figure with the first group that has it, and how many groups fail."""

    task: Task
    value: Exact | None = None
    first: tuple[int, Key] = (0, ())
    """How many facts are known of the group, and its key."""
    size: int = 0
    tied: int = 0
    failing: list[int] = field(default_factory=list)
    block: Block | None = field(default=None, repr=False)
    """What the people of that group have of the attribute."""

    def take(self, value: Exact, first: tuple[int, Key], size: int, tied: int, block: Block | None) -> None:
        """Take in the worst of further groups, of which as many are known or more facts."""
        order = compared(value, self.value, self.task.model)
        if order > 0:
            self.value, self.first, self.size, self.tied, self.block = value, first, size, tied, block
        elif order == 0:
            same = first[0] == self.first[0] and first[1] < self.first[1]
            if same:
                self.first, self.size, self.block = first, size, block
            self.tied += tied


class Measuring:
    """Measures groups level by level; figures are the worst of all levels so far."""

    def __init__(self, tasks: Sequence[Task], domains: Sequence[Domain]) -> None:
        self.domains = domains
        self.found = [Worst(task, failing=[0] * len(task.requirements)) for task in tasks]

    def add(self, level: Level) -> None:
        """Measure the groups of a level."""
        for worst in self.found:
            at = worst.task.attribute
            if at is None:
                part = Part(np.arange(len(level.sizes))[:, np.newaxis], level.sizes, ())
                self._measure(worst, part, level, level.groups, level.first)
                continue
            for histograms in level.attributes[at]:
                if len(histograms.groups):
                    block = block_of(histograms)
                    sizes = np.bincount(histograms.numbers, histograms.counts, len(histograms.groups)).astype(np.int64)
                    part = Part(np.arange(block.classes)[:, np.newaxis], sizes, (block,))
                    self._measure(worst, part, level, histograms.groups, histograms.first)

    def _measure(self, worst: Worst, part: Part, level: Level, groups: Integers, first: Sequence[Key]) -> None:
        domains = [] if worst.task.attribute is None else [self.domains[worst.task.attribute]]
        task = replace(worst.task, attribute=None if worst.task.attribute is None else 0)
        (tally,) = measured(part, [task], domains).tallies
        for at, requirement in enumerate(task.requirements):
            missed = failing(part, [replace(task, requirements=(requirement,))], domains)
            worst.failing[at] += int(groups[missed].sum())
        if tally.value is not None:
            tied = np.concatenate(tally.keys)[:, 0]
            foremost = min(tied.tolist(), key=lambda place: first[place])
            having = class_of(part.blocks[0], foremost) if part.blocks else None
            place = level.facts, first[foremost]
            worst.take(tally.value, place, int(part.sizes[foremost]), int(groups[tied].sum()), having)

    def figures(self, read: Callable[[int, Key, int], Candidates]) -> Iterator[tuple[Task, FactFigure]]:
        """Give the figure of each task that measured anything; ``read`` says who a group is."""
        for worst in self.found:
            if worst.value is not None:
                candidates = read(*worst.first, worst.size)
                yield worst.task, self._figure(worst, worst.value, candidates)

    def _figure(self, worst: Worst, value: Exact, candidates: Candidates) -> FactFigure:
        at = worst.task.attribute
        having = None if at is None or worst.block is None else CandidateEvidence(self.domains[at], worst.block)
        return FactFigure(worst.task.model, value, candidates, worst.tied, having)

    def verdicts(self, known: int, read: Callable[[int, Key, int], Candidates]) -> Iterator[FactVerdict]:
        """Judge what is required."""
        for worst in self.found:
            for requirement, missed in zip(worst.task.requirements, worst.failing, strict=True):
                if worst.value is not None:
                    figure = self._figure(worst, worst.value, read(*worst.first, worst.size))
                    named = None if worst.task.attribute is None else self.domains[worst.task.attribute].name
                    yield FactVerdict(replace(requirement, attribute=named), not missed, figure, missed, known)


def class_of(block: Block, at: int) -> Block:
    """Return the block of one of its classes."""
    low, high = block.offsets[at], block.offsets[at + 1]
    people = block.people
    if people is not None:
        present = None if people.present is None else people.present[at : at + 1]
        people = PeopleBlock(people.valued[at : at + 1], class_of(people.sets, at), people.values_of, present)
    offsets = np.array([0, high - low], dtype=np.int64)
    return Block(offsets, block.ranks[low:high], block.counts[low:high], block.sizes[at : at + 1], people)


def block_of(histograms: Histograms) -> Block:
    """Return the counts of histograms as those of classes: people by value, and by the set of values they have."""
    coded, classes = histograms.coded, len(histograms.groups)
    numbers, ranks, counts = _spread(histograms, coded.here)
    block = sparse_block(numbers, ranks, counts, classes)
    if coded.sets is None:
        return block
    valued = _people_with(histograms, coded.here.lengths)
    missing = coded.domain.missing
    present = None if missing is None else _people_with(histograms, _others(coded.here, missing))
    sets = coded.anywhere[histograms.codes]
    known = np.where(coded.sets.lengths[sets] > 0, sets, -1).astype(np.int32)
    of_sets = sparse_block(histograms.numbers, known, histograms.counts, classes)
    return replace(block, people=PeopleBlock(valued, of_sets, coded.sets, present))


def _people_with(histograms: Histograms, values: Integers) -> Integers:
    """Return how many people of each class have a value, where each code has so many."""
    found = np.zeros(len(histograms.groups), dtype=np.int64)
    there = values[histograms.codes] > 0
    np.add.at(found, histograms.numbers[there], histograms.counts[there])
    return found


def _others(values: ValueSets, missing: int) -> Integers:
    """Return how many values each code has beside the missing one."""
    codes = np.repeat(np.arange(len(values.lengths)), values.lengths)
    return np.bincount(codes[values.ranks != missing], minlength=len(values.lengths))


def _spread(histograms: Histograms, values: ValueSets) -> tuple[Integers, Ranks, Integers]:
    """Return class, rank and count of every value of every code of histograms."""
    lengths = values.lengths[histograms.codes]
    total = int(lengths.sum())
    begins = np.repeat(values.offsets[histograms.codes] - np.cumsum(lengths) + lengths, lengths)
    ranks = values.ranks[begins + np.arange(total)]
    return np.repeat(histograms.numbers, lengths), ranks, np.repeat(histograms.counts, lengths)
