"""How names and texts are written into SQL, in one place."""

from __future__ import annotations

import glob
import itertools
from collections.abc import Iterable
from pathlib import Path

_numbers = itertools.count(1)
_AT_ONCE = 2048
"""A row is repeated so many times at once, so that a row in millions needs no long list."""


def quoted(identifier: str) -> str:
    """Return a name as an SQL identifier.

    Examples
    --------
    >>> print(quoted("zip code"), quoted('the "zip"s'))
    "zip code" "the ""zip""s"
    """
    return '"' + identifier.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as an SQL string literal.

    Examples
    --------
    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def literals(texts: Iterable[str]) -> str:
    """Return texts as an SQL list of string literals."""
    return "[" + ", ".join(literal(text) for text in texts) + "]"


def file_literal(path: Path | str) -> str:
    """Return a path as an SQL literal that names just this file: signs that DuckDB would match others by are escaped.

    Examples
    --------
    >>> file_literal("p[1].csv")
    "'p[[]1].csv'"
    """
    return literal(glob.escape(str(path)))


def file_literals(paths: Iterable[Path | str]) -> str:
    """Return paths as an SQL list of such literals."""
    return "[" + ", ".join(map(file_literal, paths)) + "]"


def fresh_name(stem: str) -> str:
    """Return a table name that no other table of this process has."""
    return f"tclose_{stem}_{next(_numbers)}"


def seeded_hash(columns: str, seed: int) -> str:
    """Return the SQL of a hash of columns, quite another for another seed: the engine itself mixes too little."""
    return f"hash(CAST(hash({columns}) AS VARCHAR) || ':{int(seed)}')"


def repeated(source: str, number: str) -> str:
    """Return the query for the rows of a table, each as often as one of its columns says.

    Examples
    --------
    >>> import duckdb
    >>> duckdb.execute(f"SELECT a FROM ({repeated('(VALUES (1, 2), (3, 1)) AS t(a, n)', 'n')}) ORDER BY a").fetchall()
    [(1,), (1,), (3,)]
    """
    begun = f"SELECT *, unnest(range(0, {number}, {_AT_ONCE})) AS begun FROM {source}"  # noqa: S608 - our own names
    return f"SELECT *, unnest(range(least({_AT_ONCE}, {number} - begun))) FROM ({begun})"  # noqa: S608
