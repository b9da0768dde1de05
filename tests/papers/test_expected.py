"""The papers' numbers stand up to a recomputation that shares no code with tclose."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import pytest

from papers import EXPECTED, SOURCES, TABLES, TOLERANCE
from papers import brute_force as by_hand

NAMES = ("incidents", "salary", "disease", "merit")
BY_FREQUENCY = (3, 4, 1, 2)


def close(value, tolerance=TOLERANCE):
    return pytest.approx(value, abs=tolerance, rel=0)


def test_every_number_says_where_it_comes_from():
    assert SOURCES.keys() == EXPECTED.keys()
    assert all(source.startswith(("tutorial", "spec")) for source in SOURCES.values())


@pytest.mark.parametrize("name", ["incidents", "salary", "disease", "merit"])
def test_k_and_l(name):
    classes, _ = by_hand.table_of(name)
    assert min(map(len, classes)) == EXPECTED[f"{name}.k"]
    assert min(len(set(values)) for values in classes) == EXPECTED[f"{name}.l"]


def test_sizes_and_distinct_values_of_the_incidents():
    classes, _ = by_hand.table_of("incidents")
    assert tuple(map(len, classes)) == EXPECTED["incidents.class_sizes"]
    assert tuple(len(set(values)) for values in classes) == EXPECTED["incidents.distinct"]


@pytest.mark.parametrize("name", ["incidents", "disease", "merit", "cancer"])
def test_nominal_distances(name):
    classes, whole = by_hand.table_of(name)
    found = tuple(by_hand.nominal(values, whole) for values in classes)
    assert found == EXPECTED[f"{name}.nominal"]
    assert max(found) == EXPECTED[f"{name}.t_nominal"]


def test_nominal_distances_of_incidents_without_zone_4f():
    classes, _ = by_hand.table_of("incidents")
    kept = [classes[0], classes[2], classes[3]]
    whole = [value for values in kept for value in values]
    found = tuple(by_hand.nominal(values, whole) for values in kept)
    assert found == EXPECTED["incidents.nominal_without_4F"]


def test_nominal_and_largest_difference_of_the_salaries():
    classes, whole = by_hand.table_of("salary")
    assert max(by_hand.nominal(values, whole) for values in classes) == EXPECTED["salary.t_nominal"]
    domain = range(3, 12)
    differences = [
        abs(a - b)
        for values in classes
        for a, b in zip(by_hand.shares(values, domain), by_hand.shares(whole, domain), strict=True)
    ]
    assert max(differences) == EXPECTED["salary.largest_difference"]


def test_joint_nominal_distance_of_salary_and_disease():
    pairs = [(row[:2], row[2:]) for row in TABLES["salary"].rows]
    whole = [pair for _, pair in pairs]
    keys = dict.fromkeys(key for key, _ in pairs)
    found = tuple(by_hand.nominal([pair for of, pair in pairs if of == key], whole) for key in keys)
    assert found == EXPECTED["salary.joint_nominal"]


@pytest.mark.parametrize("name", ["salary", "li_table_5", "merit"])
def test_ordered_distances_by_value(name):
    classes, whole = by_hand.table_of(name)
    found = tuple(by_hand.ordered(values, whole, sorted(set(whole))) for values in classes)
    assert found == EXPECTED[f"{name}.ordered"]
    assert max(found) == EXPECTED[f"{name}.t_ordered"]


def test_ordered_distances_of_the_merit_points_by_frequency():
    classes, whole = by_hand.table_of("merit")
    assert tuple(value for value, _ in Counter(whole).most_common()) == EXPECTED["merit.frequency_order"]
    found = tuple(by_hand.ordered(values, whole, BY_FREQUENCY) for values in classes)
    assert found == EXPECTED["merit.ordered_by_frequency"]
    assert max(found) == EXPECTED["merit.t_ordered_by_frequency"]


def test_toy_distances():
    classes, whole = by_hand.table_of("toy")
    assert by_hand.ordered(classes[0], whole, whole) == EXPECTED["toy.ordered"]
    edges = by_hand.flows(classes[0], whole, whole)
    gaps = [right - left for left, right in itertools.pairwise(whole)]
    cost = sum((abs(flow) * gap for flow, gap in zip(edges, gaps, strict=True)), Fraction(0))
    assert cost / (101 - 14) == EXPECTED["toy.numeric"]


def test_numeric_distance_of_equally_spaced_salaries_is_the_ordered_one():
    assert EXPECTED["salary.numeric"] == EXPECTED["salary.ordered"]


@pytest.mark.parametrize("place", [1, 2, 3])
def test_flows_of_the_salary_classes(place):
    classes, whole = by_hand.table_of("salary")
    signed = by_hand.flows(classes[place - 1], whole, sorted(whole))
    assert tuple(signed) == EXPECTED[f"salary.flows_{place}"]


ACTION_LISTS = [name for name in EXPECTED if ".actions" in name]


@pytest.mark.parametrize("name", ACTION_LISTS)
def test_actions_turn_the_class_into_the_table_at_the_cost_of_the_distance(name):
    table = name.split(".")[0]
    classes, whole = by_hand.table_of(table)
    place = int(name[-1]) - 1 if name[-1].isdigit() else 0
    order = BY_FREQUENCY if table == "merit" else sorted(set(whole))
    masses = by_hand.shares(classes[place], order)
    cost = Fraction(0)
    for start, end, mass in EXPECTED[name]:
        masses[start - 1] -= mass
        masses[end - 1] += mass
        cost += mass * abs(start - end) / (len(order) - 1)
    assert masses == by_hand.shares(whole, order)
    assert cost == by_hand.ordered(classes[place], whole, order)


def test_costs_of_the_toy_actions():
    costs = tuple(mass * abs(start - end) / 3 for start, end, mass in EXPECTED["toy.actions"])
    assert costs == EXPECTED["toy.action_costs"]


def test_integer_work():
    salary = [Fraction(work, 216) for work in EXPECTED["salary.integer_work"]]
    assert tuple(salary) == EXPECTED["salary.ordered"]
    works, denominators = EXPECTED["merit.integer_work_by_frequency"], EXPECTED["merit.integer_denominators"]
    merit = tuple(Fraction(work, below) for work, below in zip(works, denominators, strict=True))
    assert merit == EXPECTED["merit.ordered_by_frequency"]
    classes, whole = by_hand.table_of("merit")
    assert denominators == tuple(len(values) * len(whole) * 3 for values in classes)


def test_t_of_the_merit_points_over_all_orders():
    classes, whole = by_hand.table_of("merit")
    found = [
        max(by_hand.ordered(values, whole, order) for values in classes)
        for order in itertools.permutations((1, 2, 3, 4))
    ]
    assert (min(found), max(found)) == EXPECTED["merit.t_over_all_orders"]


def test_t_of_the_salaries_reaches_both_ends_of_its_range_over_orders():
    classes, whole = by_hand.table_of("salary")
    low, high = EXPECTED["salary.t_over_all_orders"]
    found = {
        max(by_hand.ordered(values, whole, order) for values in classes)
        for order in ([3, 6, 7, 4, 9, 8, 10, 5, 11], sorted(whole))
    }
    assert found == {low, high}


def test_traps_of_the_salaries():
    classes, whole = by_hand.table_of("salary")
    as_text = sorted(whole, key=str)
    assert max(by_hand.ordered(v, whole, as_text) for v in classes) == EXPECTED["salary.t_text_order"]
    longer = [*sorted(whole), 12]
    assert tuple(by_hand.ordered(v, whole, longer) for v in classes) == EXPECTED["salary.ordered_with_12k"]


def test_ties_in_frequency():
    whole, values = [3, 3, 3, 1, 1, 2, 4], [3, 2]
    assert by_hand.ordered(values, whole, [3, 1, 2, 4]) == EXPECTED["ties.descending"]
    assert by_hand.ordered(values, whole, [2, 4, 1, 3]) == EXPECTED["ties.ascending"]


def test_vacuous_t_of_the_merit_points():
    _, whole = by_hand.table_of("merit")
    worst = max(by_hand.ordered([value], whole, BY_FREQUENCY) for value in BY_FREQUENCY)
    assert worst == EXPECTED["merit.vacuous_t"]


def test_distances_in_the_disease_tree():
    for pair, distance in EXPECTED["disease_tree.distances"].items():
        assert by_hand.tree_distance(*pair.split("|")) == distance
    assert {len(path) for path in by_hand.tree_paths().values()} == {EXPECTED["disease_tree.height"]}


@pytest.mark.parametrize(("table", "name"), [("disease", "disease"), ("li_table_5_disease", "li_table_5")])
def test_hierarchical_distances_are_the_cheapest_moves(table, name):
    classes, whole = by_hand.table_of(table)
    found = tuple(by_hand.cheapest_move(values, whole) for values in classes)
    assert found == EXPECTED[f"{name}.hierarchical"]
    assert max(found) == EXPECTED[f"{name}.t_hierarchical"]


def test_tree_plan_turns_the_first_class_into_the_table():
    classes, whole = by_hand.table_of("disease")
    domain = sorted(set(whole))
    masses = dict(zip(domain, by_hand.shares(classes[0], domain), strict=True))
    for start, ends in EXPECTED["disease.tree_plan_1"].items():
        for end, mass in ends.items():
            assert by_hand.tree_distance(start, end) == 1
            masses[start] -= mass
            masses[end] += mass
    assert list(masses.values()) == by_hand.shares(whole, domain)


@pytest.mark.parametrize("name", NAMES)
def test_kullback_leibler_and_mutual_information(name):
    classes, whole = by_hand.table_of(name)
    found = [by_hand.kl(values, whole) for values in classes]
    mean = sum(len(values) * each for values, each in zip(classes, found, strict=True)) / len(whole)
    assert max(found) == close(EXPECTED[f"{name}.kl"])
    assert mean == close(EXPECTED.get(f"{name}.mutual_information", EXPECTED[f"{name}.kl"]))


def test_jensen_shannon_of_the_salaries():
    classes, whole = by_hand.table_of("salary")
    for place, values in enumerate(classes):
        p = [float(share) for share in by_hand.shares(values, range(3, 12))]
        q = [1 / 9] * 9
        assert by_hand.jensen_shannon(p, q) == close(EXPECTED["salary.js"][place])
        assert by_hand.kl(values, whole) / math.log(2) == close(EXPECTED["salary.kl_bits"][place])
        for name, bandwidth in (("quarter", 0.25), ("half", 0.5)):
            found = by_hand.jensen_shannon(by_hand.smoothed(p, bandwidth), by_hand.smoothed(q, bandwidth))
            assert found == close(EXPECTED[f"salary.smoothed_js_{name}"][place])


@pytest.mark.parametrize("name", NAMES)
def test_beta_delta_and_alpha(name):
    classes, whole = by_hand.table_of(name)
    gains = [gain for values in classes for gain in by_hand.gains(values, whole).values()]
    assert max(gains) == EXPECTED[f"{name}.beta_basic"]
    deltas = [by_hand.delta_present_only(values, whole) for values in classes]
    assert max(deltas) == close(EXPECTED[f"{name}.delta_present_only"])
    if f"{name}.alpha" in EXPECTED:
        shares = [Fraction(max(Counter(values).values()), len(values)) for values in classes]
        assert max(shares) == EXPECTED[f"{name}.alpha"]


def test_more_of_the_incidents():
    classes, whole = by_hand.table_of("incidents")
    all_gains = [by_hand.gains(values, whole) for values in classes]
    share = {value: whole.count(value) / len(whole) for value in whole}
    above_cap = [v for gains in all_gains for v, gain in gains.items() if gain > -math.log(share[v])]
    assert len(above_cap) == EXPECTED["incidents.beta_enhanced_violations"]
    assert min(min(gains.values()) for gains in all_gains) == -1, "a value is absent, so delta is infinite"
    assert math.isinf(EXPECTED["incidents.delta"])
    bits = EXPECTED["incidents.delta_present_only"] / math.log(2)
    assert bits == close(EXPECTED["incidents.delta_present_only_bits"], 2e-6)
    at_risk = sum(len(values) for values in classes if Fraction(1, len(values)) > Fraction("0.2"))
    assert Fraction(at_risk, len(whole)) == EXPECTED["incidents.records_at_risk"]


@pytest.mark.parametrize("name", NAMES)
def test_prosecutor_risks(name):
    classes, whole = by_hand.table_of(name)
    assert Fraction(len(classes), len(whole)) == EXPECTED[f"{name}.prosecutor_average"]
    risks = [Fraction(1, len(values)) for values in classes]
    if f"{name}.prosecutor_highest" in EXPECTED:
        assert max(risks) == EXPECTED[f"{name}.prosecutor_highest"]
        assert sum(risks) / len(risks) == EXPECTED[f"{name}.average_of_class_risks"]


@pytest.mark.parametrize("name", ["incidents", "salary", "disease"])
def test_entropy_and_recursive_diversity(name):
    classes, _ = by_hand.table_of(name)
    entropies = [-sum(n / len(v) * math.log(n / len(v)) for n in Counter(v).values()) for v in classes]
    assert math.exp(min(entropies)) == close(EXPECTED[f"{name}.entropy_l"])
    worst = [max(by_hand.recursive_c(values, level) for values in classes) for level in (2, 3)]
    if f"{name}.recursive_c" in EXPECTED:
        assert tuple(worst) == EXPECTED[f"{name}.recursive_c"]
    else:
        assert worst == [math.inf, math.inf]
        assert EXPECTED[f"{name}.recursive_l_feasible"] == 1


@pytest.mark.parametrize("name", ["salary", "li_table_5"])
def test_k_e(name):
    classes, _ = by_hand.table_of(name)
    different = min(len(set(values)) for values in classes)
    spread = min(max(values) - min(values) for values in classes)
    assert (different, spread) == EXPECTED[f"{name}.k_e"]


def test_n_t_closeness_of_the_cancer_table():
    classes, whole = by_hand.table_of("cancer")
    assert Fraction(whole.count("cancer"), len(whole)) == EXPECTED["cancer.share"]
    superset = classes[0] + classes[2]
    assert len(superset) == 1000
    distances = {by_hand.nominal(classes[0], superset), by_hand.nominal(classes[2], superset)}
    assert distances == {EXPECTED["cancer.superset_distance"]}
    merged = abs(Fraction(10, 110) - Fraction(1000, 1200))
    assert float(merged) == close(EXPECTED["cancer.merge_counterexample"], 6e-4)


def test_sample_and_population():
    found = [Counter(TABLES[name].column("zone")) for name in ("sample", "population")]
    pairs = [(found[0][zone], found[1][zone]) for zone in found[0]]
    marketer = sum(Fraction(f, F) for f, F in pairs) / sum(f for f, _ in pairs)
    assert Fraction(1, min(F for _, F in pairs)) == EXPECTED["population.journalist_highest"]
    average = max(Fraction(len(pairs), sum(F for _, F in pairs)), marketer)
    assert average == EXPECTED["population.journalist_average"]
    assert marketer == EXPECTED["population.marketer"]
    presence = [Fraction(f, F) for f, F in pairs]
    assert (min(presence), max(presence)) == EXPECTED["population.delta_presence"]


def test_pycanon_truncates_the_entropy_of_a_uniform_class():
    for values, printed in EXPECTED["uniform.pycanon_entropy_l"].items():
        assert int(values) - 1 <= printed <= int(values)


def test_delta_disclosure_is_not_monotone():
    table, (one, other) = EXPECTED["delta_merge.table"], EXPECTED["delta_merge.classes"]
    union = tuple(a + b for a, b in zip(one, other, strict=True))
    for counts, delta in zip((one, other, union), EXPECTED["delta_merge.deltas"], strict=True):
        ratios = [abs(math.log(c / sum(counts) / (g / sum(table)))) for c, g in zip(counts, table, strict=True) if c]
        assert max(ratios) == close(delta, 6e-4)


def test_tables_come_out_as_csv_and_columns():
    text = TABLES["merit"].as_csv()
    assert text.splitlines()[:2] == ["project,merit", "E,1"]
    assert TABLES["merit"].as_mapping()["merit"] == [1, 4, 2, 3, 3, 4, 3, 1, 4, 3]
    assert TABLES["salary"].as_records()[0]["disease"] == "gastric ulcer"
