"""The line that the values of a column lie on: how far apart neighbours are, and how a value is written."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from tclose.data.values import exact_text, has_zone
from tclose.data.values.published_cells import Reading

_MICROSECOND = 1
_SECOND = 10**6
_DAY = 24 * 60 * 60 * _SECOND
_CLOCK = (60 * 60 * _SECOND, 60 * _SECOND, _SECOND, 1000, _MICROSECOND)
"""The steps that times of day may be apart, the longest first."""
_DIGITS = 15
"""Numbers have at most so many digits after the mark; a float keeps no more."""
_WHOLE = {
    "TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, "BIGINT": 63, "HUGEINT": 127,
    "UTINYINT": 8, "USMALLINT": 16, "UINTEGER": 32, "UBIGINT": 64, "UHUGEINT": 128,
}  # fmt: skip
"""Types of whole numbers, and how many bits their largest has."""
_DECIMAL = re.compile(r"DECIMAL\((\d+), ?(\d+)\)")
_NAMES = ("numbers", "times", "clock")


@dataclass(frozen=True)
class Line:
    """Where the values of a column lie.

    Parameters
    ----------
    name
        ``"numbers"``, ``"times"`` or ``"clock"``: as :class:`~tclose.data.values.published_cells.Reading` calls it.
    unit
        How far apart neighbours are, in numbers or microseconds.
    type
        The column's type.
    zoned
        Whether points in time have a zone; they are written in UTC.
    """

    name: str
    unit: Fraction
    type: str
    zoned: bool = False

    def __post_init__(self) -> None:
        if self.name not in _NAMES or self.unit <= 0:
            raise ValueError("no line")

    @cached_property
    def limits(self) -> tuple[int, int] | None:
        """The least and the greatest value that the type holds, in units; None where it holds any."""
        if self.name == "times":
            return int(_DAY / self.unit), int((dt.date.max.toordinal() + 1) * _DAY / self.unit) - 1
        if self.name == "clock":
            return 0, int(_DAY / self.unit) - 1
        if self.type in _WHOLE:
            most = 2 ** _WHOLE[self.type] - 1
            return 0 if self.type.startswith("U") else -most - 1, most
        if found := _DECIMAL.fullmatch(self.type):
            most = int(10 ** (int(found[1]) - int(found[2])) / self.unit) - 1
            return -most, most
        return None

    def text(self, place: int) -> str:
        """Return the value so many units from 0 as a text that reads as it; times count from the day before year 1.

        Examples
        --------
        >>> Line("numbers", Fraction(1), "BIGINT").text(35), Line("numbers", Fraction(1, 100), "DOUBLE").text(-350)
        ('35', '-3.5')
        >>> Line("times", Fraction(86_400_000_000), "DATE").text(dt.date(1980, 2, 1).toordinal())
        '1980-02-01'
        """
        if self.name == "numbers":
            return str(place) if self.unit == 1 else exact_text(place * self.unit)
        since = int(place * self.unit)
        if self.name == "clock":
            return (dt.datetime(1, 1, 1) + dt.timedelta(microseconds=since)).time().isoformat()
        moment = dt.datetime(1, 1, 1) + dt.timedelta(microseconds=since - _DAY)
        if self.type == "DATE" or (not self.zoned and "TIMESTAMP" not in self.type and self.unit == _DAY):
            return moment.date().isoformat()
        return f"{moment.isoformat()}{'+00:00' if self.zoned else ''}"


def line_of(values: Sequence[str | None], kind: str) -> Line | None:
    """Return the line of a column by its values as texts and its type; None where they lie on none.

    Numbers in text count only where every text is what such a number is written as, so that ``007`` stays a code.

    Examples
    --------
    >>> line_of(["35", "40", None], "BIGINT").unit, line_of(["0.5", "2.25"], "DOUBLE").unit, line_of(["007"], "VARCHAR")
    (Fraction(1, 1), Fraction(1, 100), None)
    """
    texts = [text for text in values if text is not None]
    if not texts:
        return None
    if kind.startswith("DATE"):
        return Line("times", Fraction(_DAY), "DATE")
    if kind.startswith(("TIMESTAMP", "TIME")) or (kind == "VARCHAR" and all(map(_is_day, texts))):
        return _times(texts, kind)
    if kind in _WHOLE:
        return Line("numbers", Fraction(1), kind)
    if not kind.startswith(("DOUBLE", "FLOAT", "REAL", "DECIMAL", "VARCHAR")):
        return None
    numbers = [_number(text) for text in texts]
    found = [number for number in numbers if number is not None]
    if len(found) < len(texts):
        return None
    if kind == "VARCHAR" and any(exact_text(number) != text for number, text in zip(found, texts, strict=True)):
        return None
    digits = next((at for at in range(_DIGITS) if all(10**at % each.denominator == 0 for each in found)), _DIGITS)
    return Line("numbers", Fraction(1, 10**digits), kind)


def _number(text: str) -> Fraction | None:
    with suppress(ValueError, ZeroDivisionError):
        return Fraction(text)
    return None


def _is_day(text: str) -> bool:
    return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) is not None


def _times(texts: Sequence[str], kind: str) -> Line | None:
    """Return the line of dates, points in time or times of day, by the longest step that they are all on."""
    name = "clock" if kind.startswith("TIME") and not kind.startswith("TIMESTAMP") else "times"
    reading = Reading(texts)
    places = [spans[name].low[0] for text in texts if name in (spans := reading.spans(text))]
    units = _CLOCK if name == "clock" else (_DAY, *_CLOCK)
    unit = next((each for each in units if all(place % each == 0 for place in places)), _MICROSECOND)
    zoned = any(has_zone(text) for text in texts)
    return Line(name, Fraction(unit), kind, zoned) if places else None
