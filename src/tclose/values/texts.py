"""The text under which a value is matched with other values."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from tclose.values.moments import FineMoment

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
