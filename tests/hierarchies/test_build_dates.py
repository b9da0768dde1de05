"""The calendar: days in months, months in years, years in decades; weeks apart."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.data.hierarchies import date_hierarchy, extended_hierarchy
from tclose.errors import HierarchyError


def test_a_day_its_month_year_and_decade():
    assert date_hierarchy([dt.date(2024, 3, 7)]).rows == (("2024-03-07", "2024-03", "2024", "2020s", "*"),)


@pytest.mark.parametrize(
    ("value", "leaf"),
    [
        (dt.datetime(2024, 3, 7, 23, 59), "2024-03-07T23:59:00"),
        (dt.datetime(2024, 3, 7, 23, 59, tzinfo=dt.timezone(dt.timedelta(hours=-5))), "2024-03-07T23:59:00-05:00"),
        (np.datetime64("2024-03-07T23:59:00.123456789", "ns"), "2024-03-07T23:59:00.123456789"),
        ("2024-03-07 23:59", "2024-03-07 23:59"),
    ],
)
def test_a_point_in_time_starts_with_the_day_it_shows(value, leaf):
    assert date_hierarchy([value]).rows == ((leaf, "2024-03-07", "2024-03", "2024", "2020s", "*"),)


def test_texts_are_read_as_dates():
    assert date_hierarchy(["2024-03-07"], ["year"]).rows == (("2024-03-07", "2024", "*"),)


@given(st.lists(st.dates(), min_size=1, max_size=8))
def test_labels_are_the_start_of_the_day_and_the_quarter_holds_its_month(days):
    for leaf, month, quarter, year, decade, century, _ in date_hierarchy(
        days, ["month", "quarter", "year", "decade", "century"]
    ).rows:
        assert leaf.startswith(month)
        assert month.startswith(year)
        assert int(month[5:]) in {"Q1": (1, 2, 3), "Q2": (4, 5, 6), "Q3": (7, 8, 9), "Q4": (10, 11, 12)}[quarter[5:]]
        assert quarter[:4] == year
        assert 0 <= int(year) - int(decade.removesuffix("s")) <= 9
        first, last = map(int, century.split("–"))
        assert first <= int(year) <= last == first + 99


@given(st.lists(st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)), min_size=1, max_size=8))
def test_a_week_holds_its_day(days):
    for leaf, week, _ in date_hierarchy(days, ["week"]).rows:
        monday = dt.date.fromisocalendar(int(week[:4]), int(week[6:]), 1)
        assert 0 <= (dt.date.fromisoformat(leaf) - monday).days <= 6


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([], "No level"),
        (["mnth"], "no level 'mnth'. Did you mean 'month'"),
        (["xyz"], "There are 'day', 'week', 'month'"),
        (["year", "month"], "from fine to coarse"),
        (["month", "month"], "from fine to coarse"),
        (["week", "month"], "two months"),
        (["week", "year"], "two years"),
    ],
)
def test_levels_that_cannot_be(levels, message):
    with pytest.raises(HierarchyError, match=message):
        date_hierarchy([dt.date(2024, 3, 7)], levels)


@pytest.mark.parametrize("value", ["2024-02-30", "2024-03", "march", 2024, dt.time(12), True])
def test_what_is_no_date_is_refused(value):
    with pytest.raises(HierarchyError, match="needs dates"):
        date_hierarchy([dt.date(2024, 3, 7), value])


def test_months_have_years_and_decades():
    months = ["2013-12", "2014-01", "2014-02"]
    rows = (("2013-12", "2013", "2010s", "*"), ("2014-01", "2014", "2010s", "*"), ("2014-02", "2014", "2010s", "*"))
    assert date_hierarchy(months).rows == rows
    assert date_hierarchy(months, ["month", "year"]).rows == tuple((*row[:2], "*") for row in rows)


def test_a_month_lies_in_no_week_and_shows_no_day():
    with pytest.raises(HierarchyError, match="several weeks"):
        date_hierarchy(["2013-12"], ["week"])
    for mixed in (["2013-12", "2013-12-01"], ["2013-12", dt.date(2013, 12, 1)], ["2013-13"]):
        with pytest.raises(HierarchyError, match="some of the distinct values are none"):
            date_hierarchy(mixed)


def test_a_new_month_is_placed_by_years_and_not_by_days():
    by_years = date_hierarchy(["2013-11", "2013-12"], ["year"])
    assert extended_hierarchy(by_years, ["2014-01"]).row("2014-01") == ("2014-01", "2014", "*")
    by_days = date_hierarchy(["2013-12-01T10:00"], ["day", "year"])
    assert "2014-01" not in extended_hierarchy(by_days, ["2014-01"])
