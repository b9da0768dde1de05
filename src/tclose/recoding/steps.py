"""Where published intervals may begin and end: steps of a whole column that hold enough people, with round ends.

The ends of an interval say nothing of who is in its class. A value that many people share is a step of its own, and
an end may be that value. Rarer values are taken together with their neighbours until they are enough, and such a
step begins and ends at a round number or day between the values, which is nobody's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tclose.counts import Ranks
from tclose.values import as_text
from tclose.values.cuts import Line

ENOUGH = 5
"""How many people a step holds where nothing is required of the sizes of classes."""


@dataclass(frozen=True)
class Interval:
    """A published interval."""

    low: str
    high: str
    beyond: bool
    """Whether the high end lies beyond the interval."""

    @property
    def label(self) -> str:
        """What is written."""
        return f"[{self.low}, {self.high}{')' if self.beyond else ']'}"


@dataclass(frozen=True)
class Steps:
    """The values of a line in steps of neighbours; intervals begin and end where steps do."""

    values: Sequence[object] = field(repr=False)
    """From the lowest to the highest; none missing."""
    of: Ranks
    """The step of each value, from 0."""
    held: Ranks = field(repr=False)
    """The values that somebody has, by their positions: no other has a say in where a step begins or ends."""
    least: int
    """How many people a step holds."""

    @cached_property
    def first_and_last(self) -> tuple[Ranks, Ranks]:
        """For each value, the first and the last value of its step that somebody has."""
        starts = np.array(self._starts, dtype=np.int64)
        return self.held[starts[self.of]], self.held[starts[self.of + 1] - 1]

    def with_counts(self, counts: Sequence[int]) -> Steps:
        """Return the steps of the same values where so many people have each."""
        return steps_of(self.values, counts, self.least)

    @cached_property
    def _line(self) -> Line | None:
        return Line.of(self._named)

    @cached_property
    def _named(self) -> Sequence[object]:
        """The values that somebody has."""
        return self.values if len(self.held) == len(self.values) else [self.values[at] for at in self.held.tolist()]

    def interval(self, first: int, last: int) -> Interval:
        """Return the interval from the step of one value to that of another."""
        begin, end = int(self.of[first]), int(self.of[last])
        if begin not in self._begins:
            self._begins[begin] = self._where_begins(begin)
        if end not in self._ends:
            self._ends[end] = self._where_ends(end)
        return Interval(self._begins[begin], *self._ends[end])

    @cached_property
    def _begins(self) -> dict[int, str]:
        """Where steps begin, as far as anyone asked."""
        return {}

    @cached_property
    def _ends(self) -> dict[int, tuple[str, bool]]:
        """Where steps end, and whether that lies beyond them, as far as anyone asked."""
        return {}

    def _where_begins(self, step: int) -> str:
        """Return where a step begins: at its value, or at a round one where it has several."""
        first, end = self._bounds(step)
        if end - first == 1 or self._line is None:
            return as_text(self._named[first])
        return self._line.begin(self._named, first, end)

    def _where_ends(self, step: int) -> tuple[str, bool]:
        """Return where a step ends, and whether that lies beyond it."""
        first, end = self._bounds(step)
        if end - first == 1 or self._line is None:
            return as_text(self._named[end - 1]), False
        return self._line.finish(self._named, first, end), not self._line.unit

    def _bounds(self, step: int) -> tuple[int, int]:
        """Return the first position of a step among the values that somebody has, and the one after its last."""
        return self._starts[step], self._starts[step + 1]

    @cached_property
    def _starts(self) -> list[int]:
        """Where steps begin among the values that somebody has, and the end of the last."""
        return [*np.flatnonzero(np.diff(self.of[self.held], prepend=-1)).tolist(), len(self.held)]


def steps_of(values: Sequence[object], counts: Sequence[int], least: int) -> Steps:
    """Return the steps of values on a line.

    Parameters
    ----------
    values
        The distinct values, from the lowest to the highest; none missing.
    counts
        How many people have each; a value that nobody has belongs to the step before it.
    least
        How many people a step must hold.

    Examples
    --------
    >>> steps = steps_of([17, 18, 84, 87, 88, 90], [9, 9, 2, 1, 1, 1], 4)
    >>> steps.of.tolist(), [steps.interval(*ends).label for ends in ((0, 1), (1, 2), (2, 5))]
    ([0, 1, 2, 2, 2, 2], ['[17, 18]', '[18, 94]', '[80, 94]'])
    """
    numbers = np.zeros(len(values), dtype=np.int32)
    start = number = held = 0
    for at, count in enumerate(counts):
        if held >= least and count:
            start, number, held = at, number + 1, 0
        numbers[at] = number
        held += count
    if held < least and number:
        numbers[start:] -= 1
    return Steps(values, numbers, np.flatnonzero(np.asarray(counts)).astype(np.int32), least)
