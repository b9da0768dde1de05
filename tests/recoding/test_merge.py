"""Merging: it ends, it succeeds whenever the whole table does, and it leaves out no more than is allowed."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from recoding.cutting_problems import (
    TREE,
    check_release,
    check_together,
    classes_of,
    compartments,
    divided_problems,
    meets_k_and_t,
    problem_of,
    problems,
    quasi_of,
)
from tclose.anonymization.algorithms import merge
from tclose.anonymization.algorithms.checking import Checker
from tclose.anonymization.algorithms.partition import Partition, hulls, kept_detail
from tclose.anonymization.algorithms.search import Search
from tclose.models.kernels import partitions
from tclose.policy.roles import Nominal


def whole_fails(problem):
    """Whether some compartment misses a requirement as a whole."""
    for pieces in compartments(problem):
        rows, counts = (np.array(each, dtype=np.int64) for each in zip(*pieces, strict=True))
        if Checker.of(problem).failing(rows, np.zeros_like(rows), counts, 1)[0] or not meets_k_and_t(problem, pieces):
            return True
    return False


@pytest.mark.parametrize("pairs", [merge.PAIRS_AT_ONCE, 0], ids=["all pairs", "neighbours"])
@given(problem=problems())
@settings(deadline=None, max_examples=100)
def test_a_release_is_found_exactly_where_the_whole_meets_the_requirements(problem, pairs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge, "PAIRS_AT_ONCE", pairs)
        found = merge.find(problem, Search())
    assert (found is None) == whole_fails(problem)
    if found is not None:
        check_release(problem, found)
        check_together(problem, found)
        assert found.suppressed() == 0


@given(divided_problems())
@settings(deadline=None, max_examples=100)
def test_any_partition_is_repaired_and_its_classes_stay_whole(case):
    problem, given_partition = case
    found = merge.repaired(problem, given_partition, Search())
    assert (found is None) == whole_fails(problem)
    if found is not None:
        check_release(problem, found)
        assert found.suppressed() == 0
        for number, pieces in classes_of(given_partition).items():
            if number >= 0:
                assert len({int(found.classes[row]) for row, _ in pieces}) == 1


@given(problems(suppress=("1/10", "1/4", "1/2")))
@settings(deadline=None, max_examples=150)
def test_no_more_rows_are_left_out_than_allowed_and_only_where_less_is_lost(problem):
    found = merge.find(problem, Search())
    kept = merge.find(replace(problem, suppress=Fraction(0)), Search())
    if kept is not None:
        assert found is not None
        assert kept_detail(problem, found) >= kept_detail(problem, kept) - 1e-12
    if found is not None:
        check_release(problem, found)
        check_together(problem, found)
        assert found.suppressed() <= problem.suppress * problem.rows


def ages(values, k, **options):
    """Rows of one age each, all with the same sensitive value."""
    levels = {"levels": options.pop("levels")} if "levels" in options else {}
    quasi = quasi_of("age", values, options.pop("hierarchy", None), **levels)
    return problem_of([quasi], [([1] * len(values), Nominal())], {None: {"k": k}}, **options)


def members(found):
    return {number: [row for row, _ in pieces] for number, pieces in classes_of(found).items()}


@pytest.mark.parametrize("pairs", [merge.PAIRS_AT_ONCE, 0], ids=["all pairs", "neighbours"])
def test_a_class_joins_the_class_beside_which_least_is_lost(monkeypatch, pairs):
    monkeypatch.setattr(merge, "PAIRS_AT_ONCE", pairs)
    assert members(merge.find(ages([0, 40, 41, 99, 100, 3], 2), Search())) == {0: [0, 1], 1: [2, 3], 2: [4, 5]}


def test_a_far_row_is_left_out_where_merging_it_would_lose_more():
    """To take in 100, two rows of 1 would be as wide as the table: a loss of 3 against that of one row."""
    assert members(merge.find(ages([1, 1, 100], 2, suppress="1/3"), Search())) == {0: [0], -1: [1]}
    assert members(merge.find(ages([1, 1, 100], 2, suppress="1/4"), Search())) == {0: [0, 1]}


def test_what_can_join_no_other_is_left_out_or_nothing_is_found():
    """No level above abc and def may be published, and def has one row."""
    values, limited = ["a", "a", "b", "d"], {"hierarchy": TREE, "levels": (0, 2)}
    assert merge.find(ages(values, 2, **limited), Search()) is None
    found = merge.find(ages(values, 2, suppress="1/4", **limited), Search())
    assert members(found) == {0: [0, 1], -1: [2]}


def test_rows_left_out_beyond_the_limit_are_taken_in_again():
    problem = ages([1, 2, 3, 4], 2, suppress="1/4")
    rows, classes = np.arange(4), np.array([0, 0, -1, -1])
    start = Partition(rows, classes, problem.counts, hulls(problem, rows, classes, 1))
    assert members(merge.repaired(problem, start, Search())) == {0: [0, 1], 1: [2, 3]}


def test_a_release_that_is_not_close_to_itself_without_the_rows_left_out_is_not_taken():
    """In the table x, y and z have a third each, and {z, y} and {x, x, y} are both at 1/3 from it.

    Without the z of 99 the release has two fifths of x, which {z, y} lacks: it is at 2/5 from the release.
    """
    quasi, sensitive = quasi_of("q", [1, 2, 3, 3, 3, 99]), [(list("zyxxyz"), Nominal())]
    problem = problem_of([quasi], sensitive, {0: {"t": "1/3"}}, suppress="1/2")
    careless = merge.find(problem, Search(own=False))
    assert classes_of(careless) == {0: [(0, 1), (1, 1)], 1: [(2, 2), (3, 1)], -1: [(4, 1)]}
    found = merge.find(problem, Search())
    assert found.suppressed() == 0
    check_release(problem, found)


def test_beyond_the_first_only_as_many_rows_join_a_class_as_it_has():
    into, sizes = np.arange(6), np.array([2, 3, 1, 1, 2, 1])
    order, partner = np.array([1, 2, 3, 4, 5]), np.array([-1, 0, 0, 4, 5, 4])
    partitions.join(order, partner, sizes, into, np.zeros(6, dtype=np.int64))
    assert into.tolist() == [0, 0, 2, 4, 4, 4]
