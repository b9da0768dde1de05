"""What is inferred from values alone: round widths, the calendar, masks, groups; and when nothing is."""

import csv
import datetime as dt
import itertools
import re
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.data.hierarchies import date_hierarchy, flat_hierarchy, group_hierarchy, inferred_hierarchy, mask_hierarchy


def inferred(values, kind, categories=None):
    return inferred_hierarchy(values, [1] * len(values), kind, categories)


def widths_of(tree):
    """Return the width of the intervals on each level of a tree of intervals."""
    found = []
    for level in range(1, tree.height):
        ends = [re.fullmatch(r"\[(\S+), (\S+)\)", row[level]) for row in tree.rows]
        widths = {Fraction(end[2]) - Fraction(end[1]) for end in ends if end}
        found.append(widths.pop() if len(widths) == 1 and all(ends) else None)
    return found


def is_round(width):
    """Say whether a width is 1, 2 or 5 times a power of ten."""
    return re.fullmatch(r"0*[125]0*", f"{Decimal(width.numerator) / width.denominator:f}".replace(".", "")) is not None


numbers = st.one_of(
    st.lists(st.integers(-100, 100), min_size=3, max_size=40, unique=True),
    st.lists(st.integers(-(10**15), 10**15), min_size=3, max_size=40, unique=True),
    st.lists(st.decimals(-10, 10, places=2), min_size=3, max_size=40, unique=True),
)


@given(numbers)
def test_numbers_get_one_to_four_round_widths_each_of_which_unites(values):
    tree = inferred(values, "number")
    assert 2 <= tree.height <= 5
    nodes = [len({row[level] for row in tree.rows}) for level in range(tree.height + 1)]
    assert all(after < before for before, after in itertools.pairwise(nodes))
    widths = widths_of(tree)
    if widths != [None]:
        assert all(is_round(width) for width in widths)


@given(st.lists(st.integers(-(10**15), 10**15), min_size=3, max_size=40, unique=True))
def test_whole_numbers_are_the_numbers_that_other_types_have(values):
    """A column of whole numbers is read at once, one of decimals value by value."""
    assert inferred(values, "number").rows == inferred([Decimal(value) for value in values], "number").rows


def test_ages_of_adult_get_widths_of_5_10_and_20(adult_file):
    with adult_file.open(encoding="utf-8", newline="") as file:
        ages = Counter(int(row["age"]) for row in csv.DictReader(file, delimiter=";"))
    assert widths_of(inferred_hierarchy(ages.keys(), ages.values(), "number")) == [5, 10, 20]


def test_widths_fit_the_rows_and_not_only_the_range():
    """99 of 100 rows lie between 0 and 99, one at ten million: some level must tell the 99 apart."""
    values = [*range(99), 10**7]
    assert widths_of(inferred(values, "number"))[0] <= 20


def test_widths_fit_where_the_rows_are_and_not_where_the_values_are():
    """The middle half of the rows spans 50 numbers of 300 thousand; an eighth of that is the narrowest width."""
    rows_of = {**dict.fromkeys(range(100), 1000), **dict.fromkeys(range(1000, 300_000, 1000), 1)}
    assert widths_of(inferred_hierarchy(rows_of.keys(), rows_of.values(), "number"))[0] <= Fraction(50, 8)


def test_a_few_numbers_far_apart_get_the_width_that_unites_two():
    """A quarter of the range, 20, keeps 17, 38 and 90 apart; half of it, 50, unites 17 and 38."""
    assert inferred([17, 38, 90], "number").rows == (
        ("17", "[0, 50)", "*"),
        ("38", "[0, 50)", "*"),
        ("90", "[50, 100)", "*"),
    )


def test_wide_ranges_are_covered_from_fine_to_coarse():
    tree = inferred([2**power for power in range(200)], "number")
    widths = widths_of(tree)
    assert len(widths) == 4
    assert widths[-1] >= 2**199 // 4


def test_numbers_that_no_round_width_unites_are_halved():
    """Widths up to 2 keep 0, 2.1 and 4.2 apart, 5 and more unite them all; 1.5 rows are as near to 1 as to 2."""
    values = [Decimal("0"), Decimal("2.1"), Decimal("4.2")]
    assert inferred(values, "number").rows == (("0", "0", "*"), ("2.1", "[2, 5)", "*"), ("4.2", "[2, 5)", "*"))


@pytest.mark.parametrize("values", [[5], [5, 9], [Decimal("0.1")], [1e300], [float("inf"), 1, 2]])
def test_one_or_two_numbers_stay_flat(values):
    assert inferred(values, "number") == flat_hierarchy(values)


def test_truths_and_pairs_stay_flat():
    assert inferred([True, False], "truth") == flat_hierarchy([True, False])
    assert inferred(["female", "male", None], "text") == flat_hierarchy(["female", "male"])
    assert inferred(["a", 1], "mixed") == flat_hierarchy(["a", 1])


def test_dates_get_the_levels_that_unite_something():
    days = [dt.date(1999, 1, 1), dt.date(1999, 1, 2), dt.date(2001, 5, 5), dt.date(2002, 5, 5)]
    assert inferred(days, "time") == date_hierarchy(days, ["month", "decade"])
    january = [dt.date(1999, 1, day) for day in (1, 2, 3)]
    assert inferred(january, "time") == date_hierarchy(january, ["month"])
    apart = [dt.date(1950, 1, 1), dt.date(1960, 1, 1), dt.date(1970, 1, 1)]
    assert inferred(apart, "time") == flat_hierarchy(apart)


def test_points_in_time_get_days_and_clocks_get_quantiles():
    moments = [dt.datetime(2024, 3, day, hour) for day in (7, 8) for hour in (9, 10)]
    assert inferred(moments, "time") == date_hierarchy(moments, ["day", "month"])
    clocks = [dt.time(hour) for hour in range(16)]
    assert inferred(clocks, "time").rows[0] == (
        "00:00:00",
        "[00:00:00, 01:00:00]",
        "[00:00:00, 03:00:00]",
        "[00:00:00, 07:00:00]",
        "*",
    )


def test_ordered_categories_are_grouped_in_their_order():
    categories = ("none", "primary", "secondary", "tertiary", "unused")
    values = ["tertiary", "none", None, "secondary", "primary"]
    assert inferred(values, "text", categories) == group_hierarchy(categories[:4], 2)


def test_many_categories_make_no_more_than_four_levels_between():
    categories = [f"{at:04d}" for at in range(1000)]
    assert inferred(categories, "text", categories).height == 5


@pytest.mark.parametrize(
    "codes",
    [
        ["47677", "47602", "47905"],
        ["007", "011", "100"],
        ["E11.9", "E10.1", "I10.0"],
        ["A01", "A02", "B15"],
        ["476**", "479**", "130**"],
        ["476**", "47905", "*****"],
        ["2*", "3*", "4*"],
        ["AB**", "AC**", "B***"],
    ],
)
def test_codes_are_masked_from_the_right(codes):
    assert inferred(codes, "text") == mask_hierarchy(codes)


def test_what_is_masked_on_the_left_is_masked_on_from_there():
    codes = ["**677", "**602", "**905"]
    assert inferred(codes, "text") == mask_hierarchy(codes, from_the="left")


def test_texts_of_dates_get_the_calendar():
    days = ["2024-03-07", "2024-03-09", "2023-01-01"]
    assert inferred(days, "text") == date_hierarchy(days, ["month", "decade"])


@pytest.mark.parametrize(
    "values",
    [
        ["nurse", "clerk", "smith"],
        ["clerk", "nurse", "teacher"],
        ["[20, 25)", "[25, 30)", "[30, 35)"],
        ["20-30", "30-40", "40-50"],
        ["20–29", "30–39", "40–49"],
        ["<30", "≥40", "> 50"],
        ["< 30", "≥ 40", "≥ 50"],
        ["65+", "75+", "85+"],
        ["4*6*7", "4*6*8", "4*6*9"],
        ["*1*", "*2*", "*3*"],
        ["476", "4767", "47677"],
        ["2024-03", "2024-13", "2024-14"],
        ["12 34", "12 35", "12 36"],
        ["12345678901234567", "12345678901234568", "12345678901234569"],
        [("a", 1), ("b", 2), ("c", 3)],
    ],
)
def test_other_texts_show_no_hierarchy(values):
    assert inferred(values, "text") is None


def test_mixtures_show_no_hierarchy():
    assert inferred(["a", 1, 2], "mixed") is None
    assert inferred(["0044-03-15 (BC)", "x", "y"], "time") is None
