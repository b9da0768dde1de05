"""Round numbers and days between the values of a column, where a run of them can begin and end without naming one."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tclose.data.values.numbers import exact_number, exact_text, line_of
from tclose.data.values.texts import as_text
from tclose.data.values.times import FineMoment

# Cuts of a fixed grid of round numbers and days, and which of them have enough people in the cells beside them. The
# grid is the same for every table of a type: 10, 5, 1, 0.5 …; decades, years, quarters, months and days; 4, 2 and 1
# of the categories that a column declares. A cut that is admitted says that many people lie on either side of it.


Places = NDArray[Any]
"""Whole numbers, as numbers of the machine where these suffice."""
_WORD = 2**61
_EPOCH = dt.date(1970, 1, 1).toordinal()
_MICROSECOND = dt.timedelta(microseconds=1)
_DAY = 24 * 60 * 60 * 10**6
_MINUTE = 60 * 10**6
_CLOCK = (
    *(minutes * _MINUTE for minutes in (720, 360, 60, 30, 10, 5, 1)),
    *(seconds * 10**6 for seconds in (30, 10, 5, 1)),
    *(factor * 10**power for power in range(5, -1, -1) for factor in (5, 1) if factor * 10**power < 10**6),
)
"""The steps of times of day in microseconds, each of which divides the one before."""


class Rung(Protocol):
    """One step of the grid."""

    def cells(self, places: Places) -> Places:
        """Return the number of the cell in which each place lies; neighbours have numbers side by side."""

    def starts(self, cells: Places) -> Places:
        """Return where cells begin."""


@dataclass(frozen=True)
class _Multiples:
    """Cells between the multiples of a step."""

    step: int

    def cells(self, places: Places) -> Places:
        return places // self.step

    def starts(self, cells: Places) -> Places:
        return cells * self.step


@dataclass(frozen=True)
class _Months:
    """Cells of so many months."""

    step: int

    def cells(self, places: Places) -> Places:
        months = places.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + 1970 * 12
        return np.asarray(months // self.step)

    def starts(self, cells: Places) -> Places:
        months = (cells * self.step - 1970 * 12).astype("datetime64[M]")
        return np.asarray(months.astype("datetime64[D]").astype(np.int64))


@dataclass(frozen=True)
class Grid:
    """The values of a column on a fixed grid."""

    places: Places = field(repr=False)
    """Where each value lies, in ascending order: the number of its finest cell."""
    rungs: Callable[[], Iterator[Rung]]
    """The steps, from the coarsest to the finest."""
    word: Callable[[int], str]
    """What is written of a place."""
    exact: Callable[[int], str]
    """The same as the column's own values are written."""
    unit: int
    """The distance of neighbouring values, so that the last before a cut can be named; 0 where they have none."""
    outer: tuple[int, int] | None = None
    """Where all that is declared begins and ends; None where nothing is."""

    @staticmethod
    def of(values: Sequence[object], categories: Sequence[str] | None = None) -> Grid | None:
        """Return the grid of ascending values, or None where they are no numbers, dates, times or categories.

        Parameters
        ----------
        values
            The distinct values, from the lowest to the highest; none missing.
        categories
            The order that the column itself declares, if it does; values are then the categories' positions.
        """
        if not values:
            return None
        if categories is not None:
            return _of_categories(values, categories)
        kinds = {type(value) for value in values}
        if kinds <= {dt.datetime, np.datetime64, FineMoment}:
            return _of_moments(values)
        if kinds == {dt.date}:
            days = np.array([value.toordinal() - _EPOCH for value in values], dtype=np.int64)  # type: ignore[attr-defined]
            return Grid(days, _calendar, _day, _day, 1)
        if kinds == {int}:
            return _of_numbers(values)  # type: ignore[arg-type]
        sizes = [exact_number(value) for value in values]
        found = [size for size in sizes if size is not None]
        if len(found) < len(sizes):
            return None
        if kinds == {dt.time}:
            return Grid(_whole(found, 1), partial(map, _Multiples, _CLOCK), _clock, _clock, 0)
        return _of_numbers(found) if {line_of(value) for value in values} == {"numbers"} else None


def _of_categories(values: Sequence[object], categories: Sequence[str]) -> Grid:
    """Return the grid of positions of categories; which there are is declared."""
    number, word = len(categories), partial(_category, tuple(categories))
    return Grid(np.array(values, dtype=np.int64), partial(_powers, number), word, word, 1, (0, number))


def _of_numbers(sizes: Sequence[Fraction | int]) -> Grid:
    digits = max(map(_digits, {size.denominator for size in sizes}))
    places = _whole(sizes, 10**digits)
    largest = max(abs(int(places[0])), abs(int(places[-1])))
    word = partial(_decimal, digits)
    return Grid(places, partial(_multiples, largest), word, word, 0 if digits else 1)


def _of_moments(values: Sequence[object]) -> Grid | None:
    """Return the grid of the days that clocks show; those of UTC where there are several offsets."""
    offsets = {_offset(value) for value in values}
    if None in offsets and len(offsets) > 1:
        return None
    offset = offsets.pop() if len(offsets) == 1 else dt.timedelta()
    ahead = (offset or dt.timedelta()) // _MICROSECOND
    places = np.array([(exact_number(value) + ahead) // _DAY for value in values], dtype=np.int64)  # type: ignore[operator]
    zone = "" if offset is None else dt.datetime.isoformat(dt.datetime(1970, 1, 1, tzinfo=dt.timezone(offset)))[10:]
    return Grid(places, _calendar, _day, partial(_midnight, zone), 0)


def _multiples(largest: int) -> Iterator[Rung]:
    """Give 10ⁿ, 5·10ⁿ⁻¹, 10ⁿ⁻¹ and so on, from above the largest number down to 1."""
    power = 10 ** len(str(largest))
    while power > 1:
        yield _Multiples(power)
        yield _Multiples(power // 2)
        power //= 10
    yield _Multiples(1)


def _powers(categories: int) -> Iterator[Rung]:
    """Give as many categories as make two groups, half as many and so on down to one."""
    return (_Multiples(2**power) for power in range(categories.bit_length(), -1, -1))


def _calendar() -> Iterator[Rung]:
    return chain(map(_Months, (120, 12, 3, 1)), (_Multiples(1),))


def _digits(denominator: int) -> int:
    """Return how many digits a decimal of a denominator has behind its point."""
    rest, twos, fives = denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives)


def _whole(sizes: Sequence[Fraction | int], unit: int) -> Places:
    places = [size.numerator * unit // size.denominator for size in sizes]
    small = not places or max(abs(places[0]), abs(places[-1])) < _WORD // 20
    return np.array(places, dtype=np.int64 if small else object)


def _day(day: int) -> str:
    return dt.date.fromordinal(day + _EPOCH).isoformat()


def _midnight(zone: str, day: int) -> str:
    return f"{_day(day)}{zone}"


def _category(categories: Sequence[str], place: int) -> str:
    return categories[place]


def _decimal(digits: int, place: int) -> str:
    return exact_text(Fraction(place, 10**digits))


def _clock(place: int) -> str:
    return (dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=place)).time().isoformat()


def _offset(value: object) -> dt.timedelta | None:
    """Return how far the clocks of a point in time are ahead of UTC; None where it has no zone."""
    if isinstance(value, FineMoment):
        return value.offset
    return value.utcoffset() if isinstance(value, dt.datetime) else None


_FIRST = dt.datetime(1, 1, 1)
_ONE_MICROSECOND = dt.timedelta(microseconds=1)
_BEFORE_1970 = Fraction((dt.datetime(1970, 1, 1) - _FIRST) // _ONE_MICROSECOND)


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
        offsets = {_zone_offset(value) for value in values}
        if None in offsets and len(offsets) > 1:
            return None
        offset = offsets.pop() if len(offsets) == 1 else dt.timedelta()
        ahead = Fraction((offset or dt.timedelta()) // _ONE_MICROSECOND) + _BEFORE_1970
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
        yield Fraction((dt.datetime.combine(_date(found), dt.time()) - _FIRST) // _ONE_MICROSECOND)
    for grid in (3_600_000_000, 600_000_000, 60_000_000, 10_000_000, 1_000_000, 1_000, 1, Fraction(1, 1000)):
        yield _multiple(place, Fraction(grid), up=up)


def _as_it_is(number: object) -> int:
    return number  # type: ignore[return-value]


def _ordinal(day: object) -> Fraction:
    return Fraction(day.toordinal())  # type: ignore[attr-defined]


def _date(ordinal: Place) -> dt.date:
    return dt.date.fromordinal(min(max(int(ordinal), 1), dt.date.max.toordinal()))


def _zone_offset(value: object) -> dt.timedelta | None:
    """Return how far the clocks of a point in time are ahead of UTC; None where it has no zone."""
    if isinstance(value, FineMoment):
        return value.offset
    return value.utcoffset() if isinstance(value, dt.datetime) else None


def _moment(place: Place) -> dt.datetime:
    """Return the microsecond at or before a place that is counted from the first day of all."""
    return _FIRST + dt.timedelta(
        microseconds=min(max(math.floor(place), 0), (dt.datetime.max - _FIRST) // _ONE_MICROSECOND)
    )


def _written(place: Place, offset: dt.timedelta | None) -> str:
    """Return the text of a point in time, given its microseconds from 1970 and how far its clocks are ahead of UTC."""
    nanoseconds = math.floor(place * 1000)
    if nanoseconds % 1000:
        return str(np.datetime64(nanoseconds, "ns") if offset is None else FineMoment(nanoseconds, offset))
    ahead = offset or dt.timedelta()
    local = _moment(place + Fraction(ahead // _ONE_MICROSECOND) + _BEFORE_1970)
    return as_text(local if offset is None else local.replace(tzinfo=dt.timezone(offset)))
