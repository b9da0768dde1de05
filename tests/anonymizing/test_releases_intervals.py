"""Quasi-identifiers as intervals of pandas: each holds the value that its row had, and has the type of the column.

pandas has no date that lies before or after all others: an interval of dates with one end is missing.
"""

from __future__ import annotations

import datetime as dt
import math

import pandas as pd
import pytest

import tclose
from tclose import Nominal, Roles
from tclose.errors import InputError

ROWS = 120
TABLE = {
    "row": list(range(ROWS)),
    "age": [None if at % 40 == 0 else 18 + at * 7 % 70 for at in range(ROWS)],
    "born": [dt.date(1940, 1, 1) + dt.timedelta(at * 311) for at in range(ROWS)],
    "town": [f"t{at % 3}" for at in range(ROWS)],
    "s": ["ab"[at % 2] for at in range(ROWS)],
}
ROLES = Roles(["age", "born", "town"], {"s": Nominal()}, publish=["row"])


@pytest.mark.parametrize("method", ["mondrian", "full-domain", "gather"])
@pytest.mark.parametrize("ages", ["intervals:10,20", "bottom:30", "top:60"])
def test_every_interval_holds_the_value_of_its_row(method, ages):
    hierarchies = {"age": ages, "born": "dates:year,decade", "town": "flat"}
    release = tclose.anonymize(
        TABLE, ROLES, require={"k": 3}, method=method, hierarchies=hierarchies, suppress="0.3", effort=0
    )
    frame = release.to_pandas(intervals=["age", "born"])
    assert str(frame["age"].dtype) == "interval[float64, both]"
    assert isinstance(frame["born"].dtype, pd.IntervalDtype)
    assert frame["born"].dtype.subtype.kind == "M"
    texts = release.to_pandas()
    assert frame["town"].equals(texts["town"])
    for at, row in enumerate(frame["row"]):
        for name in ("age", "born"):
            value, shown, text = TABLE[name][row], frame[name].iloc[at], texts[name].iloc[at]
            if not isinstance(shown, pd.Interval):
                assert value is None or text == "*" or (name == "born" and text[0] in "<≥")
            else:
                assert (pd.Timestamp(value) if name == "born" else value) in shown


def test_open_ends_are_infinite_and_single_values_themselves():
    release = tclose.anonymize(
        {"age": [10, 10, 50, 50, 95, 97], "s": list("ababab")}, Roles(["age"], {"s": Nominal()}), require={"k": 2},
        hierarchies={"age": "top:90"}, levels={"age": 1}, method="full-domain",
    )  # fmt: skip
    shown = {*release.to_pandas(intervals="age")["age"]}
    assert shown == {pd.Interval(low, high, "both") for low, high in ((10, 10), (50, 50), (90, math.inf))}


@pytest.mark.parametrize(("name", "message"), [("s", "no quasi-identifier"), ("town", "no numbers or dates")])
def test_what_has_no_intervals_is_refused_by_name(name, message):
    release = tclose.anonymize(TABLE, ROLES, require={"k": 3}, hierarchies={"town": "flat"}, method="mondrian")
    with pytest.raises(InputError, match=message) as refused:
        release.to_pandas(intervals=[name])
    assert repr(name) in str(refused.value)


@pytest.mark.parametrize(("rule", "low"), [("top:90", {10, 50, 90}), ("bottom:20", {None, 50, 95, 97})])
def test_bounds_beside_coded_extremes_have_the_numbers_that_stayed(rule, low):
    release = tclose.anonymize(
        {"age": [10, 10, 50, 50, 95, 95, 97, 97], "s": list("abababab")}, Roles(["age"], {"s": Nominal()}),
        require={"k": 2}, hierarchies={"age": rule}, levels={"age": 1}, method="full-domain", numbers={"age": "bounds"},
    )  # fmt: skip
    assert {*release.to_arrow()["age_low"].to_pylist()} == low


@pytest.mark.parametrize("rule", ["quantiles:4,2", "groups:3,9"])
def test_quantiles_and_groups_begin_where_enough_people_are(rule):
    """Of k = 4 the cuts are 10, 20 and 30; 3 and 8, 12 and 18, 21 and 27, 35 and 38 have two people each."""
    ages = [3, 8, 12, 18, 21, 27, 35, 38] * 2
    release = tclose.anonymize(
        {"age": ages, "s": ["a", "b"] * 8}, Roles(["age"], {"s": Nominal()}), require={"k": 4}, method="full-domain",
        hierarchies={"age": rule}, levels={"age": 1},
    )  # fmt: skip
    ends = {cell.label for cell in release.recipe.columns[0].cells}
    assert len(ends) > 1
    assert ends <= {"< 10", "< 20", "< 30", "[10, 19]", "[10, 29]", "[20, 29]", "≥ 10", "≥ 20", "≥ 30"}
