"""Numbers beside the text of a quasi-identifier: true of the original, no more than the text says, of one type."""

from __future__ import annotations

import datetime as dt
import random
from collections import defaultdict

import pyarrow as pa
import pytest

from tclose import Nominal, Roles
from tclose.anonymization.anonymize import anonymize
from tclose.anonymization.apply import apply
from tclose.anonymization.recipes import read_recipe
from tclose.errors import InputError

ROLES = Roles(["age", "born"], {"s": Nominal()}, publish=["row"])
HIERARCHIES = [
    ("intervals:5,10", "dates"), ("auto", "dates:month,quarter,year,decade,century"), ("round:10", "dates:week"),
    ("breaks:30,60", "auto"), ("top:70", "groups:3"), ("quantiles:4", "quantiles:3"), ("flat", "flat"),
]  # fmt: skip


def people(seed, rows=40, kind=None):
    chance = random.Random(seed)
    return pa.table(
        {
            "row": pa.array(range(rows)),
            "age": pa.array([chance.choice([None, *range(18, 95)]) for _ in range(rows)], kind or pa.int64()),
            "born": pa.array(
                [dt.date(1899, 12, 20) + dt.timedelta(chance.randrange(45_000)) for _ in range(rows)], pa.date32()
            ),
            "s": pa.array([chance.choice("xy") for _ in range(rows)]),
        }
    )


def check_bounds(table, release):
    own = {row["row"]: row for row in table.to_pylist()}
    published = release.to_arrow()
    assert published.column_names == ["row", "age", "age_low", "age_high", "born", "born_low", "born_high", "s"]
    types = [published.schema.field(name).type for name in ("age_low", "age_high", "born_low", "born_high")]
    assert types == [pa.float64(), pa.float64(), pa.date32(), pa.date32()]
    shown, bounded = defaultdict(set), 0
    for row in published.to_pylist():
        for name in ("age", "born"):
            low, high, value = row[f"{name}_low"], row[f"{name}_high"], own[row["row"]][name]
            shown[name, row[name]].add((low, high))
            assert low is None or low <= value
            assert high is None or value <= high
            bounded += (low is not None) + (high is not None)
    assert all(len(some) == 1 for some in shown.values())
    return bounded


@pytest.mark.parametrize("hierarchies", HIERARCHIES)
@pytest.mark.parametrize("method", ["full-domain", "mondrian"])
def test_bounds_bound_the_original_and_tell_no_more_than_the_text(hierarchies, method):
    age, born = hierarchies
    table = people(7)
    release = anonymize(
        table, ROLES, require={"k": 3}, hierarchies={"age": age, "born": born}, method=method, effort=0,
        numbers={"age": "bounds", "born": "bounds"},
    )  # fmt: skip
    assert release.holds
    bounded = check_bounds(table, release)
    assert bounded or "flat" in hierarchies or method == "full-domain"


def test_a_rounded_number_has_no_bounds():
    options = {"require": {"k": 1}, "hierarchies": {"age": "round:10", "born": "flat"}, "levels": {"age": 1}}
    bounds = anonymize(people(3), ROLES, numbers={"age": "bounds"}, **options).to_arrow()
    assert set(bounds["age_low"].to_pylist()) == {None}


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl"])
def test_the_next_month_has_the_same_columns_of_the_same_types(tmp_path, ending):
    first = anonymize(
        people(1), ROLES, require={"k": 1}, hierarchies={"age": "intervals:20", "born": "dates:decade"}, effort=0,
        levels={"age": 1, "born": 1}, method="full-domain", numbers={"age": "bounds", "born": "bounds"}, suppress="0.2",
    )  # fmt: skip
    written = first.write(tmp_path / f"first{ending}")
    assert read_recipe(written.recipe).to_json() == first.recipe.to_json()
    for seed, kind in ((2, pa.int64()), (3, pa.float64()), (4, pa.int16())):
        table = people(seed, kind=kind)
        again = apply(table, written.recipe, suppress="1")
        assert again.holds
        assert check_bounds(table, again) > 100
        again.write(tmp_path / f"month{seed}{ending}")


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"s": "bounds"}, "'s', which is no quasi-identifier"),
        ({"age": "bound"}, "Did you mean 'bounds'"),
        ({"age": "bounds"}, "'age_low' already"),
    ],
)
def test_numbers_that_cannot_be_published_are_refused(numbers, message):
    table = people(1)
    roles = ROLES
    if "already" in message:
        table = table.append_column("age_low", pa.array(range(40)))
        roles = Roles(["age", "born"], {"s": Nominal()}, publish=["row", "age_low"])
    with pytest.raises(InputError, match=message):
        anonymize(table, roles, require={"k": 2}, numbers=numbers, hierarchies={"born": "flat"})
