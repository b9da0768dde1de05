"""What a cell is, and when two are the same: exact numbers, days, moments, letters; nothing of ours is asked.

A cell is ``None`` where nothing is there, or a pair of its sort and an exact value. Two cells are the same if and
only if these pairs are equal.
"""

from __future__ import annotations

import datetime as dt
import re
import struct
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

Cell = tuple[str, Any] | None
Cells = tuple[Cell, ...]

EPOCH = dt.datetime(1970, 1, 1)
SORTED = ("number", "day", "moment", "zoned", "clock", "span")
"""Sorts of cells that have a size; truths and texts have none."""
MOST_DIGITS = 38


@dataclass(frozen=True)
class Moment:
    """A point in time in nanoseconds since 1970; with the offset of its zone in minutes, if it has one."""

    ns: int
    offset: int | None = None

    @property
    def python(self) -> dt.datetime:
        plain = EPOCH + dt.timedelta(microseconds=self.ns // 1000)
        if self.offset is None:
            return plain
        return plain.replace(tzinfo=dt.UTC).astimezone(dt.timezone(dt.timedelta(minutes=self.offset)))


@dataclass(frozen=True)
class Clock:
    """A time of day in microseconds."""

    us: int

    @property
    def python(self) -> dt.time:
        return (EPOCH + dt.timedelta(microseconds=self.us)).time()


@dataclass(frozen=True)
class Span:
    """A duration in nanoseconds."""

    ns: int

    @property
    def python(self) -> dt.timedelta:
        return dt.timedelta(microseconds=self.ns // 1000)


def cell(value: object) -> Cell:
    """Return the cell of a value that has a type: a float is the shortest decimal that reads back as it."""
    if value is None:
        return None
    if isinstance(value, bool | np.bool_):
        return "truth", bool(value)
    if isinstance(value, float | np.floating):
        return _real(str(value) if isinstance(value, np.floating) else repr(value))
    if isinstance(value, int | Decimal | Fraction):
        return "number", Fraction(value)
    if isinstance(value, Moment):
        return "moment" if value.offset is None else "zoned", Fraction(value.ns)
    if isinstance(value, dt.datetime):
        return _moment(value)
    if isinstance(value, dt.date):
        return "day", value.toordinal()
    if isinstance(value, Clock | dt.time):
        return "clock", Fraction(value.us if isinstance(value, Clock) else _microseconds(value)) * 1000
    if isinstance(value, Span | dt.timedelta):
        ns = value.ns if isinstance(value, Span) else value // dt.timedelta(microseconds=1) * 1000
        return "span", Fraction(ns)
    if isinstance(value, pa.MonthDayNano):
        return "span", Fraction((value.months * 30 + value.days) * 86_400 * 10**9 + value.nanoseconds)
    if isinstance(value, str):
        return "text", value
    raise TypeError(type(value))


def _real(text: str) -> Cell:
    number = Decimal(text)
    if number.is_nan():
        return None
    return "number", Fraction(number) if number.is_finite() else float(number)


def _moment(value: dt.datetime) -> Cell:
    if value.tzinfo is None:
        return "moment", Fraction((value - EPOCH) // dt.timedelta(microseconds=1)) * 1000
    return "zoned", Fraction((value - EPOCH.replace(tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)) * 1000


def _microseconds(value: dt.time) -> int:
    return ((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + value.microsecond


def cells_of_arrow(array: pa.Array | pa.ChunkedArray) -> Cells:
    """Return the cells of an Arrow column, as Arrow itself gives them."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return cells_of_arrow(array.cast(kind.value_type))
    if pa.types.is_float16(kind) or pa.types.is_float32(kind):
        width = np.float16 if pa.types.is_float16(kind) else np.float32
        return tuple(None if value is None else cell(width(value)) for value in array.to_pylist())
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        scale = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[kind.unit]
        sort = "span" if pa.types.is_duration(kind) else "moment" if kind.tz is None else "zoned"
        whole = array.cast(pa.int64()).to_pylist()
        return tuple(None if value is None else (sort, Fraction(value * scale)) for value in whole)
    if pa.types.is_time(kind):
        scale = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[kind.unit]
        whole = array.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).to_pylist()
        return tuple(None if value is None else ("clock", Fraction(value * scale)) for value in whole)
    if pa.types.is_fixed_size_binary(kind):  # a duration of Parquet: months, days and milliseconds
        return tuple(None if value is None else _parquet_span(value) for value in array.to_pylist())
    return tuple(cell(value) for value in array.to_pylist())


def _parquet_span(value: bytes) -> Cell:
    months, days, milliseconds = struct.unpack("<III", value)
    return "span", Fraction((months * 30 + days) * 86_400 * 10**9 + milliseconds * 10**6)


def midnights(cells: Sequence[Cell]) -> Cells:
    """Return cells with every day as the moment at which it begins."""
    return tuple(
        cell(dt.datetime.combine(dt.date.fromordinal(each[1]), dt.time())) if each and each[0] == "day" else each
        for each in cells
    )


def sorts(cells: Sequence[Cell]) -> set[str]:
    """Return the sorts of the cells that are there."""
    return {found[0] for found in cells if found is not None}


def scale(cells: Sequence[Cell]) -> list[Any]:
    """Return the distinct values that have a size, in their order."""
    return sorted({found[1] for found in cells if found is not None})


# How a text table reads its letters: docs/tables.md in regular expressions of Python.

_WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_POINT = re.compile(r"[-+]?(0|[1-9][0-9]*)?\.[0-9]+")
_COMMA = re.compile(r"[-+]?(0|[1-9][0-9]*)?,[0-9]+")
_EITHER = re.compile(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}")
_GROUPED = re.compile(r"[-+]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?")
_FLOAT = re.compile(r"[-+]?([0-9]+(\.[0-9]+)?[eE][-+][0-9]{1,3}|[0-9]+\.[0-9]+[eE][0-9]{1,3})")
_INFINITE = re.compile(r"[-+]?[iI]nf(inity)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[ T]([0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)(Z|[-+]00(:?00)?)?")
_DOTTED = re.compile(r"([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})")
_SLASHED = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})")


def read_letters(texts: Sequence[str | None], *, commas: bool) -> Cells:
    """Return the cells that a text table stands for, by what all its letters have in common.

    Parameters
    ----------
    texts
        The letters; None and the empty text are nothing.
    commas
        Whether a decimal comma may be recognised: the comma does not separate cells.
    """
    given = [text or None for text in texts]
    for reading in (_points, _commas if commas else None, _floats, _days, _moments, _dotted, _slashed):
        found = reading([None if text is None else _without_blanks(text) for text in given]) if reading else None
        if found is not None:
            return found
    return tuple(None if text is None else ("text", text) for text in given)


def _without_blanks(text: str) -> str:
    return text.strip("".join({mark for mark in text if unicodedata.category(mark) == "Zs"}) or " ")


def _each(texts: Sequence[str | None], read: Any) -> Cells | None:
    """Return what each text reads as, or None where one does not read, or none is there."""
    found = [None if text is None else read(text) for text in texts]
    unread = any(text is not None and value is None for text, value in zip(texts, found, strict=True))
    return None if unread or all(text is None for text in texts) else tuple(found)


def _numbers(texts: Sequence[str | None], decimal_of: Any) -> Cells | None:
    """Return numbers of one layout, NaN being nothing, if 38 digits hold all of them."""
    plain = [None if text is None or text.lower() == "nan" else text for text in texts]
    digits = [None if text is None else decimal_of(text) for text in plain]
    if any(text is not None and each is None for text, each in zip(plain, digits, strict=True)):
        return None
    parts = [each.lstrip("+-").partition(".") for each in digits if each is not None]
    if not parts or max(len(p[0]) for p in parts) + max(len(p[2]) for p in parts) > MOST_DIGITS:
        return None
    return tuple(None if each is None else ("number", Fraction(Decimal(each))) for each in digits)


def _points(texts: Sequence[str | None]) -> Cells | None:
    return _numbers(texts, lambda text: text if _WHOLE.fullmatch(text) or _POINT.fullmatch(text) else None)


def _commas(texts: Sequence[str | None]) -> Cells | None:
    if not any(text is not None and "," in text and not _EITHER.fullmatch(text) for text in texts):
        return None  # each comma may set thousands apart
    shapes = (_WHOLE, _COMMA, _GROUPED)
    return _numbers(
        texts,
        lambda text: text.replace(".", "").replace(",", ".") if any(s.fullmatch(text) for s in shapes) else None,
    )


def _floats(texts: Sequence[str | None]) -> Cells | None:
    """Return numbers with powers of ten, and infinities beside them or decimals: floats, or decimals of 38 digits."""
    plain = [None if text is None or text.lower() == "nan" else text for text in texts]
    shapes = (_WHOLE, _POINT, _FLOAT, _INFINITE)
    real = any(text is not None and (_FLOAT.fullmatch(text) or _POINT.fullmatch(text)) for text in plain)
    found = _each(plain, lambda text: _real(text) if any(s.fullmatch(text) for s in shapes) else None) if real else None
    if found is None or all(_is_shortest(each[1]) for each in found if each is not None):
        return found
    return found if fits_digits([each[1] for each in found if each is not None]) else None


def _is_shortest(number: Fraction | float) -> bool:
    """Say whether a number is the shortest decimal of the float nearest to it."""
    if isinstance(number, float):
        return True
    try:
        return Fraction(Decimal(repr(float(number)))) == number
    except OverflowError:
        return False


def fits_digits(numbers: Sequence[Any]) -> bool:
    """Say whether decimals of 38 digits hold all numbers; an infinity is none."""
    if any(isinstance(number, float) for number in numbers):
        return False
    before = max((len(str(abs(number.numerator) // number.denominator)) for number in numbers), default=0)
    return before + max((_decimals(number) for number in numbers), default=0) <= MOST_DIGITS


def _decimals(number: Fraction) -> int:
    """Return how many digits a decimal number has after its mark."""
    digits, rest = 0, number.denominator
    while rest > 1:
        digits, rest = digits + 1, Fraction(rest, 10).numerator
    return digits


def _day(year: str, month: str, day: str) -> Cell:
    try:
        return cell(dt.date(int(year), int(month), int(day)))
    except ValueError:
        return None


def _days(texts: Sequence[str | None]) -> Cells | None:
    return _each(texts, lambda text: _day(*text.split("-")) if _DATE.fullmatch(text) else None)


def _moments(texts: Sequence[str | None]) -> Cells | None:
    """Return moments; a day beside them is its midnight. Moments with and without a zone are not of one scale."""
    zones = {bool(found[5]) for text in texts if text is not None and (found := _TIME.fullmatch(text))}
    sort = "zoned" if zones == {True} else "moment"
    found = _each(texts, lambda text: _moment_in(text, sort))
    return None if len(zones) > 1 else found


def _moment_in(text: str, sort: str) -> Cell:
    shape = _TIME.fullmatch(text)
    if shape is None and not _DATE.fullmatch(text):
        return None
    try:
        value = dt.datetime.fromisoformat(f"{shape[1]} {shape[2]}" if shape else text)
    except ValueError:
        return None
    return sort, cell(value)[1]  # type: ignore[index]


def _dotted(texts: Sequence[str | None]) -> Cells | None:
    def read(text: str) -> Cell:
        shape = _DOTTED.fullmatch(text)
        return _day(shape[3], shape[2], shape[1]) if shape else None

    return _each(texts, read)


def _slashed(texts: Sequence[str | None]) -> Cells | None:
    """Return dates with slashes, if just one order of day and month reads them all."""
    readings = []
    for day, month in ((1, 2), (2, 1)):

        def read(text: str, day: int = day, month: int = month) -> Cell:
            shape = _SLASHED.fullmatch(text)
            return _day(shape[3], shape[month], shape[day]) if shape else None

        readings.append(_each(texts, read))
    either = [found for found in readings if found is not None]
    return either[0] if len(either) == 1 else None
