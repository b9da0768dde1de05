"""A built hierarchy makes of values it has not seen what it would have made of them at first."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.data.hierarchies import (
    Hierarchy,
    break_hierarchy,
    built_hierarchy,
    check_rule,
    date_hierarchy,
    extended_hierarchy,
    flat_hierarchy,
    group_hierarchy,
    inferred_hierarchy,
    interval_hierarchy,
    mask_hierarchy,
    quantile_hierarchy,
)
from tclose.data.values import as_text
from tclose.errors import HierarchyError

NUMBERS = st.one_of(
    st.integers(-(10**9), 10**9),
    st.decimals(-1000, 1000, places=3),
    st.floats(-1e6, 1e6).map(lambda number: round(number, 6)),
)
MOMENTS = st.datetimes().filter(lambda moment: moment.time() != dt.time())  # midnights alone are a column of days
ZONED = st.datetimes(timezones=st.just(dt.timezone(dt.timedelta(hours=-11))))
BUILDERS = {
    "intervals": (NUMBERS, lambda values: interval_hierarchy(values, ["0.25", 5, 100])),
    "thirds": (NUMBERS, lambda values: interval_hierarchy(values, ["1/3", 2])),
    "breaks": (NUMBERS, lambda values: break_hierarchy(values, [["-0.5", 0, 18, 65], [0, 65]])),
    "one list": (NUMBERS, lambda values: break_hierarchy(values, [18, 65])),
    "dates": (st.dates(), date_hierarchy),
    "weeks": (st.dates(), lambda values: date_hierarchy(values, ["day", "week"])),
    "moments": (MOMENTS, date_hierarchy),
    "zoned": (ZONED, lambda values: date_hierarchy(values, ["day", "quarter", "century"])),
    "right": (st.text("0123456789*-", min_size=5, max_size=5), mask_hierarchy),
    "left": (st.text("ab12", min_size=5, max_size=5), lambda values: mask_hierarchy(values, from_the="left")),
    "flat": (st.sampled_from(["f", "m", "*", "x y"]), flat_hierarchy),
}


@pytest.mark.parametrize("builder", BUILDERS)
@given(data=st.data())
def test_a_hierarchy_extended_by_its_rule_is_the_one_built_from_all_values(builder, data):
    values, build = BUILDERS[builder]
    seen = data.draw(st.lists(values, min_size=1, max_size=5))
    unseen = data.draw(st.lists(values, max_size=5))
    extended = extended_hierarchy(build(seen), [as_text(value) for value in unseen])
    assert {*extended.rows} == {*build([*seen, *unseen]).rows}
    check_rule(extended.rule)


@given(st.lists(st.text("123", min_size=1, max_size=4), min_size=1))
def test_shorter_codes_are_masked_as_at_first(codes):
    longest = max(codes, key=len)
    assert {*extended_hierarchy(mask_hierarchy([longest]), codes).rows} == {*mask_hierarchy(codes).rows}


@pytest.mark.parametrize(
    ("tree", "strange"),
    [
        (interval_hierarchy([1, 2], [5]), ["old", "inf", "", "\0", "2024-01-01"]),
        (break_hierarchy([1, 2], [5]), ["old", "inf", " "]),
        (date_hierarchy([dt.date(2024, 3, 7)]), ["2024", "2024-02-30", "7.3.2024", "12"]),
        (mask_hierarchy(["123"]), ["1234", " ", ""]),
        (flat_hierarchy(["a"]), [" ", "", "a\0"]),
        (interval_hierarchy([1, 2], [5], start=1), ["3"]),
        (mask_hierarchy(["123"], character="#"), ["124"]),
        (quantile_hierarchy([1, 3], [1, 1], groups=2), ["2"]),
        (group_hierarchy(["a", "c"]), ["b"]),
        (Hierarchy((("flu", "lung", "*"), ("colitis", "colon", "*"))), ["cold"]),
        (interval_hierarchy([None], [5]), ["3"]),
    ],
)
def test_values_that_a_rule_does_not_cover_are_no_leaves(tree, strange):
    assert extended_hierarchy(tree, strange).rows == tree.rows


def test_what_was_inferred_has_a_rule_too():
    ages = inferred_hierarchy(range(17, 91), [1] * 74, "number")
    assert extended_hierarchy(ages, ["101"]).ancestor("101", 1) == "[100, 105)"
    days = inferred_hierarchy([dt.date(2024, 3, day) for day in (1, 2, 3)], [1] * 3, "time")
    assert extended_hierarchy(days, ["1999-12-31"]).ancestor("1999-12-31", 1) == "1999-12"
    assert extended_hierarchy(built_hierarchy("mask:left", ["ab", "cb"], [1, 1], "text"), ["xy"]).rows[-1] == (
        "xy", "*y", "**",
    )  # fmt: skip


@pytest.mark.parametrize(
    "rule", ["", "x", "intervals", "intervals:0", "breaks:2,1", "mask", "mask:up", "dates:", "flat:1"]
)
def test_what_is_no_rule_is_refused(rule):
    with pytest.raises(HierarchyError):
        check_rule(rule)


def test_a_rule_that_did_not_make_the_rows_is_refused():
    tree = Hierarchy((("1", "[0, 5)", "*"), ("7", "[5, 10)", "*")), "intervals:5,10")
    with pytest.raises(HierarchyError, match="levels"):
        extended_hierarchy(tree, ["3"])
