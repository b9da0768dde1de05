"""What is judged: exactly at, just above and just below a threshold, and whatever the parts are."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from tclose import Roles, audit
from tclose.models.catalogue import MODELS
from tclose.models.measuring import Tally

FAR = Fraction(1, 10**40)
NEAR = Fraction(1, 10**20)


def verdict(columns, roles=None, reference=None, **require):
    roles = roles or Roles(quasi="q", sensitive="s:nominal")
    (found,) = audit(columns, roles, require=require, reference=reference, drivers=False).verdicts
    return found


UNIFORM = {level: {"q": [1] * level, "s": list(range(level))} for level in (2, 3, 5, 6, 7, 10, 97)}


@pytest.mark.parametrize("level", UNIFORM)
def test_a_uniform_class_has_exactly_as_much_entropy_as_it_has_values(level):
    for threshold, holds in ((level, True), (level - FAR, True), (level + FAR, False), (level + NEAR, False)):
        found = verdict(UNIFORM[level], entropy_l=Fraction(threshold))
        assert found.figure.value == level
        assert found.holds is holds, threshold


JS = {"1/3": (["A", "A", "C"], {"A": 2, "B": 1}), "2/3": (["A", "C", "C"], {"A": 1, "B": 2}),
      "1/7": (["A"] * 6 + ["C"], {"A": 6, "B": 1}), "1": (["A"], {"B": 1})}  # fmt: skip


@pytest.mark.parametrize("share", JS)
@pytest.mark.parametrize("nudge", [0, FAR, -FAR, NEAR, -NEAR], ids=["at", "+1e-40", "-1e-40", "+1e-20", "-1e-20"])
def test_jensen_shannon_of_distributions_that_share_all_but_a_fraction_is_that_fraction(share, nudge):
    """Where p = q or one of them is 0, each value of the rest adds its mass, halved, on either side."""
    values, reference = JS[share]
    threshold = min(Fraction(share) + nudge, Fraction(1))
    found = verdict({"q": [1] * len(values), "s": values}, reference={"s": reference}, js=threshold)
    assert found.figure.value == pytest.approx(float(Fraction(share)), abs=1e-15)
    assert found.holds is (nudge >= 0)


@pytest.mark.parametrize("key", ["kl", "js", "smoothed_js", "t", "beta"])
def test_a_class_like_the_table_is_at_distance_0_and_meets_0(key):
    columns = {"q": [1] * 7 + [2] * 14, "s": list("aaabbbc") * 3}
    found = verdict(columns, **{key: 0})
    assert found.figure.value == pytest.approx(0, abs=1e-15)
    assert found.holds


def test_delta_is_strict_at_a_threshold_it_equals():
    columns = {"q": [1] * 7 + [2] * 14, "s": list("aaabbbc") * 3}
    assert not verdict(columns, delta=0).holds
    assert verdict(columns, delta=FAR).holds


def test_divergences_just_around_a_threshold_are_told_apart_by_60_digits():
    """KL of {b, b, b} against 2 a and 4 b is ln 1.5, that of {a, a, b} is (ln 2)/3."""
    columns = {"q": [1, 1, 1, 2, 2, 2], "s": list("aabbbb")}
    with localcontext() as context:
        context.prec = 70
        kl = Fraction(Decimal("1.5").ln())
    for nudge, holds in ((NEAR, True), (-NEAR, False), (FAR, True), (-FAR, False)):
        found = verdict(columns, kl=kl + nudge)
        assert found.figure.value == pytest.approx(math.log(1.5), abs=1e-14)
        assert found.holds is holds, float(nudge)


# ---- parts in any order ------------------------------------------------------------------------------


def tally(value, key):
    return Tally(value=value, keys=[np.array([[key]])], sizes=[np.array([1])])


@pytest.mark.parametrize("key", ["beta", "recursive", "delta"])
@pytest.mark.parametrize(
    "values",
    [(math.inf, Fraction(1), Fraction(1)), (math.inf, math.inf, 2.5), (Fraction(1, 3), Fraction(1, 3), 0)],
    ids=["one infinite", "two infinite", "finite"],
)
def test_the_worst_classes_do_not_depend_on_the_order_of_parts(key, values):
    model = MODELS[key]()
    worst = max(values)
    for order in itertools.permutations(range(3)):
        total = Tally()
        for at in order:
            total.merge(tally(values[at], at), model)
        assert total.value == worst
        assert sorted(int(key) for keys in total.keys for key in keys.ravel()) == [
            at for at in range(3) if values[at] == worst
        ], order
