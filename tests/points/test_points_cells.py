"""What a cell may stand for: by hand for each kind of column, and one by one against what the cell says."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.anonymization.points.cells import PublishedColumn
from tclose.anonymization.points.lines import Line, line_of
from tclose.data.hierarchies import Hierarchy

FLAT = Hierarchy((("1", "*"), ("2", "*")), "flat")
WHOLE = Line("numbers", Fraction(1), "BIGINT")
DAY = Line("times", Fraction(86_400_000_000), "DATE")


def column(*shown, line=WHOLE, hierarchy=FLAT, order=None, declared=False, texts=False):
    return PublishedColumn(shown, hierarchy, order, line, declared, texts)


def every(members):
    return [members.text(at) for at in range(members.number)]


@pytest.mark.parametrize(
    ("label", "members"),
    [
        ("[35, 39]", ["35", "36", "37", "38", "39"]),
        ("[35, 40)", ["35", "36", "37", "38", "39"]),
        ("[-2, 1)", ["-2", "-1", "0"]),
        ("7", ["7"]),
        ("≥ 90", ["90", "91", "92", "93", "94", "95", "96", "97", "98", "99"]),
        ("< 35", ["30", "31", "32", "33", "34"]),
        ("< 40", ["30", "31", "32", "33", "34", "35", "36", "37", "38", "39"]),
        ("≥ 80", [str(age) for age in range(80, 100)]),
    ],
)
def test_an_interval_stands_for_the_whole_numbers_in_it(label, members):
    """The cuts are 35, 40, 80 and 90: 90 is 10 from the next one, and 35 is 5."""
    shown = [
        ("[35, 39]", None),
        ("[80, 89]", None),
        ("≥ 90", None),
        ("< 35", None),
        ("[35, 40)", None),
        ("< 40", None),
        ("≥ 80", None),
    ]
    assert every(column(*shown).members(label, None)) == members


def test_an_open_end_reaches_to_values_that_the_release_names_beyond_it():
    shown = column(("[80, 89]", None), ("≥ 90", None), ("104", 0), hierarchy=Hierarchy((("104", "*"),)))
    assert every(shown.members("≥ 90", None)) == [str(age) for age in range(90, 105)]


def test_an_open_end_alone_goes_as_far_as_its_cut_is_round():
    assert every(column(("≥ 30", None)).members("≥ 30", None)) == [str(age) for age in range(30, 40)]
    assert every(column(("≥ 37", None)).members("≥ 37", None)) == ["37"]
    assert len(every(column(("≥ 900000", None)).members("≥ 900000", None))) == 100_000


def test_an_open_end_stays_within_what_its_type_holds():
    small = Line("numbers", Fraction(1), "UTINYINT")
    assert every(column(("≥ 250", None), line=small).members("≥ 250", None)) == [
        "250",
        "251",
        "252",
        "253",
        "254",
        "255",
    ]
    assert every(column(("< 5", None), ("[80, 89]", None), line=small).members("< 5", None)) == [
        "0",
        "1",
        "2",
        "3",
        "4",
    ]
    digit = Line("numbers", Fraction(1, 10), "DECIMAL(2,1)")
    assert every(column(("≥ 9", None), line=digit).members("≥ 9", None))[-1] == "9.9"


@given(st.integers(-500, 500), st.integers(1, 300), st.integers(0, 3))
def test_numbers_with_digits_are_drawn_from_the_interval_and_have_no_more_digits(low, width, digits):
    line = Line("numbers", Fraction(1, 10**digits), "DOUBLE")
    label = f"[{low}, {low + width})"
    found = [Fraction(text) for text in every(column((label, None), line=line).members(label, None))]
    assert found == sorted(set(found))
    assert found[0] == low
    assert low + width - Fraction(1, 2) <= found[-1] < low + width or digits == 0
    assert all((each * 10**digits).denominator == 1 for each in found)
    assert width * 10**digits > 10_000 or len(found) == width * 10**digits


def test_dates_are_the_days_of_their_interval_and_of_parts_of_the_calendar():
    dates = column(("[1980-01-30, 1980-02-02]", None), ("1980-02", 1), ("1980s", 2), line=DAY, hierarchy=CALENDAR)
    assert every(dates.members("[1980-01-30, 1980-02-02]", None)) == [
        "1980-01-30", "1980-01-31", "1980-02-01", "1980-02-02",
    ]  # fmt: skip
    february = every(dates.members("1980-02", 1))
    assert (february[0], february[-1], len(february)) == ("1980-02-01", "1980-02-29", 29)
    decade = every(dates.members("1980s", 2))
    assert (decade[0], decade[-1], len(decade)) == ("1980-01-01", "1989-12-31", 10 * 365 + 3)


CALENDAR = Hierarchy(
    (("1980-02-01", "1980-02", "1980s", "*"), ("1980-03-01", "1980-03", "1980s", "*")), "dates:month,decade"
)


def test_points_in_time_are_drawn_in_the_step_that_all_are_on():
    hours = line_of(["2020-01-01T10:00:00", "2020-01-02T15:00:00"], "TIMESTAMP")
    assert hours.unit == 3_600_000_000
    cell = "[2020-01-01, 2020-01-02)"
    found = every(column((cell, None), line=hours).members(cell, None))
    assert found == [dt.datetime(2020, 1, 1, hour).isoformat() for hour in range(24)]
    clock = line_of(["10:30:00", "11:00:00"], "TIME")
    found = every(column(("[10:00, 12:00)", None), line=clock).members("[10:00, 12:00)", None))
    assert found[0] == "10:00:00"
    assert found[-1] < "12:00:00"
    assert clock.unit == 60_000_000


def test_a_zone_is_kept_and_written_in_utc():
    line = line_of(["2020-01-01T10:00:00+00:00"], "TIMESTAMP WITH TIME ZONE")
    assert line.zoned
    assert line.text(24 * 737_425).endswith("+00:00")


def test_a_node_stands_for_the_leaves_that_may_be_named():
    lungs = Hierarchy((("flu", "lung", "*"), ("cold", "lung", "*"), ("colitis", "colon", "*")))
    shown = [("lung", 1), ("flu", 0), ("*", 2)]
    given_by_owner = column(*shown, line=None, hierarchy=lungs, declared=True, texts=True)
    assert every(given_by_owner.members("lung", 1)) == ["flu", "cold"]
    assert every(given_by_owner.members("*", 2)) == ["flu", "cold", "colitis"]
    made = column(*shown, line=None, hierarchy=lungs, texts=True)
    assert every(made.members("lung", 1)) == ["flu"]
    assert every(made.members("colon", 1)) == ["colon"]
    assert every(column(("*", 2), line=None, hierarchy=lungs, texts=True).members("*", 2)) == ["*"]
    assert every(column(("*", 2), line=None, hierarchy=lungs).members("*", 2)) == [None]


def test_codes_stay_codes():
    """Between the codes 1 and 5 no 3 is drawn: the hierarchy says that they are no numbers."""
    codes = Hierarchy((("1", "*"), ("5", "*"), ("9", "*")), "flat")
    shown = column(("1", 0), ("5", 0), ("*", 1), hierarchy=codes)
    assert every(shown.members("*", 1)) == ["1", "5"]
    assert line_of(["007", "012"], "VARCHAR") is None
    assert line_of(["7", "12", None], "VARCHAR") == Line("numbers", Fraction(1), "VARCHAR")


def test_the_root_of_a_line_stands_for_what_the_release_names():
    bands = Hierarchy((("1", "[0, 5)", "*"), ("7", "[5, 10)", "*")), "intervals:5")
    assert every(column(("*", 2), ("[5, 10)", 1), ("3", 0), hierarchy=bands).members("*", 2)) == [
        str(each) for each in range(3, 10)
    ]
    assert every(column(("*", 2), hierarchy=bands).members("*", 2)) == [None]


def test_a_missing_value_and_a_value_by_itself_stay():
    assert every(column((None, 0)).members(None, 0)) == [None]
    assert every(column((None, 2)).members(None, 2)) == [None]
    assert every(column(("[1, 2]", 0)).members("[1, 2]", 0)) == ["[1, 2]"]


def test_categories_that_no_row_has_are_not_drawn():
    order = ("low", "unused", "middle", "high")
    tree = Hierarchy(tuple((each, "*") for each in order), "flat")
    shown = column(("[low, high]", None), ("middle", 0), line=None, order=order, hierarchy=tree, texts=True)
    assert every(shown.members("[low, high]", None)) == ["low", "middle", "high"]


def test_days_before_the_first_year_keep_the_ends_that_are_named():
    tree = Hierarchy((("0044-03-15 (BC)", "*"), ("0100-01-01", "*")), "flat")
    shown = column(("*", 1), ("0044-03-15 (BC)", 0), line=DAY, hierarchy=tree)
    assert every(shown.members("*", 1)) == ["0044-03-15 (BC)"]
