"""What a release is still good for: associations by hand, a model by another implementation, and laws."""

import math
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import CategoricalNB

import tclose
from tclose.anonymization.algorithms.associations import FOLDS, association, dealt, right

ROLES = tclose.Roles(["job", "age"], {"illness": tclose.Nominal()})


def people(rows=600):
    """Return people whose illness follows their job, and not their age."""
    jobs = ["smith", "baker", "clerk"]
    return {
        "job": [jobs[at % 3] for at in range(rows)],
        "age": [20 + (at * 7) % 40 for at in range(rows)],
        "illness": ["flu" if at % 11 == 0 else f"of {jobs[at % 3]}s" for at in range(rows)],
    }


def by_hand(pairs):
    """Return the association of pairs of values, after Bergsma 2013, sum by sum in fractions."""
    together = Counter(pairs)
    rows, first, second = sum(together.values()), Counter(), Counter()
    for (one, other), share in together.items():
        first[one] += share
        second[other] += share
    square = Fraction(0)
    for one in first:
        for other in second:
            expected = Fraction(first[one] * second[other], rows)
            square += (together[one, other] - expected) ** 2 / expected
    high, wide = len(first), len(second)
    corrected = max(Fraction(0), square / rows - Fraction((high - 1) * (wide - 1), rows - 1))
    least = min(high - Fraction((high - 1) ** 2, rows - 1), wide - Fraction((wide - 1) ** 2, rows - 1)) - 1
    return min(1.0, math.sqrt(corrected / least)) if least > 0 else None


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=3, max_size=60))
def test_an_association_is_what_the_formula_says(pairs):
    counted = Counter(pairs)
    found = association(
        np.array([one for one, _ in counted], dtype=np.int32),
        np.array([other for _, other in counted], dtype=np.int32),
        np.array(list(counted.values())),
    )
    several = len({one for one, _ in pairs}) > 1 and len({other for _, other in pairs}) > 1
    expected = by_hand(pairs) if several else 0.0
    assert (found is None) == (expected is None)
    assert found is None or found == pytest.approx(expected, abs=1e-6)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=40))
def test_rows_are_dealt_evenly_and_none_is_lost(counts):
    folds = dealt(np.array(counts))
    assert folds.sum(axis=1).tolist() == counts
    assert folds.min() >= 0
    assert np.ptp(folds.sum(axis=0)) <= 1
    assert np.ptp(folds, axis=1).max() <= 1


def test_the_model_is_right_as_often_as_that_of_another_library():
    chance = np.random.default_rng(3)
    codes = chance.integers(0, 5, (150, 3)).astype(np.int32)
    groups = ((codes[:, 0] + chance.integers(0, 2, 150)) % 4).astype(np.int32)
    counts = chance.integers(1, 6, 150)
    folds = dealt(counts)
    for fold in range(FOLDS):
        learnt = folds.sum(axis=1) - folds[:, fold]
        model = CategoricalNB(min_categories=5).fit(np.repeat(codes, learnt, axis=0), np.repeat(groups, learnt))
        said = model.predict(codes) == groups
        assert right(codes, groups, 4, folds, fold) == folds[said, fold].sum()


def test_what_is_published_as_it_was_keeps_everything_and_what_is_hidden_nothing():
    fine = tclose.anonymize(people(), ROLES, require={"k": 1}, hierarchies={"job": "flat"}).usefulness()
    assert [pair.after for pair in fine.associations] == pytest.approx([pair.before for pair in fine.associations])
    (told,) = fine.predictions
    assert told.original == told.release > 0.8 > 0.4 > told.guess
    assert fine.associations[0].first == "job"
    assert fine.associations[0].before > 0.9
    hidden = {"job": "flat", "age": "flat"}
    coarse = tclose.anonymize(people(), ROLES, require={"t": 0}, hierarchies=hidden, levels={"job": 1, "age": 1})
    found = coarse.usefulness()
    assert {pair.after for pair in found.associations} == {0.0}
    assert found.predictions[0].original == told.original
    assert found.predictions[0].release == pytest.approx(found.predictions[0].guess, abs=0.02)
    assert found.lost == {"job": 1.0, "age": 1.0}


def test_an_interval_counts_evenly_for_the_values_in_it():
    """Oracle: every released row in shares of pairs of values, and the formula over them."""
    table = people(240)
    release = tclose.anonymize(table, ROLES, require={"k": 9}, hierarchies={"job": "flat"}, method="mondrian")
    jobs, ages = sorted(set(table["job"])), sorted(set(table["age"]))
    shares = {("job", "age"): Counter(), ("age", "illness"): Counter()}
    for job, age, illness in release.to_pandas()[["job", "age", "illness"]].itertuples(index=False):
        ends = [int(number) for number in re.findall(r"\d+", str(age))]
        inside = [value for value in ages if ends[0] <= value <= ends[-1]]
        named = jobs if job == "*" else [job]
        shares["job", "age"].update({(j, a): Fraction(1, len(inside) * len(named)) for j in named for a in inside})
        shares["age", "illness"].update({(a, illness): Fraction(1, len(inside)) for a in inside})
    assert any("," in str(age) for age in release.to_pandas()["age"])
    found = {(each.first, each.second): each.after for each in release.usefulness().associations}
    for pair, expected in shares.items():
        assert found[pair] == pytest.approx(by_hand(expected), abs=1e-6)


def test_rows_that_are_left_out_are_guessed_about_and_no_part_of_associations():
    table = people()
    table["job"][0] = "king"
    release = tclose.anonymize(
        table, ROLES, require={"k": 2}, hierarchies={"job": "flat", "age": "flat"}, levels={"job": 0, "age": 1},
        suppress="0.01",
    )  # fmt: skip
    assert release.suppressed == 1
    found = release.usefulness()
    kept = [at for at in range(600) if at]
    pairs = [(table["job"][at], table["illness"][at]) for at in kept]
    (pair,) = [each for each in found.associations if (each.first, each.second) == ("job", "illness")]
    assert pair.after == pytest.approx(by_hand(pairs))
    assert found.predictions[0].release > 0.8


def test_a_release_made_again_by_its_recipe_says_that_it_does_not_know():
    table = people()
    release = tclose.anonymize(table, ROLES, require={"k": 5}, hierarchies={"job": "flat"})
    assert tclose.apply(table, release.recipe).usefulness() is None
