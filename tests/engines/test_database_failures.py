"""Databases that refuse, stop or lose the connection: a clear error, no password, and the next run works."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

import tclose
from canaries import CANARY
from engines.servers import PASSWORD, put_sqlite, server
from tclose.data.sources import DatabaseTable
from tclose.engines.database.connection import translation
from tclose.engines.database.session import DatabaseSession
from tclose.errors import EngineFailedError, EngineNotInstalledError, HeadroomError, SourceError

ROLES = tclose.Roles(quasi="q", sensitive="s")


@pytest.fixture(scope="module")
def guarded(postgresql):
    """A server with a table, and a user with a password who may read only one other table."""
    postgresql.run(
        "DROP TABLE IF EXISTS people, open_to_all",
        "DROP ROLE IF EXISTS keeper",
        "CREATE TABLE people AS SELECT i % 3 AS q, i % 5 AS s FROM generate_series(1, 100) AS g(i)",
        "CREATE TABLE open_to_all AS SELECT * FROM people",
        f"CREATE ROLE keeper LOGIN PASSWORD '{PASSWORD}'",
        "GRANT SELECT ON open_to_all TO keeper",
    )
    yield postgresql
    postgresql.run("DROP OWNED BY keeper", "DROP ROLE keeper")


def keeper(started, password=PASSWORD, table="open_to_all", host="127.0.0.1", database="postgres"):
    return f"postgresql://keeper:{password}@{host}:{started.port}/{database}#{table}"


def test_a_password_in_the_address_opens_the_table(guarded):
    found = tclose.audit(keeper(guarded), ROLES)
    assert found.rows == 100
    for text in (found.source, found.to_json(), str(found), repr(DatabaseTable(keeper(guarded)))):
        assert PASSWORD not in text
        assert "keeper" not in text


def test_a_password_in_the_environment_or_the_usual_files_opens_the_table(guarded, monkeypatch, tmp_path):
    address = f"postgresql://keeper@127.0.0.1:{guarded.port}/postgres#open_to_all"
    with pytest.raises(SourceError, match="refused the user or the password"):
        tclose.audit(address, ROLES)
    with monkeypatch.context() as patch:
        patch.setenv("PGPASSWORD", PASSWORD)
        assert tclose.audit(address, ROLES).rows == 100
    passwords = tmp_path / "pgpass"
    passwords.write_text(f"127.0.0.1:{guarded.port}:*:keeper:{PASSWORD}\n")
    passwords.chmod(0o600)
    with monkeypatch.context() as patch:
        patch.setenv("PGPASSFILE", str(passwords))
        assert tclose.audit(address, ROLES).rows == 100
    services = tmp_path / "services"
    services.write_text(
        f"[clinic]\nhost=127.0.0.1\nport={guarded.port}\ndbname=postgres\nuser=keeper\npassword={PASSWORD}\n"
    )
    with monkeypatch.context() as patch:
        patch.setenv("PGSERVICEFILE", str(services))
        patch.setenv("PGSERVICE", "clinic")
        assert tclose.audit("postgresql://#open_to_all", ROLES).rows == 100


WRONG = {
    "password": ({"password": "wrong-canary"}, "refused the user or the password"),
    "database": ({"database": "nowhere"}, "nowhere.*does not have that database"),
    "table": ({"table": "nothing"}, "has no table nothing"),
    "schema": ({"table": "nowhere.people"}, "has no table nowhere.people"),
    "permission": ({"table": "people"}, "does not let this user work with the table people"),
    "host": ({"host": "nohost.invalid"}, "No database answers at postgresql://nohost.invalid"),
    "spelling": ({"password": "two words"}, "cannot be reached|refused"),
}


@pytest.mark.parametrize("which", WRONG)
def test_what_is_wrong_is_said_without_the_password(guarded, which):
    changed, message = WRONG[which]
    with pytest.raises(SourceError, match=message) as caught:
        tclose.audit(keeper(guarded, **changed), ROLES)
    text = str(caught.value)
    assert PASSWORD not in text
    assert changed.get("password", PASSWORD) not in text
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_a_wrong_port_is_said():
    with pytest.raises(SourceError, match=r"No database answers at postgresql://127.0.0.1:1/x"):
        tclose.audit("postgresql://127.0.0.1:1/x#t", ROLES)


@pytest.mark.parametrize("password", ["p/ss", "p?ss", "p#ss", "p@ss", "p:ss", "p ss", "[p]ss"])
def test_a_password_that_breaks_the_address_is_not_shown(password):
    try:
        table = DatabaseTable(f"postgresql://ann:{password}@127.0.0.1:1/db#t")
    except SourceError as problem:
        shown = str(problem)
    else:
        with pytest.raises(SourceError) as caught:
            tclose.audit(table, ROLES)
        shown = f"{table!r} {table.label} {caught.value}"
    assert password not in shown
    assert "ss" not in shown.replace("password", "").replace("address", "")


def test_the_command_line_fails_with_2_or_3_and_no_traceback(guarded):
    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "tclose.cli", *arguments], capture_output=True, text=True, check=False, timeout=60
        )

    roles = ("-q", "q", "-s", "s", "--quiet")
    for changed, _ in WRONG.values():
        done = run("audit", keeper(guarded, **changed), *roles)
        assert done.returncode == 2
        assert done.stderr.startswith("Error: ")
        assert "Traceback" not in done.stderr
        assert PASSWORD not in done.stderr + done.stdout
        assert changed.get("password", PASSWORD) not in done.stderr


def test_the_command_line_shows_and_keeps_no_password(guarded, tmp_path):
    from tclose.cli import outcome

    address = keeper(guarded).partition("#")[0]
    policy = tmp_path / "tclose.toml"
    assert outcome(["profile", address, "--table", "open_to_all", "-o", str(policy), "--quiet"]) == 0
    text = policy.read_text(encoding="utf-8")
    assert f'source = "postgresql://127.0.0.1:{guarded.port}/postgres#open_to_all"' in text
    assert PASSWORD not in text
    assert "keeper" not in text


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", "{address}"],
        ["audit", "{address}", "-q", "q", "-s", "s"],
        ["audit", "{address}", "--table", "people", "--query", "SELECT 1", "-q", "q", "-s", "s"],
        ["audit", "example:salary", "--table", "people"],
        ["anonymize", "example:salary", "--k", "3", "--hierarchy", "age=flat", "--into", "{address}"],
    ],
)
def test_a_wrong_use_of_the_command_line_leaves_with_2_and_shows_no_password(
    guarded, capsys, monkeypatch, tmp_path, arguments
):
    from tclose.cli import outcome

    monkeypatch.chdir(tmp_path)
    address = keeper(guarded).partition("#")[0]
    assert outcome([argument.format(address=address) for argument in arguments]) == 2
    shown = "".join(capsys.readouterr())
    assert "Error: " in shown
    assert PASSWORD not in shown
    assert "keeper" not in shown


def test_a_file_cannot_be_compared_with_a_table_in_a_database(guarded):
    with pytest.raises(SourceError, match="is in a database"):
        tclose.audit({"q": [1], "s": [1]}, ROLES, reference=f"{guarded.address()}#people")


def test_a_query_that_would_write_is_refused(guarded):
    table = DatabaseTable(guarded.address(), query="WITH gone AS (DELETE FROM people RETURNING *) SELECT * FROM gone")
    with pytest.raises(SourceError):
        tclose.audit(table, ROLES)
    function = DatabaseTable(guarded.address(), query="SELECT setval('counter', 5) AS q, 1 AS s")
    guarded.run("CREATE SEQUENCE IF NOT EXISTS counter")
    with pytest.raises(SourceError, match="would change something"):
        tclose.audit(function, ROLES)
    assert guarded.rows("SELECT count(*) FROM people") == [(100,)]


@pytest.mark.parametrize("query", ["SELEC", "SELECT 1 FROM", "SELECT nothing FROM people", "SELECT * FROM nothing"])
def test_a_query_that_is_none_is_refused_without_its_text(guarded, query):
    with pytest.raises(SourceError) as caught:
        tclose.audit(DatabaseTable(guarded.address(), query=query), ROLES)
    assert query not in str(caught.value)


def test_cells_that_the_database_quotes_are_withheld(guarded):
    query = f"SELECT CAST(CASE WHEN s = 4 THEN '{CANARY}' ELSE '1' END AS int) AS q, s FROM people"
    with pytest.raises(SourceError) as caught:
        tclose.audit(DatabaseTable(guarded.address(), query=query), ROLES)
    assert CANARY not in str(caught.value)


SLOW = "SELECT q, s FROM people, pg_sleep(30) AS slept"


def test_a_statement_gives_up_after_its_time(guarded):
    started = time.monotonic()
    with pytest.raises(EngineFailedError, match="time allowed"):
        tclose.audit(DatabaseTable(guarded.address(), query=SLOW, timeout=0.3), ROLES)
    assert time.monotonic() - started < 10
    assert tclose.audit(f"{guarded.address()}#people", ROLES).rows == 100


@pytest.mark.parametrize("ended_by", [["--timeout", "0.5"], []])
def test_a_server_that_never_speaks_holds_nobody_up(ended_by):
    """It is silent until the command has ended; without a time limit, an interrupt ends that.

    On a busy machine the time may be over before the connection is asked for: only the interrupt waits for that.
    """
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(120)
        address = f"postgresql://keeper:{PASSWORD}@127.0.0.1:{silent.getsockname()[1]}/db#people"
        command = [sys.executable, "-m", "tclose.cli", "audit", address, "-q", "q", "-s", "s", "--quiet", *ended_by]
        with subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell in the background ignores it
        ) as process:
            if not ended_by:
                connection, _ = silent.accept()
                with connection:
                    assert connection.recv(1)
                    process.send_signal(signal.SIGINT)
                    process.wait(120)
            _, message = process.communicate(timeout=120)
    assert process.returncode == (3 if ended_by else 130)
    assert "Traceback" not in message
    assert PASSWORD not in message


def test_a_server_that_never_speaks_is_given_up_in_python():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://keeper@127.0.0.1:{silent.getsockname()[1]}/db#people"
        with pytest.raises(EngineFailedError, match="time allowed"):
            tclose.audit(DatabaseTable(address, timeout=0.3), ROLES)


def in_background(work):
    """Start work that fails in a thread, and return how to wait for the failure."""
    failures = []

    def run():
        try:
            work()
        except tclose.TcloseError as problem:
            failures.append(problem)

    thread = threading.Thread(target=run)
    thread.start()

    def failure():
        thread.join(30)
        assert not thread.is_alive()
        (problem,) = failures
        return problem

    return failure


def until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def sleeping(started):
    """Return the processes of the server that sleep for us."""
    return started.rows("SELECT CAST(pid AS bigint) AS pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'")


def test_a_connection_that_is_cut_is_an_engine_failure_and_the_next_run_works(guarded):
    failure = in_background(lambda: tclose.audit(DatabaseTable(guarded.address(), query=SLOW), ROLES))
    until(lambda: sleeping(guarded))
    guarded.rows(f"SELECT pg_terminate_backend({sleeping(guarded)[0][0]}) AS done")
    problem = failure()
    assert isinstance(problem, EngineFailedError)
    assert "lost" in str(problem)
    assert tclose.audit(f"{guarded.address()}#people", ROLES).rows == 100


def test_a_server_that_stops_is_an_engine_failure():
    with server() as own:
        own.run("CREATE TABLE people AS SELECT 1 AS q, 2 AS s")
        failure = in_background(lambda: tclose.audit(DatabaseTable(own.address(), query=SLOW), ROLES))
        until(lambda: sleeping(own))
        own.stop()
        assert isinstance(failure(), EngineFailedError)
        with pytest.raises(SourceError, match="No database answers"):
            tclose.audit(f"{own.address()}#people", ROLES)


def test_all_queries_of_a_session_see_one_state(guarded):
    guarded.run("DROP TABLE IF EXISTS moving", "CREATE TABLE moving AS SELECT 1 AS q, 1 AS s")
    session = DatabaseSession()
    table = session.open(f"{guarded.address()}#moving").keep(["q", "s"])
    first = session.values(table, ("s",))
    guarded.run("INSERT INTO moving VALUES (2, 2)")
    second = session.values(table, ("q",))
    assert first.counts.sum() == second.counts.sum() == 1
    session.close()
    assert tclose.audit(f"{guarded.address()}#moving", ROLES).rows == 2


def test_no_transaction_is_left_open_behind_an_audit_or_a_release(guarded):
    audit = tclose.audit(f"{guarded.address()}#people", ROLES)
    release = tclose.anonymize(f"{guarded.address()}#people", ROLES, require={"k": 2})
    idle = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
    until(lambda: guarded.rows(idle) == [(0,)], 5)
    assert tclose.explain(audit, "s")
    assert release.holds


FAILING = {
    "audit": lambda address: tclose.audit(address, tclose.Roles(quasi="nothing", sensitive="s")),
    "explain": lambda address: tclose.explain(address, ROLES, attribute="nothing"),
    "anonymize": lambda address: tclose.anonymize(address, ROLES, require={"k": 101}),
    "frontier": lambda address: tclose.frontier(address, ROLES, sweep="k", values=[]),
    "apply": lambda address: tclose.apply(
        address,
        tclose.anonymize({"q": [1, 1], "z": [1, 1], "s": [1, 2]}, tclose.Roles(quasi=["q", "z"], sensitive="s"),
                         require={"k": 2}).recipe),
}  # fmt: skip


@pytest.mark.parametrize("verb", FAILING)
def test_no_transaction_is_left_open_behind_an_error_that_somebody_keeps(guarded, verb):
    with pytest.raises(tclose.TcloseError) as caught:
        FAILING[verb](f"{guarded.address()}#people")
    idle = "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
    until(lambda: guarded.rows(idle) == [(0,)], 5)
    assert caught.value.__traceback__ is not None


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("sqlite:nowhere/a.db#t", "There is no SQLite database"),
        ("sqlite:{folder}/text.db#t", "not a whole SQLite database"),
        ("sqlite:{folder}/real.db#nothing", "has no table nothing"),
        ("sqlite:{folder}/real.db", "no table is named"),
        ("sqlite:{folder}#t", "There is no SQLite database"),
        ('sqlite:{folder}/real.db#a"b', "is not the name of a table"),
    ],
)
def test_what_is_wrong_with_a_sqlite_file_is_said(tmp_path, address, message):
    (tmp_path / "text.db").write_text("this is not a database, but long enough to be looked at " * 20)
    put_sqlite(tmp_path / "real.db", "t", {"q": [1], "s": [1]}, {})
    with pytest.raises(SourceError, match=message):
        tclose.audit(address.format(folder=tmp_path), ROLES)


def test_a_driver_that_is_missing_is_named():
    with pytest.raises(EngineNotInstalledError, match=r"adbc-driver-nonsense.*extra 'database'"):
        tclose.audit("adbc:nonsense:x#t", ROLES)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("IO: disk full. SQLSTATE: 53100", HeadroomError),
        ("database is locked", EngineFailedError),
        (f"something else: {CANARY}", EngineFailedError),
        ("server closed the connection unexpectedly", EngineFailedError),
    ],
)
def test_a_drivers_words_are_not_passed_on(text, kind):
    found = translation(RuntimeError(text), DatabaseTable("postgresql://ann:pw@host/db#t"))
    assert type(found) is kind
    assert CANARY not in str(found)
    assert "pw" not in str(found)


@pytest.mark.parametrize("slashes", ["", "//", "///"])
def test_an_absolute_path_of_sqlite_may_be_written_as_other_tools_write_it(tmp_path, slashes):
    put_sqlite(tmp_path / "a.db", "t", {"q": [1, 1], "s": [1, 2]}, {})
    assert tclose.audit(f"sqlite:{slashes}{tmp_path / 'a.db'}#t", ROLES).rows == 2
