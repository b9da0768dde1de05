"""On a terminal: colour unless it is unwanted, progress when work takes long, and nothing that the terminal obeys."""

import os
import re
import subprocess
import sys
import time

import pytest

from faces.command_line import SOURCE
from tclose.data import progress as progress_module

pty = pytest.importorskip("pty")


def on_a_terminal(*arguments, env=None):
    """Run ``tclose`` with a terminal for its output and return what the terminal received."""
    ours, theirs = pty.openpty()
    surroundings = {**os.environ, "PYTHONPATH": str(SOURCE), "TERM": "xterm", **(env or {})}
    process = subprocess.Popen(
        [sys.executable, "-m", "tclose.cli", *map(str, arguments)], stdout=theirs, stderr=theirs, env=surroundings
    )
    os.close(theirs)
    received = b""
    try:
        while part := os.read(ours, 65536):
            received += part
    except OSError:
        pass
    process.wait()
    os.close(ours)
    return received.decode()


def test_colour_is_for_terminals_that_want_it():
    audit = ("audit", "example:salary", "--k", "4", "--quiet")
    assert "\x1b[31m" in on_a_terminal(*audit)
    assert "\x1b" not in on_a_terminal(*audit, env={"NO_COLOR": "1"})
    assert "\x1b" not in on_a_terminal(*audit, env={"TERM": "dumb"})


@pytest.mark.parametrize("form", ["text", "json", "csv", "markdown", "html"])
def test_hostile_cells_do_not_reach_the_terminal(tmp_path, form):
    path = tmp_path / "t.csv"
    path.write_text("q\x1b]0;own\x07,s\n\x1b[2Ja,x\n\x9b31mb,y\n\x1b[2Ja,x\n", encoding="utf-8")
    roles = ("-q", "q\x1b]0;own\x07", "-s", "s")
    received = on_a_terminal("audit", path, *roles, "--k", "2", "--format", form, "--quiet", "--show-people")
    without_our_colours = re.sub("\x1b\\[[0-9;]*m", "", received)
    assert not set("\x1b\x07\x9b") & set(without_our_colours)
    assert "31mb" in received


def test_hostile_names_do_not_reach_the_terminal_in_errors(tmp_path):
    received = on_a_terminal("audit", "example:salary", "-q", "\x1b[2Jzip", "-s", "salary", "--quiet")
    assert "\x1b" not in received
    assert "\x1b" not in on_a_terminal("profile", tmp_path / "\x1b[2J.csv", "--quiet")
    assert "\x1b" not in on_a_terminal("audit", "--\x1b[2J")


class Terminal:
    def __init__(self):
        self.written = ""

    def isatty(self):
        return True

    def write(self, text):
        self.written += text
        return len(text)

    def flush(self):
        pass

    def receives(self, text):
        """Wait for a text as long as even a busy machine needs."""
        for _ in range(6000):
            if text in self.written:
                return True
            time.sleep(0.01)
        return False


def test_progress_is_shown_only_after_a_while(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr(progress_module, "PATIENCE", 60.0)
    with progress_module.terminal_progress(quiet=False) as report:
        report("Counting", 0.5)
    assert terminal.written == ""
    monkeypatch.setattr(progress_module, "PATIENCE", 0.01)
    with progress_module.terminal_progress(quiet=False) as report:
        report("Counting", None)
        assert terminal.receives("Counting")
        report("Measuring [bold]", 0.5)
        assert terminal.receives("Measuring [bold]")


def test_progress_says_how_long_the_rest_of_a_phase_will_take(monkeypatch):
    """A third of a phase took ten seconds, so two thirds take twenty; where a new phase begins, nothing is known."""
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr(progress_module, "PATIENCE", 0.01)
    now = [1000.0]
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: now[0])
    with progress_module.terminal_progress(quiet=False) as report:
        report("Reading", 0.9)
        report("Searching", 0.0)
        now[0] += 10
        report("Searching further", 1 / 3)
        assert terminal.receives("0:10, about 0:20 left")
        report("Writing", 0.0)
        assert terminal.receives("Writing")
    assert " left" not in terminal.written.split("Writing")[1]


def test_progress_asks_the_engine_where_the_work_does_not_say(monkeypatch):
    """A quarter of a query took ten seconds, so the rest takes thirty."""
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr(progress_module, "PATIENCE", 0.01)
    now, share = [1000.0], [0.0]
    monkeypatch.setattr(progress_module.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(progress_module, "_asked", [lambda: None, lambda: share[0]])
    with progress_module.terminal_progress(quiet=False) as report:
        report("Reading", None)
        assert terminal.receives("╌" * 20)
        now[0], share[0] = 1010.0, 0.25
        report("Reading", None)
        assert terminal.receives("━" * 5 + "╌" * 15 + " 25 %, ")
        assert terminal.receives("0:10, about 0:30 left")


def test_progress_says_what_holds_the_work_up_for_as_long_as_it_does(monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setattr(progress_module, "PATIENCE", 0.01)
    with progress_module.terminal_progress(quiet=False) as report:
        with progress_module.meanwhile("compiling"):
            report("Gathering", 0.25)
            assert terminal.receives("Gathering (compiling) ")
        terminal.written = ""
        report("Gathering", 0.5)
        assert terminal.receives("Gathering ━")


def test_no_progress_where_nobody_sees_it(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress_module.terminal_progress(quiet=True) as report:
        assert report is None
    monkeypatch.setattr(Terminal, "isatty", lambda _terminal: False)
    with progress_module.terminal_progress(quiet=False) as report:
        assert report is None
