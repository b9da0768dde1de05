"""Where there is no release, every way out that is named leads to one."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings

from anonymizing.release_cases import Case, cases
from tclose import Nominal, Numeric, Ordered, Roles
from tclose.anonymization.anonymize import anonymize
from tclose.errors import InputError
from tclose.reports.phrases.releases import nearest

TABLE = pa.table(
    {
        "zone": ["a", "a", "a", "b", "b", "c"],
        "age": [1, 2, 3, 4, 5, 6],
        "ill": ["x", "y", "z", "x", "y", "x"],
        "one": ["same"] * 6,
        "pay": [1, 2, 3, 4, 5, 60],
    }
)
HIERARCHIES = {"zone": "flat"}


def without(require, distance=None, attribute="ill", **options):
    roles = Roles(["zone", "age"], {attribute: distance or Nominal()})
    return anonymize(TABLE, roles, require=require, hierarchies=HIERARCHIES, **options)


@pytest.mark.parametrize(
    ("require", "options", "best"),
    [
        ({"l": 4}, {}, 3),
        ({"l": 2}, {"attribute": "one"}, 1),
        ({"entropy_l": 2}, {"attribute": "one"}, 1),
        ({"alpha": "0.9"}, {"attribute": "one"}, 1),
        ({"ke": "3,1000"}, {"attribute": "pay", "distance": Numeric()}, 59),
    ],
)
def test_what_the_table_itself_does_not_have_neither_levels_nor_fewer_rows_bring(require, options, best):
    """The whole table has three illnesses, half of it the first; one is all the same; pay spans 59."""
    (found,) = without(require, **options).obstacles
    assert (found.value, found.coarser, found.suppress) == (best, False, None)


def test_rows_of_a_value_that_is_too_frequent_can_be_left_out():
    """Of three x, two y and one z, two x, two y and one z are left: two fifths at most."""
    (found,) = without({"alpha": "0.4"}).obstacles
    assert (found.value, found.coarser, found.suppress) == (Fraction(1, 2), False, Fraction(1, 6))
    assert without({"alpha": "0.4"}, suppress="1/6").holds


@pytest.mark.parametrize(
    ("require", "share"),
    [({"k": 2}, Fraction(1, 6)), ({"k": 3}, Fraction(1, 2)), ({"l": 3}, Fraction(1, 2))],
)
def test_small_classes_of_a_level_can_be_united_or_left_out(require, share):
    """On level 0 the zones have 3, 2 and 1 rows, with as many illnesses."""
    (found,) = without(require, levels={"zone": 0}).obstacles
    assert (found.coarser, found.suppress) == (True, share)
    assert without(require).holds
    assert without(require, levels={"zone": 0}, suppress=share).holds


def test_where_every_class_fails_leaving_some_out_is_no_way():
    (found,) = without({"t": 0}, Ordered(), "pay", levels={"zone": 0}).obstacles
    assert (found.coarser, found.suppress) == (True, None)


def test_a_class_that_rows_have_left_may_lose_more_for_the_next_attribute():
    """Once the rows of one zone are out for an illness, no row of it is left to go for an attribute of one value."""
    table = pa.table(
        {"zone": [0] * 4 + [-3] * 8, "ill": ["u"] * 8 + ["v"] * 4, "one": ["same"] * 12},
    )
    roles = Roles(["zone"], {"ill": Nominal(), "one": Nominal()})
    release = anonymize(table, roles, require={"entropy_l": 2}, method="merge")
    entropy = -sum(share * math.log(share) for share in (2 / 3, 1 / 3))
    assert [found.value for found in release.obstacles] == [pytest.approx(math.exp(entropy)), 1]
    assert [found.suppress for found in release.obstacles] == [None, None]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(case=cases(suppress=("0",), most_rows=25))
def test_every_way_out_leads_to_a_release(case: Case):
    try:
        found = case.release(method="merge").obstacles
    except InputError:
        found = ()
    assume(found)
    if all(nearest(each) is not None for each in found):
        asked = [replace(each.requirement, threshold=Fraction(nearest(each))) for each in found]
        missed = {each.requirement.model.key for each in found}
        others = {key: number for key, number in case.require.items() if key not in missed}
        if case.roles.together != "joint":
            assert replace(case, require=asked).release(method="merge").holds
        assert not others or replace(case, require=others).release(method="merge").holds
    if all(each.coarser for each in found):
        free = {key: wish for key, wish in case.options.items() if key != "levels"}
        assert replace(case, options=free).release(method="merge").holds
    if found[0].suppress is not None:
        fewer = {**case.options, "suppress": found[0].suppress}
        assert replace(case, options=fewer).release().holds
