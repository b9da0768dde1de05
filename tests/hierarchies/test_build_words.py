"""The few words in which the command line and policies ask for a hierarchy."""

import datetime as dt

import pytest

from tclose.data.hierarchies import (
    break_hierarchy,
    builder_meant,
    built_hierarchy,
    date_hierarchy,
    flat_hierarchy,
    group_hierarchy,
    inferred_hierarchy,
    interval_hierarchy,
    is_builder,
    mask_hierarchy,
    quantile_hierarchy,
)
from tclose.errors import HierarchyError

AGES = [90, 17, 38, 39, 25, None]
COUNTS = [1, 2, 9, 9, 3, 4]
DAYS = [dt.date(2024, 3, 7), dt.date(2023, 3, 7), dt.date(2023, 4, 1)]


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("intervals:5,10,20", interval_hierarchy(AGES, [5, 10, 20])),
        ("intervals: 0.5 , 5", interval_hierarchy(AGES, ["0.5", 5])),
        ("intervals", inferred_hierarchy(AGES, COUNTS, "number")),
        ("auto", inferred_hierarchy(AGES, COUNTS, "number")),
        ("quantiles:3,2", quantile_hierarchy(AGES, COUNTS, groups=[3, 2])),
        ("quantiles", quantile_hierarchy(AGES, COUNTS, groups=[8, 4, 2])),
        ("breaks:18,30,65", break_hierarchy(AGES, [18, 30, 65])),
        ("breaks:18,30,65/30", break_hierarchy(AGES, [[18, 30, 65], [30]])),
        ("mask", mask_hierarchy(AGES)),
        ("mask:right", mask_hierarchy(AGES)),
        ("mask:left", mask_hierarchy(AGES, from_the="left")),
        ("groups:2,4", group_hierarchy([17, 25, 38, 39, 90], [2, 4])),
        ("groups", group_hierarchy([17, 25, 38, 39, 90], [2, 4])),
        ("flat", flat_hierarchy(AGES)),
    ],
)
def test_words_for_numbers(text, tree):
    assert is_builder(text)
    assert built_hierarchy(text, AGES, COUNTS, "number") == tree


def test_words_for_dates():
    assert built_hierarchy("dates", DAYS, [1, 1, 1], "time") == date_hierarchy(DAYS)
    assert built_hierarchy("dates:month,year", DAYS, [1, 1, 1], "time") == date_hierarchy(DAYS, ["month", "year"])


@pytest.mark.parametrize("text", ["groups:2", "quantiles:2"])
def test_groups_follow_the_categories_else_the_alphabet(text):
    categories = ("5", "1", "9", "0")
    values = ["0", "1", "5", "9"]
    by_category = built_hierarchy(text, values, [1] * 4, "text", categories)
    assert by_category.rows == (
        ("5", "5 … 1", "*"),
        ("1", "5 … 1", "*"),
        ("9", "9 … 0", "*"),
        ("0", "9 … 0", "*"),
    )
    letters = built_hierarchy(text, ["d", "b", "c", "a"], [1] * 4, "text")
    assert letters.rows[0] == ("a", "a … b", "*")


@pytest.mark.parametrize("text", ["zip.csv", "./flat", "flat.csv", "hierarchies/mask", "interval:5", ""])
def test_what_is_no_builder_is_a_path(text):
    assert not is_builder(text)


def test_a_path_that_is_nearly_a_word_was_meant_as_one(tmp_path):
    assert builder_meant("interval:5,10") == "intervals:5,10"
    assert builder_meant(str(tmp_path / "quantile")) == "quantiles"
    assert builder_meant("zip.csv") is None
    assert builder_meant("xyzzy") is None
    (tmp_path / "masks").write_text("47602;*\n")
    assert builder_meant(str(tmp_path / "masks")) is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("interval:5", "'interval' is no way to build a hierarchy. Did you mean 'intervals'"),
        ("quantile", "Did you mean 'quantiles'"),
        ("xyzzy", "There are 'auto', 'bottom', 'breaks', 'columns', 'dates', 'flat', 'groups', 'icd10', 'intervals'"),
        ("intervals:", "Nothing follows the colon"),
        ("intervals:5,x", "A width must be a decimal"),
        ("intervals:5,,10", "A width must be a decimal"),
        ("intervals:5,12", "no larger multiple"),
        ("quantiles:a", "whole numbers; write them as in quantiles:8,4,2"),
        ("quantiles:2,4", "descend"),
        ("breaks", "as in breaks:18,30,65"),
        ("breaks:18,x", "A break must be a decimal"),
        ("breaks:18/30", "would be torn"),
        ("mask:top", "mask:right or mask:left"),
        ("mask:left,right", "one side"),
        ("dates:year", "needs dates"),
        ("groups:2.5", "whole numbers; write them as in groups:2,4"),
        ("groups:2,3", "no larger multiple"),
        ("flat:2", "nothing to choose"),
        ("auto:2", "nothing to choose"),
    ],
)
def test_words_that_cannot_be(text, message):
    with pytest.raises(HierarchyError, match=message):
        built_hierarchy(text, AGES, COUNTS, "number")


def test_auto_says_when_values_show_no_hierarchy():
    with pytest.raises(HierarchyError, match="do not show a hierarchy; give a file with one, or 'flat'"):
        built_hierarchy("auto", ["nurse", "clerk", "smith"], [1, 1, 1], "text")
