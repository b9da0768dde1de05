"""Whatever ends a run, no file with values of the original outlives the next one, wherever it lay."""

import fcntl
import os
import signal
import stat
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from canaries import CANARY
from faces.command_line import SOURCE, tclose

COMMIT = """
import os, sys, signal
from tclose.data.targets import committing, target_at
with committing([target_at(sys.argv[1] + "/r.csv"), target_at(sys.argv[2] + "/recipe.json")]) as places:
    for place in places:
        place.write_text("Zebulon-7731")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def surroundings(temp):
    return {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(temp)}


@pytest.fixture
def places(tmp_path):
    found = [tmp_path / name for name in ("temp", "release", "secret")]
    for place in found:
        place.mkdir()
    return found


def test_any_next_run_sweeps_every_folder_of_a_killed_one(places):
    temp, release, secret = places
    done = subprocess.run(
        [sys.executable, "-c", COMMIT, str(release), str(secret)], env=surroundings(temp), check=False
    )
    assert done.returncode == -signal.SIGKILL
    left = [path for place in places for path in place.iterdir()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in left} == {0o700}
    assert sum(CANARY in path.read_text() for place in places for path in place.rglob("new*")) == 2
    assert tclose("audit", "example:salary", env=surroundings(temp)).code == 0
    assert [path for place in places for path in place.iterdir()] == []


def waiting(temp, folder, **settings):
    """Start a run that has copied some of standard input to a private file and waits for more."""
    arguments = ["audit", "-", "-q", "zip", "-s", "ill", "--temp", str(folder), "-o", str(folder / "x.json")]
    process = subprocess.Popen(
        [sys.executable, "-m", "tclose.cli", *arguments], stdin=subprocess.PIPE, env=surroundings(temp), **settings
    )
    process.stdin.write(f"zip,ill\n1,{CANARY}\n".encode() * 100_000)  # more than a copy reads at once
    process.stdin.flush()
    while process.poll() is None and not any(path.stat().st_size for path in folder.glob("*/*stream*")):
        time.sleep(0.05)
    return process


@pytest.mark.parametrize("number", [getattr(signal, name) for name in ("SIGHUP", "SIGTERM") if hasattr(signal, name)])
def test_a_signal_to_end_leaves_nothing(places, number):
    temp, folder, _ = places
    process = waiting(temp, folder, stderr=subprocess.PIPE)
    process.send_signal(number)
    process.communicate()
    assert process.returncode == 130
    assert [path for place in places for path in place.iterdir()] == []


def test_a_killed_run_leaves_nothing_past_the_next_even_in_a_folder_that_was_named(places):
    temp, folder, _ = places
    process = waiting(temp, folder)
    process.kill()
    process.communicate()
    assert any(CANARY in path.read_text() for path in folder.glob("*/*stream*"))
    assert tclose("audit", "example:salary", env=surroundings(temp)).code == 0
    assert [path for place in places for path in place.iterdir()] == []


def test_a_terminal_that_is_closed_leaves_nothing(places):
    temp, folder, _ = places
    ours, theirs = os.openpty()

    def take_terminal():
        os.setsid()
        fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

    process = waiting(temp, folder, stdout=theirs, stderr=theirs, preexec_fn=take_terminal)
    os.close(theirs)
    os.close(ours)
    assert process.wait(60) == 130
    process.stdin.close()
    assert [path for place in places for path in place.iterdir()] == []
    assert not Path(folder / "x.json").exists()
