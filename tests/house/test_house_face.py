"""The face: what can be imported, what importing costs, and the tree of errors."""

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tclose
from tclose import errors

HEAVY = ("duckdb", "numpy", "pandas", "polars", "pyarrow", "nanoarrow", "jinja2", "rich")

ERRORS = {
    name: kind
    for name, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, Exception) and kind.__module__ == errors.__name__
}


_SAY_WHAT_IS_LOADED = """
import json, sys
sys.__stderr__.write(json.dumps(sorted({*sys.modules, *(name.partition(".")[0] for name in sys.modules)})))
"""


def loaded_by(code):
    """Return which packages and modules a fresh interpreter has loaded after some code."""
    done = subprocess.run(
        [sys.executable, "-c", code + _SAY_WHAT_IS_LOADED], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def loaded_by_command(*arguments):
    """Return the same after a command."""
    return loaded_by(f"from tclose.cli import main\ntry:\n    main({[*arguments]!r})\nexcept SystemExit:\n    pass")


def test_the_list_of_names_is_sorted_and_has_no_name_twice():
    assert sorted(set(tclose.__all__)) == tclose.__all__


def test_every_listed_name_can_be_imported():
    assert [name for name in tclose.__all__ if getattr(tclose, name, None) is None] == []


def test_what_can_be_seen_is_what_is_listed():
    assert dir(tclose) == tclose.__all__
    loadable = set(vars(tclose)["_HOMES"]) | {"__version__"}
    assert loadable == set(tclose.__all__)


def test_a_star_import_brings_the_listed_names():
    found: dict[str, object] = {}
    exec("from tclose import *", found)
    assert set(tclose.__all__) <= set(found)


def test_type_checkers_see_the_same_names():
    text = Path(tclose.__file__).read_text(encoding="utf-8")
    block = re.search(r"^if TYPE_CHECKING:\n((?:[ \t]+.*\n|\n)+)", text, re.M)[1]
    seen = set(re.findall(r"\b\w+\b", re.sub(r"from [\w.]+ import", "", block)))
    assert seen | {"__version__"} == set(tclose.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = tclose.nonsense


def test_importing_the_library_loads_nothing_heavy():
    assert loaded_by("import tclose") & {*HEAVY, "click"} == set()


def test_the_nouns_load_no_engine():
    loaded = loaded_by("import tclose; tclose.Roles(quasi='a', sensitive='b:ordered'); tclose.TcloseError")
    assert loaded & {*HEAVY} <= {"numpy"}


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_loads_nothing_heavy(argument):
    assert loaded_by_command(argument) & {*HEAVY} == set()


def test_help_of_a_command_loads_no_engine_and_no_compiler():
    assert loaded_by_command("audit", "--help") & {*HEAVY} <= {"numpy"}


def test_an_audit_loads_neither_what_searches_nor_what_draws_nor_what_calls_elsewhere():
    loaded = loaded_by_command("audit", "example:salary", "--k", "3")
    assert "tclose.engines.duckdb.session" in loaded
    assert (
        loaded & {"tclose.anonymization.algorithms.catalogue", "tclose.reports.charts", "jinja2", "http.client", "ssl"}
        == set()
    )


def test_every_error_is_in_the_drawn_tree_under_its_parent():
    drawn = errors.__doc__
    assert set(re.findall(r"\b\w+Error\b", drawn)) - {"ValueError", "RuntimeError", "AssertionError"} == set(ERRORS)
    above: list[str] = []
    for line in drawn.splitlines():
        if match := re.match(r"    ([│├└─ ]*)(\w+Error)\b", line):
            depth = len(match[1]) // 4
            above = [*above[:depth], match[2]]
            parent = above[depth - 1] if depth else "Exception"
            assert parent in {kind.__name__ for kind in ERRORS[match[2]].__mro__[1:]}, match[2]


@pytest.mark.parametrize("name", ERRORS)
def test_every_error_says_what_it_means(name):
    assert re.match(r"[A-Z].*[.]", inspect.getdoc(ERRORS[name]) or "")
