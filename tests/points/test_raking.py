"""Values fitted to published counts: these are rounded and withheld as said, and the release comes near to them."""

from __future__ import annotations

import json
import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tclose
from tclose import Nominal, Roles
from tclose.anonymization.points import published_counts
from tclose.anonymization.recipes import read_recipe
from tclose.errors import InputError

ROLES = Roles(["age", "area"], {"s": Nominal()})
ASKED = {"require": {"k": 10}, "hierarchies": {"area": "flat", "age": "intervals:5,20,40"}, "seed": 5}
SKEWED = [age for age in range(20, 60) for _ in range(2 + 40 * (age % 10 < 2))]


def people(seed=1, rows=3000):
    """Ages that begin a decade are twenty times as frequent as the others."""
    chance = random.Random(seed)
    return pa.table(
        {
            "age": [chance.choice(SKEWED) for _ in range(rows)],
            "area": [chance.choice("aaaaaaaabbbc") for _ in range(rows)],
            "s": [chance.choice("xyz") for _ in range(rows)],
        }
    )


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=20))
def test_counts_are_rounded_to_50_and_withheld_under_30(counts):
    names = [f"v{at}" for at in range(len(counts))]
    shown = dict(published_counts(names, np.array(counts), stretches=False))
    assert [name in shown for name in names] == [count >= 30 for count in counts]
    for name, count in zip(names, counts, strict=True):
        if name in shown:
            assert shown[name] % 50 == 0
            assert shown[name] >= 50
            assert abs(shown[name] - count) <= 25
    whole = dict(published_counts(names, np.array(counts), stretches=True))
    assert whole == {name: shown.get(name) for name in names}


def far(counted, wanted):
    return sum(abs(counted.get(value, 0) - count) for value, count in wanted.items())


@pytest.mark.parametrize("points", ["class", "row"])
def test_values_come_nearer_to_the_counts_of_the_original(points):
    table, asked = people(), ASKED | {"levels": {"age": 2, "area": 0}, "method": "full-domain"}
    truth = Counter(table["age"].to_pylist())
    plain = tclose.anonymize(table, ROLES, points=points, **asked)
    raked = tclose.anonymize(table, ROLES, points=points, rake=True, **asked)
    even, fitted = (Counter(each.to_arrow()["age"].to_pylist()) for each in (plain, raked))
    assert sum(even.values()) == sum(fitted.values()) == 3000
    assert far(fitted, truth) < far(even, truth) * (0.4 if points == "row" else 1)
    for release in (plain, raked):
        rows = release.to_arrow().to_pylist()
        assert points == "row" or min(Counter((row["age"], row["area"]) for row in rows).values()) >= 10


def test_each_row_comes_to_the_published_counts():
    """With a value for each row nothing but rounding and chance keeps a stretch from its count."""
    table = people(2)
    release = tclose.anonymize(
        table, ROLES, points="row", rake=True, **(ASKED | {"levels": {"age": 3, "area": 0}, "method": "full-domain"})
    )
    counts = dict(release.recipe.published_counts["age"])
    found = Counter(release.to_arrow()["age"].to_pylist())
    checked = 0
    for label, count in counts.items():
        if count is not None and label.isdigit():
            assert found[int(label)] == pytest.approx(count, abs=40)
            checked += 1
    assert checked >= 5


def test_counts_stand_in_the_report_the_certificate_and_the_recipe(tmp_path):
    table = people(3)
    release = tclose.anonymize(table, ROLES, points="class", rake=True, **ASKED)
    written = release.write(tmp_path / "raked.csv", certificate=tmp_path / "certificate.json")
    areas = Counter(table["area"].to_pylist())
    expected = {area: (count + 25) // 50 * 50 for area, count in areas.items()}
    report = json.loads(written.report.read_text())["published_counts"]
    attested = json.loads((tmp_path / "certificate.json").read_text())["attested"]["published_counts"]
    assert report == attested
    (counted,) = [each["counts"] for each in report if each["column"] == "area"]
    assert {each["of"]: each["count"] for each in counted} == expected
    recipe = read_recipe(written.recipe)
    assert recipe.published_counts == release.recipe.published_counts
    assert recipe.to_json() == release.recipe.to_json()
    assert tclose.verify(
        tmp_path / "raked.csv", tmp_path / "certificate.json", original=table, recipe=written.recipe
    ).holds
    page = release.to_html()
    assert "Published counts" in page
    assert "narrow a cell down" in page
    assert any(note.code == "counts-published" for note in release.notes)


def test_counts_are_of_the_rows_that_are_released():
    """Of rows that are left out no count tells: those of a code that is too rare are in none."""
    table = people(4)
    rare = pa.table({"age": [25] * 40, "area": [f"z{at}" for at in range(40)], "s": ["x"] * 40})
    release = tclose.anonymize(
        pa.concat_tables([table, rare]), ROLES, points="class", rake=True,
        **(ASKED | {"suppress": "0.05", "levels": {"age": 1, "area": 0}, "method": "full-domain"}),
    )  # fmt: skip
    assert release.suppressed >= 40
    named = {of for of, _ in release.recipe.published_counts["area"]}
    assert named <= {"a", "b", "c"}
    total = sum(count or 0 for _, count in release.recipe.published_counts["age"])
    stretches = len(release.recipe.published_counts["age"])
    assert abs(total - release.released_rows) <= 30 * stretches


def test_points_follow_from_published_counts_the_cells_and_the_seed():
    """Two tables with the same cells and the same rounded counts have the same values."""
    asked = ASKED | {"levels": {"age": 1, "area": 0}, "method": "full-domain", "require": {"k": 1}}
    table = people(6)
    ages = table["age"].to_pylist()
    first = tclose.anonymize(table, ROLES, points="class", rake=True, **asked)
    at, other = ages.index(32), ages.index(33)
    ages[at], ages[other] = 33, 32
    swapped = table.set_column(0, "age", [ages])
    again = tclose.anonymize(swapped, ROLES, points="class", rake=True, **asked)
    assert first.recipe.published_counts == again.recipe.published_counts
    assert Counter(first.to_arrow()["age"].to_pylist()) == Counter(again.to_arrow()["age"].to_pylist())


@pytest.mark.parametrize(
    ("points", "roles", "why"),
    [("none", ROLES, "no values are drawn"), ("class", Roles("age", person="who"), "people are counted")],
)
def test_what_cannot_be_fitted_is_refused(points, roles, why):
    table = people(5, 60).append_column("who", [list(range(60))])
    with pytest.raises(InputError, match=why):
        tclose.anonymize(table, roles, require={"k": 2}, points=points, rake=True, hierarchies={})


@pytest.mark.parametrize("values", [[5] * 40, [None] * 40, [*range(40)], ["x"] * 40, [1.5, None] * 20])
def test_columns_of_little(values):
    release = tclose.anonymize(
        pa.table({"q": values}), Roles("q"), require={"k": 10}, points="class", rake=True,
        hierarchies={"q": "flat"} if isinstance(values[0], str) else {},
    )  # fmt: skip
    assert min(Counter(release.to_arrow()["q"].to_pylist()).values()) >= 10
