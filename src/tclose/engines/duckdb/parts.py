"""One type for a column whose parts have different ones, so that no two different values become one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from tclose.engines.duckdb.exposing import FINE_ZONED, ZONED, exposed
from tclose.engines.duckdb.problems import LONG, MIXED, TOO_LARGE

_DIGITS = {
    "TINYINT": 3, "SMALLINT": 5, "INTEGER": 10, "BIGINT": 19, "UTINYINT": 3, "USMALLINT": 5, "UINTEGER": 10,
    "UBIGINT": 20, "HUGEINT": 38, "UHUGEINT": 38,
}  # fmt: skip
"""How many digits whole numbers of a type may have."""
_MOST_DIGITS = 38
_EXACT_IN_REAL = 15
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_REALS = frozenset(("FLOAT", "DOUBLE"))
_FAMILIES = (
    (frozenset(("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS")), "TIMESTAMP"),
    (frozenset(("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS")), "TIMESTAMP_NS"),
    (frozenset((ZONED, FINE_ZONED)), FINE_ZONED),
    (frozenset(("TIME", "TIME_NS")), "TIME_NS"),
)

Keeps = Callable[[str, str], bool]
"""Says whether all values of the parts of one type keep their digits, by the SQL of that with ``{0}`` for a value."""


def type_for_all(kinds: Collection[str], keeps: Keeps) -> tuple[str, str | None]:
    """Return the type that takes the values of all parts, and why there is none if there is not.

    Parameters
    ----------
    kinds
        The types of the parts.
    keeps
        Looks at the values of the parts of one type.
    """
    given = {"VARCHAR" if kind.startswith("ENUM(") else kind for kind in kinds if kind.strip('"') != "NULL"}
    if len(given) <= 1:
        return next(iter(given), "VARCHAR"), None
    sizes = {kind: _size(kind) for kind in given - _REALS}
    if all(sizes.values()):
        if given & _REALS:
            long = [kind for kind, size in sizes.items() if size and sum(size) > _EXACT_IN_REAL]
            return "DOUBLE", None if all(keeps(kind, _kept_by_real(kind)) for kind in long) else TOO_LARGE
        return _exact([size for size in sizes.values() if size])
    return next(((kind, None) for family, kind in _FAMILIES if given <= family), ("VARCHAR", MIXED))


def _kept_by_real(kind: str) -> str:
    """Return the SQL of whether a number is the shortest decimal of the float nearest to it."""
    return f"TRY_CAST(CAST(CAST({{0}} AS DOUBLE) AS VARCHAR) AS {kind}) = {{0}}"


def _size(kind: str) -> tuple[int, int] | None:
    """Return how many digits numbers of a type may have before and after the decimal mark; None for other types."""
    if decimal := _DECIMAL.fullmatch(kind):
        return int(decimal[1]) - int(decimal[2]), int(decimal[2])
    return (_DIGITS[kind], 0) if kind in _DIGITS else None


def _exact(sizes: list[tuple[int, int]]) -> tuple[str, str | None]:
    before, after = (max(size[part] for size in sizes) for part in (0, 1))
    if before + after > _MOST_DIGITS:
        return "VARCHAR", LONG
    if after:
        return f"DECIMAL({_MOST_DIGITS},{after})", None
    return "BIGINT" if before <= _DIGITS["BIGINT"] else "HUGEINT", None


def brought_to(value: str, kind: str, common: str) -> str:
    """Return the SQL of a value of one type in the common one; a narrow float by its shortest decimal."""
    return f"CAST({exposed(kind).value.format(value) if kind == 'FLOAT' else value} AS {common})"
