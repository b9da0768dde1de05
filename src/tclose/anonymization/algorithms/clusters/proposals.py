"""Classes proposed in floats and judged exactly: what to aim at, which rows may meet, and the best that holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.clusters.coordinates import Scale, Space, along_curve, coordinates
from tclose.anonymization.algorithms.clusters.flows import Flows, flows_of
from tclose.anonymization.algorithms.merge import repaired
from tclose.anonymization.algorithms.partition import Partition, hulls, published
from tclose.anonymization.algorithms.problem import Problem, numbered
from tclose.anonymization.algorithms.search import Search, Share, shared
from tclose.models.counts import Integers

SURROGATES = (Fraction(1), Fraction(1, 2), Fraction(3, 10), Fraction(1, 5), Fraction(1, 10))
"""Distances to aim at where a requirement is not a distance: closer classes meet most requirements."""


@dataclass(frozen=True)
class Aim:
    """An attribute whose classes shall be close, and the distances worth trying."""

    attribute: int
    flows: Flows
    distances: tuple[Fraction, ...]


def aim_of(problem: Problem) -> Aim | None:
    """Return what to aim at: the attribute with the least t, or the first that a requirement judges; else None."""
    limits: dict[int, Fraction] = {}
    judged: list[int] = []
    only_distances = True
    for task in problem.tasks:
        for requirement in task.requirements:
            if task.attribute is None:
                continue
            judged.append(task.attribute)
            if task.model.key == "t":
                limits[task.attribute] = min(limits.get(task.attribute, Fraction(1)), requirement.threshold)
            else:
                only_distances = False
    if not judged:
        return None
    attribute = min(limits, key=lambda at: (limits[at], at)) if limits else min(judged)
    most = limits.get(attribute, Fraction(1))
    nearer = () if only_distances else tuple(each for each in SURROGATES if each < most)
    return Aim(attribute, flows_of(problem.domains[attribute]), (most, *nearer))


@dataclass(frozen=True)
class Compartment:
    """Rows that may share classes: each row of the table is one, in the order of a curve through them."""

    problem: Problem
    rows: Integers
    """The distinct row of the problem that each stands for."""

    def space(self, scale: Scale) -> Space:
        """Return where the rows lie."""
        return coordinates(self.problem, self.rows, scale)

    @cached_property
    def order(self) -> Integers:
        """The rows along the curve: as they are."""
        return np.arange(len(self.rows))

    def bins(self, aim: Aim) -> Integers:
        """Return the bin of each row's sensitive value."""
        return np.asarray(aim.flows.bin_of[self.problem.ranks[self.rows, aim.attribute]])

    def counts(self, aim: Aim) -> Integers:
        """Return how many rows each bin has."""
        return np.bincount(self.bins(aim), minlength=aim.flows.bins + 1)[:-1].astype(np.int64)

    def room(self, aim: Aim, t: Fraction) -> Fraction:
        """Return how far classes may be from this compartment to be within t of the table, at least 0."""
        counts = self.counts(aim)
        if not counts.sum():
            return t
        off = float(aim.flows.distances(counts[np.newaxis] / counts.sum())[0])
        return max(t - Fraction(off).limit_denominator(10**6), Fraction(0)) if off > 1e-9 else t


def compartments(problem: Problem) -> list[Compartment]:
    """Return the rows of the table, apart where a quasi-identifier's coarsest allowed level tells them apart."""
    tops = [quasi.levels[quasi.top].nodes[codes] for quasi, codes in zip(problem.quasi, problem.codes.T, strict=True)]
    number_of = numbered(np.stack(tops, axis=1)) if tops else np.zeros(len(problem.counts), dtype=np.int64)
    rows = np.repeat(np.arange(len(problem.counts)), problem.counts)
    rows = rows[along_curve(problem, rows)]
    rows = rows[np.argsort(number_of[rows], kind="stable")]
    cuts = np.flatnonzero(np.diff(number_of[rows])) + 1
    return [Compartment(problem, part) for part in np.split(rows, cuts)]


@dataclass
class Attempts:
    """Makes proposals one after the other, and tells how far all of them are."""

    problem: Problem
    search: Search
    number: int
    """How many proposals there will be, about."""
    made: int = 0

    @cached_property
    def parts(self) -> list[Compartment]:
        """The rows that may share classes."""
        return compartments(self.problem)

    def proposal(self, stage: str, labels: Callable[[Compartment, Share], Integers]) -> Partition:
        """Return the classes that rows get, compartment by compartment."""
        begin, end = (min(each / self.number, 1.0) for each in (self.made, self.made + 1))
        tell = shared(lambda share: self.search.tell(stage, share), begin, end)
        ends = np.cumsum([0, *(len(part.rows) for part in self.parts)]) / max(self.problem.rows, 1)
        found = [
            (part.rows, labels(part, shared(tell, float(ends[at]), float(ends[at + 1]))))
            for at, part in enumerate(self.parts)
        ]
        self.made += 1
        return partition_of(self.problem, found)


def partition_of(problem: Problem, parts: Iterable[tuple[Integers, Integers]]) -> Partition:
    """Return the partition of rows into classes.

    Parameters
    ----------
    problem
        The rows and the hierarchies.
    parts
        For each compartment its rows and the class of each; classes of different compartments are different.
    """
    all_rows, all_labels, first = [], [], 0
    for rows, labels in parts:
        used, own = np.unique(labels, return_inverse=True)
        all_rows.append(rows)
        all_labels.append(own + first)
        first += len(used)
    keys = np.concatenate(all_rows) * first + np.concatenate(all_labels)
    pieces, counts = np.unique(keys, return_counts=True)
    rows, classes = pieces // first, pieces % first
    return published(Partition(rows, classes, counts.astype(np.int64), hulls(problem, rows, classes, first)))


def best(problem: Problem, search: Search, proposals: Iterable[Partition]) -> Partition | None:
    """Return the proposal with the least loss after repair, or None if none can be repaired.

    Parameters
    ----------
    problem
        The rows and the requirements.
    search
        What to minimise.
    proposals
        Partitions of all rows.
    """
    found: Partition | None = None
    least = np.inf
    for proposal in proposals:
        mended = mended_or_none(problem, search, proposal)
        if mended is None:
            continue
        loss = search.loss(problem, mended)
        if found is None or loss < least:
            found, least = mended, loss
    return found


def mended_or_none(problem: Problem, search: Search, proposal: Partition) -> Partition | None:
    """Return the proposal if it meets the requirements, else what repair makes of it, if that does."""
    if not failing_classes(problem, proposal, own=search.own).any():
        return proposal
    mended = repaired(problem, proposal, search)
    if mended is None or failing_classes(problem, mended, own=search.own).any():
        return None
    return replace(mended, notes=proposal.notes)
