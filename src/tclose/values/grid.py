"""Cuts of a fixed grid of round numbers and days, and which of them have enough people in the cells beside them.

The grid is the same for every table of a type: 10, 5, 1, 0.5 …; decades, years, quarters, months and days; 4, 2 and 1
of the categories that a column declares. A cut that is admitted says that many people lie on either side of it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tclose.values.moments import FineMoment
from tclose.values.sizes import exact_number, exact_text, line_of

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
