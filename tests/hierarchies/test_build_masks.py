"""Masks: one more character hidden on each level, one parent for codes of any length."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.data.hierarchies import mask_hierarchy
from tclose.errors import HierarchyError

equally_long = st.integers(1, 6).flatmap(
    lambda length: st.lists(st.text("ab01.", min_size=length, max_size=length), min_size=1, max_size=10)
)
any_codes = st.lists(st.text("ab01*", min_size=1, max_size=6), min_size=1, max_size=10)


def test_zip_codes_of_the_first_table_of_li():
    rows = mask_hierarchy([47677, 47602, 47905]).rows
    assert rows[1] == ("47677", "4767*", "476**", "47***", "4****", "*****")
    assert [row[2] for row in rows] == ["476**", "476**", "479**"]


def test_from_the_left():
    assert mask_hierarchy(["ab12", "cd12"], from_the="left").rows == (
        ("ab12", "*b12", "**12", "***2", "****"),
        ("cd12", "*d12", "**12", "***2", "****"),
    )


@given(equally_long)
def test_each_level_hides_one_more_character(codes):
    for leaf, *labels in mask_hierarchy(codes).rows:
        assert labels == [leaf[: len(leaf) - hidden] + "*" * hidden for hidden in range(1, len(leaf) + 1)]


@given(any_codes, st.sampled_from(["right", "left"]))
def test_codes_are_together_where_they_agree_after_filling_up_with_blanks(codes, side):
    """The classes of ARX's redaction: fill up on the masked side, then compare what is not masked."""
    tree = mask_hierarchy(codes, from_the=side)
    longest = max(map(len, codes))
    filled = {code: code.ljust(longest) if side == "right" else code.rjust(longest) for code in codes}
    assert tree.height == longest
    for hidden in range(longest + 1):
        kept = slice(0, longest - hidden) if side == "right" else slice(hidden, longest)
        for one in codes:
            for other in codes:
                together = tree.ancestor(one, hidden) == tree.ancestor(other, hidden)
                assert together == (filled[one][kept] == filled[other][kept])


@given(any_codes)
def test_a_masked_label_shows_how_its_codes_start(codes):
    for leaf, *labels in mask_hierarchy(codes, character="#").rows:
        assert all(leaf.startswith(label.rstrip("#")) for label in labels)
        assert [label.count("#") for label in labels] == sorted(label.count("#") for label in labels)


def test_masked_codes_are_masked_further():
    assert mask_hierarchy(["476**", "47605"]).rows[0] == ("476**", "476**", "476**", "47***", "4****", "*****")


@pytest.mark.parametrize("character", ["", "**", "0", "x", " "])
def test_a_mask_that_could_be_part_of_a_code_is_refused(character):
    with pytest.raises(HierarchyError, match="one character that is no letter, digit or blank"):
        mask_hierarchy(["1"], character=character)


def test_a_side_that_is_none():
    with pytest.raises(HierarchyError, match="from the right or from the left"):
        mask_hierarchy(["1"], from_the="top")


def test_long_texts_are_no_codes():
    assert mask_hierarchy(["x" * 64]).height == 64
    with pytest.raises(HierarchyError, match="longest value has 65 characters"):
        mask_hierarchy(["x" * 65])
