"""A recipe makes its release again, fits new rows where it can, and is refused where it is damaged."""

from __future__ import annotations

import copy
import datetime as dt
import hashlib
import json
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonymizing.release_cases import METHODS, TREE, cases, covers, file_rows
from tclose import Hierarchical, Nominal, Ordered, Roles, audit
from tclose.anonymization.anonymize import anonymize
from tclose.anonymization.apply import apply
from tclose.anonymization.recipes import read_recipe
from tclose.errors import InputError

few = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@few
@given(case=cases(), method=st.sampled_from(METHODS), ending=st.sampled_from([".csv", ".parquet"]))
def test_a_recipe_makes_the_same_file_again(tmp_path, case, method, ending):
    try:
        release = case.release(method=method)
    except InputError:
        return
    if not release.holds:
        return
    made = release.write(tmp_path / f"release{ending}", force=True)
    shuffled = list(range(case.rows))
    random.Random(1).shuffle(shuffled)
    again = apply(case.table(shuffled), made.recipe)
    assert again.holds
    assert (again.original_rows, again.suppressed, again.levels) == (
        release.original_rows,
        release.suppressed,
        release.levels,
    )
    second = again.write(tmp_path / f"again{ending}", force=True)
    assert second.path.read_bytes() == made.path.read_bytes()
    assert "secret-" not in made.recipe.read_text()


def rows_of(count, seed, ages=range(20, 30)):
    chance = random.Random(seed)
    return pa.table(
        {
            "name": [f"secret-{at}" for at in range(count)],
            "age": [chance.choice(ages) for _ in range(count)],
            "tree": [chance.choice(["ash", "birch", "cedar", "elm"]) for _ in range(count)],
            "pay": [chance.randrange(4) for _ in range(count)],
            "ill": [chance.choice(["ash", "birch", "cedar"]) for _ in range(count)],
            "note": [f"n{at}" for at in range(count)],
        }
    )


ROLES = Roles(["age", "tree"], {"pay": Ordered(), "ill": Hierarchical(TREE)}, ["name"], publish="all")
WISHES = {"hierarchies": {"age": "intervals:2,4,8", "tree": TREE}}


def release_of(table, method, **options):
    require = options.pop("require", {"k": 3, "t": {"pay": "0.4", "ill": "0.5"}})
    return anonymize(table, ROLES, require=require, method=method, **{**WISHES, **options})


NEW = [("full-domain", {}), ("mondrian", {}), ("gather", {}), ("mondrian", {"suppress": "0.3"})]


@pytest.mark.parametrize(("method", "options"), NEW, ids=["full-domain", "mondrian", "gather", "suppressed"])
def test_new_rows_get_cells_that_cover_them(method, options):
    """The new rows have combinations of age and tree that the first ones lack."""
    ages = [20, 22, 25, 26, 29]
    old, new = rows_of(50, 1, ages), rows_of(1000, 2, ages if method == "full-domain" else range(20, 30))
    recipe = release_of(old, method, require={"k": 3}, **options).recipe
    assert not recipe.divides
    again = apply(new, recipe, suppress="1")
    assert (again.holds, again.original_rows) == (True, 1000)
    above = {column.name: {row[0]: row for row in column.hierarchy.rows} for column in recipe.columns}
    known = {row["note"]: row for row in new.to_pylist()}
    released = pa.table(again).to_pylist()
    assert len({row["note"] for row in released}) == len(released) == 1000 - again.suppressed
    for row in released:
        own = known[row["note"]]
        assert all(covers(str(row[name]), own[name], above[name].get(str(own[name]), ("*",))) for name in above)
        assert (row["pay"], row["ill"]) == (own["pay"], own["ill"])
    cells = [
        [column.cells[at].label for column, at in zip(recipe.columns, row, strict=True)]
        for row in recipe.cells.tolist()
    ]
    left_out = {*known} - {row["note"] for row in released}
    if method == "mondrian" and not options:
        for note in left_out:
            own = known[note]
            over = [above[name].get(str(own[name]), ("*",)) for name in above]
            values = [own[name] for name in above]
            assert not any(all(map(covers, cell, values, over)) for cell in cells)


def test_new_rows_between_and_beyond_the_first_ones_are_in_the_open_classes():
    """The only cut is 30, with four people on either side: 21 and 27 lie below it, 60 does not."""
    table = pa.table({"age": [20, 22, 20, 22, 30, 31, 30, 31], "ill": ["x", "y"] * 4})
    recipe = anonymize(table, Roles(["age"], {"ill": Nominal()}), require={"k": 4}, method="mondrian").recipe
    new = pa.table({"age": [21, 27, 60, 20, 22, 22, 31, 30, 30, 30], "ill": ["x", "y"] * 5})
    again = apply(new, recipe, suppress="0.2")
    assert (again.holds, again.original_rows, again.suppressed) == (True, 10, 0)
    assert Counter(again.to_arrow()["age"].to_pylist()) == {"< 30": 5, "≥ 30": 5}


def test_a_day_between_the_days_of_a_class_is_covered():
    days = [dt.date(2020, 1, 1), dt.date(2020, 1, 9), dt.date(2021, 5, 1), dt.date(2021, 5, 9)]
    roles = Roles(["day"], {"ill": Nominal()})
    recipe = anonymize(
        pa.table({"day": days * 2, "ill": ["x"] * 4 + ["y"] * 4}), roles, require={"k": 4}, method="mondrian"
    ).recipe
    new = [dt.date(2020, 1, 5)] * 4 + [dt.date(2022, 1, 1)] + [dt.date(2021, 5, 2)] * 4
    again = apply(pa.table({"day": new, "ill": ["x", "y", "x", "y", "x", "y", "x", "y", "x"]}), recipe, suppress="1")
    assert sorted(Counter(again.to_arrow()["day"].to_pylist()).values()) == [4, 5]
    assert again.suppressed == 0


def test_where_every_column_has_one_level_new_combinations_make_classes_of_their_own():
    table = pa.table({"tree": ["ash", "birch"] * 4, "ill": ["x", "x", "y", "y"] * 2})
    roles = Roles(["tree"], {"ill": Nominal()})
    recipe = anonymize(
        table, roles, require={"k": 4}, hierarchies={"tree": TREE}, levels={"tree": 1}, method="full-domain"
    ).recipe
    new = pa.table({"tree": ["ash", "birch", "birch", "ash", "date", "cedar", "date", "cedar"], "ill": ["x", "y"] * 4})
    again = apply(new, recipe, suppress="1")
    assert Counter(again.to_arrow()["tree"].to_pylist()) == {"left": 4, "far": 4}
    assert again.suppressed == 0
    strange = apply(pa.table({"tree": ["ash", "oak"] * 4, "ill": ["x", "x", "y", "y"] * 2}), recipe, suppress="1")
    assert (strange.holds, strange.suppressed) == (True, 4)


@pytest.mark.parametrize("method", ["full-domain", "merge"])
@pytest.mark.parametrize(
    ("words", "old", "new", "cells", "outside"),
    [
        ("intervals:5,10", [20, 21, 22, 23], [24, 24, 21, 24], {"[20, 25)": 4}, 39),
        ("breaks:30,60", [20, 21, 22, 23], [5, 29, 20, 21], {"< 30": 4}, 30),
        ("mask", ["471", "472", "473", "474"], ["479", "470", "471", "47"], {"47*": 4}, "481"),
        ("dates:month,year", ["2024-03-01", "2024-03-02", "2024-03-03", "2024-03-04"],
         ["2024-03-31", "2024-03-01", "2024-03-09", "2024-03-09"], {"2024-03": 4}, "2025-01-01"),
    ],
)  # fmt: skip
def test_values_that_a_recipe_has_not_seen_are_published_by_the_rule_of_their_column(
    tmp_path, method, words, old, new, cells, outside
):
    """All old values lie in one node of level 1, and so do the new ones but for the one outside."""
    roles = Roles(["q"], {"ill": Nominal()})
    made = anonymize(
        pa.table({"q": old * 2, "ill": ["x", "y"] * 4}), roles, require={"k": 4}, hierarchies={"q": words},
        levels={"q": 1}, intervals=False, method=method,
    ).write(tmp_path / "old.csv")  # fmt: skip
    recipe = read_recipe(made.recipe)
    assert recipe.columns[0].hierarchy.rule.startswith(words)
    again = apply(pa.table({"q": new * 2, "ill": ["x", "y"] * 4}), recipe, suppress="1")
    assert (again.holds, again.suppressed) == (True, 0)
    assert Counter(again.to_arrow()["q"].to_pylist()) == {label: 2 * rows for label, rows in cells.items()}
    second = again.write(tmp_path / "new.csv")
    assert apply(pa.table({"q": old * 2, "ill": ["x", "y"] * 4}), second.recipe).holds
    alone = apply(pa.table({"q": [*new, outside], "ill": ["x", "y", "x", "y", "x"]}), recipe, suppress="1")
    assert (alone.holds, alone.suppressed) == ((False, 0) if recipe.levels else (True, 1))


def test_values_that_no_rule_covers_are_left_out_and_named():
    """A mask of three characters says nothing of four, nor a group of a value between its own."""
    roles = Roles(["zip", "size"], {"ill": Nominal()})
    table = pa.table({"zip": ["471", "472"] * 4, "size": ["a", "a", "c", "c"] * 2, "ill": ["x", "y"] * 4})
    recipe = anonymize(
        table, roles, require={"k": 8}, hierarchies={"zip": "mask", "size": "groups"}, method="full-domain"
    ).recipe
    again = apply(
        pa.table({"zip": ["479", "4711"] * 8, "size": ["a"] * 15 + ["b"], "ill": ["x", "y"] * 8}), recipe, suppress="1"
    )
    assert (again.holds, again.suppressed) == (True, 8)
    assert [note.text for note in again.notes if "hierarchy" in note.text] == [
        "zip: 8 rows have a value that its hierarchy does not cover.",
        "size: 1 row has a value that its hierarchy does not cover.",
    ]


def test_a_recipe_of_an_earlier_version_has_no_rules_and_knows_what_it_has_seen(tmp_path):
    recipe = json.loads(release_of(rows_of(40, 5), "full-domain", require={"k": 3}).recipe.to_json())
    for column in recipe["columns"]:
        del column["rule"]
    path = tmp_path / "recipe.json"
    path.write_text(json.dumps(sealed(recipe)))
    new = rows_of(1000, 2, [*range(20, 30), 300])
    strangers = new["age"].to_pylist().count(300)
    assert apply(new, path).suppressed == strangers > 0


def test_a_recipe_whose_requirements_new_rows_miss_gives_no_release():
    """All new rows are ill alike in one class, so that l is 1."""
    table = pa.table({"zone": ["a", "b"] * 4, "ill": ["x", "x", "y", "y"] * 2})
    release = anonymize(
        table, Roles(["zone"], {"ill": Nominal()}), require={"l": 2}, hierarchies={"zone": "flat"}, method="merge"
    )
    again = apply(pa.table({"zone": ["a", "a", "b", "b"], "ill": ["x", "x", "y", "x"]}), release.recipe)
    assert again.holds is False
    assert [(obstacle.requirement.model.key, obstacle.value) for obstacle in again.obstacles] == [("l", 1)]
    with pytest.raises(InputError, match="no release"):
        again.write("never.csv")


DIVIDED = {"require": {"k": 3, "t": {"pay": "0.2", "ill": "0.2"}}}


def divided():
    release = release_of(rows_of(60, 3), "sabre", **DIVIDED)
    assert release.recipe.divides
    return release.recipe


def test_a_recipe_that_divides_rows_repeats_its_own_table_and_covers_the_rows_of_others():
    recipe = divided()
    again = apply(rows_of(60, 3), recipe)
    assert (again.holds, again.suppressed) == (True, 0)
    own = rows_of(60, 3).to_pylist()
    others = [rows_of(60, 4), rows_of(61, 3), pa.Table.from_pylist(own[:-1]), pa.Table.from_pylist([*own, own[0]])]
    above = {column.name: {row[0]: row for row in column.hierarchy.rows} for column in recipe.columns}
    for other in others:
        known = {row["note"]: row for row in other.to_pylist()}
        loose = replace(recipe, requirements=(), suppress=Fraction(1))
        for row in apply(other, loose).to_arrow().to_pylist():
            cells = [(str(row[name]), known[row["note"]][name], above[name]) for name in above]
            assert all(covers(cell, value, tree.get(str(value), ("*",))) for cell, value, tree in cells)


def test_a_table_without_a_column_of_the_recipe_is_refused():
    for name in ("age", "pay", "note"):
        with pytest.raises(InputError, match=name):
            apply(rows_of(60, 3).drop_columns([name]), divided())


def test_identifiers_need_not_be_there_again(tmp_path):
    recipe = divided()
    made = [
        apply(table, recipe).write(tmp_path / f"{at}.csv").path.read_bytes()
        for at, table in enumerate([rows_of(60, 3), rows_of(60, 3).drop_columns(["name"])])
    ]
    assert made[0] == made[1]
    assert b"secret-" not in made[0]
    assert "secret-" not in recipe.to_json()


def recipes():
    """A recipe that divides rows, one of classes, and one of levels."""
    table = rows_of(40, 5)
    return [
        divided().to_json(),
        release_of(table, "gather").recipe.to_json(),
        release_of(table, "full-domain").recipe.to_json(),
    ]


def spots(data, path=()):
    """The places in JSON data, of lists the first three."""
    items = data.items() if isinstance(data, dict) else enumerate(data[:3]) if isinstance(data, list) else ()
    for key, below in items:
        yield (*path, key)
        yield from spots(below, (*path, key))


JUNK = st.sampled_from(
    [
        None,
        True,
        -1,
        0,
        1,
        7,
        2**31,
        2**63,
        2**70,
        1.5,
        1e300,
        "",
        "x",
        "\0",
        "1/0",
        [],
        {},
        [None],
        [[]],
        [1],
        {"a": 1},
    ]
)


def sealed(recipe):
    """The data with the checksum that a recipe would have: that of all the rest, as compact JSON."""
    rest = {key: value for key, value in recipe.items() if key != "sha256"}
    return {**rest, "sha256": hashlib.sha256(json.dumps(rest, separators=(",", ":")).encode()).hexdigest()}


@pytest.fixture(scope="module")
def good():
    return recipes()


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_recipe_is_refused_or_makes_a_release_that_holds(tmp_path, good, data):
    whole = data.draw(st.sampled_from(good))
    recipe = json.loads(whole)
    for _ in range(data.draw(st.integers(1, 2))):
        places = sorted(spots(recipe), key=str)
        if not places:
            break
        *way, last = data.draw(st.sampled_from(places))
        inside = recipe
        for step in way:
            inside = inside[step]
        if data.draw(st.booleans()):
            inside[last] = copy.deepcopy(data.draw(JUNK))
        else:
            del inside[last]
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(recipe))
    if json.dumps(recipe) != json.dumps(json.loads(whole)):
        with pytest.raises(InputError, match="recipe"):
            read_recipe(path)
    path.write_text(json.dumps(sealed(recipe)))
    try:
        release = apply(rows_of(60, 3), path)
    except InputError:
        return
    if release.holds:
        made = release.write(tmp_path / "made.csv", force=True)
        roles = Roles(release.roles.quasi, release.roles.sensitive, (), release.roles.together)
        if release.requirements:
            assert audit(made.path, roles, require=release.requirements).holds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "1" * 5000,
        "[" * 100_000,
        '{"kind": "recipe"}',
        '{"kind": "recipe", "format": 2}',
        "\ufeff{}",
    ],
    ids=["empty", "cut", "list", "null", "long", "deep", "bare", "newer", "mark"],
)
def test_what_is_no_recipe_is_refused(tmp_path, text):
    path = tmp_path / "recipe.json"
    path.write_text(text)
    with pytest.raises(InputError, match="recipe"):
        read_recipe(path)


def test_every_cut_recipe_is_refused(tmp_path, good):
    path = tmp_path / "recipe.json"
    for share in range(20):
        path.write_text(good[0][: len(good[0]) * share // 20])
        with pytest.raises(InputError, match="recipe"):
            read_recipe(path)


def test_places_that_hold_no_recipe_are_refused(tmp_path):
    (tmp_path / "binary.json").write_bytes(bytes(range(256)))
    for place in (tmp_path, tmp_path / "absent.json", tmp_path / "binary.json", tmp_path / ("x" * 300), "a\0b"):
        with pytest.raises(InputError):
            read_recipe(place)


def test_a_recipe_reads_as_it_was_written(good, tmp_path):
    for text in good:
        path = tmp_path / "recipe.json"
        path.write_text(text)
        assert read_recipe(path).to_json() == text


def test_the_cells_of_a_file_are_those_of_its_recipe(tmp_path):
    """Every class of the file is one of the recipe's, with the number of rows that its pieces have."""
    made = release_of(rows_of(60, 3), "sabre", **DIVIDED).write(tmp_path / "release.csv")
    recipe = read_recipe(made.recipe)
    names, rows = file_rows(made.path)
    shown = Counter(tuple(row[names.index(name)] for name in ("age", "tree")) for row in rows)
    sizes = Counter()
    for number, count in zip(recipe.classes.tolist(), recipe.counts.tolist(), strict=True):
        cells = [column.cells[at].label for column, at in zip(recipe.columns, recipe.cells[number], strict=True)]
        sizes[tuple(cells)] += count
    assert shown == sizes
