"""The command line on tables in databases: exit codes, files beside a stored release, and faults in the middle."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

import tclose
from engines.servers import PASSWORD, put_sqlite, rows_of, server
from tclose.cli import outcome

ROLES = ("-q", "q", "-s", "s")
SOURCE = Path(tclose.__file__).parents[1]
PEOPLE = {"q": [at % 3 for at in range(60)], "s": ["ab"[at % 2] for at in range(60)], "note": [*range(60)]}
SLEEPING = "SELECT CAST(pid AS bigint) AS pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
TINY = "CREATE TABLE tiny AS SELECT at % 2 AS q, at % 2 AS s FROM generate_series(1, 8) AS g(at)"
SLOW = (
    "CREATE OR REPLACE FUNCTION slept(float) RETURNS text LANGUAGE sql STABLE AS $$ SELECT pg_sleep($1)::text $$",
    "CREATE OR REPLACE VIEW slow AS SELECT q, s, slept(30) AS note FROM tiny",
)
"""A view whose column ``note`` takes long: only what publishes it waits."""
FAST = "CREATE OR REPLACE VIEW slow AS SELECT q, s, slept(0) AS note FROM tiny"


@pytest.fixture
def clinic(tmp_path, monkeypatch):
    """A folder to work in with a SQLite database."""
    monkeypatch.chdir(tmp_path)
    put_sqlite(tmp_path / "clinic.db", "people", PEOPLE, {})
    return tmp_path


def begun(*arguments):
    """Start the command line in a process of its own."""
    surroundings = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "tclose.cli", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=surroundings)


def waiting(started, process):
    """Wait until the server sleeps for a process, and return by which of its own."""
    deadline = time.monotonic() + 60
    while not (found := started.rows(SLEEPING)):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found[0][0]


def ended(process):
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    return process.returncode, out, err


@pytest.fixture
def tiny(postgresql):
    postgresql.run(
        "DROP TABLE IF EXISTS tiny, made CASCADE",
        TINY,
        *SLOW,
    )
    return postgresql


def test_a_connection_that_is_cut_during_an_audit_leaves_with_3(tiny):
    query = "SELECT q, s FROM tiny, pg_sleep(30) AS slept"
    process = begun("audit", tiny.address(), "--query", query, *ROLES)
    tiny.rows(f"SELECT pg_terminate_backend({waiting(tiny, process)}) AS done")
    code, _, err = ended(process)
    assert code == 3
    assert "was lost" in err
    assert outcome(["audit", tiny.address(), "--table", "tiny", *ROLES, "--quiet"]) == 0


def test_a_connection_that_is_cut_while_a_release_is_written_leaves_nothing(tiny, tmp_path):
    recipe = tmp_path / "made.recipe.json"
    arguments = ("anonymize", tiny.address(), "--table", "slow", *ROLES, "--publish", "note", "--k", "2", "--into",
                 f"{tiny.address()}#made", "--recipe", recipe)  # fmt: skip
    process = begun(*arguments)
    pid = waiting(tiny, process)
    ((query,),) = tiny.rows(f"SELECT query FROM pg_stat_activity WHERE pid = {pid}")
    assert query.startswith("CREATE TABLE")
    tiny.rows(f"SELECT pg_terminate_backend({pid}) AS done")
    code, out, err = ended(process)
    assert (code, out) == (3, "")
    assert "was lost" in err
    assert tiny.rows("SELECT to_regclass('made')::text AS made") == [(None,)]
    assert list(tmp_path.iterdir()) == []
    tiny.run(FAST)
    assert ended(begun(*arguments))[0] == 0
    assert len(rows_of(f"{tiny.address()}#made")) == 8
    assert recipe.is_file()


def test_a_server_that_stops_leaves_with_3_and_works_when_it_is_back():
    with server() as own:
        own.run(TINY, *SLOW)
        arguments = ("anonymize", own.address(), "--table", "slow", *ROLES, "--publish", "note", "--k", "2", "--into",
                     f"{own.address()}#made")  # fmt: skip
        process = begun(*arguments)
        waiting(own, process)
        own.stop()
        assert ended(process)[0] == 3
        code, _, err = ended(begun(*arguments))
        assert code == 2
        assert "No database answers" in err
        own.start_again()
        own.run(FAST)
        assert ended(begun(*arguments))[0] == 0
        assert len(rows_of(f"{own.address()}#made")) == 8


def test_a_sqlite_file_that_somebody_writes_to_leaves_with_3(clinic):
    arguments = ["anonymize", "sqlite:clinic.db", "--table", "people", *ROLES, "--k", "2",
                 "--into", "sqlite:clinic.db#made"]  # fmt: skip
    with closing(sqlite3.connect("clinic.db")) as writer:
        writer.execute("BEGIN IMMEDIATE")
        code, _, err = ended(begun(*arguments))
    assert code == 3
    assert "in use by somebody who writes" in err
    assert outcome(arguments) == 0
    assert len(rows_of("sqlite:clinic.db#made")) == 60


def test_a_stored_release_has_its_recipe_and_its_reports_where_they_are_wanted(clinic, capsys):
    stored = ["anonymize", "sqlite:clinic.db", "--table", "people", *ROLES, "--k", "10", "--into"]
    files = ["--recipe", "made.recipe.json", "--report", "made.json"]
    assert outcome([*stored, "sqlite:clinic.db#made", *files]) == 0
    said = capsys.readouterr()
    assert "60 rows stored as made of sqlite:clinic.db" in said.err
    assert "made.recipe.json" in said.out
    report = json.loads(Path("made.json").read_text(encoding="utf-8"))
    assert report["files"] == {"release": "made", "recipe": "made.recipe.json"}
    assert report["audit"]["holds"] is True
    assert Path("made.recipe.json").stat().st_mode & 0o777 == 0o600
    again = ["apply", "made.recipe.json", "sqlite:clinic.db", "--table", "people", "--into", "sqlite:clinic.db#again"]
    assert outcome([*again, "--report", "again.html"]) == 0
    assert rows_of("sqlite:clinic.db#again") == rows_of("sqlite:clinic.db#made")
    assert "<html" in Path("again.html").read_text(encoding="utf-8")
    assert "--recipe FILE" not in capsys.readouterr().err
    assert outcome([*stored, "sqlite:clinic.db#more"]) == 0
    assert "--recipe FILE" in capsys.readouterr().err
    assert outcome([*stored, "sqlite:clinic.db#most", *files]) == 2
    assert "made.json" in capsys.readouterr().err
    assert outcome(["audit", "sqlite:clinic.db#most", *ROLES, "--quiet"]) == 2


@pytest.mark.parametrize("address", ["sqlite:clinic.db", "sqlite:./clinic.db", "sqlite:///clinic.db", "sqlite:new.db"])
def test_a_file_may_be_named_in_several_ways(clinic, address):
    arguments = ["anonymize", "sqlite:clinic.db", "--table", "people", *ROLES, "--k", "10", "--quiet", "--into"]
    assert outcome([*arguments, f"{address}#made"]) == 0
    assert len(rows_of(f"sqlite:{'new' if 'new' in address else 'clinic'}.db#made")) == 60


def test_a_recipe_can_be_kept_without_a_release(clinic):
    assert (
        outcome(["anonymize", "sqlite:clinic.db#people", *ROLES, "--k", "10", "--recipe", "kept.json", "--quiet"]) == 0
    )
    assert tclose.apply("sqlite:clinic.db#people", "kept.json").holds


WRONG = {
    "a table that is there": (["--into", "sqlite:clinic.db#people"], "already"),
    "a query": (["--into", "sqlite:clinic.db"], "no table is named"),
    "no folder": (["--into", "sqlite:clinic.db#made", "--recipe", "nowhere/a.json"], "nowhere"),
    "a report of another kind": (["--into", "sqlite:clinic.db#made", "--report", "a.txt"], ".json"),
    "the database as a report": (["--report", "clinic.db"], "--report"),
}


@pytest.mark.parametrize("which", WRONG)
def test_a_wrong_target_is_refused_before_any_work(clinic, capsys, which):
    options, message = WRONG[which]
    assert outcome(["anonymize", "sqlite:clinic.db", "--table", "people", *ROLES, "--k", "2", *options]) == 2
    assert message in capsys.readouterr().err
    assert {path.name for path in clinic.iterdir()} == {"clinic.db"}


def test_a_release_that_does_not_hold_is_not_stored(clinic, capsys):
    Path("more.db").touch()
    put_sqlite(clinic / "clinic.db", "odd", {"q": [1, 2, 3, 4], "s": ["a", "b", "c", "d"]}, {})
    arguments = ["anonymize", "sqlite:clinic.db", "--table", "odd", *ROLES, "--l", "9", "--into"]
    assert outcome([*arguments, "sqlite:clinic.db#made"]) == 1
    assert "made of sqlite:clinic.db was not written" in capsys.readouterr().err
    assert outcome(["audit", "sqlite:clinic.db#made", *ROLES, "--quiet"]) == 2


def test_a_schema_that_is_not_there_is_said_before_any_work(tiny, capsys):
    arguments = ["anonymize", tiny.address(), "--table", "slow", *ROLES, "--publish", "note", "--k", "2", "--into"]
    assert outcome([*arguments, f"{tiny.address()}#nowhere.made"]) == 2
    assert "no schema for the table nowhere.made" in capsys.readouterr().err


def test_a_target_that_may_not_be_written_is_said_without_the_password(postgresql, capsys):
    postgresql.run(
        "DROP TABLE IF EXISTS tiny, made CASCADE",
        "DROP ROLE IF EXISTS keeper",
        TINY,
        f"CREATE ROLE keeper LOGIN PASSWORD '{PASSWORD}'",
        "GRANT SELECT ON tiny TO keeper",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    )
    address = f"postgresql://keeper:{PASSWORD}@127.0.0.1:{postgresql.port}/postgres"
    arguments = ["anonymize", address, "--table", "tiny", *ROLES, "--k", "2", "--into", f"{address}#made"]
    assert outcome(arguments) == 2
    shown = "".join(capsys.readouterr())
    assert "does not let this user work with the table made" in shown
    assert PASSWORD not in shown
    assert "keeper" not in shown
    postgresql.run("DROP OWNED BY keeper", "DROP ROLE keeper")


def test_a_name_alone_is_a_table_of_the_same_database(clinic, capsys):
    wanted = (*ROLES, "--k", "2", "--quiet")
    assert outcome(["anonymize", "sqlite:clinic.db", "--table", "people", *wanted, "--into", "made"]) == 0
    assert outcome(["audit", "sqlite:clinic.db", "--table", "made", *wanted]) == 0
    (clinic / "people.csv").write_text("q,s\n1,a\n1,b\n", encoding="utf-8")
    assert outcome(["anonymize", "people.csv", *wanted, "--into", "made"]) == 2
    assert "postgresql://HOST/DATABASE#SCHEMA.TABLE" in capsys.readouterr().err
