"""Output in UTF-8 whatever the locale says, and results that can be printed anywhere."""

import contextlib
import io
import json
import os
import pty
import subprocess
import sys

import pytest

import tclose as library
from faces.command_line import SOURCE, tclose

LOCALES = [
    {"PYTHONIOENCODING": "cp1252"},
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin-1:strict", "PYTHONUTF8": "0"},
    {"PYTHONIOENCODING": "", "PYTHONUTF8": "0", "LC_ALL": "C"},
    {"PYTHONIOENCODING": "", "PYTHONUTF8": "0", "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"},
]
locales = pytest.mark.parametrize("env", LOCALES, ids=lambda env: "-".join(env.values()))


@locales
@pytest.mark.parametrize("form", ["text", "json"])
def test_redirected_output_is_utf8(env, form):
    ask = ("audit", "example:salary", "--k", "4", "--l", "2", "--format", form)
    done = tclose(*ask, env=env)
    assert done == tclose(*ask)
    if form == "text":
        assert "✓" in done.out
        assert "✗" in done.out


@locales
def test_names_beyond_ascii_are_understood_in_any_locale(env, tmp_path):
    (tmp_path / "größe.csv").write_text("größe,ΔT\n1,a\n1,b\n2,a\n2,b\n", encoding="utf-8")
    done = tclose("audit", "größe.csv", "-q", "größe", "-s", "ΔT", "--format", "json", cwd=tmp_path, env=env)
    assert json.loads(done.out)["roles"]["quasi"] == ["größe"]
    assert "ΔX" in tclose("audit", "größe.csv", "-q", "ΔX", "-s", "ΔT", cwd=tmp_path, env=env).err


@pytest.fixture(scope="module")
def results():
    roles = library.Roles(quasi="zip", sensitive={"salary": library.Ordered()})
    table = {"zip": [1, 1, 2, 2, 3, 3], "salary": [1, 2, 3, 4, 5, 6]}
    audit = library.audit(table, roles, require={"k": 2, "l": 3})
    release = library.anonymize(table, roles, require={"k": 3}, hierarchies={"zip": "flat"})
    frontier = library.frontier(table, roles, methods=["mondrian"], hierarchies={"zip": "flat"})
    return [audit, release, frontier, library.explain(audit), library.profile(table)]


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8", "utf-16", "iso2022_jp"])
@pytest.mark.parametrize("errors", ["strict", "replace"])
def test_results_are_printed_on_any_stream(results, encoding, errors):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors=errors)
    with contextlib.redirect_stdout(stream):
        stream.writelines(map(str, results))
    stream.flush()
    shown = stream.buffer.getvalue().decode(encoding)
    assert {"✗", "[NO]"} & set(shown.split())
    assert {"✓", "[ok]"} & set(shown.split())
    assert "?" not in shown


def test_a_terminal_that_knows_few_letters_gets_signs_spelled():
    ours, theirs = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "latin-1", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "tclose.cli", "audit", "example:salary", "--k", "4", "--l", "2"]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while chunk := os.read(ours, 4096):
            shown += chunk
    os.close(ours)
    assert process.wait() == 1
    assert b"[NO]  k >= 4" in shown
    assert b"[ok]" in shown
