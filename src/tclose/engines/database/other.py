"""How the columns of any other database with an ADBC driver are grouped: as they are, by the types that arrive."""

from __future__ import annotations

import re

from tclose.engines.database.connection import Connection
from tclose.engines.database.sql import identifier
from tclose.engines.database.table import NESTED, DatabaseColumn

_TYPES = {
    "b": "BOOLEAN", "c": "TINYINT", "s": "SMALLINT", "i": "INTEGER", "l": "BIGINT", "C": "UTINYINT", "S": "USMALLINT",
    "I": "UINTEGER", "L": "UBIGINT", "f": "FLOAT", "g": "DOUBLE", "u": "VARCHAR", "U": "VARCHAR", "vu": "VARCHAR",
    "tdD": "DATE", "n": "VARCHAR",
}  # fmt: skip
_PATTERNS = ((r"tt[smun]", "TIME"), (r"ts[smun]:", "TIMESTAMP"), (r"ts[smun]:.+", "TIMESTAMP WITH TIME ZONE"))


def columns_of(connection: Connection, relation: str) -> tuple[DatabaseColumn, ...]:
    """Return the columns of a table or query."""
    schema = connection.schema(f"SELECT * FROM {relation} LIMIT 0")  # noqa: S608 - quoted, or the person's own query
    found = []
    for child in schema.children:
        kind = "VARCHAR" if child.dictionary is not None else duckdb_type(child.format)
        sent = (identifier(child.name, connection.driver),)
        found.append(DatabaseColumn(child.name, sent, kind or "VARCHAR", problem=None if kind else NESTED))
    return tuple(found)


def duckdb_type(form: str) -> str | None:
    """Return the type that values of an Arrow format take here; None where they cannot be used.

    Examples
    --------
    >>> duckdb_type("l"), duckdb_type("d:12,2"), duckdb_type("tsu:UTC"), duckdb_type("+s")
    ('BIGINT', 'DECIMAL(12,2)', 'TIMESTAMP WITH TIME ZONE', None)
    """
    if form in _TYPES:
        return _TYPES[form]
    if digits := re.fullmatch(r"d:(\d+),(\d+)(?:,128)?", form):
        return f"DECIMAL({digits[1]},{digits[2]})"
    return next((kind for pattern, kind in _PATTERNS if re.fullmatch(pattern, form)), None)
