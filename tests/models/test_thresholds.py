"""Which thresholds make sense: what the definitions of the models allow, and nothing beyond."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from tclose.errors import ThresholdError
from tclose.models.catalogue import MODELS, measurable_models, requirements, usual_models

SHARES = ("t", "alpha", "js", "smoothed_js", "nt", "prosecutor", "marketer", "journalist", "presence_max",
          "presence_min", "band")  # fmt: skip
"""Probabilities, and distances that are at most 1."""
COUNTS = ("k", "l", "p", "k_map")
"""Numbers of rows, people or values: whole, and a class has at least one."""
AT_LEAST_ONE = ("entropy_l",)
"""The exponential of an entropy, which is not negative."""
OVER_SHARES = ("proximity",)
"""One over a share."""
ANY = ("recursive", "kl", "beta", "enhanced_beta", "delta", "delta_present", "ke")
"""Ratios, gains, logarithms and ranges: not negative, and as large as they like."""
FIRST = {"nt": "2", "ke": "2", "proximity": "0.5"}
"""What is written before the threshold."""
TINY = Fraction(1, 10**30)


def required(key: str, threshold: object) -> Fraction:
    text = str(threshold) if key not in FIRST else f"{FIRST[key]},{threshold}"
    (found,) = requirements({key: text})
    return found.threshold


def test_every_model_is_of_one_of_these_kinds():
    assert sorted((*SHARES, *COUNTS, *AT_LEAST_ONE, *OVER_SHARES, *ANY)) == sorted(MODELS)


@pytest.mark.parametrize("key", MODELS)
def test_a_threshold_is_what_the_definition_allows(key):
    low = 1 if key in (*COUNTS, *AT_LEAST_ONE, *OVER_SHARES) else 0
    high = 1 if key in SHARES else 2**62 if key in (*COUNTS, *AT_LEAST_ONE) else 10**30
    inside = [low, high, low + 1] + ([] if key in COUNTS else [Fraction(1, 3) + low, high - TINY])
    outside = [low - TINY, low - 1, -5] + ([] if key in (*ANY, *OVER_SHARES) else [high + TINY, high + 1])
    for threshold in inside:
        assert required(key, threshold) == threshold
    for threshold in (*outside, *([Fraction(7, 3)] if key in COUNTS else [])):
        with pytest.raises(ThresholdError, match=r"is larger than|must be"):
            required(key, threshold)


@pytest.mark.parametrize("key", [*COUNTS, *AT_LEAST_ONE])
def test_a_threshold_that_no_table_reaches_is_not_called_too_small(key):
    with pytest.raises(ThresholdError, match="is larger than any table can have"):
        required(key, "1e30")


@pytest.mark.parametrize("key", sorted({*MODELS} - {"ke", "nt"}))
def test_a_threshold_that_no_class_can_miss_is_vacuous_and_no_other(key):
    """A share is at most 1, a count at least 1, whatever the attribute; t asks the attribute's distance."""
    model = MODELS[key]()
    if key == "t":
        assert not any(model.vacuous(None, Fraction(each)) for each in (0, 1, 2))
    elif key in ("presence_min", "band"):
        assert [model.vacuous(None, each) for each in (Fraction(0), TINY)] == [True, False]
    elif key in SHARES:
        assert [model.vacuous(None, each) for each in (Fraction(1), 1 - TINY)] == [True, False]
    elif key in (*COUNTS, *AT_LEAST_ONE, *OVER_SHARES):
        assert [model.vacuous(None, each) for each in (Fraction(1), 1 + TINY)] == [True, False]
    else:
        assert not model.vacuous(None, Fraction(10**30))
        assert math.isinf(model.bounds[1])


def test_a_range_is_vacuous_only_if_it_is_0_of_one_value():
    asked = {text: requirements({"ke": text})[0] for text in ("1,0", "1,1", "2,0", "2,1")}
    assert [each.model.vacuous(None, each.threshold) for each in asked.values()] == [True, False, False, False]


def test_the_usual_figures_need_nothing_but_the_table_and_all_need_no_further_number():
    """As DESIGN.md has them: k, ℓ, t, (α,k), entropy ℓ, the narrowest band, prosecutor and marketer risk."""
    of_people = {"journalist", "k_map", "presence_max", "presence_min"}
    with_numbers = {"smoothed_js", "nt", "proximity"}
    assert {each.key for each in usual_models()} == {
        "k",
        "l",
        "t",
        "alpha",
        "entropy_l",
        "band",
        "prosecutor",
        "marketer",
    }
    assert {each.key for each in measurable_models(population=True)} == {*MODELS} - with_numbers
    assert {each.key for each in measurable_models(population=False)} == {*MODELS} - with_numbers - of_people
