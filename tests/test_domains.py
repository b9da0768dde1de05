"""Domains: which values there are, in which order, how missing ones count, and what is said about it."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from canaries import CANARY
from papers import DISEASE_TREE, TABLES
from tclose import Hierarchical, Nominal, Numeric, Ordered, Roles, audit
from tclose.errors import DomainError, HierarchyError, InputError, SourceError, TcloseError
from tclose.models.domains import Domain, arranged
from tclose.models.value_order import Observed
from tclose.policy.roles import Distance


def observed(*values: object, kind: str = "text", categories=None) -> Observed:
    """Each distinct value once, in the order given, with 1, 2, 3, … rows."""
    return Observed(values, np.arange(1, len(values) + 1), kind, categories)


def order_of(seen: Observed, distance: Distance | None, **options) -> tuple[object, ...]:
    domain, ranks = arranged("s", seen, distance, **options)
    for value, count, rank in zip(seen.values, seen.counts, ranks, strict=True):
        if rank >= 0:
            assert domain.values[rank] == value
            assert domain.counts[rank] == count
    return tuple(domain.values)


def measured(values, distance=None, keys=None, **options):
    roles = Roles(quasi="q", sensitive={"s": distance})
    return audit({"q": keys or [1, 1, 2][: len(values)], "s": values}, roles, drivers=False, **options)["s"]


# ---- which distance is taken -------------------------------------------------------------------------

INFERRED = {
    "whole numbers": ([3, 1, 2], "ordered"),
    "reals": ([0.5, 1.5, -2.0], "ordered"),
    "decimals": ([Decimal("1.10"), Decimal("1.1"), Decimal("2")], "ordered"),
    "days": ([dt.date(2020, 1, 2), dt.date(2020, 1, 1), dt.date(2021, 1, 1)], "ordered"),
    "moments": ([dt.datetime(2020, 1, 2, 3), dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 3)], "ordered"),
    "truths": ([True, False, True], "nominal"),
    "text": (["b", "a", "c"], "nominal"),
    "text that reads as numbers": (["3k", "11k", "4k"], "nominal"),
}


@pytest.mark.parametrize(("values", "word"), INFERRED.values(), ids=INFERRED)
def test_the_usual_distance_is_taken_and_the_notes_say_which_and_how_to_change_it(values, word):
    found = measured(values)
    assert found.distance.word == word
    (taken,) = [note for note in found.notes if note.code == "taken-by-kind"]
    assert (f"Taken as {word}" in taken.text, taken.column) == (True, "s")
    assert f"'s:{'nominal' if word == 'ordered' else 'ordered'}'" in str(taken)
    assert "taken-by-kind" not in [note.code for note in measured(values, Nominal()).notes]


def test_text_of_numbers_taken_as_nominal_is_questioned():
    assert "nominal-numbers" in [note.code for note in measured(["3k", "11k", "4k"]).notes]
    assert "nominal-numbers" not in [note.code for note in measured(["3k", "much", "4k"]).notes]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["3", "1,5", CANARY], "2 of its 3 distinct values read as numbers or dates"),
        (["2020-01-01", "2020-02-01", CANARY], "2 of its 3 distinct values read as numbers or dates"),
        (["3", "flu", "cold"], None),
        (["1,234", "12", "NA"], None),
    ],
)
def test_texts_beside_numbers_taken_as_nominal_are_questioned(values, said):
    """A few texts in a column of numbers are what people write for a missing value, and cost the column its order."""
    notes = [note for note in measured(values).notes if note.code == "mostly-numbers"]
    assert [said in note.text for note in notes] == ([] if said is None else [True])
    assert all("ReadOptions(null" in str(note) for note in notes)
    assert not any(CANARY in str(note) for note in notes)
    assert "mostly-numbers" not in [note.code for note in measured(values, Nominal()).notes]


CATEGORIES = ["low", "mid", "high"]
ORDERED_COLUMNS = {
    "pandas": pd.Series(pd.Categorical(["low", "high", "mid"], categories=CATEGORIES, ordered=True)),
    "polars enum": pl.Series(["low", "high", "mid"], dtype=pl.Enum(CATEGORIES)),
    "arrow dictionary": pa.DictionaryArray.from_arrays(
        pa.array([0, 2, 1], pa.int8()), pa.array(CATEGORIES), ordered=True
    ),
}


def framed(column, keys=(1, 1, 2)):
    if isinstance(column, pd.Series):
        return pd.DataFrame({"q": list(keys), "s": column})
    if isinstance(column, pl.Series):
        return pl.DataFrame({"q": list(keys), "s": column})
    return pa.table({"q": pa.array(keys), "s": column})


@pytest.mark.parametrize("distance", [None, Ordered()], ids=["not declared", "declared ordered"])
@pytest.mark.parametrize("column", ORDERED_COLUMNS.values(), ids=ORDERED_COLUMNS)
def test_ordered_categories_keep_their_order(column, distance):
    """{low, high} of low < mid < high is at (1/6 + 1/6)/2, {mid} at (1/3 + 1/3)/2."""
    found = audit(framed(column), Roles(quasi="q", sensitive={"s": distance}), drivers=False)
    assert found["s"].distance.word == "ordered"
    assert found["s"].t == Fraction(1, 3)


def test_unordered_categories_are_nominal():
    column = pd.Series(pd.Categorical(["low", "high", "mid"], categories=CATEGORIES))
    found = audit(framed(column), Roles(quasi="q", sensitive="s"), drivers=False)["s"]
    assert (found.distance.word, found.t) == ("nominal", Fraction(2, 3))


def test_a_category_that_does_not_occur_does_not_lengthen_the_scale():
    column = pd.Series(pd.Categorical(["low", "high", "mid"], categories=["none", *CATEGORIES, "top"], ordered=True))
    found = audit(framed(column), Roles(quasi="q", sensitive="s"), drivers=False)["s"]
    assert (found.values, found.t) == (3, Fraction(1, 3))


# ---- order -------------------------------------------------------------------------------------------

BY_VALUE = {
    "numbers": (observed(10, 9, -1, kind="number"), (-1, 9, 10)),
    "numbers of several types": (observed(10, 9.5, Decimal("-1"), kind="number"), (Decimal("-1"), 9.5, 10)),
    "numeric text": (observed("10", "9", "-1"), ("-1", "9", "10")),
    "money": (observed("$1,200.50", "$900", "$1k"), ("$900", "$1k", "$1,200.50")),
    "thousands": (observed("11k", "3k", "10k"), ("3k", "10k", "11k")),
    "alphabet": (observed("b", "a", "C", "é"), ("C", "a", "b", "é")),
    "truths": (observed(True, False, kind="truth"), (False, True)),
    "days": (
        observed(dt.date(2020, 2, 1), dt.date(2020, 1, 31), kind="time"),
        (dt.date(2020, 1, 31), dt.date(2020, 2, 1)),
    ),
}


@pytest.mark.parametrize(("seen", "expected"), BY_VALUE.values(), ids=BY_VALUE)
def test_values_are_ordered_by_size_and_text_by_the_alphabet(seen, expected):
    assert order_of(seen, Ordered()) == expected


def test_frequency_puts_the_most_frequent_first_and_ties_in_order_of_value():
    seen = Observed(["4", "10", "3", "2"], np.array([1, 1, 3, 1]), "text")
    assert order_of(seen, Ordered(order="frequency")) == ("3", "2", "4", "10")


def test_a_list_is_the_order_whatever_type_the_values_have():
    assert order_of(observed(1, 2, 3, kind="number"), Ordered(order=["3", 1.0, 2])) == (3, 1, 2)
    assert order_of(observed(1.5, 2.0, kind="number"), Ordered(order=[2, "1.5"])) == (2.0, 1.5)
    days = observed(dt.date(2020, 1, 1), dt.date(2020, 1, 2), kind="time")
    assert order_of(days, Ordered(order=["2020-01-02", "2020-01-01"])) == days.values[::-1]


def test_a_list_that_lacks_values_is_refused_without_naming_them():
    with pytest.raises(DomainError, match="1 of the 3 distinct values of 's' are not in its order") as caught:
        order_of(observed("a", CANARY, "b"), Ordered(order=["a", "b"]))
    assert CANARY not in str(caught.value)


def test_a_list_that_names_a_value_twice_in_two_ways_is_refused():
    with pytest.raises(InputError, match="once"):
        measured([1, 2, 3], Ordered(order=[1, 1.0, 2, 3]))


def test_numbers_mixed_with_text_need_a_list():
    with pytest.raises(
        DomainError, match=r"2 of 3 distinct values read as numbers\)\. Say which .*ReadOptions\(null="
    ) as caught:
        measured(["1", "2", CANARY], Ordered())
    assert CANARY not in str(caught.value)
    assert measured(["1", "2", "many"], Ordered(order=["1", "2", "many"])).t == Fraction(1, 2)


def test_a_column_of_numbers_and_text_is_refused_without_cells():
    with pytest.raises(SourceError, match="different types") as caught:
        measured([1, CANARY, 3])
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("threads", [1, 2])
def test_moments_that_differ_by_nanoseconds_keep_their_order(threads):
    numbers = [5, 3, 1, 2, 4, 9, 8, 7, 6, 10] * 3
    keys = [1, 1, 1, 2, 2, 2, 3, 3, 3, 3] * 3
    roles = Roles(quasi="q", sensitive="s:ordered")
    moments = pd.DataFrame({"q": keys, "s": np.array(numbers, dtype="datetime64[ns]")})
    expected = audit({"q": keys, "s": numbers}, roles, drivers=False)["s"].t
    assert audit(moments, roles, drivers=False, threads=threads)["s"].t == expected


# ---- missing values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_every_kind_of_nothing_is_a_missing_value(missing):
    found = audit(
        pd.DataFrame({"q": [1, 1, 2], "s": pd.Series([1, 2, missing], dtype=object)}),
        Roles(quasi="q", sensitive={"s": Ordered(nulls="drop")}),
    )["s"]
    assert found.left_out == 1
    assert found.values == 2


def test_a_missing_value_in_a_quasi_identifier_is_a_value_of_its_own():
    found = audit({"q": [None, None, "a", ""], "s": [1, 2, 3, 4]}, Roles(quasi="q", sensitive="s:ordered"))
    assert [(row["q"], row["size"]) for row in found.classes.rows()] == [(None, 2), ("", 1), ("a", 1)]


def test_a_missing_nominal_value_is_a_category_unless_told_otherwise():
    """{x, nothing} against x, y, nothing: 1/3 either way; {y} alone: 2/3."""
    assert measured(["x", None, "y"]).t == Fraction(2, 3)
    assert measured(["x", None, "y"]).values == 3
    dropped = measured(["x", None, "y"], Nominal(nulls="drop"))
    assert (dropped.t, dropped.values, dropped.left_out) == (Fraction(1, 2), 2, 1)
    assert [(note.code, note.text) for note in dropped.notes] == [
        ("missing-left-out", "1 row without a value left out, as asked.")
    ]


def test_an_empty_text_is_not_a_missing_value():
    assert measured(["", None, "y"]).values == 3


def test_a_missing_value_on_a_scale_goes_where_it_is_told():
    """Scale nothing < 1 < 2 with classes {nothing, 1}, {2}; and 1 < 2 < nothing; judged on that scale alone."""
    with mock.patch.object(Domain, "present", None):
        assert measured([None, 1, 2], Ordered(nulls="first")).t == Fraction(1, 2)
        assert measured([None, 1, 2], Ordered(nulls="last")).t == Fraction(1, 3)
        listed = Ordered(order=[2, 1], nulls="last")
        assert measured([None, 1, 2], listed).t == Fraction(1, 2)
        by_frequency = measured([None, None, 1], Ordered(order="frequency", nulls="last"))
        assert (by_frequency.t, by_frequency.values) == (Fraction(2, 3), 2)


def test_classes_are_judged_without_missing_values_as_well():
    """Without the nothing of {nothing, 1}, the classes are {1} and {2} of a half each."""
    found = measured([None, 1, 2], Ordered(nulls="last"))
    assert found.t == Fraction(1, 2)
    (note,) = [note for note in found.notes if note.code == "missing-judged-twice"]
    assert note.text.startswith("1 row without a value of 's'")
    assert "t is 0.3333 (1/3) with and 0.5 (1/2) without them" in note.text
    same = measured([None, None, 1], Nominal())
    assert [note.code for note in same.notes if note.code.startswith("missing")] == ["missing-judged-twice"]
    alone = measured([None, None, None], Nominal())
    assert (alone.t, [note for note in alone.notes if note.code.startswith("missing")]) == (0, [])


@pytest.mark.parametrize("distance", [Ordered(), Numeric(), Nominal(nulls="error"), None], ids=str)
def test_a_missing_value_that_has_no_meaning_is_an_error_that_names_the_choices(distance):
    with pytest.raises(DomainError, match=r"no value in 1 row.*\(drop") as caught:
        measured([1, 2, None], distance)
    assert (caught.value.code, caught.value.field, caught.value.column) == ("missing-values", "nulls", "s")


def test_a_missing_leaf_must_be_dropped():
    with pytest.raises(DomainError, match=r"missing value means \(drop\), such as nulls='drop'"):
        measured(["flu", "gastritis", None], Hierarchical(DISEASE_TREE))
    assert measured(["flu", "gastritis", None], Hierarchical(DISEASE_TREE, nulls="drop")).t == 0


def test_classes_without_any_value_have_no_figure_and_fail_nothing():
    columns = {"q": [1, 1, 2, 2], "s": [1, 2, None, None]}
    roles = Roles(quasi="q", sensitive={"s": Ordered(nulls="drop")})
    found = audit(columns, roles, require={"l": 2, "t": 0, "k": 2}, measure="all")
    assert found.holds
    row = list(found.classes.rows())[1]
    assert (row["q"], row["size"]) == (2, 2)
    assert all(row[name] is None for name in row if name.startswith("s."))


def test_a_column_without_any_value_cannot_be_dropped():
    with pytest.raises(DomainError, match="no values"):
        measured([None, None, None], Nominal(nulls="drop"))
    assert measured([None, None, None]).t == 0


def test_a_missing_value_that_only_the_reference_has_is_not_blamed_on_the_table():
    reference = {"s": [1, 2, 3, None]}
    with pytest.raises(DomainError, match="reference"):
        measured([1, 2, 3], Ordered(), reference=reference)
    assert measured([1, 2, 3], Ordered(nulls="drop"), reference=reference).left_out == 0


# ---- references --------------------------------------------------------------------------------------

REFERENCES = {
    "whole numbers, reference of reals": ([1, 2, 3], [1.0, 2.0, 3.0, 3.0]),
    "reals, reference of whole numbers": ([1.0, 2.0, 3.0], [1, 2, 3, 3]),
    "decimals, reference of whole numbers": ([Decimal("1.00"), Decimal("2"), Decimal("3")], [1, 2, 3, 3]),
    "whole numbers, reference of text": ([1, 2, 3], ["1", "2", "3", "3"]),
}


@pytest.mark.parametrize(("values", "reference"), REFERENCES.values(), ids=REFERENCES)
def test_the_values_of_a_reference_are_matched_whatever_type_they_have(values, reference):
    expected = measured([1, 2, 3], Ordered(), reference={"s": [1, 2, 3, 3]}).t
    found = measured(values, Ordered(), reference={"s": reference})
    assert found.t == expected == Fraction(3, 8)
    assert found.values == 3


def test_combinations_are_matched_with_a_reference_of_other_types():
    roles = Roles(quasi="q", sensitive=["a", "b"], together="joint")
    columns = {"q": [1, 1, 2], "a": [1, 2, 3], "b": ["x", "y", "y"]}
    same = audit(columns, roles, reference=columns)
    other = audit(columns, roles, reference=columns | {"a": [1.0, 2.0, 3.0]})
    assert [a.t for a in other.attributes.values()] == [a.t for a in same.attributes.values()]


def test_a_value_that_only_the_reference_has_belongs_to_the_domain():
    found = measured([1, 2, 3], Ordered(), reference={"s": {1: 1, 2: 1, 3: 1, 9: 1}})
    assert found.values == 4
    assert found.t == Fraction(1, 3)  # {1, 2}: flows 1/4, 1/2, 1/4 over three edges; {3}: -1/4, -1/2, 1/4


@pytest.mark.parametrize("power", [12, 15, 16, 17, 18])
@pytest.mark.parametrize("m", [4, 100, 1200])
def test_the_size_of_a_reference_does_not_change_its_shares(power, m):
    small = measured([0, 1, m - 1], Ordered(), reference={"s": dict.fromkeys(range(m), 1)})
    large = measured([0, 1, m - 1], Ordered(), reference={"s": dict.fromkeys(range(m), 10**power)})
    assert large.t == small.t
    uneven = {v: 10**power + v for v in range(m)}
    found = measured([0, 1, m - 1], Nominal(), reference={"s": uneven})
    total = sum(uneven.values())
    assert found.t == 1 - Fraction(uneven[m - 1], total)


def test_shares_given_as_floats_are_the_decimals_they_show():
    shares = {"a": 1 / 1300, "b": 1 - 1 / 1300}
    exact = {name: Fraction(repr(share)) for name, share in shares.items()}
    found = measured(["a", "b", "b"], reference={"s": shares})
    assert found.t == Fraction(1, 2) - exact["a"] / sum(exact.values())


LONG = {"many digits": {"a": "0.12345678901234567891", "b": "0.87654321098765432109"},
        "large primes": {"a": "1/9999999967", "b": "1/9999999943", "c": "1/9999999929"}}  # fmt: skip


@pytest.mark.parametrize("shares", LONG.values(), ids=LONG)
def test_shares_may_have_more_digits_than_64_bits(shares):
    found = measured(["a", "b", "b"], reference={"s": shares}, measure="all")
    total = sum(map(Fraction, shares.values()))
    q = {name: Fraction(share) / total for name, share in shares.items()}
    expected = max(
        sum(max(Fraction(0), p.get(name, Fraction(0)) - q[name]) for name in q)
        for p in ({"a": Fraction(1, 2), "b": Fraction(1, 2)}, {"b": Fraction(1)})
    )
    assert found.t == expected


# ---- numbers -----------------------------------------------------------------------------------------


def test_numbers_of_very_different_size_are_measured_exactly():
    """{1e-300, 1e300} and {1}: the flows are 1/6 over the first gap, 1/6 over the second."""
    tiny, one, huge = Fraction(1, 10**300), Fraction(1), Fraction(10**300)
    found = measured([1e-300, 1e300, 1.0], Numeric(), measure="all")
    one_class = (Fraction(1, 6) * (one - tiny) + Fraction(1, 6) * (huge - one)) / (huge - tiny)
    other = (Fraction(1, 3) * (one - tiny) + Fraction(1, 3) * (huge - one)) / (huge - tiny)
    assert found.t == max(one_class, other)


def test_numbers_that_are_all_tiny_are_measured():
    found = measured([0.0, 1e-20, 2e-20], Ordered(), measure="all")
    assert found.t == Fraction(1, 2)
    assert found["ke"].value == 0


def test_a_number_written_in_two_ways_is_refused_as_numeric():
    with pytest.raises(DomainError, match="same number in several ways"):
        measured(["1", "1.0", "2"], Numeric())


@pytest.mark.parametrize("values", [["1", CANARY, "3"], [1.0, float("inf"), 2.0]], ids=["text", "infinite"])
def test_what_is_no_finite_number_is_refused_as_numeric(values):
    with pytest.raises(DomainError, match="1 distinct values that are not finite") as caught:
        measured(values, Numeric())
    assert CANARY not in str(caught.value)


def test_dates_are_as_far_apart_as_their_days():
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 2), dt.date(2020, 1, 11)]
    assert measured(days, Numeric()).t == measured([0, 1, 10], Numeric()).t


def test_one_value_alone_is_at_distance_0():
    for distance in (Ordered(), Numeric(), Nominal()):
        found = measured([7, 7, 7], distance, measure="all", require={"smoothed_js": 0, "nt": (2, 0)})
        assert (found.t, found.largest_t) == (0, 0)


def test_a_value_outside_the_tree_is_refused_without_naming_it():
    with pytest.raises(HierarchyError) as caught:
        measured(["flu", CANARY, "gastritis"], Hierarchical(DISEASE_TREE))
    assert CANARY not in str(caught.value)


def chain(error):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


LEAKS = {
    "numeric": (["1", CANARY, "3"], Numeric(), {}),
    "mixed": (["1", CANARY, "3"], Ordered(), {}),
    "list": (["1", CANARY, "3"], Ordered(order=["1", "3"]), {}),
    "tree": (["flu", CANARY, "flu"], Hierarchical(DISEASE_TREE), {}),
    "population": (["a", "b", "c"], Nominal(), {"population": {"q": [CANARY, "x", "y"]}}),
    "population of another type": (["a", "b", "c"], Nominal(), {"population": {"q": [1.5, None, 2.5]}}),
    "range": ([CANARY, "b", "c"], Nominal(), {"require": {"ke": (1, 1)}}),
}


@pytest.mark.parametrize(("values", "distance", "options"), LEAKS.values(), ids=LEAKS)
def test_no_error_nor_what_caused_it_carries_a_cell(values, distance, options):
    with pytest.raises(TcloseError) as caught:
        measured(values, distance, keys=[1, 1, 4711], **options)
    for error in chain(caught.value):
        assert CANARY not in str(error)
        assert "4711" not in str(error)


def test_the_tables_of_the_papers_have_no_missing_values():
    assert all(None not in row for table in TABLES.values() for row in table.rows)


@pytest.mark.parametrize(
    ("values", "stretched"),
    [
        ([*range(1999), 3997], True),  # the largest two of 2,000: 3997 − 1997 = 2000 is more than half of 3997
        ([*range(1999), 3994], False),  # 3994 − 1997 = 1997 is just half
        ([*range(1998), 9000, 9000], True),  # two of 2,000 are 0.1 %
        ([*range(1997), 9000, 9000, 9000], False),  # three are more
        ([0, 1, 2, 5], True),  # of few values, the largest alone: 5 − 2 = 3
        ([0, 2, 3, 4], False),
        ([7], False),
    ],
)
def test_a_range_that_few_large_values_make_is_told(values, stretched):
    numeric, ordered = (
        audit({"q": [1] * len(values), "s": values}, Roles(quasi="q", sensitive={"s": each}), drivers=False)["s"]
        for each in (Numeric(), Ordered())
    )
    codes = [note.code for note in numeric.notes]
    assert codes == (["stretched-range"] if stretched else [])
    assert not ordered.notes
    if stretched:
        assert "ordered" in str(numeric.notes[0])
        assert str(max(values)) not in str(numeric.notes[0])
