"""What pipelines read: JUnit, SARIF, GitHub's log; several tables in one run with one exit code."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from canaries import CANARY
from faces.command_line import in_process
from tclose.data.progress import Lines
from tclose.errors import PolicyError
from tclose.policy.files import read_policies

HOLDING = "zip,age,salary\n476,2,3\n476,2,4\n479,4,6\n479,4,11\n"
FAILING = f"zip,ill\n1,x\n1,y\n{CANARY},x\n"
POLICY = """
[policy]
k = 2

[[table]]
source = "a.csv"
policy = { t = "1/2" }
columns.zip = { role = "quasi-identifier" }
columns.age = { role = "quasi-identifier" }
columns.salary = { role = "sensitive", distance = "ordered" }

[[table]]
source = "b.csv"
columns = { zip = { role = "quasi-identifier" }, ill = { role = "sensitive", distance = "nominal" } }
"""
GONE = """
[[table]]
source = "gone.csv"
columns = { zip = { role = "quasi-identifier" }, ill = { role = "sensitive", distance = "nominal" } }
"""
SCHEMAS = Path(__file__).parents[2] / ".venv" / "share" / "tclose" / "schemas"
READ_JUNIT = """
import junitparser, json, sys
found = junitparser.JUnitXml.fromfile(sys.argv[1])
suites = [[each.name, each.tests, each.failures, each.errors] for each in found]
results = [type(result).__name__ for suite in found for case in suite for result in case.result]
print(json.dumps([suites, results]))
"""


@pytest.fixture
def run(capfdbinary):
    return functools.partial(in_process, capfdbinary)


@pytest.fixture
def audited(run):
    return functools.partial(run, "audit", "--policy", "p.toml", "--all")


@pytest.fixture
def clinic(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text(HOLDING)
    (tmp_path / "b.csv").write_text(FAILING)
    (tmp_path / "p.toml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_table_of_a_policy_is_judged_by_its_own_part_and_the_common_one(clinic, audited):
    done = audited()
    assert done.code == 1
    assert "a.csv meets both requirements" in done.out
    assert "b.csv does not meet its requirement" in done.out
    assert done.out.rstrip().endswith("2 tables: requirements 1 met, 1 not met.")
    first, second = read_policies("p.toml")
    assert [each.text for each in first.requirements()] == ["k ≥ 2", "t ≤ 0.5"]
    assert [each.text for each in second.requirements()] == ["k ≥ 2"]


def test_a_table_that_cannot_be_judged_keeps_no_other_from_it(clinic, audited):
    (clinic / "p.toml").write_text(POLICY + GONE)
    done = audited("--format", "json")
    assert done.code == 2
    found = json.loads(done.out)
    assert found["holds"] is None
    assert [table["holds"] for table in found["tables"]] == [True, False]
    assert [each["source"] for each in found["problems"]] == ["gone.csv"]
    assert "gone.csv" in done.err


def test_junit_has_a_suite_for_each_table_and_a_case_for_each_requirement_and_for_its_columns(clinic, audited):
    (clinic / "p.toml").write_text(POLICY + GONE)
    assert audited("-o", "tclose.xml").code == 2
    root = ET.parse(clinic / "tclose.xml").getroot()
    numbers = [[suite.get(name) for name in ("name", "tests", "failures", "errors")] for suite in root]
    assert numbers == [["a.csv", "3", "0", "0"], ["b.csv", "2", "1", "0"], ["gone.csv", "1", "0", "1"]]
    assert [case.get("name") for case in root.iter("testcase")][:3] == [
        "k ≥ 2 of the table", "t ≤ 0.5 of salary", "the list of published columns",
    ]  # fmt: skip
    assert "1 class, 1 row" in root.find(".//failure").get("message")


def brought(name):
    """What scripts/schemas brings from those who define a format."""
    if not (SCHEMAS / name).exists():
        missing = f"{name} is not here: scripts/schemas brings it"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    return SCHEMAS / name


STRANGE = "b, 50%:x é 'q'.csv"


@pytest.fixture
def strange(clinic):
    """Tables that hold, fail and cannot be judged; one of them with a name that every format has to escape."""
    (clinic / STRANGE).write_text(FAILING)
    (clinic / "p.toml").write_text(POLICY.replace("b.csv", STRANGE) + GONE)


def test_junit_is_read_by_a_reader_of_junit(strange, audited):
    python = brought("bin/python")
    assert audited("-o", "tclose.xml").code == 2
    read = subprocess.run([python, "-c", READ_JUNIT, "tclose.xml"], capture_output=True, text=True, check=True)
    assert json.loads(read.stdout) == [
        [["a.csv", 3, 0, 0], [STRANGE, 2, 1, 0], ["gone.csv", 1, 0, 1]],
        ["Failure", "Error"],
    ]


def test_sarif_is_by_its_schema(strange, audited):
    schema = json.loads(brought("sarif.json").read_text(encoding="utf-8"))
    judge = jsonschema.validators.validator_for(schema)(schema, format_checker=jsonschema.FormatChecker())
    told = json.loads(audited("--format", "sarif").out)
    assert [each["level"] for each in told["runs"][0]["results"]] == ["error", "error"]
    judge.validate(told)
    told["runs"][0]["results"][0]["level"] = "notice"
    with pytest.raises(jsonschema.ValidationError):
        judge.validate(told)


def test_sarif_lists_what_fails_with_its_rule_and_file(clinic, audited):
    done = audited("--format", "sarif")
    assert done.code == 1
    found = json.loads(done.out)
    (run_,) = found["runs"]
    assert found["version"] == "2.1.0"
    assert [(each["ruleId"], each["level"]) for each in run_["results"]] == [("k", "error")]
    (location,) = run_["results"][0]["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "b.csv"
    assert run_["tool"]["driver"]["rules"][0]["shortDescription"]["text"] == "k-anonymity"


def test_github_shows_each_requirement_and_the_columns_as_one_command_each(clinic, audited):
    (clinic / "b, 50%:x.csv").write_text(FAILING)
    (clinic / "p.toml").write_text(POLICY.replace("b.csv", "b, 50%:x.csv"))
    lines = audited("--format", "github").out.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::notice", "::notice", "::notice", "::error", "::notice"]
    assert re.match(r"::error title=tclose%3A b%2C 50%25%3Ax\.csv::k ≥ 2", lines[3])


@pytest.mark.parametrize("form", ["junit", "sarif", "github"])
def test_no_key_of_a_class_reaches_a_log(clinic, form, run):
    done = run("audit", "b.csv", "-q", "zip", "-s", "ill:nominal", "--k", "2", "--t", "0.1", "--format", form)
    assert done.code == 1
    assert CANARY not in done.out + done.err
    assert "1 class, 1 row" in done.out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--format", "csv"], "--format csv is for one table"),
        (["--classes", "c.csv"], "--classes is for one table"),
        (["--explain"], "--explain is for one table"),
        (["a.csv"], "name no TABLE"),
    ],
)
def test_what_goes_with_one_table_only_is_refused(clinic, options, said, audited):
    done = audited(*options)
    assert done.code == 2
    assert said in done.err


def test_several_tables_need_to_be_asked_for_and_have_sources(clinic, audited, run):
    done = run("audit", "--policy", "p.toml")
    assert (done.code, "--all" in done.err) == (2, True)
    (clinic / "p.toml").write_text(POLICY.replace('source = "b.csv"', ""))
    assert "names its source" in audited().err
    (clinic / "p.toml").write_text("table = [1]")
    with pytest.raises(PolicyError, match="must be a table"):
        read_policies("p.toml")


def test_the_output_is_never_the_policy(clinic, audited):
    done = audited("--format", "json", "-o", "p.toml")
    assert done.code == 2
    assert (clinic / "p.toml").read_text() == POLICY


@pytest.mark.parametrize("asked", [["--log", "json"], ["--log=json"]])
@pytest.mark.parametrize("wrong", [["audit", "--no-such-option"], ["no-such-command"], ["audit", "t.csv", "--k", "x"]])
def test_a_command_line_that_cannot_be_read_is_told_as_json_where_that_was_asked_for(run, wrong, asked):
    done = run(*wrong, *asked)
    (said,) = map(json.loads, done.err.splitlines())
    assert (done.code, said["level"], said["code"]) == (2, "error", "usage")


def test_remarks_and_errors_are_objects_of_json_where_that_is_asked(clinic, run):
    done = run("audit", "gone.csv", "-q", "zip", "-s", "ill:nominal", "--log", "json")
    assert done.code == 2
    (said,) = map(json.loads, done.err.splitlines())
    assert said["level"] == "error"
    assert {key: said[key] for key in ("code", "message", "field", "column")} == {
        "code": "no-such-file", "message": "There is no file 'gone.csv'.", "field": None, "column": None,
    }  # fmt: skip
    assert said["hint"]
    assert run("audit", "gone.csv", "-q", "zip", "-s", "ill:nominal").err.startswith("Error: There is no file")


def test_a_table_that_cannot_be_judged_is_an_error_of_the_log_too(clinic, audited):
    (clinic / "p.toml").write_text(POLICY + GONE)
    (said,) = map(json.loads, audited("--log", "json").err.splitlines())
    assert (said["level"], said["message"].partition(":")[0]) == ("error", "gone.csv")


def test_progress_is_told_in_lines_of_json(capsys):
    lines = Lines()
    lines.show("Counting", 0.5, 3, 4)
    lines.show("Counting", None, 4, None)
    lines.clear()
    told = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert told == [
        {"progress": "Counting", "share": 0.5, "seconds": 3, "left": 4},
        {"progress": "Counting", "share": None, "seconds": 4, "left": None},
    ]


def test_progress_in_json_needs_no_terminal(clinic, monkeypatch, run):
    monkeypatch.setattr("tclose.data.progress.PATIENCE", 0.0)
    done = run("audit", "a.csv", "-q", "zip", "-s", "salary:ordered", "--progress", "json")
    assert all("progress" in json.loads(line) for line in done.err.splitlines())
    assert done.code == 0
