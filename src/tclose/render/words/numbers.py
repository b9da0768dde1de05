"""How the numbers of an explanation read: fractions over one denominator, decimals where those grow long."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

from tclose.exact import as_float, decimal_text

_LARGEST_DENOMINATOR = 999
_SMALL_DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def amounts(values: Sequence[Fraction]) -> list[str]:
    """Return a column of numbers over one denominator, as one adds them by hand, or all as decimals.

    Examples
    --------
    >>> amounts([Fraction(2, 9), Fraction(2, 3), Fraction(0), Fraction(-1, 9)])
    ['2/9', '6/9', '0', '−1/9']
    >>> amounts([Fraction(1, 3), Fraction(1, 30162)])
    ['0.3333', '3.315e-05']
    >>> amounts([Fraction(1, 20000), Fraction(1, 30162)])
    ['0.00005', '0.0000332']
    """
    below = math.lcm(*(value.denominator for value in values))
    if below > _LARGEST_DENOMINATOR:
        largest = max(abs(as_float(value)) for value in values)
        digits = 2 - math.floor(math.log10(largest)) if 0 < largest < 1 else 0
        return [decimal(value, max(4, digits)) for value in values]
    return [over(value, below) for value in values]


def amount(value: Fraction) -> str:
    """Return one number as :func:`amounts` would.

    Examples
    --------
    >>> amount(Fraction(6, 9)), amount(Fraction(1773787, 4996838))
    ('2/3', '0.355')
    """
    return amounts([value])[0]


def over(value: Fraction, below: int) -> str:
    """Return a number over a multiple of its denominator; a whole number as it is.

    Examples
    --------
    >>> over(Fraction(2, 3), 9), over(Fraction(1), 9)
    ('6/9', '1')
    """
    above = value.numerator * (below // value.denominator)
    text = str(value.numerator) if value.denominator == 1 else f"{above}/{below}"
    return text.replace("-", "−")


def decimal(value: Fraction, digits: int = 4) -> str:
    """Return a number as a decimal, rounded for reading.

    Examples
    --------
    >>> decimal(Fraction(1, 3)), decimal(Fraction(34 * 10**307))
    ('0.3333', '3.4e+308')
    """
    near = as_float(value)
    huge = math.isinf(near)
    text = _in_powers(value, digits) if huge else decimal_text(near, digits)
    return text.replace("-", "−").replace("e−", "e-")


def _in_powers(value: Fraction, digits: int) -> str:
    """Return a number that no float holds as a decimal times a power of ten."""
    rounded = Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{rounded.normalize():e}"


def quantity(value: Fraction) -> str:
    """Return a length in the units of an attribute: as a decimal where that is exact.

    Examples
    --------
    >>> quantity(Fraction(173, 2)), quantity(Fraction(13)), quantity(Fraction(1, 3))
    ('86.5', '13', '1/3')
    """
    rounded = decimal(value)
    return rounded if "e" not in rounded and Fraction(rounded) == value else amount(value)


def equals(value: Fraction) -> str:
    """Return a result as fraction and decimal: ``3/8 = 0.375``, ``17/72 ≈ 0.2361``, ``≈ 0.355``.

    Examples
    --------
    >>> equals(Fraction(3, 8)), equals(Fraction(17, 72)), equals(Fraction(1)), equals(Fraction(1773787, 4996838))
    ('= 3/8 = 0.375', '= 17/72 ≈ 0.2361', '= 1', '≈ 0.355')
    """
    rounded = decimal(value)
    sign = "=" if "e" not in rounded and Fraction(rounded.replace("−", "-")) == value else "≈"
    text = amount(value)
    return f"= {text}" if value.denominator == 1 else f"= {text} {sign} {rounded}" if "/" in text else f"{sign} {text}"


def chance(share: Fraction) -> str:
    """Return a share as people speak of it.

    Examples
    --------
    >>> chance(Fraction(1, 9)), chance(Fraction(2, 3)), chance(Fraction(1)), chance(Fraction(0))
    ('1 in 9', '2 in 3', 'all', 'none')
    >>> chance(Fraction(421, 30162)), chance(Fraction(1571, 3016)), chance(Fraction(29999, 30000))
    ('about 1 in 72', 'about 52 in 100', 'more than 99 in 100')
    """
    if share in (0, 1):
        return "all" if share else "none"
    if share.denominator <= 20:
        return f"{share.numerator} in {share.denominator}"
    if share <= Fraction(1, 5):
        exact = share.numerator == 1
        return f"{'' if exact else 'about '}1 in {round(1 / share):,}"
    if share > Fraction(99, 100):
        return "more than 99 in 100"
    return f"about {round(share * 100)} in 100"


def numbered(letter: str, number: int | str) -> str:
    """Return a letter with its number below the line: ``B₁``.

    Examples
    --------
    >>> numbered("B", 12), numbered("A", "1–5")
    ('B₁₂', 'A₁–₅')
    """
    return letter + str(number).translate(_SMALL_DIGITS)
