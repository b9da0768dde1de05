"""Parquet files, one or many, with the columns that their folders add."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb

from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.sql import literal, literals
from tclose.engines.duckdb.table import LoadedTable, bind, check_rows, keep_view
from tclose.errors import SourceError, listed
from tclose.sources import FileSource

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")


def load_parquet(connection: duckdb.DuckDBPyConnection, source: FileSource) -> LoadedTable:
    """Bind Parquet files without reading their rows."""
    paths = [str(path) for path in source.paths]
    folders = _folder_columns(source)
    names = _names_in_files(connection, source, paths)
    in_both = sorted(set(names) & set(folders))
    hidden = [name for name in folders if name.casefold() in {other.casefold() for other in names}]
    if in_both or hidden:
        raise SourceError(
            f"Both the folders and the files of {source.label} give the column {listed(in_both or hidden)}. "
            "Rename one of them."
        )
    hive = ", ".join(f"{literal(name)}: {kind}" for name, kind in folders.items())
    options = f"hive_partitioning=true, hive_types={{{hive}}}" if folders else "hive_partitioning=false"
    relation = f"read_parquet({literals(paths)}, union_by_name={str(len(paths) > 1).lower()}, {options})"
    if folders:
        names += _folder_names(connection, relation, source.label, len(names))
    table = bind(connection, relation, names, source.label)
    with translated(source.label, connection=connection):
        ((rows,),) = connection.execute(
            f"SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata({literals(paths)})"  # noqa: S608 - literals
        ).fetchall()
    check_rows(rows, source.label)
    table.rows, table.keeper = rows, keep_view
    return table


def _folder_names(connection: duckdb.DuckDBPyConnection, relation: str, label: str, after: int) -> list[str]:
    """Return the columns of the folders in the order in which DuckDB puts them, after those of the files."""
    with translated(label, connection=connection):
        described = connection.execute(f"DESCRIBE FROM {relation}").fetchall()
    return [str(row[0]) for row in described[after:]]


def _names_in_files(connection: duckdb.DuckDBPyConnection, source: FileSource, paths: list[str]) -> list[str]:
    """Return the column names, which must be the same in every file."""
    found: dict[str, list[str]] = {}
    for path in paths:
        with translated(source.name_of(Path(path)), connection=connection):
            schema = f"SELECT name, num_children FROM parquet_schema({literal(path)})"  # noqa: S608 - a literal
            rows = connection.execute(schema).fetchall()
        found[path] = _top_level(rows)
    first_path, first = next(iter(found.items()))
    order_matters = len({name.casefold() for name in first}) < len(first)  # DuckDB matches names in any case
    for path, names in found.items():
        differing = sorted(set(names) ^ set(first))
        if differing or (order_matters and names != first):
            what = f"{listed(differing)} is in only one of" if differing else "their order differs in"
            raise SourceError(
                f"The files of {source.label} do not have the same columns: {what} {first_path!r} "
                f"and {path!r}. Give only the files of one table."
            )
    return first


def _top_level(rows: list[tuple[str, int | None]]) -> list[str]:
    """Return the names of the columns from a schema written depth first, leaving out what is inside them."""
    names: list[str] = []
    open_children = 0
    for name, children in rows[1:]:
        if open_children == 0:
            names.append(name)
        else:
            open_children -= 1
        open_children += children or 0
    return names


def _folder_columns(source: FileSource) -> dict[str, str]:
    """Return the columns that folders such as ``year=2020`` add; codes with leading zeros stay text."""
    names = list(source.partitions[0]) if source.partitions else []
    values = {name: [partition[name] for partition in source.partitions] for name in names}
    return {
        name: "BIGINT" if all(value is None or _WHOLE.fullmatch(value) for value in given) else "VARCHAR"
        for name, given in values.items()
    }
