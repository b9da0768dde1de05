"""The names that people give values in orders, hierarchies, class keys and shares: as reports or files write them."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np

from tclose.data.values.numbers import exact_text, number_in
from tclose.data.values.texts import same_text
from tclose.data.values.times import FineMoment, moment_in

Moment = TypeVar("Moment")

DAY_FIRST = "%d.%m.%Y"
"""The one way to write a date with points: no country puts the month first in it."""
_TRUTHS = {"true": "true", "false": "false"}
_INFINITE = re.compile(r"([+-]?)inf(?:inity)?", re.ASCII | re.IGNORECASE)
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_ISO_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}.*", re.ASCII)
_UTC_TIME = r"\d{{4}}-\d{{2}}-\d{{2}}([ T]\d{{2}}:\d{{2}}(:\d{{2}}(\.\d{{1,{digits}}})?)?)?(Z|[+-]00(:?00)?)?"
"""A point in time in UTC, or without a zone, of so many digits after the second."""
_FINE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}\.\d{7,9}(Z|[+-]\d{2}(:?\d{2})?)?", re.ASCII)
"""A point in time finer than a microsecond, of which Python would leave out the last digits."""
_CLOCK = re.compile(r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?", re.ASCII)
_MIDNIGHT = "T00:00:00"


def named_texts(name: object, kind: str, spelling: str = "plain") -> tuple[str, ...]:
    """Return the texts under which the value that a name may mean is matched, the likeliest first.

    Parameters
    ----------
    name
        What a person wrote, or a value.
    kind
        What the values of the column are: ``number``, ``time``, ``truth``, ``text`` or ``mixed``.
    spelling
        How the column's own file writes them: ``plain``, ``comma`` for decimal commas, or the format of a date.

    Examples
    --------
    >>> named_texts("1.50", "number"), named_texts("31.12.2020", "time")
    (('1.50', '1.5'), ('31.12.2020', '2020-12-31', '2020-12-31T00:00:00'))
    >>> named_texts("1,50", "number", "comma"), named_texts("True", "truth"), named_texts("1.50", "text")
    (('1,50', '1.5'), ('True', 'true'), ('1.50',))
    """
    if not isinstance(name, str):
        return (same_text(name),)
    text = name
    if kind == "text":
        return (text,)
    readings = {"number": _number, "time": _time, "truth": _truth}.get(kind)
    return tuple(dict.fromkeys([text, *(readings(text.strip(), spelling) if readings else ())]))


def castable(texts: Iterable[str], kind: str) -> list[str]:
    """Return the texts that an SQL type holds without rounding or cutting them off; one that it cannot read, if none.

    Examples
    --------
    >>> castable(["1.50", "1.5"], "DECIMAL(18,1)"), castable(["1.5"], "BIGINT"), castable(["2020-01-01T10:00"], "DATE")
    (['1.5'], [''], [''])
    """
    whole = re.fullmatch(r"U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DECIMAL\(\d+, ?(\d+)\)", kind, re.IGNORECASE)
    exact = re.compile(rf"[+-]?\d+(\.(?=\d)\d{{0,{whole[1] or 0}}})?" if whole else ".*", re.ASCII | re.DOTALL)
    if kind.upper() == "DATE":
        exact = _ISO_DAY
    elif kind.upper().startswith("TIMESTAMP"):  # a cast leaves offsets out
        exact = re.compile(_UTC_TIME.format(digits=9 if kind.upper() == "TIMESTAMP_NS" else 6), re.ASCII)
    return [text for text in texts if exact.fullmatch(text)] or [""]


def respelled(names: Iterable[str], kind: str, spelling: str = "plain") -> dict[str, str]:
    """Return for the text of each value that some names may mean, the name; an exact name wins.

    Examples
    --------
    >>> respelled(["1.50", "2.00"], "number")
    {'1.50': '1.50', '2.00': '2.00', '1.5': '1.50', '2': '2.00'}
    """
    names = list(names)
    found = {name: name for name in names}
    for name in names:
        for text in named_texts(name, kind, spelling):
            found.setdefault(text, name)
    return found


def _number(text: str, spelling: str) -> list[str]:
    if endless := _INFINITE.fullmatch(text.strip()):
        return [same_text(float(f"{endless[1]}inf"))]
    number = number_in(text, "," if spelling == "comma" else ".")
    return [] if number is None else [exact_text(number)]


def _truth(text: str, _spelling: str) -> list[str]:
    return [_TRUTHS[text.lower()]] if text.lower() in _TRUTHS else []


def _time(text: str, spelling: str) -> list[str]:
    """Return a day as a date and as its midnight, a point in time as ISO 8601 has it."""
    if _CLOCK.fullmatch(text):
        return [clock.isoformat()] if (clock := _parsed(dt.time.fromisoformat, text)) else []
    if _FINE_TIME.fullmatch(text):
        return _fine(text)
    if _ISO_TIME.fullmatch(text):
        moment = _parsed(dt.datetime.fromisoformat, text)
        return [] if moment is None else [same_text(moment), *_as_day(moment.isoformat())]
    forms = [DAY_FIRST] if spelling == "plain" else [DAY_FIRST, spelling]
    days = [text] if _ISO_DAY.fullmatch(text) else [day for form in forms if (day := _day(text, form))]
    return [spelled for day in days for spelled in (day, day + _MIDNIGHT)]


def _fine(text: str) -> list[str]:
    """Return a point in time of nanoseconds, in UTC where it has a zone."""
    found = moment_in(text)
    if found is None:
        return []
    nanoseconds, zoned = int(found[0] * 1000), found[1]
    if nanoseconds % 1000 == 0:
        moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC if zoned else None)
        return [same_text(moment + dt.timedelta(microseconds=nanoseconds // 1000))]
    return [same_text(FineMoment(nanoseconds) if zoned else np.datetime64(nanoseconds, "ns"))]


def _as_day(moment: str) -> list[str]:
    return [moment.removesuffix(_MIDNIGHT)] if moment.endswith(_MIDNIGHT) else []


def _day(text: str, form: str) -> str | None:
    found = _parsed(lambda written: dt.datetime.strptime(written, form), text)
    return None if found is None else found.date().isoformat()


def _parsed(parse: Callable[[str], Moment], text: str) -> Moment | None:
    try:
        return parse(text)
    except ValueError:
        return None
