"""SABRE: bounds of buckets against brute force, plans that are close whichever rows they take, the reference run."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recoding.aggregation_problems import (
    ILLS,
    assert_covered,
    census_problem,
    line_quasi,
    problem_of,
    share,
    tree_quasi,
)
from tclose.anonymization.algorithms.clusters.flows import flows_of
from tclose.anonymization.algorithms.clusters.nearest import filled
from tclose.anonymization.algorithms.clusters.proposals import aim_of, compartments, partition_of
from tclose.anonymization.algorithms.clusters.sabre import bounds_of, bucketed, find, redistributed
from tclose.anonymization.algorithms.partition import kept_detail
from tclose.anonymization.algorithms.search import Search
from tclose.data.hierarchies import hierarchy_of
from tclose.models.domains import arranged
from tclose.models.paper import hierarchical_distance, naive_ordered_distance, numeric_distance, variational_distance
from tclose.models.value_order import Observed
from tclose.policy.roles import Hierarchical, Nominal, Numeric, Ordered

LEAVES = ["cough", "flu", "angina", "stroke", "faint"]
TREE = hierarchy_of(ILLS, "ills")
POSITIONS = [0, 1, 4, 5, 9]
GROUNDS = {
    "ordered": ([0, 1, 2, 3, 4], Ordered(), naive_ordered_distance),
    "numeric": (POSITIONS, Numeric(), lambda p, q: numeric_distance(p, q, POSITIONS[: len(p)])),
    "nominal": (["a", "b", "c", "d", "e"], Nominal(), variational_distance),
    "hierarchical": (LEAVES, Hierarchical(ILLS), lambda p, q: hierarchical_distance(p, q, TREE, LEAVES[: len(p)])),
}
every_ground = pytest.mark.parametrize("ground", GROUNDS)
some_counts = st.lists(st.integers(1, 6), min_size=2, max_size=5)


def flows_and_paper(ground, counts):
    """The flows of a table with these counts, its counts by bin, and the paper's distance of counts by bin."""
    values, distance, paper = GROUNDS[ground]
    values = values[: len(counts)]
    kind = "text" if isinstance(values[0], str) else "number"
    domain, ranks = arranged("value", Observed(values, np.array(counts, dtype=np.int64), kind), distance)
    flows = flows_of(domain)
    bins = flows.bin_of[ranks]
    by_bin = np.zeros(len(counts), dtype=np.int64)
    by_bin[bins] = counts

    def measured(of_bins):
        return paper(share([of_bins[at] for at in bins]), share(counts))

    return flows, by_bin, measured


@every_ground
@given(counts=some_counts, data=st.data())
def test_a_bound_is_the_cost_of_the_worst_value_of_its_bucket(ground, counts, data):
    """Brute force: put all of one bucket on one of its values and measure; nothing else of the class changes."""
    flows, by_bin, measured = flows_and_paper(ground, counts)
    of = np.sort(np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(counts), max_size=len(counts)))))
    of = np.unique(of, return_inverse=True)[1]
    bounds = bounds_of(flows, by_bin / by_bin.sum(), of)
    for bucket in range(int(of.max()) + 1):
        found = []
        for worst in np.flatnonzero(of == bucket):
            moved = np.where(of == bucket, 0, by_bin)
            moved[worst] = by_bin[of == bucket].sum()
            found.append(measured(moved))
        assert bounds[bucket] == pytest.approx(float(max(found)), abs=1e-12)


@every_ground
@given(counts=some_counts, limit=st.fractions(0, 1, max_denominator=20))
def test_any_rows_of_the_buckets_in_proportion_stay_within_the_limit(ground, counts, limit):
    """Brute force over all ways to put the share of every bucket on one of its values."""
    flows, by_bin, measured = flows_and_paper(ground, counts)
    buckets = bucketed(flows, by_bin / by_bin.sum(), float(limit))
    assert buckets.bounds.sum() <= float(limit) + 1e-9
    members = [np.flatnonzero(buckets.of == bucket) for bucket in range(len(buckets.bounds))]
    for choice in product(*members):
        moved = np.zeros_like(by_bin)
        for one, own in zip(choice, members, strict=True):
            moved[one] += by_bin[own].sum()
        assert measured(moved) <= limit + Fraction(1, 10**9)


def test_a_loose_limit_needs_one_bucket_and_none_a_bucket_for_each_value():
    flows, by_bin, _ = flows_and_paper("ordered", [3, 1, 2, 4])
    assert bucketed(flows, by_bin / 10, 1.0).of.max() == 0
    assert bucketed(flows, by_bin / 10, 0.0).of.tolist() == [0, 1, 2, 3]


@every_ground
@settings(max_examples=40, deadline=None)
@given(
    counts=st.lists(st.integers(1, 4), min_size=2, max_size=4),
    k=st.integers(1, 3),
    t=st.sampled_from([Fraction(1, 10), Fraction(1, 5), Fraction(2, 5), Fraction(1)]),
    theta=st.sampled_from([0.6, 0.9, 1.0]),
)
def test_planned_classes_are_close_whichever_rows_they_take(ground, counts, k, t, theta):
    """Brute force over every choice of rows from the buckets, for every class of the plan."""
    flows, by_bin, measured = flows_and_paper(ground, counts)
    buckets = bucketed(flows, by_bin / by_bin.sum(), theta * float(t))
    plan = redistributed(flows, buckets, by_bin, k=k, t=float(t))
    sizes = np.bincount(buckets.of, weights=by_bin).astype(int)
    assert plan.sum(axis=0).tolist() == sizes.tolist()
    assert plan.sum(axis=1).min() >= min(k, by_bin.sum())
    members = [np.flatnonzero(buckets.of == bucket) for bucket in range(len(sizes))]
    for one in np.unique(plan, axis=0):
        choices = [list(combinations_with_replacement(own, int(n))) for own, n in zip(members, one, strict=True)]
        for choice in product(*choices):
            taken = np.bincount([at for part in choice for at in part], minlength=len(by_bin))
            if (taken <= by_bin).all():
                assert measured(taken) <= t + Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("k", "t", "theta", "classes", "loss"),
    [(5, "0.1", 0.7, 114, 0.444), (5, "0.1", 1.0, 16, 0.483), (2, "0.25", 0.9, 484, 0.243), (2, "0.25", 1.0, 4, 0.527)],
)
def test_census_is_redistributed_as_in_the_reference_run(census_file, k, t, theta, classes, loss):
    """FEDTAX, spec 6.3: as many classes; how seeds were chosen there is not recorded, so losses are only near."""
    problem = census_problem("FEDTAX", k, t)
    [rows] = compartments(problem)
    aim = aim_of(problem)
    counts = rows.counts(aim)
    buckets = bucketed(aim.flows, counts / counts.sum(), theta * float(t))
    plan = redistributed(aim.flows, buckets, counts, k=k, t=float(t))
    assert len(plan) == classes
    labels = filled(rows.space("deviation"), buckets.of[rows.bins(aim)], plan)
    release = partition_of(problem, [(rows.rows, labels)])
    assert 1 - kept_detail(problem, release) == pytest.approx(loss, abs=0.02)


def test_where_every_value_can_be_halved_nothing_need_be_lost_at_t_0():
    """Each of four ages has both values once: the table itself is as close as can be."""
    ages, values = [0, 0, 10, 10, 20, 20, 30, 30], ["x", "y"] * 4
    problem = problem_of([line_quasi("age", ages)], [("value", values, Nominal())], {"k": 2, "t": "0"})
    release = find(problem, Search())
    assert_covered(problem, release)
    assert kept_detail(problem, release) == pytest.approx(1.0)


def test_rows_without_a_sensitive_value_are_spread_over_the_classes():
    ages = list(range(24))
    values = [None if age % 3 == 0 else age % 2 for age in ages]
    problem = problem_of([line_quasi("age", ages)], [("value", values, Nominal(nulls="drop"))], {"k": 3, "t": "0.3"})
    release = find(problem, Search())
    assert_covered(problem, release)
    assert release.number > 1


def test_with_whole_classes_nothing_is_found_because_sensitive_values_decide():
    problem = problem_of([line_quasi("age", [1, 2])], [("value", [0, 1], Nominal())], {"k": 1, "t": "1"})
    assert find(problem, Search(whole_classes=True)) is None
    assert find(problem, Search()) is not None


def test_compartments_are_redistributed_each_for_itself():
    towns, values = ["a1", "a2", "b1", "b2"] * 4, ["x", "x", "x", "y"] * 3 + ["y", "x", "x", "x"]
    problem = problem_of([tree_quasi("town", towns, 1)], [("value", values, Nominal())], {"k": 2, "t": "0.4"})
    release = find(problem, Search())
    assert_covered(problem, release)
    assert release.number > 2
