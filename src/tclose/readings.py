"""How a cell reads: as text for matching, as an exact number for ordering and gaps."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction

import numpy as np

_MULTIPLES = {"": 1, "k": 10**3, "m": 10**6, "bn": 10**9, "%": 1}
_LIKE_A_NUMBER = re.compile(
    r"(?P<sign>[+\-−]?)\s*[$€£¥]?\s*(?P<digits>\d[\d.,'’ \u00a0\u202f]*|\.\d+)\s*(?P<unit>k|m|bn|%)?\s*[$€£¥]?",
    re.IGNORECASE,
)
_EXPONENT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d{1,3}")
_GROUPS = re.compile(r"\d{1,3}(?P<mark>[.,'’ \u00a0\u202f])\d{3}(?:(?P=mark)\d{3})*")
_LONGEST = 64
_EPOCH = dt.date(1970, 1, 1)


def as_text(value: object) -> str:
    """Return the text under which a value is matched with an order list, a hierarchy or a reference.

    Equal numbers have equal texts, whatever type carried them.

    Examples
    --------
    >>> as_text(39), as_text(39.0), as_text(Decimal("39.50")), as_text(True), as_text("x")
    ('39', '39', '39.5', 'true', 'x')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _plain(Decimal(repr(value))) if math.isfinite(value) else repr(value)
    if isinstance(value, Decimal):
        return _plain(value)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, tuple):
        return "\x1f".join(as_text(part) for part in value)
    return str(value)


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


def number_in(text: str) -> Fraction | None:
    """Return the number a text stands for, or None: ``"3k"``, ``"$1,200.50"``, ``"12 %"``, ``"1e3"``.

    Examples
    --------
    >>> number_in("11k"), number_in("1,234.5"), number_in("3,5"), number_in("47602"), number_in("2*")
    (Fraction(11000, 1), Fraction(2469, 2), Fraction(7, 2), Fraction(47602, 1), None)
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    if _EXPONENT.fullmatch(text):
        return Fraction(Decimal(text))
    found = _LIKE_A_NUMBER.fullmatch(text)
    if not found:
        return None
    digits = _without_groups(found["digits"].strip())
    if digits is None:
        return None
    number = Fraction(Decimal(digits)) * _MULTIPLES[(found["unit"] or "").lower()]
    return -number if found["sign"] in ("-", "−") else number


def _without_groups(digits: str) -> str | None:
    """Return digits with a point as decimal mark and without thousands marks, or None if neither reading fits."""
    head, mark, tail = _split_decimal(digits)
    grouped = _GROUPS.fullmatch(head)
    if grouped and grouped["mark"] != mark:
        head = head.replace(grouped["mark"], "")
    return f"{head or '0'}.{tail or '0'}" if (head + tail).isdecimal() else None


def _split_decimal(digits: str) -> tuple[str, str, str]:
    """Split at the decimal mark: the last point or comma, unless it only separates thousands."""
    last = max(digits.rfind("."), digits.rfind(","))
    if last < 0:
        return digits, "", ""
    mark = digits[last]
    alone = digits.count(mark) == 1
    other = "," if mark == "." else "."
    groups_only = _GROUPS.fullmatch(digits) is not None
    if not alone or (groups_only and mark == "," and other not in digits):
        return digits, "", ""
    return digits[:last], mark, digits[last + 1 :]


def exact_number(value: object) -> Fraction | None:
    """Return a number, date or time as an exact number, or None where the value is none of these.

    A float stands for its shortest decimal; a date for its day, a point in time for its microsecond.
    """
    if isinstance(value, bool | int):
        return Fraction(int(value))
    if isinstance(value, float):
        return Fraction(Decimal(repr(value))) if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return Fraction(value) if value.is_finite() else None
    if isinstance(value, dt.datetime):
        zone = dt.UTC if value.tzinfo else None
        since = value - dt.datetime(1970, 1, 1, tzinfo=zone)
        return Fraction(since // dt.timedelta(microseconds=1))
    if isinstance(value, dt.date):
        return Fraction((value - _EPOCH).days)
    if isinstance(value, dt.timedelta):
        return Fraction(value // dt.timedelta(microseconds=1))
    if isinstance(value, dt.time):
        return Fraction(((value.hour * 60 + value.minute) * 60 + value.second) * 10**6 + value.microsecond)
    if isinstance(value, np.datetime64):
        return Fraction(int(value.astype("datetime64[ns]").astype(np.int64)), 1000)
    return number_in(value) if isinstance(value, str) else None


def whole_positions(numbers: Iterable[Fraction]) -> tuple[list[int], int]:
    """Return numbers times their smallest common denominator, and that denominator.

    Examples
    --------
    >>> whole_positions([Fraction(1, 2), Fraction(3, 4), Fraction(2)])
    ([2, 3, 8], 4)
    """
    numbers = list(numbers)
    common = math.lcm(*{number.denominator for number in numbers}) if numbers else 1
    return [number.numerator * (common // number.denominator) for number in numbers], common
