"""The exact number that a value stands for, so that values can be ordered and their gaps compared."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, Literal

import numpy as np

from tclose.data.values.times import FineMoment, moment_in
from tclose.errors import Ask, DomainError, Hint

# Bands of numbers written as text ("10-20%", "<5", "55<=", "65+"), and their order.


Band = tuple[Fraction | float, Fraction | float]
"""The least and the greatest number of a band; infinite where it is open."""

_NUMBER = r"(-?(?:0|[1-9]\d{0,17})(?:\.(?!\d{3}(?!\d))\d{1,18})?)\s*(?:%|years|yrs|y)?"  # 1.000 may be a thousand
_TO = r"\s*(?:-|–|—|~|\.\.|to|bis|à|a)\s*"
_BETWEEN = re.compile(rf"[\[(]?\s*{_NUMBER}{_TO}{_NUMBER}\s*[\])]?", re.IGNORECASE | re.ASCII)
_LISTED = re.compile(rf"[\[(]\s*{_NUMBER}\s*[,;]\s*{_NUMBER}\s*[\])]", re.IGNORECASE | re.ASCII)
_BELOW = re.compile(rf"(?:(?:<=?|≤|under|below|up to|less than)\s*{_NUMBER}|{_NUMBER}\s*(?:>=?|≥))", re.IGNORECASE)
_ABOVE = re.compile(
    rf"(?:(?:>=?|≥|over|above|more than)\s*{_NUMBER}|{_NUMBER}\s*(?:<=?|≤|\+|or more|or over|and over|and more))",
    re.IGNORECASE,
)
_ALONE = re.compile(_NUMBER, re.IGNORECASE | re.ASCII)


def band_of(text: str) -> Band | None:
    """Return the ends of a band, or of a number alone; None where a text is neither.

    Examples
    --------
    >>> band_of("10-20%"), band_of("55<=")
    ((Fraction(10, 1), Fraction(20, 1)), (Fraction(55, 1), inf))
    >>> band_of("2013-05") is None  # a month: numbers of bands have no idle zeros
    True
    """
    text = text.strip()
    if found := _BETWEEN.fullmatch(text) or _LISTED.fullmatch(text):
        low, high = map(Fraction, found.groups())
        return (low, high) if low <= high else None
    for pattern, upwards in ((_BELOW, False), (_ABOVE, True)):
        if found := pattern.fullmatch(text):
            end = Fraction(next(filter(None, found.groups())))
            return (end, math.inf) if upwards else (-math.inf, end)
    found = _ALONE.fullmatch(text)
    return (Fraction(found[1]), Fraction(found[1])) if found else None


def bands_in_order(texts: Sequence[str]) -> list[int] | None:
    """Return the positions of texts from the lowest band to the highest; None where they are not bands side by side.

    Bands may touch and not overlap. Numbers may stand among them, but not alone: those have an order of their own.

    Examples
    --------
    >>> bands_in_order(["10-14", "5-9", "<5", "15+"]), bands_in_order(["10-20", "15-25"]), bands_in_order(["1", "2"])
    ([2, 1, 0, 3], None, None)
    """
    bands = []
    for text in texts:
        if (band := band_of(text)) is None:
            return None
        bands.append(band)
    order = sorted(range(len(bands)), key=bands.__getitem__)
    apart = all(bands[before][1] <= bands[after][0] for before, after in itertools.pairwise(order))
    different = len(set(bands)) == len(bands)
    return order if apart and different and any(low != high for low, high in bands) else None


# Numbers written as text: one decimal mark for a whole column, found in all its values or not at all.


Mark = Literal[".", ","]
"""What separates the whole part of a number from the rest."""

_MULTIPLES = {"": 1, "k": 10**3, "m": 10**6, "bn": 10**9, "%": 1}
_AMOUNT = re.compile(
    r"(?P<sign>[+\-−]?)\s*(?P<before>[$€£¥]?)\s*(?P<digits>[\d.,][\d.,'’ \u00a0\u202f]*?(?P<power>[eE][+-]?\d{1,3})?)"
    r"\s*(?P<unit>k|m|bn|%)?\s*(?P<after>[$€£¥]?)",
    re.IGNORECASE,
)
_BARE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
"""A number as programs write it, which a point in it is the decimal mark of."""
_LONGEST = 64
_LONGEST_BARE = 1_200
"""So many digits the smallest and the largest real numbers have."""


def _pattern(mark: Mark) -> re.Pattern[str]:
    """Return how the digits of a number look with a decimal mark; groups of three may be set apart."""
    decimal, other = (r"\.", ",") if mark == "." else (",", r"\.")
    groups = rf"[1-9]\d{{0,2}}(?P<apart>[{other}'’ \u00a0\u202f])\d{{3}}(?:(?P=apart)\d{{3}})*"
    return re.compile(rf"(?P<whole>{groups}|\d+|(?={decimal}\d))(?:{decimal}(?P<part>\d*))?(?P<power>[eE][+-]?\d+)?")


_PATTERNS: Mapping[Mark, re.Pattern[str]] = {".": _pattern("."), ",": _pattern(",")}


class UnclearNumbersError(DomainError):
    """The texts of a column read as numbers in two ways, or some in one way and some in the other."""


def number_in(text: str, mark: Mark) -> Fraction | None:
    """Return the number that a text stands for where numbers have a decimal mark, or None.

    Examples
    --------
    >>> [number_in(text, ".") for text in ("11k", "$1,234.5", "3,5", "2*")], number_in("3,5", ",")
    ([Fraction(11000, 1), Fraction(2469, 2), None, None], Fraction(7, 2))
    """
    text = text.strip()
    if len(text) > _LONGEST:
        bare = mark == "." and len(text) <= _LONGEST_BARE and _BARE.fullmatch(text)
        return Fraction(Decimal(text)) if bare else None
    amount = _AMOUNT.fullmatch(text)
    digits = _PATTERNS[mark].fullmatch(amount["digits"].strip()) if amount else None
    if amount is None or digits is None:
        return None
    whole = re.sub(r"\D", "", digits["whole"])
    number = Fraction(Decimal(f"{whole or '0'}.{digits['part'] or '0'}{digits['power'] or ''}"))
    number *= _MULTIPLES[(amount["unit"] or "").lower()]
    return -number if amount["sign"] in ("-", "−") else number


def numbers_in(texts: Iterable[str]) -> dict[str, Fraction]:
    """Return the numbers that texts of one column stand for, by one decimal mark for all of them.

    Texts that stand for no number are left out.

    Raises
    ------
    UnclearNumbersError
        When both marks fit all numbers and give different ones, or when neither fits all of them; when some are
        percentages and others are not, or amounts are of several currencies.

    Examples
    --------
    >>> numbers_in(["0,125", "1,5"])
    {'0,125': Fraction(1, 8), '1,5': Fraction(3, 2)}
    >>> numbers_in(["1,125", "12"])
    Traceback (most recent call last):
    tclose.data.values.numbers.UnclearNumbersError: its numbers can be read in two ways: ...
    """
    numbers = _numbers_by_one_mark(list(texts))
    _check_units(numbers)
    return numbers


def _numbers_by_one_mark(texts: Sequence[str]) -> dict[str, Fraction]:
    found: dict[Mark, dict[str, Fraction]] = {}
    for mark in _PATTERNS:
        found[mark] = {text: number for text in texts if (number := number_in(text, mark)) is not None}
    point, comma = found["."], found[","]
    if point == comma or (comma.keys() < point.keys()):
        return point
    if point.keys() < comma.keys():
        return comma
    if point.keys() != comma.keys():
        raise UnclearNumbersError(
            "some of its numbers have a decimal point and others a decimal comma.",
            hint=Hint("Write all of them in one way."),
        )
    if all(_BARE.fullmatch(text.strip()) for text in point):
        return point
    raise UnclearNumbersError(
        "its numbers can be read in two ways: every comma or point in them may be a decimal mark or set thousands "
        "apart, and no value decides which.",
        code="decimal-mark-unclear",
        field="decimal",
        hint=Hint(
            "In a text file, say which with {} or {}; elsewhere write plain numbers.",
            Ask("decimal", ","),
            Ask("decimal", "."),
        ),
    )


def _check_units(numbers: Mapping[str, Fraction]) -> None:
    """Refuse numbers of which some are percentages, but for zeros, or amounts of several currencies."""
    amounts = [(amount, number) for text, number in numbers.items() if (amount := _AMOUNT.fullmatch(text.strip()))]
    if len({amount["unit"] == "%" for amount, number in amounts if number}) > 1:
        raise UnclearNumbersError(
            "some of its numbers are percentages and others are not: 5% may be 5 or 0.05 beside them. Write them all "
            "in one way."
        )
    if len({amount["before"] or amount["after"] for amount, _ in amounts} - {""}) > 1:
        raise UnclearNumbersError("its amounts are of several currencies, which do not compare. Convert them to one.")


def reads_as_numbers(texts: Iterable[str]) -> bool:
    """Say whether every text stands for a number, by one decimal mark for all of them."""
    texts = list(texts)
    try:
        return bool(texts) and len(numbers_in(texts)) == len(set(texts))
    except UnclearNumbersError:
        return False


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
