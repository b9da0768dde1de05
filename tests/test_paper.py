"""The papers' calculations give the papers' numbers, obey laws and agree with other libraries."""

import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import ot
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import wasserstein_distance

from papers import DISEASE_TREE, EXPECTED, TABLES
from strategies import (
    class_histograms,
    distribution_pairs,
    distribution_triples,
    hierarchies_with_distributions,
    histograms,
    tables,
)
from tclose.data.hierarchies import Hierarchy, hierarchy_of
from tclose.errors import DomainError, EmptyTableError, HierarchyError, InputError
from tclose.models.paper import (
    distribution,
    domain_in_order,
    hierarchical_distance,
    hierarchical_distance_of_values,
    naive_ordered_distance,
    numeric_distance,
    numeric_distance_of_values,
    one_pass_ordered_distance,
    ordered_distance_of_values,
    t_closeness_of_values,
    variational_distance,
    variational_distance_of_values,
)

DISEASES = hierarchy_of(DISEASE_TREE, "disease")
POSITIONS = [Fraction(square) for square in (0, 1, 4, 9, 16, 25, 36, 49)]


def two_levels(m: int) -> Hierarchy:
    """A tree over m leaves whose groups are pairs of neighbours."""
    return Hierarchy(tuple((str(leaf), f"pair {leaf // 2}", "*") for leaf in range(m)))


def numeric(p, q):
    return numeric_distance(p, q, POSITIONS[: len(p)])


def hierarchical(p, q):
    tree = two_levels(len(p))
    return hierarchical_distance(p, q, tree, tree.leaves)


DISTANCES = [naive_ordered_distance, one_pass_ordered_distance, variational_distance, numeric, hierarchical]


# ---- the papers' numbers -------------------------------------------------------------------------

MEASURED = {
    "incidents.nominal": ("incidents", "incident", variational_distance_of_values, {}),
    "salary.ordered": ("salary", "salary", ordered_distance_of_values, {}),
    "salary.ordered_with_12k": ("salary", "salary", ordered_distance_of_values, {"order": range(3, 13)}),
    "salary.numeric": ("salary", "salary", numeric_distance_of_values, {}),
    "disease.nominal": ("salary", "disease", variational_distance_of_values, {}),
    "disease.hierarchical": ("salary", "disease", hierarchical_distance_of_values, {"hierarchy": DISEASES}),
    "li_table_5.ordered": ("li_table_5", "salary", ordered_distance_of_values, {}),
    "li_table_5.hierarchical": (
        "li_table_5",
        "disease",
        hierarchical_distance_of_values,
        {"hierarchy": DISEASES},
    ),
    "merit.ordered": ("merit", "merit", ordered_distance_of_values, {}),
    "merit.ordered_by_frequency": ("merit", "merit", ordered_distance_of_values, {"order": "frequency"}),
    "merit.nominal": ("merit", "merit", variational_distance_of_values, {}),
    "cancer.nominal": ("cancer", "disease", variational_distance_of_values, {}),
}


@pytest.mark.parametrize("name", MEASURED)
def test_classes_of_the_papers_have_the_distances_of_the_papers(name):
    table, column, distance, options = MEASURED[name]
    classes = list(TABLES[table].classes(column).values())
    whole = TABLES[table].column(column)
    assert tuple(distance(values, whole, **options) for values in classes) == EXPECTED[name]
    assert t_closeness_of_values(classes, distance, **options) == max(EXPECTED[name])


def test_toy_example():
    values, whole = [14, 88], [14, 27, 88, 101]
    assert ordered_distance_of_values(values, whole) == EXPECTED["toy.ordered"]
    assert numeric_distance_of_values(values, whole) == EXPECTED["toy.numeric"]


def test_ties_in_frequency_are_broken_by_value():
    whole = [3, 3, 3, 1, 1, 2, 4]
    assert ordered_distance_of_values([3, 2], whole, order="frequency") == EXPECTED["ties.descending"]
    assert ordered_distance_of_values([3, 2], whole, order=[2, 4, 1, 3]) == EXPECTED["ties.ascending"]


def test_salaries_as_text_are_ordered_as_text():
    classes = [[f"{value}k" for value in values] for values in ([3, 4, 5], [6, 11, 8], [7, 9, 10])]
    assert t_closeness_of_values(classes, ordered_distance_of_values) == EXPECTED["salary.t_text_order"]


def test_distances_of_two_diseases():
    for pair, expected in EXPECTED["disease_tree.distances"].items():
        one, other = pair.split("|")
        p, q = distribution([one], DISEASES.leaves), distribution([other], DISEASES.leaves)
        assert hierarchical_distance(p, q, DISEASES, DISEASES.leaves) == expected


# ---- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", DISTANCES)
@given(distribution_triples())
def test_every_distance_is_a_bounded_metric(distance, triple):
    p, q, r = triple
    assert distance(p, p) == 0
    assert distance(p, q) == distance(q, p)
    assert 0 <= distance(p, q) <= 1
    assert distance(p, r) <= distance(p, q) + distance(q, r)
    assert (distance(p, q) == 0) == (p == q)


@given(distribution_pairs())
def test_the_single_pass_gives_the_same_as_the_definition(pair):
    assert one_pass_ordered_distance(*pair) == naive_ordered_distance(*pair)


@given(distribution_pairs())
def test_reversing_the_order_changes_nothing(pair):
    p, q = pair
    assert one_pass_ordered_distance(p[::-1], q[::-1]) == one_pass_ordered_distance(p, q)
    mirrored = [-position for position in POSITIONS[: len(p)]]
    assert numeric_distance(p, q, mirrored) == numeric(p, q)


@given(distribution_pairs(), st.randoms(use_true_random=False))
def test_the_order_in_which_numbers_are_listed_changes_nothing(pair, random):
    p, q = pair
    places = list(range(len(p)))
    random.shuffle(places)
    shuffled = [[shares[i] for i in places] for shares in (p, q, POSITIONS)]
    assert numeric_distance(*shuffled) == numeric(p, q)
    assert variational_distance(shuffled[0], shuffled[1]) == variational_distance(p, q)


@given(distribution_pairs(least=2))
def test_the_ordered_distance_is_bounded_by_the_variational_both_ways(pair):
    ordered, variational = one_pass_ordered_distance(*pair), variational_distance(*pair)
    assert ordered <= variational <= (len(pair[0]) - 1) * ordered


@given(distribution_pairs())
def test_no_distance_exceeds_the_variational(pair):
    assert numeric(*pair) <= variational_distance(*pair)
    assert hierarchical(*pair) <= variational_distance(*pair)


@given(distribution_pairs())
def test_equally_spaced_numbers_are_as_far_apart_as_their_ranks(pair):
    spaced = [Fraction(7 * rank, 3) for rank in range(len(pair[0]))]
    assert numeric_distance(pair[0], pair[1], spaced) == one_pass_ordered_distance(*pair)


@pytest.mark.parametrize("distance", DISTANCES)
def test_one_value_alone_is_at_distance_zero(distance):
    assert distance([1], [1]) == 0


@given(histograms(), st.integers(2, 4))
def test_repeating_every_row_changes_nothing(pair, times):
    in_class, in_table = pair
    values = [rank for rank, count in enumerate(in_class) for _ in range(count)]
    whole = [rank for rank, count in enumerate(in_table) for _ in range(count)]
    for distance in (ordered_distance_of_values, variational_distance_of_values, numeric_distance_of_values):
        assert distance(values * times, whole * times) == distance(values, whole)


@given(class_histograms())
def test_merging_two_classes_never_raises_t(counts):
    classes = [[rank for rank, n in enumerate(each) for _ in range(n)] for each in counts]
    for distance in (ordered_distance_of_values, variational_distance_of_values, numeric_distance_of_values):
        before = t_closeness_of_values(classes, distance)
        for one, other in itertools.combinations(range(len(classes)), 2):
            rest = [values for place, values in enumerate(classes) if place not in (one, other)]
            assert t_closeness_of_values([*rest, classes[one] + classes[other]], distance) <= before


@given(tables(), st.randoms(use_true_random=False))
def test_t_does_not_depend_on_the_order_of_rows_or_classes(table, random):
    classes = list(table.classes("s0").values())
    shuffled = [random.sample(values, len(values)) for values in random.sample(classes, len(classes))]
    distance = variational_distance_of_values
    assert t_closeness_of_values(shuffled, distance) == t_closeness_of_values(classes, distance)


# ---- the hierarchical distance -------------------------------------------------------------------


def ground_distances(tree: Hierarchy) -> np.ndarray:
    """The height of the lowest common ancestor of each two leaves, in parts of the tree's height."""
    rows = tree.rows
    return np.array([[sum(a != b for a, b in zip(u, v, strict=True)) / tree.height for v in rows] for u in rows])


@given(hierarchies_with_distributions())
def test_the_hierarchical_distance_is_the_mean_of_the_levels_variational_distances(case):
    tree, p, q = case
    levels = []
    for codes in tree.codes(tree.leaves):
        grouped = [[sum(np.array(s)[codes == code]) for code in range(max(codes) + 1)] for s in (p, q)]
        levels.append(variational_distance(*grouped))
    assert hierarchical_distance(p, q, tree, tree.leaves) == sum(levels) / tree.height


@given(hierarchies_with_distributions(most_leaves=6))
def test_the_hierarchical_distance_is_the_cost_of_an_optimal_transport(case):
    tree, p, q = case
    cost = ground_distances(tree)
    exact = float(hierarchical_distance(p, q, tree, tree.leaves))
    p, q = np.array(p, dtype=float), np.array(q, dtype=float)
    assert ot.emd2(p / p.sum(), q / q.sum(), cost) == pytest.approx(exact, abs=1e-9)
    m = len(p)
    marginals = np.vstack([np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))])[:-1]
    solved = linprog(cost.ravel(), A_eq=marginals, b_eq=np.concatenate([p, q])[:-1], method="highs")
    assert solved.fun == pytest.approx(exact, abs=1e-9)


@given(distribution_pairs())
def test_a_tree_of_height_one_gives_the_variational_distance(pair):
    tree = Hierarchy(tuple((str(leaf), "*") for leaf in range(len(pair[0]))))
    assert hierarchical_distance(pair[0], pair[1], tree, tree.leaves) == variational_distance(*pair)


def test_a_value_outside_the_tree_is_refused():
    with pytest.raises(HierarchyError, match="not among its leaves"):
        hierarchical_distance([1, 0], [0, 1], DISEASES, ["flu", "measles"])


# ---- other libraries -----------------------------------------------------------------------------


@given(distribution_pairs(least=2))
def test_the_numeric_distance_is_scipys_wasserstein_distance_over_the_range(pair):
    p, q = pair
    places = [float(position) for position in POSITIONS[: len(p)]]
    weights = [[float(share) for share in shares] for shares in pair]
    expected = wasserstein_distance(places, places, *weights) / (places[-1] - places[0])
    assert float(numeric(p, q)) == pytest.approx(expected, abs=1e-12)


@given(distribution_pairs(least=2))
def test_the_ordered_distance_is_an_optimal_transport_of_ranks(pair):
    m = len(pair[0])
    cost = np.abs(np.subtract.outer(np.arange(m), np.arange(m))) / (m - 1)
    p, q = (np.array(shares, dtype=float) for shares in pair)
    expected = ot.emd2(p / p.sum(), q / q.sum(), cost)
    assert float(one_pass_ordered_distance(*pair)) == pytest.approx(expected, abs=1e-9)


# ---- how input is read ---------------------------------------------------------------------------


def test_shares_may_be_written_in_any_exact_way():
    q = [Decimal("0.5"), 0.25, "1/4"]
    assert variational_distance(["1/2", Fraction(1, 4), "0.25"], q) == 0
    assert type(variational_distance(np.array([1, 0]), np.array([0, 1])).numerator) is int


def test_floats_stand_for_their_decimals():
    assert variational_distance([0.1, 0.2, 0.7], ["1/10", "2/10", "7/10"]) == 0


REFUSED = {
    "shares that do not sum to 1": ([1 / 3] * 3, ["1/3"] * 3, "3 shares of p do not sum to 1"),
    "the same for q": (["1/3"] * 3, [1 / 3] * 3, "3 shares of q do not sum to 1"),
    "no shares": ([], [], "0 shares of p do not sum to 1"),
    "a negative share": (["3/2", "-1/2"], [1, 0], "A share of p is negative"),
    "different lengths": ([1], ["1/2", "1/2"], "There are 2 shares of q for 1 shares of p"),
    "not a number": (["half", "half"], [1, 0], "A share of p must be a decimal"),
    "not finite": ([float("nan"), 1], [1, 0], "must be finite"),
    "a truth value": ([True], [1], "not a truth value"),
}


@pytest.mark.parametrize("distance", [naive_ordered_distance, one_pass_ordered_distance, variational_distance])
@pytest.mark.parametrize(("p", "q", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_distribution_is_refused(distance, p, q, message):
    with pytest.raises(InputError, match=message):
        distance(p, q)


def test_positions_and_leaves_must_be_as_many_as_shares():
    with pytest.raises(InputError, match="1 positions for 2 shares"):
        numeric_distance([1, 0], [0, 1], [5])
    with pytest.raises(InputError, match="1 values for 2 shares"):
        hierarchical_distance([1, 0], [0, 1], DISEASES, ["flu"])


def test_numbers_that_are_all_the_same_are_at_distance_zero():
    assert numeric_distance([1, 0], [0, 1], [5, 5]) == 0


@given(histograms())
def test_shares_are_counts_over_rows_in_the_order_of_the_domain(pair):
    counts, _ = pair
    values = [rank for rank, count in enumerate(counts) for _ in range(count)]
    expected = [Fraction(count, sum(counts)) for count in counts]
    assert distribution(values[::-1], range(len(counts))) == expected


def test_values_that_are_not_in_the_domain_are_counted_but_not_shown():
    with pytest.raises(DomainError, match="1 of 2 values are not in the domain") as caught:
        variational_distance_of_values(["flu", "secret"], ["flu", "asthma"])
    assert "secret" not in str(caught.value)


def test_no_values_and_no_classes_are_refused():
    with pytest.raises(EmptyTableError, match="no values"):
        variational_distance_of_values([], ["flu"])
    with pytest.raises(EmptyTableError, match="no classes"):
        t_closeness_of_values([], variational_distance_of_values)


def test_a_domain_that_names_a_value_twice_is_refused():
    with pytest.raises(DomainError, match="twice"):
        ordered_distance_of_values([1], [1, 2], order=[1, 2, 1])


def test_an_unknown_order_is_refused():
    with pytest.raises(InputError, match="'value', 'frequency' or a list"):
        ordered_distance_of_values([1], [1, 2], order="size")


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_missing_values_have_no_place_in_an_order(missing):
    with pytest.raises(DomainError, match="Missing values"):
        ordered_distance_of_values([1], [1, missing])


def test_missing_values_are_one_category_of_a_nominal_attribute():
    whole = [None, float("nan"), float("nan"), "flu"]
    assert variational_distance_of_values([None, float("nan"), None, "flu"], whole) == 0
    assert variational_distance_of_values(["flu"], whole) == Fraction(3, 4)


def test_values_that_cannot_be_compared_need_their_order():
    with pytest.raises(DomainError, match="cannot all be compared"):
        ordered_distance_of_values([1], [1, "many"])
    assert ordered_distance_of_values([1], [1, "many"], order=[1, "many"]) == Fraction(1, 2)


def test_frequency_puts_the_most_frequent_first_and_ties_by_value():
    assert domain_in_order([2, 4, 1, 3, 3, 1, 3], "frequency") == [3, 1, 2, 4]
