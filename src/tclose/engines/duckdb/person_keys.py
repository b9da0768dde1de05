"""Whose a row is, in SQL: a whole number, 0 for nobody's and never the same for two people; or a text."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tclose.engines.duckdb.codes import SALTS, WORD, hash_of, offset_coding, smallest_type
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.table import LoadedTable
from tclose.errors import InternalError

_NARROWEST = 1 << 32
"""Keys below this have 32 bits, others 64."""
_FAR = 1 << 64
_BYTES_A_TEXT = 20
"""Where a text begins, how long it is, before and after it is dealt, and what fills its last word."""
_SOME = 10_000
"""So many rows tell how long texts are, about."""


@dataclass(frozen=True)
class PersonKey:
    """The key of a row's person: its SQL, and one more than the largest.

    A text is no key itself, but what keys are made of; ``more_bytes`` is what a row then takes beside its key, about.
    """

    expression: str
    span: int
    text: bool = False
    more_bytes: int = 0


def person_text(table: LoadedTable, person: str) -> PersonKey | None:
    """Return the text of a row's person; None where something else tells people apart."""
    column = table.column(person)
    if column.type not in ("VARCHAR", "UUID"):
        return None
    text = f"CAST({column.alias} AS VARCHAR)"
    some = f"SELECT coalesce(avg(strlen({text})), 0) FROM (SELECT {column.alias} FROM {table.name} LIMIT {_SOME})"  # noqa: S608 - aliases
    with translated(table.label, connection=table.connection):
        ((length,),) = table.connection.execute(some).fetchall()
    return PersonKey(text, _FAR, text=True, more_bytes=_BYTES_A_TEXT + 2 * math.ceil(length))


def person_key(table: LoadedTable, person: str) -> PersonKey:
    """Return the key of a row's person.

    A whole number is its offset from the smallest. Other values are hashed; the hash is checked against the values of
    the table, so that it is exact.
    """
    coding = offset_coding(table, person, below=WORD)
    if coding is None:
        return PersonKey(_hashed(table, person), _FAR)
    offset = coding.offset(table.column(person).alias)
    return PersonKey(f"CAST({offset} AS {smallest_type(max(coding.span, _NARROWEST))})", coding.span)


def _hashed(table: LoadedTable, person: str) -> str:
    column = table.column(person)
    for salt in SALTS:
        told_apart = (
            f"SELECT count(*), count(DISTINCT nullif({hash_of([column], ['v'], salt)}, 0)) FROM "  # noqa: S608 - our own names
            f"(SELECT DISTINCT {table.telling(person)} AS v FROM {table.name} WHERE {column.alias} IS NOT NULL)"
        )
        with translated(table.label, connection=table.connection):
            ((values, hashes),) = table.connection.execute(told_apart).fetchall()
            if values == hashes:
                hashed = hash_of([column], [column.alias], salt)
                return f"CASE WHEN {column.alias} IS NULL THEN CAST(0 AS UBIGINT) ELSE {hashed} END"
    raise InternalError("No hash separates the people of a table.")
