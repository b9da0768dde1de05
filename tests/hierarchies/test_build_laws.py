"""What every built hierarchy keeps, whatever built it: leaves, root, nesting, determinism, silence about cells."""

import datetime as dt
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.data.hierarchies import (
    Hierarchy,
    break_hierarchy,
    built_hierarchy,
    date_hierarchy,
    flat_hierarchy,
    group_hierarchy,
    inferred_hierarchy,
    interval_hierarchy,
    mask_hierarchy,
    quantile_hierarchy,
)
from tclose.data.values import as_text
from tclose.errors import HierarchyError

numbers = st.one_of(
    st.integers(-50, 50),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=True),
    st.decimals(-100, 100, places=3),
)
days = st.dates()
moments = st.datetimes() | st.datetimes(timezones=st.just(dt.UTC))
texts = st.text("ab19 …*[],<-", min_size=1, max_size=6).filter(str.strip)
odd = st.none() | st.booleans()


def ones(values):
    return [1] * len(values)


BUILDERS = {
    "intervals": (numbers, lambda values: interval_hierarchy(values, ["0.5", 2, 10], start="0.25")),
    "breaks": (numbers, lambda values: break_hierarchy(values, [[-7, 0, "1.5", 30], [0, 30], [30]])),
    "quantiles": (numbers, lambda values: quantile_hierarchy(values, ones(values), groups=[5, 3, 2])),
    "quantiles of days": (days, lambda values: quantile_hierarchy(values, ones(values))),
    "quantiles of texts": (texts | odd, lambda values: quantile_hierarchy(values, ones(values), groups=[4, 2])),
    "mask": (texts | numbers, lambda values: mask_hierarchy([v for v in values if len(as_text(v)) < 65])),
    "mask:left": (texts, lambda values: mask_hierarchy(values, from_the="left", character="#")),
    "dates": (days | moments, date_hierarchy),
    "quarters": (days, lambda values: date_hierarchy(values, ["quarter", "century"])),
    "weeks": (moments, lambda values: date_hierarchy(values, ["day", "week"])),
    "groups": (texts | numbers, group_hierarchy),
    "groups:3,6": (texts, lambda values: group_hierarchy(values, [3, 6])),
    "flat": (texts | numbers | days | odd, flat_hierarchy),
    "inferred numbers": (numbers, lambda values: inferred_hierarchy(values, ones(values), "number")),
    "inferred days": (days, lambda values: inferred_hierarchy(values, ones(values), "time")),
    "inferred moments": (moments, lambda values: inferred_hierarchy(values, ones(values), "time")),
    "inferred clocks": (st.times(), lambda values: inferred_hierarchy(values, ones(values), "time")),
    "inferred order": (
        texts,
        lambda values: inferred_hierarchy(values, ones(values), "text", sorted({*present(values)})),
    ),
}
KEEP_THE_ORDER_GIVEN = {"quantiles of texts", "groups", "groups:3,6"}


def present(values):
    return [value for value in values if value is not None and value == value]


@pytest.mark.parametrize("name", BUILDERS)
@given(data=st.data())
def test_every_value_is_a_leaf_once_under_one_root(name, data):
    strategy, build = BUILDERS[name]
    values = data.draw(st.lists(strategy | st.none(), min_size=1, max_size=12))
    tree = build(values)
    leaves = {as_text(value) for value in present(values) if name != "mask" or len(as_text(value)) < 65}
    assert sorted(tree.leaves) == sorted(leaves or {"*"})
    assert len({row[-1] for row in tree.rows}) == 1
    assert set(tree.rows[0][-1]) <= {"*", "#"}


@pytest.mark.parametrize("name", BUILDERS)
@given(data=st.data())
def test_what_is_together_on_a_level_stays_together(name, data):
    strategy, build = BUILDERS[name]
    tree = build(data.draw(st.lists(strategy, min_size=1, max_size=12)))
    for row in tree.rows:
        for other in tree.rows:
            shared = [mine == theirs for mine, theirs in zip(row[1:], other[1:], strict=True)]
            assert shared == sorted(shared)


@pytest.mark.parametrize("name", sorted(BUILDERS.keys() - {"mask", "mask:left"}))
@given(data=st.data())
def test_a_label_means_the_same_values_on_every_level(name, data):
    """A release may mix levels: a label that stands for a set of values must not stand for another one.

    Masks say how a code starts: where codes are masked already, 476** is a code and a label above others. A midnight
    is written as the day that it begins, of which it is a part; releases count the two as one class.
    """
    strategy, build = BUILDERS[name]
    values = data.draw(st.lists(strategy, min_size=1, max_size=12))
    tree = build(values)
    midnights = {as_text(each) for each in values if isinstance(each, dt.datetime) and each.time() == dt.time()}
    means = {}
    for level in range(tree.height):
        holds = {}
        for row in tree.rows:
            holds.setdefault(row[level], set()).add(row[0])
        for label, leaves in holds.items():
            assert means.setdefault(label, leaves) == leaves or (label in midnights and label in leaves)


@pytest.mark.parametrize("name", sorted(BUILDERS.keys() - KEEP_THE_ORDER_GIVEN))
@given(data=st.data())
def test_the_order_of_the_values_changes_nothing(name, data):
    strategy, build = BUILDERS[name]
    values = data.draw(st.lists(strategy, min_size=1, max_size=8, unique_by=as_text))
    assert build(data.draw(st.permutations(values))) == build(values)


@pytest.mark.parametrize(
    "build",
    [
        interval_hierarchy,
        lambda values: break_hierarchy(values, [1]),
        lambda values: quantile_hierarchy(values, ones(values)),
        mask_hierarchy,
        date_hierarchy,
        group_hierarchy,
        flat_hierarchy,
        lambda values: inferred_hierarchy(values, ones(values), "number"),
        lambda values: built_hierarchy("intervals", values, ones(values), "number"),
    ],
)
def test_a_column_without_values_gets_the_root_alone(build):
    """The tree of * alone covers a missing value, which is written *."""
    assert build([None, float("nan")]) == Hierarchy((("*", "*"),))
    assert build([]) == Hierarchy((("*", "*"),))


def test_numbers_of_any_type_are_the_same_leaf():
    same = [3, 3.0, Decimal("3.00"), np.int64(3), np.float64(3)]
    assert interval_hierarchy(same, [5]).rows == (("3", "[0, 5)", "*"),)
    assert inferred_hierarchy(np.arange(17, 91), np.ones(74, dtype=np.int64), "number") == inferred_hierarchy(
        range(17, 91), [1] * 74, "number"
    )


@pytest.mark.parametrize("text", ["", "  ", "a\0b"])
def test_texts_that_cannot_be_labels_are_counted(text):
    with pytest.raises(HierarchyError, match=r"1 distinct value of the column cannot be labels.*missing"):
        flat_hierarchy(["a", text])


def test_no_message_shows_a_cell():
    secret = ["s3cret", "s3cond", "s3xth", ""]
    for text in ("intervals:5", "intervals", "breaks:1", "dates", "auto", "flat", "mask", "groups"):
        with pytest.raises(HierarchyError) as caught:
            built_hierarchy(text, secret, [1, 1, 1, 1], "text")
        assert "s3" not in str(caught.value)
        values = secret[:3]
        if text not in ("flat", "mask", "groups"):
            with pytest.raises(HierarchyError) as caught:
                built_hierarchy(text, values, [1, 1, 1], "text")
            assert "s3" not in str(caught.value)


def test_a_hundred_thousand_values_take_seconds():
    values = [Fraction(number * 7919 % 1_000_003, 100) for number in range(100_000)]
    decimals = [Decimal(value.numerator) / Decimal(value.denominator) for value in values]
    start = time.process_time()
    tree = inferred_hierarchy(decimals, ones(decimals), "number")
    assert len(tree.leaves) == 100_000
    assert time.process_time() - start < 20
