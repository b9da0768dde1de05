"""Rows of a query as a pandas frame that keeps every digit: where floats would not, exact numbers of Python."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import duckdb

_LONG = re.compile(r"U?HUGEINT|DECIMAL\(.*")
"""Types of which DuckDB itself makes floats."""
_INT64 = range(-(2**63), 2**63)


def exact_frame(connection: duckdb.DuckDBPyConnection, query: str) -> Any:
    """Return the rows of a query as a frame."""
    relation = connection.sql(query)
    types = [str(kind) for kind in relation.types]
    texts = {at for at, kind in enumerate(types) if _LONG.fullmatch(kind)}
    values = [f"CAST(#{at + 1} AS VARCHAR)" if at in texts else f"#{at + 1}" for at in range(len(types))]
    listing = ", ".join(f"{value} AS v{at}" for at, value in enumerate(values))
    frame = connection.execute(f"SELECT {listing} FROM ({query})").fetchdf()  # noqa: S608 - our own query
    for at in texts:
        frame[f"v{at}"] = _numbers(frame[f"v{at}"], whole="DECIMAL" not in types[at])
    frame.columns = relation.columns
    return frame


def _numbers(texts: Any, *, whole: bool) -> Any:
    """Return texts in a type of NumPy that has all their digits, else as objects of Python."""
    found = {text: int(text) if whole else Decimal(text) for text in texts.dropna().unique()}
    numbers = texts.map(found, na_action="ignore")
    if whole and not texts.hasnans and all(number in _INT64 for number in found.values()):
        return numbers.astype("int64")
    if all(Decimal(repr(float(number))) == number for number in found.values()):
        return numbers.astype("float64")
    return numbers.astype(object).where(texts.notna(), None)
