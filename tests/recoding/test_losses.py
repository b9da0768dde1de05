"""Losses against numbers worked by hand, printed in papers or reproduced from other tools."""

from __future__ import annotations

import csv
import datetime as dt
import math
from dataclasses import replace

import numpy as np
import pytest

from recoding.losses_problems import (
    adult_problem,
    at_node,
    flat,
    in_classes,
    nothing_released,
    problem_of,
    released,
    without,
)  # fmt: skip
from shared_data import shared_file
from tclose.anonymization.algorithms.checking import Checker
from tclose.anonymization.algorithms.losses.catalogue import LOSSES, all_losses, losses_by_column
from tclose.anonymization.algorithms.partition import Cells, Partition, check_whole, levelled
from tclose.data.hierarchies import Hierarchy

ZIPS = ("47677", "47602", "47678", "47905", "47909", "47906", "47605", "47673", "47607")
AGES = (29, 22, 27, 43, 52, 47, 30, 36, 32)
SALARIES = (3, 4, 5, 6, 11, 8, 7, 9, 10)
ZIP_TREE = Hierarchy(tuple((zip_code, zip_code[:4] + "*", zip_code[:3] + "**", "*") for zip_code in ZIPS))


def li_problem(*, columns=("zip", "age"), **rest):
    """Li et al. 2007, Table 3: nine people, the age as its range."""
    quasi = {"zip": (ZIPS, ZIP_TREE), "age": (AGES, flat(AGES))}
    return problem_of(
        {name: quasi[name] for name in columns}, [("salary", SALARIES, None)], {"k": 3}, inferred=("age",), **rest
    )


def li_table_4(problem):
    """Zip codes 476**, 4790*, 476**."""
    first, second = {"47677", "47602", "47678"}, {"47905", "47909", "47906"}
    return in_classes(problem, lambda zip_code, *_: 0 if zip_code in first else 1 if zip_code in second else 2)


def li_table_5(problem):
    """Zip codes 4767*, 4790*, 4760*."""
    return in_classes(problem, lambda zip_code, *_: int(zip_code[:4]))


WORKED = {
    "gcp": (2 / 5, 29 / 90),
    "lm": (67 / 180, 101 / 360),
    "dm": (27, 27),
    "dm_star": (27, 27),
    "aecs": (3, 3),
    "c_avg": (1, 1),
}


@pytest.mark.parametrize("key", WORKED)
def test_li_tables_4_and_5_lose_what_the_specification_worked_out(key):
    problem = li_problem()
    found = [LOSSES[key].of(problem, table(problem)) for table in (li_table_4, li_table_5)]
    assert found == pytest.approx(WORKED[key], abs=1e-15)


def test_the_entropy_that_the_zip_codes_of_li_lose():
    problem = li_problem(columns=("zip",))
    merged = in_classes(problem, lambda zip_code: int(zip_code[:3] == "479"))
    assert LOSSES["nue"].of(problem, merged) == pytest.approx(6 * math.log2(6) + 3 * math.log2(3), abs=1e-12)
    assert LOSSES["nue"].of(problem, merged) == pytest.approx(20.2647, abs=5e-5)
    assert LOSSES["nue_share"].of(problem, merged) == pytest.approx(0.710, abs=5e-4)
    assert LOSSES["nue"].of(problem, li_table_5(problem)) == pytest.approx(14.2647, abs=5e-5)
    assert LOSSES["nue_share"].of(problem, li_table_5(problem)) == pytest.approx(0.5, abs=1e-12)


def test_the_precision_that_li_table_4_loses():
    """Six zip codes stand on level 2 of 3, three on level 1; every range of ages needs the root."""
    problem = li_problem()
    assert LOSSES["precision"].of(problem, li_table_4(problem)) == pytest.approx(((6 * 2 + 3) / 27 + 1) / 2)


def test_losses_by_column():
    problem = li_problem()
    assert losses_by_column(problem, li_table_4(problem)) == pytest.approx({"zip": 1 / 2, "age": 22 / 90})


def test_columns_count_by_their_weights():
    problem = li_problem(weights={"zip": 3.0, "age": 1.0})
    table = li_table_4(problem)
    assert LOSSES["lm"].of(problem, table) == pytest.approx((3 * 1 / 2 + 22 / 90) / 4)
    assert LOSSES["gcp"].of(problem, table) == pytest.approx((3 * 5 / 9 + 22 / 90) / 4)
    assert LOSSES["arx"].of(problem, table) == pytest.approx(((3 / 2) ** 3 * (1 + 22 / 90)) ** (1 / 4) - 1)


def test_rows_left_out_are_fully_lost():
    """Li's table 4 without its second class: three rows of nine are gone."""
    problem = li_problem()
    table = without(li_table_4(problem), np.array([False, True, False]))
    check_whole(problem, table)
    assert LOSSES["gcp"].of(problem, table) == pytest.approx(
        ((6 * 6 / 9 + 3) / 9 + (3 * 7 / 30 + 3 * 6 / 30 + 3) / 9) / 2
    )
    assert LOSSES["dm"].of(problem, table) == 9 + 9 + 3 * 9
    assert LOSSES["dm_star"].of(problem, table) == 18
    assert LOSSES["aecs"].of(problem, table) == 9 / 3
    assert LOSSES["nue"].of(problem, table) == pytest.approx(
        6 * math.log2(6) + 3 * math.log2(9) + 6 * math.log2(3) + 3 * math.log2(9)
    )


def test_a_value_of_which_all_rows_were_left_out_before_has_no_bits():
    """The search goes on without rows that no release can have: of four a, two b and no c any more, all a class."""
    problem = problem_of({"q": ([*"aaaabbc"], flat("abc"))})
    left = replace(problem, counts=np.array([4, 2, 0]))
    levels = Cells(np.zeros((3, 1), np.int16), np.arange(3)[:, np.newaxis], np.arange(3)[:, np.newaxis])
    apart = Partition(np.arange(3), np.arange(3), left.counts, levels)
    assert LOSSES["nue"].of(left, apart) == 0
    together = levelled(left)
    assert LOSSES["nue"].of(left, together) == pytest.approx(4 * math.log2(6 / 4) + 2 * math.log2(6 / 2))


FULL = {
    **dict.fromkeys(("lm", "gcp", "arx", "precision", "nue_share"), 1.0),
    "nue": 2 * 9 * math.log2(9),
    "dm": 81,
    "dm_star": 0,
    "aecs": 9,
    "c_avg": 3,
    "sse": 100,
}


def test_a_release_of_nothing_loses_everything():
    problem = li_problem()
    assert all_losses(problem, nothing_released(problem)) == pytest.approx(FULL)


def test_a_release_of_everything_loses_nothing():
    problem = li_problem()
    nothing = {**dict.fromkeys(LOSSES, 0.0), "dm": 9.0, "dm_star": 9.0, "aecs": 1.0, "c_avg": 1 / 3}
    as_it_is = released(problem, np.arange(9), np.arange(9), problem.counts)
    assert all_losses(problem, as_it_is) == pytest.approx(nothing, abs=1e-12)


def test_classes_with_the_same_cells_are_one_class():
    """Two classes of two rows each, both published as * of sex: a reader sees one class of four."""
    sexes = ("Male", "Female", "Male", "Female")
    problem = problem_of({"sex": (sexes, flat(sexes))}, [("x", (1, 1, 2, 2), None)])
    by_rank = released(problem, np.arange(4), problem.ranks[:, 0], problem.counts)
    assert by_rank.number == 2
    assert [LOSSES[key].of(problem, by_rank) for key in ("dm", "dm_star", "aecs")] == [16, 16, 4]


def test_numbers_that_lie_close_together_cost_less_than_their_hierarchy_says():
    """On a line the penalty is (max − min) / range, whatever share of the values that is."""
    numbers = (0, 1, 2, 100)
    problem = problem_of({"x": (numbers, flat(numbers))}, inferred=("x",))
    table = in_classes(problem, lambda x: int(x > 2))
    assert LOSSES["gcp"].of(problem, table) == pytest.approx(3 / 4 * 2 / 100)
    assert LOSSES["lm"].of(problem, table) == pytest.approx(3 / 4 * 2 / 100)


def test_on_a_line_a_node_costs_as_much_as_the_interval_that_it_is():
    """The years 3 to 5 of 0 to 11 are 2 of 11 steps; where there is no line they are 3 of 12 values."""
    tree = Hierarchy(tuple((str(year), f"from {year // 3 * 3}", "*") for year in range(12)))
    years = (3, 4, 5)
    on_a_line = problem_of({"year": (years, tree)})
    assert LOSSES["gcp"].of(on_a_line, at_node(on_a_line, [1])) == pytest.approx(2 / 11)
    without_order = problem_of({"year": (years, tree)}, on_line=False)
    assert LOSSES["gcp"].of(without_order, at_node(without_order, [1])) == pytest.approx(3 / 12)


def test_an_interval_is_as_high_as_the_lowest_node_that_holds_all_of_it():
    """0–1 lies in a pair (level 1 of 3), 0–2 in a four (level 2); in the other tree 0 and 2 are even, but 1 is not."""
    numbers = tuple(range(8))
    pairs = Hierarchy(tuple((str(n), f"pair {n // 2}", f"four {n // 4}", "*") for n in numbers))
    parity = Hierarchy(tuple((str(n), "even" if n % 2 == 0 else "odd", "*") for n in numbers))
    problem = problem_of({"x": (numbers, pairs)})
    table = in_classes(problem, lambda x: 0 if x < 2 else 1 if x < 5 else 2)
    assert LOSSES["precision"].of(problem, table) == pytest.approx((2 * 1 + 3 * 3 + 3 * 2) / (8 * 3))
    problem = problem_of({"x": (numbers, parity)})
    table = in_classes(problem, lambda x: 0 if x < 3 else 1 if x < 5 else x)
    assert LOSSES["precision"].of(problem, table) == pytest.approx(5 / 8)


def test_a_column_with_one_value_has_nothing_to_lose():
    problem = problem_of({"x": (("a", "a"), Hierarchy((("a", "*"),)))})
    assert LOSSES["nue_share"].of(problem, nothing_released(problem)) == 0


def test_lost_variance_by_hand():
    """1, 3 | 5, 11 about 2 and 8: 2 + 18 of (16 + 4 + 0 + 36) about 5."""
    numbers = (1, 3, 5, 11)
    problem = problem_of({"x": (numbers, flat(numbers))}, inferred=("x",))
    table = in_classes(problem, lambda x: int(x > 4))
    assert LOSSES["sse"].of(problem, table) == pytest.approx(100 * 20 / 56)
    assert LOSSES["sse"].of(problem, without(table, np.array([True, False]))) == pytest.approx(100 * (16 + 4 + 18) / 56)


def test_lost_variance_ignores_missing_values_texts_and_columns_that_are_constant():
    days = tuple(dt.date(2026, 1, day) for day in (1, 3, 5, 11))
    tree = Hierarchy(tuple((day.isoformat(), "*") for day in days))
    problem = problem_of(
        {
            "day": ((*days, None), tree),
            "place": (("a", "a", "b", "b", "b"), flat("ab")),
            "same": ((7,) * 5, Hierarchy((("7", "*"), ("8", "*")))),
        },
        inferred=("day",),
    )
    table = in_classes(problem, lambda day, *_: 2 if day is None else int(day.day > 4))
    assert LOSSES["sse"].of(problem, table) == pytest.approx((100 * 20 / 56 + 0) / 2)


def test_without_numbers_there_is_no_variance_to_lose():
    problem = li_problem(columns=("zip",))
    assert all_losses(problem, li_table_5(problem))["sse"] is None


@pytest.fixture(scope="module")
def adult():
    return adult_problem()


def test_the_entropy_that_adult_loses_at_the_optimal_node_of_arx(adult):
    table = at_node(adult, (1, 1, 1, 1, 3, 2, 2, 1))
    assert LOSSES["nue"].of(adult, table) == pytest.approx(324620.5269918692, rel=1e-12)


@pytest.mark.parametrize(
    ("levels", "discernibility"),
    [
        ((1, 4, 1, 0, 3, 2, 2, 1), 311_880_088),
        ((1, 4, 1, 1, 3, 2, 2, 1), 456_853_172),
        ((0, 0, 1, 1, 2, 2, 2, 0), 2_712_340),
        ((1, 1, 1, 2, 3, 2, 2, 1), 97_868_020),
        ((1, 1, 1, 1, 3, 2, 2, 1), 55_170_356),
    ],
)
def test_the_discernibility_of_the_optimal_nodes_of_adult(adult, levels, discernibility):
    """The specification's table of oracles (6.1), with the nodes that OLA and ARX find."""
    assert LOSSES["dm_star"].of(adult, at_node(adult, levels)) == discernibility
    assert LOSSES["dm"].of(adult, at_node(adult, levels)) == discernibility


def test_the_loss_that_arx_finds_for_adult_with_basic_beta_likeness():
    """Classes that miss β = 3 are left out; ARX rounds each attribute, hence 1e-9."""
    problem = adult_problem({"beta": 3}, suppress="0.5")
    whole = at_node(problem, (0, 3, 0, 0, 2, 0, 1, 0))
    table = without(whole, Checker.of(problem).failing(whole.rows, whole.classes, whole.counts, whole.number))
    assert 0 < table.suppressed() <= problem.most_suppressed
    assert LOSSES["arx"].of(problem, table) == pytest.approx(0.348838561572, abs=1e-9)


@pytest.mark.parametrize(("k", "percent"), [(3, 5.6922), (5, 9.0884), (10, 14.1559)])
def test_mdav_on_census_loses_the_variance_of_the_literature(k, percent):
    with shared_file("census", "census.csv").open(encoding="utf-8", newline="") as file:
        header, *records = csv.reader(file)
    columns = list(zip(*([int(cell) for cell in record] for record in records), strict=True))
    quasi = {name: (values, flat(values)) for name, values in zip(header, columns, strict=True)}
    problem = problem_of(quasi, inferred=header)
    values = np.array(
        [[each.values[code] for each, code in zip(problem.quasi, row, strict=True)] for row in problem.codes]
    )
    assert problem.counts.tolist() == [1] * 1080
    table = released(problem, np.arange(1080), mdav((values - values.mean(0)) / values.std(0), k), problem.counts)
    assert LOSSES["sse"].of(problem, table) == pytest.approx(percent, abs=5e-5)


def mdav(points, k):
    """Return the cluster of each point by maximum distance to average vector."""
    clusters = np.full(len(points), -1)
    left = np.arange(len(points))

    def far_from(point):
        return points[left[np.argmax(((points[left] - point) ** 2).sum(axis=1))]]

    def take(point, size):
        nonlocal left
        order = np.argsort(((points[left] - point) ** 2).sum(axis=1), kind="stable")
        clusters[left[order[:size]]] = clusters.max() + 1
        left = np.delete(left, order[:size])

    while len(left) >= 3 * k:
        first = far_from(points[left].mean(axis=0))
        second = far_from(first)
        take(first, k)
        take(second, k)
    if len(left) >= 2 * k:
        take(far_from(points[left].mean(axis=0)), k)
    take(points[left].mean(axis=0), len(left))
    return clusters
