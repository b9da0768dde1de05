"""How the columns of a PostgreSQL table are grouped there and what their values are here."""

from __future__ import annotations

from typing import Any

from tclose.engines.database.connection import Connection
from tclose.engines.database.sql import identifier
from tclose.engines.database.table import NESTED, DatabaseColumn

_AS_THEY_ARE = {
    "bool": "BOOLEAN",
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "date": "DATE",
    "time": "TIME",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
}
_AS_TEXT = frozenset(
    ("text", "varchar", "bpchar", "name", "char", "citext", "uuid", "inet", "cidr", "macaddr", "macaddr8", "bit",
     "varbit", "money", "interval", "timetz", "unknown", "xid", "tid", "pg_lsn")
)  # fmt: skip
_NUMERIC = "CASE WHEN lower({0}) = 'nan' THEN NULL ELSE {0} END"


def columns_of(connection: Connection, relation: str) -> tuple[DatabaseColumn, ...]:
    """Return the columns of a table or query."""
    schema = connection.schema(f"SELECT * FROM {relation} LIMIT 0")  # noqa: S608 - quoted, or the person's own query
    kinds = [_metadata(child, "POSTGRESQL:type") for child in schema.children]
    strange = any(kind not in _AS_THEY_ARE and kind not in _AS_TEXT and kind != "numeric" for kind in kinds)
    orders = _enums(connection) if strange else {}
    return tuple(
        _column(child.name, kind, orders.get(kind)) for child, kind in zip(schema.children, kinds, strict=True)
    )


def _metadata(child: Any, key: str) -> str:
    metadata = dict(child.metadata.items()) if child.metadata else {}
    return bytes(metadata.get(key.encode(), b"")).decode()


def _column(name: str, kind: str, order: tuple[str, ...] | None) -> DatabaseColumn:
    written = identifier(name, "postgresql")
    if kind in _AS_THEY_ARE:
        return DatabaseColumn(name, (written,), _AS_THEY_ARE[kind])
    if kind == "numeric":
        return DatabaseColumn(name, (written,), "DECIMAL", _NUMERIC)
    if kind == "oid":
        return DatabaseColumn(name, (f"CAST({written} AS bigint)",), "BIGINT")
    text = f'CAST({written} AS text) COLLATE "C"'  # by bytes: some collations take different texts for the same
    if kind in _AS_TEXT:
        return DatabaseColumn(name, (text,), "VARCHAR")
    if order is not None:
        return DatabaseColumn(name, (text,), "VARCHAR", categories=order or None)
    return DatabaseColumn(name, (written,), "VARCHAR", problem=NESTED)


def _enums(connection: Connection) -> dict[str, tuple[str, ...]]:
    """Return the labels of every enum in their order; none where two enums of a name have different ones."""
    found: dict[str, dict[str, list[str]]] = {}
    for name, number, label in connection.rows(
        "SELECT CAST(t.typname AS text) AS name, CAST(CAST(t.oid AS bigint) AS text) AS number, "
        "CAST(e.enumlabel AS text) AS label FROM pg_catalog.pg_type AS t "
        "JOIN pg_catalog.pg_enum AS e ON e.enumtypid = t.oid ORDER BY t.oid, e.enumsortorder"
    ):
        found.setdefault(name, {}).setdefault(number, []).append(label)
    orders = {name: [tuple(labels) for labels in by_type.values()] for name, by_type in found.items()}
    return {name: every[0] if len(every) == 1 else () for name, every in orders.items()}
