"""The best cut of each part: most detail gained for the distance it takes; and what the cuts make of parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.hyperrectangles import Boxes
from tclose.anonymization.algorithms.mondrian.cuts import Cuts, Labelled, Parts, Rows, Runs, counted_up, runs_along
from tclose.anonymization.algorithms.problem import Codes, Floats, Problem
from tclose.models import kernels
from tclose.models.catalogue import Requirement
from tclose.models.counts import Block, Integers, Part
from tclose.models.distances.earth_movers import exact_distance, float_distances
from tclose.models.domains import Domain
from tclose.models.measuring import Task, failing, in_both_ways

# Whether the pieces of cuts meet the requirements, and how near they come to t.


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


_GAIN = 1e-9
"""A smaller gain is none."""
SomeLabelled = TypeVar("SomeLabelled", bound=Labelled)


@dataclass
class Best:
    """The best cut of each part so far."""

    scores: Floats
    axes: Integers
    """The axis of each; −1 where a part has no cut."""
    begin: Integers
    end: Integers
    widths: Integers
    """How many pieces each makes."""

    @staticmethod
    def none(parts: int) -> Best:
        """Return that no part has a cut yet."""
        zeros = np.zeros(parts, dtype=np.int64)
        return Best(np.zeros(parts), np.full(parts, -1), zeros, zeros.copy(), zeros + 1)

    def consider(self, axis: int, cuts: Cuts, scores: Floats) -> None:
        """Keep the cuts that are better than all before; the first among equals."""
        order = np.lexsort((-scores, cuts.part))
        first = np.ones(len(order), dtype=bool)
        first[1:] = cuts.part[order[1:]] != cuts.part[order[:-1]]
        chosen = order[first]
        chosen = chosen[scores[chosen] > self.scores[cuts.part[chosen]]]
        part = cuts.part[chosen]
        self.scores[part], self.axes[part] = scores[chosen], axis
        self.begin[part], self.end[part] = cuts.begin[chosen], cuts.end[chosen]
        self.widths[part] = np.where(cuts.begin[chosen] < 0, cuts.runs.widths[part], 2)


@dataclass(frozen=True)
class Division:
    """What the best cuts make of parts: pieces, numbered part by part."""

    best: Best
    runs: tuple[Runs, ...]
    """The labels along each axis that the cuts are made between."""

    @cached_property
    def first(self) -> Integers:
        """The number of the first piece of each part."""
        return np.cumsum(self.best.widths) - self.best.widths

    @property
    def uncut(self) -> NDArray[np.bool_]:
        """Which pieces are parts that have no cut."""
        return np.repeat(self.best.axes < 0, self.best.widths)

    def pieces(self, part: Integers, labels: Callable[[int, NDArray[np.bool_]], Integers | Codes]) -> Integers:
        """Return the piece of each row.

        Parameters
        ----------
        part
            The part of each row.
        labels
            Returns the labels along an axis of those rows that it is asked for.
        """
        axes, piece = self.best.axes[part], self.first[part]
        for axis in range(len(self.runs)):
            here = axes == axis
            piece[here] = self._piece(part[here], labels(axis, here))
        return piece

    def _piece(self, part: Integers, label: Integers | Codes) -> Integers:
        begin, end = self.best.begin[part], self.best.end[part]
        within = np.where(begin < 0, label, (label < begin) | (label >= end))
        return np.asarray(self.first[part] + within)

    def summed(self, of_labels: Sequence[Integers]) -> Integers:
        """Return the sum over the labels of each piece; 0 for a part without a cut."""
        sums = np.zeros(int(self.best.widths.sum()), dtype=np.int64)
        for axis, (runs, numbers) in enumerate(zip(self.runs, of_labels, strict=True)):
            part, label = counted_up(runs.widths)
            here = self.best.axes[part] == axis
            np.add.at(sums, self._piece(part[here], label[here]), numbers[here])
        return sums


@dataclass(frozen=True)
class Chooser:
    """Chooses how to cut the parts of a problem."""

    boxes: Boxes
    judge: Judge

    def division(self, rows: Rows[SomeLabelled]) -> tuple[Division, list[SomeLabelled]]:
        """Return what the best cuts make of parts, and the rows with their labels along every axis."""
        parts, k = rows.parts, self.judge.problem.k
        runs = tuple(
            runs_along(axis, column, parts, profile, k)
            for column, (axis, profile) in enumerate(zip(self.boxes.axes, rows.profiles(), strict=True))
        )
        losses = self.boxes.losses(parts.low, parts.high) * parts.sizes
        best, labelled = Best.none(parts.number), []
        for axis, (some, mine) in enumerate(zip(runs, rows.labelled(runs), strict=True)):
            labelled.append(mine)
            cuts = Cuts.of(some, mine)
            if len(cuts.part):
                best.consider(axis, *self._scored(parts, cuts, losses))
        return Division(best, runs), labelled

    def _scored(self, parts: Parts, cuts: Cuts, losses: Floats) -> tuple[Cuts, Floats]:
        """Return the cuts that gain something, and their scores; −1 where a piece misses a requirement."""
        cut_of = cuts.pieces.cut
        sizes, low, high = cuts.boxed()
        left = np.bincount(cut_of, weights=self.boxes.losses(low, high) * sizes, minlength=len(cuts.part))
        gains = losses[cuts.part] - left
        useful = gains > _GAIN
        cuts = replace(cuts, part=cuts.part[useful], begin=cuts.begin[useful], end=cuts.end[useful])
        failing, strain = self.judge.judged(parts, cuts, sizes[useful[cut_of]])
        return cuts, np.where(failing, -1.0, gains[useful] / strain)
