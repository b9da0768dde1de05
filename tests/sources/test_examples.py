"""The built-in examples are the tutorial's tables."""

from __future__ import annotations

from collections import Counter

import pytest

from tclose.data.sources import EXAMPLES, example_named
from tclose.policy.roles import Ordered


def test_there_is_one_example_for_each_of_the_tutorials_calculations() -> None:
    assert list(EXAMPLES) == ["incidents", "salary", "merit", "disease", "original-incidents"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_a_whole_table_with_roles_for_its_columns(name: str) -> None:
    example = example_named(name)
    assert {len(row) for row in example.rows} == {len(example.columns)}
    assert set(example.roles.columns) <= set(example.columns)
    assert example.roles.quasi
    assert example.description.endswith(".")
    assert "\n" not in example.description


def test_the_incidents_have_the_tutorials_classes_and_no_address() -> None:
    example = EXAMPLES["incidents"]
    zones = Counter(row[1] for row in example.rows)
    assert zones == {"2C": 3, "4F": 4, "9A": 2, "3B": 5}  # section 1: k = min(3, 4, 2, 5)
    assert {row[0] for row in example.rows} == {"*"}
    original = EXAMPLES["original-incidents"]
    assert [row[1:] for row in original.rows] == [row[1:] for row in example.rows]
    assert len({row[0] for row in original.rows}) == 14
    assert original.roles.identifiers == ("address",)


def test_the_salaries_are_nine_different_numbers_in_three_classes() -> None:
    example = EXAMPLES["salary"]
    assert sorted(row[2] for row in example.rows) == list(range(3000, 12000, 1000))
    assert set(Counter(row[:2] for row in example.rows).values()) == {3}
    assert EXAMPLES["disease"].rows == example.rows


def test_the_merit_points_are_ordered_by_frequency() -> None:
    example = EXAMPLES["merit"]
    points = Counter(row[1] for row in example.rows)
    assert points == {3: 4, 4: 3, 1: 2, 2: 1}  # Q4 of the tutorial
    assert example.roles.sensitive == {"merit_points": Ordered(order="frequency")}
