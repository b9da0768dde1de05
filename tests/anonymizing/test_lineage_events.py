"""The events of a run: START and one end, appended while it happens, read by the classes of OpenLineage."""

import csv
import json
import os
import signal
import subprocess
import sys

import pytest

from anonymizing.test_statements import judged
from tclose.cli.commands import commands
from tclose.cli.errors import exit_code_of
from tclose.data.sources import DatabaseTable

WORDS = [
    "-q",
    "age",
    "-s",
    "cost:nominal",
    "--k",
    "3",
    "--hierarchy",
    "age=flat",
    "--quiet",
    "--lineage",
    "events.jsonl",
]
UNMET = ["--l", "3", "--levels", "age=0"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a table whose every cell is a telltale."""
    monkeypatch.chdir(tmp_path)
    rows = [(f"secret{at % 4}", f"cost{at % 2}") for at in range(24)]
    with (tmp_path / "visits.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("age", "cost"), *rows])
    return tmp_path


def events(folder):
    return [json.loads(line) for line in (folder / "events.jsonl").read_text(encoding="utf-8").splitlines()]


def told(folder):
    """The states that were told, each run by its number."""
    runs = list(dict.fromkeys(event["run"]["runId"] for event in events(folder)))
    return [(runs.index(event["run"]["runId"]), event["eventType"]) for event in events(folder)]


def run(*words):
    return exit_code_of(commands, [*words])


def test_a_release_starts_and_completes_and_a_statement_names_the_same_run(here):
    statement = "release.openlineage.json"
    assert run("anonymize", "visits.csv", *WORDS, "-o", "release.csv", "--statement", statement) == 0
    assert told(here) == [(0, "START"), (0, "COMPLETE")]
    start, complete = events(here)
    assert start["inputs"] == complete["inputs"] == [{"namespace": "file", "name": "visits.csv"}]
    (output,) = complete["outputs"]
    assert output["name"] == "release.csv"
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == 24
    assert output["outputFacets"]["outputStatistics"]["size"] == (here / "release.csv").stat().st_size
    assert json.loads((here / statement).read_text(encoding="utf-8")) | {"eventTime": ""} == complete | {
        "eventTime": ""
    }


def test_runs_are_appended_those_that_apply_a_recipe_and_those_that_fail_too(here):
    assert run("anonymize", "visits.csv", *WORDS, "-o", "release.csv") == 0
    again = ["--quiet", "--lineage", "events.jsonl", "-o", "again.csv"]
    assert run("apply", "release.csv.recipe.json", "visits.csv", *again) == 0
    assert run("anonymize", "visits.csv", *WORDS, *UNMET, "-o", "none.csv") == 1
    assert run("anonymize", "visits.csv", *WORDS, "-i", "nobody", "-o", "none.csv") == 2
    ends = ["COMPLETE", "COMPLETE", "FAIL", "FAIL"]
    assert told(here) == [(at, state) for at, end in enumerate(ends) for state in ("START", end)]
    assert [event["job"]["name"] for event in events(here)[::2]] == ["anonymize", "apply", "anonymize", "anonymize"]
    messages = [event["run"]["facets"]["errorMessage"]["message"] for event in events(here)[5::2]]
    assert messages[0] == "No release meets every requirement; nothing was written."
    assert "'nobody'" in messages[1]
    assert all(event["outputs"] == [] for event in events(here)[5::2])
    assert "secret" not in (here / "events.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("ward 7/care/torn.csv", "'torn.csv', line 3: 3 cells"),
        ("ward 7/care/none.csv", "There is no file 'none.csv'."),
        ("ward 7/care", "The files of care do not have the same columns"),
    ],
)
def test_why_a_run_failed_names_no_folder(here, capsys, table, message, absolute):
    """Whoever reads a lineage learns no path of the machine: the terminal names it, the event does not."""
    care = here / "ward 7" / "care"
    care.mkdir(parents=True)
    (care / "torn.csv").write_text("age,cost\n1,2\n1,2,3\n")
    (care / "whole.csv").write_text("a,b\n1,2\n")
    assert run("anonymize", str(here / table) if absolute else table, *WORDS, "-o", "release.csv") == 2
    assert "ward 7" in capsys.readouterr().err
    told = events(here)[1]["run"]["facets"]["errorMessage"]["message"]
    assert told.startswith(message)
    assert "ward" not in (here / "events.jsonl").read_text(encoding="utf-8")
    assert str(here) not in (here / "events.jsonl").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130)])
def test_a_run_that_somebody_ends_is_aborted(here, number, code):
    os.mkfifo(here / "slow.csv")
    words = [sys.executable, "-m", "tclose", "anonymize", "slow.csv", *WORDS, "-o", "release.csv"]
    with (
        subprocess.Popen(words, stderr=subprocess.PIPE) as process,
        (here / "slow.csv").open("w", encoding="utf-8") as pipe,
    ):
        pipe.write("age,cost\n")  # the run has opened the pipe, so it has told its start
        pipe.flush()
        process.send_signal(number)
        assert process.wait(60) == code
    assert told(here) == [(0, "START"), (0, "ABORT")]
    assert not (here / "release.csv").exists()


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_run_that_takes_too_long_fails(here):
    os.mkfifo(here / "slow.csv")
    words = [sys.executable, "-m", "tclose", "anonymize", "slow.csv", *WORDS, "-o", "release.csv", "--timeout", "3"]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as process, (here / "slow.csv").open("w", encoding="utf-8"):
        assert process.wait(60) == 3
    assert told(here) == [(0, "START"), (0, "FAIL")]


def test_those_who_read_events_object_to_none(here):
    assert run("anonymize", "visits.csv", *WORDS, "-o", "release.csv") == 0
    assert run("anonymize", "visits.csv", *WORDS, *UNMET, "-o", "none.csv") == 1
    with (here / "events.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(events(here)[0] | {"eventType": "ABORT"}) + "\n")
    assert judged(here / "events.jsonl")[0]["problems"] == []
    with (here / "events.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(events(here)[0] | {"eventType": "STOP"}) + "\n")
    assert judged(here / "events.jsonl")[0]["problems"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--lineage", "visits.csv"], "'visits.csv' is the table itself"),
        (["--lineage", "release.csv"], "'release.csv' is the file that events are appended to"),
        (["--lineage", "nowhere/events.jsonl"], "there is no folder 'nowhere'"),
        (["--lineage", "."], "--lineage appends to a file"),
    ],
)
def test_events_go_to_a_file_of_their_own(here, capsys, words, message):
    before = (here / "visits.csv").read_bytes()
    assert run("anonymize", "visits.csv", *WORDS, "-o", "release.csv", *words) == 2
    assert message in capsys.readouterr().err
    assert (here / "visits.csv").read_bytes() == before
    assert not (here / "release.csv").exists()


def test_a_table_of_a_server_is_named_by_its_address():
    from tclose.reports.machine_readable.openlineage import LineageRun

    visits = DatabaseTable("postgresql://ann:secret@host:5432/care", table="clinic.visits")
    started = LineageRun("anonymize", visits.dataset).started()
    assert started["inputs"] == [{"namespace": "postgresql://host:5432", "name": "care.clinic.visits"}]
