"""The databases that the tests of engines use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from servers import Server, server


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    with server() as started:
        yield started
