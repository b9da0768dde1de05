"""Whether the alphabet is the order of texts: of dates, numbers and points in time in them it often is not."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np

from tclose.data.values.times import FineMoment, moment_in

# The text under which a value is matched with other values.


_MIDNIGHT = "T00:00:00"


def as_text(value: object) -> str:
    """Return the text under which a value is matched with an order list, a hierarchy or a reference.

    Equal numbers have equal texts, whatever type carried them, and so have a day and the midnight that it begins with.

    Examples
    --------
    >>> as_text(39), as_text(39.0), as_text(Decimal("39.50")), as_text(True), as_text("x")
    ('39', '39', '39.5', 'true', 'x')
    >>> as_text(dt.date(2020, 1, 31)), as_text(dt.datetime(2020, 1, 31)), as_text(dt.datetime(2020, 1, 31, 8))
    ('2020-01-31', '2020-01-31', '2020-01-31T08:00:00')
    """
    if isinstance(value, str):
        return value
    if type(value) is int:  # most values of large columns
        return str(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _plain(Decimal(repr(value))) if math.isfinite(value) else repr(value)
    if isinstance(value, Decimal):
        return _plain(value)
    if isinstance(value, dt.datetime):
        return value.isoformat().removesuffix(_MIDNIGHT)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, np.datetime64):
        nanoseconds = value.astype("datetime64[ns]")
        moment = nanoseconds.astype("datetime64[us]")
        return as_text(moment.item()) if moment == nanoseconds else str(nanoseconds)
    if isinstance(value, tuple):
        return "\x1f".join(as_text(part) for part in value)
    return str(value)


def as_texts(values: Sequence[object]) -> list[str]:
    """Return the text of each value, at once where all are whole numbers or texts.

    Examples
    --------
    >>> as_texts([1, 20]), as_texts([1.0, "x", None])
    (['1', '20'], ['1', 'x', ''])
    """
    return list(map(str if {*map(type, values)} <= {int, str} else as_text, values))


def texts_or_none(values: Sequence[object]) -> list[str | None]:
    """Return the text of each value; None for a missing one.

    Examples
    --------
    >>> texts_or_none([1, None, "x"])
    ['1', None, 'x']
    """
    return [None if value is None else text for value, text in zip(values, as_texts(values), strict=True)]


def same_text(value: object) -> str:
    """Return the text that is equal for equal values of two tables: of a point in time with a zone, that of UTC.

    Examples
    --------
    >>> same_text(dt.datetime.fromisoformat("2019-12-31T19:00-05:00")), same_text(1.0)
    ('2020-01-01T00:00:00+00:00', '1')
    """
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return value.astimezone(dt.UTC).isoformat()
    return as_text(value.in_utc if isinstance(value, FineMoment) else value)


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text


_DAY_OR_MONTH_FIRST = re.compile(r"[0-9]{1,2}([./-])[0-9]{1,2}\1[0-9]{2}(?:[0-9]{2})?(?:[ T,].*)?", re.DOTALL)
_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)")


def another_order(texts: Sequence[str]) -> str | None:
    """Return what gives texts another order than the alphabet does, in words; None where nothing does.

    Examples
    --------
    >>> another_order(["5-9", "10-14"]), another_order(["05-09", "10-14"]), another_order(["high", "low"])
    ('the numbers in it', None, None)
    >>> another_order(["01/02/2020", "02/01/2020"])
    'the dates in it, which begin with the day or with the month'
    """
    if texts and all(_DAY_OR_MONTH_FIRST.fullmatch(text) for text in texts):
        return "the dates in it, which begin with the day or with the month"
    ordered = sorted(texts)
    if moments := _moments(ordered):
        return None if _is_ascending(moments) else "the points in time that it names"
    return None if _is_ascending([_parts(text) for text in ordered]) else "the numbers in it"


def _moments(texts: Sequence[str]) -> list[tuple[bool, Fraction]]:
    """Return the points in time that texts name, those without a zone first; none where a text is none."""
    found = [moment_in(text) for text in texts]
    return [(each[1], each[0]) for each in found if each is not None] if None not in found else []


def _parts(text: str) -> list[object]:
    """Return a text in parts: texts, and the numbers between them."""
    return [Fraction(part) if at % 2 else part for at, part in enumerate(_NUMBER.split(text))]


def _is_ascending(places: Sequence[object]) -> bool:
    return all(before <= after for before, after in itertools.pairwise(places))  # type: ignore[operator]
