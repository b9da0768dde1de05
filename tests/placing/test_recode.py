"""Recoding without judging: rows stay in order, missing values read as the recipe's did, and strangers are refused."""

from __future__ import annotations

import random

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tclose
from tclose import Nominal, ReadOptions, Roles
from tclose.anonymization.recipes import read_recipe
from tclose.errors import InputError

GROUPS = {"*": ["a", "b", "c"]}
ROLES = Roles(["age", "group"], {"s": Nominal()})


def people(seed=1, rows=300):
    chance = random.Random(seed)
    return pa.table(
        {
            "age": [chance.randrange(20, 60) for _ in range(rows)],
            "group": [chance.choice("abc") for _ in range(rows)],
            "s": [f"own {at}" for at in range(rows)],
        }
    )


def recipe_of(table, **asked):
    settings = {"require": {"k": 5}, "hierarchies": {"group": "flat"}, "seed": 1} | asked
    return tclose.anonymize(table, ROLES, **settings).recipe


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
@pytest.mark.parametrize("points", ["none", "class"])
def test_rows_in_memory_stay_in_order(kind, points):
    table = people()
    recipe = recipe_of(table, points=points)
    frame = {"pandas": table.to_pandas(), "polars": pl.from_arrow(table), "arrow": table}[kind]
    made = tclose.recode(frame, recipe)
    assert made.names == ["age", "group", "s"]
    for rows in (made.to_arrow().to_pylist(), made.to_polars().to_dicts(), made.to_pandas().to_dict("records")):
        assert [row["s"] for row in rows] == [f"own {at}" for at in range(300)]
    row_by_row = recipe.recode(table)
    assert made.to_arrow()["age"].to_pylist() == row_by_row["age"].to_pylist()


def test_rows_in_memory_stay_in_order_in_a_file(tmp_path):
    table = people(2).append_column("row", [list(range(300, 0, -1))])
    roles = Roles(["age", "group"], {"s": Nominal()}, publish=["row"])
    recipe = tclose.anonymize(table, roles, require={"k": 5}, hierarchies={"group": "flat"}).recipe
    tclose.recode(table, recipe).write(tmp_path / "recoded.csv")
    assert pd.read_csv(tmp_path / "recoded.csv")["row"].tolist() == list(range(300, 0, -1))


def test_missing_values_are_read_as_the_table_of_the_recipe_was(tmp_path):
    table = people(3).to_pandas()
    table["age"] = [age if at % 4 else "N" for at, age in enumerate(table.age)]
    table.to_csv(tmp_path / "people.csv", index=False)
    release = tclose.anonymize(
        tmp_path / "people.csv", ROLES, require={"k": 5}, hierarchies={"group": "flat"}, read=ReadOptions(null=("N",))
    )
    release.write(tmp_path / "release.parquet")
    recipe = read_recipe(tmp_path / "release.parquet.recipe.json")
    assert recipe.nulls == ("N",)
    frame = table.assign(age=table.age.astype(str))
    for made in (recipe.recode(frame), tclose.recode(frame, recipe).to_pandas()):
        cells = made.age.astype(object).where(made.age.notna(), None).tolist()
        of_missing, of_others = set(cells[::4]), {cell for at, cell in enumerate(cells) if at % 4}
        assert of_missing <= {None, "*"}
        assert "N" not in of_others
        assert len(of_others - {"*", None}) > 1


def test_a_table_that_the_recipe_does_not_cover_is_refused_with_column_and_count():
    table = people(4)
    recipe = recipe_of(
        table, levels={"age": 0, "group": 0}, method="full-domain", require={"k": 1}, hierarchies={"group": GROUPS}
    )

    def with_strangers(number):
        groups = ["z" if at < number else group for at, group in enumerate(table["group"].to_pylist())]
        return table.set_column(1, "group", [groups])

    for recode in (recipe.recode, lambda frame: tclose.recode(frame, recipe)):
        with pytest.raises(InputError, match=r"31 of 300 cells of 'group'") as found:
            recode(with_strangers(31))
        assert (found.value.code, found.value.column) == ("hardly-covered", "group")
        assert "31 rows have a value that its hierarchy does not cover" in str(found.value)
    assert recipe.recode(with_strangers(30))["group"].to_pylist().count("*") == 30


def test_stars_that_the_recipe_plans_are_no_reason():
    table = people(5)
    recipe = recipe_of(table, levels={"age": 2}, hierarchies={"group": "flat", "age": "intervals:50"})
    assert set(recipe.recode(table)["age"].to_pylist()) == {"*"}


def test_a_hierarchy_that_knows_few_of_a_columns_values_is_refused():
    table = people(6)
    recipe = recipe_of(table, hierarchies={"group": GROUPS})
    other = table.set_column(1, "group", [["x" if at % 20 else "y" for at in range(300)]])
    with pytest.raises(InputError, match="The hierarchy of 'group' knows 0 of its 2 values") as found:
        recipe.recode(other)
    assert found.value.code == "hierarchy-knows-few"
