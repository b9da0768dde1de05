"""Hierarchies and thresholds to start from: what values show, and what their distribution allows."""

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tclose
from tclose.data.hierarchies import built_hierarchy
from tclose.models.value_order import Observed
from tclose.policy.profiling.proposals import proposed_hierarchy, proposed_thresholds
from tclose.policy.roles import Nominal, Ordered

PROPOSED = {
    "bands": (["<18", "18-34", "35-64", "65+"], "groups:2"),
    "three bands": (["0-35", "35-55", "55<="], "groups:2"),
    "partial dates": (["2013", "2013-05", "2013-05-11", "2014-01-02"], "prefix:7,4"),
    "illnesses": (["E11.9", "E11", "I10", "J45.0"], "icd10"),
    "codes": (["AB1", "AB12", "AB2", "CD1", "CD17", "CD18"], "prefix:3,2"),
    "words": (["clerk", "nurse", "smith", "cook", "baker"], "groups:2,4"),
    "three words": (["clerk", "nurse", "smith"], "flat"),
    "months": (["2013-05", "2013-06", "2014-01"], None),
    "codes of one length": (["47677", "47602", "47678"], None),
}


@pytest.mark.parametrize("what", PROPOSED)
def test_each_kind_of_text_has_its_hierarchy_and_it_can_be_built(what):
    values, words = PROPOSED[what]
    seen = Observed(values, np.ones(len(values), dtype=np.int64), "text")
    assert proposed_hierarchy(seen) == words
    built = built_hierarchy(words or "auto", values, [1] * len(values), "text")
    assert set(built.leaves) == set(values)


def test_numbers_that_are_codes_are_not_put_into_intervals():
    seen = Observed([1, 2, 3], np.ones(3, dtype=np.int64), "number")
    assert (proposed_hierarchy(seen), proposed_hierarchy(seen, codes=True)) == (None, "flat")


@given(st.lists(st.integers(1, 50), min_size=2, max_size=200), st.randoms(use_true_random=False))
def test_no_class_of_twenty_rows_is_nearer_than_the_suggested_distance_less_a_step(counts, draw):
    """The nominal distance is half the sum of the differences; a suggestion is rounded up to the next twentieth."""
    suggested = proposed_thresholds(counts, Nominal()).get("t")
    rows = [value for value, count in enumerate(counts) for _ in range(count)]
    chosen = draw.choices(range(len(counts)), k=min(20, len(rows)))
    distance = (
        sum(
            abs(Fraction(chosen.count(value), len(chosen)) - Fraction(count, len(rows)))
            for value, count in enumerate(counts)
        )
        / 2
    )
    if suggested is not None:
        assert distance > Fraction(suggested) - Fraction(1, 20)
        assert Fraction(3, 10) < Fraction(suggested) <= 1


@pytest.mark.parametrize(("counts", "least"), [([96, 4], "1"), ([95, 5], None), ([98, 1, 1], "1"), ([20], "1")])
def test_two_values_are_not_asked_of_classes_that_would_need_more_than_twenty_rows(counts, least):
    """By hand: each class needs a row without the commonest value, and 100 rows have 4 of those in 25 each."""
    assert proposed_thresholds(counts, Ordered()).get("l") == least
    assert proposed_thresholds(counts, Ordered()).get("t") is None


def test_the_order_of_values_does_not_matter():
    counts = [random.Random(3).randrange(1, 9) for _ in range(60)]
    assert proposed_thresholds(counts, Nominal()) == proposed_thresholds(sorted(counts), Nominal())


def test_all_that_a_release_lacks_is_named_at_once_with_what_to_add():
    rows = range(60)
    table = {
        "town": [("Aa", "Bb", "Cc", "Dd")[row % 4] for row in rows],
        "job": [("x y", "zz", "cook")[row % 3] for row in rows],
        "pay": [None if row % 9 == 0 else row for row in rows], "debt": [None if row % 7 == 0 else row for row in rows],
    }  # fmt: skip
    with pytest.raises(tclose.InputError) as refused:
        tclose.anonymize(table, tclose.Roles(["town", "job"], ["pay:ordered", "debt:ordered"]), require={"k": 4})
    text = str(refused.value)
    assert refused.value.code == "several-problems"
    for part in ("{'town': 'groups:2', 'job': 'flat'}", "7 rows", "9 rows", "for 'pay'", "for 'debt'"):
        assert part in text
