"""The best cut of each part: most detail gained for the distance it takes; and what the cuts make of parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.recoding.boxes import Boxes
from tclose.recoding.mondrian.cuts import Cuts, Labelled, Parts, Rows, Runs, counted_up, runs_along
from tclose.recoding.mondrian.judging import Judge
from tclose.recoding.problem import Codes, Floats

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
