"""The pieces of a recoding, as every engine reads them: numbers as columns, values and labels as texts."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.engines.distinct import lexicographic
from tclose.engines.recodings import Recoding
from tclose.errors import InternalError

_WHOLE = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT", "UHUGEINT"}
)
_PLAIN = re.compile(r"-?[0-9]+")
_DAY = re.compile(r"-?[0-9]{4,}-[0-9]{1,2}-[0-9]{1,2}( \(BC\))?")


def check_shapes(recoding: Recoding) -> None:
    """Refuse a recoding whose parts do not fit together."""
    pieces, classes = len(recoding.classes), len(recoding.cells)
    counts = recoding.counts
    whole = (
        recoding.codes.shape == (pieces, len(recoding.keys))
        and recoding.cells.shape == (classes, len(recoding.quasi))
        and len(recoding.labels) == len(recoding.quasi)
        and len(recoding.values) == len(recoding.keys)
        and set(recoding.quasi) <= set(recoding.keys)
        and (counts is None or (len(counts) == pieces and not (counts < 0).any()))
        and (pieces == 0 or (int(recoding.classes.max()) < classes and int(recoding.classes.min()) >= -1))
    )
    if not whole:
        raise InternalError("The parts of a recoding do not fit together.")


def folded(recoding: Recoding) -> Recoding:
    """Return a recoding whose pieces that publish the same are one, and whose keys are published.

    It needs the counts of the pieces. Where few pieces publish the same, it is the recoding itself.
    """
    pieces, counts = len(recoding.classes), recoding.counts
    shown = [at for at, key in enumerate(recoding.keys) if key in recoding.read and key not in recoding.quasi]
    spans = [len(recoding.values[at]) for at in shown]
    span = math.prod(spans)
    if counts is None or (len(recoding.cells) + 1) * span > pieces:
        return recoding
    cells = recoding.classes + 1
    for at in shown:
        cells = cells * len(recoding.values[at]) + recoding.codes[:, at]
    together = np.zeros((len(recoding.cells) + 1) * span, dtype=np.int64)
    np.add.at(together, cells, counts)
    seen = np.zeros(len(together), dtype=bool)
    seen[cells] = True
    found = np.flatnonzero(seen)
    codes = np.unravel_index(found % span, spans) if shown else ()
    return replace(
        recoding,
        keys=tuple(recoding.keys[at] for at in shown),
        values=tuple(recoding.values[at] for at in shown),
        codes=np.stack(codes, axis=1).astype(np.int32) if shown else np.zeros((len(found), 0), dtype=np.int32),
        classes=found // span - 1,
        counts=together[found],
    )


def piece_columns(recoding: Recoding) -> dict[str, NDArray[Any]]:
    """Return the numbers of the pieces as columns.

    They are ``piece``, the piece's number; ``kept``, whether it is published; ``n``, its rows if they are given;
    ``first``, the first piece of the same key values; ``parts``, how many there are; ``low``, how many rows the earlier
    ones take; ``k0``, ``k1`` …, the codes of its key values; ``q0``, ``q1`` …, those of the labels it publishes.
    """
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


def text_of(value: object) -> str | None:
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


def reads_exactly(text: object, kind: str) -> bool:
    """Say whether what may be a text is a value of a type as it stands, so that reading it does not round it."""
    if not isinstance(text, str):
        return True
    if kind == "DATE":
        return _DAY.fullmatch(text.strip()) is not None
    if kind in _WHOLE:
        return _multiple(text, 0)
    if kind.startswith("DECIMAL("):
        return _multiple(text, int(kind.rstrip(")").partition(",")[2]))
    return True


def _multiple(text: str, digits: int) -> bool:
    """Say whether a text is a number with at most so many digits after the decimal mark."""
    if _PLAIN.fullmatch(text):
        return True
    try:
        number = Decimal(text)
        return number.is_finite() and (Fraction(number) * 10**digits).denominator == 1
    except InvalidOperation:
        return False
