"""How shares of mass are written in a picture: as fractions a person can add up, else as decimals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from tclose.exact import decimal_text
from tclose.render.words.numbers import over

LONGEST = 9
"""A fraction of more characters is shown as a decimal; the exact one is in the element's title."""

_LARGEST_SHARED = 120


def shared_denominator(values: Iterable[Fraction]) -> int:
    """Return the denominator under which all values are easily compared and added, or 1 if there is none.

    Examples
    --------
    >>> shared_denominator([Fraction(2, 9), Fraction(2, 3)]), shared_denominator([Fraction(1, 997), Fraction(1, 9)])
    (9, 1)
    """
    found = 1
    for value in values:
        found = math.lcm(found, value.denominator)
        if found > _LARGEST_SHARED:
            return 1
    return found


def amount(value: Fraction, common: int = 1) -> str:
    """Return a share as it is written in a picture.

    Parameters
    ----------
    value
        The share.
    common
        A denominator to write it over, as the neighbours are.

    Examples
    --------
    >>> amount(Fraction(2, 3), 9), amount(Fraction(1), 9), amount(Fraction(12345, 67891))
    ('6/9', '1', '0.1818')
    """
    if common % value.denominator == 0:
        return over(value, common)
    text = str(value)
    return text if len(text) <= LONGEST else decimal_text(float(value))


def alike(values: Sequence[Fraction], longest: int = LONGEST) -> list[str]:
    """Return shares written in one way: over one denominator, else as fractions if all are short, else as decimals.

    Parameters
    ----------
    values
        The shares.
    longest
        How many characters a fraction may have.

    Examples
    --------
    >>> alike([Fraction(2, 9), Fraction(2, 3)]), alike([Fraction(1, 2), Fraction(12345, 67891)])
    (['2/9', '6/9'], ['0.5', '0.1818'])
    """
    common = shared_denominator(values)
    texts = [amount(value, common) for value in values]
    short = all(len(str(value)) <= longest for value in values) and all(len(text) <= longest for text in texts)
    return texts if short else [decimal_text(float(value)) for value in values]


def exactly(value: Fraction) -> str:
    """Return a share exactly, with its decimal: ``3/8 = 0.375``, ``17/72 ≈ 0.2361``.

    Examples
    --------
    >>> exactly(Fraction(3, 8)), exactly(Fraction(17, 72)), exactly(Fraction(0))
    ('3/8 = 0.375', '17/72 ≈ 0.2361', '0')
    """
    if value.denominator == 1:
        return str(value.numerator)
    decimal = decimal_text(float(value))
    return f"{value} {'=' if Fraction(decimal) == value else '≈'} {decimal}"


def result(value: Fraction) -> str:
    """Return a distance for a heading: exactly, or as a decimal where the fraction is long.

    Examples
    --------
    >>> result(Fraction(3, 8)), result(Fraction(5709535, 62103558))
    ('3/8 = 0.375', '≈ 0.0919')
    """
    whole = exactly(value)
    return whole if len(str(value)) <= LONGEST else whole.partition(" ")[2]


def equals(name: str, value: Fraction) -> str:
    """Return a named result: ``area = 3/8 = 0.375``, ``area ≈ 0.0919``."""
    text = result(value)
    return f"{name} {text}" if text.startswith("≈") else f"{name} = {text}"
