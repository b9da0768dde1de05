"""Several tables about the same people, judged as one database, by the library and on the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator

import tclose
from faces.command_line import in_process
from tclose.errors import InputError, TcloseError
from tclose.reports.machine_readable.facts import database_schema_text

PEOPLE: dict[str, list[object]] = {
    "id": [1, 2, 3, 4, 5, 6],
    "sex": list("FFFMMM"),
    "hiv": ["no", "no", "yes", "no", "yes", "no"],
}
VISITS: dict[str, list[object]] = {"id": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], "ward": list("ABAAABACACBC")}
ASKED = {"facts": 2, "require": {"k": 2, "t": "0.5"}}


def policies(people=PEOPLE, visits=VISITS, *, of_people=None, of_visits=None, **asked):
    options = {**ASKED, **asked}
    first = of_people or tclose.Roles("sex", "hiv:nominal", person="id")
    second = of_visits or tclose.Roles("ward", person="id")
    return [
        tclose.Policy(table=people, roles=first).with_options(options),
        tclose.Policy(table=visits, roles=second).with_options(options),
    ]


def test_two_tables_are_what_their_join_is():
    joined = {
        "id": VISITS["id"],
        "sex": [PEOPLE["sex"][person - 1] for person in VISITS["id"]],
        "ward": VISITS["ward"],
        "hiv": [PEOPLE["hiv"][person - 1] for person in VISITS["id"]],
    }
    roles = tclose.Roles(["sex", "ward"], "hiv:nominal", person="id")
    one, two = tclose.audit(joined, roles, **ASKED).facts, tclose.audit(policies()).facts
    for mine, theirs in zip(one.powers, two.powers, strict=True):
        assert (mine.k.value, mine.alone, mine.fewer) == (theirs.k.value, theirs.alone, theirs.fewer)
        for key, figure in mine.attributes["hiv"].items():
            assert (figure.value, figure.tied) == (
                theirs.attributes["hiv"][key].value,
                theirs.attributes["hiv"][key].tied,
            )
    assert [each.failing for each in one.verdicts] == [each.failing for each in two.verdicts]


ROLES = tclose.Roles(["sex", "ward"], "hiv:nominal", person="id")


def test_every_way_to_name_tables_asks_the_same():
    tables, options = {"people": PEOPLE, "visits": VISITS}, {**ASKED}
    policy = tclose.Policy(roles=ROLES).with_options(options)
    own = {"people": tclose.Roles("sex", "hiv:nominal", person="id"), "visits": tclose.Roles("ward", person="id")}
    first, *others = (
        tclose.audit(tables, policy),
        tclose.audit(tables, ROLES, **options),
        tclose.audit(policy.with_table(tables)),
        tclose.audit(tables, own, **options),
        tclose.audit(tables, {name: tclose.Policy(roles=roles) for name, roles in own.items()}, **options),
    )
    assert [table.label for table in first.facts.tables] == ["people", "visits"]
    assert all(other.to_dict() == first.to_dict() for other in others)
    assert tclose.audit(policies()).facts.powers[-1].alone == first.facts.powers[-1].alone == 2


def test_each_table_names_people_as_it_does():
    renamed = {"patient": VISITS["id"], "ward": VISITS["ward"]}
    own = {
        "people": tclose.Roles("sex", "hiv:nominal", person="id"),
        "visits": tclose.Roles("ward", person="patient"),
    }
    found, same = (
        tclose.audit({"people": PEOPLE, "visits": renamed}, own, **ASKED),
        tclose.audit({"people": PEOPLE, "visits": VISITS}, ROLES, **ASKED),
    )
    assert found.facts.powers == same.facts.powers
    assert found.naming == {"people": ("id",), "visits": ("patient",)}


def test_frames_and_files_go_together(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    write(tmp_path)
    tables = {"people": tmp_path / "people.csv", "visits": pyarrow.table(VISITS)}
    assert [power.alone for power in tclose.audit(tables, ROLES, facts=2).facts.powers] == [0, 1, 2]


@pytest.mark.parametrize(
    ("tables", "roles", "field"),
    [
        ({"people": PEOPLE, "visits": VISITS}, None, "roles"),
        ({"people": PEOPLE, "visits": VISITS}, {"people": ROLES}, "roles"),
        ({"people": PEOPLE, "visits": VISITS}, tclose.Roles(["sex", "wrad"], person="id"), None),
        ({"people": PEOPLE, "visits": VISITS}, tclose.Roles((), "hiv", person="id"), "quasi"),
        ({"people": PEOPLE, "visits": {"ward": ["A"]}}, ROLES, "person"),
        (policies(), ROLES, "roles"),
    ],
)
def test_roles_that_fit_no_tables_are_refused(tables, roles, field):
    with pytest.raises(InputError) as refused:
        tclose.audit(tables, roles, facts=1)
    assert field in (None, refused.value.field)


def test_a_verb_of_one_table_refuses_several():
    for verb in (tclose.anonymize, tclose.attack, tclose.frontier):
        with pytest.raises(InputError, match="one table"):
            verb({"people": PEOPLE, "visits": VISITS}, ROLES)


def test_json_of_tables_is_as_its_schema_says():
    schema = json.loads(database_schema_text())
    Draft202012Validator.check_schema(schema)
    assert (Path(__file__).parents[2] / "docs" / "database.schema.json").read_text("utf-8") == database_schema_text()
    for asked in (ASKED, {"facts": 2, "fact_sets": 1}):
        Draft202012Validator(schema).validate(json.loads(tclose.audit(policies(**asked)).to_json()))


def test_people_of_one_table_alone_are_people():
    more = {"id": [*VISITS["id"], 7], "ward": [*VISITS["ward"], "A"]}
    found = tclose.audit(policies({**PEOPLE}, more)).facts
    assert found.people == 7
    assert [each.people for each in found.tables] == [6, 7]
    assert found.powers[0].k.value == 1  # nobody else has no sex


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"visits": {**VISITS, "id": [f"00{person}" for person in VISITS["id"]]}}, "keys-of-different-types"),
        ({"visits": {**VISITS, "id": [None, *VISITS["id"][1:]]}}, "person-missing"),
        ({"of_visits": tclose.Roles("ward", person="patient")}, None),
        ({"of_visits": tclose.Roles("ward")}, "facts-without-people"),
        ({"visits": {**VISITS, "hiv": ["no"] * 12}, "of_visits": tclose.Roles("ward", "hiv", person="id")}, None),
        ({"facts": None}, None),
        ({"visits": "sqlite:visits.db#visits"}, None),
        ({"traits": {"age": "missing"}}, None),
        ({"require": {"t": {"pay": "0.2"}}}, None),
    ],
)
def test_tables_that_do_not_go_together_are_refused(given, code):
    with pytest.raises(TcloseError) as refused:
        tclose.audit(policies(**given))
    assert isinstance(refused.value, InputError)
    assert code in (None, refused.value.code)


def test_a_value_that_stays_with_a_person_is_no_reason_where_each_has_one_row():
    assert tclose.audit(policies()).reasons == ()
    grades = {**VISITS, "grade": ["low", "low", "high", "high"] * 3}
    found = tclose.audit(policies(visits=grades, of_visits=tclose.Roles("ward", "grade:nominal", person="id")))
    assert [each.name for each in found.reasons] == ["trait-in-histories:grade"]


POLICY = """
version = 1
[policy]
k = 2
facts = 2
others = "refuse"
unprotected = "tell"
[[table]]
source = "people.csv"
[table.columns]
id = { role = "person" }
sex = { role = "quasi-identifier" }
hiv = { role = "sensitive", distance = "nominal" }
[[table]]
source = "visits.csv"
columns = { id = { role = "person" }, ward = { role = "quasi-identifier" } }
"""


def write(folder, policy=POLICY):
    for name, table in (("people", PEOPLE), ("visits", VISITS)):
        rows = zip(*table.values(), strict=True)
        lines = [",".join(table), *(",".join(map(str, row)) for row in rows)]
        (folder / f"{name}.csv").write_text("\n".join(lines))
    (folder / "tclose.toml").write_text(policy)


def test_the_command_line_audits_the_tables_of_a_policy_together(tmp_path, monkeypatch, capfdbinary):
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    found = in_process(capfdbinary, "audit")
    assert found.code == 1
    assert "2 tables of 6 people miss 1 of 1 requirement" in found.out
    data = json.loads(in_process(capfdbinary, "audit", "--format", "json").out)
    assert (data["verdict"], [each["alone"] for each in data["facts"]]) == ("fail", [0, 1, 2])
    assert in_process(capfdbinary, "audit", "--k", "1").code == 0


def test_pipelines_see_what_fails_of_tables_and_of_histories(tmp_path, monkeypatch, capfdbinary):
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    (suite,) = ET.fromstring(in_process(capfdbinary, "audit", "--format", "junit").out)
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    (case,) = suite
    assert case.get("name") == "k ≥ 2 for any 2 facts of people"
    told = in_process(capfdbinary, "audit", "--format", "github").out
    assert "::error title=" in told  # two tables are no file
    assert "2 facts of people does not hold: found 1; failing: 3 sets" in told
    results = json.loads(in_process(capfdbinary, "audit", "--format", "sarif").out)["runs"][0]["results"]
    assert "k" in [each["ruleId"] for each in results]
    asked = [
        "audit",
        "visits.csv",
        "--person",
        "id",
        "-q",
        "ward,id2",
        "--fact-column",
        "ward",
        "--k",
        "2",
        "--facts",
        "2",
    ]
    (tmp_path / "visits.csv").write_text("id,id2,ward\n1,1,A\n2,2,A\n1,1,B\n2,2,A")
    told = in_process(capfdbinary, *asked, "--format", "github").out
    assert "k ≥ 2 for any 2 facts of people does not hold" in told


def test_the_tables_of_a_policy_are_explained_together(tmp_path, monkeypatch, capfdbinary):
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert in_process(capfdbinary, "explain").code == 2  # it shows single people
    found = in_process(capfdbinary, "explain", "--show-people")
    assert (found.code, "fact 1: ward=B" in found.out) == (0, True)


def test_csv_has_a_line_for_each_figure(tmp_path, monkeypatch, capfdbinary):
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    lines = list(csv.DictReader(io.StringIO(in_process(capfdbinary, "audit", "--format", "csv").out)))
    found = {(each["known"], each["model"], each["attribute"]): each for each in lines}
    assert [found[known, "k", ""]["alone"] for known in "012"] == ["0", "1", "2"]
    assert found["0", "alpha", "hiv"]["exact"] == "2/3"


def test_redacted_tables_show_no_cell(tmp_path, monkeypatch, capfdbinary):
    write(tmp_path)
    monkeypatch.chdir(tmp_path)
    asked = ["audit", "--k", "1", "--format"]
    assert "sex=M + ward=B" in in_process(capfdbinary, *asked, "text").out
    for form in ("text", "json", "markdown", "html"):
        redacted = in_process(capfdbinary, *asked, form, "--redact-classes").out
        assert not any(cell in redacted for cell in ("sex=", "ward=", '"ward": "', '"sex": "'))


def test_a_column_that_the_policy_withholds_fails_a_database(tmp_path, monkeypatch, capfdbinary):
    write(tmp_path, POLICY.replace('unprotected = "tell"\n', ""))
    monkeypatch.chdir(tmp_path)
    found = in_process(capfdbinary, "audit", "--k", "1")
    assert (found.code, "hold columns that their policy withholds" in found.out) == (1, True)


def test_several_tables_without_facts_are_refused_and_told_why(tmp_path, monkeypatch, capfdbinary):
    write(tmp_path, POLICY.replace("facts = 2\n", ""))
    monkeypatch.chdir(tmp_path)
    found = in_process(capfdbinary, "audit")
    assert (found.code, "--facts M" in found.err) == (2, True)
