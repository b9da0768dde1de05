"""SQLite: a file, opened read-only, in which any cell may be of any type, so that cells are looked at first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tclose.data.sources import DatabaseTable
from tclose.engines.database.dialect import Dialect, counted_in, literal
from tclose.engines.database.dialect import address as plain_address
from tclose.engines.database.table import NESTED, DatabaseColumn, Settler
from tclose.engines.duckdb.errors import MIXED, TOO_LARGE
from tclose.engines.rounding import is_idle, nearest
from tclose.errors import SourceError

if TYPE_CHECKING:
    from tclose.engines.database.connection import Connection

_COLUMNS_A_SCAN = 200
_EXACT_IN_REAL = 2**53
_FAR_FROM_LARGEST = 2**62
_PRESENT = "CASE WHEN {1} = 0 THEN {0} END"
"""The driver takes a column's type from the cells it sees first, so what is missing crosses as a mark of its own."""
_INSTEAD = {"VARCHAR": "''", "DATE": "'2000-01-01'"}
_PLAIN_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9_ ]*(\([0-9, ]+\))?")


class SQLite(Dialect):
    """What SQLite has of its own."""

    by_bytes = True
    listing = "group_concat({0}, ',' ORDER BY {0})"
    swaps = True
    ignores_case = True
    own_tables = ("sqlite_",)
    options = {"adbc.sqlite.query.batch_rows": "65536"}  # noqa: RUF012 - nobody changes it
    schema_option = "adbc.ingest.target_catalog"
    then_write = ("PRAGMA query_only = OFF",)
    causes = (((), ("file is not a database", "malformed"), "{server} is not a whole SQLite database."),)

    def database(self, source: DatabaseTable, *, writable: bool) -> Any:
        """Return the database of a file; a new one only where it may be written."""
        path = self.file(source)
        if path is None:
            return self.module().connect(plain_address(source))
        if not path.is_file() and not (writable and path.parent.is_dir()):
            raise SourceError(f"There is no SQLite database {str(path)!r}. Check the path.")
        escaped = str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        return self.module().connect(f"file:{escaped}?mode={'rwc' if writable else 'ro'}")

    def begin(self, source: DatabaseTable, *, writable: bool) -> Sequence[str]:
        """Return what keeps a transaction that will write from writing before its time."""
        del source
        return ("PRAGMA query_only = ON",) if writable else ()

    def file(self, source: DatabaseTable) -> Path | None:
        """Return the file of an address: ``sqlite:PATH``, or ``sqlite:///PATH`` as other tools write it.

        Examples
        --------
        >>> [DIALECT.file(DatabaseTable(f"sqlite:{path}#t")).as_posix() for path in ("data/a.db", "////data/a.db")]
        ['data/a.db', '/data/a.db']
        """
        scheme, _, path = source.uri.partition(":")
        if scheme.lower() != "sqlite":
            return None
        if not path.startswith("///"):
            return Path(path)
        absolute, relative = Path("/" + path.lstrip("/")), Path(path[3:])  # two slashes would be the name of a host
        return absolute if absolute.exists() else relative

    def tables(self, most: int) -> str:
        """Return the query of all tables and views; a file has no schemas of its own."""
        own = r"name NOT LIKE 'sqlite\_%' ESCAPE '\'"
        return (
            f"SELECT '' AS of, name FROM sqlite_master WHERE type IN ('table', 'view') AND {own} "  # noqa: S608 - ours
            f"ORDER BY name LIMIT {most:d}"
        )

    def columns(self, connection: Connection, relation: str) -> tuple[DatabaseColumn, ...]:
        """Return the columns of a table or query; their types are found when they are needed."""
        schema = connection.schema(f"SELECT * FROM {relation} LIMIT 0")  # noqa: S608 - quoted, or the person's own
        return tuple(DatabaseColumn(child.name, self.identifier(child.name), "VARCHAR") for child in schema.children)

    def settler(self, connection: Connection, source: DatabaseTable, relation: str) -> Settler:
        """Return what finds the types that the cells of columns have."""
        return partial(_settled, connection, source, relation)

    def cell(self, column: DatabaseColumn) -> str:
        """Return the SQL of a cell: equal for equal values, null where it is missing."""
        if len(column.sent) > 1:
            return f"CASE WHEN NOT ({column.sent[1]}) THEN {column.sent[0]} END"
        return column.sent[0]

    def rounded(self, column: DatabaseColumn, step: Fraction) -> str | None:
        """Return the SQL of the numbers of a column rounded exactly; None for decimals, of which SQLite has none."""
        name = column.alias
        if is_idle(column.type, step):
            return name
        if step.denominator != 1:
            return None
        if column.type != "DOUBLE":
            exact = nearest(name, str(step.numerator))
            return f"CASE WHEN {name} BETWEEN {-_FAR_FROM_LARGEST} AND {_FAR_FROM_LARGEST} THEN {exact} END"
        number, times = f"CAST({name} AS REAL)", f"CAST(CAST({name} AS REAL) / {step} AS INTEGER) * {step}"
        up = f"CASE WHEN abs({number} - {times}) * 2 < {step} THEN 0 WHEN {name} < 0 THEN -{step} ELSE {step} END"
        return f"CASE WHEN abs({name}) < {_EXACT_IN_REAL} THEN CAST({times} + {up} AS REAL) END"

    def instead(self, kind: str) -> str:
        """Return what stands for a missing value, beside a mark that says so."""
        return _INSTEAD.get(kind, "0")

    def indexed(self, name: str, keys: Sequence[str]) -> Sequence[str]:
        """Return what makes rows of an uploaded table quick to find."""
        indexes = {"keys": ", ".join(keys), "first": "first"}
        return [
            f"CREATE INDEX temp.{self.identifier(f'{name}_{mark}')} ON {self.identifier(name)} ({columns})"
            for mark, columns in indexes.items()
        ]

    def making(
        self, connection: Connection, place: str, query: str, original: DatabaseTable, columns: Mapping[str, bool]
    ) -> Sequence[str]:
        """Return what makes a table of a query, those columns that show the original's cells declared as there."""
        declared = _declared_types(connection, original)
        found = []
        for name, own in columns.items():
            kind = declared.get(name, "") if own else "TEXT"
            found.append(f"{self.identifier(name)} {kind if _PLAIN_TYPE.fullmatch(kind) else ''}")
        return f"CREATE TABLE {place} ({', '.join(found)})", f"INSERT INTO {place} {query}"

    def is_there(self, connection: Connection, target: DatabaseTable) -> bool:
        """Say whether there is a table already."""
        return counted_in(connection, f"SELECT count(*) AS n FROM {_table_info(target)}")  # noqa: S608 - quoted


def _table_info(source: DatabaseTable) -> str:
    *schema, table = source.parts
    place = f", {literal(schema[0])}" if schema else ""
    return f"pragma_table_info({literal(table)}{place})"


def _declared_types(connection: Connection, source: DatabaseTable) -> Mapping[str, str]:
    """Return the declared type of each column of a table."""
    if source.table is None:
        return {}
    rows = connection.rows(f"SELECT name, upper(type) AS kind FROM {_table_info(source)}")  # noqa: S608 - quoted
    return {str(name): str(kind) for name, kind in rows}


def _settled(
    connection: Connection, source: DatabaseTable, relation: str, columns: Sequence[DatabaseColumn]
) -> tuple[DatabaseColumn, ...]:
    """Return columns with the types that their cells have."""
    declared = _declared_types(connection, source)
    found: list[DatabaseColumn] = []
    for start in range(0, len(columns), _COLUMNS_A_SCAN):
        some = columns[start : start + _COLUMNS_A_SCAN]
        looks = ", ".join(look for column in some for look in _looks(column.alias))
        (seen,) = connection.rows(f"SELECT {looks} FROM {relation}")  # noqa: S608 - quoted
        found += [
            _typed(column, seen[6 * at : 6 * at + 6], declared.get(column.name, "")) for at, column in enumerate(some)
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
    return DIALECT.identifier(f"{at} {name}")


def _typed(column: DatabaseColumn, seen: Sequence[int], declared: str) -> DatabaseColumn:
    whole, real, text, blob, large, fits = (bool(look) for look in seen)
    name = column.alias
    if blob or (text and (whole or real)) or (real and large):
        problem = NESTED if blob else MIXED if text else TOO_LARGE
        return replace(column, sent=(name,), problem=problem)
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
    name = column.alias
    return replace(column, sent=(f"coalesce({sent}, {instead})", f"{name} IS NULL"), type=kind, value=value)


DIALECT = SQLite("sqlite")
