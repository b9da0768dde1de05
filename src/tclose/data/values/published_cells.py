"""What a published cell says: the one grammar for cells of any tool, as values, intervals, sets, masks and times."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from tclose.data.values.numbers import UnclearNumbersError, numbers_in

End = tuple[Fraction | float, int]
"""Where a span begins or ends: a place, and +1 just above or −1 just below it."""
LINES = ("numbers", "times", "clock")
"""The lines that a cell may be a span of."""
ANYTHING = "*"
_INTERVAL = re.compile(r"([\[(\]])\s*(\S.*?)\s*([\])\[])", re.DOTALL)
_BETWEEN = re.compile(r"\s*(?:\.\.|…|–|-|\bto\b|\bbis\b)\s*")
_SIDE = re.compile(r"(<=|>=|<|>|≤|≥)\s*(\S.*)")
_MORE = re.compile(r"(\S.*?)\s*(?:\+|\bor more|\band over|\band more)")
_FAR = re.compile(r"([-+−]?)\s*(?:inf|infinity|∞)", re.IGNORECASE)
_DIGITS = re.compile(r"([0-9]+)(\*+)")
_CALENDAR = re.compile(r"([0-9]{4})(?:-(?:(0[1-9]|1[0-2])|Q([1-4]))|(s)|)")
_SET = re.compile(r"\{(.*)\}", re.DOTALL)
_DAY = 24 * 60 * 60 * 10**6
_BEYOND = float("inf")


@dataclass(frozen=True)
class Span:
    """A stretch of a line, from one end to the other."""

    low: End
    high: End


Spans = dict[str, Span]
"""What a cell covers of each line."""


@dataclass(frozen=True)
class _Stretch:
    """The words at the ends of a stretch, None where it has no end, and whether each end belongs to it."""

    low: str | None
    high: str | None
    with_low: bool = True
    with_high: bool = True

    @property
    def ends(self) -> list[str]:
        """The words at its ends."""
        return [end for end in (self.low, self.high) if end is not None and not _FAR.fullmatch(end)]


LEFT_OUT = frozenset({"NA", "<NA>"})
"""What R and pandas write in the place of a cell that was left out; a value may be called so, too."""


def excludes_nobody(text: str | None) -> bool:
    """Say whether a cell is missing, blank or nothing but stars, so that it may be anybody's."""
    return text is None or not text.strip(ANYTHING + " \t\r\n\u00a0")


def parts_of(text: str) -> list[str]:
    """Return the members of a set, ``{a, b}``, or ``{1,5; 2,5}``; any other cell as it is.

    Examples
    --------
    >>> parts_of("{a, b}"), parts_of("{1,5; 2,5}"), parts_of("[1, 2]")
    (['a', 'b'], ['1,5', '2,5'], ['[1, 2]'])
    """
    inside = _SET.fullmatch(text)
    if inside is None:
        return [text]
    return [part.strip() for part in inside[1].split(";" if ";" in inside[1] else ",")]


class Reading:
    """Reads the cells of one column, every number in them by one decimal mark.

    Parameters
    ----------
    texts
        The column's cells, of every table in which it stands; they decide together what a comma is.

    Examples
    --------
    >>> reading = Reading(["[20, 40)", "≥ 40", "2*", "-5--1"])
    >>> reading.spans("[20, 40)")["numbers"].high, reading.spans("-5--1")["numbers"].low
    ((Fraction(40, 1), -1), (Fraction(-5, 1), 0))
    >>> Reading(["[0,5; 1,5["]).spans("[0,5; 1,5[")["numbers"].low
    (Fraction(1, 2), 0)
    >>> sorted(Reading(["2020"]).spans("2020")), Reading(["asthma"]).spans("asthma")
    (['numbers', 'times'], {})
    """

    def __init__(self, texts: Iterable[str]) -> None:
        words = {end for text in texts for part in parts_of(text) for each in _stretches(part) for end in each.ends}
        try:
            self._numbers = numbers_in(words)
        except UnclearNumbersError:  # what may be two numbers is none
            self._numbers = {}

    def spans(self, text: str) -> Spans:
        """Return what a cell covers of each line; empty where it is no stretch of any."""
        read = [spans for stretch in _stretches(text) if (spans := self._stretched(stretch))]
        return read[0] if read and all(each == read[0] for each in read) else {}

    def _stretched(self, stretch: _Stretch) -> Spans:
        low, high = self._end(stretch.low, below=True), self._end(stretch.high, below=False)
        found = {}
        for line in LINES:
            if line in low and line in high:
                begins = low[line].low if stretch.with_low else _after(low[line])
                ends = high[line].high if stretch.with_high else _before(high[line])
                if begins <= ends:
                    found[line] = Span(begins, ends)
        point = not stretch.ends and stretch.low == stretch.high  # an infinity, which is a number
        return {"numbers": found["numbers"]} if point else found

    def _end(self, word: str | None, *, below: bool) -> Spans:
        """Return what the word at an end covers; all of every line's far end where there is none."""
        if word is None or (far := _FAR.fullmatch(word)):
            minus = below if word is None else bool(far and far[1] and far[1] in "-−")
            place: End = (-_BEYOND if minus else _BEYOND, 0)
            return dict.fromkeys(LINES, Span(place, place))
        spans: Spans = {}
        if word in self._numbers:
            spans["numbers"] = Span((self._numbers[word], 0), (self._numbers[word], 0))
        if found := _DIGITS.fullmatch(word):
            unit = 10 ** len(found[2])
            spans["numbers"] = Span((Fraction(int(found[1]) * unit), 0), (Fraction((int(found[1]) + 1) * unit), -1))
        for line, read in (("times", _times), ("clock", _clock)):
            if (times := read(word)) is not None:
                begin, end = times
                spans[line] = Span((Fraction(begin), 0), (Fraction(end), -1 if end > begin else 0))
        return spans


def _stretches(text: str) -> Iterator[_Stretch]:
    """Give the ways in which a cell may be a stretch: in brackets, to one side, from one to another, or a point."""
    text = text.strip()
    if found := _INTERVAL.fullmatch(text):
        ends = _two_ends(found[2])
        if ends is not None:
            yield _Stretch(*ends, with_low=found[1] == "[", with_high=found[3] == "]")
        return
    if found := _SIDE.fullmatch(text):
        inclusive = found[1] in ("<=", ">=", "≤", "≥")
        if found[1] in ("<", "<=", "≤"):
            yield _Stretch(None, found[2], with_high=inclusive)
        else:
            yield _Stretch(found[2], None, with_low=inclusive)
        return
    if found := _MORE.fullmatch(text):
        yield _Stretch(found[1], None)
        return
    yield _Stretch(text, text)
    for found in _BETWEEN.finditer(text, 1):
        if found.end() < len(text) and text[: found.start()].strip():
            yield _Stretch(text[: found.start()].strip(), text[found.end() :].strip())


def _two_ends(inside: str) -> tuple[str, str] | None:
    """Return the two ends of an interval; None where more commas than one may part them."""
    for mark in (";", ", ", ","):
        parts = [part.strip() for part in inside.split(mark)]
        if len(parts) == 2:
            return (parts[0], parts[1]) if all(parts) else None
        if len(parts) > 2:
            return None
    return None


def _after(span: Span) -> End:
    """Return where what is beyond a span begins."""
    return span.high[0], span.high[1] + 1


def _before(span: Span) -> End:
    return span.low[0], span.low[1] - 1


def _times(text: str) -> tuple[int, int] | None:
    """Return where a moment, a day, a month, a quarter, a year or a decade begins and where the next one does."""
    if found := _CALENDAR.fullmatch(text):
        year, month, quarter, decade = found.groups()
        first = int(month or 3 * (int(quarter or 1) - 1) + 1)
        months = 1 if month else 3 if quarter else 120 if decade else 12
        last = int(year) * 12 + first - 1 + months
        if int(year) < 1 or last // 12 > dt.MAXYEAR:
            return None
        return dt.date(int(year), first, 1).toordinal() * _DAY, dt.date(last // 12, last % 12 + 1, 1).toordinal() * _DAY
    with suppress(ValueError, OverflowError):
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            begin = dt.date.fromisoformat(text).toordinal() * _DAY
            return begin, begin + _DAY
        if re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:", text):
            moment = dt.datetime.fromisoformat(text)
            plain = (moment.astimezone(dt.UTC) if moment.tzinfo else moment).replace(tzinfo=None)
            since = plain - dt.datetime(1, 1, 1)
            place = (since.days + 1) * _DAY + since.seconds * 10**6 + since.microseconds
            return place, place
    return None


def _clock(text: str) -> tuple[int, int] | None:
    """Return the moment of a day that a text names."""
    if re.fullmatch(r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?", text):
        with suppress(ValueError):
            time = dt.time.fromisoformat(text)
            place = ((time.hour * 60 + time.minute) * 60 + time.second) * 10**6 + time.microsecond
            return place, place
    return None
