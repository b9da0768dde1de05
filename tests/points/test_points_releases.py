"""Releases with points: what is promised holds of the points, which lie in their cells and tell no more than these."""

from __future__ import annotations

import datetime as dt
import random
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from dataclasses import replace

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from tclose import Nominal, Numeric, Roles
from tclose.anonymization.output import held
from tclose.anonymization.points import PointsAsked
from tclose.anonymization.recipes import read_recipe
from tclose.anonymization.release_points import with_points
from tclose.errors import InputError
from tclose.models.catalogue import requirements

ROLES = Roles(["age", "born", "area"], {"s": Nominal()}, publish=["row"])
ASKED = {"require": {"k": 4}, "hierarchies": {"area": "flat"}, "seed": 7}


def people(seed, rows=200, ages=None):
    chance = random.Random(seed)
    return pa.table(
        {
            "row": pa.array(range(rows)),
            "age": pa.array(ages or [chance.choice([None, *range(18, 95)]) for _ in range(rows)], pa.int16()),
            "born": pa.array([dt.date(1930, 1, 1) + dt.timedelta(chance.randrange(25_000)) for _ in range(rows)]),
            "area": pa.array([chance.choice("abcdef") for _ in range(rows)]),
            "s": pa.array([chance.choice("xyz") for _ in range(rows)]),
        }
    )


def sizes(rows, names=("age", "born", "area")):
    return Counter(tuple(row[name] for name in names) for row in rows)


def by_row(release):
    return {row["row"]: row for row in release.to_arrow().to_pylist()}


@pytest.mark.parametrize("method", ["auto", "mondrian", "full-domain", "microaggregation"])
@pytest.mark.parametrize("points", ["class", "row"])
def test_points_lie_in_their_cells(method, points):
    table, asked = people(1), ASKED | {"method": method, "numbers": {"age": "bounds", "born": "bounds"}}
    cells = by_row(tclose.anonymize(table, ROLES, **asked))
    found = by_row(tclose.anonymize(table, ROLES, points=points, **asked))
    assert found.keys() == cells.keys()
    checked = 0
    shown_areas = {cell["area"] for cell in cells.values()} - {"*"}
    for row, point in found.items():
        cell = cells[row]
        assert (point["age"] is None) == (cell["age"] is None) or cell["age"] == "*"
        for name in ("age", "born"):
            low, high = cell[f"{name}_low"], cell[f"{name}_high"]
            assert (point[f"{name}_low"], point[f"{name}_high"]) == (low, high)
            if point[name] is not None:
                assert low is None or low <= point[name]
                assert high is None or point[name] <= high
                checked += low is not None or high is not None
        assert point["area"] == cell["area"] or (cell["area"] == "*" and point["area"] in shown_areas | {"*"})
    assert checked > 50 or method == "full-domain"


@pytest.mark.parametrize("seed", range(5))
def test_the_table_of_points_meets_what_is_required(seed):
    release = tclose.anonymize(
        people(seed),
        ROLES,
        require={"k": 4, "l": 2, "t": "0.6"},
        hierarchies={"area": "flat"},
        seed=seed,
        points="class",
    )
    rows = release.to_arrow().to_pylist()
    assert release.verdict == "pass"
    values = defaultdict(set)
    for row in rows:
        values[row["age"], row["born"], row["area"]].add(row["s"])
    assert min(sizes(rows).values()) >= 4
    assert min(map(len, values.values())) >= 2
    again = tclose.audit(release.to_arrow(), ROLES, require={"k": 4, "l": 2, "t": "0.6"})
    assert again.holds
    assert again.figures["k"].value == min(sizes(rows).values())


def test_classes_that_share_a_cell_get_its_values_evenly():
    """Every class has its own code and the band [0, 10): 25 classes draw each of ten ages twice or three times."""
    table = pa.table({"code": [f"c{at:02}" for at in range(25) for _ in range(10)], "age": [*range(10)] * 25})
    release = tclose.anonymize(
        table, Roles(["code", "age"]), require={"k": 10}, hierarchies={"code": "flat", "age": "intervals:10,20"},
        levels={"code": 0, "age": 1}, method="full-domain", points="class", seed=3,
    )  # fmt: skip
    drawn = {row["code"]: row["age"] for row in release.to_arrow().to_pylist()}
    assert len(drawn) == 25
    assert set(Counter(drawn.values()).values()) <= {2, 3}
    assert set(drawn.values()) == {*range(10)}
    in_order = [drawn[code] for code in sorted(drawn)]
    assert in_order != sorted(in_order)
    rows = tclose.anonymize(
        table, Roles(["code", "age"]), require={"k": 10}, hierarchies={"code": "flat", "age": "intervals:10,20"},
        levels={"code": 0, "age": 1}, method="full-domain", points="row", seed=3,
    )  # fmt: skip
    assert set(Counter(row["age"] for row in rows.to_arrow().to_pylist()).values()) == {25}


@settings(max_examples=15, deadline=None)
@given(st.randoms(use_true_random=False))
def test_points_follow_from_the_cells_and_the_seed_alone(chance):
    """Ages change places within their bands: the release has the same cells, and so it has the same points."""
    ages = [chance.randrange(20, 60) for _ in range(60)]
    others = [chance.randrange(age // 10 * 10, age // 10 * 10 + 10) for age in ages]
    found = []
    for some in (ages, others):
        release = tclose.anonymize(
            people(5, 60, some).drop_columns(["born", "area"]), Roles("age", {"s": Nominal()}, publish=["row"]),
            require={"k": 1}, hierarchies={"age": "intervals:10,40"}, levels={"age": 1}, seed=11, points="class",
        )  # fmt: skip
        found.append({row: each["age"] for row, each in by_row(release).items()})
    assert found[0] == found[1]


def test_another_seed_draws_other_points_and_the_same_seed_the_same():
    first, again, other = (
        by_row(tclose.anonymize(people(2), ROLES, points="class", **(ASKED | {"seed": seed, "method": "merge"})))
        for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_files_recipes_and_certificates_have_the_points(tmp_path, ending):
    table = people(3)
    release = tclose.anonymize(table, ROLES, points="class", **ASKED)
    written = release.write(tmp_path / f"points{ending}", certificate=tmp_path / "certificate.json")
    assert read_recipe(written.recipe).to_json() == release.recipe.to_json()
    assert sizes(tclose.apply(table, written.recipe).to_arrow().to_pylist()) == sizes(release.to_arrow().to_pylist())
    verified = tclose.verify(
        tmp_path / f"points{ending}", tmp_path / "certificate.json", original=table, recipe=written.recipe
    )
    assert verified.holds
    assert tclose.audit(tmp_path / f"points{ending}", Roles(ROLES.quasi, {"s": Nominal()}), require={"k": 4}).holds


def test_the_next_month_gets_the_points_of_its_classes():
    table = people(4)
    release = tclose.anonymize(table, ROLES, points="class", numbers={"age": "bounds"}, **ASKED)
    this = by_row(release)
    month = table.slice(0, 150)
    assert {row: each for row, each in this.items() if row < 150} == by_row(tclose.recode(month, release.recipe))
    for frame in (table.to_pandas(), pl.from_arrow(table), table):
        recoded = release.recipe.recode(frame)
        ages = (
            recoded["age"].to_pylist()
            if frame is table
            else [None if each != each else each for each in recoded["age"]]
        )
        assert [None if age is None else int(age) for age in ages] == [this[row]["age"] for row in range(200)]
    some = ["elsewhere" if at < 9 else area for at, area in enumerate(table["area"].to_pylist())]
    strangers = table.set_column(table.column_names.index("area"), "area", [some])
    anywhere = tclose.recode(strangers, release.recipe).to_arrow()
    assert anywhere.num_rows == 200
    assert anywhere.schema.field("age").type == pa.int16()


def test_types_stay():
    table = people(6)
    points = tclose.anonymize(table, ROLES, points="class", **ASKED).to_arrow()
    for name in ("age", "born", "area"):
        assert points.schema.field(name).type == table.schema.field(name).type
    frame = table.to_pandas().assign(
        age=lambda rows: rows.age.astype("Int16"), area=lambda rows: rows.area.astype("category")
    )
    made = tclose.anonymize(frame, ROLES, points="class", **ASKED).to_pandas()
    assert made.age.dtype == "Int16"
    assert isinstance(made.area.dtype, pd.CategoricalDtype)
    floats = table.to_pandas()
    assert floats.age.dtype == "float64"  # as pandas has whole numbers with missing ones
    drawn = tclose.anonymize(floats, ROLES, points="class", **ASKED).to_pandas().age.dropna()
    assert (drawn % 1 == 0).all()


def test_each_row_with_points_of_its_own_is_qualified():
    release = tclose.anonymize(people(7), ROLES, points="row", **ASKED)
    rows = release.to_arrow().to_pylist()
    assert (release.verdict, [reason.code for reason in release.reasons]) == ("qualified", ["points-per-row"])
    assert release.audits()[0].figures["k"].value >= 4
    (note,) = [note.text for note in release.notes if note.code == "points-per-row"]
    alone = sum(count == 1 for count in sizes(rows).values())
    assert f"k = {min(sizes(rows).values())}" in note
    assert f"{alone} rows" in note
    assert len(rows) == 200
    accepted = tclose.anonymize(people(7), ROLES, points="row", accept={"points-per-row": "for teaching"}, **ASKED)
    assert accepted.verdict == "pass"


def test_a_release_with_a_point_a_row_is_written_applied_and_not_certified(tmp_path):
    table = people(8)
    release = tclose.anonymize(table, ROLES, points="row", **ASKED)
    written = release.write(tmp_path / "rows.csv")
    assert written.audit.figures["k"].value >= 4
    again = tclose.apply(table, written.recipe)
    assert again.verdict == "qualified"
    assert sizes(again.to_arrow().to_pylist()) == sizes(release.to_arrow().to_pylist())
    with pytest.raises(InputError, match="certificate"):
        release.write(tmp_path / "more.csv", certificate=tmp_path / "certificate.json")
    assert not (tmp_path / "more.csv").exists()
    assert not (tmp_path / "certificate.json").exists()


def test_people_keep_their_promise_and_have_no_points_of_each_row():
    table = pa.table(
        {"who": [at // 2 for at in range(120)], "age": [20 + at // 6 for at in range(120)], "s": ["x", "y"] * 60}
    )
    roles = Roles("age", {"s": Nominal()}, person="who")
    release = tclose.anonymize(table, roles, require={"k": 4}, points="class", seed=1)
    assert release.holds
    assert min(sizes(release.to_arrow().to_pylist(), ("age",)).values()) >= 2 * 4
    with pytest.raises(InputError, match="people"):
        tclose.anonymize(table, roles, require={"k": 4}, points="row")


class Tried:
    """Rows whose audit misses what is required so many times."""

    def __init__(self, recipe, misses):
        self.recipe, self.missed = recipe, misses

    def audits(self):
        return None, None

    def misses(self, _own, _original):
        return self.recipe.points.attempt < self.missed


@pytest.mark.parametrize(("misses", "attempt"), [(0, 0), (3, 3)])
def test_what_merging_does_not_keep_is_drawn_again(misses, attempt):
    recipe, asked = proximate()
    made, work = with_points(recipe, asked, lambda recipe: Tried(recipe, misses))
    assert made.points is not None
    assert made.points.attempt == attempt
    assert isinstance(work, Tried)
    assert work.recipe is made


def test_points_that_never_hold_are_refused():
    recipe, asked = proximate()
    with pytest.raises(InputError, match="16 times"):
        with_points(recipe, asked, lambda recipe: Tried(recipe, 99))
    kept = replace(recipe, requirements=requirements({"k": 3}))
    assert with_points(kept, asked, lambda recipe: Tried(recipe, 99))[0].points.attempt == 0


def proximate():
    table = pa.table({"age": [*range(20, 60)] * 3, "pay": [*range(120)]})
    require = {"k": 3, "proximity": "1,2"}
    release = tclose.anonymize(table, Roles("age", {"pay": Numeric()}), require=require, seed=1)
    return release.recipe, PointsAsked("class", {"age": "BIGINT"})


def test_what_merging_does_not_keep_holds_of_the_points():
    chance = random.Random(3)
    table = pa.table(
        {"age": [chance.randrange(20, 60) for _ in range(300)], "pay": [chance.randrange(500) for _ in range(300)]}
    )
    roles, require = Roles("age", {"pay": Numeric()}), {"k": 5, "proximity": "2,2"}
    release = tclose.anonymize(table, roles, require=require, points="class", seed=2)
    assert release.holds
    assert tclose.audit(release.to_arrow(), roles, require=require).holds


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([5] * 12, {5}),
        ([None] * 12, {None}),
        ([*range(12)], None),
        ([-3.25, 7.5] * 6, None),
        (["x"] * 12, {"x"}),
        ([dt.date(1, 1, 1)] * 6 + [dt.date(9999, 12, 31)] * 6, None),
        ([True, False] * 6, {True, False}),
    ],
)
def test_columns_of_little(values, expected):
    hierarchies = {"q": "flat"} if isinstance(values[0], str) else {}
    release = tclose.anonymize(
        pa.table({"q": values}), Roles("q"), require={"k": 6}, points="class", hierarchies=hierarchies
    )
    found = release.to_arrow()["q"].to_pylist()
    assert len(found) == 12
    assert expected is None or set(found) == expected
    assert min(Counter(found).values()) >= 6


def test_a_column_of_stars_names_nobody():
    table = pa.table({"name": [f"person {at}" for at in range(12)]})
    release = tclose.anonymize(table, Roles("name"), require={"k": 12}, hierarchies={"name": "flat"}, points="class")
    assert set(release.to_arrow()["name"].to_pylist()) == {"*"}


def test_points_come_of_rows_that_are_fetched_and_are_refused_in_a_transaction(tmp_path):
    with closing(sqlite3.connect(tmp_path / "people.sqlite")) as connection:
        connection.execute("CREATE TABLE people (age INTEGER)")
        connection.executemany("INSERT INTO people VALUES (?)", [(at % 50,) for at in range(200)])
        connection.commit()
    address = f"sqlite:///{tmp_path / 'people.sqlite'}#people"
    release = tclose.anonymize(address, Roles("age"), require={"k": 5}, points="class")
    assert {type(age) for age in release.to_arrow()["age"].to_pylist()} == {int}
    with held(address, None) as source, pytest.raises(InputError, match="Points cannot be published in a database"):
        tclose.anonymize(source, Roles("age"), require={"k": 5}, points="class")


def test_a_recipe_whose_points_do_not_fit_is_refused(tmp_path):
    release = tclose.anonymize(people(9), ROLES, points="class", **ASKED)
    points = release.recipe.points
    broken = replace(release.recipe, points=replace(points, drawn=points.drawn + 10_000))
    (tmp_path / "recipe.json").write_text(broken.to_json())
    with pytest.raises(InputError, match="damaged"):
        read_recipe(tmp_path / "recipe.json")
