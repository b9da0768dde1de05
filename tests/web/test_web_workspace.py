"""What was uploaded is gone at the end: after closing, after leaving, and after a crash."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tclose.web import workspace as workspaces
from tclose.web.workspace import Workspace

_CRASHES = """
import os, sys, time
from tclose.web.workspace import Workspace
workspace = Workspace()
path, _ = workspace.place_for("people.csv")
path.write_text("zip,pay\\n1,2\\n")
print(workspace.folder, flush=True)
time.sleep(60)
"""


def test_closing_a_table_removes_its_upload_and_closing_all_removes_the_folder():
    workspace = Workspace()
    path, name = workspace.place_for("people.csv")
    path.write_text("zip,pay\n1,2\n")
    opened = workspace.open_upload(path, name)
    assert opened.table.label == "people.csv"
    assert workspace.close_table(opened.id)
    assert not path.exists()
    workspace.close()
    assert not workspace.folder.exists()


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no such signal")
def test_what_a_crash_left_is_removed_at_the_next_start(tmp_path):
    surroundings = {**os.environ, "TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", _CRASHES], stdout=subprocess.PIPE, text=True, env=surroundings)
    folder = Path(process.stdout.readline().strip())
    assert list(folder.rglob("table.csv"))
    process.kill()
    process.communicate()
    assert folder.exists()
    subprocess.run(
        [sys.executable, "-c", "from tclose.web.workspace import Workspace; Workspace().close()"],
        check=True,
        env=surroundings,
    )
    assert not folder.exists()


def test_a_table_too_many_closes_the_one_opened_first(monkeypatch):
    monkeypatch.setattr(workspaces, "MOST_TABLES", 2)
    workspace = Workspace()
    first, second, third = (workspace.open_example("salary") for _ in range(3))
    assert workspace.table(first.id) is None
    assert not first.folder.exists()
    assert workspace.table(second.id) is second
    assert workspace.table(third.id) is third
    workspace.close()


def test_the_command_prints_an_address_with_a_token_and_ends_cleanly(tmp_path):
    surroundings = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "tclose.cli", "serve", "example:salary", "--no-browser", "--k", "3"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=surroundings, cwd=tmp_path
    )
    try:
        address = process.stdout.readline().strip()
        base, _, token = address.partition("/#token=")
        assert base.startswith("http://127.0.0.1:")
        assert len(token) >= 40
        import httpx

        headers = {"x-tclose-token": token}
        assert httpx.get(f"{base}/api", headers=headers).json()["named"] == {
            "label": "the example 'salary'",
            "database": False,
        }
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Traceback" not in messages
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_said(capsys, tmp_path, monkeypatch):
    from tclose.cli import outcome
    from tclose.web.server import _listening

    monkeypatch.chdir(tmp_path)
    with _listening(0) as taken:
        taken.listen()
        assert outcome(["serve", "--no-browser", "--port", str(taken.getsockname()[1])]) == 2
    assert "is taken" in capsys.readouterr().err


def test_standard_input_cannot_be_served(capsys):
    from tclose.cli import outcome

    assert outcome(["serve", "--no-browser", "-"]) == 2
    assert "only once" in capsys.readouterr().err
