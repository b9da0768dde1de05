"""Every example in the README and the docs is run, in order, page by page, and must be true.

On each page the examples share one folder and one Python session. A page of the docs finds it empty, as its reader
does; the README has the folder ``examples`` of the repository, and a story the files beside it. A block with
``title="NAME"`` is written to NAME before the next one runs.
"""

import contextlib
import doctest
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.markdown_pages import PAGES, ROOT, STORIES, blocks
from tclose.cli.commands import commands as commands_of_tclose
from tclose.cli.errors import exit_code_of

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_EXIT = re.compile(r"\s+# exit (\d+)$")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def furnish(folder, page):
    """Put what a page takes for granted into its folder."""
    if page in STORIES:
        for file in page.parent.glob("*.*"):
            shutil.copy(file, folder)
    elif page.name == "README.md":
        shutil.copytree(page.parent / "examples", folder / "examples")


@pytest.mark.parametrize("page", [*PAGES, *STORIES], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_example_of_a_page_is_true(page, folder):
    furnish(folder, page)
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
        left, found = run(_EXIT.sub("", command), folder)
        if left != code:
            problems.append(f"{where}: $ {command}\nleft with {left}, not {code}:\n{found}")
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
    """Run a command, with both streams in one; return its exit code and its output."""
    words = plain_words(command)
    return called(words[1:]) if words[:1] == ["tclose"] else by_shell(command, folder)


def plain_words(command):
    """Return the words of a command that needs no shell, else none."""
    return [] if re.search(r"[|&;<>$`*?()~\\#]", command) else shlex.split(command)


def called(arguments):
    """Run ``tclose`` in this process, which has loaded what a new one would load again."""
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        code = exit_code_of(commands_of_tclose, arguments)
    return code, stream.getvalue()


def by_shell(command, folder):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    surroundings = {**os.environ, "PATH": path, "PYTHONIOENCODING": "utf-8", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=surroundings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.returncode, done.stdout.decode("utf-8")


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


@pytest.mark.parametrize("story", STORIES, ids=lambda page: page.parent.name)
def test_the_notebook_of_a_story_runs(story, folder):
    furnish(folder, story)
    assert run("python make.py", folder)[0] == 0
    notebook = json.loads((story.parent / f"{story.parent.name}.ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] for cell in code), "notebooks are kept without what they printed"
    session: dict[str, object] = {}
    for cell in code:
        exec("".join(cell["source"]), session)  # what a notebook does; its cells assert what they say


def test_pages_have_examples():
    """A page that lost its examples, by a mistyped fence for instance, would pass unseen."""
    words = [block.word for page in PAGES for block in blocks(page.read_text(encoding="utf-8"))]
    assert words.count("console") >= 15
    assert words.count("python") >= 20
