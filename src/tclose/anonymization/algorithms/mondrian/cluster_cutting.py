"""Cutting rows that lie on a cluster: large parts by sums that the cluster makes, small ones where their rows are.

Whether and where a part is cut depends on nothing but the part, so the classes are those of :mod:`.cutting`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.cluster_rows import Cluster, Columns, How, SpreadRows
from tclose.anonymization.algorithms.hyperrectangles import Axis, Boxes
from tclose.anonymization.algorithms.mondrian.cuts import Parts, Profile, Runs, Values
from tclose.anonymization.algorithms.mondrian.cutting import cut_here, numbered_by_first, slot_bounds
from tclose.anonymization.algorithms.mondrian.scoring import Chooser, Division, Judge
from tclose.anonymization.algorithms.problem import Codes, Problem
from tclose.errors import InternalError
from tclose.models.counts import Integers

# What travels to rows on a cluster: the cuts so far, counts for the next ones, and cutting small parts to the end.


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


PAYS_FROM = 1_000_000
"""From so many distinct rows on, sending them to a cluster costs less than it saves."""
SMALL_PART = 100_000
"""A part of at most so many distinct rows is cut where its rows are."""


def cut_on_cluster(
    problem: Problem, boxes: Boxes, part_of: Integers, judge: Judge, tell: Callable[[float], None], cluster: Cluster
) -> Integers:
    """Return the class of each distinct row after cutting parts until no cut is left.

    Parameters
    ----------
    problem, boxes, part_of, judge, tell
        As for :func:`~tclose.anonymization.algorithms.mondrian.cutting.cut_here`.
    cluster
        Where to.
    """
    small = np.bincount(part_of) <= SMALL_PART
    columns: dict[str, NDArray[Any]] = {
        "row": np.arange(len(part_of)),
        "place": places(small)[part_of],
        "n": problem.counts,
    }
    columns |= {f"p{axis}": boxes.positions[:, axis] for axis in range(len(boxes.axes))}
    columns |= {f"r{at}": problem.ranks[:, at] for at in range(problem.ranks.shape[1])}
    with cluster.put(columns) as rows:
        path = _first_cuts(problem, Chooser(boxes, judge), rows, Path.begun(small), lambda done: tell(done / 2))
        tell(0.5)
        rest = Resting(path, *bare(problem, boxes), judge.wary)
        found = rows.gathered(rest.bins, rest.classes, ("row", "class"))
    if not np.array_equal(np.bincount(found["row"], minlength=len(part_of)), np.ones(len(part_of))):
        raise InternalError("Rows were lost or doubled while they were cut on a cluster.")
    classes = np.empty(len(part_of), dtype=np.int64)
    classes[found["row"]] = found["class"]
    return numbered_by_first(classes)


def _first_cuts(
    problem: Problem, chooser: Chooser, rows: SpreadRows, path: Path, tell: Callable[[float], None]
) -> Path:
    """Return the way of all rows through cuts until every part is small or has no cut."""
    done = 0.0
    while path.open:
        tell(done)
        parts = _RowsThere(rows, path, len(chooser.boxes.axes), problem.ranks.shape[1])
        division, labelled = chooser.division(parts)
        sizes = division.summed([each.sizes for each in labelled])
        uncut = division.uncut | (sizes < 2 * problem.k)
        small = uncut | (division.summed([each.numbers for each in labelled]) <= SMALL_PART)
        path = path.then(division, small, uncut)
        done = 1 - int(sizes[~small].sum()) / problem.rows
    return path


@dataclass(frozen=True)
class _LabelledThere:
    """Rows of parts with labels along an axis, counted by a cluster."""

    sizes: Integers
    numbers: Integers
    """How many distinct rows have each label of each part."""
    low: Codes
    high: Codes
    lengths: Integers
    attributes: tuple[Values, ...]

    def values(self, attribute: int, some: range) -> Values:
        """Return the values of an attribute in some parts."""
        every = self.attributes[attribute]
        starts = every.starts[some.start : some.stop + 1]
        span = slice(int(starts[0]), int(starts[-1]))
        return Values(starts - starts[0], every.labels[span], every.ranks[span], every.counts[span])


@dataclass(frozen=True)
class _RowsThere:
    """The rows of open parts on a cluster: only sums over them come here."""

    rows: SpreadRows
    path: Path
    axes: int
    attributes: int

    @cached_property
    def _profiles(self) -> list[Profile]:
        keys = ("axis", "part", "position")
        found = self.rows.tallied(Profiling(self.path, self.axes), keys, {"n": "sum"})
        order = np.lexsort((found["position"], found["part"], found["axis"]))
        axis, part, position, counts = (found[name][order] for name in (*keys, "n"))
        profiles = []
        for at in range(self.axes):
            span = slice(*np.searchsorted(axis, [at, at + 1]).tolist())
            starts = np.searchsorted(part[span], np.arange(self.path.open + 1))
            profiles.append(Profile(starts, position[span].astype(np.int32), counts[span]))
        return profiles

    @cached_property
    def parts(self) -> Parts:
        """The parts."""
        first = self._profiles[0]
        return Parts(
            np.add.reduceat(first.counts, first.starts[:-1]),
            np.stack([each.positions[each.starts[:-1]] for each in self._profiles], axis=1),
            np.stack([each.positions[each.starts[1:] - 1] for each in self._profiles], axis=1),
        )

    def profiles(self) -> Iterator[Profile]:
        """Give the profile of the parts along each axis."""
        return iter(self._profiles)

    def labelled(self, runs: Sequence[Runs]) -> Iterator[_LabelledThere]:
        """Give the rows with the labels that the runs of each axis say."""
        how: dict[str, How] = {"n": "sum", "d": "sum"}
        for axis in range(self.axes):
            how |= {f"low{axis}": "min", f"high{axis}": "max"}
        labelling = Labelling(self.path, tuple(runs), self.attributes)
        found = self.rows.tallied(labelling, ("axis", "slot", "attribute", "rank"), how)
        order = np.lexsort((found["slot"], found["attribute"], found["axis"]))
        bounds = np.searchsorted(found["axis"][order], np.arange(self.axes + 1))
        for axis, some in enumerate(runs):
            mine = order[bounds[axis] : bounds[axis + 1]]
            yield self._labelled({name: column[mine] for name, column in found.items()}, some)

    def _labelled(self, found: Columns, runs: Runs) -> _LabelledThere:
        number = int(runs.slots[-1])
        low, high = (
            np.stack([found[f"{name}{axis}"][:number] for axis in range(self.axes)], axis=1).astype(np.int32)
            for name in ("low", "high")
        )
        rest = {name: column[number:] for name, column in found.items()}
        values = tuple(_values(rest, attribute, runs) for attribute in range(self.attributes))
        lengths = [np.diff(each.starts) for each in values]
        most = np.max(lengths, axis=0) if lengths else np.zeros(len(runs.widths), dtype=np.int64)
        return _LabelledThere(found["n"][:number], found["d"][:number], low, high, most, values)


def _values(found: Columns, attribute: int, runs: Runs) -> Values:
    """Return the values of an attribute in all parts, from counts by slots."""
    mine = np.flatnonzero(found["attribute"] == attribute)
    slot, rank, counts = (found[name][mine] for name in ("slot", "rank", "n"))
    part = np.searchsorted(runs.slots, slot, side="right") - 1
    order = np.lexsort((slot, rank, part))
    starts = np.searchsorted(part[order], np.arange(len(runs.widths) + 1))
    labels = (slot - runs.slots[part])[order].astype(np.int32)
    return Values(starts, labels, rank[order].astype(np.int32), counts[order])
