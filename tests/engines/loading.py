"""What the tests of loading share."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import pytest

from tclose.data.sources import ReadOptions, locate
from tclose.engines.duckdb.connection import connect, disconnect
from tclose.engines.duckdb.load import LoadedTable, load

Rows = list[tuple[object, ...]]


@pytest.fixture
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    opened = connect(threads=2, temp=str(tmp_path_factory.mktemp("spill")))
    yield opened
    disconnect(opened)


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def loaded(connection: duckdb.DuckDBPyConnection, table: object, **options: object) -> LoadedTable:
    return load(connection, locate(table, options=ReadOptions(**options)))  # type: ignore[arg-type]


def kept(connection: duckdb.DuckDBPyConnection, table: object, **options: object) -> LoadedTable:
    """Load a table and keep all its columns."""
    found = loaded(connection, table, **options)
    return found.keep([column.name for column in found.columns])


def rows(table: LoadedTable, columns: Sequence[str] | None = None) -> Rows:
    """Return all rows, sorted, since no answer may depend on their order."""
    aliases = [table.column(name).alias for name in columns] if columns else [c.alias for c in table.columns]
    found = table.connection.execute(f"SELECT {', '.join(aliases)} FROM {table.name}").fetchall()
    return sorted(found, key=repr)


def types(table: LoadedTable) -> dict[str, str]:
    return {column.name: column.type for column in table.columns}


def date(text: str) -> dt.date:
    return dt.date.fromisoformat(text)
