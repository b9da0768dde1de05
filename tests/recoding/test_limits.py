"""No release has more classes than a requirement allows: against every way to put a few rows into classes."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recoding.losses_problems import flat, problem_of
from tclose.anonymization.algorithms.limits import limits, notable_limits
from tclose.data.hierarchies import Hierarchy
from tclose.models.counts import Distribution
from tclose.models.distances.earth_movers import LineGround, TreeGround
from tclose.models.paper import (
    hierarchical_distance_of_values,
    numeric_distance_of_values,
    ordered_distance_of_values,
    variational_distance_of_values,
)
from tclose.policy.roles import Hierarchical, Nominal, Numeric, Ordered

TREE = Hierarchy([("1", "low", "*"), ("2", "low", "*"), ("4", "high", "*"), ("9", "high", "*")])
DISTANCES = {
    "ordered": (Ordered(), ordered_distance_of_values),
    "numeric": (Numeric(), numeric_distance_of_values),
    "nominal": (Nominal(), variational_distance_of_values),
    "hierarchical": (
        Hierarchical(TREE),
        lambda some, all_of: hierarchical_distance_of_values([*map(str, some)], [*map(str, all_of)], TREE),
    ),
}


def parted(rows):
    """Give every way to put rows into classes, each class as its values."""
    if not rows:
        yield ()
        return
    first, *rest = rows
    for classes in parted(rest):
        yield ((first,), *classes)
        for at in range(len(classes)):
            yield (*classes[:at], (first, *classes[at]), *classes[at + 1 :])


def most_classes(rows, meets):
    """Return in how many classes that meet something rows can be, whichever are left out: all of them tried."""
    known = cache(meets)
    return max(sum(known(tuple(sorted(each))) for each in classes) for classes in parted(list(rows)))


def shares(some):
    return sorted((Fraction(count, len(some)) for count in Counter(some).values()), reverse=True)


def gain(some, whole):
    return max(Fraction(count * len(whole), len(some) * whole.count(each)) - 1 for each, count in Counter(some).items())


def change(some, whole):
    if {*some} != {*whole}:
        return math.inf
    changes = [some.count(each) * len(whole) / (len(some) * whole.count(each)) for each in {*whole}]
    return max(abs(math.log(each)) for each in changes)


def recursive(some, level):
    counts = sorted(Counter(some).values(), reverse=True)
    return counts[0] / sum(counts[level - 1 :]) if len(counts) >= level else math.inf


MEETS = {
    ("k", "3"): lambda some, _: len(some) >= 3,
    ("l", "2"): lambda some, _: len({*some}) >= 2,
    ("l", "3"): lambda some, _: len({*some}) >= 3,
    ("p", "2"): lambda some, _: len({*some}) >= 2,
    ("entropy_l", "1.7"): lambda some, _: math.exp(-sum(float(p) * math.log(p) for p in shares(some))) >= 1.7,
    ("recursive", "2,2"): lambda some, _: recursive(some, 2) < 2,
    ("alpha", "0.5"): lambda some, _: shares(some)[0] <= Fraction(1, 2),
    ("alpha", "0.7"): lambda some, _: shares(some)[0] <= Fraction(7, 10),
    ("beta", "0.6"): lambda some, whole: gain(some, whole) <= Fraction(6, 10),
    ("delta", "1"): lambda some, whole: change(some, whole) < 1,
}
"""What each model asks of a class, by its definition."""
ROWS = st.lists(st.sampled_from([1, 2, 4, 9]), min_size=2, max_size=7)


def posed(rows, distance, require):
    """Return the problem of rows that all look different."""
    places = list(range(len(rows)))
    return problem_of({"place": (places, flat(places))}, [("pay", rows, distance)], require)


@pytest.mark.parametrize("asked", MEETS)
@given(rows=ROWS)
@settings(max_examples=25, deadline=None)
def test_no_release_has_more_classes_than_a_requirement_allows(asked, rows):
    key, threshold = asked
    most = most_classes(rows, lambda some: MEETS[asked](some, tuple(rows)))
    (found,) = limits(posed(rows, Nominal(), {key: threshold}))
    assert found.most.number >= most
    if key in ("k", "l", "p"):  # these bounds are reached
        assert found.most.number == most


@pytest.mark.parametrize("distance", DISTANCES)
@given(rows=ROWS, t=st.sampled_from(["0", "0.1", "0.2", "0.35", "0.5"]))
@settings(max_examples=40, deadline=None)
def test_no_release_has_more_classes_than_t_allows(distance, rows, t):
    declared, measured = DISTANCES[distance]
    most = most_classes(rows, lambda some: measured(list(some), rows) <= Fraction(t))
    assert all(each.most.number >= most for each in limits(posed(rows, declared, {"t": t})))


@pytest.mark.parametrize("asked", [("l", "2"), ("alpha", "0.5"), ("beta", "0.6")])
@given(rows=ROWS, missing=st.integers(1, 2))
@settings(max_examples=25, deadline=None)
def test_a_class_without_a_value_meets_what_is_asked_of_values(asked, rows, missing):
    rows = [*rows[:5], *[None] * missing]
    there = tuple(row for row in rows if row is not None)

    def meets(some):
        values = tuple(each for each in some if each)
        return not values or MEETS[asked](values, there)

    most = most_classes([row or 0 for row in rows], meets)
    found = list(limits(posed(rows, Ordered(nulls="drop"), dict([asked]))))
    assert all(each.most.number >= most for each in found)
    assert found


@given(reference=st.lists(st.integers(1, 9), min_size=2, max_size=4), size=st.integers(1, 5), data=st.data())
@settings(max_examples=60, deadline=None)
def test_the_least_distance_of_a_size_is_that_of_its_best_class(reference, size, data):
    """Every class of the size is tried, by the definitions: Σ w |P − Q| over running shares, Σ |p − q| / 2."""
    gaps = data.draw(st.lists(st.integers(1, 7), min_size=len(reference) - 1, max_size=len(reference) - 1))
    of = Distribution(np.array(reference), sum(reference))
    q = [Fraction(count, sum(reference)) for count in reference]
    every = [counts for counts in itertools.product(range(size + 1), repeat=len(q)) if sum(counts) == size]
    apart = [[Fraction(count, size) - share for count, share in zip(counts, q, strict=True)] for counts in every]
    line = min(
        sum(gap * abs(run) for gap, run in zip(gaps, itertools.accumulate(each), strict=False)) for each in apart
    ) / sum(gaps)
    assert LineGround(of, tuple(gaps), size).least(size) == line
    nominal = TreeGround(of, (np.arange(len(q)),))
    assert nominal.least(size) == min(sum(map(abs, each)) for each in apart) / 2


def test_three_deaths_among_three_hundred_allow_three_classes():
    """Two different values in each class: at most as many classes as rows without the commonest value."""
    problem = posed(["Y"] * 3 + ["N"] * 303, Nominal(), {"k": "5", "l": "2"})
    found = {each.task.model.key: each.most for each in limits(problem)}
    assert (found["k"].number, found["l"].number) == (61, 3)
    assert found["l"].reason == "3 of 306 rows have another value than the commonest"
    assert [each.task.model.key for each in notable_limits(problem)] == ["l"]
    assert not notable_limits(posed(["Y", "N"] * 153, Nominal(), {"k": "5", "l": "2"}))
