"""PostgreSQL: one snapshot for all queries, text by its bytes, and types that are known before a row is read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tclose.data.sources import DatabaseTable
from tclose.engines.database.dialect import Dialect, counted_in, literal
from tclose.engines.database.table import DatabaseColumn
from tclose.engines.rounding import LARGEST_FLOAT, WHOLE, WIDER, is_idle, nearest, plain
from tclose.errors import SourceError

if TYPE_CHECKING:
    from tclose.engines.database.connection import Connection

_NARROW_DIGITS = 9
"""So many digits tell every float of 32 bits from every other."""
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


def _shortest() -> str:
    """Return the SQL of a float of 32 bits as the one of 64 bits with the same shortest decimal.

    PostgreSQL's text is that decimal but where it lies just between two floats (3e10): read, it is the float with an
    even fraction, but PostgreSQL then writes more digits. Such a float is small enough to have few binary places.
    """
    text, wide = "CAST({0} AS text)", "CAST({0} AS double precision)"
    shorter = [f"to_char({wide}, '9.{'9' * digits}EEEE')" for digits in range(_NARROW_DIGITS)]
    whens = " ".join(f"WHEN CAST({each} AS real) = {{0}} THEN CAST({each} AS double precision)" for each in shorter)
    between = f"abs({wide}) < 1e20 AND {wide} * 8192 = floor({wide} * 8192) AND length({text}) >= {_NARROW_DIGITS - 1}"
    plain = f"CAST({text} AS double precision)"
    return f"CASE WHEN {between} THEN CASE {whens} ELSE {plain} END ELSE {plain} END"


class PostgreSQL(Dialect):
    """What PostgreSQL has of its own."""

    by_bytes = True
    nests = True
    swaps = True
    name_bytes = 63
    own_schemas = ("pg_", "information_schema")
    times_out = True
    shortest = _shortest()
    then_write = ("ROLLBACK TO SAVEPOINT tclose_reading",)

    def begin(self, source: DatabaseTable, *, writable: bool) -> Sequence[str]:
        """Return what a transaction begins with: one snapshot, a time-out, and nothing written before its time."""
        begun = [f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ {'WRITE' if writable else 'ONLY'}"]
        if source.timeout is not None:
            begun.append(f"SET LOCAL statement_timeout = {max(1, round(source.timeout * 1000))}")
        return [*begun, "SAVEPOINT tclose_reading", "SET TRANSACTION READ ONLY"] if writable else begun

    def tables(self, most: int) -> str:
        """Return the query of all tables and views that this user may read, each with its schema."""
        return (
            "SELECT n.nspname::text AS of, c.relname::text AS name FROM pg_catalog.pg_class AS c "  # noqa: S608 - ours
            "JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') "
            "AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND NOT c.relispartition "
            "AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') "
            f"ORDER BY 1, 2 LIMIT {most:d}"
        )

    def columns(self, connection: Connection, relation: str) -> tuple[DatabaseColumn, ...]:
        """Return the columns of a table or query."""
        schema = connection.schema(f"SELECT * FROM {relation} LIMIT 0")  # noqa: S608 - quoted, or the person's own
        kinds = [_metadata(child, "POSTGRESQL:type") for child in schema.children]
        strange = any(kind not in _AS_THEY_ARE and kind not in _AS_TEXT and kind != "numeric" for kind in kinds)
        orders = _enums(connection) if strange else {}
        return tuple(
            self._typed(child.name, kind, orders.get(kind)) for child, kind in zip(schema.children, kinds, strict=True)
        )

    def _typed(self, name: str, kind: str, order: tuple[str, ...] | None) -> DatabaseColumn:
        written = self.identifier(name)
        if kind in _AS_THEY_ARE:
            return self.column(name, _AS_THEY_ARE[kind])
        if kind == "numeric":
            return self.column(name, "DECIMAL", value=_NUMERIC)
        if kind == "oid":
            return self.column(name, "BIGINT", f"CAST({written} AS bigint)")
        text = f'CAST({written} AS text) COLLATE "C"'  # by bytes: some collations take different texts for the same
        known = kind in _AS_TEXT or order is not None
        return (
            replace(self.column(name, "VARCHAR", text), categories=order or None) if known else self.column(name, None)
        )

    def cell(self, column: DatabaseColumn) -> str:
        """Return the SQL of a cell: equal for equal values, null where it is missing."""
        if column.type in ("DOUBLE", "DECIMAL"):
            return f"NULLIF({column.sent[0]}, 'NaN')"
        if column.type == "TIMESTAMP WITH TIME ZONE":
            return f"({column.sent[0]} AT TIME ZONE 'UTC')"
        return column.sent[0]

    def rounded(self, column: DatabaseColumn, step: Fraction) -> str:
        """Return the SQL of the numbers of a column rounded exactly, null where one has no place."""
        cell = self.cell(column)
        number = f"CAST(CAST({cell} AS text) AS numeric)"
        exact, kind = nearest(number, f"CAST('{plain(step)}' AS numeric)"), "numeric"
        if column.type in WHOLE and (step.denominator == 1 or is_idle(column.type, step)):
            kind = WIDER.get(column.type, column.type)
            exact = f"CASE WHEN abs({exact}) < {2 ** WHOLE[kind]} THEN {exact} END"
        elif column.type == "DOUBLE":
            kind = "double precision"
        if column.type not in WHOLE:
            exact = f"CASE WHEN abs({cell}) < {LARGEST_FLOAT} THEN {exact} END"
        return f"CASE WHEN {cell} IS NOT NULL THEN CAST({exact} AS {kind}) END"

    def indexed(self, name: str, keys: Sequence[str]) -> Sequence[str]:
        """Return what makes rows of an uploaded table quick to find."""
        del keys
        return (f"ANALYZE {self.identifier(name)}",)

    def by_content(self, row: str, cells: Sequence[str], seed: int) -> str:
        """Return an order of rows that follows from their content alone, whatever types they have."""
        del cells
        return f"md5(CAST({row} AS text) || ':{int(seed)}')"

    def is_there(self, connection: Connection, target: DatabaseTable) -> bool:
        """Say whether there is a table already; refuse a schema that is not there."""
        for schema in target.parts[:-1][-1:]:
            named = literal(self.identifier(schema))
            if not counted_in(connection, f"SELECT count(to_regnamespace({named})) AS n"):
                raise SourceError(f"{target.server} has no schema for the table {target.table}. Make the schema first.")
        return counted_in(connection, f"SELECT count(to_regclass({literal(self.relation(target))})) AS n")


def _metadata(child: Any, key: str) -> str:
    metadata = dict(child.metadata.items()) if child.metadata else {}
    return bytes(metadata.get(key.encode(), b"")).decode()


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


DIALECT = PostgreSQL("postgresql")
