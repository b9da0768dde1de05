"""How cells read: texts as numbers, numbers as texts, dates as days."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.readings import as_text, exact_number, number_in, whole_positions

NUMBERS = {
    "3k": 3000, "11K": 11000, "2m": 2_000_000, "1.5bn": 1_500_000_000, "12 %": 12, "47602": 47602,
    "$1,200.50": Fraction(2401, 2), "1.200,50 €": Fraction(2401, 2), "1,234": 1234, "1.234": Fraction(617, 500),
    "1,234,567": 1_234_567, "1.234.567": 1_234_567, "3,5": Fraction(7, 2), "-7": -7, "−7": -7, "+7": 7,
    ".5": Fraction(1, 2), "5.": 5, "1e3": 1000, "1E-3": Fraction(1, 1000), "1 000": 1000, "1'000": 1000,
    " 42 ": 42, "0": 0, "-0": 0, "007": 7,
}  # fmt: skip
NO_NUMBERS = ["", " ", "2*", "≥40", "[20, 30)", "20-30", "abc", "k", "$", "1k2", "NaN", "inf", "1e9999", "0x10", "1/2",
              "--1", "1,2,3", "9" * 65, "1e", "e5"]  # fmt: skip


@pytest.mark.parametrize(("text", "number"), NUMBERS.items())
def test_text_that_stands_for_a_number(text, number):
    assert number_in(text) == number


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_text_that_stands_for_no_number(text):
    assert number_in(text) is None


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9))
def test_a_number_reads_the_same_as_text_as_decimal_and_as_itself(number):
    assert number_in(str(number)) == exact_number(number) == Fraction(number)
    assert number_in(as_text(number)) == Fraction(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_real_number_is_the_decimal_it_shows(number):
    assert exact_number(number) == Fraction(repr(number))
    assert float(exact_number(number)) == number


@given(st.integers(-(2**70), 2**70))
def test_equal_numbers_have_equal_texts_whatever_their_type(number):
    assert as_text(number) == as_text(Decimal(number)) == str(number)
    if abs(number) < 2**53:
        assert as_text(float(number)) == str(number)


TEXTS = {"true": True, "false": False, "": None, "0": -0.0, "39.5": Decimal("39.50"), "2020-01-02": dt.date(2020, 1, 2),
         "12:30:00": dt.time(12, 30), "100000": Decimal("1E+5"), "0.00001": 1e-5, "inf": float("inf")}  # fmt: skip


@pytest.mark.parametrize(("text", "value"), TEXTS.items())
def test_values_as_text(text, value):
    assert as_text(value) == text


def test_days_moments_and_spans_are_numbers():
    assert exact_number(dt.date(1970, 1, 2)) == 1
    assert exact_number(dt.date(1969, 12, 31)) == -1
    assert exact_number(dt.datetime(1969, 12, 31, 23, 59, 59, 999999)) == -1
    assert exact_number(dt.datetime(1970, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))) == 0
    assert exact_number(dt.timedelta(seconds=1)) == 10**6
    assert exact_number(dt.time(0, 0, 1)) == 10**6
    assert exact_number(True) == 1
    assert exact_number(object()) is None
    assert exact_number(float("inf")) is exact_number(Decimal("nan")) is None


@given(st.lists(st.fractions(max_denominator=50), max_size=6))
def test_whole_positions_are_the_numbers_over_their_smallest_common_denominator(numbers):
    whole, unit = whole_positions(numbers)
    assert [Fraction(number, unit) for number in whole] == numbers
    assert math.gcd(unit, *whole) == 1
