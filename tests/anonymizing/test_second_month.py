"""The second month: values that a recipe has not seen, and columns of another type, end in a release or a sentence."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from dataclasses import replace
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

from anonymizing.months import ROLES, check_month, months
from tclose import Nominal, Roles
from tclose.anonymization.anonymize import anonymize
from tclose.anonymization.apply import apply
from tclose.anonymization.recipes import Cell
from tclose.errors import DomainError, InputError

ONE = Roles(["q"], {"ill": Nominal()})
TREE = {"*": {"u": ["ash", "birch"], "v": ["cedar", "elm"]}}


def test_no_second_month_ends_in_an_internal_error():
    applied = 0
    for _, recipe, table in months(range(120)):
        try:
            release = apply(table, recipe, suppress="1")
        except InputError:
            continue
        if release.holds:
            applied += 1
            check_month(recipe, table, release, release.to_arrow().to_pylist())
    assert applied > 25


@pytest.mark.parametrize("words", [TREE, "quantiles:2", "groups:2"], ids=["file", "quantiles", "groups"])
def test_a_new_value_of_a_column_published_as_it_is_is_left_out_where_no_rule_places_it(words):
    old = pa.table({"q": ["ash", "birch", "cedar", "elm"] * 2, "ill": ["x", "y"] * 4})
    recipe = anonymize(
        old, ONE, require={"k": 2}, hierarchies={"q": words}, levels={"q": 0}, method="full-domain", suppress="1/2"
    ).recipe
    again = apply(pa.table({"q": ["ash", "oak", "ash", "elm", "elm"], "ill": ["x"] * 5}), recipe)
    assert Counter(again.to_arrow()["q"].to_pylist()) == {"ash": 2, "elm": 2}
    assert again.suppressed == 1
    assert "q: 1 row has a value that its hierarchy does not cover." in [note.text for note in again.notes]
    assert "oak" not in str(again)


NUMBERS = [1, 2, 3, 40]
DAYS = [dt.date(2020, 1, 1), dt.date(2020, 2, 2), dt.date(2020, 3, 3), dt.date(2021, 1, 1)]
SAME = {
    "text": (NUMBERS, pa.array(["1", "2", "3", "40"])),
    "text with zeros": (NUMBERS, pa.array(["1.0", "2.00", "3", "40"])),
    "decimal": (NUMBERS, pa.array([Decimal(f"{each}.00") for each in NUMBERS])),
    "double": (NUMBERS, pa.array([float(each) for each in NUMBERS])),
    "single": (NUMBERS, pa.array([float(each) for each in NUMBERS], pa.float32())),
    "midnight": (DAYS, pa.array([dt.datetime(day.year, day.month, day.day) for day in DAYS])),
    "day as text": (DAYS, pa.array([day.isoformat() for day in DAYS])),
}


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("method", ["full-domain", "mondrian"])
@pytest.mark.parametrize("level", [0, None])
def test_a_value_that_means_the_same_is_the_same_in_another_type(name, method, level):
    old, new = SAME[name]
    ill = ["x", "x", "y", "y"] * 4
    recipe = anonymize(
        pa.table({"q": sorted(old * 4), "ill": ill}), ONE, require={"k": 4}, method=method,
        levels={} if level is None else {"q": level},
    ).recipe  # fmt: skip
    rows = pa.concat_arrays([new] * 4).sort()
    again = apply(pa.table({"q": rows, "ill": ill}), recipe)
    assert (again.holds, again.suppressed, again.class_count) == (True, 0, 4)


def test_a_column_that_means_something_else_is_refused_by_name():
    recipe = anonymize(
        pa.table({"q": NUMBERS * 4, "ill": ["x", "y"] * 8}), ONE, require={"k": 4}, method="mondrian"
    ).recipe
    with pytest.raises(InputError, match="leaves out every row") as refused:
        apply(pa.table({"q": ["ash", "elm"] * 4, "ill": ["x", "y"] * 4}), recipe)
    assert "q: 8 rows have one of 2 values that its hierarchy does not cover." in str(refused.value)


def test_ordered_categories_that_read_as_numbers_keep_their_declared_order():
    """Ranks 3 < 1 < 2: the classes are [3, 1] and 2, and a 2 does not lie between 3 and 1 though it does by size."""

    def table(ranks, ill):
        grade = pd.Categorical(ranks, categories=["3", "1", "4", "2"], ordered=True)
        return pd.DataFrame({"q": grade, "ill": ill})

    old = table(["3", "1", "3", "1", "2", "2", "2", "2"], ["x", "y"] * 4)
    recipe = anonymize(old, ONE, require={"k": 4}, method="mondrian").recipe
    assert {cell.label for cell in recipe.columns[0].cells} == {"[3, 1]", "2"}
    again = apply(table(["3", "1", "2", "1"] * 4, ["x"] * 8 + ["y"] * 8), recipe)
    assert Counter(again.to_arrow()["q"].to_pylist()) == {"[3, 1]": 12, "2": 4}
    wide = anonymize(
        table(["3", "2"] * 4, ["x", "x", "y", "y"] * 2), ONE, require={"k": 8}, method="mondrian"
    ).recipe  # fmt: skip
    assert Counter(apply(table(["4", "1"] * 4, ["x"] * 8), wide).to_arrow()["q"].to_pylist()) == {"[3, 2]": 8}


def test_a_time_of_day_between_those_of_a_class_is_covered():
    times = [dt.time(8), dt.time(9, 30), dt.time(20), dt.time(21)]
    roles = Roles(["q"], {"ill": Nominal()})
    recipe = anonymize(
        pa.table({"q": times * 2, "ill": ["x"] * 4 + ["y"] * 4}), roles, require={"k": 4}, method="mondrian"
    ).recipe
    again = apply(pa.table({"q": [dt.time(9)] * 4 + [dt.time(20, 1)] * 4, "ill": ["x", "y"] * 4}), recipe)
    assert again.suppressed == 0


def test_the_roles_of_the_months_are_those_of_their_recipes():
    assert all(recipe.roles.quasi == ROLES.quasi for _, recipe, _ in months(range(3)))


@pytest.mark.parametrize(
    "pays", [[1, 2, None, 2], ["1", "2", "much", "2"]], ids=["a missing value", "words beside numbers"]
)
def test_values_without_a_meaning_are_not_blamed_on_what_apply_cannot_be_told(pays):
    recipe = anonymize({"q": [1, 1, 2, 2], "pay": [1, 2, 1, 2]}, Roles("q", "pay:ordered"), require={"k": 2}).recipe
    with pytest.raises(DomainError, match=r"The recipe keeps what tclose\.anonymize was told: say it there and"):
        apply({"q": [1, 1, 2, 2], "pay": pays}, recipe)


def test_a_later_value_beyond_all_others_is_in_the_interval_without_an_end():
    """Cuts of k = 4 are 10, 20 and 30: of 11, 12, 13, 14, 25 and so on no finer cells side by side hold four."""
    ages = [1, 3, 5, 7, 11, 13, 15, 17, 21, 23, 25, 27, 31, 33, 35, 37]
    table = {"q": ages, "ill": ["x", "y"] * 8}
    recipe = anonymize(table, ONE, require={"k": 4}, method="mondrian").recipe
    assert {cell.label for cell in recipe.columns[0].cells} == {"< 10", "[10, 19]", "[20, 29]", "≥ 30"}
    assert json.loads(recipe.to_json())["format"] == 4
    again = apply({"q": [-900, 9, 10, 19, 29, 30, 10**9, 31] * 4, "ill": ["x", "y"] * 16}, recipe)
    expected = {"< 10": 8, "[10, 19]": 8, "[20, 29]": 4, "≥ 30": 12}
    assert Counter(again.to_arrow()["q"].to_pylist()) == expected


def test_a_recipe_of_closed_intervals_is_applied_as_before():
    """Recipes of the first format have two ends at every interval, which may be anywhere."""
    table = {"q": [1, 3, 5, 7, 31, 33, 35, 37], "ill": ["x", "y"] * 4}
    recipe = anonymize(table, ONE, require={"k": 4}, method="full-domain", hierarchies={"q": "intervals:30"}).recipe
    closed = tuple(Cell(label, None, *ends) for label, ends in (("[0, 8]", ("0", "8")), ("[30, 39]", ("30", "39"))))
    old = replace(recipe, columns=(replace(recipe.columns[0], cells=closed),), levels=None)
    assert json.loads(old.to_json())["format"] == 1
    again = apply({"q": [0, 8, 30, 39] * 4, "ill": ["x", "y"] * 8}, old)
    assert Counter(again.to_arrow()["q"].to_pylist()) == {"[0, 8]": 8, "[30, 39]": 8}
