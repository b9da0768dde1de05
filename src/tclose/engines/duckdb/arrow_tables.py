"""Columns of Python values and NumPy arrays as one Arrow table, each column of one type."""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import io
import math
import numbers
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import duckdb
import nanoarrow
import numpy as np
from nanoarrow.c_array_stream import CArrayStream

from tclose.engines.duckdb.errors import (
    LONG,
    MIXED,
    MONTHS_AND_DAYS,
    NESTED,
    NOT_UNICODE,
    TOO_FINE,
    TOO_LARGE,
    translated,
    unread,
)
from tclose.engines.duckdb.published_types import zone_called
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable, check_names, check_rows
from tclose.engines.errors import imported
from tclose.errors import Note, SourceError

# Columns of an Arrow stream that DuckDB would not take, or would round: found by their types and by their buffers.


_UNREAD = {
    "e": "float16",
    r"d:\d+,-?\d+,256": "decimal256",
    r"d:\d+,-\d+(,\d+)?": "decimal with negative scale",
    r"_pl[iu]128": "int128",
    "_plf16": "float16",
}
_NANOSECONDS = {"tDn": np.dtype("<i8"), "tin": np.dtype([("months", "<i4"), ("days", "<i4"), ("rest", "<i8")])}
_INTERVALS = "tin"
_MOMENTS = re.compile(r"ts[smun]:(.+)")


def unread_columns(schema: Any) -> dict[int, str]:
    """Return the places of columns whose type DuckDB does not take, with what to say of each."""
    found = {at: _unread_in(child) for at, child in enumerate(schema.children)}
    return {at: problem for at, problem in found.items() if problem is not None}


def _unread_in(child: Any) -> str | None:
    """Return what to say of a column whose type, or one of whose nested types, DuckDB does not take."""
    values = _encoded(child)
    kind = next((kind for form, kind in _UNREAD.items() if re.fullmatch(form, values.format)), None)
    if kind is not None:
        return unread(kind)
    return NESTED if any(_unread_in(part) is not None for part in values.children) else None


def _encoded(child: Any) -> Any:
    """Return the type of the values of a column, or the values, which may stand in a dictionary or once for a run."""
    if child.dictionary is not None:
        return _encoded(child.dictionary)
    is_run = getattr(child, "format", None) == "+r" or getattr(child, "schema", child).format == "+r"
    return _encoded(list(child.children)[1]) if is_run else child


def zones(schema: Any) -> dict[str, dt.tzinfo]:
    """Return the time zones that columns of points in time declare."""
    found = {child.name: _MOMENTS.fullmatch(_encoded(child).format) for child in schema.children}
    return {name: zone_called(match[1]) for name, match in found.items() if match}


def noted_zones(message: bytes) -> dict[str, dt.tzinfo]:
    """Return the time zones of a schema that Arrow left in a file; none where it cannot be read."""
    from nanoarrow import ipc

    try:
        stream = ipc.InputStream.from_readable(io.BytesIO(base64.b64decode(message)))
        return zones(nanoarrow.c_array_stream(stream).get_schema())
    except (RuntimeError, ValueError, OSError):
        return {}


def has_nanoseconds(schema: Any) -> bool:
    """Say whether some column has durations in nanoseconds, or intervals, of which DuckDB takes some for equal."""
    return any(_encoded(child).format in _NANOSECONDS for child in schema.children)


def unequal_columns(schema: Any, chunks: Sequence[Any]) -> dict[int, str]:
    """Return the places of columns with durations that DuckDB would take for equal, with what to say of them.

    It keeps microseconds, and takes a month for thirty days.
    """
    formats = {at: _encoded(child).format for at, child in enumerate(schema.children)}
    problems: dict[int, str] = {}
    for at, form in formats.items():
        if form in _NANOSECONDS:
            parts = [_durations(_encoded(chunk.child(at)), _NANOSECONDS[form]) for chunk in chunks]
            if any((_rest(part) % 1000).any() for part in parts):
                problems[at] = TOO_FINE
            elif form == _INTERVALS and _has_months_and_days(parts):
                problems[at] = MONTHS_AND_DAYS
    return problems


def _rest(durations: Any) -> Any:
    """Return what durations have in nanoseconds, beside months and days."""
    return durations["rest"] if durations.dtype.names else durations


def _has_months_and_days(parts: Sequence[Any]) -> bool:
    months = any(part["months"].any() for part in parts)
    return months and any(part["days"].any() or part["rest"].any() for part in parts)


def _durations(array: Any, layout: np.dtype[Any]) -> Any:
    """Return the durations of an array that are not null."""
    view = array.view()
    numbers = np.frombuffer(view.buffer(1), dtype=layout)[array.offset : array.offset + array.length]
    if not array.null_count:
        return numbers
    bits = np.unpackbits(np.frombuffer(view.buffer(0), dtype=np.uint8), bitorder="little")
    return numbers[bits[array.offset : array.offset + array.length].astype(bool)]


def without(stream: Any, places: Mapping[int, str]) -> Any:
    """Return what a stream gives as a table with nothing but nulls in some columns."""
    pyarrow = imported("pyarrow", "Leaving out columns that cannot be read")
    table = pyarrow.RecordBatchReader.from_stream(stream).read_all()
    for at in places:
        table = table.set_column(at, table.schema.field(at).name, pyarrow.nulls(table.num_rows))
    return table


def streamed(chunks: Sequence[Any], schema: Any) -> CArrayStream:
    """Return a stream of chunks, which it takes for itself: nanoarrow cannot share texts in several buffers."""
    return CArrayStream.from_c_arrays(list(chunks), schema.modify(), move=True)


_INT64 = range(-(2**63), 2**63)
_INT128 = range(-(10**38) + 1, 10**38)
_EXACT_IN_FLOAT = 2**53
_MOST_DIGITS = 38
_NARROW = re.compile(r"float16|float32|Float16|Float32|halffloat|float|(halffloat|float)\[pyarrow\]")
"""The names of floats of fewer than 64 bits in NumPy, pandas, polars and Arrow."""


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
    zone
        The time zone of points in time that have one.
    """

    values: Sequence[object]
    storage: Storage
    type: str
    problem: str | None = None
    mixed: bool = False
    zone: dt.tzinfo | None = None


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
    table.notes = tuple(
        Note("mixed-values", f"The column {name!r} mixes text and other values; it was read as text.", column=name)
        for name in texts
    )
    return table


def _copied(
    connection: duckdb.DuckDBPyConnection, names: Sequence[str], typed: Sequence[TypedValues], label: str
) -> LoadedTable:
    name, batch = fresh_name("copy"), fresh_name("batch")
    columns = tuple(
        _column(title, f"c{at}", column) for at, (title, column) in enumerate(zip(names, typed, strict=True))
    )
    casts = ", ".join(f"CAST({column.alias} AS {column.type}) AS {column.alias}" for column in columns)
    with translated(label, connection=connection):
        rows_of_columns = _struct([_arrow(column) for column in typed])
        connection.register(batch, Capsule(rows_of_columns, rows_of_columns.schema))
        ((rows,),) = connection.execute(f"CREATE TEMP TABLE {name} AS SELECT {casts} FROM {batch}").fetchall()  # noqa: S608
        connection.unregister(batch)
    return LoadedTable(connection, columns, label, name, rows)


def _column(name: str, alias: str, typed: TypedValues) -> Column:
    column = Column(name, alias, typed.type, problem=typed.problem)
    return column if typed.zone is None else column.moved(typed.zone)


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
    if _NARROW.fullmatch(str(getattr(values, "dtype", getattr(values, "type", "")))):
        return shortest(np.asarray(values))
    if hasattr(values, "to_pylist"):
        return list(values.to_pylist())
    if isinstance(values, np.ma.MaskedArray):
        return list(values.tolist())
    if isinstance(values, np.ndarray):
        return list(values) if values.dtype.kind in "OMm" else list(values.tolist())
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise SourceError(f"The column {name!r} of {label} is not a list of values. Give one value for each row.")
    return list(values)


def shortest(numbers: Iterable[object]) -> list[object]:
    """Return narrow floats as those of 64 bits with the same shortest decimals."""
    return [float(str(number)) for number in numbers]


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
    if {*map(type, values)} <= {str, type(None)}:
        return _checked_text(values, "VARCHAR")
    plain = [_plain(value) for value in values]
    kinds = {_kind(value) for value in plain} - {"null"}
    if kinds == {"whole", "real"}:
        return _mixed_numbers(plain)
    if kinds <= {"whole", "decimal"} and "decimal" in kinds:
        return _decimals(plain)
    if kinds in ({"time"}, {"date", "time"}):
        return _text(plain, "TIMESTAMP_NS" if any(_is_finer(value) for value in plain) else "TIMESTAMP")
    if kinds == {"moment"}:
        return _moments(plain)
    if len(kinds) > 1:
        if mixed_as_text and "other" not in kinds:
            return replace(_text(plain, "VARCHAR"), mixed=True)
        return _unusable(plain, NESTED if "other" in kinds else MIXED)
    return _uniform(plain, next(iter(kinds), "null"))


def _uniform(plain: Sequence[object], kind: str) -> TypedValues:
    if kind == "whole":
        return _wholes(plain)
    if kind == "real":
        return TypedValues(plain, "float64", "DOUBLE")
    if kind == "truth":
        return TypedValues(plain, "bool", "BOOLEAN")
    if kind == "other":
        return _unusable(plain, NESTED)
    if kind == "span":
        fine = any(isinstance(value, np.timedelta64) or getattr(value, "nanoseconds", 0) for value in plain)
        return _unusable(plain, TOO_FINE) if fine else _text(plain, "INTERVAL")
    types = {"date": "DATE", "clock": "TIME"}
    return _text(plain, types.get(kind, "VARCHAR"))


def _moments(plain: Sequence[object]) -> TypedValues:
    """Points in time with a zone: in UTC, and shown in their zone if they have it in common."""
    zones = {value.tzinfo for value in plain if isinstance(value, dt.datetime)}
    fine = any(_is_finer(value) for value in plain)
    typed = _text(plain, "TIMESTAMP_NS" if fine else "TIMESTAMP")
    return replace(typed, zone=zones.pop() if len(zones) == 1 else dt.UTC)


def _is_finer(value: object) -> bool:
    """Say whether a point in time is finer than a microsecond."""
    return isinstance(value, np.datetime64) or bool(getattr(value, "nanosecond", 0))


def _wholes(plain: Sequence[object]) -> TypedValues:
    given = [value for value in plain if isinstance(value, int)]
    if all(value in _INT64 for value in given):
        return TypedValues(plain, "int64", "BIGINT")
    if all(value in _INT128 for value in given):
        return _text(plain, "HUGEINT")
    return _unusable(plain, LONG)


def _mixed_numbers(plain: Sequence[object]) -> TypedValues:
    """Whole and real numbers together: real, unless a whole number would lose digits."""
    if any(isinstance(value, int) and abs(value) > _EXACT_IN_FLOAT for value in plain):
        return _unusable(plain, TOO_LARGE)
    return TypedValues([None if value is None else float(value) for value in plain], "float64", "DOUBLE")  # type: ignore[arg-type]


def _decimals(plain: Sequence[object]) -> TypedValues:
    """Exact numbers, with as many decimals as the longest has; zeros at its end only where there is room for them."""
    numbers = [decimal.Decimal(value) for value in plain if value is not None]  # type: ignore[arg-type]
    for zeros in (True, False):
        places = [_places(number, zeros=zeros) for number in numbers]
        before, after = (max(least, *(place[at] for place in places)) for at, least in ((0, 1), (1, 0)))
        if before + after <= _MOST_DIGITS:
            texts = [None if value is None else format(decimal.Decimal(value), "f") for value in plain]  # type: ignore[arg-type]
            return TypedValues(texts, "string", f"DECIMAL({_MOST_DIGITS},{after})")
    return _unusable(plain, LONG)


def _places(number: decimal.Decimal, *, zeros: bool) -> tuple[int, int]:
    """Return how many digits a number has before and after its mark, with or without the zeros at its end."""
    _, digits, exponent = number.as_tuple()
    after = max(0, -int(exponent))
    if not zeros:
        written = "".join(map(str, digits))
        after = max(0, after - (len(written) - len(written.rstrip("0")))) if any(digits) else 0
    return len(digits) + int(exponent) if any(digits) else 1, after


def _text(plain: Sequence[object], kind: str) -> TypedValues:
    return _checked_text([None if value is None else _as_text(value) for value in plain], kind)


def _checked_text(texts: Sequence[object], kind: str) -> TypedValues:
    if not all(isinstance(text, str) and (text.isascii() or _is_unicode(text)) for text in texts if text is not None):
        return _unusable(texts, NOT_UNICODE)
    return TypedValues(texts, "string", kind)


def _is_unicode(text: str) -> bool:
    try:
        return bool(text.encode("utf-8"))
    except UnicodeEncodeError:
        return False


def _unusable(plain: Sequence[object], problem: str) -> TypedValues:
    return TypedValues([None] * len(plain), "string", "VARCHAR", problem)


def _as_text(value: object) -> str:
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        value = value.astimezone(dt.UTC).replace(tzinfo=None)
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return f"{value // dt.timedelta(microseconds=1)} microseconds"
    if isinstance(value, float) and value.is_integer():
        return str(int(decimal.Decimal(repr(value))))
    return str(value)


def _plain(value: object) -> object:
    """Return a value as one of Python's own, with every kind of null as None."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if isinstance(value, np.datetime64):
        coarse = value.astype("datetime64[us]")
        return None if np.isnat(value) else coarse.item() if coarse == value else value
    if isinstance(value, np.timedelta64):
        coarse_span = value.astype("timedelta64[us]")
        return None if np.isnat(value) else coarse_span.item() if coarse_span == value else value
    if isinstance(value, np.float16 | np.float32):
        (value,) = shortest([value])
    if isinstance(value, np.generic):
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
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return "moment"
    if isinstance(value, dt.timedelta | np.timedelta64):
        return "span"
    kind: Any = type(value)
    return _kind_of(kind)


@cache
def _kind_of(kind: type) -> str:
    """Return the kind of the values of a type, where it says all."""
    kinds: tuple[tuple[Any, str], ...] = (
        (str, "text"),
        (bool, "truth"),
        (numbers.Integral, "whole"),
        (float, "real"),
        (dt.datetime | np.datetime64, "time"),
        (dt.date, "date"),
        (dt.time, "clock"),
    )
    return next((name for parent, name in kinds if issubclass(kind, parent)), "other")
