"""Three months by one recipe: what is written meets its requirements, no row is lost uncounted, every cell covers."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import tclose
from anonymizing.months import KINDS, check_month, recipe_of, table_of
from tclose import Nominal, Roles, anonymize, apply, read_recipe, recode
from tclose.errors import ColumnNotFoundError, InputError

FILES = {".csv": pyarrow.csv.write_csv, ".parquet": pq.write_table}
ONE = Roles(["q"], {"ill": Nominal()})


def later(chance, kind, folder):
    """A later month: other values and rows, perhaps another type, a column more or less, or another format."""
    other = chance.choice([kind, kind, chance.choice([*KINDS])])
    table = table_of(
        chance, other, [*KINDS[other][1], *([None] if chance.random() < 0.2 else [])], chance.choice([6, 30])
    )
    change = chance.choice(["", "", "added", "dropped", *FILES])
    if change in FILES and other in ("whole", "day"):
        FILES[change](table, folder / f"month{change}")
        return table, folder / f"month{change}", change
    if change == "added":
        return table, table.append_column("added", pa.array(["secret"] * len(table))), change
    if change == "dropped":
        return table, table.drop_columns([chance.choice(["q", "s", "id"])]), change
    return table, table, ""


def test_three_months_by_one_recipe(tmp_path):
    outcomes = Counter()
    for seed in range(30):
        chance = random.Random(seed)
        kind = chance.choice([*KINDS])
        recipe = recipe_of(chance, kind)
        if recipe is None:
            continue
        (tmp_path / "recipe.json").write_text(recipe.to_json(), encoding="utf-8")
        recipe = read_recipe(tmp_path / "recipe.json")
        for _ in (2, 3):
            table, source, change = later(chance, kind, tmp_path)
            outcomes[judged(recipe, table, source, change, widen=chance.random() < 0.5)] += 1
    assert min(outcomes[each] for each in ("held", "missed", "refused")) > 1


def judged(recipe, table, source, change, *, widen):
    try:
        release = apply(source, recipe, widen=widen)
    except ColumnNotFoundError:
        assert change == "dropped"
        return "refused"
    except InputError:
        return "refused"
    assert change != "dropped"
    if not release.holds:
        with pytest.raises(InputError, match="no release"):
            release.write("never.csv")
        return "missed"
    released = release.to_arrow().to_pylist()
    assert [*released[0]] == ["q", "z", "s", "id"]
    check_month(recipe, table, release, released)
    return "held"


def ages(*values):
    return pa.table({"q": [*values], "ill": ["x", "y"] * (len(values) // 2)})


def recipe_of_ages(**wishes):
    """The classes are those of 20 and 22, and of 30 and 31."""
    table, tens = ages(20, 22, 20, 22, 30, 31, 30, 31), {"q": "intervals:10"}
    made = anonymize(table, ONE, require={"k": 4}, method="mondrian", hierarchies=tens, intervals=False, **wishes)
    return made.recipe


def test_a_recipe_keeps_its_limit_and_leaves_out_no_more(tmp_path):
    table = ages(20, 22, 20, 22, 30, 31, 30, 31, 77, 78)
    lost = apply(table, recipe_of_ages())
    assert (lost.holds, lost.suppressed, lost.obstacles) == (False, 2, ())
    assert "would lose 2 of 10 rows, and none may be lost" in " ".join(str(lost).split())
    assert "widen=True" in str(lost)
    assert "q: 2 rows have one of 2 values that no class of the recipe covers." in [note.text for note in lost.notes]
    spared = apply(table, recipe_of_ages(suppress="0.2"))
    assert (spared.holds, spared.suppressed) == (True, 2)
    assert apply(table, recipe_of_ages(suppress="0.19")).holds is False
    assert apply(table, recipe_of_ages(), suppress="1/5").recipe.suppress == Fraction(1, 5)
    (tmp_path / "r.json").write_text(recipe_of_ages(suppress="0.19").to_json(), encoding="utf-8")
    assert read_recipe(tmp_path / "r.json").suppress == Fraction(19, 100)


def test_rows_without_a_place_may_get_the_coarsest_cells():
    table = ages(20, 22, 20, 22, 30, 31, 30, 31, 77, 78, 79, 80)
    wide = apply(table, recipe_of_ages(), widen=True)
    assert (wide.holds, wide.suppressed) == (True, 0)
    assert Counter(wide.to_arrow()["q"].to_pylist())["*"] == 4
    few = apply(ages(20, 22, 20, 22, 30, 31, 30, 31, 77, 78), recipe_of_ages(), widen=True)
    assert [each.requirement.text for each in few.obstacles] == ["k ≥ 4"]


def test_the_coarsest_cell_of_a_value_that_a_tree_lacks_is_not_the_trees_root():
    tree = {"Europe": {"north": ["NO", "SE"], "south": ["IT", "ES"]}}
    old = pa.table({"q": ["NO", "SE", "IT", "ES"] * 2, "ill": ["x", "y"] * 4})
    recipe = anonymize(old, ONE, require={"k": 4}, hierarchies={"q": tree}, method="full-domain").recipe
    new = pa.table({"q": ["NO", "SE", "IT", "ES"] * 2 + ["JP"] * 4, "ill": ["x", "y"] * 6})
    assert Counter(apply(new, recipe, widen=True).to_arrow()["q"].to_pylist())["*"] == 4


def test_a_frame_is_recoded_row_by_row_and_nothing_is_judged():
    recipe = recipe_of_ages()
    cells = [*["[30, 40)", "[20, 30)"] * 9, "*", "*"]
    letters, index = list("abcdefghijklmnopqrst"), list(range(40, 0, -2))
    frame = pd.DataFrame({"q": [*[30, 21] * 9, None, 99], "row": letters}, index=index)
    made = recipe.recode(frame)
    assert made["q"].tolist() == cells
    assert (made.index.tolist(), made["row"].tolist()) == (index, letters)
    assert recipe.recode(pl.from_pandas(frame))["q"].to_list() == cells
    assert recipe.recode(pa.Table.from_pandas(frame))["q"].to_pylist() == cells
    assert recipe.recode(frame.iloc[:0]).columns.tolist() == ["q", "row"]
    with pytest.raises(ColumnNotFoundError, match="recoded column 'q'"):
        recipe.recode(frame[["row"]])
    with pytest.raises(InputError, match="not list"):
        recipe.recode([1, 2])


def test_a_table_is_recoded_without_losing_a_row(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = recode(pa.table({"q": [30, 21, 99], "other": [1, 2, 3]}), recipe_of_ages())
    assert made.names == ["q"]
    assert sorted(made.to_arrow()["q"].to_pylist()) == ["*", "[20, 30)", "[30, 40)"]
    assert tclose.apply(ages(20, 21, 99, 99), recipe_of_ages()).holds is False


def test_a_transformer_recodes_in_a_pipeline():
    learning = pytest.importorskip("tclose.anonymization.sklearn")
    from sklearn.base import clone
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    frame = pd.DataFrame({"q": [20, 22, 30, 31, 99]})
    made = make_pipeline(clone(learning.RecipeTransformer(recipe_of_ages())), OneHotEncoder())
    assert made.fit_transform(frame).shape == (5, 3)
    assert made.get_feature_names_out().tolist() == ["q_*", "q_[20, 30)", "q_[30, 40)"]
    with pytest.raises(InputError, match="call fit first"):
        learning.RecipeTransformer(recipe_of_ages()).transform(frame)
    people = ages(20, 22, 20, 22, 30, 31, 30, 31).to_pandas()
    tens = {"method": "mondrian", "hierarchies": {"q": "intervals:10"}, "intervals": False}
    own = learning.RecipeTransformer(roles=ONE, require={"k": 4}, options=tens).fit(people)
    assert own.transform(frame)["q"].tolist() == ["[20, 30)", "[20, 30)", "[30, 40)", "[30, 40)", "*"]
    with pytest.raises(InputError, match="no recipe"):
        learning.RecipeTransformer(roles=ONE, require={"l": 3}).fit(people)
