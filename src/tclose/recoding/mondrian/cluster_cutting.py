"""Cutting rows that lie on a cluster: large parts by sums that the cluster makes, small ones where their rows are.

Whether and where a part is cut depends on nothing but the part, so the classes are those of :mod:`.cutting`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.errors import InternalError
from tclose.recoding.boxes import Boxes
from tclose.recoding.cluster_rows import Cluster, Columns, How, SpreadRows
from tclose.recoding.mondrian.cuts import Parts, Profile, Runs, Values
from tclose.recoding.mondrian.cutting import numbered_by_first
from tclose.recoding.mondrian.judging import Judge
from tclose.recoding.mondrian.remote_cutting import Labelling, Path, Profiling, Resting, bare, places
from tclose.recoding.mondrian.scoring import Chooser
from tclose.recoding.problem import Codes, Problem

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
        As for :func:`~tclose.recoding.mondrian.cutting.cut_here`.
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
