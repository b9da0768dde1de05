"""The databases that the tests of engines use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from engines.servers import Server, as_arrow, declared, put_duckdb, put_sqlite, server


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    with server() as started:
        yield started


@pytest.fixture(params=["sqlite", "postgresql", "duckdb"])
def put(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str, Mapping[str, Sequence[object]]], str]:
    """Put columns into a database and return the table's address."""
    if request.param == "postgresql":
        started: Server = request.getfixturevalue("postgresql")
        return lambda name, columns: started.put(name, as_arrow(columns))
    if request.param == "duckdb":
        return lambda name, columns: put_duckdb(tmp_path / "tables.duckdb", name, as_arrow(columns))
    return lambda name, columns: put_sqlite(tmp_path / "tables.db", name, columns, declared(columns))
