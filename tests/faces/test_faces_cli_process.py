"""The command line as a process: signals, closed pipes, full disks, standard input."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import SOURCE, tclose

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
