"""Columns of every kind of cell, drawn so that neighbours, other notations and nothing at all are among them."""

from __future__ import annotations

import datetime as dt
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from values.cells import Clock, Moment, Span

ROWS = 8
"""Every column has so many rows, so that many stand side by side in one table."""


@dataclass(frozen=True)
class Column:
    """A drawn column: its kind, its cells as values of Python or of :mod:`values.cells`, and a number for choices."""

    kind: str
    values: tuple[object, ...]
    choice: int = 0

    @property
    def texts(self) -> bool:
        """Whether every value is text or nothing."""
        return all(value is None or isinstance(value, str) for value in self.values)


Values = st.SearchStrategy[object]
_EDGES = [
    sign * (2**power + step)
    for power in (7, 8, 15, 16, 24, 31, 32, 53, 63, 64)
    for step in (-1, 0, 1)
    for sign in (1, -1)
]
_POWERS = [10**power + step for power in (15, 16, 17, 18, 19, 22, 30, 37) for step in (-1, 0, 1)]


def _scaled(digits: int, scale: int) -> Decimal:
    return Decimal(digits).scaleb(-scale)


wholes = st.integers(-12, 12) | st.sampled_from(_EDGES) | st.integers(-(2**63), 2**63 - 1)
long_wholes = st.sampled_from(_EDGES + _POWERS) | st.integers(-(10**37), 10**37)
huge_wholes = st.integers(10**38, 10**38 + 2) | st.integers(10**45, 10**45 + 2)
decimals = st.builds(_scaled, st.integers(-10_000, 10_000), st.integers(0, 6))
long_decimals = st.builds(_scaled, st.sampled_from(_POWERS + _EDGES), st.integers(0, 18))
small_reals = st.builds(lambda number: float(number), decimals)
reals = (
    small_reals
    | st.floats(allow_nan=True)
    | st.sampled_from([0.0, -0.0, 0.1 + 0.2, 0.3, 1e16, 1e22, 2.0**53, 2.0**63, 1e-7, 5e-324, 1.5e300, float("inf")])
)
_TIES = [1677721.75, 1677721.25, 4194303.25, 48303.5625, 599915968.0, 64209008.0, 134219008.0, 3e10]
"""Floats of 32 bits just between two shortest decimals, or with one just between them and the next float."""
narrow_reals = (small_reals | st.floats(allow_nan=True, width=32) | st.sampled_from(_TIES)).map(np.float32)
half_reals = st.floats(width=16, allow_nan=True).map(np.float16)
days = st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31)) | st.dates(dt.date(2019, 12, 28), dt.date(2020, 3, 2))
_SECOND = 10**9
_FIRST = int((dt.datetime(1700, 1, 1) - dt.datetime(1970, 1, 1)).total_seconds())
_LAST = int((dt.datetime(2200, 1, 1) - dt.datetime(1970, 1, 1)).total_seconds())
_NEW_YEAR = 1_577_836_800
seconds = st.integers(_FIRST, _LAST) | st.integers(_NEW_YEAR - 5, _NEW_YEAR + 5).map(lambda n: n * 1)
parts = st.sampled_from([0, 0, 0, 500_000_000, 1_000_000, 1_000, 999_999_000])
fine_parts = parts | st.sampled_from([1, 999, 1_001])
offsets = st.sampled_from([0, -300, 60, 330, 120])


def _moments(fine: bool, zoned: bool) -> Values:
    ns = st.builds(lambda second, part: second * _SECOND + part, seconds, fine_parts if fine else parts)
    return st.builds(Moment, ns, offsets if zoned else st.none())


clocks = st.builds(Clock, st.integers(0, 86_400 * 10**6 - 1) | st.integers(0, 86_399).map(lambda n: n * 10**6))
spans = st.builds(
    Span, st.integers(-(10**6), 10**9).map(lambda us: us * 1000) | st.integers(0, 90).map(lambda h: h * 3600 * 10**9)
)
fine_spans = st.builds(Span, st.integers(0, 4000) | st.sampled_from([10**9, 10**9 + 1, 10**9 + 999]))

# Texts that look like something.

_TEXTS = tomllib.loads((Path(__file__).parent / "texts.toml").read_text(encoding="utf-8"))


def _texts(kind: str) -> Values:
    return st.sampled_from(_TEXTS[kind])


plain_number_texts = st.builds(
    lambda sign, digits, scale: sign + format(_scaled(digits, scale), "f"),
    st.sampled_from(["", "", "", "-", "+"]),
    st.integers(0, 2000),
    st.integers(0, 4),
)
power_texts = st.builds(
    lambda digits, scale, mark, power: f"{_scaled(digits, scale):f}{mark}{power}",
    st.integers(0, 120) | st.sampled_from([100000000000000001, 100000000000000002, 10]),
    st.integers(0, 2),
    st.sampled_from(["e+", "e-", "E+"]),
    st.sampled_from(["0", "1", "2", "05", "16", "17"]),
)
marked_texts = st.builds(
    lambda whole, mark, part: f"{whole}{mark}{part}",
    st.integers(0, 20),
    st.sampled_from([",", "."]),
    st.sampled_from(["5", "25", "125", "500", "50"]),
)
comma_texts = st.builds(
    lambda whole, part: f"{whole},{part}", st.integers(0, 20), st.sampled_from(["5", "25", "125", "50"])
)
near_days = st.dates(dt.date(2019, 12, 30), dt.date(2020, 1, 3))
dotted_texts = st.builds(lambda day: f"{day.day}.{day.month}.{day.year}", near_days) | st.sampled_from(
    ["01.01.2020", "31.12.2019", "1.01.2020"]
)
slashed_texts = st.builds(lambda day: f"{day.day}/{day.month}/{day.year}", near_days) | st.sampled_from(
    ["01/02/2020", "1/2/2020", "2/1/2020", "13/1/2020"]
)
moment_texts = st.builds(
    lambda day, mark, clock: f"{day}{mark}{clock}",
    near_days,
    st.sampled_from([" ", "T"]),
    st.sampled_from(["00:00", "00:00:00", "00:00:00.5", "00:00:00.50", "12:30", "12:30:00.000001"]),
)
wild_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=4) | st.sampled_from(
    ["a\nb", "a\r\nb", "a\rb", "\n", "\x1a", "\x85", "\u2028"]
)
any_texts = st.one_of([_texts(kind) for kind in _TEXTS])

KINDS: dict[str, list[Values]] = {
    "whole": [wholes, st.integers(-3, 120), st.sampled_from(_EDGES)],
    "whole, 38 digits": [long_wholes],
    "whole, more digits": [huge_wholes | wholes],
    "decimal": [decimals],
    "decimal, many digits": [long_decimals],
    "real": [reals, small_reals],
    "real, 32 bits": [narrow_reals],
    "real, 16 bits": [half_reals],
    "whole and real": [wholes | small_reals | st.just(1.5)],
    "whole and decimal": [wholes | decimals],
    "truth": [st.booleans()],
    "day": [days, near_days],
    "moment": [_moments(fine=False, zoned=False)],
    "moment, nanoseconds": [_moments(fine=True, zoned=False)],
    "moment with a zone": [_moments(fine=False, zoned=True)],
    "day and moment": [days.filter(lambda day: 1700 < day.year < 2200) | _moments(fine=False, zoned=False)],
    "clock": [clocks],
    "span": [spans],
    "span, nanoseconds": [fine_spans],
    "text of numbers": [_texts("numbers"), plain_number_texts],
    "text of powers": [power_texts, power_texts | plain_number_texts],
    "text of commas": [comma_texts, marked_texts, _texts("commas"), comma_texts | plain_number_texts],
    "text of money": [_texts("money"), _texts("money") | marked_texts],
    "text of dates": [_texts("dates"), near_days.map(str), dotted_texts, slashed_texts],
    "text of times": [_texts("times"), moment_texts, moment_texts | near_days.map(str)],
    "text of truths": [_texts("truths")],
    "text of codes": [_texts("codes")],
    "text of words": [_texts("words")],
    "text of blanks": [_texts("blanks")],
    "text, wild": [wild_texts],
    "text of all kinds": [any_texts, any_texts | wild_texts],
    "text and whole": [wholes | _texts("numbers") | _texts("words")],
    "truth and whole": [st.booleans() | st.integers(0, 2)],
    "anything": [wholes | reals | decimals | st.booleans() | days | any_texts],
}
"""The kinds of column and what their cells are drawn from: one of several for a whole column."""


@st.composite
def columns(draw: st.DrawFn, kind: str) -> Column:
    """Draw a column: a few different values, one of them perhaps nothing, spread over the rows."""
    few = draw(st.lists(draw(st.sampled_from(KINDS[kind])), min_size=1, max_size=5))
    pool = [*few, None] if draw(st.integers(0, 3)) == 0 else few
    rest = draw(st.lists(st.sampled_from(range(len(pool))), min_size=ROWS - len(pool), max_size=ROWS - len(pool)))
    places = draw(st.permutations([*range(len(pool)), *rest]))
    return Column(kind, tuple(pool[place] for place in places), draw(st.integers(0, 11)))
