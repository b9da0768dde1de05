"""Exact numbers: how a threshold is read and how a fraction is shown."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Rational

from tclose.errors import ThresholdError

Number = str | int | float | Decimal | Fraction
"""What a person may write as a threshold: ``0.2``, ``"0.2"``, ``"1/5"``, ``Fraction(1, 5)``."""

_FRACTION = re.compile(r"\s*([+-]?\d{1,400})\s*/\s*(\d{1,400})\s*")
_DECIMAL = re.compile(r"\s*[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,3})?\s*")


def fraction(number: Number, name: str = "number") -> Fraction:
    """Return the fraction a person meant: a decimal is the decimal as written, not its binary neighbour.

    Parameters
    ----------
    number
        A decimal or fraction, as text or as a number. A float stands for its shortest decimal.
    name
        What the number is, for the message when it cannot be read.

    Examples
    --------
    >>> fraction("0.2"), fraction(0.1), fraction("3/8"), fraction("1e-3")
    (Fraction(1, 5), Fraction(1, 10), Fraction(3, 8), Fraction(1, 1000))
    """
    if isinstance(number, bool):
        raise ThresholdError(f"{name} must be a number such as 0.2 or 1/5, not a truth value.")
    if isinstance(number, Rational):
        return Fraction(int(number.numerator), int(number.denominator))
    if isinstance(number, float):
        if not math.isfinite(number):
            raise ThresholdError(f"{name} must be finite; write a decimal such as 0.2 or a fraction such as 1/5.")
        return Fraction(Decimal(repr(float(number))))
    if isinstance(number, Decimal):
        if not number.is_finite():
            raise ThresholdError(f"{name} must be finite; write a decimal such as 0.2 or a fraction such as 1/5.")
        return Fraction(number)
    return _from_text(str(number), name)


def _from_text(text: str, name: str) -> Fraction:
    as_fraction = _FRACTION.fullmatch(text)
    if as_fraction and int(as_fraction[2]) != 0:
        return Fraction(int(as_fraction[1]), int(as_fraction[2]))
    if _DECIMAL.fullmatch(text):
        try:
            return Fraction(Decimal(text.strip()))
        except InvalidOperation:  # pragma: no cover - the pattern admits only decimals
            pass
    raise ThresholdError(f"{name} must be a decimal such as 0.2 or a fraction such as 1/5, not {text!r}.")


def as_float(number: Fraction | int) -> float:
    """Return the nearest float, infinite where the number is beyond all floats."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def shown(value: Fraction | float | int | None, digits: int = 4) -> str:
    """Return a value as a person reads it: ``0.375 (3/8)``, ``0.2361 (17/72)``, ``5``.

    Examples
    --------
    >>> shown(Fraction(3, 8)), shown(Fraction(17, 72)), shown(5), shown(float("inf")), shown(None)
    ('0.375 (3/8)', '0.2361 (17/72)', '5', '∞', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, Fraction):
        if value.denominator == 1:
            return str(value.numerator)
        text = decimal_text(as_float(value), digits)
        short = len(str(value.numerator)) + len(str(value.denominator)) <= 16
        return f"{text} ({value})" if short else text
    if isinstance(value, int):
        return str(value)
    return decimal_text(float(value), digits)


def decimal_text(value: float, digits: int = 4) -> str:
    """Return a float rounded for reading, never rounded to a false zero or a false one."""
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    rounded = f"{value:.{digits}f}"
    if (value != 0 and float(rounded) == 0) or (value < 1 and float(rounded) == 1):
        return f"{value:.{digits}g}" if value < 0.5 else f"{value:.10g}"
    return rounded.rstrip("0").rstrip(".") if "." in rounded else rounded
