"""Groups of neighbours: contiguous, as large as asked, and for quantiles of about equal numbers of rows."""

import datetime as dt
import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.data.hierarchies import flat_hierarchy, group_hierarchy, quantile_hierarchy
from tclose.errors import HierarchyError

weighted = st.dictionaries(st.integers(-99, 99), st.integers(1, 20), min_size=1, max_size=20)


def groups_on(tree, level):
    """Return the leaves of each group of a level, in the order of the rows."""
    return [[row[0] for row in rows] for _, rows in itertools.groupby(tree.rows, key=lambda row: row[level])]


@given(weighted, st.sampled_from([[8, 4, 2], [6, 3], [9, 3], [2], [12, 6, 2]]))
def test_groups_differ_from_equal_shares_by_no_more_than_the_largest_tie(counts, numbers):
    tree = quantile_hierarchy(counts, counts.values(), groups=numbers)
    rows, tie = sum(counts.values()), max(counts.values())
    for level, number in enumerate(numbers, start=1):
        sizes = [sum(counts[int(leaf)] for leaf in group) for group in groups_on(tree, level)]
        assert len(sizes) <= number
        assert all(abs(size - Fraction(rows, number)) <= tie for size in sizes)


@given(weighted, st.sampled_from([[8, 4, 2], [7, 3], [10, 4, 3]]))
def test_quantile_groups_follow_the_order_and_are_named_by_their_ends(counts, numbers):
    tree = quantile_hierarchy(counts, counts.values(), groups=numbers)
    assert [int(leaf) for leaf in tree.leaves] == sorted(counts)
    for level in range(1, len(numbers) + 1):
        groups = groups_on(tree, level)
        assert len(groups) == len({row[level] for row in tree.rows})
        for group, after in itertools.zip_longest(groups, groups[1:]):
            label = tree.ancestor(group[0], level)
            low, high = (label, label) if len(group) == 1 else label.strip("[]").split(", ")
            assert int(low) <= int(group[0])
            assert int(group[-1]) <= int(high)
            assert after is None or int(high) < int(after[0])


def test_ten_equal_values_in_halves():
    tree = quantile_hierarchy(range(10), [1] * 10, groups=[2])
    assert groups_on(tree, 1) == [list("01234"), list("56789")]


@pytest.mark.parametrize(("counts", "first"), [([4, 3, 3], ["0"]), ([3, 3, 4], ["0", "1"])])
def test_a_group_ends_where_the_running_count_is_nearest_to_its_share(counts, first):
    """Half of 10 rows is 5: nearer to 4 than to 7, nearer to 6 than to 3."""
    assert groups_on(quantile_hierarchy([0, 1, 2], counts, groups=2), 1)[0] == first


def test_a_value_that_most_rows_share_is_not_split():
    """91 of 100 rows share 0: the quantiles 1/4 and 1/3 lie nearer to the start, 1/2 and 3/4 to the end of them."""
    tree = quantile_hierarchy([0, 5, 9], [91, 5, 4], groups=[4, 2])
    assert [row[1] == row[2] for row in tree.rows] == [True, True, True]
    assert [groups_on(tree, level) for level in (1, 2)] == [[["0"], ["5", "9"]]] * 2
    assert tree.rows[0][1] == "0"


def test_dates_and_texts_of_numbers_go_by_size():
    days = [dt.date(2024, 5, 1), dt.date(2023, 1, 1), dt.date(2024, 6, 1), dt.date(2023, 2, 1)]
    assert quantile_hierarchy(days, [1] * 4, groups=2).rows[0][1] == "[2022-12-01, 2023-02-28]"
    assert quantile_hierarchy(["11k", "3k", "20k", "4k"], [1] * 4, groups=2).rows[0][1] == "[3k, 4k]"


def test_other_values_stay_in_the_order_given():
    mixed = [dt.datetime(1970, 1, 9), dt.date(1970, 1, 1), 5, dt.date(1970, 1, 3)]
    assert groups_on(quantile_hierarchy(mixed, [1, 1, 1, 1], groups=2), 1)[1] == ["5", "1970-01-03"]
    sizes = ["small", "medium", "large", "huge"]
    assert groups_on(quantile_hierarchy(sizes, [1, 1, 1, 1], groups=2), 1) == [sizes[:2], sizes[2:]]
    assert quantile_hierarchy(["9", "1", "5", "0"], [1] * 4, groups=2, keep_order=True).rows[0] == ("9", "9 … 1", "*")


@pytest.mark.parametrize("groups", [[], [2, 4], [4, 4], [4, 1], 1, [0], [2.5]])
def test_numbers_of_groups_that_cannot_be(groups):
    with pytest.raises(HierarchyError, match="descend, and none is below 2"):
        quantile_hierarchy([1, 2], [1, 1], groups=groups)


def test_counts_must_fit_the_values():
    with pytest.raises(HierarchyError, match="2 values and 1 count;"):
        quantile_hierarchy([1, 2], [1])


@given(st.integers(1, 60), st.sampled_from([[2], [2, 4], [3, 6, 24], [50]]))
def test_groups_are_runs_of_the_size_asked_for(number, sizes):
    values = [f"v{at}" for at in range(number)]
    tree = group_hierarchy(values, sizes)
    assert list(tree.leaves) == values
    for level, size in enumerate(sizes, start=1):
        assert groups_on(tree, level) == [values[at : at + size] for at in range(0, number, size)]


@given(st.integers(1, 200), st.integers(2, 5))
def test_one_size_is_raised_to_powers_as_long_as_there_are_several_groups(number, size):
    tree = group_hierarchy(range(number), size)
    groups = [len(groups_on(tree, level)) for level in range(1, tree.height)]
    assert groups == [-(-number // size**level) for level in range(1, tree.height)]
    assert all(several > 1 for several in groups)
    assert size**tree.height >= number


def test_a_group_is_never_taken_for_a_value():
    """Joined by one dot, the group of a and b would read as the value 'a … b'."""
    tree = group_hierarchy(["a", "b", "a … b", "c"], 2)
    assert tree.rows[0] == ("a", "a …… b", "*")
    assert tree.rows[2] == ("a … b", "a … b …… c", "*")


def test_labels_that_could_be_split_in_two_ways_differ():
    tree = group_hierarchy(["a", "… b", "a …", "b"], [2])
    assert len({row[1] for row in tree.rows}) == 2


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([1, 2], "whole number of values, two or more"),
        (1, "whole number of values, two or more"),
        ([2.5], "whole number of values"),
        ([2, 3], "group size 3 is no larger multiple"),
        ([], "No group size was given"),
    ],
)
def test_sizes_that_cannot_be(sizes, message):
    with pytest.raises(HierarchyError, match=message):
        group_hierarchy("abcd", sizes)


def test_flat_has_nothing_between_a_value_and_the_root():
    assert flat_hierarchy([True, False, None]).rows == (("false", "*"), ("true", "*"))
    assert flat_hierarchy(["*"]).rows == (("*", "*"),)
