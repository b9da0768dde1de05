"""Modules: a sentence at the top, a length one can read, names that say something, nothing left lying about."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "tclose"
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST = 400
LONGEST_BODY = 40
BANNED = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers"}

every_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))


def words_of(name):
    """Return the words of a snake_case or CamelCase name, small."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)]


def test_there_are_modules():
    assert len(MODULES) > 50


@every_module
def test_a_module_opens_with_a_sentence(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    first = (docstring or "").split("\n\n")[0]
    assert re.fullmatch(r"[^\s].*[.!?:]", first, re.S), "the docstring must open with a sentence"


@every_module
def test_a_module_can_be_read_in_one_sitting(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


@every_module
def test_names_say_something(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    names = [path.stem, path.parent.name, *(node.name for node in ast.walk(tree) if isinstance(node, kinds))]
    assert [name for name in names if BANNED & {*words_of(name)}] == []


@every_module
def test_nothing_is_left_for_later(path):
    assert re.findall(r"\b(TODO|FIXME|XXX|HACK)\b", path.read_text(encoding="utf-8")) == []


@every_module
def test_only_the_command_line_writes_to_the_terminal(path):
    """``print`` and the debugger have no place in src; the docstrings may show a print."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert [call.lineno for call in calls if isinstance(call, ast.Name) and call.id in {"print", "breakpoint"}] == []


@every_module
def test_bodies_fit_a_screen(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert {node.name: body_lines(node) for node in functions if body_lines(node) > LONGEST_BODY} == {}


def body_lines(function):
    """Return the lines of a function's body without its docstring."""
    body = function.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    body = body[1:] if documented and isinstance(body[0].value.value, str) else body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0
