"""Thresholds are the decimals that a person wrote."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.errors import ThresholdError
from tclose.exact import decimal_text, fraction, shown
from tclose.models.catalogue import MODELS, requirements

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
