"""How the columns of a SQLite table are grouped there: any cell may be of any type, so they are looked at first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tclose.engines.database.connection import Connection
from tclose.engines.database.sql import identifier, literal
from tclose.engines.database.table import NESTED, DatabaseColumn
from tclose.engines.duckdb.values import MIXED
from tclose.sources import DatabaseTable

_COLUMNS_A_SCAN = 200
_EXACT_IN_REAL = 2**53
_PRESENT = "CASE WHEN {1} = 0 THEN {0} END"
"""The driver takes a column's type from the cells it sees first, so what is missing crosses as a mark of its own."""


def columns_of(connection: Connection, relation: str) -> tuple[DatabaseColumn, ...]:
    """Return the columns of a table or query; their types are found when they are needed."""
    schema = connection.schema(f"SELECT * FROM {relation} LIMIT 0")  # noqa: S608 - quoted, or the person's own query
    return tuple(DatabaseColumn(child.name, (), "VARCHAR") for child in schema.children)


def settled(
    connection: Connection, source: DatabaseTable, relation: str, columns: Sequence[DatabaseColumn]
) -> tuple[DatabaseColumn, ...]:
    """Return columns with the types that their cells have."""
    declared = declared_types(connection, source)
    found: list[DatabaseColumn] = []
    for start in range(0, len(columns), _COLUMNS_A_SCAN):
        some = columns[start : start + _COLUMNS_A_SCAN]
        looks = ", ".join(look for column in some for look in _looks(identifier(column.name, "sqlite")))
        (seen,) = connection.rows(f"SELECT {looks} FROM {relation}")  # noqa: S608 - quoted
        found += [
            _settled(column, seen[6 * at : 6 * at + 6], declared.get(column.name, "")) for at, column in enumerate(some)
        ]
    return tuple(found)


def _looks(name: str) -> list[str]:
    """Return what is asked of a column: which types its cells have, and whether they fit narrower ones."""
    kinds = [f"coalesce(max(typeof({name}) = '{kind}'), 0)" for kind in ("integer", "real", "text", "blob")]
    bounds = f"{-_EXACT_IN_REAL} AND {_EXACT_IN_REAL}"
    large = f"coalesce(max(typeof({name}) = 'integer' AND {name} NOT BETWEEN {bounds}), 0)"
    fits = f"coalesce(min({name} IS NULL OR {name} IS date({name}) OR {name} IS 0 OR {name} IS 1), 1)"
    return [f"{look} AS {_fresh(at, name)}" for at, look in enumerate([*kinds, large, fits])]


def _fresh(at: int, name: str) -> str:
    """Return a name of its own for each answer, since answers are told apart by name."""
    return identifier(f"{at} {name}", "sqlite")


def _settled(column: DatabaseColumn, seen: Sequence[int], declared: str) -> DatabaseColumn:
    whole, real, text, blob, large, fits = (bool(look) for look in seen)
    name = identifier(column.name, "sqlite")
    if blob or (text and (whole or real)) or (real and large):
        return replace(column, sent=(name,), problem=NESTED if blob else MIXED)
    if real:
        return _carried(column, f"CAST({name} AS REAL)", "0.0", "DOUBLE")
    if whole:
        if declared.startswith("BOOL") and fits:
            return _carried(column, name, "0", "BOOLEAN", "CASE WHEN {1} = 0 THEN {0} = 1 END")
        return _carried(column, name, "0", "BIGINT")
    if text and declared == "DATE" and fits:
        return _carried(column, name, "''", "DATE", "CASE WHEN {1} = 0 THEN CAST({0} AS DATE) END")
    return _carried(column, f"CAST({name} AS TEXT)", "''", "VARCHAR")


def _carried(column: DatabaseColumn, sent: str, instead: str, kind: str, value: str = _PRESENT) -> DatabaseColumn:
    name = identifier(column.name, "sqlite")
    return replace(column, sent=(f"coalesce({sent}, {instead})", f"{name} IS NULL"), type=kind, value=value)


def declared_types(connection: Connection, source: DatabaseTable) -> Mapping[str, str]:
    """Return the declared type of each column of a table."""
    if source.table is None:
        return {}
    *schema, table = source.parts
    place = f", {literal(schema[0])}" if schema else ""
    rows = connection.rows(f"SELECT name, upper(type) AS kind FROM pragma_table_info({literal(table)}{place})")  # noqa: S608
    return {str(name): str(kind) for name, kind in rows}
