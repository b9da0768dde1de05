"""Several tables about the same people, judged as one database, by the library and on the command line."""

from __future__ import annotations

import json

import pytest

import tclose
from faces.command_line import in_process
from tclose.errors import InputError, TcloseError

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
    one, two = tclose.audit(joined, roles, **ASKED).facts, tclose.audit_database(policies()).facts
    for mine, theirs in zip(one.powers, two.powers, strict=True):
        assert (mine.k.value, mine.alone, mine.fewer) == (theirs.k.value, theirs.alone, theirs.fewer)
        for key, figure in mine.attributes["hiv"].items():
            assert (figure.value, figure.tied) == (
                theirs.attributes["hiv"][key].value,
                theirs.attributes["hiv"][key].tied,
            )
    assert [each.failing for each in one.verdicts] == [each.failing for each in two.verdicts]


def test_people_of_one_table_alone_are_people():
    more = {"id": [*VISITS["id"], 7], "ward": [*VISITS["ward"], "A"]}
    found = tclose.audit_database(policies({**PEOPLE}, more)).facts
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
        ({"visits": "sqlite:visits.db#visits"}, "facts-engine"),
        ({"traits": {"age": "missing"}}, None),
        ({"require": {"t": {"pay": "0.2"}}}, None),
    ],
)
def test_tables_that_do_not_go_together_are_refused(given, code):
    with pytest.raises(TcloseError) as refused:
        tclose.audit_database(policies(**given))
    assert isinstance(refused.value, InputError)
    assert code in (None, refused.value.code)


def test_a_value_that_stays_with_a_person_is_no_reason_where_each_has_one_row():
    assert tclose.audit_database(policies()).reasons == ()
    grades = {**VISITS, "grade": ["low", "low", "high", "high"] * 3}
    found = tclose.audit_database(policies(visits=grades, of_visits=tclose.Roles("ward", "grade:nominal", person="id")))
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
