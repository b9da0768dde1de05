"""What a policy becomes as tests of dbt."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from faces.command_line import in_process
from tclose.auditing.dbt import dbt_tests
from tclose.auditing.sql_audit import DIALECTS
from tclose.errors import InputError, UndecidedColumnError
from tclose.policy.files import parse_policy
from tclose.policy.policy import Policy
from tclose.policy.roles import Ordered, Roles

POLICY = """
[columns]
zip = { role = "quasi-identifier", hierarchy = "mask", numbers = "bounds" }
pay = { role = "sensitive", distance = "ordered", order = "frequency", nulls = "first" }
ill = { role = "sensitive", distance = "nominal", t = 0.2 }
name = { role = "identifier" }
notes = { role = "remove" }
ward = { role = "publish" }
[policy]
k = 5
l = 2
t = "1/3"
"""


def parsed(text, **more):
    return yaml.safe_load(dbt_tests(parse_policy(text, Path("p.toml")), "visits", **more))


def test_every_requirement_is_a_test_and_the_list_of_columns_is_closed():
    (model,) = parsed(POLICY)["models"]
    closed, sizes = model["data_tests"]
    assert closed["tclose.only_columns"] == {
        "arguments": {"columns": ["zip", "zip_low", "zip_high", "pay", "ill", "ward"]}
    }
    quasi = ["zip", "zip_low", "zip_high"]
    assert sizes["tclose.k_anonymous"]["arguments"] == {"quasi": quasi, "k": 5}
    pay, ill = model["columns"]
    assert [each["name"] for each in (pay, ill)] == ["pay", "ill"]
    assert pay["data_tests"][0]["tclose.l_diverse"]["arguments"] == {"quasi": quasi, "l": 2, "nulls": "category"}
    assert pay["data_tests"][1]["tclose.t_close"]["arguments"] == {
        "quasi": quasi, "t": "1/3", "distance": "ordered", "order": "frequency", "nulls": "first",
    }  # fmt: skip
    assert ill["data_tests"][1]["tclose.t_close"]["arguments"]["t"] == "0.2"


def test_people_are_counted_by_pseudonyms_and_not_at_all_by_a_column_that_a_release_does_not_have(
    tmp_path, capfdbinary
):
    (model,) = parsed(POLICY.replace('"identifier"', '"pseudonym"'))["models"]
    assert model["data_tests"][1]["tclose.k_anonymous"]["arguments"]["person"] == "name"
    assert "name" in model["data_tests"][0]["tclose.only_columns"]["arguments"]["columns"]
    (tmp_path / "p.toml").write_text(POLICY.replace('"identifier"', '"person"'))
    done = in_process(capfdbinary, "sql", "dbt", "visits", "--policy", tmp_path / "p.toml")
    assert (done.code, "no test can count them" in done.err) == (0, True)
    (model,) = yaml.safe_load(done.out)["models"]
    assert [list(each) for each in model["data_tests"]] == [["tclose.only_columns"]]
    assert "columns" not in model


def test_a_policy_that_only_tells_warns_and_one_that_publishes_all_others_has_no_closed_list():
    (model,) = parsed(f'{POLICY}unprotected = "tell"\n')["models"]
    assert model["data_tests"][0]["tclose.only_columns"]["config"] == {"severity": "warn"}
    (model,) = parsed(f'{POLICY}others = "publish"\n')["models"]
    assert [name for each in model["data_tests"] for name in each] == ["tclose.k_anonymous"]


def test_what_is_undecided_or_cannot_be_tested_is_refused():
    with pytest.raises(UndecidedColumnError, match="'ward'"):
        parsed(POLICY.replace("publish", "undecided"))
    with pytest.raises(InputError, match="'tclose audit' judges every model"):
        parsed(f"{POLICY}alpha = 0.5\n")
    with pytest.raises(InputError, match="template"):
        parsed(POLICY.replace("ward", '"{{ target.password }}"'))


@pytest.mark.parametrize("name", ["Zip", "date of birth", "user", "current_date", 'a"b'])
def test_a_name_that_needs_quotes_has_those_of_its_database(name):
    """Without quotes PostgreSQL takes user for who is connected: every row is then alike."""
    policy = Policy(roles=Roles([name], {"pay": Ordered()})).with_options({"require": {"k": 2}})
    with pytest.raises(InputError, match="needs quotes in SQL") as refused:
        dbt_tests(policy, "visits")
    assert refused.value.column == name
    for dialect, quote in (("postgres", '"'), ("bigquery", "`"), ("spark", "`")):
        (model,) = yaml.safe_load(dbt_tests(policy, "visits", DIALECTS[dialect]))["models"]
        (quoted,) = model["data_tests"][1]["tclose.k_anonymous"]["arguments"]["quasi"]
        assert (quoted[0], quoted[-1]) == (quote, quote)
        assert name in model["data_tests"][0]["tclose.only_columns"]["arguments"]["columns"]


def test_the_model_is_named_like_the_table_of_the_policy(tmp_path, capfdbinary):
    for source, name in (("data/visits.parquet", "visits"), ("postgresql://host/base#clinic.visits", "visits")):
        (tmp_path / "p.toml").write_text(f'[table]\nsource = "{source}"\n{POLICY}')
        told = in_process(capfdbinary, "sql", "dbt", "--policy", tmp_path / "p.toml").out
        assert yaml.safe_load(told)["models"][0]["name"] == name


NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=12)


@given(quasi=NAMES, sensitive=NAMES, values=st.lists(NAMES, min_size=2, max_size=3, unique=True))
def test_no_name_and_no_value_leaves_its_place_in_the_file(quasi, sensitive, values):
    if quasi == sensitive or any(sign in "\n".join([quasi, sensitive, *values]) for sign in ("{{", "{%", "{#")):
        return
    roles = Roles(
        [quasi], {sensitive: Ordered(order=tuple(values))}, publish=["w"] if "w" not in (quasi, sensitive) else []
    )
    policy = Policy(roles=roles).with_options({"require": {"k": 2, "t": "0.5"}})
    (model,) = yaml.safe_load(dbt_tests(policy, "visits", DIALECTS["duckdb"]))["models"]
    assert model["data_tests"][0]["tclose.only_columns"]["arguments"]["columns"] == [quasi, sensitive, *roles.publish]
    (column,) = model["columns"]
    assert column["name"] == sensitive
    (test,) = column["data_tests"]
    assert test["tclose.t_close"]["arguments"]["order"] == values
