"""Round numbers and days between the values of a column, where a run of them can begin and end without naming one."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Protocol

import numpy as np

from tclose.values.moments import FineMoment
from tclose.values.sizes import exact_number, exact_text, line_of
from tclose.values.texts import as_text

_FIRST = dt.datetime(1, 1, 1)
_MICROSECOND = dt.timedelta(microseconds=1)
_BEFORE_1970 = Fraction((dt.datetime(1970, 1, 1) - _FIRST) // _MICROSECOND)


Place = Fraction | int
"""A place on a line; whole numbers, which are quick, where all of its values are such."""


class Rounds(Protocol):
    """Gives the nearest round numbers above or below a number, the roundest first."""

    def __call__(self, place: Place, *, up: bool) -> Iterator[Place]:
        """Give them."""
        ...


@dataclass(frozen=True)
class Line:
    """Values of one kind as numbers, with the round ones among them."""

    place: Callable[[object], Place]
    text: Callable[[Place], str]
    rounds: Rounds
    """The nearest number above or below another on each grid, from the roundest grid to the finest."""
    unit: Place
    """What the values are whole multiples of, so that the last value before a cut can be named; 0 where nothing is."""
    floor: Place | None
    """What nothing lies below."""

    @staticmethod
    def of(values: Sequence[object]) -> Line | None:
        """Return the line that values lie on, or None where they are neither numbers nor days nor moments."""
        kinds = {type(value) for value in values}
        if kinds == {dt.date}:
            return Line(_ordinal, lambda day: _date(day).isoformat(), _round_days, Fraction(1), None)
        if kinds and kinds <= {dt.datetime, np.datetime64, FineMoment}:
            return Line._of_moments(values)
        if kinds == {int}:
            floor = 0 if min(map(_as_it_is, values)) >= 0 else None
            return Line(_as_it_is, exact_text, partial(_round_numbers, finest=0), 1, floor)
        numbers = [exact_number(value) for value in values if line_of(value) == "numbers"]
        found = [number for number in numbers if number is not None]
        if not found or len(found) < len(values):
            return None
        floor = 0 if min(found) >= 0 else None
        if all(number.denominator == 1 for number in found):
            rounds = partial(_round_numbers, finest=0)
            return Line(lambda value: math.floor(exact_number(value) or 0), exact_text, rounds, 1, floor)
        return Line(lambda value: exact_number(value) or 0, exact_text, _round_numbers, 0, floor)

    @staticmethod
    def _of_moments(values: Sequence[object]) -> Line | None:
        """Return the line of points in time as their clocks show them; of several offsets, as those of UTC do."""
        offsets = {_offset(value) for value in values}
        if None in offsets and len(offsets) > 1:
            return None
        offset = offsets.pop() if len(offsets) == 1 else dt.timedelta()
        ahead = Fraction((offset or dt.timedelta()) // _MICROSECOND) + _BEFORE_1970
        return Line(
            lambda value: (exact_number(value) or 0) + ahead,
            lambda place: _written(place - ahead, offset),
            _round_moments,
            Fraction(0),
            None,
        )

    def ends(self, values: Sequence[object], first: int, end: int) -> tuple[str, str, bool]:
        """Return where a run of ascending values begins and ends, as texts, and whether the end lies beyond it.

        Parameters
        ----------
        values
            All values, ascending.
        first, end
            The run: its first position, and the position after its last.
        """
        return self.begin(values, first, end), self.finish(values, first, end), not self.unit

    def begin(self, values: Sequence[object], first: int, end: int) -> str:
        """Return where a run begins."""
        return self.text(self._cut_below(values, first, end))

    def finish(self, values: Sequence[object], first: int, end: int) -> str:
        """Return where a run ends; the end lies beyond it where values have no unit."""
        return self.text(self._cut_above(values, first, end) - self.unit)

    def _cut_below(self, values: Sequence[object], first: int, end: int) -> Place:
        """Return where a run begins: at a round number near it that is nobody's, where there is room."""
        start, stop = self.place(values[first]), self.place(values[end - 1])
        reach = start - (stop - start) - 2 * self.unit
        before = self.place(values[first - 1]) if first else reach
        above = max(reach, before) + self.unit
        if self.floor is not None and not first:
            above = max(above, self.floor - 1)
        found = next((found for found in self.rounds(start, up=False) if above < found), start)
        return max(found, self.floor) if self.floor is not None and not first else found

    def _cut_above(self, values: Sequence[object], first: int, end: int) -> Place:
        """Return where a run ends: at a round number near it; the end itself lies beyond the run."""
        start, stop = self.place(values[first]), self.place(values[end - 1])
        reach = stop + (stop - start) + 2 * self.unit
        after = min(reach, self.place(values[end])) if end < len(values) else reach
        above = stop + self.unit if stop + 2 * self.unit < after else stop
        return next((found for found in self.rounds(above, up=True) if found < after), after)


def _round_numbers(place: Place, *, up: bool, finest: int = -400) -> Iterator[Place]:
    """Give the nearest multiple above or below a number of 10ⁿ, 5·10ⁿ⁻¹, 2·10ⁿ⁻¹, 10ⁿ⁻¹ and so on."""
    for power in range(len(str(abs(math.trunc(place)))) + 1, finest, -1):
        ten = 10 ** (power - 1) if power > 0 else Fraction(10) ** (power - 1)
        for factor in (10, 5, 2):
            yield _multiple(place, factor * ten, up=up)
    yield _multiple(place, Fraction(10) ** finest if finest else 1, up=up)


def _multiple(place: Place, grid: Place, *, up: bool) -> Place:
    """Return the next multiple of a grid above or below a place."""
    steps, of = place.numerator * grid.denominator, place.denominator * grid.numerator
    return (steps // of + 1 if up else -(-steps // of) - 1) * grid


def _round_days(place: Place, *, up: bool) -> Iterator[Place]:
    """Give the nearest day after or before another that begins a century, a decade, …, a month; then the next day."""
    day = _date(place if up else place - 1)
    for years in (100, 10, 5, 1):
        yield from _first_of_month((day.year // years + up) * years, 1)
    for months in (3, 1):
        ahead = (day.month - 1) // months * months + (months if up else 0)
        yield from _first_of_month(day.year + ahead // 12, ahead % 12 + 1)
    yield place + (1 if up else -1)


def _first_of_month(year: int, month: int) -> Iterator[Fraction]:
    if dt.MINYEAR <= year <= dt.MAXYEAR:
        yield Fraction(dt.date(year, month, 1).toordinal())


def _round_moments(place: Place, *, up: bool) -> Iterator[Place]:
    """Give the nearest moment after or before another that begins a year, a month, a day, an hour and so on."""
    day = Fraction(_moment(place).toordinal()) + (0 if up else 1)
    for found in _round_days(day, up=up):
        yield Fraction((dt.datetime.combine(_date(found), dt.time()) - _FIRST) // _MICROSECOND)
    for grid in (3_600_000_000, 600_000_000, 60_000_000, 10_000_000, 1_000_000, 1_000, 1, Fraction(1, 1000)):
        yield _multiple(place, Fraction(grid), up=up)


def _as_it_is(number: object) -> int:
    return number  # type: ignore[return-value]


def _ordinal(day: object) -> Fraction:
    return Fraction(day.toordinal())  # type: ignore[attr-defined]


def _date(ordinal: Place) -> dt.date:
    return dt.date.fromordinal(min(max(int(ordinal), 1), dt.date.max.toordinal()))


def _offset(value: object) -> dt.timedelta | None:
    """Return how far the clocks of a point in time are ahead of UTC; None where it has no zone."""
    if isinstance(value, FineMoment):
        return value.offset
    return value.utcoffset() if isinstance(value, dt.datetime) else None


def _moment(place: Place) -> dt.datetime:
    """Return the microsecond at or before a place that is counted from the first day of all."""
    return _FIRST + dt.timedelta(
        microseconds=min(max(math.floor(place), 0), (dt.datetime.max - _FIRST) // _MICROSECOND)
    )


def _written(place: Place, offset: dt.timedelta | None) -> str:
    """Return the text of a point in time, given its microseconds from 1970 and how far its clocks are ahead of UTC."""
    nanoseconds = math.floor(place * 1000)
    if nanoseconds % 1000:
        return str(np.datetime64(nanoseconds, "ns") if offset is None else FineMoment(nanoseconds, offset))
    ahead = offset or dt.timedelta()
    local = _moment(place + Fraction(ahead // _MICROSECOND) + _BEFORE_1970)
    return as_text(local if offset is None else local.replace(tzinfo=dt.timezone(offset)))
