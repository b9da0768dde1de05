"""Columns of an Arrow stream that DuckDB would not take, or would round: found by their types and by their buffers."""

from __future__ import annotations

import base64
import datetime as dt
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any  # nanoarrow has no types

import nanoarrow
import numpy as np
from nanoarrow.c_array_stream import CArrayStream

from tclose.engines.duckdb.exposing import zone_called
from tclose.engines.duckdb.problems import MONTHS_AND_DAYS, NESTED, TOO_FINE, unread
from tclose.engines.optional import imported

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
