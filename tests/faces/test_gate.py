"""A policy is a gate: a file that holds a column which nobody decided to publish does not pass."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import tclose
from faces.command_line import in_process
from tclose.policy.files import parse_policy
from tclose.reports.machine_readable.audits import schema_text

ROWS = "zip,pay,name,notes,ward\n1,2,a,x,A\n1,3,b,x,A\n2,2,c,x,B\n2,3,d,x,B\n"
COLUMNS = """
[columns]
zip = { role = "quasi-identifier", hierarchy = "flat" }
pay = { role = "sensitive", distance = "ordered" }
name = { role = "identifier" }
notes = { role = "remove" }
ward = { role = "publish" }
"""
POLICY = f"{COLUMNS}[policy]\nk = 2\n"


@pytest.fixture
def run(capfdbinary, tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(ROWS)
    (tmp_path / "p.toml").write_text(f'[table]\nsource = "t.csv"\n{POLICY}')
    monkeypatch.chdir(tmp_path)
    return functools.partial(in_process, capfdbinary)


def test_a_file_with_columns_that_its_policy_withholds_does_not_pass_although_it_meets_every_requirement(run):
    done = run("audit", "--policy", "p.toml")
    assert done.code == 1
    told = " ".join(done.out.split())
    assert told.startswith(
        "✗ t.csv meets its requirement, but holds columns that its policy withholds: name and notes."
    )
    assert "✗ name identifier ✗ notes remove" in told
    assert "✗ ward" not in told


def test_the_release_of_a_policy_passes_by_the_same_policy(run):
    assert run("anonymize", "--policy", "p.toml", "-o", "r.csv").code == 0
    done = run("audit", "r.csv", "--policy", "p.toml")
    assert (done.code, "Published without protection: ward." in done.out) == (0, True)
    head, *rows = Path("r.csv").read_text().splitlines()
    Path("leaky.csv").write_text("\n".join([f"{head},notes", *(f"{row},x" for row in rows)]))
    assert run("audit", "leaky.csv", "--policy", "p.toml").code == 1


def test_unprotected_tell_lists_and_does_not_fail_in_a_file_and_on_the_command_line(run):
    assert run("audit", "--policy", "p.toml", "--unprotected", "tell").code == 0
    Path("p.toml").write_text(Path("p.toml").read_text() + 'unprotected = "tell"\n')
    assert run("audit", "--policy", "p.toml").code == 0
    assert run("audit", "--policy", "p.toml", "--unprotected", "fail").code == 1
    wrong = run("audit", "--policy", "p.toml", "--unprotected", "hide")
    assert (wrong.code, "fail" in wrong.err) == (2, True)


def test_an_audit_of_named_columns_judges_them_and_lists_the_rest(run):
    named = ("audit", "t.csv", "-q", "zip", "-s", "pay:ordered", "--k", "2")
    done = run(*named)
    assert (done.code, "Published without protection: name, notes and ward." in " ".join(done.out.split())) == (0, True)
    assert run(*named, "--unprotected", "fail").code == 1


@pytest.mark.parametrize(("others", "code"), [("remove", 1), ("publish", 0), (None, 2)])
def test_a_column_that_the_policy_does_not_name_is_what_the_policy_says_of_others(run, others, code):
    said = "" if others is None else f'others = "{others}"\n'
    without = POLICY.replace('name = { role = "identifier" }\n', "").replace('notes = { role = "remove" }\n', "")
    Path("p.toml").write_text(f"{without}{said}")
    assert run("audit", "t.csv", "--policy", "p.toml").code == code


def test_an_undecided_column_that_others_remove_fails_where_the_file_holds_it(run):
    Path("p.toml").write_text(f'{POLICY.replace("publish", "undecided")}others = "remove"\n')
    done = run("audit", "t.csv", "--policy", "p.toml", "--format", "json")
    assert done.code == 1
    assert [each["name"] for each in json.loads(done.out)["columns"] if each["fails"]] == ["name", "notes", "ward"]


def test_a_policy_of_thresholds_publishes_no_column_that_the_command_line_does_not_name(run):
    Path("p.toml").write_text("[policy]\nk = 2\n")
    named = ("audit", "t.csv", "--policy", "p.toml", "-q", "zip", "-s", "pay:ordered")
    assert run(*named).code == 1
    assert run(*named, "--publish", "all").code == 0


def test_a_file_fails_by_its_columns_even_where_nothing_is_required(run):
    Path("p.toml").write_text(COLUMNS)
    done = run("audit", "t.csv", "--policy", "p.toml")
    assert (done.code, "t.csv holds columns that its policy withholds" in done.out) == (1, True)


@pytest.mark.parametrize("role", ["person", "pseudonym"])
def test_whoever_tells_people_apart_stays_out_of_a_release_unless_pseudonyms_take_its_place(run, role):
    Path("p.toml").write_text(COLUMNS.replace("identifier", role).replace("quasi-" + role, "quasi-identifier"))
    found = json.loads(run("audit", "t.csv", "--policy", "p.toml", "--format", "json").out)
    columns = {each["name"]: each for each in found["columns"]}
    assert columns["name"]["decision"] == role
    assert columns["name"]["fails"] is (role == "person")


def test_pipelines_get_a_failing_case_an_error_and_every_column(run):
    asked = ("audit", "--policy", "p.toml", "--format")
    done = run(*asked, "junit")
    assert done.code == 1
    (failure,) = ET.fromstring(done.out).iter("failure")
    assert (failure.get("type"), failure.get("message")) == ("unprotected", "name (identifier), notes (remove)")
    errors = [line for line in run(*asked, "github").out.splitlines() if line.startswith("::error")]
    assert len(errors) == 1
    assert errors[0].endswith("name (identifier), notes (remove).")
    (result,) = [
        each for each in json.loads(run(*asked, "sarif").out)["runs"][0]["results"] if each["level"] == "error"
    ]
    assert result["ruleId"] == "unprotected"
    found = json.loads(run(*asked, "json").out)
    jsonschema.validate(found, json.loads(schema_text()))
    assert found["holds"] is False
    assert [(each["name"], each["decision"], each["protected"], each["withheld"]) for each in found["columns"]] == [
        ("zip", "quasi-identifier", True, False),
        ("pay", "sensitive", True, False),
        ("name", "identifier", False, True),
        ("notes", "remove", False, True),
        ("ward", "publish", False, False),
    ]


def test_every_face_of_the_library_says_it(run):
    found = tclose.audit(tclose.read_policy("p.toml"), drivers=False)
    assert not found
    assert [each.name for each in found.failing_columns] == ["name", "notes"]
    for face in (str(found), found.to_markdown(), found.to_html(), found._repr_html_()):
        assert "but holds columns that its policy withholds: name and notes." in " ".join(face.split())
    assert tclose.audit(tclose.read_policy("p.toml"), drivers=False, unprotected="tell").holds


PUBLISHED = {"publish", "shifted"}
ROLES = st.sampled_from(["identifier", "shifted", "publish", "remove", "undecided", None])


@given(roles=st.lists(ROLES, max_size=6), others=st.sampled_from(["publish", "remove"]))
def test_a_file_fails_exactly_where_a_column_is_not_decided_to_be_published(roles, others):
    assume("undecided" not in roles or others == "remove")  # else nothing is judged
    names = [f"c{at}" for at in range(len(roles))]
    lines = [f'{name} = {{ role = "{role}" }}' for name, role in zip(names, roles, strict=True) if role is not None]
    text = (
        '[columns]\nzip = { role = "quasi-identifier" }\n'
        + "\n".join(lines)
        + f'\n[policy]\nk = 1\nothers = "{others}"'
    )
    table = {"zip": ["a", "b"], **{name: ["2020-01-01", "2020-01-02"] for name in names}}
    found = tclose.audit(parse_policy(text, Path("p.toml")).with_table(table))
    expected = [
        name for name, role in zip(names, roles, strict=True)
        if role not in PUBLISHED and not (role is None and others == "publish")
    ]  # fmt: skip
    assert [each.name for each in found.failing_columns] == expected
    assert found.holds is (not expected)
