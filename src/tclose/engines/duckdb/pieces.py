"""The pieces of a recoding as a table of DuckDB: key values in the types of their columns, and what is published."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.engines.duckdb.codes import WHOLE
from tclose.engines.duckdb.distinct import lexicographic
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable
from tclose.engines.duckdb.values import load_values
from tclose.engines.interface import Recoding
from tclose.errors import InputError, InternalError

_WIDE_WHOLE = frozenset({"UBIGINT", "HUGEINT", "UHUGEINT"})
_DAY = re.compile(r"-?[0-9]{4,}-[0-9]{1,2}-[0-9]{1,2}( \(BC\))?")
_LABELS = "the labels of the recoding"


def pieces_table(table: LoadedTable, recoding: Recoding) -> str:
    """Make a table of the pieces and return its name.

    Its columns are ``piece``, the piece's number; ``kept``, whether it is published; ``n``, its rows if they
    are given; ``first``, the first piece of the same key values; ``parts``, how many there are; ``low``, how
    many rows the earlier ones take; ``k0``, ``k1`` …, the key values; ``q0``, ``q1`` …, what is published.
    """
    _check_shapes(recoding)
    keys, quasi = range(len(recoding.keys)), range(len(recoding.quasi))
    values = [_values(table, recoding, at) for at in keys]
    labels = [_labels(table, recoding, at) for at in quasi]
    name, given = fresh_name("pieces"), fresh_name("given")
    joins = [f"JOIN {values[at]} AS v{at} ON v{at}.code = g.k{at}" for at in keys]
    joins += [f"LEFT JOIN {labels[at]} AS l{at} ON l{at}.code = g.q{at}" for at in quasi]
    shown = [f", v{at}.value AS k{at}" for at in keys] + [f", l{at}.value AS q{at}" for at in quasi]
    connection = table.connection
    with translated("the recoding", connection=connection):
        connection.register(given, _given(recoding))
        connection.execute(
            f"CREATE TEMP TABLE {name} AS "  # noqa: S608 - our own names
            f"SELECT g.piece, g.kept, g.n, g.first, g.parts, g.low{''.join(shown)} FROM {given} AS g {' '.join(joins)}"
        )
        connection.unregister(given)
        for used in {*values, *labels}:
            connection.execute(f"DROP TABLE {used}")
    return name


def _check_shapes(recoding: Recoding) -> None:
    pieces, classes = len(recoding.classes), len(recoding.cells)
    counts = recoding.counts
    whole = (
        recoding.codes.shape == (pieces, len(recoding.keys))
        and recoding.cells.shape == (classes, len(recoding.quasi))
        and len(recoding.labels) == len(recoding.native) == len(recoding.quasi)
        and len(recoding.values) == len(recoding.keys)
        and set(recoding.quasi) <= set(recoding.keys)
        and (counts is None or (len(counts) == pieces and not (counts < 0).any()))
        and (pieces == 0 or (int(recoding.classes.max()) < classes and int(recoding.classes.min()) >= -1))
    )
    if not whole:
        raise InternalError("The parts of a recoding do not fit together.")


def _given(recoding: Recoding) -> dict[str, NDArray[Any]]:
    """Return the numbers of the pieces as columns."""
    pieces = len(recoding.classes)
    kept = recoding.classes >= 0
    counts = np.zeros(pieces, dtype=np.int64) if recoding.counts is None else recoding.counts.astype(np.int64)
    columns = {"piece": np.arange(pieces, dtype=np.int64), "kept": kept, "n": counts}
    columns["first"], columns["parts"], columns["low"] = _shared(recoding, counts)
    for at in range(len(recoding.keys)):
        columns[f"k{at}"] = np.ascontiguousarray(recoding.codes[:, at])
    published = recoding.classes[kept]
    for at in range(len(recoding.quasi)):
        cells = np.full(pieces, -1, dtype=np.int32)
        cells[kept] = recoding.cells[published, at]
        columns[f"q{at}"] = cells
    return columns


def _shared(recoding: Recoding, counts: Integers) -> tuple[Integers, Integers, Integers]:
    """Return, for each piece, the first of the same key values, how many there are, and the rows before it."""
    order = lexicographic(recoding.codes, [len(values) for values in recoding.values])
    sorted_codes = recoding.codes[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (sorted_codes[1:] != sorted_codes[:-1]).any(axis=1)
    starts = np.flatnonzero(begins)
    group = np.cumsum(begins) - 1
    before = np.cumsum(counts[order]) - counts[order]
    first, parts, low = (np.empty(len(order), dtype=np.int64) for _ in range(3))
    first[order] = order[starts][group]
    parts[order] = np.diff(np.append(starts, len(order)))[group]
    low[order] = before - before[starts][group]
    return first, parts, low


def _values(table: LoadedTable, recoding: Recoding, at: int) -> str:
    """Make a table of the values of a key, in the type of its column; a text that is no such value is left out."""
    column = table.column(recoding.keys[at])
    read = {code: value for code, value in enumerate(recoding.values[at]) if _reads_exactly(value, column.type)}
    name = _typed(table, [_text(value) for value in read.values()], list(read), column)
    with translated("the recoding", connection=table.connection):
        ((twice,),) = table.connection.execute(
            f"SELECT count(*) FROM (SELECT value FROM {name} GROUP BY value HAVING count(*) > 1)"  # noqa: S608
        ).fetchall()
    if twice:
        raise InputError(
            f"Several values that the recoding tells apart are the same in the column {column.name!r} "
            f"of {table.label}. Read the column as it was read when the recoding was made."
        )
    return name


def _labels(table: LoadedTable, recoding: Recoding, at: int) -> str:
    """Make a table of the labels of a quasi-identifier, as text or in the type of its column."""
    column = table.column(recoding.quasi[at])
    kind = column.type if recoding.native[at] else "VARCHAR"
    texts = [_text(label) for label in recoding.labels[at]]
    name = _typed(table, texts, range(len(texts)), Column(column.name, column.alias, kind))
    with translated(_LABELS, connection=table.connection):
        ((rows,),) = table.connection.execute(f"SELECT count(*) FROM {name}").fetchall()  # noqa: S608 - our own name
    if rows != len(texts):
        raise InternalError(f"A label of {column.name!r} does not read as a value of the column.")
    return name


def _typed(table: LoadedTable, texts: Sequence[str | None], codes: Sequence[int], column: Column) -> str:
    """Make a table of values with their codes from texts; texts that cannot be cast are left out."""
    name = fresh_name("values")
    connection = table.connection
    if not texts:
        with translated(_LABELS, connection=connection):
            connection.execute(f"CREATE TEMP TABLE {name} (value {column.type}, code BIGINT)")
        return name
    loaded = load_values(connection, {"value": texts, "code": list(codes)}, _LABELS)
    if loaded.columns[0].problem:
        raise InputError(f"The recoding of {column.name!r} cannot be used: {loaded.columns[0].problem}")
    with translated(_LABELS, connection=connection):
        connection.execute(
            f"CREATE TEMP TABLE {name} AS SELECT TRY_CAST(c0 AS {column.type}) AS value, c1 AS code "  # noqa: S608
            f"FROM {loaded.name} WHERE c0 IS NULL OR value IS NOT NULL"
        )
        connection.execute(f"DROP TABLE {loaded.name}")
    return name


def _text(value: object) -> str | None:
    """Return the text that reads as a value."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64):
        value = value.item()
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return f"{value // dt.timedelta(microseconds=1)} microseconds"
    if isinstance(value, bytes | bytearray):
        return "".join(f"\\x{byte:02X}" for byte in value)
    return str(value)


def _reads_exactly(text: object, kind: str) -> bool:
    """Say whether what may be a text is a value of a type as it stands, so that reading it does not round it."""
    if not isinstance(text, str):
        return True
    if kind == "DATE":
        return _DAY.fullmatch(text.strip()) is not None
    if kind in WHOLE | _WIDE_WHOLE:
        return _multiple(text, 0)
    if kind.startswith("DECIMAL("):
        return _multiple(text, int(kind.rstrip(")").partition(",")[2]))
    return True


def _multiple(text: str, digits: int) -> bool:
    """Say whether a text is a number with at most so many digits after the decimal mark."""
    try:
        number = Decimal(text)
        return number.is_finite() and (Fraction(number) * 10**digits).denominator == 1
    except InvalidOperation:
        return False
