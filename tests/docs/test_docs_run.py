"""Every example in the README and the docs is run, in order, page by page, and must be true.

On each page the examples share one folder and one Python session. The folder holds ``patients.csv``, the
built-in example ``salary`` as a file; a block with ``title="NAME"`` is written to NAME before the next one runs.
"""

import csv
import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_pages import PAGES, blocks

from tclose.sources import EXAMPLES

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_EXIT = re.compile(r"\s+# exit (\d+)$")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the table that examples read."""
    example = EXAMPLES["salary"]
    with (tmp_path / "patients.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(example.columns)
        writer.writerows(example.rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_example_of_a_page_is_true(page, folder):
    session: dict[str, object] = {}
    problems = []
    for block in blocks(page.read_text(encoding="utf-8")):
        where = f"{page.name}, line {block.line}"
        if block.title:
            (folder / block.title).write_text(block.text, encoding="utf-8")
        elif block.word == "python":
            problems += doctest_problems(block.text, session, where)
        elif block.word == "console":
            problems += console_problems(block.text, folder, where)
    assert not problems, "\n\n".join(problems)


def doctest_problems(text, session, where):
    """Return what is wrong with a Python session."""
    if ">>>" not in text:
        return [f"{where}: a Python block without >>> is not run; write a session, or give it a title"]
    test = doctest.DocTestParser().get_doctest(text, session, where, where, 0)
    test.globs = session  # the parser copies; names live on in the next block
    report = []
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    runner.run(test, out=report.append, clear_globs=False)
    return ["".join(report)] if runner.failures else []


def console_problems(text, folder, where):
    """Return what is wrong with a session of the command line."""
    problems = []
    for command, expected in commands(text):
        stated = _EXIT.search(command)
        code = int(stated[1]) if stated else int(expected.startswith("✗"))
        done = run(_EXIT.sub("", command), folder)
        found = done.stdout.decode("utf-8")
        if done.returncode != code:
            problems.append(f"{where}: $ {command}\nleft with {done.returncode}, not {code}:\n{found}")
        elif not alike(found, expected):
            problems.append(f"{where}: $ {command}\nprinted\n{found}\nand not\n{expected}")
    return problems


def commands(text):
    """Return each command with the output that the page shows for it."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif found:
            found[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in found]


def run(command, folder):
    """Run a command in the shell, with both streams in one."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    surroundings = {**os.environ, "PATH": path, "PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=surroundings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )


def alike(found, expected):
    """Say whether an output is the expected one, where a line of three dots stands for any lines."""
    pattern = "".join(
        r"(?:.*\n)*" if line.strip() == "..." else re.escape(line.rstrip()) + r"[ \t]*\n"
        for line in expected.splitlines()
    )
    return re.fullmatch(pattern, found if found.endswith("\n") or not found else found + "\n") is not None


def test_a_line_of_dots_stands_for_any_lines():
    assert alike("a\nb\nc\n", "a\n...\nc")
    assert alike("a\nc\n", "a\n...\nc")
    assert not alike("a\nb\n", "a")
    assert not alike("a\nb\n", "...\nc")
    assert alike("", "")


def test_a_false_example_is_found(folder):
    assert console_problems("$ tclose --version\ntclose 99\n", folder, "here")
    assert console_problems("$ tclose audit nothing.csv\n...\n", folder, "here")
    assert not console_problems("$ tclose audit nothing.csv  # exit 2\n...\n", folder, "here")
    assert doctest_problems(">>> 1 + 1\n3\n", {}, "here")


def test_pages_have_examples():
    """A page that lost its examples, by a mistyped fence for instance, would pass unseen."""
    words = [block.word for page in PAGES for block in blocks(page.read_text(encoding="utf-8"))]
    assert words.count("console") >= 15
    assert words.count("python") >= 20
