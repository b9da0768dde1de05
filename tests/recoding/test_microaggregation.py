"""Microaggregation: MDAV's published losses, the sizes of strata, and traps that the exact check must catch."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recoding.aggregation_problems import (
    assert_covered,
    census_problem,
    class_values,
    information_loss,
    line_quasi,
    problem_of,
    tree_quasi,
)
from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.clusters import microaggregation, nearest
from tclose.anonymization.algorithms.clusters import microaggregation as swapping
from tclose.anonymization.algorithms.clusters.coordinates import Space, along_curve, coordinates
from tclose.anonymization.algorithms.clusters.flows import flows_of
from tclose.anonymization.algorithms.clusters.microaggregation import (
    find,
    k_first,
    proposed_size,
    safe_size,
    strata_plan,
    stratified,
)
from tclose.anonymization.algorithms.clusters.nearest import filled, mdav
from tclose.anonymization.algorithms.clusters.proposals import aim_of, compartments
from tclose.anonymization.algorithms.search import Search
from tclose.models.paper import ordered_distance_of_values, variational_distance_of_values
from tclose.policy.roles import Nominal, Ordered


@pytest.fixture(scope="module")
def census(census_file):
    return np.loadtxt(census_file, delimiter=",", skiprows=1)


@pytest.mark.parametrize(("k", "loss"), [(3, 5.6922), (4, 7.4947), (5, 9.0884), (10, 14.1559)])
def test_mdav_loses_what_the_literature_says_of_census(census, k, loss):
    z = (census - census.mean(axis=0)) / census.std(axis=0)
    assert information_loss(census, mdav(z, k)) == pytest.approx(loss, abs=5e-5)


def written_out(points, k):
    """MDAV as the papers write it, on continuous points without ties."""
    left, classes = list(range(len(points))), []

    def nearest_to(one):
        return sorted(left, key=lambda i: ((points[i] - points[one]) ** 2).sum())[:k]

    def farthest_from(place):
        return max(left, key=lambda i: ((points[i] - place) ** 2).sum())

    while len(left) >= 2 * k:
        seed = farthest_from(points[left].mean(axis=0))
        other = farthest_from(points[seed])
        for one in (seed, other) if len(left) >= 3 * k else (seed,):
            classes.append(nearest_to(one))
            left = [i for i in left if i not in classes[-1]]
    return [*classes, left]


@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_mdav_is_what_the_papers_write(rows, k, width, seed):
    points = np.random.default_rng(seed).normal(size=(rows, width))
    labels = mdav(points, k)
    found = [np.flatnonzero(labels == one).tolist() for one in range(labels.max() + 1)]
    assert sorted(found) == sorted(sorted(one) for one in written_out(points, k))


def test_among_equally_near_points_mdav_takes_the_lowest_index():
    """0 is as far from the centre as 10, and its nearest are all the 5s: the first of each goes first."""
    points = np.array([[0.0], [5.0], [5.0], [5.0], [5.0], [10.0]])
    assert mdav(points, 2).tolist() == [0, 0, 1, 2, 2, 1]


TS = ("0.01", "0.05", "0.09", "0.13", "0.17", "0.21", "0.25")


@pytest.mark.parametrize(("k", "sizes"), [(2, [49, 10, 6, 4, 3, 3, 2]), (5, [49, 10, 6, 5, 5, 5, 5])])
def test_strata_have_the_published_sizes(k, sizes):
    """n = 1080: Soria-Comas et al. 2015, section 7, with the enlargement that leaves few rows over."""
    assert [proposed_size(1080, k, Fraction(t)) for t in TS] == sizes


@given(st.integers(1, 60), st.integers(1, 12), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_strata_use_every_row_once_however_many_are_left_over(rows, size, values, seed):
    size = min(size, rows)
    plan = strata_plan(rows, size)
    assert plan.sum() == rows
    assert plan.min() >= 1
    generator = np.random.default_rng(seed)
    bins = generator.integers(0, values, rows)
    buckets, merged = stratified(bins, size)
    assert np.bincount(buckets, minlength=merged.shape[1]).tolist() == merged.sum(axis=0).tolist()
    assert merged.sum(axis=1).tolist() == plan.sum(axis=1).tolist()
    labels = filled(_plain(generator.normal(size=(rows, 2))), buckets, merged)
    assert labels.min() >= 0
    taken = np.zeros_like(merged)
    np.add.at(taken, (labels, buckets), 1)
    assert taken.tolist() == merged.tolist()


def _plain(points):
    return Space(points, np.zeros((len(points), 0), dtype=np.int64), np.zeros((len(points), 0)))


@given(st.integers(2, 8), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_classes_of_strata_of_distinct_ranks_keep_the_published_bound(size, number, seed):
    rows = size * number
    generator = np.random.default_rng(seed)
    ranks = generator.permutation(rows)
    labels = filled(_plain(generator.normal(size=(rows, 2))), *stratified(ranks, size))
    worst = max(ordered_distance_of_values(ranks[labels == one].tolist(), ranks.tolist()) for one in range(number))
    assert worst <= Fraction(rows - size, 2 * (rows - 1) * size)


@given(st.integers(2, 8), st.integers(1, 6), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_classes_of_strata_keep_the_safe_bounds_whatever_values_repeat(size, number, values, seed):
    rows = size * number
    generator = np.random.default_rng(seed)
    ranks = generator.integers(0, values, rows)
    labels = filled(_plain(generator.normal(size=(rows, 2))), *stratified(ranks, size))
    for one in range(number):
        inside, everything = ranks[labels == one].tolist(), ranks.tolist()
        bound = Fraction(rows - size, rows * size)
        assert ordered_distance_of_values(inside, everything) <= bound
        assert variational_distance_of_values(inside, everything) <= bound * (len({*everything}) - 1)


@given(st.integers(1, 400), st.integers(1, 9), st.fractions(0, 1, max_denominator=40), st.integers(1, 9))
def test_the_safe_size_meets_the_safe_bound(rows, k, t, cuts):
    size = safe_size(rows, k, t, cuts=Fraction(cuts))
    assert size >= min(k, rows)
    assert cuts * Fraction(rows - size, rows * size) <= t


REFERENCE = [
    ("FEDTAX", 2, "0.05", 10, 60.50, 0.0447),
    ("FEDTAX", 5, "0.13", 5, 57.58, 0.0929),
    ("FICA", 2, "0.25", 2, 26.76, 0.2560),
]


@pytest.mark.parametrize(("sensitive", "k", "t", "size", "loss", "farthest"), REFERENCE)
def test_strata_of_census_lose_what_the_reference_run_lost(census_file, sensitive, k, t, size, loss, farthest):
    """Spec 6.4, column A3, from its prototype; with FICA's ties the last exceeds its t."""
    problem = census_problem(sensitive, k, t)
    [rows] = compartments(problem)
    aim = aim_of(problem)
    buckets, plan = stratified(rows.bins(aim), proposed_size(1080, k, Fraction(t)))
    assert plan.sum(axis=1).tolist() == [size] * (1080 // size)
    labels = filled(rows.space("deviation"), buckets, plan)
    taxes = problem.ranks[rows.rows, 0]
    points = np.array(
        [[float(problem.quasi[at].values[code]) for at, code in enumerate(row)] for row in problem.codes[rows.rows]]
    )
    assert information_loss(points, labels) == pytest.approx(loss, abs=0.006)
    everything = taxes.tolist()
    found = [ordered_distance_of_values(taxes[labels == one].tolist(), everything) for one in range(1080 // size)]
    assert float(max(found)) == pytest.approx(farthest, abs=5e-5)


def test_a_value_that_one_row_has_breaks_the_published_bound_but_not_the_release():
    """99 × A and 1 × B: a class {A, B} is 0.49 from the table, where the bound of distinct ranks says 0.247."""
    values = ["A"] * 99 + ["B"]
    quasi = [line_quasi("age", list(range(100)))]
    problem = problem_of(quasi, [("value", values, Ordered())], {"k": 2, "t": "0.25"})
    release = find(problem, Search())
    assert_covered(problem, release)
    holding = [len(one) for one in class_values(problem, release) if 1 in one]
    assert [Fraction(1, size) - Fraction(1, 100) <= Fraction(1, 4) for size in holding] == [True]
    assert release.number > 20


def test_ties_of_census_do_not_push_a_class_beyond_t(census_file):
    problem = census_problem("FICA", 2, "0.25")
    release = find(problem, Search())
    assert_covered(problem, release)
    everything = np.repeat(problem.ranks[:, 0], problem.counts).tolist()
    for inside in class_values(problem, release):
        assert len(inside) >= 2
        assert ordered_distance_of_values(inside, everything) <= Fraction(1, 4)


def test_rows_are_exchanged_until_classes_are_close():
    """Left and right differ in their values; the nearest pairs are 0.5 away, pairs across are at 0."""
    places = [0, 1, 2, 3, 20, 21, 22, 23]
    values = ["x"] * 4 + ["y"] * 4
    problem = problem_of([line_quasi("age", places)], [("value", values, Nominal())], {"k": 2, "t": "0"})
    [rows] = compartments(problem)
    aim = aim_of(problem)
    bins = rows.bins(aim)
    alone = k_first(rows.space("loss"), bins, aim.flows, 2, 1.0, rows.order)
    close = k_first(rows.space("loss"), bins, aim.flows, 2, 0.0, rows.order)
    assert {len({*bins[alone == one].tolist()}) for one in range(4)} == {1}
    assert {len({*bins[close == one].tolist()}) for one in range(4)} == {2}


def test_with_whole_classes_rows_that_look_alike_stay_together():
    ages = [0, 0, 0, 1, 1, 2, 5, 5, 5, 6, 7, 7]
    problem = problem_of([line_quasi("age", ages)], [("value", [0, 1] * 6, Nominal())], {"k": 2, "t": "0.5"})
    release = find(problem, Search(whole_classes=True))
    assert_covered(problem, release)
    classes_of = {}
    for row, one in zip(release.rows, release.classes, strict=True):
        classes_of.setdefault(tuple(problem.codes[row].tolist()), set()).add(int(one))
    assert {len(classes) for classes in classes_of.values()} == {1}
    assert release.number > 1


def test_rows_that_the_coarsest_level_tells_apart_never_share_a_class():
    towns = ["a1", "a2", "b1", "b2"] * 3
    values = [0, 1, 0, 1] * 3
    problem = problem_of([tree_quasi("town", towns, 1)], [("value", values, Nominal())], {"k": 3, "t": "0.2"})
    release = find(problem, Search())
    assert_covered(problem, release)
    assert (release.cells.levels <= 1).all()


def test_nothing_is_found_where_a_whole_compartment_is_too_far():
    towns, values = ["a1", "a2"] * 3 + ["b1", "b2"] * 3, [0] * 6 + [1] * 6
    problem = problem_of([tree_quasi("town", towns, 1)], [("value", values, Nominal())], {"k": 3, "t": "0.2"})
    assert find(problem, Search()) is None


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("rows", [50, 97])
def test_large_tables_are_worked_on_in_blocks_and_lose_nothing(monkeypatch, rows, whole):
    for module in (nearest, swapping, microaggregation):
        monkeypatch.setattr(module, "WHOLE_UP_TO", 20)
        monkeypatch.setattr(module, "BLOCK", 8)
    generator = np.random.default_rng(rows)
    ages, towns = generator.integers(0, 40, rows).tolist(), generator.choice(["a1", "b1", "b2"], rows).tolist()
    values = generator.integers(0, 4, rows).tolist()
    quasi = [line_quasi("age", ages), tree_quasi("town", towns)]
    problem = problem_of(quasi, [("value", values, Ordered())], {"k": 3, "t": "0.3"})
    release = find(problem, Search(whole_classes=whole))
    assert_covered(problem, release)
    assert not failing_classes(problem, release).any()
    assert release.number > 1


def test_the_curve_goes_through_a_grid_step_by_step():
    """A Hilbert curve never leaves a cell but for the one beside it."""
    grid = [(x, y) for x in range(8) for y in range(8)]
    quasi = [line_quasi("x", [x for x, _ in grid]), line_quasi("y", [y for _, y in grid])]
    problem = problem_of(quasi, [("value", [0] * 64, Ordered())], {"k": 1})
    walk = problem.codes[along_curve(problem, np.arange(64))]
    assert (np.abs(np.diff(walk, axis=0)).sum(axis=1) == 1).all()


def test_the_distance_of_two_rows_is_the_loss_of_what_holds_both():
    """Towns a1 and a2 meet in a, 3 of 6 leaves; a and b meet in everything."""
    quasi = [line_quasi("age", [0, 5, 10, None]), tree_quasi("town", ["a1", "a2", "b1", "a1"])]
    problem = problem_of(quasi, [("value", [0, 0, 0, 0], Ordered())], {"k": 1})
    space = coordinates(problem, np.arange(4))
    found = {}
    for i in range(4):
        for j in range(4):
            differ = space.nodes[i] != space.nodes[j]
            steps = ((space.points[i] - space.points[j]) ** 2).sum()
            found[i, j] = steps + (space.edges[i] + space.edges[j])[differ].sum()
    assert found[0, 1] == pytest.approx(0.5**2 + 0.4**2)
    assert found[0, 2] == pytest.approx(1 + 1)
    assert found[0, 3] == pytest.approx(1 + 0.5**2), "a missing value lies in the middle and one step aside"
    pairs = sum(found.values()) / 16
    total = space.points.var(axis=0).sum() * 2 + space.off_centre().mean()
    assert total == pytest.approx(pairs), "off_centre is the mean squared distance over hierarchies"


@given(st.lists(st.integers(0, 5), min_size=1, max_size=12), st.data())
def test_flows_measure_the_paper_s_distance(values, data):
    inside = data.draw(st.lists(st.sampled_from(values), min_size=1, max_size=6))
    for distance, paper in ((Ordered(), ordered_distance_of_values), (Nominal(), variational_distance_of_values)):
        domain = problem_of([], [("value", values, distance)], {"k": 1}).domains[0]
        flows = flows_of(domain)
        bins = [int(flows.bin_of[domain.values.index(value)]) for value in inside]
        shares = np.bincount(bins, minlength=flows.bins)[np.newaxis] / len(inside)
        assert flows.distances(shares)[0] == pytest.approx(float(paper(inside, values)), abs=1e-12)
