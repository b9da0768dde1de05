"""Where parts may be cut along one axis: between values of a line, or between the children of a node."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.hyperrectangles import Axis
from tclose.anonymization.algorithms.problem import Codes
from tclose.models import kernels
from tclose.models.counts import Integers

SHARES = 10
"""A line is cut after one tenth of a part's rows, two tenths, …, and in the middle of its width."""
MOST_CHILDREN = 32
"""At most this many children of a node become parts of their own at once; the smaller ones stay together."""
MOST_ALONE = 16
"""At most this many children are tried alone against all the others."""


@dataclass(frozen=True)
class Parts:
    """Parts that may still be cut."""

    sizes: Integers
    """How many rows of the table each part has."""
    low: Codes
    high: Codes
    """The box of each part: parts × axes."""

    @property
    def number(self) -> int:
        """How many parts there are."""
        return len(self.sizes)


@dataclass(frozen=True)
class Profile:
    """Where the rows of parts lie along an axis: part p has ``starts[p]:starts[p + 1]``, in the order of positions."""

    starts: Integers
    positions: Codes
    """A position may come several times."""
    counts: Integers


@dataclass(frozen=True)
class Runs:
    """Stretches of an axis, part by part, whose rows have the same label; labels of a part are 0, 1, …."""

    starts: Integers
    """Where each begins in the profile."""
    part: Integers
    position: Codes
    """The first position of each that has rows."""
    label: Integers
    alone: Integers | None
    """On a tree: how many labels of each part stand for one child; None on a line."""
    widths: Integers
    """How many labels each part has."""

    @cached_property
    def slots(self) -> Integers:
        """Where the labels of each part begin among the labels of all parts."""
        return np.concatenate([[0], np.cumsum(self.widths)])

    def label_at(self, part: Integers, position: Codes) -> Integers:
        """Return the labels of rows of some parts at some positions."""
        span = 1 + max(int(self.position.max(initial=0)), int(position.max(initial=0)))
        run = np.searchsorted(self.part * span + self.position, part * span + position, side="right") - 1
        return self.label[run]


@dataclass(frozen=True)
class Values:
    """The values of an attribute in some parts by the labels of rows, in each part in the order of ranks."""

    starts: Integers
    labels: Codes
    ranks: Codes
    counts: Integers


class Labelled(Protocol):
    """Rows of parts with labels along an axis: what is to be known of each label in order to judge cuts."""

    @property
    def sizes(self) -> Integers:
        """How many rows of the table have each label of each part."""
        ...

    @property
    def low(self) -> Codes:
        """The lowest positions of the rows of each label: labels × axes."""
        ...

    @property
    def high(self) -> Codes:
        """The highest positions."""
        ...

    @property
    def lengths(self) -> Integers:
        """How many entries the values of each part have at most."""
        ...

    def values(self, attribute: int, some: range) -> Values:
        """Return the values of an attribute in some parts."""
        ...


SomeLabelled = TypeVar("SomeLabelled", bound=Labelled, covariant=True)


class Rows(Protocol[SomeLabelled]):
    """The rows of parts that may still be cut, wherever they are held."""

    @property
    def parts(self) -> Parts:
        """The parts."""
        ...

    def profiles(self) -> Iterator[Profile]:
        """Give the profile of the parts along each axis."""
        ...

    def labelled(self, runs: Sequence[Runs]) -> Iterator[SomeLabelled]:
        """Give the rows with the labels that the runs of each axis say."""
        ...


@dataclass(frozen=True)
class Pieces:
    """What cuts make of parts: of the labels of its part, a piece has those from begin to end, or all the others."""

    cut: Integers
    part: Integers
    begin: Integers
    end: Integers
    outside: NDArray[np.bool_]


@dataclass(frozen=True)
class Cuts:
    """Ways to cut parts along one axis, part by part.

    The rows of a part are labelled 0, 1, …; a cut takes some labels apart from the others, or all from each other.
    """

    runs: Runs
    labelled: Labelled
    part: Integers
    """The part that each cut is of, ascending."""
    begin: Integers
    """The first label that goes apart; −1 if every label does."""
    end: Integers

    @staticmethod
    def of(runs: Runs, labelled: Labelled) -> Cuts:
        """Return all cuts between the labels of runs."""
        part, begin, end = _line_cuts(runs.widths) if runs.alone is None else _tree_cuts(runs.widths, runs.alone)
        return Cuts(runs, labelled, part, begin, end)

    @cached_property
    def pieces(self) -> Pieces:
        """The pieces of every cut, cut by cut."""
        every = self.begin < 0
        cut, within = counted_up(np.where(every, self.runs.widths[self.part], 2))
        every = every[cut]
        return Pieces(
            cut,
            self.part[cut],
            np.where(every, within, self.begin[cut]),
            np.where(every, within + 1, self.end[cut]),
            ~every & (within == 1),
        )

    def boxed(self) -> tuple[Integers, Codes, Codes]:
        """Return the size and the box of each piece."""
        pieces = self.pieces
        number, axes = len(pieces.cut), self.labelled.low.shape[1]
        sizes = np.zeros(number, dtype=np.int64)
        low = np.full((number, axes), np.iinfo(np.int32).max, dtype=np.int32)
        high = np.full((number, axes), -1, dtype=np.int32)
        kernels.partitions.piece_boxes(
            kernels.partitions.Pieces(pieces.part, pieces.begin, pieces.end, pieces.outside.view(np.uint8)),
            self.runs.slots, self.labelled.sizes, self.labelled.low.ravel(), self.labelled.high.ravel(), axes,
            sizes, low.ravel(), high.ravel(),
        )  # fmt: skip
        return sizes, low, high


def counted_up(numbers: Integers) -> tuple[Integers, Integers]:
    """Return, for things of which there are so many of each kind, the kind of each thing and its place within it."""
    kind = np.repeat(np.arange(len(numbers)), numbers)
    return kind, np.arange(len(kind)) - np.repeat(np.cumsum(numbers) - numbers, numbers)


def runs_along(axis: Axis, column: int, parts: Parts, profile: Profile, k: int) -> Runs:
    """Return the runs of parts along an axis between which cuts leave at least k rows in every piece.

    Parameters
    ----------
    axis, column
        The axis, and its number.
    parts
        The parts; each is of one compartment.
    profile
        Where their rows lie along the axis.
    k
        The fewest rows that a piece may have.
    """
    running = np.concatenate([[0], np.cumsum(profile.counts)])
    if axis.is_line:
        starts = _line_starts(axis, column, parts, profile, running, k)
        part = np.searchsorted(profile.starts, starts, side="right") - 1
        label, alone = np.arange(len(starts)) - np.searchsorted(starts, profile.starts[:-1])[part], None
    else:
        starts = _tree_starts(axis, column, parts, profile, k)
        part = np.searchsorted(profile.starts, starts, side="right") - 1
        sizes = np.diff(running[np.append(starts, len(profile.positions))])
        label, alone = _children(part, sizes, parts, k)
    widths = np.zeros(parts.number, dtype=np.int64)
    np.maximum.at(widths, part, label + 1)
    return Runs(starts, part, profile.positions[starts], label, alone, widths)


def _line_cuts(widths: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the part, begin and end of the cuts after each label but the last."""
    part, within = counted_up(widths - 1)
    return part, np.zeros(len(part), dtype=np.int64), within + 1


def _tree_cuts(widths: Integers, alone: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the part, begin and end of the cuts of single labels from the others, and of all from each other."""
    singles = np.where(widths == 2, 1, np.where(widths > 2, np.minimum(alone, MOST_ALONE), 0))
    part, within = counted_up(singles + (widths > 2))
    every = within == singles[part]
    return part, np.where(every, -1, within), np.where(every, -1, within + 1)


def _line_starts(axis: Axis, column: int, parts: Parts, profile: Profile, running: Integers, k: int) -> Integers:
    """Return where the runs between cuts of lines begin."""
    starts, ends, positions = profile.starts[:-1], profile.starts[1:], profile.positions
    live = np.flatnonzero((parts.low[:, column] < parts.high[:, column]) & (parts.sizes >= 2 * k))
    changes = np.ones(len(positions) + 1, dtype=bool)
    changes[1:-1] = positions[1:] != positions[:-1]
    changes[starts] = True
    change = np.flatnonzero(changes)
    steps = np.arange(1, SHARES)
    targets = running[starts[live]][:, np.newaxis] + -(-parts.sizes[live][:, np.newaxis] * steps // SHARES)
    after = np.searchsorted(change, np.searchsorted(running, targets.ravel()))
    middle = (axis.first[parts.low[live, column]] + axis.last[parts.high[live, column]]) / 2
    beyond = np.searchsorted(np.maximum.accumulate(axis.last), middle, side="right")
    places = len(axis.last) + 1
    part_of = np.repeat(np.arange(parts.number), ends - starts)
    halves = change[np.searchsorted(change, np.searchsorted(part_of * places + positions, live * places + beyond))]
    found = np.unique(np.concatenate([change[after], change[after - 1], halves]))
    part = np.searchsorted(profile.starts, found, side="right") - 1
    inside = part < parts.number
    found, part = found[inside], part[inside]
    fits = (running[found] - running[starts[part]] >= k) & (running[ends[part]] - running[found] >= k)
    return np.union1d(starts, found[fits])


def _tree_starts(axis: Axis, column: int, parts: Parts, profile: Profile, k: int) -> Integers:
    """Return where the children of each part's node begin."""
    positions = profile.positions
    levels = axis.levels(parts.low[:, column], parts.high[:, column])
    levels[(levels <= axis.quasi.lowest) | (parts.sizes < 2 * k)] = 0
    level_of = np.repeat(levels, np.diff(profile.starts))
    child = np.zeros(len(positions), dtype=np.int32)
    for level in range(axis.quasi.lowest + 1, len(axis.nodes)):
        here = level_of == level
        child[here] = axis.nodes[level - 1][positions[here]]
    changes = np.ones(len(positions), dtype=bool)
    changes[1:] = child[1:] != child[:-1]
    changes[profile.starts[:-1]] = True
    return np.flatnonzero(changes)


def _children(part: Integers, sizes: Integers, parts: Parts, k: int) -> tuple[Integers, Integers]:
    """Return the label of each child, larger children first, and how many have a label of their own.

    Children of less than k rows share the last label; the smallest other joins them where they are too few.
    """
    by_size = np.lexsort((-sizes, part))
    rank = np.empty(len(part), dtype=np.int64)
    rank[by_size] = np.arange(len(part)) - np.searchsorted(part, np.arange(parts.number))[part]
    own = (sizes >= k) & (rank < MOST_CHILDREN)
    alone = np.bincount(part[own], minlength=parts.number)
    together = parts.sizes - np.bincount(part[own], weights=sizes[own], minlength=parts.number).astype(np.int64)
    alone -= (together > 0) & (together < k) & (alone > 0)
    return np.minimum(rank, alone[part]), alone
