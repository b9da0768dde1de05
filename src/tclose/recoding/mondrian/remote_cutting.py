"""What travels to rows on a cluster: the cuts so far, counts for the next ones, and cutting small parts to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.recoding.boxes import Axis, Boxes
from tclose.recoding.cluster_rows import Columns
from tclose.recoding.mondrian.cuts import Runs
from tclose.recoding.mondrian.cutting import cut_here, slot_bounds
from tclose.recoding.mondrian.judging import Judge
from tclose.recoding.mondrian.scoring import Division
from tclose.recoding.problem import Codes, Problem

_BINS = 64
"""The rows of a part that is not cut further stay in so many bins, because it may be large."""
_BOXES = -1
"""Stands where the number of the attribute stands, in the rows that have sizes and boxes."""


@dataclass(frozen=True)
class Path:
    """The way of rows through the cuts that were made: from the part where they begin to where they are now.

    A place is the number of a part that is still open, or −1 − the number of one that came to rest.
    """

    open: int
    """How many parts are open."""
    finished: NDArray[np.bool_]
    """Which of the parts that came to rest are not cut further; the others are small."""
    steps: tuple[tuple[Division, Integers], ...] = ()
    """Divisions, and the places of their pieces."""

    @staticmethod
    def begun(small: NDArray[np.bool_]) -> Path:
        """Return the path at its beginning; small parts are at rest."""
        return Path(int((~small).sum()), np.zeros(int(small.sum()), dtype=bool))

    def then(self, division: Division, resting: NDArray[np.bool_], uncut: NDArray[np.bool_]) -> Path:
        """Return the path one division further, with the pieces that come to rest."""
        finished = np.concatenate([self.finished, uncut[resting]])
        steps = (*self.steps, (division, places(resting, len(self.finished))))
        return Path(int((~resting).sum()), finished, steps)

    def walked(self, columns: Columns) -> Integers:
        """Return the places where rows are now."""
        place = columns["place"].astype(np.int64)
        for division, leading_to in self.steps:
            going = np.flatnonzero(place >= 0)
            place[going] = leading_to[self._pieces(division, place[going], columns, going)]
        return place

    @staticmethod
    def _pieces(division: Division, part: Integers, columns: Columns, rows: Integers) -> Integers:
        def labels(axis: int, here: NDArray[np.bool_]) -> Integers:
            return division.runs[axis].label_at(part[here], columns[f"p{axis}"][rows[here]])

        return division.pieces(part, labels)


def places(resting: NDArray[np.bool_], before: int = 0) -> Integers:
    """Return the places of parts: open ones are numbered from 0, resting ones after those before them."""
    return np.where(resting, -before - np.cumsum(resting), np.cumsum(~resting) - 1)


@dataclass(frozen=True)
class Profiling:
    """Counts the rows of open parts by their positions along each axis."""

    path: Path
    axes: int

    def __call__(self, columns: Columns) -> Columns:
        """Return counts ``n`` by axis, part and position."""
        place = self.path.walked(columns)
        mine = np.flatnonzero(place >= 0)
        found = []
        for axis in range(self.axes):
            position = columns[f"p{axis}"][mine].astype(np.int64)
            span = int(position.max(initial=0)) + 1
            keys, counts = _summed(place[mine] * span + position, columns["n"][mine])
            found.append([np.full(len(keys), axis), keys // span, keys % span, counts])
        return _stacked(("axis", "part", "position", "n"), found)


@dataclass(frozen=True)
class Labelling:
    """Counts and boxes the rows of open parts by their labels along each axis, and counts their values."""

    path: Path
    runs: tuple[Runs, ...]
    attributes: int

    def __call__(self, columns: Columns) -> Columns:
        """Return counts by axis, slot, attribute and rank; and sizes and boxes where the attribute is −1."""
        axes = range(len(self.runs))
        names = ["axis", "slot", "attribute", "rank", "n", "d"]
        names += [*(f"low{axis}" for axis in axes), *(f"high{axis}" for axis in axes)]
        place = self.path.walked(columns)
        mine = np.flatnonzero(place >= 0)
        counts, part = columns["n"][mine], place[mine]
        positions = np.stack([columns[f"p{axis}"][mine] for axis in axes], axis=1)
        found = []
        for axis, runs in enumerate(self.runs):
            slots = runs.slots[part] + runs.label_at(part, positions[:, axis])
            found.append(self._boxed(axis, slots, counts, positions))
            for attribute in range(self.attributes):
                ranks = columns[f"r{attribute}"][mine]
                found.append(self._valued(axis, attribute, slots, ranks, counts))
        return _stacked(names, found)

    def _boxed(self, axis: int, slots: Integers, counts: Integers, positions: Codes) -> list[Integers]:
        keys, number = _distinct(slots)
        sizes, low, high = slot_bounds(number, np.arange(len(number)), counts, positions, len(keys))
        whole = np.full(len(keys), _BOXES)
        return [np.full(len(keys), axis), keys, whole, whole, sizes, np.bincount(number), *low.T, *high.T]

    def _valued(self, axis: int, attribute: int, slots: Integers, ranks: Codes, counts: Integers) -> list[Integers]:
        known = ranks >= 0
        span = int(ranks.max(initial=0)) + 1
        keys, sums = _summed(slots[known] * span + ranks[known], counts[known])
        same = [np.full(len(keys), number) for number in (axis, attribute, 0)]
        return [same[0], keys // span, same[1], keys % span, sums, *[same[2]] * (1 + 2 * len(self.runs))]


def _distinct(keys: Integers) -> tuple[Integers, Integers]:
    """Return the distinct keys, ascending, and the number of each key among them."""
    span = int(keys.max(initial=-1)) + 1
    if span > 4 * len(keys):
        distinct, number = np.unique(keys, return_inverse=True)
        return distinct, number
    seen = np.zeros(span, dtype=bool)
    seen[keys] = True
    return np.flatnonzero(seen), (np.cumsum(seen) - 1)[keys]


def _summed(keys: Integers, counts: Integers) -> tuple[Integers, Integers]:
    """Return the distinct keys and the sum of the counts of each."""
    distinct, number = _distinct(keys)
    sums = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(sums, number, counts)
    return distinct, sums


def _stacked(names: Sequence[str], found: Sequence[Sequence[Integers]]) -> Columns:
    return {
        name: np.concatenate([each[at] for each in found]).astype(np.int64, copy=False) for at, name in enumerate(names)
    }


@dataclass(frozen=True)
class Resting:
    """Cuts small parts to the end, where all parts have come to rest."""

    path: Path
    problem: Problem
    """Without rows."""
    boxes: Boxes
    """Without rows."""
    wary: bool

    def bins(self, columns: Columns) -> Integers:
        """Return the bin of each row: its small part, or below 0 one of some of a part that is not cut further."""
        at_rest = -1 - self.path.walked(columns)
        return np.where(self.path.finished[at_rest], -1 - (at_rest * _BINS + columns["row"] % _BINS), at_rest)

    def classes(self, columns: Columns) -> Columns:
        """Return the class of each row: named by its first row, or below 0 by the part that is not cut further."""
        bins, rows = columns["bin"], columns["row"]
        classes = -1 - (-1 - bins) // _BINS
        mine = np.flatnonzero(bins >= 0)
        if len(mine):
            cut = self._cut({name: column[mine] for name, column in columns.items()})
            first = np.full(int(cut.max()) + 1, np.iinfo(np.int64).max)
            np.minimum.at(first, cut, rows[mine])
            classes[mine] = first[cut]
        return {"row": rows, "class": classes}

    def _cut(self, columns: Columns) -> Integers:
        axes, attributes = range(len(self.boxes.axes)), range(len(self.problem.domains))
        counts = np.asarray(columns["n"], dtype=np.int64)
        ranks = np.zeros((len(counts), len(attributes)), dtype=np.int32)
        for at in attributes:
            ranks[:, at] = columns[f"r{at}"]
        positions = np.stack([columns[f"p{axis}"] for axis in axes], axis=1).astype(np.int32, copy=False)
        part_of = np.unique(columns["bin"], return_inverse=True)[1]
        problem = replace(self.problem, ranks=ranks, counts=counts)
        boxes = replace(self.boxes, positions=positions, compartments=part_of)
        return cut_here(problem, boxes, part_of, Judge.of(problem, wary=self.wary), lambda _done: None)


def bare(problem: Problem, boxes: Boxes) -> tuple[Problem, Boxes]:
    """Return what cutting needs of a problem besides its rows; no value of a quasi-identifier is in it."""
    nothing = np.zeros((0, 0), dtype=np.int32)
    none = np.zeros(0, dtype=np.int64)
    axes = tuple(_bare_axis(axis) for axis in boxes.axes)
    return (
        replace(problem, quasi=(), codes=nothing, ranks=nothing, counts=none),
        replace(boxes, axes=axes, positions=nothing, compartments=none),
    )


def _bare_axis(axis: Axis) -> Axis:
    levels = tuple(replace(level, nodes=level.nodes[:0], labels=()) for level in axis.quasi.levels)
    return replace(axis, quasi=replace(axis.quasi, values=(), levels=levels), position_of=axis.position_of[:0])
