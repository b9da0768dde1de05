"""Sensitive numbers that are rounded: all that is measured and published is that of a table rounded beforehand."""

from __future__ import annotations

import decimal
import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from faces.command_line import in_process
from tclose import Numeric, Ordered, Roles
from tclose.anonymization.recipes import read_recipe
from tclose.errors import InputError, PolicyError
from tclose.policy.distances import distance_named
from tclose.policy.files import parse_policy
from tclose.policy.writing import policy_text

PAY = [1499, 1500, 2499, 2500, 9999, 3, 700, 4200, 5100, 6300, 7400, 8600] * 5
TABLE = {"age": [20 + at % 6 for at in range(60)], "pay": PAY}
REQUIRE = {"k": 3, "t": "0.4"}


def by_hand(number, step):
    """Round by Python's own decimals: half up means away from zero there."""
    number = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    with decimal.localcontext(prec=80):
        times = (number / Decimal(step)).to_integral_value(rounding=decimal.ROUND_HALF_UP)
        return times * Decimal(step)


def figures(audit):
    """All that an audit says in numbers."""
    every = {None: audit.figures, **{name: each.figures for name, each in audit.attributes.items()}}
    return {(name, key): figure.value for name, some in every.items() for key, figure in some.items()}


NUMBERS = {
    "int8": st.integers(-128, 127).map(np.int8),
    "uint8": st.integers(0, 255).map(np.uint8),
    "int64": st.integers(-(10**15), 10**15),
    "float64": st.floats(-1e9, 1e9, allow_nan=False) | st.integers(-99, 99).map(lambda n: n / 20),
    "decimal": st.integers(-(10**9), 10**9).map(lambda n: Decimal(n).scaleb(-2)),
}


@pytest.mark.parametrize("kind", NUMBERS)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_every_number_is_rounded_as_by_hand(kind, data):
    step = data.draw(st.sampled_from(["1000", "10", "0.5", "2.5", "0.07", "0.1", "1"]))
    numbers = data.draw(st.lists(NUMBERS[kind], min_size=3, max_size=12))
    dtype = None if kind == "decimal" else kind
    frame = pd.DataFrame({"age": range(len(numbers)), "pay": pd.Series(numbers, dtype=dtype or object)})
    wanted = [by_hand(number if isinstance(number, float | Decimal) else int(number), step) for number in numbers]
    roles = Roles(["age"], {"pay": Ordered(round=step)}, publish=())
    release = tclose.anonymize(frame, roles, require={"k": len(numbers)}, hierarchies={"age": "flat"})
    found = sorted(release.to_pandas()["pay"].tolist())
    assert [float(each) for each in found] == [float(each) for each in sorted(wanted)]


@pytest.mark.parametrize("distance", [Ordered, Numeric])
def test_an_audit_measures_the_rounded_numbers(distance):
    rounded = {**TABLE, "pay": [int(by_hand(number, 1000)) for number in PAY]}
    roles = Roles(["age"], {"pay": distance(round=1000)})
    found = tclose.audit(TABLE, roles, require=REQUIRE)
    assert figures(found) == figures(tclose.audit(rounded, Roles(["age"], {"pay": distance()}), require=REQUIRE))
    assert figures(tclose.audit(rounded, roles, require=REQUIRE)) == figures(found)
    shown = [value for each in tclose.explain(found, attribute="pay") for value in each.values]
    assert {value % 1000 for value in shown} == {0}


def test_the_words_of_a_result_say_so():
    roles = Roles(["age"], {"pay": Ordered(round=1000)})
    assert "rounded to 1000" in str(tclose.audit(TABLE, roles))
    release = tclose.anonymize(TABLE, roles, require=REQUIRE)
    assert any("rounded to multiples of 1000" in note.text for note in release.notes)


@pytest.mark.parametrize("ending", ["csv", "parquet", "xlsx", "dta", "sav", "json", "feather"])
def test_no_finer_number_is_in_any_file(tmp_path, ending):
    frame = pd.DataFrame(TABLE)
    frame.to_csv(tmp_path / "pay.csv", index=False)
    roles = Roles(["age"], {"pay": Ordered(round=1000)})
    release = tclose.anonymize(tmp_path / "pay.csv", roles, require=REQUIRE)
    release.write(tmp_path / f"release.{ending}")
    again = tclose.audit(tmp_path / f"release.{ending}", Roles(["age"], "pay:ordered"), require=REQUIRE)
    assert again.holds
    assert {int(float(value)) % 1000 for value in again.evidence["pay"].domain.values} == {0}
    report = (tmp_path / f"release.{ending}.report.json").read_text(encoding="utf-8")
    assert '"1499"' not in report


def test_a_recipe_rounds_the_next_month_and_an_older_version_refuses_it(tmp_path):
    roles = Roles(["age"], {"pay": Numeric(round="0.5")})
    first: dict[str, list[Any]] = {**TABLE, "pay": [number / 100 for number in PAY]}
    tclose.anonymize(first, roles, require=REQUIRE).write(tmp_path / "release.csv")
    recipe = read_recipe(tmp_path / "release.csv.recipe.json")
    assert recipe.roles == roles
    assert json.loads((tmp_path / "release.csv.recipe.json").read_bytes())["format"] >= 3
    whole: dict[str, list[Any]] = {**TABLE, "pay": [number // 100 for number in PAY]}
    decimals: dict[str, list[Any]] = {**TABLE, "pay": [Decimal(number).scaleb(-2) for number in PAY]}
    for later in (first, whole, decimals):
        made = tclose.apply(later, recipe, suppress="0.5")
        assert made.holds
        assert all(Fraction(number) % Fraction(1, 2) == 0 for number in made.to_pandas()["pay"])
        recoded = tclose.recode(later, recipe).to_pandas()["pay"]
        assert sorted(map(float, recoded)) == sorted(float(by_hand(number, "0.5")) for number in later["pay"])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_recoded_frame_has_rounded_numbers_in_their_places(make):
    recipe = tclose.anonymize(TABLE, Roles(["age"], {"pay": Ordered(round=1000)}), require=REQUIRE).recipe
    frame = make({"name": [f"n{at}" for at in range(60)], **TABLE})
    found = recipe.recode(frame)
    numbers = found.column("pay").to_pylist() if make is pa.table else found["pay"].to_list()
    assert numbers == [int(by_hand(number, 1000)) for number in PAY]
    names = found.column("name").to_pylist() if make is pa.table else found["name"].to_list()
    assert names == [f"n{at}" for at in range(60)]


def test_missing_numbers_stay_missing_and_types_follow_from_the_step(tmp_path):
    table = pa.table(
        {
            "age": pa.array(TABLE["age"]),
            "pay": pa.array([None if at % 7 == 0 else number for at, number in enumerate(PAY)], pa.int32()),
            "rate": pa.array([Decimal("9.99")] * 60, pa.decimal128(3, 2)),
        }
    )
    pq.write_table(table, tmp_path / "pay.parquet")
    roles = Roles(["age"], {"pay": Ordered(nulls="drop", round=1000), "rate": Numeric(round=10)})
    release = tclose.anonymize(tmp_path / "pay.parquet", roles, require={"k": 3})
    found = release.to_arrow()
    assert found.schema.field("pay").type == pa.int32()
    assert found.column("pay").null_count == table.column("pay").null_count
    assert set(found.column("rate").to_pylist()) == {Decimal("10.00")}


@pytest.mark.parametrize(
    ("numbers", "what"),
    [
        (["a", "b"] * 30, "holds text"),
        ([True, False] * 30, "true and false"),
        (pd.to_datetime(["2020-01-01", "2021-01-01"] * 30), "TIMESTAMP"),
        ([2**63 - 1, 5] * 30, "30 numbers too large"),
        ([math.inf, 5.0] * 30, "30 numbers too large"),
    ],
)
def test_what_cannot_be_rounded_is_refused_by_name(numbers, what):
    frame = pd.DataFrame({"age": TABLE["age"], "pay": numbers})
    with pytest.raises(InputError, match=what) as refused:
        tclose.audit(frame, Roles(["age"], {"pay": Ordered(round=10)}))
    assert "'pay'" in str(refused.value)


@pytest.mark.parametrize("step", [0, -5, "1/3", "x", True, "1e-13", 10**16, math.nan])
def test_what_is_no_step_is_refused(step):
    with pytest.raises(InputError, match="round"):
        Ordered(round=step)


def test_a_reference_is_rounded_too_or_refused():
    roles = Roles(["age"], {"pay": Ordered(round=1000)})
    other = {"pay": [number + 200 for number in PAY]}
    rounded = {"pay": [int(by_hand(number, 1000)) for number in other["pay"]]}
    found = tclose.audit(TABLE, roles, reference=other)
    assert figures(found) == figures(tclose.audit(TABLE, roles, reference=rounded))
    with pytest.raises(InputError, match="1 number between"):
        tclose.audit(TABLE, roles, reference={"pay": {"1000": 1, "1499": 1}})


def test_a_policy_keeps_the_step_and_its_digits():
    text = '[columns]\nage = { role = "quasi-identifier" }\npay = { role = "sensitive", round = 0.10 }\n'
    policy = parse_policy(text, Path("policy.toml"))
    assert policy.roles.sensitive == {"pay": Ordered(round="0.1")}
    assert parse_policy(policy_text(policy), Path("again.toml")).roles == policy.roles
    with pytest.raises(PolicyError, match="'nominal'"):
        parse_policy(text.replace("round", 'distance = "nominal", round'), Path("policy.toml"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(TABLE).to_csv("pay.csv", index=False)
    (tmp_path / "tclose.toml").write_text(
        '[columns]\nage = { role = "quasi-identifier" }\n'
        'pay = { role = "sensitive", distance = "ordered", round = 1000 }\n[policy]\nk = 3\n'
    )
    return tmp_path


def test_the_command_line_rounds_and_a_policy_is_not_undone_in_silence(folder, capfdbinary):
    def values(*arguments):
        done = in_process(capfdbinary, "audit", "pay.csv", *arguments, "--format", "json")
        return json.loads(done.out)["attributes"]["pay"]["values"]

    different = len({by_hand(number, 1000) for number in PAY})
    assert values("-q", "age", "-s", "pay", "--round", "pay=1000") == different
    assert values("--policy", "tclose.toml") == different
    assert values("--policy", "tclose.toml", "-s", "pay:numeric") == different
    assert values("--policy", "tclose.toml", "--round", "pay=none") == len({*PAY})
    refused = in_process(capfdbinary, "audit", "pay.csv", "--policy", "tclose.toml", "-s", "pay:nominal")
    assert refused.code == 2
    assert "rounded" in refused.err


def test_a_statement_for_a_warehouse_refuses_to_leave_numbers_as_they_are():
    with pytest.raises(InputError, match="rounds no numbers"):
        tclose.audit_sql("visits", Roles(["age"], {"pay": Ordered(round=10)}))


def test_other_distances_take_no_step():
    with pytest.raises(TypeError):
        distance_named("nominal", round=10)


def test_frontiers_and_attackers_see_rounded_numbers():
    roles = Roles(["age"], {"pay": Ordered(round=1000)})
    rounded = {**TABLE, "pay": [int(by_hand(number, 1000)) for number in PAY]}
    swept = {"sweep": "t", "values": ["0.3", "0.5"], "methods": ["mondrian"]}
    found, wanted = tclose.frontier(TABLE, roles, **swept), tclose.frontier(rounded, roles, **swept)
    assert found.points == wanted.points
    attacks = [tclose.attack(each, roles, require={"k": 3}, divisions=1) for each in (TABLE, rounded)]
    assert attacks[0].outcomes == attacks[1].outcomes
