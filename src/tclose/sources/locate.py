"""From what the caller names or holds to the source it stands for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from tclose.errors import SourceError, listed
from tclose.sources.addresses import advice_for, unread_scheme
from tclose.sources.database import DatabaseTable, files_of_database, is_database_address
from tclose.sources.examples import example_named
from tclose.sources.paths import files_at, files_below, is_pipe, named_path
from tclose.sources.source import (
    ExampleSource,
    FileSource,
    FrameKind,
    FrameSource,
    ReadOptions,
    Source,
    StreamSource,
    ValuesSource,
)

_KNOWN_FRAMES: Mapping[tuple[str, str], tuple[FrameKind, str]] = {
    ("pandas", "DataFrame"): ("pandas", "a pandas DataFrame"),
    ("polars", "DataFrame"): ("polars", "a polars DataFrame"),
    ("polars", "LazyFrame"): ("polars", "a polars LazyFrame"),
    ("pyarrow", "Table"): ("arrow", "an Arrow table"),
    ("pyarrow", "RecordBatch"): ("arrow", "an Arrow record batch"),
    ("pyarrow", "RecordBatchReader"): ("stream", "an Arrow stream"),
    ("duckdb", "DuckDBPyRelation"): ("duckdb", "a DuckDB relation"),
}

_CONNECTIONS = ("sqlalchemy", "sqlite3", "psycopg", "psycopg2", "duckdb", "adbc_driver_manager", "pyodbc", "pymysql")
"""Packages whose objects, apart from those that are tables, are connections to databases."""


def locate(table: object, *, options: ReadOptions | None = None) -> Source:
    """Say where the rows of a table are, without reading them.

    Parameters
    ----------
    table
        A path, a glob, a folder, a list of paths, ``"-"`` for standard input, ``"example:NAME"``, the address
        of a table in a database (``"postgresql://HOST/DATABASE#TABLE"``, ``"sqlite:PATH#TABLE"``), a pandas, polars or
        Arrow table, a DuckDB relation, anything with the Arrow stream interface, a mapping from column name to
        values, a list of mappings, or a source already located.
    options
        How a file is to be read.

    Returns
    -------
    Source
        The source, with the label under which reports name it.

    Raises
    ------
    SourceError
        If nothing is there, or it is not a table; the message says what, where and the way out.

    Examples
    --------
    >>> locate("example:salary").label
    "the example 'salary'"
    """
    options = options or ReadOptions()
    if isinstance(table, Source):
        return table
    if isinstance(table, str | Path):
        return _named(table, options)
    if isinstance(table, Mapping):
        return ValuesSource("a mapping of columns", {str(name): values for name, values in table.items()})
    if isinstance(table, Sequence) and not isinstance(table, bytes | bytearray | memoryview):
        return _sequence(table, options)
    return _frame(table)


def files_read(table: object, what: str = "the table itself or one of its files") -> dict[Path, str]:
    """Return the files that are read of a table, a hierarchy or the like, each with what it is.

    Parameters
    ----------
    table
        What the caller named or holds; what is no file has none.
    what
        What it is, for messages.
    """
    if isinstance(table, FileSource):
        return dict.fromkeys(table.paths, what)
    if isinstance(table, DatabaseTable):
        return dict.fromkeys(files_of_database(table.uri), what)
    if isinstance(table, str) and is_database_address(table):
        return dict.fromkeys(files_of_database(table), what)
    if isinstance(table, str | Path):
        named = str(table) == "-" or str(table).startswith("example:")
        return {} if named else dict.fromkeys(files_below(table), what)
    if isinstance(table, Sequence) and not isinstance(table, bytes | bytearray | memoryview):
        return {path: what for item in table if isinstance(item, str | Path) for path in files_read(item, what)}
    return {}


def read_once(table: object) -> bool:
    """Say whether the rows of a table come only once: from standard input, or from a pipe."""
    return isinstance(table, str | Path) and (str(table) == "-" or is_pipe(named_path(table)))


def _named(table: str | Path, options: ReadOptions) -> Source:
    text = str(table)
    if text == "-":
        return StreamSource("standard input", options=options)
    if text.startswith("example:"):
        example = example_named(text.removeprefix("example:"))
        return ExampleSource(f"the example {example.name!r}", example)
    if is_database_address(table):
        return DatabaseTable(text)
    if isinstance(table, str) and (scheme := unread_scheme(text)) is not None:
        raise SourceError(
            f"An address such as {scheme}:// is not read: tclose makes no network connection for a file. "
            f"{advice_for(scheme)}"
        )
    return files_at([table], options)


def _sequence(table: Sequence[object], options: ReadOptions) -> Source:
    if not table:
        raise SourceError("An empty list is not a table; give paths, or one mapping for each row.")
    if all(isinstance(item, str | Path) for item in table):
        for item in table:
            if isinstance(item, str) and (unread_scheme(item) or item == "-" or item.startswith("example:")):
                raise SourceError(
                    "A list of tables must name files; standard input, examples and addresses stand alone."
                )
        return files_at(cast("Sequence[str | Path]", table), options)
    if all(isinstance(item, Mapping) for item in table):
        return ValuesSource("a list of records", _columns_of(cast("Sequence[Mapping[object, object]]", table)))
    kinds = sorted({type(item).__name__ for item in table})
    raise SourceError(f"A list of {listed(kinds)} is not a table; give paths, or one mapping for each row.")


def _columns_of(records: Sequence[Mapping[object, object]]) -> dict[str, list[object]]:
    names = list(dict.fromkeys(name for record in records for name in record))
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        raise SourceError("Two keys of the records have the same name as text; rename one of them.")
    return {text: [record.get(name) for record in records] for text, name in zip(texts, names, strict=True)}


def _frame(table: object) -> Source:
    for parent in type(table).__mro__:
        package = parent.__module__.partition(".")[0].lstrip("_")
        if known := _KNOWN_FRAMES.get((package, parent.__name__)):
            kind, label = known
            return FrameSource(label, table, kind)
    if hasattr(table, "__arrow_c_stream__"):
        return FrameSource(f"a {type(table).__name__}", table, "stream")
    package = type(table).__module__.partition(".")[0].lstrip("_")
    if package in _CONNECTIONS:
        raise SourceError(
            f"A {type(table).__name__} of {package} is a connection, not a table. Give the address of a table, such as "
            "postgresql://HOST/DATABASE#TABLE, or read a data frame or an Arrow table with it, and give that."
        )
    raise SourceError(
        f"An object of type {type(table).__name__} is not a table. Give a path, a pandas, polars "
        "or Arrow table, a mapping of columns, or a list of records."
    )
