"""Mondrian: classes that meet the requirements, cut as finely as they can be, whatever the order of the rows."""

import csv
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

from recoding.cutting_problems import (
    TREE,
    check_release,
    check_together,
    classes_of,
    compartments,
    meets_k_and_t,
    problem_of,
    problems,
    quasi_of,
)
from shared_data import shared_file
from tclose.anonymization.algorithms.checking import Checker
from tclose.anonymization.algorithms.mondrian import mondrian
from tclose.anonymization.algorithms.mondrian import scoring as cut_judging
from tclose.anonymization.algorithms.partition import kept_detail
from tclose.anonymization.algorithms.search import Search
from tclose.data.hierarchies import Hierarchy
from tclose.policy.roles import Nominal, Ordered


def whole_fails(problem):
    """Whether some compartment misses a requirement as a whole."""
    for pieces in compartments(problem):
        rows, counts = (np.array(each, dtype=np.int64) for each in zip(*pieces, strict=True))
        if Checker.of(problem).failing(rows, np.zeros_like(rows), counts, 1)[0] or not meets_k_and_t(problem, pieces):
            return True
    return False


@given(problems())
@settings(deadline=None, max_examples=150)
def test_every_class_meets_the_requirements_and_none_is_found_only_where_the_whole_fails(problem):
    found = mondrian.find(problem, Search())
    assert (found is None) == whole_fails(problem)
    if found is not None:
        check_release(problem, found)
        check_together(problem, found)
        assert found.suppressed() == 0


@given(problems(most_rows=10))
@settings(deadline=None, max_examples=100)
def test_no_class_of_few_rows_could_be_cut_once_more(problem):
    """Up to ten rows, tenths are all the places between values; on trees, every child can be cut off."""
    only_k_and_t = [task for task in problem.tasks if task.model.key in ("k", "t")]
    problem = replace(problem, tasks=tuple(only_k_and_t))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mondrian, "TRIED_UP_TO", 0)
        found = mondrian.find(problem, Search())
    if found is None:
        return
    for pieces in classes_of(found).values():
        for column, quasi in enumerate(problem.quasi):
            if quasi.lowest == 0:
                for inside in sides(quasi, [int(problem.codes[row, column]) for row, _ in pieces]):
                    cut = [[each for each in pieces if (problem.codes[each[0], column] in inside) == is_in]
                           for is_in in (True, False)]  # fmt: skip
                    assert not all(meets_k_and_t(problem, side) for side in cut)


def sides(quasi, codes):
    """The sets of codes that a single cut takes apart from the others."""
    present = sorted({*codes})
    if len(present) == 1:
        return []
    if quasi.places is not None:
        return [{*present[:at]} for at in range(1, len(present))]
    nodes = next(
        finer.nodes
        for finer, level in zip(quasi.levels, quasi.levels[1:], strict=False)
        if len({int(level.nodes[code]) for code in present}) == 1
    )
    return [{code for code in present if nodes[code] == child} for child in {int(nodes[code]) for code in present}]


def ages(values, sensitive, k, t="1"):
    return problem_of([quasi_of("age", values)], [(sensitive, Nominal())], {None: {"k": k}, 0: {"t": t}})


def members(found):
    return sorted(sorted(row for row, _ in pieces) for pieces in classes_of(found).values())


def test_a_node_is_divided_into_all_its_children_where_each_child_may_stand_alone():
    values = ["a", "a", "b", "b", "c", "c"]
    problem = problem_of([quasi_of("q", values, TREE)], [([1, 2] * 3, Nominal())], {None: {"k": 2}, 0: {"t": "0"}})
    found = mondrian.find(problem, Search())
    assert found.number == 3
    assert found.cells.levels.tolist() == [[0], [0], [0]]


def test_children_of_too_few_rows_stay_together_and_the_others_leave():
    values = ["a", "a", "b", "d", "d", "d"]
    hierarchy = Hierarchy((("a", "*"), ("b", "*"), ("d", "*"), ("e", "*")))
    problem = problem_of([quasi_of("q", values, hierarchy)], [([1] * 6, Nominal())], {None: {"k": 3}})
    found = mondrian.find(problem, Search())
    assert sorted(found.sizes().tolist()) == [3, 3]
    assert sorted(found.cells.levels.ravel().tolist()) == [0, 1]


def test_a_cut_whose_side_is_beyond_t_is_not_made_even_where_it_gains_most():
    """Every cut leaves a side with one of the two values alone, at a distance of 1/2."""
    found = mondrian.find(ages([0, 1, 2, 97, 98, 99], [0, 0, 0, 1, 1, 1], 1, "0.4"), Search())
    assert found.number == 1


def test_the_gap_is_cut_although_other_cuts_cost_no_distance():
    """Pairs would be at distance 0 from the table, but one of them would reach over the gap."""
    found = mondrian.find(ages([0, 1, 2, 97, 98, 99], [0, 1, 0, 1, 0, 1], 2, "1/6"), Search())
    assert members(found) == [[0, 1, 2], [3, 4, 5]]


def test_the_order_of_the_table_does_not_matter_nor_do_doubled_rows():
    random = np.random.default_rng(5)
    table = [random.integers(0, 30, 200), random.integers(0, 6, 200), random.integers(0, 4, 200)]

    def found_in(columns, k):
        trees = ["abcdef"[at] for at in columns[1]]
        quasi = [quasi_of("n", columns[0].tolist()), quasi_of("c", trees, TREE)]
        problem = problem_of(quasi, [(columns[2].tolist(), Ordered())], {None: {"k": k}, 0: {"t": "0.2"}})
        return mondrian.find(problem, Search()).classes.tolist()

    shuffled = random.permutation(200)
    first = found_in(table, 3)
    assert max(first) > 5
    assert found_in([column[shuffled] for column in table], 3) == first
    assert found_in([np.repeat(column, 2) for column in table], 6) == first


@pytest.fixture
def middling():
    """400 rows on a line with missing values, on another line and on a tree, with two sensitive attributes."""
    random = np.random.default_rng(11)
    ages_ = [None if age == 0 else age for age in random.integers(0, 40, 400).tolist()]
    quasi = [
        quasi_of("age", ages_),
        quasi_of("zip", (random.random(400) ** 3 * 1000).astype(int).tolist()),
        quasi_of("job", ["abcdef"[at] for at in random.integers(0, 6, 400)], TREE),
    ]
    sensitive = [(random.integers(0, 5, 400).tolist(), Nominal()), (random.integers(0, 9, 400).tolist(), Ordered())]
    return problem_of(quasi, sensitive, {None: {"k": 4}, 0: {"t": "0.3", "l": 3}, 1: {"t": "0.2"}})


def test_how_the_work_is_done_changes_nothing(middling, monkeypatch):
    expected = mondrian.find(middling, Search())
    check_release(middling, expected)
    monkeypatch.setattr(cut_judging, "PAIRS_AT_ONCE", 50)
    found = mondrian.find(middling, Search())
    assert found.number > 5
    assert found.classes.tolist() == expected.classes.tolist()


def test_the_best_of_all_tries_is_kept(middling, monkeypatch):
    kept = kept_detail(middling, mondrian.find(middling, Search()))
    alone = []
    for one in mondrian.TRIES:
        monkeypatch.setattr(mondrian, "TRIES", (one,))
        alone.append(kept_detail(middling, mondrian.find(middling, Search())))
    assert len({*alone}) > 2
    assert kept == max(alone)


def test_those_who_wait_are_told_how_far_it_is(middling):
    told = []
    mondrian.find(middling, Search(tell=lambda stage, share: told.append((stage, share))))
    shares = [share for _, share in told]
    assert {stage for stage, _ in told} == {"cutting"}
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert shares[-1] < 1


def census(sensitive, t):
    with shared_file("census", "census.csv").open(encoding="utf-8") as lines:
        table = list(csv.DictReader(lines))
    quasi = [quasi_of(name, [int(row[name]) for row in table]) for name in ("TAXINC", "POTHVAL")]
    return problem_of(quasi, [([int(row[sensitive]) for row in table], Ordered())], {None: {"k": 5}, 0: {"t": t}})


@cache
def gcp(sensitive, t):
    """The mean over rows and columns of a class's width by the width of the table."""
    problem = census(sensitive, t)
    found = mondrian.find(problem, Search())
    check_release(problem, found)
    lost = 0.0
    for pieces in classes_of(found).values():
        for column, quasi in enumerate(problem.quasi):
            values = [quasi.values[problem.codes[row, column]] for row, _ in pieces]
            width = (max(values) - min(values)) / (max(quasi.values) - min(quasi.values))
            lost += width * sum(count for _, count in pieces)
    return lost / problem.rows / len(problem.quasi)


@pytest.mark.parametrize(
    ("sensitive", "t", "most"), [("FEDTAX", "0.25", 0.267), ("FICA", "0.15", 0.308)], ids=["FEDTAX", "FICA"]
)
def test_census_loses_no_more_than_the_recommended_rule(sensitive, t, most):
    """Specification 6.2: with cuts at the median both lose 0.582, with the recommended score this much."""
    assert gcp(sensitive, t) <= most


def test_a_looser_threshold_is_no_trap():
    """Specification 6.2: with cuts at the median, FEDTAX loses 0.369 at t = 0.24, but 0.582 at t = 0.25."""
    assert gcp("FEDTAX", "0.25") <= gcp("FEDTAX", "0.24")
