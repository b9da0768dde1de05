"""Exact numbers: how a threshold is read and how a fraction is shown."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Rational

from tclose.errors import Hint, ThresholdError, about

Number = str | int | float | Decimal | Fraction
"""What a person may write as a threshold: ``0.2``, ``"0.2"``, ``"1/5"``, ``Fraction(1, 5)``."""

_SHORT = 12
"""Letters up to which a decimal is preferred to its fraction."""
_MOST_BITS, _MOST_DIGITS, _MOST_PLACES = 8_000, 800, 1_400
"""Numbers beyond these sizes mean nothing to anybody, and take memory and time."""
_LONGEST_SHOWN = 80
_FRACTION = re.compile(r"\s*([+-]?\d{1,400})\s*/\s*(\d{1,400})\s*")
_DECIMAL = re.compile(r"\s*[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,3})?\s*")


DECIMALS = "a decimal such as 0.2 or a fraction such as 1/5"


def fraction(number: Number, name: str = "number", wanted: str = DECIMALS) -> Fraction:
    """Return the fraction a person meant: a decimal is the decimal as written, not its binary neighbour.

    Parameters
    ----------
    number
        A decimal or fraction, as text or as a number. A float stands for its shortest decimal.
    name
        What the number is, for the message when it cannot be read.
    wanted
        What is to be written, for that message.

    Examples
    --------
    >>> fraction("0.2"), fraction(0.1), fraction("3/8"), fraction("1e-3")
    (Fraction(1, 5), Fraction(1, 10), Fraction(3, 8), Fraction(1, 1000))
    """
    if isinstance(number, bool):
        raise ThresholdError(f"{name} must be a number such as 0.2 or 1/5, not a truth value.")
    if isinstance(number, Rational):
        parts = int(number.numerator), int(number.denominator)
        if max(part.bit_length() for part in parts) > _MOST_BITS:
            raise _too_long(name)
        return Fraction(*parts)
    if isinstance(number, float):
        if not math.isfinite(number):
            raise ThresholdError(f"{name} must be finite; write a decimal such as 0.2 or a fraction such as 1/5.")
        return Fraction(Decimal(repr(float(number))))
    if isinstance(number, Decimal):
        if not number.is_finite():
            raise ThresholdError(f"{name} must be finite; write a decimal such as 0.2 or a fraction such as 1/5.")
        if len(number.as_tuple().digits) > _MOST_DIGITS or abs(number.adjusted()) > _MOST_PLACES:
            raise _too_long(name)
        return Fraction(number)
    return _from_text(str(number), name, wanted)


def _too_long(name: str) -> ThresholdError:
    return ThresholdError(f"{name} is longer or larger than any number that means something; write one such as 0.2.")


def _from_text(text: str, name: str, wanted: str) -> Fraction:
    as_fraction = _FRACTION.fullmatch(text)
    if as_fraction and int(as_fraction[2]) != 0:
        return Fraction(int(as_fraction[1]), int(as_fraction[2]))
    if _DECIMAL.fullmatch(text):
        try:
            return Fraction(Decimal(text.strip()))
        except InvalidOperation:  # pragma: no cover - the pattern admits only decimals
            pass
    if len(text) > _LONGEST_SHOWN:
        raise _too_long(name)
    raise ThresholdError(f"{name} must be {wanted}, not {text!r}.", hint=in_percent(text))


def in_percent(text: str) -> Hint | None:
    """Return how a number in percent is written; None for another."""
    number = text.strip().removesuffix("%")
    if number == text.strip() or not _DECIMAL.fullmatch(number):
        return None
    return Hint("{} % is {}.", number.strip(), written(Fraction(Decimal(number.strip())) / 100))


def share(number: Number, name: str) -> Fraction:
    """Return a share of rows, from none to all, checked."""
    with about(field=name):
        found = fraction(number, name)
    if not 0 <= found <= 1:
        meant = in_percent(f"{written(found)}%") if 1 < found <= 100 else None
        raise ThresholdError(f"{name} must be a share of the rows: at least 0 and at most 1.", field=name, hint=meant)
    return found


def as_float(number: Fraction | int) -> float:
    """Return the nearest float, infinite where the number is beyond all floats."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def written(number: object) -> str:
    """Return a number so that it reads back as the same number: a decimal where it is a short one, else a fraction.

    Examples
    --------
    >>> written(Fraction(1, 5)), written(Fraction(1, 3)), written(fraction("0.09999999999999998")), written(5)
    ('0.2', '1/3', '0.09999999999999998', '5')
    """
    if not isinstance(number, Fraction):
        return str(number)
    decimal = _whole_decimal(number)
    text = str(number)
    return decimal if decimal is not None and len(decimal) <= max(_SHORT, len(text)) else text


def _whole_decimal(number: Fraction) -> str | None:
    """Return the decimal that is the number, or None where it has no end."""
    twos, rest = _power(number.denominator, 2)
    fives, rest = _power(rest, 5)
    if rest != 1:
        return None
    places = max(twos, fives)
    digits = Decimal(number.numerator * 10**places // number.denominator).as_tuple().digits
    exact = Decimal((number < 0, digits, -places))
    return format(exact, "f") if number.denominator < 10**_SHORT else str(exact).lower()


def _power(number: int, base: int) -> tuple[int, int]:
    """Return how often a number is divisible by another, and what is left."""
    times = 0
    while number % base == 0:
        number //= base
        times += 1
    return times, number


def shown(value: Fraction | float | int | None, digits: int = 4, *, limit: Fraction | None = None) -> str:
    """Return a value as a person reads it: ``0.375 (3/8)``, ``0.2361 (17/72)``, ``5``.

    Beside a limit it has as many digits as it takes to read on its side of the limit.

    Examples
    --------
    >>> shown(Fraction(3, 8)), shown(Fraction(17, 72)), shown(5), shown(float("inf")), shown(None)
    ('0.375 (3/8)', '0.2361 (17/72)', '5', '∞', '–')
    >>> shown(Fraction("0.1000004"), limit=Fraction("0.1"))
    '0.1000004 (250001/2500000)'
    """
    if value is None:
        return "–"
    if not isinstance(value, Fraction):
        return str(value) if isinstance(value, int) else decimal_text(float(value), digits)
    if value.denominator == 1:
        return str(value.numerator)
    text = decimal_beside(value, limit, digits)
    short = len(str(value.numerator)) + len(str(value.denominator)) <= 16
    return f"{text} ({value})" if short else text


def decimal_beside(value: Fraction, limit: Fraction | None, digits: int = 4) -> str:
    """Return a fraction rounded for reading, with so many digits that it reads on its side of a limit.

    Examples
    --------
    >>> decimal_beside(Fraction("0.123444"), Fraction("0.12344")), decimal_beside(Fraction(1, 3), Fraction(1, 3))
    ('0.123444', '0.3333')
    """
    text = decimal_text(as_float(value), digits)
    if limit is None or abs(value - limit) > 1:
        return text
    if value == limit:
        return _whole_decimal(value) or text
    while (Fraction(text) > limit) != (value > limit) or Fraction(text) == limit:
        digits += 1
        text = _whole_decimal(round(value, digits)) or text
    return text


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
