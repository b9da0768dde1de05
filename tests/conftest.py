"""What every test can rely on: ``tests/`` on the path, and where the shared data lie."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

from shared_data import shared_file  # noqa: E402 - tests/ is on the path now


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep together what shares a server, a browser or a file when tests run side by side."""
    for item in items:
        place = item.path.relative_to(TESTS) if TESTS in item.path.parents else item.path
        shared = next((kind for kind in ("spark", "database", "browser") if kind in str(place)), str(place))
        item.add_marker(pytest.mark.xdist_group(shared))


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
