"""``tclose attack``: its formats, its exit codes, and what is refused."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import tclose
from canaries import CANARY
from faces.hospital import write_hospital
from tclose.reports.machine_readable.attacks import attack_schema_text

ASK = ("-q", "zip,age", "-s", "salary:ordered", "--k", "2", "--method", "merge")


@pytest.fixture
def hospital(tmp_path):
    return write_hospital(tmp_path)


@pytest.fixture
def attacked(run, hospital):
    done = run("attack", hospital, *ASK, "--twice", "--format", "json")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_the_schema_in_the_docs_is_the_one_that_is_printed(run):
    Draft202012Validator.check_schema(json.loads(attack_schema_text()))
    docs = Path(__file__).parents[2] / "docs" / "attack.schema.json"
    assert docs.read_text(encoding="utf-8") == attack_schema_text() == run("schema", "attack").out


def test_the_json_is_as_its_schema_says_and_has_every_attacker(attacked):
    Draft202012Validator(json.loads(attack_schema_text())).validate(attacked)
    assert [each["attacker"] for each in attacked["attackers"]] == [
        "reader", "register", "method", "method-share", "model", "method-model", "finer", "corrupted", "two-releases",
    ]  # fmt: skip
    assert (attacked["divisions"], attacked["rows"], attacked["holds"]) == (2, 4, None)


def test_whoever_knows_some_people_is_tried_alike_by_the_command_and_in_python(run, hospital):
    done = run("attack", hospital, *ASK, "--attackers", "corrupted", "--format", "json")
    roles = tclose.Roles(["zip", "age"], ["salary:ordered"])
    found = tclose.attack(hospital, roles, require={"k": 2}, method="merge", attackers=["corrupted"])
    assert [each["attacker"] for each in json.loads(done.out)["attackers"]] == ["corrupted"]
    assert json.loads(done.out)["attackers"] == json.loads(found.to_json())["attackers"]


def test_a_gain_that_cannot_be_shown_of_nine_rows_is_not_granted(run, hospital):
    done = run("attack", hospital, *ASK, "--withstand", "0.01")
    assert done.code == 1
    assert done.out.startswith("✗ Nobody could be compared with")


def test_a_gain_of_everybody_is_always_granted(run, hospital):
    assert run("attack", hospital, *ASK, "--withstand", "1").code == 0


def test_a_policy_can_ask_for_the_gain(run, hospital, tmp_path):
    policy = tmp_path / "tclose.toml"
    columns = (
        "zip = { role = 'quasi-identifier' }\nage = { role = 'quasi-identifier' }\nsalary = { role = 'sensitive' }"
    )
    asked = "k = 2\nothers = 'remove'\nwithstand = 0.01"
    policy.write_text(f"[columns]\n{columns}\n[policy]\n{asked}\n[release]\nmethod = 'merge'\n", encoding="utf-8")
    assert run("attack", hospital, "--policy", policy).code == 1
    assert run("attack", hospital, "--policy", policy, "--withstand", "1").code == 0


@pytest.mark.parametrize("form", ["text", "html", "markdown", "svg"])
def test_every_face_names_the_attackers(run, hospital, form):
    done = run("attack", hospital, *ASK, "--attackers", "reader,model", "--format", form)
    assert done.code == 0
    assert "reader" in done.out
    assert "model" in done.out
    assert CANARY not in done.out
    if form == "text":
        assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--attackers", "raeder"), "Did you mean 'reader'?"),
        (("--attackers", "two-releases"), "--twice"),
        (("--attackers", " , "), "No attacker is named"),
        (("--withstand", "1.5"), "--withstand must be a share"),
        (("--l", "9"), "Half of the table has no release"),
    ],
)
def test_what_cannot_be_attacked_is_refused_with_a_way_out(run, hospital, options, message):
    done = run("attack", hospital, *ASK, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert CANARY not in done.err


def test_a_release_without_its_original_is_refused_with_a_way_out(run, hospital):
    done = run("attack", "--release", hospital, "-q", "zip,age", "-s", "salary")
    assert (done.code, done.out) == (2, "")
    assert "--original TABLE" in done.err


def test_a_table_without_a_sensitive_attribute_is_refused(run, hospital):
    done = run("attack", hospital, "-q", "zip,age", "--k", "2")
    assert done.code == 2
    assert "-s NAME" in done.err
