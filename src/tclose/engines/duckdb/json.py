"""JSON tables, a list of objects or one a line: strings are text, numbers keep the digits they are written with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import duckdb

from tclose.data.sources import FileSource
from tclose.engines.duckdb.connection import private_folder
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.sql import file_literals, fresh_name, literal, literals
from tclose.engines.duckdb.table import Column, LoadedTable, check_names, check_rows, keep_view
from tclose.engines.duckdb.text_files import SQL, DuckTexts, plain_text
from tclose.engines.text_types import kinds_of, marked, plain, problem, types_of
from tclose.errors import EmptyTableError, SourceError

_LARGEST_OBJECT = 1 << 28
_SHORT = 64
_STRING_OR_NUMBER = r'"(?:[^"\\]|\\.)*"|-?(?:[0-9][0-9.eE+-]*|Infinity)|NaN'
_PLUS = r"regexp_replace({0}, '[eE]([0-9])', 'e+\1')"
"""A number with the sign that a power of ten needs in a text table."""


def load_json(connection: duckdb.DuckDBPyConnection, source: FileSource) -> LoadedTable:
    """Copy JSON files; every record is looked at to find the columns and their types."""
    if source.partitions:
        raise SourceError(
            f"The folders of {source.label} add columns to JSON files, which is not read. Use CSV or Parquet."
        )
    folder = private_folder(connection)
    files = [plain_text(path, source.name_of(path), source.options, folder) for path in source.paths]
    for file in files:
        text, whole = file.head(_SHORT)
        if whole and "".join(text.split()) in {"", "[]"}:
            raise EmptyTableError(f"{file.name} has no records. There is nobody in it to protect.")
    copies = {str(file.path): file.name for file in files}
    layout = "newline_delimited" if source.format == "jsonl" else "auto"
    objects = f"read_json_objects({file_literals(copies)}, format='{layout}', maximum_object_size={_LARGEST_OBJECT})"
    with translated(source.label, names=copies, connection=connection):
        names = _names(connection, objects, source.label)
        check_names(names, source.label)
        cells, rows = _cells(connection, objects, names)
        check_rows(rows, source.label)
        table, columns = _typed(connection, cells, names)
    notes = tuple(note for file in files for note in file.notes)
    return LoadedTable(connection, columns, source.label, table, rows, notes, keep_view)


def _marked(text: str) -> str:
    """Return the SQL of a JSON text whose strings and numbers are marked."""
    return marked(f"regexp_replace({text}, {literal(_STRING_OR_NUMBER)}, chr(1) || '\\0' || chr(2), 'g')")


def _names(connection: duckdb.DuckDBPyConnection, objects: str, label: str) -> list[str]:
    """Return the keys of all objects: those of the objects with most keys first, in the order that these have them."""
    keys = "CASE WHEN json_type(json) = 'OBJECT' THEN json_keys(json) END"
    lists = connection.execute(
        f"FROM (SELECT DISTINCT {keys} AS keys FROM {objects}) ORDER BY len(keys) DESC, keys"  # noqa: S608
    )
    found: dict[str, None] = {}
    while some := lists.fetchmany(1000):
        for (own,) in some:
            if own is None:
                raise SourceError(f"{label} is JSON but not a table: it must be a list of objects, or one a line.")
            if len({*own}) < len(own):
                raise SourceError(f"{label}: a key is given twice in one object. Rename one of them.")
            found |= dict.fromkeys(own)
    return list(found)


def _cells(connection: duckdb.DuckDBPyConnection, objects: str, names: Sequence[str]) -> tuple[str, int]:
    """Copy the marked cells of all records into a table, whose name and number of rows are returned."""
    places = literals("/$" + name.replace("~", "~0").replace("/", "~1") for name in names)
    shown = ", ".join(f"cells[{at + 1}] AS c{at}" for at in range(len(names)))
    copy = fresh_name("copy")
    ((rows,),) = connection.execute(
        f"CREATE TEMP TABLE {copy} AS SELECT {shown} FROM "  # noqa: S608 - literals
        f"(SELECT json_extract_string({_marked('CAST(json AS VARCHAR)')}, {places}) AS cells FROM {objects})"
    ).fetchall()
    return copy, rows


def _typed(connection: duckdb.DuckDBPyConnection, table: str, names: Sequence[str]) -> tuple[str, tuple[Column, ...]]:
    """Give each column of marked cells its type, by all its values."""
    aliases = [f"c{at}" for at in range(len(names))]
    kinds = dict(zip(aliases, DuckTexts(connection, table).seen([kinds_of(alias) for alias in aliases]), strict=True))
    cells = _copied(connection, table, {alias: plain(alias, kinds[alias], _PLUS) for alias in aliases})
    types = types_of(DuckTexts(connection, cells), kinds)
    typed = _copied(connection, cells, {alias: kind.value(alias, SQL) for alias, kind in types.items()})
    return typed, tuple(
        Column(name, alias, types[alias].type, problem=problem(kinds[alias], types[alias]))
        for name, alias in zip(names, aliases, strict=True)
    )


def _copied(connection: duckdb.DuckDBPyConnection, table: str, values: Mapping[str, str]) -> str:
    """Copy a table with these values in its columns, and drop it."""
    name = fresh_name("copy")
    shown = ", ".join(f"{value} AS {alias}" for alias, value in values.items())
    connection.execute(f"CREATE TEMP TABLE {name} AS SELECT {shown} FROM {table}")  # noqa: S608 - our own names
    connection.execute(f"DROP TABLE {table}")
    return name
