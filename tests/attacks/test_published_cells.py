"""Cells of any tool, read as the values of the original that they cover."""

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tclose
from canaries import CANARY
from tclose.attacks.existing_release import covered_values
from tclose.data.hierarchies import Hierarchy, flat_hierarchy
from tclose.models.value_order import Observed

AGES = [17, 18, 25, 30, 41, 90]
ZIPS = ["13053", "13068", "14850", "48501"]
TREE = Hierarchy((("ash", "left", "all"), ("birch", "left", "all"), ("cedar", "right", "all")))


def covered(values, cell, tree=None):
    texts = [str(value) for value in values if value is not None]
    (mask,) = covered_values("column", values, tree or flat_hierarchy(texts), Observed([cell], [1], "text"))
    return [value for value, held in zip(values, mask.tolist(), strict=True) if held]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("25", [25]), (25, [25]), ("*", AGES), (None, AGES), ("[18, 30]", [18, 25, 30]), ("[18, 30[", [18, 25]),
        ("[18,30)", [18, 25]), ("(18, 30]", [25, 30]), ("]18; 30]", [25, 30]), ("18-30", [18, 25, 30]),
        ("18–30", [18, 25, 30]), ("18..30", [18, 25, 30]), ("18 to 30", [18, 25, 30]), (">=30", [30, 41, 90]),
        ("> 30", [41, 90]), ("≤18", [17, 18]), ("<18", [17]), ("41+", [41, 90]), ("{17, 90}", [17, 90]),
        ("[50, 60]", []), ("{[17, 18], 90}", None),
    ],
)  # fmt: skip
def test_cells_of_numbers(cell, expected):
    if expected is None:
        with pytest.raises(tclose.InputError, match="neither values of the original"):
            covered(AGES, cell)
    else:
        assert covered(AGES, cell) == expected


@pytest.mark.parametrize(
    ("cell", "expected"), [("130**", ["13053", "13068"]), ("1****", ["13053", "13068", "14850"]), ("*****", ZIPS)]
)
def test_masks(cell, expected):
    assert covered(ZIPS, cell) == expected


def test_labels_of_a_hierarchy():
    assert covered(["ash", "birch", "cedar"], "left", TREE) == ["ash", "birch"]
    assert covered(["ash", "birch", "cedar"], "all", TREE) == ["ash", "birch", "cedar"]


@pytest.mark.parametrize(
    ("values", "cell", "expected"),
    [
        ([-7, -5, -1, 3], "-5--1", [-5, -1]), ([-7, -5, -1, 3], "[-5, 3[", [-5, -1]),
        ([-7, -5, 3], "-7 – -5", [-7, -5]),
        ([-7, -5, 3], "−7..−5", [-7, -5]), ([-7, 3], "<0", [-7]), (["0,5", "1,5", "2,25"], "[0,5; 1,5[", ["0,5"]),
        (["0,5", "1,5", "2,25"], "[0,5, 1,5]", ["0,5", "1,5"]), (["0,5", "1,5", "2,25"], "0,5-1,5", ["0,5", "1,5"]),
        (["0,5", "1,5", "2,25"], "{0,5; 2,25}", ["0,5", "2,25"]), ([5, 1200], "[1,000, 2,000]", None),
        ([17, 30, 90], "(-Inf,30]", [17, 30]), ([17, 30, 90], "[30, ∞)", [30, 90]), ([17, 30], "(-inf, inf)", [17, 30]),
        ([17, 30], "", [17, 30]), ([17, 30], "  ", [17, 30]), ([17, None, 30], "*", [17, None, 30]),
        ([17, None, 30], "[10, 40]", [17, 30]), ([17, None], None, [17, None]), ([17, 30], "30.0", [30]),
        (["2020-01-31", "2020-02-01"], "2020-01-01 - 2020-01-31", ["2020-01-31"]),
        (["2020-01-31", "2020-02-01"], "2020-01", ["2020-01-31"]),
        (["2020-01-31", "2021-02-01"], "2020", ["2020-01-31"]),
        (["2020-01-31", "2020-06-01"], "2020-Q1", ["2020-01-31"]), (["08:30", "12:00"], "[08:00, 12:00)", ["08:30"]),
        (["2020-01-31", "2020-02-01"], "[2020-01-01; 2020-02-01[", ["2020-01-31"]), (["a", "b"], "{a,b}", ["a", "b"]),
        ([17, 30], "[30, 17]", None), ([17, 30], "[1,7,3,0]", None), ([17, 30], "{17, x}", None),
        ([17, 30], "[a, b]", None),
        (["0.5", "1,5"], "[0, 2]", None), ([17, 30], "30-17", None), ([17, 30], "17-30-40", None), (["ab"], "c*", None),
        ([17, 30], "[17,", None), ([17, 30], "[, 17]", None), ([17, 30], "01.01.2020", None),
        ([17, 30], "{}", [17, 30]),
    ],
)  # fmt: skip
def test_strange_cells_are_read_rightly_or_refused(values, cell, expected):
    if expected is not None:
        assert covered(values, cell) == expected
        return
    with pytest.raises(tclose.InputError, match="'column'") as refused:
        covered(values, cell)
    assert str(cell) not in str(refused.value)


FORMS = {
    "[{}, {}]": (True, True), "[{};{}[": (True, False), "]{}, {}]": (False, True), "({},{})": (False, False),
    "{}-{}": (True, True), "{} – {}": (True, True), "{}..{}": (True, True), "{} to {}": (True, True),
}  # fmt: skip


@given(
    values=st.sets(st.integers(-40, 40), min_size=1), ends=st.tuples(st.integers(-40, 40), st.integers(-40, 40)),
    form=st.sampled_from(list(FORMS)), unit=st.sampled_from(["1", "0.25"]),
)  # fmt: skip
def test_a_stretch_covers_what_lies_between_its_ends(values, ends, form, unit):
    size = Decimal(unit)
    low, high = sorted(end * size for end in ends)
    with_low, with_high = FORMS[form]
    expected = [
        each
        for each in sorted(values)
        if low < each < high or (with_low and each == low) or (with_high and each == high)
    ]
    if low == high and not (with_low and with_high):
        return  # holds nothing, which is refused
    assert covered(sorted(values), form.format(low, high)) == expected


def test_days():
    assert covered(["2020-01-31", "2020-02-01", "2021-05-05"], "[2020-01-01, 2020-02-01)") == ["2020-01-31"]


def test_cells_that_mean_nothing_are_counted_and_not_quoted():
    with pytest.raises(tclose.InputError) as caught:
        covered(AGES, CANARY)
    assert "1 of 1 different cells of 'column'" in str(caught.value)
    assert CANARY not in str(caught.value)


ORIGINAL = pa.table({"age": [20, 21, 40, 41], "illness": ["flu", "flu", "cough", "cough"]})
ROLES = tclose.Roles(["age"], ["illness:nominal"])


def test_a_release_of_another_table_is_refused():
    with pytest.raises(tclose.InputError, match="it is not a release of it"):
        tclose.attack(ORIGINAL, ROLES, release=pa.concat_tables([ORIGINAL, ORIGINAL]))
    with pytest.raises(tclose.InputError, match="1 values of 'illness'"):
        tclose.attack(ORIGINAL, ROLES, release=pa.table({"age": ["20-41"], "illness": ["measles"]}))
    ill = ORIGINAL["illness"]
    with pytest.raises(tclose.InputError, match="3 rows of the release are in classes whose cells cover nobody"):
        tclose.attack(ORIGINAL, ROLES, release=pa.table({"age": ["20-21", *["50-60"] * 3], "illness": ill}))
    with pytest.raises(tclose.InputError, match="means and noise"):
        tclose.attack(ORIGINAL, ROLES, release=pa.table({"age": ["20.5"] * 2 + ["40.5"] * 2, "illness": ill}))
    with pytest.raises(tclose.InputError, match="beside one that exists"):
        tclose.attack(ORIGINAL, ROLES, require={"k": 2}, previous=[ORIGINAL])


def test_rows_that_were_left_out_are_taken_for_like_the_table():
    """Of the four people two are published; of the others everybody knows only what the table says."""
    release = pa.table({"age": ["20-21"] * 2, "illness": ["flu"] * 2})
    found = tclose.attack(ORIGINAL, ROLES, release=release, attackers=["register"])
    outcome = found["register"]
    assert (outcome.claims, outcome.right) == (0.5, 1)
    assert [(each.label, each.right) for each in outcome.by_value] == [("cough", 0), ("flu", 2)]


@pytest.mark.parametrize("nothing", ["*", "NA", "<NA>", "", None])
def test_cells_that_were_left_out_are_anybodys_and_left_out_values_nobodys(nothing):
    """As ARX, sdcMicro and pandas write them, in a column of the release or in all of a row."""
    release = pa.table({"age": ["20-21", "20-21", nothing, nothing], "illness": ["flu", "flu", "cough", nothing]})
    found = tclose.attack(ORIGINAL, ROLES, release=release, attackers=["register"])["register"]
    assert found.accuracy[0] == 1  # flu is all in one class, so that the others are as the rest
    assert (found.people, found.claims) == (4, 1)


def test_a_value_that_is_called_like_one_left_out_is_that_value():
    assert covered(["NA", "DE", "FR"], "NA") == ["NA"]
    assert covered(["DE", "FR"], "NA") == ["DE", "FR"]


def test_a_release_of_this_tool_reads_as_the_one_that_was_planned(tmp_path):
    table = pa.table({"age": list(range(20, 60)), "illness": ["flu", "cough", "ache", "flu"] * 10})
    made = tclose.anonymize(table, ROLES, require={"k": 4, "t": "0.4"}, method="mondrian")
    path = tmp_path / "release.csv"
    made.write(path)
    found = tclose.attack(table, ROLES, require={"k": 4, "t": "0.4"}, release=path)
    assert found["reader"].beyond == 0
    assert found["register"].beyond == 0
    assert found.rows == 40
    with pytest.raises(tclose.InputError, match="not known of a release that exists"):
        tclose.attack(table, ROLES, release=path, attackers=["finer"])
    with pytest.raises(tclose.InputError, match="was made to meet"):
        tclose.attack(table, ROLES, release=path, attackers=["method"])
