"""Classes are judged as whoever reads the release judges them: reckoned again by the definitions, without tclose."""

from collections import defaultdict
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings

from recoding.cutting_problems import classes_of, divided_problems, meets_k_and_t, problem_of, quasi_of
from tclose.anonymization.algorithms.checking import Checker, failing_classes
from tclose.anonymization.algorithms.partition import Partition, hulls, published
from tclose.policy.roles import Nominal, Ordered


def sizes_and_distances(problem):
    """The problem with its requirements on k and t alone."""
    return replace(problem, tasks=tuple(task for task in problem.tasks if task.model.key in ("k", "t")))


def of_the_release(problem, pieces):
    """What is known of the problem by the rows that are released: their values, and how many rows have each."""
    domains, ranks = [], np.full_like(problem.ranks, -1)
    for at, domain in enumerate(problem.domains):
        counts = np.zeros(len(domain.counts), dtype=np.int64)
        for row, count in pieces:
            if problem.ranks[row, at] >= 0:
                counts[problem.ranks[row, at]] += count
        there = np.flatnonzero(counts).tolist()
        values = [list(domain.values)[rank] for rank in there]
        domains.append(SimpleNamespace(counts=counts[there], values=values, distance=domain.distance))
        for row, _ in pieces:
            ranks[row, at] = there.index(problem.ranks[row, at]) if problem.ranks[row, at] >= 0 else -1
    return SimpleNamespace(tasks=problem.tasks, domains=domains, ranks=ranks)


def cells_of(cells, number):
    return tuple(map(tuple, (cells.levels[number], cells.first[number], cells.last[number])))


def missed(problem, partition):
    """Which cells are published of classes that miss a requirement."""
    together = defaultdict(list)
    for number, pieces in classes_of(partition).items():
        if number >= 0:
            together[cells_of(partition.cells, number)] += pieces
    judges, released = [problem], [piece for pieces in together.values() for piece in pieces]
    if released and partition.suppressed():
        own = of_the_release(problem, released)
        judges.append(own)
        if any(len(domain.values) == 0 for domain in own.domains):
            return set(together)
    return {cells for cells, pieces in together.items() if not all(meets_k_and_t(each, pieces) for each in judges)}


@given(divided_problems())
@settings(deadline=None, max_examples=150)
def test_classes_miss_what_they_miss_of_the_original_or_of_the_release_itself(case):
    problem, partition = sizes_and_distances(case[0]), case[1]
    seen = published(partition)
    found = failing_classes(problem, partition)
    assert {cells_of(seen.cells, number) for number in np.flatnonzero(found)} == missed(problem, partition)


@given(divided_problems())
@settings(deadline=None, max_examples=60)
def test_rows_that_are_left_out_count_in_no_class(case):
    problem, partition = sizes_and_distances(case[0]), case[1]
    failing = Checker.of(problem).failing(partition.rows, partition.classes, partition.counts, partition.number)
    pieces = classes_of(partition)
    assert failing.tolist() == [not meets_k_and_t(problem, pieces[at]) for at in range(partition.number)]


@pytest.mark.parametrize(
    ("costs", "missing"),
    [([None, None, None, None, 7], [True, True]), ([5, 5, None, None, 7], [False, False])],
    ids=["in rows that are left out alone", "in a class too"],
)
def test_where_no_row_that_is_released_has_a_value_nothing_can_be_judged(costs, missing):
    ages = [0, 0, 1, 1, 2]
    sensitive = [([0, 1, 0, 1, 0], Nominal()), (costs, Ordered(nulls="drop"))]
    problem = problem_of(
        [quasi_of("age", ages)], sensitive, {None: {"k": 1}, 0: {"t": "1"}, 1: {"t": "1"}}, suppress="1/2"
    )
    rows = np.arange(len(problem.counts))
    classes = np.where(problem.codes[:, 0] < 2, problem.codes[:, 0], -1).astype(np.int64)
    partition = Partition(rows, classes, problem.counts, hulls(problem, rows, classes, 2))
    assert failing_classes(problem, partition).tolist() == missing


@pytest.mark.parametrize("sensitive", [[([0, 1], Nominal())], [([0, 1], Ordered())], []])
def test_a_release_without_rows_has_no_class_that_misses(sensitive):
    required = {None: {"k": 1}} | ({0: {"t": "0"}} if sensitive else {})
    problem = problem_of([quasi_of("age", [0, 1])], sensitive, required)
    rows, nowhere = np.arange(2), np.full(2, -1)
    partition = Partition(rows, nowhere, problem.counts, hulls(problem, rows, nowhere, 0))
    assert failing_classes(problem, partition).tolist() == []
