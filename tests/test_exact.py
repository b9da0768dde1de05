"""Thresholds are the decimals that a person wrote."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.errors import ThresholdError
from tclose.models.catalogue import MODELS, requirements
from tclose.policy.exact_numbers import decimal_beside, decimal_text, fraction, shown, written

READ = {"0.2": "1/5", "1/5": "1/5", " 3 / 8 ": "3/8", "1e-3": "1/1000", ".5": "1/2", "5.": "5", "+0.1": "1/10",
        "-1/4": "-1/4", "0.44444444444444444444": "44444444444444444444/100000000000000000000"}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), READ.items())
def test_texts_are_read_as_written(text, expected):
    assert fraction(text) == Fraction(expected)


@pytest.mark.parametrize("number", [0.1, np.float64(0.1), np.float32(0.5), Decimal("0.1"), Fraction(1, 10), 3])
def test_numbers_are_read_as_they_show_themselves(number):
    assert fraction(number) == Fraction(str(number))
    assert type(fraction(number).numerator) is int


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_stands_for_its_shortest_decimal(number):
    assert fraction(number) == Fraction(Decimal(repr(number)))


@pytest.mark.parametrize(
    "number",
    [True, False, float("nan"), float("inf"), Decimal("Infinity"), Decimal("nan"), "", "a", "1/0", "1/2/3", "0x1",
     "1_000", None],
)  # fmt: skip
def test_what_is_no_number_is_refused(number):
    with pytest.raises(ThresholdError):
        fraction(number, "t")


SHOWN = {"3/8": "0.375 (3/8)", "17/72": "0.2361 (17/72)", "4/9": "0.4444 (4/9)", "5": "5", "0": "0", "1": "1"}


@pytest.mark.parametrize(("value", "text"), SHOWN.items())
def test_fractions_are_shown_as_decimal_and_fraction(value, text):
    assert shown(Fraction(value)) == text


@given(st.fractions(0, 1))
def test_nothing_is_rounded_to_a_false_zero_or_a_false_one(value):
    text = shown(value).split(" ")[0]
    assert (float(text) == 0) == (value == 0)
    assert float(text) <= 1
    if value < 1 - Fraction(1, 10**9):
        assert float(text) < 1


@given(st.one_of(st.fractions(), st.decimals(allow_nan=False, allow_infinity=False, places=30).map(Fraction)))
def test_a_written_number_reads_back_as_the_same_number(number):
    assert fraction(written(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_written_as_its_shortest_decimal(number):
    assert float(fraction(written(fraction(number)))) == number


WRITTEN = {"0.09999999999999998": "0.09999999999999998", "0.3000000000000000000000000001": None, "1/3": "1/3",
           "1/5": "0.2", "2/8": "0.25", "5": "5", "1e-3": "0.001", "1/1024": "0.0009765625", "1/2048": "1/2048",
           "1e-40": "1e-40"}  # fmt: skip


@pytest.mark.parametrize(("given", "text"), WRITTEN.items())
def test_no_digit_of_a_number_is_lost_where_it_is_written(given, text):
    assert written(fraction(given)) == (text or given)


_NEAR = st.integers(1, 25).flatmap(lambda places: st.integers(-9, 9).map(lambda step: Fraction(step, 10**places)))


@given(st.fractions(0, 1, max_denominator=10**6), _NEAR)
def test_a_figure_reads_on_its_side_of_the_limit(limit, apart):
    value = limit + apart
    text = Fraction(decimal_beside(value, limit))
    if apart:
        assert (text > limit, text < limit) == (apart > 0, apart < 0)
    elif fraction(written(limit)) == limit and "/" not in written(limit):
        assert text == limit


def test_what_has_no_decimal_is_shown_as_a_sign():
    assert (shown(None), shown(float("inf")), decimal_text(float("-inf")), decimal_text(float("nan"))) == (
        "–", "∞", "−∞", "–",
    )  # fmt: skip


@pytest.mark.parametrize("key", MODELS)
def test_the_example_of_every_model_is_a_requirement(key):
    (found,) = requirements({key: MODELS[key].example})
    assert found.model.key == key
    assert found.met_by(found.threshold) is not MODELS[key].strict


@pytest.mark.parametrize(
    "wanted",
    [{"t": "2"}, {"t": "-0.1"}, {"k": 0}, {"k": "2.5"}, {"t": "0.1,0.2"}, {"nt": "0.1"}, {"recursive": "3,0"},
     {"recursive": "3,1.5"}, {"smoothed_js": "0.1,0"}, {"presence": "0.5"}, {"closeness": 1}, {"t": []}],
    ids=str,
)  # fmt: skip
def test_thresholds_outside_their_range_are_refused(wanted):
    with pytest.raises(ThresholdError):
        requirements(wanted)
