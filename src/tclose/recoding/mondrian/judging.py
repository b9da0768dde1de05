"""Whether the pieces of cuts meet the requirements, and how near they come to t."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tclose import kernels
from tclose.counts import Block, Integers, Part
from tclose.distances.ground import exact_distance, float_distances
from tclose.domains import Domain
from tclose.measuring import Task, failing, in_both_ways
from tclose.models.catalogue import Requirement
from tclose.recoding.mondrian.cuts import Cuts, Parts
from tclose.recoding.problem import Floats, Problem

PAIRS_AT_ONCE = 4_000_000
"""How many counts of pieces are held in memory at a time, about."""
FREE = 0.02
"""A cut is worth its gain by the distance that it leads to plus this."""
_NEAR = 1e-9
"""Nearer to a threshold than this, fractions decide."""
_NONE = np.zeros(0, dtype=np.int64)
_UNCOUNTED = Block(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), _NONE, _NONE)
"""Stands for the counts of an attribute that no requirement asks for."""


@dataclass(frozen=True)
class Judge:
    """Judges cuts by the requirements of a problem."""

    problem: Problem
    close: tuple[tuple[int, Requirement], ...]
    """The requirements on t, and the attribute of each."""
    others: tuple[Task, ...]
    wary: bool
    """Whether cuts that come nearer to t are under more strain."""

    @staticmethod
    def of(problem: Problem, *, wary: bool = True) -> Judge:
        """Return the judge of a problem."""
        close = tuple(
            (task.attribute, each)
            for task in problem.tasks
            if task.model.key == "t" and task.attribute is not None
            for each in task.requirements
        )
        return Judge(problem, close, tuple(task for task in problem.tasks if task.model.key != "t"), wary)

    def judged(self, parts: Parts, cuts: Cuts, sizes: Integers) -> tuple[NDArray[np.bool_], Floats]:
        """Return which cuts have a piece that misses a requirement, and the strain of each.

        The strain is the largest distance of its pieces as a share of t; 1 where there is no t or it does not matter.

        Parameters
        ----------
        parts, cuts
            The cuts of parts along an axis.
        sizes
            How many rows of the table each piece of the cuts has.
        """
        missed = np.zeros(len(cuts.part), dtype=bool)
        strain = np.zeros(len(cuts.part)) if self._strains() else np.ones(len(cuts.part))
        pieces = cuts.pieces
        for span, blocks in self._counted(parts, cuts):
            keys = pieces.cut[span, np.newaxis]
            failed = failing(Part(keys, sizes[span], blocks), self.others, self.problem.domains)
            for at, requirement in self.close:
                for block, domain in in_both_ways(blocks[at], self.problem.domains[at]):
                    distances, beyond = _beyond(block, domain, requirement)
                    failed |= beyond
                    if self.wary and (threshold := float(requirement.threshold)):
                        np.maximum.at(strain, pieces.cut[span], (distances + FREE) / threshold)
            missed[pieces.cut[span][failed]] = True
        return missed, strain

    def _strains(self) -> bool:
        return self.wary and any(float(requirement.threshold) for _, requirement in self.close)

    @cached_property
    def _asked(self) -> frozenset[int]:
        """The attributes whose counts a requirement asks for."""
        others = (task.attribute for task in self.others if task.attribute is not None)
        return frozenset([*others, *(attribute for attribute, _ in self.close)])

    def _counted(self, parts: Parts, cuts: Cuts) -> Iterator[tuple[slice, tuple[Block, ...]]]:
        """Yield the pieces of some parts after the other, with the counts of every attribute that is asked for."""
        pieces = cuts.pieces
        first = np.searchsorted(pieces.part, np.arange(parts.number + 1))
        values = max((len(domain.counts) for domain in self.problem.domains), default=1)
        pairs = np.cumsum(np.diff(first) * np.minimum(cuts.labelled.lengths, values))
        bounds = np.searchsorted(pairs, np.arange(PAIRS_AT_ONCE, int(pairs[-1]), PAIRS_AT_ONCE))
        for low, high in zip([0, *bounds], [*bounds, parts.number], strict=True):
            span = slice(int(first[low]), int(first[high]))
            if span.start < span.stop:
                some = range(int(low), int(high))
                yield (
                    span,
                    tuple(
                        self._block(cuts, some, at) if at in self._asked else _UNCOUNTED
                        for at in range(len(self.problem.domains))
                    ),
                )

    def _block(self, cuts: Cuts, some: range, attribute: int) -> Block:
        """Return the counts of one attribute in the pieces of some parts."""
        pieces = cuts.pieces
        first = np.searchsorted(pieces.part, np.arange(some.start, some.stop + 1))
        span = slice(int(first[0]), int(first[-1]))
        values = cuts.labelled.values(attribute, some)
        most = np.minimum(np.diff(values.starts), len(self.problem.domains[attribute].counts))
        widths = cuts.runs.widths[some.start : some.stop]
        room = int((np.diff(first) * most).sum())
        held, sums = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int64)
        offsets = np.zeros(span.stop - span.start + 1, dtype=np.int64)
        used = kernels.partitions.piece_counts(
            kernels.partitions.Rows(values.starts, values.labels, values.ranks, values.counts),
            widths, first - first[0],
            kernels.partitions.Pieces(
                pieces.part[span], pieces.begin[span], pieces.end[span], pieces.outside[span].view(np.uint8)
            ),
            np.empty(int((most * (widths + 1)).max()), dtype=np.int64), np.empty(int(most.max()), dtype=np.int64),
            offsets, held, sums,
        )  # fmt: skip
        running = np.concatenate([[0], np.cumsum(sums[:used])])
        return Block(offsets, held[:used], sums[:used], np.diff(running[offsets]))


def _beyond(block: Block, domain: Domain, requirement: Requirement) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the distance of each piece, and which are beyond the threshold."""
    if domain.ground.scale == 0:
        return np.zeros(block.classes), np.zeros(block.classes, dtype=bool)
    x, y = domain.ground.parts(block)
    distances = np.where(block.sizes == 0, 0.0, float_distances(domain.ground, x, y, block.sizes))
    threshold = float(requirement.threshold)
    beyond = distances > threshold
    for at in np.flatnonzero(np.abs(distances - threshold) <= _NEAR).tolist():
        exact = exact_distance(domain.ground, int(x[at]), int(y[at]), int(block.sizes[at]))
        beyond[at] = not requirement.met_by(exact)
    return distances, beyond
