"""Where published intervals may begin and end: at cuts of a fixed grid that have enough people on both sides.

The ends of an interval say nothing of who is in its class. A cut of step s is admitted if each of the two cells beside
it, from s below to the cut and from the cut to s above, holds enough people. Cuts are counted once for a column, on all
people of the table and before anything is left out, so they depend only on the cells that each person is in. What lies
beyond the outermost cuts is published without an end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tclose.data.values.round_numbers import Grid, Places
from tclose.errors import InternalError
from tclose.models.counts import Integers, Ranks, ValueSets

ENOUGH = 5
"""How many people a cell beside a cut holds where nothing is required of the sizes of classes."""

Held = Callable[[Integers, Integers, int], Integers]
"""Returns how many people are in each of some cells, given positions of values, the cell of each, and how many there
are."""


@dataclass(frozen=True)
class Interval:
    """A published interval, or one that has no end on one side."""

    label: str
    """What is written."""
    low: str | None
    high: str | None
    beyond: bool
    """Whether the high end lies beyond the interval."""


@dataclass(frozen=True)
class Steps:
    """The values of a line in steps of neighbours between admitted cuts; intervals begin and end where steps do."""

    grid: Grid = field(repr=False)
    cuts: tuple[int, ...]
    """The places of the grid at which a step begins, but for the first."""
    of: Ranks
    """The step of each value, from 0."""

    @cached_property
    def first_and_last(self) -> tuple[Ranks, Ranks]:
        """For each value, the first and the last value of its step."""
        starts = np.flatnonzero(np.diff(self.of, prepend=-1)).astype(np.int32)
        ends = np.append(starts[1:], np.int32(len(self.of))).astype(np.int32) - 1
        return starts[self.of], ends[self.of]

    def interval(self, first: int, last: int) -> Interval:
        """Return the interval from the step of one value to that of another, which are not all of them."""
        grid, begin, end = self.grid, int(self.of[first]), int(self.of[last])
        low = self.cuts[begin - 1] if begin else None
        high = self.cuts[end] if end < len(self.cuts) else None
        if grid.outer is not None:
            low, high = (outer if cut is None else cut for cut, outer in zip((low, high), grid.outer, strict=True))
        if low is None and high is None:
            raise InternalError("An interval without ends was to be published.")
        if low is None:
            return Interval(f"< {grid.word(high)}", None, grid.exact(high), beyond=True)  # type: ignore[arg-type]
        if high is None:
            return Interval(f"≥ {grid.word(low)}", grid.exact(low), None, beyond=False)
        high -= grid.unit
        beyond = not grid.unit
        alone = low == high
        label = grid.word(low) if alone else f"[{grid.word(low)}, {grid.word(high)}{')' if beyond else ']'}"
        return Interval(label, grid.exact(low), grid.exact(high), beyond)


def steps_of(grid: Grid, held: Held, least: int) -> Steps:
    """Return the steps of values on a grid.

    Parameters
    ----------
    grid
        The values on their grid.
    held
        How many people are in some cells.
    least
        How many people each cell beside a cut must hold.

    Examples
    --------
    >>> steps = steps_of(Grid.of([3, 4, 12, 13, 14, 95]), counted_by([1, 1, 1, 1, 1, 1]), 2)
    >>> steps.cuts, steps.of.tolist(), steps.interval(0, 1).label, steps.interval(2, 5).label
    ((10,), [0, 0, 1, 1, 1, 1], '< 10', '≥ 10')
    """
    cuts = np.array(sorted(_admitted(grid, held, least)), dtype=grid.places.dtype)
    of = np.searchsorted(cuts, grid.places, side="right").astype(np.int32)
    return Steps(grid, tuple(cuts.tolist()), of)


def counted_by(counts: Sequence[int] | Integers) -> Held:
    """Return how many people are in cells where nobody has several values, given how many have each value."""
    weights = np.asarray(counts, dtype=np.int64)

    def held(positions: Integers, cells: Integers, number: int) -> Integers:
        found = np.zeros(number, dtype=np.int64)
        np.add.at(found, cells, weights[positions])
        return found

    return held


def counted_once(sets: ValueSets, values: int) -> Held:
    """Return how many people are in cells, each counted once in a cell, given the sets of values that people have.

    Parameters
    ----------
    sets
        The sets, by positions among the values.
    values
        How many values there are.
    """
    whose = np.repeat(np.arange(len(sets.people)), sets.lengths)

    def held(positions: Integers, cells: Integers, number: int) -> Integers:
        cell_of = np.full(values, -1, dtype=np.int64)
        cell_of[positions] = cells
        found = cell_of[sets.ranks]
        pairs = np.unique(whose[found >= 0] * number + found[found >= 0])
        people = np.zeros(number, dtype=np.int64)
        np.add.at(people, pairs % number, sets.people[pairs // number])
        return people

    return held


def _admitted(grid: Grid, held: Held, least: int) -> set[int]:
    """Return the cuts that have enough people in the cells on both sides.

    A cell lies within one of every coarser step, so that values of cells with too few people are looked at no more.
    """
    found: set[int] = set()
    here = np.arange(len(grid.places), dtype=np.int64)
    for rung in grid.rungs():
        cells = rung.cells(grid.places[here])
        begins = np.append(True, cells[1:] != cells[:-1])
        distinct, number = cells[begins], np.cumsum(begins) - 1
        enough = held(here, number, len(distinct)) >= least
        beside = np.flatnonzero(enough[1:] & enough[:-1] & (np.diff(distinct) == 1)) + 1
        found.update(rung.starts(distinct[beside]).tolist())
        here = here[enough[number]]
        if len(here) < 2 or not _nearer(grid.places[here], rung.starts(distinct[:1] + 1) - rung.starts(distinct[:1])):
            break
    return found


def _nearer(places: Places, step: Places) -> bool:
    """Say whether a finer step than this can still put some places into cells side by side."""
    return bool((np.diff(places) < step[0]).any())
