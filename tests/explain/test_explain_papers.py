"""Explanations of the papers' tables: their flows, their lists of actions in their order, their sums."""

from fractions import Fraction

import pytest

import tclose
from papers import DISEASE_TREE, EXPECTED, TABLES
from tclose.auditing.explanations import Explanations

FREQUENCY = tclose.Ordered(order="frequency")


def explained(table, attribute, distance, place, rule="stay"):
    """Return the explanation of the n-th class of a paper's table."""
    printed = TABLES["salary" if table == "disease" else table]
    key = list(printed.classes(attribute))[place - 1]
    roles = tclose.Roles(printed.quasi, {attribute: distance})
    key = dict(zip(printed.quasi, key, strict=True))
    (found,) = tclose.explain(printed.as_mapping(), roles, key=key, rule=rule)
    return found


def actions(explanation):
    return tuple((move.start, move.end, move.mass) for move in explanation.moves)


LISTS = [
    ("toy.actions", "toy", tclose.Ordered(), 1, "tutorial"),
    ("salary.actions_tutorial_1", "salary", tclose.Ordered(), 1, "tutorial"),
    ("salary.actions_tutorial_2", "salary", tclose.Ordered(), 2, "tutorial"),
    ("salary.actions_tutorial_3", "salary", tclose.Ordered(), 3, "tutorial"),
    ("salary.actions_monotone_1", "salary", tclose.Ordered(), 1, "monotone"),
    ("salary.actions_tutorial_2", "salary", tclose.Ordered(), 2, "monotone"),
    ("salary.actions_tutorial_3", "salary", tclose.Ordered(), 3, "monotone"),
    ("salary.actions_tutorial_1", "salary", tclose.Ordered(), 1, "stay"),
    ("salary.actions_stay_2", "salary", tclose.Ordered(), 2, "stay"),
    ("salary.actions_stay_3", "salary", tclose.Ordered(), 3, "stay"),
]


@pytest.mark.parametrize(("name", "table", "distance", "place", "rule"), LISTS)
def test_the_lists_of_actions_are_the_papers_in_their_order(name, table, distance, place, rule):
    attribute = TABLES[table].sensitive[0]
    found = explained(table, attribute, distance, place, rule)
    expected = [(int(start), int(end), Fraction(mass)) for start, end, mass in EXPECTED[name]]
    assert list(actions(found)) == expected


def test_the_actions_of_the_merit_points_are_c1_to_c3():
    found = explained("merit", "merit", FREQUENCY, 1, "tutorial")
    (name,) = [name for name in EXPECTED if name.startswith("merit.actions")]
    assert list(actions(found)) == [(int(start), int(end), Fraction(mass)) for start, end, mass in EXPECTED[name]]
    assert [str(move.remainder) for move in found.moves] == ["3/10", "1/5", "1/10"]
    assert found.value == Fraction(1, 3)


def test_the_actions_leave_the_remainders_of_b1_to_b6():
    found = explained("salary", "salary", tclose.Ordered(), 1, "tutorial")
    assert [move.remainder * 9 for move in found.moves] == [2, 1, 2, 1, 2, 1]
    assert [move.cost * 72 for move in found.moves] == [3, 4, 4, 5, 5, 6]


@pytest.mark.parametrize("place", [1, 2, 3])
def test_the_flows_are_the_papers(place):
    found = explained("salary", "salary", tclose.Ordered(), place)
    assert tuple(found.flows) == EXPECTED[f"salary.flows_{place}"]
    assert found.value == EXPECTED["salary.ordered"][place - 1]
    assert [term.running for term in found.terms[:-1]] == found.flows
    assert found.terms[-1].total == found.value * 8


def test_a1_to_a8_are_2_4_6_5_4_3_2_1_ninths():
    found = explained("salary", "salary", tclose.Ordered(), 1)
    assert [flow * 9 for flow in found.flows] == [2, 4, 6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize("place", [1, 2, 3, 4])
def test_the_distances_of_the_merit_points(place):
    found = explained("merit", "merit", FREQUENCY, place)
    assert found.value == EXPECTED["merit.ordered_by_frequency"][place - 1]


@pytest.mark.parametrize(("table", "places"), [("incidents", 4), ("disease", 3)])
def test_nominal_distances_and_that_their_moves_carry_what_they_cost(table, places):
    attribute = "disease" if table == "disease" else "incident"
    for place in range(1, places + 1):
        found = explained(table, attribute, tclose.Nominal(), place)
        assert found.value == EXPECTED[f"{table}.nominal"][place - 1]
        assert sum(move.mass for move in found.moves) == found.value
        assert found.flows == []


@pytest.mark.parametrize("place", [1, 2, 3])
def test_hierarchical_distances_and_their_levels(place):
    found = explained("disease", "disease", tclose.Hierarchical(DISEASE_TREE), place)
    assert found.value == EXPECTED["disease.hierarchical"][place - 1]
    assert found.value == found.plan_cost == found.flow_cost
    levels = Explanations((found,)).to_dict()["explanations"][0]["levels"]
    assert sum(Fraction(level["distance"]) for level in levels) / len(levels) == found.value


def test_the_numeric_distance_counts_gaps():
    found = explained("toy", TABLES["toy"].sensitive[0], tclose.Numeric(), 1)
    assert found.value == EXPECTED["toy.numeric"]
    assert found.gaps == [13, 61, 13]
    assert [str(move.distance) for move in found.moves] == ["13/87", "13/87"]
