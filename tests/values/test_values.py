"""How cells read: texts as numbers, numbers as texts, dates as days."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.data.values import (
    UnclearNumbersError,
    as_text,
    exact_number,
    named_texts,
    reads_as_numbers,
    respelled,
    sizes_of,
    whole_positions,
)

NUMBERS = {
    "3k": 3000, "11K": 11000, "2m": 2_000_000, "1.5bn": 1_500_000_000, "12 %": 12, "47602": 47602,
    "$1,200.50": Fraction(2401, 2), "1.200,50 €": Fraction(2401, 2), "1.234": Fraction(617, 500),
    "1,234,567": 1_234_567, "1.234.567": 1_234_567, "3,5": Fraction(7, 2), "-7": -7, "−7": -7, "+7": 7,
    ".5": Fraction(1, 2), "5.": 5, "1e3": 1000, "1E-3": Fraction(1, 1000), "1 000": 1000, "1'000": 1000,
    " 42 ": 42, "0": 0, "-0": 0, "007": 7, "0,125": Fraction(1, 8), "0.125": Fraction(1, 8), ",5": Fraction(1, 2),
    "1,5e3": 1500,
}  # fmt: skip
NO_NUMBERS = ["", " ", "2*", "≥40", "[20, 30)", "20-30", "abc", "k", "$", "1k2", "NaN", "inf", "1e9999", "0x10", "1/2",
              "--1", "1,2,3", "1e", "e5", "$" + "9" * 65, ".", ",", "0,125.5", "1,23.4", "1.2,3.4"]  # fmt: skip


@pytest.mark.parametrize(("text", "number"), NUMBERS.items())
def test_text_that_stands_for_a_number(text, number):
    assert sizes_of([text]) == [number]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_text_that_stands_for_no_number(text):
    assert sizes_of([text]) == [None]


COLUMNS = {
    ("0,125", "0,25", "0,5", "1,5"): [Fraction(1, 8), Fraction(1, 4), Fraction(1, 2), Fraction(3, 2)],
    ("1,125", "0,5"): [Fraction(9, 8), Fraction(1, 2)],
    ("€ 1.234", "€ 1.234,50"): [1234, Fraction(2469, 2)],
    ("$1,234", "$1,234.50"): [1234, Fraction(2469, 2)],
    ("1,234", "1,234,567"): [1234, 1_234_567],
    ("1.234", "1.234.567"): [1234, 1_234_567],
    ("1.234", "5.678"): [Fraction(617, 500), Fraction(2839, 500)],
    ("1 234", "12"): [1234, 12],
    ("1,5", "unknown"): [Fraction(3, 2), None],
}


@pytest.mark.parametrize(("texts", "numbers"), COLUMNS.items())
def test_one_decimal_mark_is_found_for_a_whole_column(texts, numbers):
    assert sizes_of(texts) == numbers
    assert sizes_of(texts[::-1]) == numbers[::-1]


@pytest.mark.parametrize("texts", [("1,234", "12"), ("1,234", "5,678"), ("€ 1.234", "€ 12"), ("1,5", "2.5")])
def test_marks_that_no_value_decides_are_not_guessed(texts):
    with pytest.raises(UnclearNumbersError):
        sizes_of(texts)
    assert not reads_as_numbers(texts)


@given(st.lists(st.decimals(min_value=0, max_value=10**7, places=2), min_size=1), st.sampled_from(["{}", "€ {}"]))
def test_amounts_read_the_same_with_either_mark(amounts, form):
    """Two decimals are never a group of three, so that each column decides its mark."""
    english = [form.format(f"{amount:,.2f}") for amount in amounts]
    german = [form.format(f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))) for amount in amounts]
    assert sizes_of(english) == sizes_of(german) == [Fraction(amount) for amount in amounts]


NAMES = {
    ("1.50", "number", "plain"): "1.5", ("2.00", "number", "plain"): "2", ("1e3", "number", "plain"): "1000",
    ("1,50", "number", "comma"): "1.5", ("+5", "number", "plain"): "5", ("1,234", "number", "groups"): "1234",
    ("31.12.2020", "time", "plain"): "2020-12-31", ("31/12/2020", "time", "%d/%m/%Y"): "2020-12-31",
    ("02/03/2020", "time", "%m/%d/%Y"): "2020-02-03", ("2020-12-31", "time", "plain"): "2020-12-31T00:00:00",
    ("2020-12-31 10:00", "time", "plain"): "2020-12-31T10:00:00", ("12:00", "time", "plain"): "12:00:00",
    ("TRUE", "truth", "plain"): "true",
}  # fmt: skip


@pytest.mark.parametrize(("name", "text"), NAMES.items())
def test_a_value_can_be_named_as_its_file_writes_it(name, text):
    assert text in named_texts(*name)
    assert named_texts(*name)[0] == name[0]


def test_a_text_has_no_other_name():
    assert named_texts("1.50", "text") == ("1.50",)
    assert named_texts("02/03/2020", "time") == ("02/03/2020",), "nobody knows the month"


def test_an_exact_name_wins():
    assert respelled(["1.50", "1.5"], "number")["1.5"] == "1.5"


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9))
def test_a_number_reads_the_same_as_text_as_decimal_and_as_itself(number):
    assert sizes_of([str(number)]) == [exact_number(number)] == [Fraction(number)]
    assert sizes_of([as_text(number)]) == [Fraction(number)]


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
