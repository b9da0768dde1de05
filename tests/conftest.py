"""What every test can rely on: ``tests/`` on the path, and where the shared data lie."""

from __future__ import annotations

import atexit
import functools
import gc
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadScopeScheduling

# How long an example takes depends on who else uses the machine. CI draws the same examples each time, so that it
# judges the change it is given; on a developer's machine every run draws others.
settings.register_profile("tclose", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("tclose")

collect_ignore_glob = ["*/conftest.py"]  # they have no doctests, and one would be taken for the other

TESTS = Path(__file__).parent
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

from canaries import overheard  # noqa: E402 - tests/ is on the path now
from shared_data import shared_file  # noqa: E402

SERVERS = ("spark", "database", "browser")
MARKS = {"spark": ("spark", "java"), "browser": ("browser",), "server": ("postgresql",)}
"""What a test needs besides Python, by its fixtures; ``scripts/test --quick`` leaves it out."""
SLOW = (
    "anonymizing", "attacks", "compiled", "differential", "docs", "engines", "facts", "fuzzing", "laws", "points",
    "recoding", "scores", "targets", "verifying", "warehouses", "web", "faces/test_anonymize_cli.py",
    "faces/test_decisions.py", "faces/test_faces_cli_process.py", "faces/test_faces_letters.py",
    "faces/test_faces_terminal.py",
    "faces/test_left_out_rows.py", "faces/test_pipelines_examples.py", "house/test_house_build.py",
    "measuring/test_kernels.py", "migrating/test_import_arx.py", "test_any_columns.py", "values/test_values_law.py",
)  # fmt: skip
"""Folders and modules of tests that search, start processes or draw thousands of tables."""


class BySharing(LoadScopeScheduling):
    """Tests dealt out to processes: those together that share a server, a browser or the fixtures of their module."""

    def _split_scope(self, nodeid: str) -> str:
        place = nodeid.partition("::")[0]
        server = next((kind for kind in SERVERS if kind in place), None)
        return server or (place if shares_fixtures(place) else nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> BySharing:
    """Deal tests out by what they share; the marks of ``xdist_group`` are not seen by every version of pytest."""
    return BySharing(config, log)


@functools.cache
def shares_fixtures(place: str) -> bool:
    """Say whether a module makes something once for all its tests, or its folder does for each of its modules."""
    module = TESTS.parent / place
    files = (module, module.with_name("conftest.py"))
    return any('scope="module"' in file.read_text(encoding="utf-8") for file in files if file.is_file())


def pytest_configure() -> None:
    """Hear signals, and keep the key of the tests' own settings, by which they get the same releases every time."""
    _hear_signals()
    folder = Path(tempfile.mkdtemp(prefix="tclose-settings-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "tclose").mkdir()
    (folder / "tclose" / "key").write_text("the key of the tests, known to all")
    os.environ["APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME"] = str(folder)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take ``--shuffle SEED``: modules, and the tests of each, in an order that depends on nothing but the seed."""
    parser.addoption("--shuffle", metavar="SEED", help="run the tests in another order")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests by what they need, and put them in the order that was asked for, the same in every process."""
    for item in items:
        needed = {*getattr(item, "fixturenames", ()), *str(item.name).replace("]", "[").replace("-", "[").split("[")}
        place = item.path.relative_to(TESTS).as_posix() if item.path.is_relative_to(TESTS) else ""
        if place.startswith(SLOW):
            item.add_marker("slow")
        for mark, fixtures in MARKS.items():
            if needed.intersection(fixtures):
                item.add_marker(mark)
    if seed := config.getoption("--shuffle"):
        drawn = {name: random.Random(f"{seed} {name}").random() for item in items for name in (item.nodeid, item.path)}
        items.sort(key=lambda item: (drawn[item.path], drawn[item.nodeid]))


def _hear_signals() -> None:
    """Hear the signals that a shell has those ignore that it starts in the background: tests send them."""
    for name, handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        if (number := getattr(signal, name, None)) and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, handler)


def pytest_collection_finish() -> None:
    """Have the garbage collector pass over the million objects that were there before the first test."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let the collector see everything again: some libraries report at the end what nobody collected."""
    gc.unfreeze()


@pytest.fixture(autouse=True)
def no_message_shows_a_canary() -> Iterator[None]:
    """Whatever a test does with cells of :mod:`canaries`, no error and no log record tells them."""
    with overheard() as leaks:
        yield
    assert leaks == []


@pytest.fixture(scope="session")
def adult_file() -> Path:
    """The Adult table (30,162 rows, semicolons)."""
    return shared_file("adult", "adult.csv")


@pytest.fixture(scope="session")
def adult_occupations() -> Path:
    """The hierarchy of Adult's occupations."""
    return shared_file("adult", "adult_hierarchy_occupation.csv")


@pytest.fixture(scope="session")
def census_file() -> Path:
    """The Census table (1,080 rows of numbers)."""
    return shared_file("census", "census.csv")
