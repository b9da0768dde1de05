"""Intervals: each holds its numbers, they nest, and their bounds are exact decimals."""

import datetime as dt
import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.data.hierarchies import break_hierarchy, interval_hierarchy
from tclose.errors import HierarchyError

INFINITE = 10**40

numbers = st.one_of(
    st.integers(-1000, 1000),
    st.floats(-1e6, 1e6),
    st.decimals(-1000, 1000, places=4),
)


def bounds(label):
    """Return the lowest number that a label holds, and the lowest above them."""
    if found := re.fullmatch(r"\[(\S+), (\S+)\)", label):
        return Fraction(found[1]), Fraction(found[2])
    if label.startswith("< "):
        return Fraction(-INFINITE), Fraction(label[2:])
    assert label.startswith("≥ ")
    return Fraction(label[2:]), Fraction(INFINITE)


@st.composite
def width_lists(draw):
    widths = [Fraction(draw(st.integers(1, 400)), draw(st.sampled_from([1, 2, 10, 100])))]
    for factor in draw(st.lists(st.integers(2, 5), max_size=3)):
        widths.append(widths[-1] * factor)
    return widths


@given(st.lists(numbers, min_size=1, max_size=10), width_lists(), st.fractions(-50, 50, max_denominator=20))
def test_each_interval_holds_its_number_is_as_wide_as_asked_and_starts_on_the_grid(values, widths, start):
    tree = interval_hierarchy(values, widths, start=start)
    assert tree.height == len(widths) + 1
    for leaf, *labels, _ in tree.rows:
        for width, label in zip(widths, labels, strict=True):
            low, high = bounds(label)
            assert low <= Fraction(leaf) < high
            assert high - low == width
            assert ((low - start) / width).denominator == 1


@given(st.lists(numbers, min_size=1, max_size=10), st.sets(st.integers(-900, 900), min_size=3, max_size=6), st.data())
def test_each_interval_between_breaks_holds_its_number_and_no_break(values, breaks, data):
    fine = sorted(breaks)
    coarse = sorted(data.draw(st.sets(st.sampled_from(fine), min_size=1)))
    for leaf, *labels, _ in break_hierarchy(values, [fine, coarse]).rows:
        for given_breaks, label in zip((fine, coarse), labels, strict=True):
            low, high = bounds(label)
            assert low <= Fraction(leaf) < high
            assert not any(low < mark < high for mark in given_breaks)
            assert {low, high} <= {*given_breaks, -INFINITE, INFINITE}


def test_bounds_belong_to_the_interval_above():
    rows = interval_hierarchy([19, 20, 24, 25], [5, 10]).rows
    assert [row[1:3] for row in rows] == [
        ("[15, 20)", "[10, 20)"),
        ("[20, 25)", "[20, 30)"),
        ("[20, 25)", "[20, 30)"),
        ("[25, 30)", "[20, 30)"),
    ]


def test_decimals_are_exact_where_floats_are_not():
    """0.3 / 0.1 is 2.9999999999999996 in floats, but 0.3 starts an interval of width 0.1."""
    assert interval_hierarchy([0.3], [0.1]).rows == (("0.3", "[0.3, 0.4)", "*"),)
    assert interval_hierarchy([Decimal("-0.05")], ["0.1"], start="-0.05").rows[0][1] == "[-0.05, 0.05)"


def test_a_width_without_a_decimal_is_written_as_a_fraction():
    assert interval_hierarchy([1], ["1/3"]).rows == (("1", "[1, 4/3)", "*"),)


def test_texts_that_read_as_numbers_are_placed_and_kept_as_they_are():
    assert dict(row[:2] for row in interval_hierarchy(["3k", "11k"], [5000]).rows) == {
        "3k": "[0, 5000)",
        "11k": "[10000, 15000)",
    }


def test_one_width_may_stand_alone():
    assert interval_hierarchy([7], 5) == interval_hierarchy([7], [5])


def test_an_infinity_lies_in_no_interval_but_beyond_the_last_break():
    infinite = [float("-inf"), 1, float("inf")]
    assert interval_hierarchy(infinite, [5]).rows == (("-inf", "-inf", "*"), ("1", "[0, 5)", "*"), ("inf", "inf", "*"))
    assert [row[1] for row in break_hierarchy(infinite, [0, 2]).rows] == ["< 0", "[0, 2)", "≥ 2"]


@pytest.mark.parametrize("values", [["a", 1], [True, 1], [dt.date(2024, 1, 1)], ["[1, 2)"], [dt.time(1)]])
def test_what_is_no_number_is_refused(values):
    with pytest.raises(HierarchyError, match=f"1 of {len(values)} distinct values are none; build dates with 'dates'"):
        interval_hierarchy(values, [5])


@pytest.mark.parametrize(
    ("widths", "message"),
    [
        ([5, 12], "width 12 is no larger multiple of the width 5 before it"),
        ([10, 5], "width 5 is no larger multiple"),
        ([5, 5], "width 5 is no larger multiple"),
        ([0, 5], "must be positive"),
        ([-5], "must be positive"),
        ([], "No width was given"),
        (["five"], "A width must be a decimal"),
        ([float("inf")], "A width must be finite"),
    ],
)
def test_widths_that_cannot_be(widths, message):
    with pytest.raises(HierarchyError, match=message):
        interval_hierarchy([1], widths)


@pytest.mark.parametrize(
    ("breaks", "message"),
    [
        ([], "No break was given"),
        ([30, 18], "do not ascend"),
        ([18, 18], "do not ascend"),
        ([[18, 30], [25]], "Level 2 breaks at 1 numbers at which level 1 does not"),
        ([18, [30]], "mix numbers and lists"),
    ],
)
def test_breaks_that_cannot_be(breaks, message):
    with pytest.raises(HierarchyError, match=message):
        break_hierarchy([1], breaks)
