"""What a published cell may stand for, by the release alone: so many values in an order, or a text of its own."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from tclose.anonymization.points.lines import Line
from tclose.data.values.published_cells import Reading, Span, parts_of

if TYPE_CHECKING:
    from tclose.data.hierarchies import Hierarchy

Shown = tuple[str | None, int | None]
"""A published cell: its label, None for a missing value, and its level, None for an interval."""
_NOMINAL = ("flat", "mask", "prefix", "icd10")
"""Rules of hierarchies that take numbers for codes: what a node stands for is one of its codes, and nothing between."""
_PLAIN = re.compile(r"\[(-?[0-9]{1,18}), (-?[0-9]{1,18})([\])])")
"""An interval of whole numbers as :mod:`tclose.anonymization.algorithms.interval_ends` writes it."""
_HOUR = 60 * 60 * 10**6
_DAY = 24 * _HOUR
_FINE = 10_000
"""A stretch of numbers that are not whole has about so many of them to draw from, in round steps."""


def takes_for_codes(hierarchy: Hierarchy, *, declared: bool) -> bool:
    """Say whether nodes of a hierarchy are sets of values and not stretches of a line, though they may be numbers."""
    return declared or (hierarchy.rule or "").partition(":")[0] in _NOMINAL


@dataclass(frozen=True)
class Members:
    """The values that a cell may stand for.

    Parameters
    ----------
    number
        How many there are, at least one.
    first, step
        Where they begin on a line and how far apart they are, in its units.
    listed
        The values themselves, where they lie on no line.
    """

    number: int
    line: Line | None = None
    first: int = 0
    step: int = 1
    listed: tuple[str | None, ...] = ()

    def text(self, at: int) -> str | None:
        """Return one of the values as a text."""
        return self.line.text(self.first + at * self.step) if self.line is not None else self.listed[at]


def _these(listed: Sequence[str | None]) -> Members:
    return Members(len(listed), listed=tuple(listed))


@dataclass(frozen=True)
class Stretch:
    """A span of a line from one value on it to another, in its units; None where it has no end."""

    first: int | None
    last: int | None


@dataclass(frozen=True, eq=False)
class PublishedColumn:
    """A quasi-identifier as a release shows it.

    Parameters
    ----------
    shown
        The cells that the release has.
    hierarchy
        Its hierarchy.
    order
        The categories in their order, where the column declares one.
    line
        The line that its values lie on, None for a column of text.
    declared
        Whether its owner gave the hierarchy, so that each of its leaves may be named. The leaves of one that was made
        from the values are named only where the release names them.
    texts
        Whether any text is a value of its type.
    """

    shown: tuple[Shown, ...]
    hierarchy: Hierarchy
    order: tuple[str, ...] | None
    line: Line | None
    declared: bool
    texts: bool

    @cached_property
    def _labels(self) -> frozenset[str]:
        return frozenset(label for label, _ in self.shown if label is not None)

    @cached_property
    def _reading(self) -> Reading:
        return Reading(sorted(self._labels))

    @cached_property
    def nominal(self) -> bool:
        """Whether nodes of the hierarchy are sets of values and not stretches of a line."""
        return self.line is None or takes_for_codes(self.hierarchy, declared=self.declared)

    @cached_property
    def _alone(self) -> frozenset[str]:
        """The values that the release names, by themselves or in a set or at the ends of an interval."""
        named = {label for label, level in self.shown if level == 0 and label is not None}
        for label, level in self.shown:
            if label is not None and level != 0:
                named.update(part for part in _words(label) if part in self.hierarchy)
        return frozenset(named)

    @cached_property
    def _stretches(self) -> dict[str, Stretch]:
        """What each label that is a stretch covers."""
        found = {}
        for label, level in self.shown:
            stretch = None if label is None or (level == 0 and self.nominal) else self.stretch(label)
            if label is not None and stretch is not None:
                found[label] = stretch
        return found

    def stretch(self, label: str) -> Stretch | None:
        """Return what a label covers of the line; None where it covers no stretch of it."""
        if self.line is None:
            return None
        plain = _PLAIN.fullmatch(label) if self.line.name == "numbers" and self.line.unit == 1 else None
        if plain is not None:  # most labels, and reading one takes as long as dealing with ten
            first, last = int(plain[1]), int(plain[2]) - (plain[3] == ")")
            return Stretch(first, max(first, last))
        reading = self._reading if label in self._labels else Reading([*self._labels, label])
        span = reading.spans(label).get(self.line.name)
        return None if span is None else _on_grid(span, self.line.unit)

    @cached_property
    def _cuts(self) -> list[int]:
        """Where stretches begin, each a unit after the last value of the one below it."""
        values = {label for label, level in self.shown if level == 0}
        wide = [stretch for label, stretch in self._stretches.items() if label not in values]
        cuts = {each.first for each in wide} | {each.last + 1 for each in wide if each.last is not None}
        return sorted(cut for cut in cuts if cut is not None)

    def members(self, label: str | None, level: int | None) -> Members:
        """Return what a cell may stand for.

        A value by itself stands for itself, and a missing one stays missing. A stretch stands for the values of the
        line in it; one without an end goes one step beyond the outermost cut. A node stands for those of its leaves
        that may be named; where none may, a column of text keeps the label, and any other has a missing value.
        """
        if label is None or level == 0:
            return _these([label])
        if self.order is not None:
            return self._categories(label, level)
        if self.line is not None and (level is None or not self.nominal):
            stretch = self._stretches.get(label) or self.stretch(label)
            if stretch is None and level == self.hierarchy.height:
                stretch = self._whole
            if stretch is not None:
                return self._on_line(stretch)
        if level is None:
            return self._named((part for part in _words(label) if part in self.hierarchy), label)
        return self._node(label, level)

    def _categories(self, label: str, level: int | None) -> Members:
        """Return the categories of a node, or between the ends of an interval, that the release names."""
        if level is not None:
            return self._node(label, level)
        place = {each: at for at, each in enumerate(self.order or ())}
        ends = [place[part] for part in _words(label) if part in place]
        if not ends:
            return _these([label if self.texts else None])
        between = (self.order or ())[min(ends) : max(ends) + 1]
        return self._named(each for each in between if each in self._alone)

    def _node(self, label: str, level: int) -> Members:
        rows = (row for row in self.hierarchy.rows if level < len(row) and row[level] == label)
        leaves = [row[0] for row in rows]
        return self._named((leaf for leaf in leaves if self.declared or leaf in self._alone), label)

    def _named(self, values: Iterable[str], label: str | None = None) -> Members:
        return _these(list(values) or [label if self.texts else None])

    @cached_property
    def _whole(self) -> Stretch | None:
        """From the lowest to the highest that the release names, None where it names none.

        Where cells have no end, it goes one step beyond the outermost cut.
        """
        stretches = self._stretches.values()
        ends = [end for each in stretches for end in (each.first, each.last) if end is not None]
        if not ends:
            return None
        low, high = min(ends), max(ends)
        if self._cuts and any(each.first is None for each in stretches):
            low = min(low, self._cuts[0] - self._beyond(self._cuts[0]))
        if self._cuts and any(each.last is None for each in stretches):
            high = max(high, self._cuts[-1] + self._beyond(self._cuts[-1]) - 1)
        return Stretch(low, high)

    def _on_line(self, stretch: Stretch) -> Members:
        line, (first, last) = self.line, (stretch.first, stretch.last)
        if line is None or (first is None and last is None):
            return _these([None])
        whole = self._whole or stretch
        if first is None and last is not None:
            first = (
                whole.first if whole.first is not None and whole.first <= last else last + 1 - self._beyond(last + 1)
            )
        elif last is None and first is not None:
            last = whole.last if whole.last is not None and whole.last >= first else first + self._beyond(first) - 1
        if first is None or last is None:
            return _these([None])
        if line.limits is not None:
            low, high = line.limits
            first, last = (max(low, min(high, end)) for end in (first, last))
        step = _coarser(line, last - first)
        begin = -(-first // step) * step
        number = (last - begin) // step + 1
        return Members(number, line, begin, step) if number > 0 else Members(1, line, first)

    def _beyond(self, cut: int) -> int:
        """Return how far an open end goes beyond its cut: as far as the next cut, or by how round the cut is."""
        at = bisect_left(self._cuts, cut)
        others = [*self._cuts[max(at - 1, 0) : at], *self._cuts[at : at + 2]]
        apart = [abs(cut - each) for each in others if each != cut]
        return min(apart) if apart else _roundness(self.line, cut)


def _words(label: str) -> list[str]:
    """Return the words in a label that may be values: the parts of a set, or the ends of an interval."""
    inside = parts_of(label)
    if inside != [label]:
        return inside
    bare = label.strip("[]() ").removeprefix("≥").removeprefix("<").strip()
    return [bare, *(part.strip() for part in bare.split(", "))]


def _on_grid(span: Span, unit: Fraction) -> Stretch | None:
    """Return the first and the last value of a span that lie on a grid; the one below its low end where none does."""
    (low, above), (high, below) = span.low, span.high
    first = last = None
    if not math.isinf(low):
        first = math.ceil(Fraction(low) / unit)
        first += above > 0 and first * unit == low
    if not math.isinf(high):
        last = math.floor(Fraction(high) / unit)
        last -= below < 0 and last * unit == high
    if first is not None and last is not None and last < first:
        first = last
    return Stretch(first, last)


def _coarser(line: Line, width: int) -> int:
    """Return the step in which numbers of a stretch are drawn: their own, or a rounder one where they are not whole."""
    step = 1
    if line.name == "numbers" and line.unit != 1:
        while step * line.unit < 1 and width // step > _FINE:
            step *= 10
    return step


def _roundness(line: Line | None, cut: int) -> int:
    """Return the largest round step that a cut is a multiple of; a day, or an hour for times of day.

    Examples
    --------
    >>> _roundness(Line("numbers", Fraction(1), "BIGINT"), 1200)
    100
    """
    if line is None:
        return 1
    if line.name != "numbers":
        return max(1, int((_DAY if line.name == "times" else _HOUR) / line.unit))
    step = 1
    while cut and cut % (step * 10) == 0:
        step *= 10
    return step
