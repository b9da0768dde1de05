"""What drives the disclosure where no single column lowers the largest t: t on average over rows, by hand."""

from collections import defaultdict
from fractions import Fraction

import pytest

import tclose
from tclose.auditing import leave_one_out as driving
from tclose.reports.phrases.audits import driver_of, driver_sentence, ranked_drivers

TABLE = {
    "zip": ["1", "1", "1", "2", "2", "2", "9"],
    "sex": ["f", "m", "f", "m", "f", "m", "x"],
    "ill": ["a", "b", "a", "b", "a", "b", "c"],
}
ROLES = tclose.Roles(["zip", "sex"], {"ill": tclose.Nominal()})


@pytest.fixture(autouse=True, params=["merged", "grouped anew"])
def way(request, monkeypatch):
    """Both ways to the classes of fewer columns."""
    monkeypatch.setattr(driving, "_FEW_ROWS", 40_000 if request.param == "merged" else 0)


def mean_t(names):
    """Return t of the classes of some columns on average over rows: half the sum of differences, class by class."""
    rows = list(zip(*(TABLE[name] for name in (*names, "ill")), strict=True))
    classes = defaultdict(list)
    for *key, ill in rows:
        classes[tuple(key)].append(ill)
    total = Fraction(0)
    for mine in classes.values():
        apart = sum(
            abs(Fraction(mine.count(ill), len(mine)) - Fraction(TABLE["ill"].count(ill), len(rows))) for ill in "abc"
        )
        total += len(mine) * apart / 2
    return total / len(rows)


def test_where_the_largest_t_is_saturated_columns_are_ranked_by_what_they_change():
    found = tclose.audit(TABLE, ROLES)["ill"]
    assert set(found.drivers.values()) == {found.t}  # the last row is alone by either column
    assert found.averages.as_is == pytest.approx(float(mean_t(["zip", "sex"])))
    for name, other in (("zip", "sex"), ("sex", "zip")):
        assert found.averages.without[name] == pytest.approx(float(mean_t([other])))
    lowest = min(("zip", "sex"), key=lambda name: found.averages.without[name])
    assert driver_of(found) == lowest
    assert next(name for name, _, _ in ranked_drivers(found)) == lowest == "sex"
    assert "On average over rows" in driver_sentence(found)


def test_where_a_column_lowers_t_nothing_else_is_asked():
    found = tclose.audit("example:salary")["salary"]
    assert found.averages is None
    assert driver_of(found) == "age"


@pytest.mark.parametrize("rows", [1, 4000])
def test_the_average_does_not_depend_on_the_order_or_the_way_rows_are_counted(rows, tmp_path):
    several = {name: values * rows for name, values in TABLE.items()}
    turned = {name: values[::-1] for name, values in several.items()}
    one, other = (tclose.audit(table, ROLES)["ill"].averages for table in (several, turned))
    assert one == other


def test_missing_values_and_several_attributes_are_left_out_as_an_audit_without_the_column_does():
    table = {**TABLE, "born": [None, 1990, 1990, None, 1971, 1971, 1990], "pay": [3, 1, 2, 3, 3, 1, 2]}
    sensitive = {"ill": tclose.Nominal(), "pay": tclose.Ordered()}
    found = tclose.audit(table, tclose.Roles(["zip", "sex", "born"], sensitive))
    for name in ("zip", "sex", "born"):
        kept = [other for other in ("zip", "sex", "born") if other != name]
        fewer = tclose.audit(table, tclose.Roles(kept, sensitive), drivers=False)
        assert [found[each].drivers[name] for each in sensitive] == [fewer[each].t for each in sensitive]
