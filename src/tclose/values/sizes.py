"""The exact number that a value stands for, so that values can be ordered and their gaps compared."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from tclose.values.moments import FineMoment, moment_in
from tclose.values.numerals import numbers_in

_EPOCH = dt.date(1970, 1, 1)
_LINES: tuple[tuple[type, str], ...] = (
    (np.datetime64, "points in time"),
    (FineMoment, "points in time with a zone"),
    (dt.date, "dates"),
    (dt.time, "times of day"),
    (dt.timedelta, "durations"),
    (bool, "truth values"),
    (np.bool_, "truth values"),
    (str, "text"),
    (tuple, "combinations"),
)
_WRITTEN_CLOCK = re.compile(r"[0-9]{2}:[0-9]{2}.*")
_MICROSECOND = dt.timedelta(microseconds=1)


def sizes_of(values: Sequence[object]) -> list[Fraction | None]:
    """Return the exact number of each value of one column, None where a value is no number, date or time.

    Raises
    ------
    UnclearNumbersError
        When texts among the values can be read as numbers in two ways.

    Examples
    --------
    >>> sizes_of([3, Decimal("0.5"), "1,5", "0,25", "x"])
    [Fraction(3, 1), Fraction(1, 2), Fraction(3, 2), Fraction(1, 4), None]
    """
    numbers = numbers_in({value: None for value in values if isinstance(value, str)})
    return [numbers.get(value) if isinstance(value, str) else exact_number(value) for value in values]


def written_sizes(texts: Sequence[str]) -> dict[str, Fraction | None]:
    """Return the number that each text of a column stands for, or the moment where it is written as ISO 8601 has it.

    Examples
    --------
    >>> written_sizes(["1.5", "1970-01-02", "2020-01"])
    {'1.5': Fraction(3, 2), '1970-01-02': Fraction(86400000000, 1), '2020-01': None}
    """
    numbers = sizes_of(texts)
    return {text: _moment(text) if number is None else number for text, number in zip(texts, numbers, strict=True)}


def has_zone(text: str) -> bool | None:
    """Say whether a text is a point in time with a zone; None where it is no point in time.

    Examples
    --------
    >>> has_zone("2020-01-01T10:00:00+00:00"), has_zone("2020-01-01"), has_zone("12")
    (True, False, None)
    """
    found = moment_in(text)
    return None if found is None else found[1]


def _moment(text: str) -> Fraction | None:
    """Return the moment that a text names; a month or a week is none, and no time of day in fewer signs."""
    if found := moment_in(text):
        return found[0]
    if _WRITTEN_CLOCK.fullmatch(text):
        with suppress(ValueError):
            return exact_number(dt.time.fromisoformat(text))
    return None


def exact_number(value: object) -> Fraction | None:
    """Return a number, date or time as an exact number, or None where the value is none of these.

    A float stands for its shortest decimal; a date for its day, a point in time for its microsecond.
    Text stands for nothing by itself: see :func:`sizes_of`.
    """
    if isinstance(value, int):
        return Fraction(int(value))
    if isinstance(value, float):
        return Fraction(Decimal(repr(value))) if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return Fraction(value) if value.is_finite() else None
    if isinstance(value, dt.datetime):
        zone = dt.UTC if value.tzinfo else None
        return Fraction((value - dt.datetime(1970, 1, 1, tzinfo=zone)) // _MICROSECOND)
    if isinstance(value, dt.date):
        return Fraction((value - _EPOCH).days)
    if isinstance(value, dt.timedelta):
        return Fraction(value // _MICROSECOND)
    if isinstance(value, dt.time):
        return Fraction(((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + value.microsecond)
    if isinstance(value, FineMoment):
        return value.microseconds
    if isinstance(value, np.datetime64):
        return Fraction(int(value.astype("datetime64[ns]").astype(np.int64)), 1000)
    return None


def line_of(value: object) -> str:
    """Return which line a value lies on: exact numbers of values on different lines do not compare."""
    if isinstance(value, dt.datetime):
        return "points in time with a zone" if value.tzinfo else "points in time"
    kind: Any = type(value)
    return _line_of_kind(kind)


@cache
def _line_of_kind(kind: type) -> str:
    return next((line for known, line in _LINES if issubclass(kind, known)), "numbers")


def whole_positions(numbers: Iterable[Fraction | int]) -> tuple[list[int], int]:
    """Return numbers times their smallest common denominator, and that denominator.

    Examples
    --------
    >>> whole_positions([Fraction(1, 2), Fraction(3, 4), Fraction(2)])
    ([2, 3, 8], 4)
    """
    numbers = list(numbers)
    common = math.lcm(*{number.denominator for number in numbers}) if numbers else 1
    return [number.numerator * (common // number.denominator) for number in numbers], common


def exact_text(number: Fraction | int) -> str:
    """Return a number as an exact decimal, or as a fraction where it has none.

    Examples
    --------
    >>> [exact_text(Fraction(text)) for text in ("20", "-0.05", "12.50", "1/3")]
    ['20', '-0.05', '12.5', '1/3']
    """
    digits, rest = 0, number.denominator
    while rest % 10 == 0:
        digits, rest = digits + 1, rest // 10
    for factor in (2, 5):
        while rest % factor == 0:
            digits, rest = digits + 1, rest // factor
    if rest != 1 or number.denominator == 1:
        return str(number)
    text = str(abs(number.numerator) * 10**digits // number.denominator).rjust(digits + 1, "0")
    return f"{'-' if number < 0 else ''}{text[:-digits]}.{text[-digits:]}"
