"""The Arrow types that can hold a column, which Parquet, Arrow, pandas and polars share."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from values.cells import Clock, Moment, Span
from values.columns import Column

_UNITS = {"us": 10**3, "ns": 1, "ms": 10**6, "s": 10**9}


def physicals(column: Column, rows: slice = slice(None)) -> list[pa.Array]:
    """Return the column, or some rows of it, in every Arrow type that can hold it in some way; the fitting ones first.

    Narrow types may round: what they hold is then what Arrow says it is.
    """
    values = list(column.values)
    found = []
    for kind, made in _candidates(values):
        try:
            found.append(pa.array(made[rows], kind))
        except (pa.ArrowException, OverflowError, ValueError, TypeError):
            continue
    return found


def physical(column: Column, turn: int = 0) -> pa.Array | None:
    """Return the column in one of the types that can hold it."""
    found = physicals(column)
    return found[(column.choice + turn) % len(found)] if found else None


def _candidates(values: Sequence[Any]) -> Iterator[tuple[pa.DataType, list[Any]]]:
    kinds = families(values)
    if not kinds or kinds == {"text"}:
        yield from _texts(values)
    elif kinds <= {"whole", "decimal", "real"}:
        yield from _numbers(values, kinds)
    elif kinds == {"truth"}:
        yield pa.bool_(), list(values)
    elif kinds == {"day"}:
        yield from ((kind, list(values)) for kind in (pa.date32(), pa.date64()))
    elif kinds <= {"moment", "day"}:
        yield from _moments(values, None)
    elif kinds == {"zoned"}:
        for zone in ("UTC", "America/New_York", "+02:00"):
            yield from _moments(values, zone)
    elif kinds == {"clock"}:
        for kind in (pa.time64("us"), pa.time64("ns"), pa.time32("ms"), pa.time32("s")):
            yield kind, _in_units([None if v is None else v.us * 1000 for v in values], kind.unit)
    elif kinds == {"span"}:
        for unit in _UNITS:
            yield pa.duration(unit), _in_units([None if v is None else v.ns for v in values], unit)


def families(values: Sequence[object]) -> set[str]:
    """Return which families of values there are."""
    return {_family(value) for value in values if value is not None}


def _family(value: object) -> str:
    if isinstance(value, Moment):
        return "moment" if value.offset is None else "zoned"
    families = (
        (bool, "truth"),
        (str, "text"),
        (int, "whole"),
        (Decimal, "decimal"),
        ((float, np.floating), "real"),
        (Clock, "clock"),
        (Span, "span"),
        (dt.date, "day"),
    )
    return next(name for kinds, name in families if isinstance(value, kinds))


def _texts(values: Sequence[Any]) -> Iterator[tuple[pa.DataType, list[Any]]]:
    kinds = (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()), pa.string_view())
    yield from ((kind, list(values)) for kind in kinds)


def _numbers(values: Sequence[Any], kinds: set[str]) -> Iterator[tuple[pa.DataType, list[Any]]]:
    if kinds == {"whole"}:
        for kind in ("int64", "uint64", "int32", "uint32", "int16", "uint16", "int8", "uint8"):
            yield getattr(pa, kind)(), list(values)
    if "real" not in kinds:
        exact = [None if value is None else Decimal(value) for value in values]
        after = max(0, *(-int(value.as_tuple().exponent) for value in exact if value is not None))
        yield pa.decimal128(38, after), exact
        yield pa.decimal256(60, after), exact
        yield pa.decimal128(18, after), exact
    if kinds & {"real", "decimal"}:
        widths = {np.float16: pa.float16(), np.float32: pa.float32()}
        own = [pa.float64(), pa.float32(), pa.float16()]
        narrowest = next((widths[type(v)] for v in values if type(v) in widths), pa.float64())
        for kind in own[own.index(narrowest) :: -1] if narrowest != pa.float64() else own[:2]:
            dtype = kind.to_pandas_dtype()
            with np.errstate(over="ignore"):
                yield kind, [None if _nothing(value) else dtype(value) for value in values]


def _nothing(value: Any) -> bool:
    return value is None or (isinstance(value, float | np.floating) and bool(np.isnan(value)))


def _moments(values: Sequence[Any], zone: str | None) -> Iterator[tuple[pa.DataType, list[Any]]]:
    whole = [value if value is None else _nanoseconds(value) for value in values]
    for unit in ("us", "ns", "ms", "s"):
        yield pa.timestamp(unit, zone), _in_units(whole, unit)


def _nanoseconds(value: Any) -> int:
    return value.ns if isinstance(value, Moment) else (value - dt.date(1970, 1, 1)).days * 86_400 * 10**9


def _in_units(whole: Sequence[int | None], unit: str) -> list[int | None]:
    return [None if value is None else value // _UNITS[unit] for value in whole]
