"""Numbers rounded to the nearest multiples of a step, exactly: what every engine has to know of it."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from tclose.errors import InputError, counted

WHOLE = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, "BIGINT": 63, "HUGEINT": 127}
"""The types of whole numbers with the bits that they have beside the sign."""
UNSIGNED = {"UTINYINT": 8, "USMALLINT": 16, "UINTEGER": 32, "UBIGINT": 64, "UHUGEINT": 128}
WIDER = dict.fromkeys(("TINYINT", "SMALLINT", "UTINYINT", "USMALLINT"), "INTEGER")
"""Types so narrow that a rounded number may well have no place in them, and those that it has."""
MOST_DIGITS = 38
FLOAT_PLACES = 18
"""Of a float, so many digits after the decimal mark decide; those of a step are fewer."""
LARGEST_FLOAT = 10**19
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def nearest(value: str, step: str) -> str:
    """Return the SQL of a number rounded to the nearest multiple of a step; a tie goes away from zero.

    Parameters
    ----------
    value
        The SQL of the number, of a type with exact remainders.
    step
        The SQL of the step, of the same type.
    """
    rest = f"({value} % {step})"
    away = f"CASE WHEN {value} < 0 THEN -{step} ELSE {step} END"
    return f"({value} - {rest} + CASE WHEN abs({rest}) >= {step} - abs({rest}) THEN {away} ELSE {step} - {step} END)"


def rounded(number: Fraction, step: Fraction) -> Fraction:
    """Return a number rounded to the nearest multiple of a step; a tie goes away from zero.

    Examples
    --------
    >>> [int(rounded(Fraction(number), Fraction(1000))) for number in (1499, 1500, -1499, -1500, 0)]
    [1000, 2000, -1000, -2000, 0]
    """
    times = (abs(number) * 2 + step) // (step * 2)
    return times * step if number >= 0 else -times * step


def places(step: Fraction) -> int:
    """Return how many digits a step has after its decimal mark."""
    return next(digits for digits in range(FLOAT_PLACES) if not 10**digits % step.denominator)


def plain(step: Fraction) -> str:
    """Return a step as a plain decimal."""
    return format(Decimal(step.numerator) / Decimal(step.denominator), "f")


def scale_of(kind: str) -> tuple[int, int] | None:
    """Return the digits of a decimal type and those after its mark; None for another type."""
    found = _DECIMAL.fullmatch(kind)
    return None if found is None else (int(found[1]), int(found[2]))


def rounded_type(kind: str, step: Fraction) -> str | None:
    """Return the type of rounded numbers; None where values of a type are no numbers. It follows from both alone."""
    if kind in WHOLE or kind in UNSIGNED:
        if step.denominator == 1 or is_idle(kind, step):
            return WIDER.get(kind, kind)
        return f"DECIMAL({MOST_DIGITS},{places(step)})"
    if (digits := scale_of(kind)) is not None:
        after = max(digits[1], places(step))
        before = max(digits[0] - digits[1], len(str(step.numerator // step.denominator))) + 1
        return f"DECIMAL({min(MOST_DIGITS, before + after)},{after})"
    return "DOUBLE" if kind == "DOUBLE" else None


def is_idle(kind: str, step: Fraction) -> bool:
    """Say whether every number of a type is a multiple of a step."""
    return (kind in WHOLE or kind in UNSIGNED) and step.numerator == 1


def no_numbers(name: str, label: str, kind: str) -> InputError:
    """Return that a column cannot be rounded because of what it holds."""
    held = "text" if kind == "VARCHAR" else "true and false" if kind == "BOOLEAN" else f"values of the type {kind}"
    return InputError(
        f"The column {name!r} of {label} is to be rounded, and holds {held}, not numbers. Clean it, give it a type of "
        "numbers, or do not round it."
    )


def too_large(name: str, label: str, found: int) -> InputError:
    """Return that some numbers have no rounded number in the type of their column."""
    return InputError(
        f"The column {name!r} of {label} has {counted(found, 'number')} too large to be rounded in its type. Give it a "
        "wider type, or clean it."
    )
