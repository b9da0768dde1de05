"""Prefixes, ICD-10, top and bottom coding and rounding: trees that people expect, also over values that come later."""

from fractions import Fraction
from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose import Hierarchical, Roles, anonymize, apply, audit, read_policy
from tclose.data.hierarchies import built_hierarchy, extended_hierarchy
from tclose.data.hierarchies.codes import _BLOCKS, _CHAPTERS
from tclose.errors import HierarchyError

numbers = st.lists(st.integers(-500, 500) | st.decimals(-99, 99, places=3), min_size=1, max_size=12)


def rows(words, values, kind="text"):
    return [row[1:] for row in built_hierarchy(words, values, [1] * len(values), kind).rows]


def test_codes_of_any_length_stand_under_what_they_begin_with():
    assert rows("prefix:3,1", ["DE212", "DE", "F"]) == [("DE", "D*", "*"), ("DE2*", "D*", "*"), ("F", "F*", "*")]
    assert rows("prefix", ["J45.1"]) == [("J45*", "J*", "*")]


ICD = {
    # from the tabular list of ICD-10, version 2019, of the World Health Organization
    "A00.0": ("A00", "A00-A09", "A00-B99"), "B99": ("B99", "B99-B99", "A00-B99"), "D48": ("D48", "D37-D48", "C00-D48"),
    "D50.9": ("D50", "D50-D53", "D50-D89"),
    "E11.9": ("E11", "E10-E14", "E00-E90"), "H60": ("H60", "H60-H62", "H60-H95"),
    "I219": ("I21", "I20-I25", "I00-I99"), "J45.1": ("J45", "J40-J47", "J00-J99"), "O80": ("O80", "O80-O84", "O00-O99"),
    "S72.00": ("S72", "S70-S79", "S00-T98"),
    "T98": ("T98", "T90-T98", "S00-T98"), "U07.1": ("U07", "U00-U49", "U00-U99"),
    "X59": ("X59", "W00-X59", "V01-Y98"), "Y98": ("Y98", "Y90-Y98", "V01-Y98"), "Z99": ("Z99", "Z80-Z99", "Z00-Z99"),
}  # fmt: skip


@pytest.mark.parametrize("code", ICD)
def test_diagnoses_stand_in_their_category_block_and_chapter(code):
    assert rows("icd10", [code]) == [(*ICD[code], "*")]


def test_blocks_lie_in_one_chapter_each_and_do_not_overlap():
    for spans in (_CHAPTERS, _BLOCKS):
        assert all(low[4:] < high[:3] for low, high in pairwise(spans))
        assert all(span[:3] <= span[4:] for span in spans)
    assert all(
        sum(chapter[:3] <= block[:3] and block[4:] <= chapter[4:] for chapter in _CHAPTERS) == 1 for block in _BLOCKS
    )


def test_a_national_category_stands_for_itself_where_there_is_no_block():
    assert rows("icd10", ["D49.2", "O9A.1"]) == [("D49", "D49", "C00-D48", "*"), ("O9A", "O9A", "O00-O99", "*")]


def test_what_is_no_code_is_counted_and_never_shown():
    with pytest.raises(HierarchyError, match=r"2 of 3 .*number 1, 3\)") as refused:
        rows("icd10", ["J45", "Zebulon-7731", "0815"])
    assert "Zebulon" not in str(refused.value)


def test_extremes_are_united():
    assert rows("top:90", [17, 90, 101], "number") == [("17", "*"), ("≥ 90", "*"), ("≥ 90", "*")]
    assert rows("top:90,20", [17, 89.5, 90], "number")[1] == ("89.5", "[80, 90)", "*")
    assert rows("bottom:18", [17, 18], "number") == [("< 18", "*"), ("18", "*")]
    assert rows("bottom:18,10", [19], "number") == [("19", "[18, 20)", "*")]


@given(numbers, st.sampled_from([1, 10, Fraction(1, 2)]))
def test_a_rounded_number_is_half_a_unit_away_at_most(values, unit):
    words = f"round:{float(unit)},{float(unit * 3)}"
    for leaf, one, three, _ in built_hierarchy(words, values, [1] * len(values), "number").rows:
        assert -unit / 2 <= Fraction(leaf) - Fraction(one) < unit / 2
        assert -3 * unit / 2 <= Fraction(leaf) - Fraction(three) < 3 * unit / 2


@given(numbers, numbers, st.sampled_from(["top:9", "top:9,5,10", "bottom:3,5", "round:10", "prefix:2,1"]))
def test_a_rule_makes_of_later_values_what_it_would_have_made_at_first(first, later, words):
    first, later = ([str(float(each)) for each in values] for values in (first, later))
    grown = extended_hierarchy(built_hierarchy(words, first, [1] * len(first), "text"), later)
    whole = [*dict.fromkeys([*first, *later])]
    assert {*grown.rows} == {*built_hierarchy(words, whole, [1] * len(whole), "text").rows}


@pytest.mark.parametrize(
    "words", ["prefix:1,3", "prefix:0", "prefix:x", "icd10:3", "top", "bottom", "round", "round:10,100", "top:90,5,7"]
)
def test_words_that_make_no_tree_are_refused(words):
    with pytest.raises(HierarchyError):
        rows(words, ["1", "2"])


def visits():
    return pd.DataFrame({"zip": ["1", "2"] * 8, "ill": ["J45.1", "J45.9", "J44", "E11.9"] * 4})


def test_a_sensitive_attribute_may_have_words_for_its_hierarchy(tmp_path):
    """Within a block two codes are 1/4 or 1/2 apart: the tree has height 4."""
    tree = {
        "*": {
            "J00-J99": {"J40-J47": {"J45": ["J45.1", "J45.9"], "J44": ["J44 "]}},
            "E00-E90": {"E10-E14": {"E11": ["E11.9"]}},
        }
    }
    roles = Roles("zip", {"ill": Hierarchical("icd10")})
    table = visits().assign(zip=["1", "1", "1", "2"] * 4)
    given = Roles("zip", {"ill": Hierarchical(tree)})
    assert audit(table, roles)["ill"].t == audit(table.replace("J44", "J44 "), given)["ill"].t
    (tmp_path / "p.toml").write_text(
        '[columns]\nzip = { role = "quasi-identifier" }\nill = { role = "sensitive", hierarchy = "icd10" }\n'
    )
    policy = read_policy(tmp_path / "p.toml")
    assert policy.roles.sensitive["ill"].tree == "icd10"
    release = anonymize(visits(), policy.roles, require={"k": 4, "t": "0.3"}, hierarchies={"zip": "flat"})
    release.write(tmp_path / "r.csv")
    assert apply(visits(), tmp_path / "r.csv.recipe.json").holds


def test_a_hierarchy_that_lacks_values_says_how_many_and_where():
    with pytest.raises(HierarchyError, match=r"2 values are not among its leaves \(.*number 1, 3\)"):
        anonymize(visits(), Roles("ill", "zip"), require={"k": 2}, hierarchies={"ill": {"*": ["J44", "J45.9"]}})
