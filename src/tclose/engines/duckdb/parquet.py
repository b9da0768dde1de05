"""Parquet files, one or many, with the columns that their folders add."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from tclose.data.labels import naming
from tclose.data.sources import FileSource
from tclose.engines.duckdb.arrow_tables import noted_zones
from tclose.engines.duckdb.connection import private_folder
from tclose.engines.duckdb.errors import LONG, MIXED, TOO_LARGE, translated, unread
from tclose.engines.duckdb.published_types import FINE_ZONED, ZONED, exposed
from tclose.engines.duckdb.sql import file_literal, file_literals, literal
from tclose.engines.duckdb.table import LoadedTable, bind, check_names, check_rows, keep_view
from tclose.engines.duckdb.text_files import scannable
from tclose.errors import Hint, Note, SourceError, listed

# One type for a column whose parts have different ones, so that no two different values become one.


_DIGITS = {
    "TINYINT": 3, "SMALLINT": 5, "INTEGER": 10, "BIGINT": 19, "UTINYINT": 3, "USMALLINT": 5, "UINTEGER": 10,
    "UBIGINT": 20, "HUGEINT": 38, "UHUGEINT": 38,
}  # fmt: skip
"""How many digits whole numbers of a type may have."""
_MOST_DIGITS = 38
_EXACT_IN_REAL = 15
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_REALS = frozenset(("FLOAT", "DOUBLE"))
_FAMILIES = (
    (frozenset(("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS")), "TIMESTAMP"),
    (frozenset(("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")), "TIMESTAMP_NS"),
    (frozenset((ZONED, FINE_ZONED)), FINE_ZONED),
    (frozenset(("TIME", "TIME_NS")), "TIME_NS"),
)

Keeps = Callable[[str, str], bool]
"""Says whether all values of the parts of one type keep their digits, by the SQL of that with ``{0}`` for a value."""


def type_for_all(kinds: Collection[str], keeps: Keeps) -> tuple[str, str | None]:
    """Return the type that takes the values of all parts, and why there is none if there is not.

    Parameters
    ----------
    kinds
        The types of the parts.
    keeps
        Looks at the values of the parts of one type.
    """
    given = {"VARCHAR" if kind.startswith("ENUM(") else kind for kind in kinds if kind.strip('"') != "NULL"}
    if len(given) <= 1:
        return next(iter(given), "VARCHAR"), None
    sizes = {kind: _size(kind) for kind in given - _REALS}
    if all(sizes.values()):
        if given & _REALS:
            long = [kind for kind, size in sizes.items() if size and sum(size) > _EXACT_IN_REAL]
            return "DOUBLE", None if all(keeps(kind, _kept_by_real(kind)) for kind in long) else TOO_LARGE
        return _exact([size for size in sizes.values() if size])
    return next(((kind, None) for family, kind in _FAMILIES if given <= family), ("VARCHAR", MIXED))


def _kept_by_real(kind: str) -> str:
    """Return the SQL of whether a number is the shortest decimal of the float nearest to it."""
    return f"TRY_CAST(CAST(CAST({{0}} AS DOUBLE) AS VARCHAR) AS {kind}) = {{0}}"


def _size(kind: str) -> tuple[int, int] | None:
    """Return how many digits numbers of a type may have before and after the decimal mark; None for other types."""
    if decimal := _DECIMAL.fullmatch(kind):
        return int(decimal[1]) - int(decimal[2]), int(decimal[2])
    return (_DIGITS[kind], 0) if kind in _DIGITS else None


def _exact(sizes: list[tuple[int, int]]) -> tuple[str, str | None]:
    before, after = (max(size[part] for size in sizes) for part in (0, 1))
    if before + after > _MOST_DIGITS:
        return "VARCHAR", LONG
    if after:
        return f"DECIMAL({_MOST_DIGITS},{after})", None
    return "BIGINT" if before <= _DIGITS["BIGINT"] else "HUGEINT", None


def brought_to(value: str, kind: str, common: str) -> str:
    """Return the SQL of a value of one type in the common one; a narrow float by its shortest decimal."""
    return f"CAST({exposed(kind).value.format(value) if kind == 'FLOAT' else value} AS {common})"


_MOST_DECIMAL_DIGITS = 38
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")


@dataclass(frozen=True)
class _File:
    """A file under its path and its name, with its columns: their types, why some cannot be read, which are rounded."""

    path: Path
    shown: str
    types: Mapping[str, str]
    problems: Mapping[str, str]
    rounded: frozenset[str] = frozenset()


def load_parquet(connection: duckdb.DuckDBPyConnection, source: FileSource) -> LoadedTable:
    """Bind Parquet files without reading their rows."""
    folders = _folder_columns(source)
    files = _files(connection, source)
    names = list(files[0].types)
    in_both = sorted(set(names) & set(folders))
    hidden = [name for name in folders if name.casefold() in {other.casefold() for other in names}]
    if in_both or hidden:
        raise SourceError(
            f"Both the folders and the files of {source.label} give the column {listed(in_both or hidden)}. "
            "Rename one of them."
        )
    hive = ", ".join(f"{literal(name)}: {kind}" for name, kind in folders.items())
    options = f"hive_partitioning=true, hive_types={{{hive}}}" if folders else "hive_partitioning=false"
    relation, problems = _relation(connection, files, options, len(folders), source.label)
    if folders:
        names += _folder_names(connection, _scan(files, options), source.label, len(names))
    table = bind(connection, relation, names, source.label)
    with translated(source.label, connection=connection):
        ((rows,),) = connection.execute(
            f"SELECT sum(num_rows)::BIGINT FROM parquet_file_metadata({file_literals(_paths(files))})"  # noqa: S608 - literals
        ).fetchall()
    check_rows(rows, source.label)
    zones = _zones(connection, files) if any(column.zone for column in table.columns) else {}
    columns = tuple(
        replace(
            column,
            problem=problems.get(column.name, column.problem),
            zone=column.zone and zones.get(column.name, column.zone),
        )
        for column in table.columns
    )
    notes = table.notes + _rounded_notes(files)
    return replace(table, columns=columns, rows=rows, notes=notes, keeper=table.keeper or keep_view)


def _rounded_notes(files: Sequence[_File]) -> tuple[Note, ...]:
    names = [name for name in files[0].types if any(name in file.rounded for file in files)]
    if not names:
        return ()
    text = f"{listed(names)}: times of Parquet's old type INT96 are read to the microsecond."
    return (Note("times-rounded", text, column=names[0]),)


def _scan(files: Sequence[_File], options: str) -> str:
    return f"read_parquet({file_literals(_paths(files))}, union_by_name={str(len(files) > 1).lower()}, {options})"


def _paths(files: Sequence[_File]) -> list[Path]:
    return [file.path for file in files]


def _relation(
    connection: duckdb.DuckDBPyConnection, files: Sequence[_File], options: str, folders: int, label: str
) -> tuple[str, dict[str, str]]:
    """Return what stands after FROM for all files, and why some columns cannot be used.

    Files whose columns have the same types are scanned together; scans of different types are brought to common ones.
    """
    problems = {name: problem for file in files for name, problem in file.problems.items()}
    alike: dict[tuple[tuple[str, str], ...], list[_File]] = {}
    for file in files:
        alike.setdefault(tuple(file.types.items()), []).append(file)
    if len({tuple(sorted(types)) for types in alike}) == 1:
        return _scan(files, options), problems
    parts = [_Part(_scan(some, options), some[0].types, folders) for some in alike.values()]
    common: dict[str, str] = {}
    for name in files[0].types:
        kinds = {part.types[name] for part in parts}
        common[name], problem = type_for_all(kinds, partial(_keeps, connection, parts, name, label))
        if problem:
            problems.setdefault(name, problem)
    selected = " UNION ALL ".join(part.brought(common, problems) for part in parts)
    return f"({selected})", problems


@dataclass(frozen=True)
class _Part:
    """Files of the same types, scanned together."""

    scan: str
    types: Mapping[str, str]
    folders: int

    @property
    def named(self) -> str:
        """The scan with its columns under aliases, in the order of its own files."""
        return f"{self.scan} AS part({', '.join(f'c{at}' for at in range(len(self.types) + self.folders))})"

    def cell(self, name: str) -> str:
        """Return the alias of a column."""
        return f"c{list(self.types).index(name)}"

    def brought(self, common: Mapping[str, str], problems: Mapping[str, str]) -> str:
        """Return the query that brings the columns to common types; those that cannot be used are null."""
        cells = [
            f"CAST(NULL AS {kind})" if name in problems else brought_to(self.cell(name), self.types[name], kind)
            for name, kind in common.items()
        ]
        cells += [f"c{len(common) + at}" for at in range(self.folders)]
        return f"SELECT {', '.join(cells)} FROM {self.named}"  # noqa: S608 - our own names


def _keeps(
    connection: duckdb.DuckDBPyConnection, parts: Sequence[_Part], name: str, label: str, kind: str, condition: str
) -> bool:
    """Say whether the values of a column keep their digits in all parts where it has a type."""
    looks = " UNION ALL ".join(
        f"SELECT {condition.format(part.cell(name))} AS kept FROM {part.named}"  # noqa: S608 - our own names
        for part in parts
        if part.types[name] == kind
    )
    with translated(label, connection=connection):
        ((kept,),) = connection.execute(f"SELECT bool_and(kept) FROM ({looks})").fetchall()  # noqa: S608
    return kept is not False


def _folder_names(connection: duckdb.DuckDBPyConnection, relation: str, label: str, after: int) -> list[str]:
    """Return the columns of the folders in the order in which DuckDB puts them, after those of the files."""
    with translated(label, connection=connection):
        described = connection.execute(f"DESCRIBE FROM {relation}").fetchall()
    return [str(row[0]) for row in described[after:]]


def _files(connection: duckdb.DuckDBPyConnection, source: FileSource) -> list[_File]:
    """Return the files with their columns, whose names must be the same in every file."""
    folder = private_folder(connection)
    paths = {scannable(path, folder): source.name_of(path) for path in source.paths}
    if source.partitions and any(path.is_relative_to(folder) for path in paths):
        raise SourceError(f"A file of {source.label} has a name that cannot be read inside partitions. Rename it.")
    files = [_file(connection, path, shown) for path, shown in paths.items()]
    first = list(files[0].types)
    order_matters = len({name.casefold() for name in first}) < len(first)  # DuckDB matches names in any case
    for file in files:
        names = list(file.types)
        differing = sorted(set(names) ^ set(first))
        if differing or (order_matters and names != first):
            what = f"{listed(differing)} is in only one of" if differing else "their order differs in"
            said = "The files of {} do not have the same columns: {} {} and {}."
            raise SourceError(
                naming(said, source.label, what, files[0].shown, file.shown),
                code="columns-differ",
                hint=Hint("Give only the files of one table."),
            )
    return files


def _file(connection: duckdb.DuckDBPyConnection, path: Path, shown: str) -> _File:
    with translated(shown, connection=connection):
        schema = (
            "SELECT name, num_children, coalesce(duckdb_type, ''), coalesce(logical_type, ''), coalesce(precision, 0), "
            "type"
        )
        rows = connection.execute(f"{schema} FROM parquet_schema({file_literal(path)})").fetchall()
    columns = _top_level(rows)
    check_names([column[0] for column in columns], shown)
    problems = {name: unread("float16") for name, _, _, kind, *_ in columns if kind.startswith("Float16Type")}
    problems |= {name: unread("decimal256") for name, _, _, _, digits, _ in columns if digits > _MOST_DECIMAL_DIGITS}
    rounded = frozenset(column[0] for column in columns if column[-1] == "INT96")
    return _File(path, shown, {name: kind for name, _, kind, *_ in columns}, problems, rounded)


def _top_level(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the rows of the columns from a schema written depth first, leaving out what is inside them."""
    columns: list[tuple[Any, ...]] = []
    open_children = 0
    for row in rows[1:]:
        if open_children == 0:
            columns.append(row)
        else:
            open_children -= 1
        open_children += row[1] or 0
    return columns


def _zones(connection: duckdb.DuckDBPyConnection, files: Sequence[_File]) -> dict[str, dt.tzinfo]:
    """Return the time zones that Arrow noted in all files alike; Parquet itself knows only UTC."""
    found: list[dict[str, dt.tzinfo]] = []
    for file in files:
        noted = connection.execute(
            f"SELECT value FROM parquet_kv_metadata({file_literal(file.path)}) WHERE key::VARCHAR = 'ARROW:schema'"  # noqa: S608
        ).fetchall()
        found.append(noted_zones(noted[0][0]) if noted else {})
    return {name: zone for name, zone in found[0].items() if all(each.get(name) == zone for each in found)}


def _folder_columns(source: FileSource) -> dict[str, str]:
    """Return the columns that folders such as ``year=2020`` add; codes with leading zeros stay text."""
    names = list(source.partitions[0]) if source.partitions else []
    values = {name: [partition[name] for partition in source.partitions] for name in names}
    return {
        name: "BIGINT" if all(value is None or _WHOLE.fullmatch(value) for value in given) else "VARCHAR"
        for name, given in values.items()
    }
