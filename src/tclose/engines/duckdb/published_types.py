"""What the values of DuckDB's types are here, and in which type they are published where a file has types."""

from __future__ import annotations

import datetime as dt
import re
import zoneinfo
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tclose.data.values import FineMoment
from tclose.engines.rounding import MOST_DIGITS

ZONED = "TIMESTAMP WITH TIME ZONE"
FINE_ZONED = "TIMESTAMPTZ_NS"
COARSER = {"TIMESTAMP_NS": "TIMESTAMP", "TIME_NS": "TIME"}
"""Types of nanoseconds, and those that their values have where none is finer than a microsecond."""
_NARROW_DIGITS = 9
"""So many digits tell every float of 32 bits from every other."""
_FINEST_TIE = 2**13
"""A decimal of that many digits that is a tie, or a float in the middle of two, has no finer binary fraction."""
_ALL_BEHIND_MARK = re.compile(r"DECIMAL\((\d+),\1\)")
_OFFSET = re.compile(r"(?:UTC)?([+-])(\d{2}):?(\d{2})")


@dataclass(frozen=True)
class Exposed:
    """How the values of a type are shown.

    Parameters
    ----------
    type
        The type that they have here.
    value
        The SQL of the value, with ``{0}`` for what the source has.
    own
        The type in which they are published, where it is another.
    zoned
        Whether they are points in time of some zone; here they are all in UTC.
    """

    type: str
    value: str = "{0}"
    own: str | None = None
    zoned: bool = False


_A_NUMBER = "isfinite({0}) OR isinf({0})"
"""Asked of every cell; ``isnan`` is not where the bounds in a Parquet file make DuckDB conclude that there is none."""


def exposed(kind: str) -> Exposed:
    """Return how the values of one of DuckDB's types are shown.

    NaN becomes null, an enum its text, a time with a zone the same time in UTC, and a float of 32 bits the float of
    64 bits with the same shortest decimal.
    """
    if kind == "DOUBLE":
        return Exposed(kind, f"CASE WHEN {_A_NUMBER} THEN {{0}} END")
    if kind == "FLOAT":
        return Exposed("DOUBLE", f"CASE WHEN {_A_NUMBER} THEN {shortest_decimal('{0}')} END", kind)
    if kind == ZONED:
        return Exposed("TIMESTAMP", "{0} AT TIME ZONE 'UTC'", kind, zoned=True)
    if kind == FINE_ZONED:
        return Exposed("TIMESTAMP_NS", "CAST({0} AS TIMESTAMP_NS)", kind, zoned=True)
    if kind.startswith("ENUM(") or kind.strip('"') == "NULL":
        return Exposed("VARCHAR", "CAST({0} AS VARCHAR)")
    return Exposed(kind)


def published(value: str, kind: str, own: str | None) -> str:
    """Return the SQL of a value in the type that a file which has types publishes it in."""
    if own == "FLOAT":
        return f"CAST(CAST({value} AS VARCHAR) AS FLOAT)"
    if kind in ("HUGEINT", "UHUGEINT"):  # Parquet would have floats instead
        return f"CAST({value} AS DECIMAL(38,0))"
    return value if own is None else f"CAST({value} AS {own})"


def shortest_decimal(value: str) -> str:
    """Return the SQL of a float of 32 bits as the one of 64 bits with the same shortest decimal.

    DuckDB's text of a float is that decimal but for ties: of two equally near the one with an even end is meant, and
    one just between two floats is read as the one with an even fraction.

    Examples
    --------
    >>> import duckdb
    >>> numbers = [18.3, 1677721.75, 1677721.25, 48303.5625, 3e10]
    >>> shown = f"SELECT {shortest_decimal('CAST(x AS FLOAT)')} FROM (SELECT unnest($1) AS x)"
    >>> [number for (number,) in duckdb.execute(shown, [numbers]).fetchall()]
    [18.3, 1677721.8, 1677721.2, 48303.562, 30000000000.0]
    """
    text, wide = f"CAST({value} AS VARCHAR)", f"CAST({value} AS DOUBLE)"
    rounded = {digits: f"printf('%.{digits - 1}e', {wide})" for digits in range(1, _NARROW_DIGITS + 1)}
    longer = rounded | {_NARROW_DIGITS + 1: text}
    whens = [
        f"WHEN TRY_CAST({rounded[digits]} AS FLOAT) IS DISTINCT FROM {value} THEN CAST({longer[digits + 1]} AS DOUBLE)"
        for digits in reversed(rounded)
    ]
    no_tie = f"{wide} * {_FINEST_TIE} <> floor({wide} * {_FINEST_TIE}) OR length({text}) < {_NARROW_DIGITS - 1}"
    return f"CASE WHEN {no_tie} THEN CAST({text} AS DOUBLE) {' '.join(whens)} ELSE CAST({rounded[1]} AS DOUBLE) END"


def plain_decimal(text: str) -> str:
    """Return the SQL of the text of a float as a plain decimal without idle zeros.

    Examples
    --------
    >>> import duckdb
    >>> numbers = [1.0, 0.5, 1.5e16, -2e-7, 1e22, float("inf")]
    >>> shown = f"SELECT {plain_decimal('CAST(x AS VARCHAR)')} FROM (SELECT unnest($1) AS x)"
    >>> [text for (text,) in duckdb.execute(shown, [numbers]).fetchall()]
    ['1', '0.5', '15000000000000000', '-0.0000002', '10000000000000000000000', 'inf']
    """
    digits = f"replace(ltrim(split_part({text}, 'e', 1), '-'), '.', '')"
    place = f"(TRY_CAST(split_part({text}, 'e', 2) AS INTEGER) + 1)"
    moved = (
        f"CASE WHEN starts_with({text}, '-') THEN '-' ELSE '' END || "
        f"CASE WHEN {place} <= 0 THEN '0.' || repeat('0', -{place}) || {digits} "
        f"WHEN {place} >= length({digits}) THEN rpad({digits}, {place}, '0') "
        f"ELSE left({digits}, {place}) || '.' || substr({digits}, {place} + 1) END"
    )
    return f"CASE WHEN contains({text}, 'e') THEN {moved} ELSE regexp_replace({text}, '[.]0$', '') END"


def decimal_text(value: str, kind: str) -> str:
    """Return the SQL of the text of a decimal; DuckDB writes no zero before the mark where a type has no place for it.

    Examples
    --------
    >>> import duckdb
    >>> duckdb.sql(f"SELECT {decimal_text('x', 'DECIMAL(2,2)')} FROM (SELECT -0.05::DECIMAL(2,2) AS x)").fetchall()
    [('-0.05',)]
    """
    text = f"CAST({value} AS VARCHAR)"
    return text if all_behind_mark(kind) is None else rf"regexp_replace({text}, '^(-?)[.]', '\10.')"


def bare_decimal(value: str, kind: str) -> str:
    """Return the SQL of the text of a decimal that has a mark, without idle zeros."""
    return f"rtrim(rtrim({decimal_text(value, kind)}, '0'), '.')"


def with_place_for_zero(value: str, kind: str) -> str:
    """Return the SQL of a value in a type with a place for the zero before a decimal's mark, where one is that wide.

    Examples
    --------
    >>> with_place_for_zero("x", "DECIMAL(2,2)"), with_place_for_zero("x", "DECIMAL(3,2)")
    ('CAST(x AS DECIMAL(3,2))', 'x')
    """
    digits = all_behind_mark(kind)
    return value if digits in (None, MOST_DIGITS) else f"CAST({value} AS DECIMAL({digits + 1},{digits}))"


def all_behind_mark(kind: str) -> int | None:
    """Return how many digits the decimals of a type have, where all of them stand behind the mark.

    Examples
    --------
    >>> all_behind_mark("DECIMAL(2,2)"), all_behind_mark("DECIMAL(3,2)")
    (2, None)
    """
    found = _ALL_BEHIND_MARK.fullmatch(kind)
    return int(found[1]) if found else None


def zone_called(name: str) -> dt.tzinfo:
    """Return the time zone of a name such as ``America/New_York`` or ``+02:00``; UTC for one that nobody knows.

    Examples
    --------
    >>> print(zone_called("+02:00"), zone_called("America/New_York"), zone_called("nowhere"))
    UTC+02:00 America/New_York UTC
    """
    if offset := _OFFSET.fullmatch(name):
        minutes = int(offset[2]) * 60 + int(offset[3])
        return dt.timezone(dt.timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return dt.UTC


def fetched(value: str, kind: str) -> str:
    """Return the SQL of a value that crosses to Python whole: a point in time of nanoseconds as their number."""
    return f"epoch_ns({value})" if kind == "TIMESTAMP_NS" else value


def in_zone(values: Iterable[object], zone: dt.tzinfo | None, kind: str = "TIMESTAMP") -> list[object]:
    """Return points in time in UTC as the same ones in a zone, each with the offset that the zone has just then.

    The offset is fixed, so that the two half past two of the night in which clocks are set back stay different.
    Of the type of nanoseconds they come as numbers, and one that Python's own type would round is one of NumPy, or of
    our own if there is a zone.
    """
    if kind == "TIMESTAMP_NS":
        values = [None if value is None else _of_nanoseconds(value, zone) for value in values]
    return [_moved(value, zone) if zone is not None and isinstance(value, dt.datetime) else value for value in values]


def _of_nanoseconds(number: Any, zone: dt.tzinfo | None) -> object:
    moment = np.datetime64(number, "ns")
    microsecond = moment.astype("datetime64[us]").item()
    if number % 1000 == 0:
        return microsecond
    return moment if zone is None else FineMoment(number, _moved(microsecond, zone).utcoffset() or dt.timedelta())


def _moved(moment: dt.datetime, zone: dt.tzinfo) -> dt.datetime:
    try:
        local = moment.replace(tzinfo=dt.UTC).astimezone(zone)
    except OverflowError:  # within a day of the first or last day of all
        return moment.replace(tzinfo=dt.UTC)
    return local.replace(tzinfo=dt.timezone(local.utcoffset() or dt.timedelta()), fold=0)
