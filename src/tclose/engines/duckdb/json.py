"""JSON tables: a list of objects, or one object a line."""

from __future__ import annotations

import duckdb

from tclose.engines.duckdb.connection import private_folder
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.plain import plain_text
from tclose.engines.duckdb.sql import literals
from tclose.engines.duckdb.table import LoadedTable, bind, check_rows, keep_copy
from tclose.errors import EmptyTableError, SourceError
from tclose.sources import FileSource

_LARGEST_OBJECT = 1 << 28
_SHORT = 64


def load_json(connection: duckdb.DuckDBPyConnection, source: FileSource) -> LoadedTable:
    """Bind JSON files; every record is looked at to type the columns."""
    if source.partitions:
        raise SourceError(
            f"The folders of {source.label} add columns to JSON files, which is not read. Use CSV or Parquet."
        )
    folder = private_folder(connection)
    files = [plain_text(path, source.name_of(path), source.options.encoding, folder) for path in source.paths]
    for file in files:
        text, whole = file.head(_SHORT)
        if whole and "".join(text.split()) in {"", "[]"}:
            raise EmptyTableError(f"{file.name} has no records. There is nobody in it to protect.")
    copies = {str(file.path): file.name for file in files}
    paths = literals(copies)
    layout = "newline_delimited" if source.format == "jsonl" else "auto"
    options = f"sample_size=-1, maximum_object_size={_LARGEST_OBJECT}, union_by_name=true"
    options += ", map_inference_threshold=-1, field_appearance_threshold=0"  # many or rare keys are columns too
    relation = f"read_json({paths}, format='{layout}', records=true, {options})"
    with translated(source.label, names=copies, connection=connection):
        described = connection.execute(f"DESCRIBE FROM {relation}").fetchall()
        names = _true_names(connection, [str(row[0]) for row in described], f"{paths}, format='{layout}'")
        ((rows,),) = connection.execute(f"SELECT count(*) FROM {relation}").fetchall()  # noqa: S608 - literals
    check_rows(rows, source.label)
    table = bind(connection, relation, names, source.label)
    table.rows, table.keeper = rows, keep_copy
    table.notes = tuple(note for file in files for note in file.notes)
    return table


def _true_names(connection: duckdb.DuckDBPyConnection, shown: list[str], files: str) -> list[str]:
    """Return the keys as they are written, where DuckDB numbered keys that differ only in case."""
    folded = {name.casefold() for name in shown}
    numbered = [name for name in shown if _stem(name) and _stem(name).casefold() in folded]
    if not numbered:
        return shown
    keys = connection.execute(
        f"SELECT DISTINCT unnest(json_keys(json)) FROM read_json_objects({files})"  # noqa: S608 - literals
    ).fetchall()
    written = {str(key) for (key,) in keys}
    names = [name if name in written else _written(name, written - set(shown)) for name in shown]
    if set(names) != written:
        raise SourceError("Several keys of the objects differ only in upper and lower case. Rename them.")
    return names


def _written(name: str, keys: set[str]) -> str:
    """Return the key that DuckDB numbered, if there is only one that it can be."""
    candidates = [key for key in keys if key.casefold() == _stem(name).casefold()]
    return candidates[0] if len(candidates) == 1 else name


def _stem(name: str) -> str:
    stem, underscore, number = name.rpartition("_")
    return stem if underscore and number.isdigit() else ""
