"""What every test can rely on: ``tests/`` on the path, and where the shared data lie."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

DATA = Path(os.environ.get("TCLOSE_DATA", TESTS.parent.parent / "shared" / "data"))


def shared_file(*parts: str) -> Path:
    """Return a file of the shared data; without it skip the test, or fail where CI promises it."""
    path = DATA.joinpath(*parts)
    if not path.is_file():
        missing = f"{path} is not here; set TCLOSE_DATA to the folder that holds adult/ and census/"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return path


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
