"""Columns of Python values and NumPy arrays as one Arrow table, each column of one type."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import duckdb
import nanoarrow
import numpy as np

from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable, check_names, check_rows
from tclose.errors import SourceError

MIXED = "its values are of different types. Make them all text, or all numbers, before handing the table over."
NOT_SCALAR = "its values are neither text, numbers nor dates. Take them apart into columns of one type each."
_INT64 = range(-(2**63), 2**63)
_INT128 = range(-(2**127) + 1, 2**127)
_EXACT_IN_FLOAT = 2**53
_MOST_DIGITS = 38


Storage = Literal["int64", "float64", "bool", "string"]


@dataclass(frozen=True)
class TypedValues:
    """Values of one kind, the type they take in DuckDB, and what a person should know of them.

    Parameters
    ----------
    values
        Python's own values, None for null.
    storage
        How they cross to DuckDB; dates, times and long numbers cross as text and are cast there.
    type
        DuckDB's type.
    problem
        Why the column cannot be used; None for a column that can.
    mixed
        Whether values of several types were written as text.
    """

    values: Sequence[object]
    storage: Storage
    type: str
    problem: str | None = None
    mixed: bool = False


def load_values(
    connection: duckdb.DuckDBPyConnection,
    columns: Mapping[str, object],
    label: str,
    *,
    mixed_as_text: bool = False,
) -> LoadedTable:
    """Copy columns of values into DuckDB.

    Parameters
    ----------
    connection
        Where the copy is made.
    columns
        From column name to a sequence or NumPy array of values; None, NaN and NaT are null.
    label
        How reports name the table.
    mixed_as_text
        Whether a column of text and numbers becomes text; otherwise it cannot be used.
    """
    names = list(columns)
    check_names(names, label)
    lists = {name: values_list(values, name, label) for name, values in columns.items()}
    check_lengths({name: len(values) for name, values in lists.items()}, label)
    check_rows(len(next(iter(lists.values()))), label)
    typed = [typed_values(values, mixed_as_text=mixed_as_text) for values in lists.values()]
    table = _copied(connection, names, typed, label)
    texts = [name for name, column in zip(names, typed, strict=True) if column.mixed]
    table.notes = tuple(f"The column {name!r} mixes text and other values; it was read as text." for name in texts)
    return table


def _copied(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], typed: Sequence[TypedValues], label: str
) -> LoadedTable:
    name, batch = fresh_name("copy"), fresh_name("batch")
    columns = tuple(
        Column(title, f"c{at}", column.type, problem=column.problem)
        for at, (title, column) in enumerate(zip(names, typed, strict=True))
    )
    casts = ", ".join(f"CAST({column.alias} AS {column.type}) AS {column.alias}" for column in columns)
    with translated(label, connection=connection):
        rows_of_columns = _struct([_arrow(column) for column in typed])
        connection.register(batch, Capsule(rows_of_columns, rows_of_columns.schema))
        ((rows,),) = connection.execute(f"CREATE TEMP TABLE {name} AS SELECT {casts} FROM {batch}").fetchall()  # noqa: S608
        connection.unregister(batch)
    return LoadedTable(connection, columns, label, name, rows)


def _arrow(column: TypedValues) -> Any:
    types = {
        "int64": nanoarrow.int64(),
        "float64": nanoarrow.float64(),
        "bool": nanoarrow.bool_(),
        "string": nanoarrow.large_string(),
    }
    return nanoarrow.c_array(column.values, types[column.storage])


def _struct(arrays: Sequence[Any]) -> Any:
    """Return Arrow arrays of the same length as one table with columns ``c0``, ``c1``, ..."""
    schema = nanoarrow.struct({f"c{at}": nanoarrow.Schema(array.schema) for at, array in enumerate(arrays)})
    return nanoarrow.Array(nanoarrow.c_array_from_buffers(schema, len(arrays[0]), [None], children=list(arrays)))


class Capsule:
    """Anything with the Arrow stream interface, showing DuckDB nothing else of itself.

    DuckDB asks for the schema apart, so that a stream which can be read only once is not spent on it.
    """

    def __init__(self, stream: Any, schema: Any) -> None:
        self._stream = stream
        self._schema = schema

    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._stream.__arrow_c_stream__(requested_schema)


def values_list(values: object, name: str, label: str) -> list[object]:
    """Return the values of a column as a list of Python values."""
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise SourceError(f"The column {name!r} of {label} is not one-dimensional. Give one value for each row.")
    if hasattr(values, "to_pylist"):
        return list(values.to_pylist())
    if isinstance(values, np.ma.MaskedArray):
        return list(values.tolist())
    if isinstance(values, np.ndarray):
        return list(values) if values.dtype.kind in "OMm" else list(values.tolist())
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise SourceError(f"The column {name!r} of {label} is not a list of values. Give one value for each row.")
    return list(values)


def check_lengths(lengths: Mapping[str, int], label: str) -> None:
    """Refuse columns of different lengths."""
    first, expected = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != expected:
            raise SourceError(
                f"The columns of {label} have different lengths: {first!r} has {expected} values, "
                f"{name!r} has {length}."
            )


def typed_values(values: Sequence[object], *, mixed_as_text: bool = False) -> TypedValues:
    """Return values with the one type that they all have."""
    plain = [_plain(value) for value in values]
    kinds = {_kind(value) for value in plain} - {"null"}
    if kinds == {"whole", "real"}:
        return _mixed_numbers(plain)
    if kinds <= {"whole", "decimal"} and "decimal" in kinds:
        return _decimals(plain)
    if kinds == {"date", "time"}:
        return _text(plain, "TIMESTAMP")
    if len(kinds) > 1:
        if mixed_as_text and "other" not in kinds:
            return replace(_text(plain, "VARCHAR"), mixed=True)
        return _unusable(plain, NOT_SCALAR if "other" in kinds else MIXED)
    return _uniform(plain, next(iter(kinds), "null"))


def _uniform(plain: Sequence[object], kind: str) -> TypedValues:
    if kind == "whole":
        return _wholes(plain)
    if kind == "real":
        return TypedValues(plain, "float64", "DOUBLE")
    if kind == "truth":
        return TypedValues(plain, "bool", "BOOLEAN")
    if kind == "other":
        return _unusable(plain, NOT_SCALAR)
    types = {"date": "DATE", "time": "TIMESTAMP", "clock": "TIME"}
    return _text(plain, types.get(kind, "VARCHAR"))


def _wholes(plain: Sequence[object]) -> TypedValues:
    given = [value for value in plain if isinstance(value, int)]
    if all(value in _INT64 for value in given):
        return TypedValues(plain, "int64", "BIGINT")
    if all(value in _INT128 for value in given):
        return _text(plain, "HUGEINT")
    return _unusable(plain, "it has whole numbers of more than 38 digits. Make them text.")


def _mixed_numbers(plain: Sequence[object]) -> TypedValues:
    """Whole and real numbers together: real, unless a whole number would lose digits."""
    if any(isinstance(value, int) and abs(value) > _EXACT_IN_FLOAT for value in plain):
        return _unusable(plain, "it mixes real numbers with whole numbers too large for them. Make them text.")
    return TypedValues([None if value is None else float(value) for value in plain], "float64", "DOUBLE")  # type: ignore[arg-type]


def _decimals(plain: Sequence[object]) -> TypedValues:
    before = after = 1
    for value in plain:
        if value is not None:
            _, digits, exponent = decimal.Decimal(value).as_tuple()  # type: ignore[arg-type]
            after = max(after, -int(exponent))
            before = max(before, len(digits) + int(exponent))
    if before + after > _MOST_DIGITS:
        return _unusable(plain, "it has decimal numbers of more than 38 digits. Make them text.")
    texts = [None if value is None else format(value, "f") for value in plain]
    return TypedValues(texts, "string", f"DECIMAL({_MOST_DIGITS},{after})")


def _text(plain: Sequence[object], kind: str) -> TypedValues:
    texts = [None if value is None else _as_text(value) for value in plain]
    if any(text is not None and not _is_unicode(text) for text in texts):
        return _unusable(plain, "it has text that is not valid Unicode. Mend the text.")
    return TypedValues(texts, "string", kind)


def _is_unicode(text: str) -> bool:
    try:
        return text.isascii() or bool(text.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def _unusable(plain: Sequence[object], problem: str) -> TypedValues:
    return TypedValues([None] * len(plain), "string", "VARCHAR", problem)


def _as_text(value: object) -> str:
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        value = value.astimezone(dt.UTC).replace(tzinfo=None)
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _plain(value: object) -> object:
    """Return a value as one of Python's own, with every kind of null as None."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else value.astype("datetime64[us]").item()
    if isinstance(value, np.generic) and not isinstance(value, np.timedelta64):
        value = value.item()
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, decimal.Decimal):
        return None if value.is_nan() else value
    return value


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, decimal.Decimal):
        return "decimal" if value.is_finite() else "other"
    kinds: tuple[tuple[type, str], ...] = (
        (str, "text"),
        (bool, "truth"),
        (numbers.Integral, "whole"),
        (float, "real"),
        (dt.datetime, "time"),
        (dt.date, "date"),
        (dt.time, "clock"),
    )
    return next((kind for parent, kind in kinds if isinstance(value, parent)), "other")
