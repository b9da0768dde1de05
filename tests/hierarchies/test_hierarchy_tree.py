"""A Hierarchy is a checked tree, and gives every value's ancestors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import hierarchies
from tclose.data.hierarchies import Hierarchy, UncoveredValuesError
from tclose.errors import HierarchyError

ROWS = (("flu", "lung", "*"), ("asthma", "lung", "*"), ("colitis", "colon", "*"))


def test_height_leaves_and_ancestors():
    tree = Hierarchy(ROWS)
    assert tree.height == 2
    assert tree.leaves == ("flu", "asthma", "colitis")
    assert [tree.ancestor("colitis", level) for level in range(3)] == ["colitis", "colon", "*"]
    assert "flu" in tree
    assert "lung" not in tree


def test_repr_shows_no_label():
    assert repr(Hierarchy(ROWS)) == "Hierarchy(3 leaves, height 2)"


def test_exact_repetitions_of_a_row_are_dropped():
    assert Hierarchy((*ROWS, ROWS[0])) == Hierarchy(ROWS)


def test_lists_of_lists_are_taken_as_rows():
    assert Hierarchy([list(row) for row in ROWS]) == Hierarchy(ROWS)


def test_the_same_label_on_consecutive_levels_is_a_straight_branch():
    tree = Hierarchy((("other", "other", "*"), ("flu", "lung", "*"), ("misc", "other", "*")))
    assert tree.codes(["misc", "other", "flu"]).tolist() == [[0, 1, 2], [0, 0, 1]]


def test_codes_are_numbered_by_first_appearance_among_the_values():
    codes = Hierarchy(ROWS).codes(["colitis", "asthma", "colitis", "flu"])
    assert codes.dtype == np.int32
    assert codes.tolist() == [[0, 1, 0, 2], [0, 1, 0, 1]]


def test_codes_of_no_values_keep_the_levels():
    assert Hierarchy(ROWS).codes([]).shape == (2, 0)


@given(hierarchies(), st.randoms())
def test_codes_agree_exactly_where_ancestors_agree(tree, random):
    values = [random.choice(tree.leaves) for _ in range(6)]
    codes = tree.codes(values)
    assert codes.shape == (tree.height, 6)
    for level in range(tree.height):
        ancestors = [tree.ancestor(value, level) for value in values]
        for i in range(6):
            for j in range(6):
                assert (codes[level, i] == codes[level, j]) == (ancestors[i] == ancestors[j])
        assert set(codes[level].tolist()) == set(range(len(set(ancestors))))


def test_values_that_are_no_leaves_are_counted_but_not_shown():
    with pytest.raises(UncoveredValuesError, match=r"'disease'.*2 values") as caught:
        Hierarchy(ROWS).codes(["flu", "secret one", "secret two", "secret one"], column="disease")
    assert caught.value.missing == ("secret one", "secret two")
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(caught.value)


def test_ancestor_of_a_value_that_is_no_leaf():
    with pytest.raises(UncoveredValuesError, match="1 value is not among its leaves") as caught:
        Hierarchy(ROWS).ancestor("secret", 1)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("level", [-1, 3])
def test_ancestor_on_a_level_that_is_not_there(level):
    with pytest.raises(HierarchyError, match="the levels 0 to 2"):
        Hierarchy(ROWS).ancestor("flu", level)


BROKEN = {
    "empty": ((), "is empty"),
    "ragged": ((("a", "x", "*"), ("b", "*")), r"In row 2 .* 2 levels, in row 1 it has 3"),
    "blank": ((("a", " ", "*"),), r"In row 1, level 1 .*column 2"),
    "zero byte": ((("a\0", "*"),), "In row 1, level 0"),
    "not text": (((1, "*"),), "In row 1, level 0"),
    "one level": ((("a",), ("b",)), "one level only; add a root"),
    "no single root": ((("a", "x"), ("b", "y"), ("c", "z")), "3 different labels instead of one root"),
    "leaf twice": ((("a", "x", "*"), ("a", "y", "*")), "1 rows of the hierarchy repeat a leaf"),
    "two parents": (
        (("a", "x", "p", "*"), ("b", "x", "q", "*"), ("c", "y", "q", "*")),
        r"On level 1 .*column 2.*1 label has two or more parents on level 2",
    ),
    "several with two parents": (
        (("a", "x", "p", "*"), ("b", "x", "q", "*"), ("c", "y", "p", "*"), ("d", "y", "q", "*")),
        "2 labels have",
    ),
}


@pytest.mark.parametrize(("rows", "message"), BROKEN.values(), ids=BROKEN)
def test_rows_that_are_no_tree_are_refused(rows, message):
    with pytest.raises(HierarchyError, match=message):
        Hierarchy(rows)
