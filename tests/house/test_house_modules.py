"""Modules: a sentence at the top, names that say something, nothing left lying about."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "tclose"
MODULES = sorted(SOURCE.rglob("*.py"))
BANNED = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers"}

TEXTS = {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in MODULES}


@pytest.fixture(scope="module")
def trees():
    """Every module as Python reads it."""
    return {name: ast.parse(text) for name, text in TEXTS.items()}


def words_of(name):
    """Return the words of a snake_case or CamelCase name, small."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)]


def test_there_are_modules():
    assert len(MODULES) > 50


def test_every_module_opens_with_a_sentence(trees):
    first = {name: (ast.get_docstring(tree) or "").split("\n\n")[0] for name, tree in trees.items()}
    assert [name for name, text in first.items() if not re.fullmatch(r"[^\s].*[.!?:]", text, re.S)] == []


def test_names_say_something(trees):
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = {
        place: [*re.split(r"[/.]", place), *(node.name for node in ast.walk(tree) if isinstance(node, kinds))]
        for place, tree in trees.items()
    }
    assert [(place, name) for place, names in found.items() for name in names if BANNED & {*words_of(name)}] == []


def test_nothing_is_left_for_later():
    marks = {name: re.findall(r"\b(TODO|FIXME|XXX|HACK)\b", text) for name, text in TEXTS.items()}
    assert {name: found for name, found in marks.items() if found} == {}


def test_only_the_command_line_writes_to_the_terminal(trees):
    """``print`` and the debugger have no place in src; the docstrings may show a print."""
    calls = [(name, node.func) for name, tree in trees.items() for node in ast.walk(tree) if isinstance(node, ast.Call)]
    words = {"print", "breakpoint"}
    assert [(name, at.lineno) for name, at in calls if isinstance(at, ast.Name) and at.id in words] == []
