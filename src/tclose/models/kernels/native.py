"""What takes one machine instruction in the compiled kernels, in plain Python."""

from __future__ import annotations

from math import frexp

import numpy as np


def lowest_bit(word: int) -> int:
    """Return the position of the lowest set bit of a word that is not 0.

    Examples
    --------
    >>> [lowest_bit(word) for word in (1, 2, 12, 1 << 63)]
    [0, 1, 2, 63]
    """
    return (word & -word).bit_length() - 1


def mantissa(x: float) -> float:
    """Return the mantissa of a number that is not negative, from ½ to below 1.

    Examples
    --------
    >>> mantissa(6.0), exponent(6.0)
    (0.75, 3)
    """
    return frexp(x)[0]


def exponent(x: float) -> int:
    """Return the power of 2 by which the mantissa is multiplied."""
    return frexp(x)[1]


def single(x: float) -> np.float32:
    """Return the nearest single float; numbers computed with it are single floats too.

    Examples
    --------
    >>> float(single(16777217.0))
    16777216.0
    """
    return np.float32(x)
