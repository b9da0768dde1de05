"""The command line as a process: signals, closed pipes, full disks, standard input."""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from canaries import CANARY
from faces.command_line import SOURCE, in_process, tclose
from tclose.data.sources import ReadOptions
from tclose.data.sources.csv_format import dialect_of
from tclose.data.sources.text_files import Utf8File
from tclose.errors import SourceError

PEOPLE = "zip,age,salary\n1,20,10\n1,20,20\n2,30,30\n2,30,40\n"


def test_a_signal_interrupts_the_process(tmp_path):
    temp = tmp_path / "temp"
    temp.mkdir()
    arguments = ["audit", "-", "-q", "a", "-s", "b", "-o", str(tmp_path / "x.json"), "--temp", str(temp)]
    process = subprocess.Popen(
        [sys.executable, "-m", "tclose.cli", *arguments],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell in the background ignores it
    )
    while process.poll() is None and not list(temp.glob("*/*stream*")):
        time.sleep(0.05)  # until it waits for standard input
    process.send_signal(signal.SIGINT)
    _, message = process.communicate()
    assert process.returncode == 130
    assert message.decode().strip().endswith("nothing was left half-written.")
    assert list(tmp_path.rglob("*")) == [temp]


_UNHEARD = """
import os, signal, sys, threading, time
from tclose.cli.interrupts import listen
listen()
def send():
    time.sleep(0.2)
    signal.pthread_kill(threading.get_ident(), signal.{name})
threading.Thread(target=send, daemon=True).start()
try:
    {waiting}
except KeyboardInterrupt:
    os._exit(130)
"""


@pytest.mark.parametrize(
    "waiting",
    ["os.read(0, 1)", "open(sys.argv[1])", "lock = threading.Lock(); lock.acquire(); lock.acquire(timeout=60)"],
)
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_that_comes_just_before_a_wait_is_heard(tmp_path, waiting, name):
    """What another thread was told looks to the main thread like what came between its last step and its wait."""
    os.mkfifo(tmp_path / "pipe")
    command = [sys.executable, "-c", _UNHEARD.format(name=name, waiting=waiting), str(tmp_path / "pipe")]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        env={"PYTHONPATH": str(SOURCE)},
        preexec_fn=lambda: [signal.signal(getattr(signal, each), signal.SIG_DFL) for each in ("SIGINT", "SIGHUP")],
    ) as process:
        try:
            assert process.wait(30) == 130
        finally:
            process.kill()


@pytest.mark.parametrize("seconds", ["nan", "inf", "1e400", "1e300", "0", "-1"])
@pytest.mark.parametrize("option", ["--timeout", "--within"])
def test_a_time_that_no_clock_counts_is_refused(capfdbinary, option, seconds):
    done = in_process(capfdbinary, "anonymize", "example:salary", "--k", 3, option, seconds)
    assert (done.code, done.out) == (2, "")
    said = {"--timeout": "Invalid value for '--timeout'", "--within": "--within must be a number of seconds"}
    assert said[option] in done.err


@pytest.mark.parametrize("command", ["audit", "anonymize"])
def test_a_pipe_is_read_once_though_commas_separate_names(tmp_path, monkeypatch, capfdbinary, command):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    writer = threading.Thread(target=Path("pipe").write_text, args=(PEOPLE,), daemon=True)
    writer.start()
    roles = ("-q", "zip,age", "-s", "salary:ordered", "--k", 2)
    done = in_process(capfdbinary, command, "pipe", *roles, "--timeout", 60)
    assert done.code == 0
    assert "4 rows in 2 classes of zip and age" in done.out


@pytest.mark.parametrize("table", ["-", "sqlite:endless.db#v"])
def test_work_that_takes_longer_than_it_may_is_given_up(tmp_path, table):
    """One table is what a pipe never ends to bring, the other a view without end."""
    with contextlib.closing(sqlite3.connect(tmp_path / "endless.db")) as connection:
        endless = "WITH RECURSIVE r(a, b) AS (SELECT 1, 1 UNION ALL SELECT a + 1, 1 FROM r) SELECT * FROM r"
        connection.execute(f"CREATE VIEW v AS {endless}")
    arguments = ["audit", table, "-q", "a", "-s", "b", "--timeout", "1.5", "-o", "x.json"]
    with subprocess.Popen(
        [sys.executable, "-m", "tclose.cli", *arguments],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"},
    ) as process:
        message = process.stderr.read().decode()
    assert process.returncode == 3
    assert "time" in message
    assert "Traceback" not in message
    assert [path.name for path in tmp_path.iterdir()] == ["endless.db"]


_SLOW_COLUMNS = """
import sys, time
import tclose.engines.dispatch
tclose.engines.dispatch.column_names = lambda *_, **__: time.sleep(60)
sys.argv = ["tclose", "audit", "people.csv", "-q", "zip,age", "-s", "salary:ordered", "--timeout", "0.5"]
from tclose.cli.__main__ import run
run()
"""


def test_the_time_that_is_allowed_covers_the_columns_that_a_list_is_split_by(tmp_path):
    """A list such as ``-q zip,age`` is split by the names of the columns, before the verb is called."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    environment = {"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-c", _SLOW_COLUMNS]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=50, check=False
    )
    assert (done.returncode, "--timeout" in done.stderr) == (3, True)


_INTERRUPTED_IMPORT = """
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == {where!r} and not hasattr(self, "done"):
            self.done = True
            os.kill(os.getpid(), signal.{name})
sys.meta_path.insert(0, Interrupting())
sys.argv = ["tclose", "audit", "example:salary", "--k", "4"]
from tclose.cli.__main__ import run
run()
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("where", ["click", "tclose.cli.audit", "numpy", "numpy._core.multiarray", "duckdb"])
def test_a_signal_during_imports_interrupts_the_process(where, name):
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED_IMPORT.format(where=where, name=name)],
        capture_output=True,
        env={"PYTHONPATH": str(SOURCE)},
        preexec_fn=lambda: [signal.signal(getattr(signal, each), signal.SIG_DFL) for each in ("SIGINT", "SIGHUP")],
        check=False,
    )
    assert done.returncode == 130
    assert done.stderr.strip() == b"Interrupted; nothing was left half-written."


def test_what_was_to_be_ignored_is_ignored():
    done = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED_IMPORT.format(where="numpy", name="SIGHUP")],
        capture_output=True,
        env={"PYTHONPATH": str(SOURCE)},
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),  # as nohup does
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["audit", "example:salary", "--k", "4"], 1), (["audit", "missing.csv", "-q", "a"], 2), (["audit"], 2), ([], 2)],
)
def test_a_full_standard_error_keeps_the_code(arguments, code):
    if not Path("/dev/full").exists():
        pytest.skip("no full device here")
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "tclose.cli", *arguments]
        env = {"PYTHONPATH": str(SOURCE)}
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=full, env=env, check=False)
    assert done.returncode == code


def test_a_closed_pipe_ends_quietly_with_the_verdict():
    process = subprocess.Popen(
        [sys.executable, "-m", "tclose.cli", "audit", "example:salary", "--k", "4"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(SOURCE), "PATH": "/usr/bin:/bin"},
    )
    process.stdout.close()
    message = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 1
    assert message == b""


def test_a_full_disk_is_no_verdict():
    if not Path("/dev/full").exists():
        pytest.skip("no full device here")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tclose.cli", "audit", "example:salary", "--k", "4"],
            stdout=full,
            stderr=subprocess.PIPE,
            env={"PYTHONPATH": str(SOURCE)},
            check=False,
        )
    assert done.returncode == 3
    assert b"No space left" in done.stderr


def test_output_is_plain_where_nobody_looks_at_it():
    assert "\x1b" not in tclose("audit", "example:salary", "--k", "4").out


def test_standard_input_is_a_table():
    done = tclose("audit", "-", "-q", "zip,age", "-s", "salary", "--format", "json", stdin=PEOPLE)
    assert json.loads(done.out)["rows"] == 4


def test_names_on_standard_input_are_split_at_commas():
    done = tclose("audit", "-", "-q", "zip,age", "-s", "salary", "--null", "x", "--sheet", "1", stdin=PEOPLE)
    assert done.code == 0
    assert "classes of zip and age" in done.out


NAMELESS = f"{CANARY},{CANARY},flu\nSmith,Jones,cold\n"


def test_the_first_row_of_a_file_without_a_header_is_not_in_an_error(tmp_path, run):
    (tmp_path / "twice.csv").write_text(NAMELESS)
    (tmp_path / "once.csv").write_text(f"{CANARY},b\nSmith,flu\n")
    (tmp_path / "other.csv").write_text("Jones,cold\nMiller,flu\n")
    for files in (["twice.csv"], ["once.csv"], ["once.csv", "other.csv"]):
        done = run("audit", *(tmp_path / file for file in files), "-q", "zip", "-s", "pay")
        assert done.code == 2
        assert CANARY not in done.err
        assert "--no-header" in done.err


@pytest.mark.parametrize(
    "encoding", ["base64", "rot13", "hex", "zlib", "idna", "punycode", "undefined", "x" * 5000, "a\0b"]
)
def test_an_encoding_that_is_none_of_text_is_refused(tmp_path, run, encoding):
    (tmp_path / "t.csv").write_text(PEOPLE)
    done = run("audit", tmp_path / "t.csv", "-q", "zip", "-s", "salary", "--encoding", encoding)
    assert done.code == 2
    assert "is not one of text files" in done.err
    assert len(done.err) < 400


def test_utf16_without_its_mark_is_refused(tmp_path, run):
    (tmp_path / "t.csv").write_text(PEOPLE)
    assert run("audit", tmp_path / "t.csv", "-q", "zip", "-s", "salary", "--encoding", "utf-16").code == 2


def test_a_header_of_many_columns_is_read_whole(tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"c{at}" for at in range(60_000)]
    path.write_text(f"{','.join(names)}\n{','.join('1' * 60_000)}\n")
    assert dialect_of(Utf8File(path, "'wide.csv'"), ReadOptions()).names == tuple(names)
    path.write_text("x," * 3_000_000)
    with pytest.raises(SourceError, match=r"first line of 'wide.csv' is longer than"):
        dialect_of(Utf8File(path, "'wide.csv'"), ReadOptions())


@pytest.mark.parametrize("allowed", [128, 600])
def test_too_little_memory_is_said(allowed):
    """Where the engine's library was loaded with 600 MiB, it crashed when it was first asked for something."""
    resource = pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-m", "tclose.cli", "audit", "example:salary", "--k", "4"],
        capture_output=True,
        env={"PYTHONPATH": str(SOURCE)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (allowed * 2**20,) * 2),
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, b"")
    assert done.stderr.decode() == f"Error: Too little memory: the process may take {allowed} MiB, and needs 768 MiB.\n"


@pytest.mark.parametrize("memory", ["1B", "1KB", "-5GB", "1e9GB", "lots", "", "9" * 5000 + "GB", "4GB; SELECT 1"])
def test_a_memory_that_is_none_is_refused(run, memory):
    done = run("audit", "example:salary", "--memory", memory)
    assert done.code == 2
    assert "at least 5MB" in done.err
    assert len(done.err) < 300
