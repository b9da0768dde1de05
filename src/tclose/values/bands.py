"""Bands of numbers written as text ("10-20%", "<5", "55<=", "65+"), and their order."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from fractions import Fraction

Band = tuple[Fraction | float, Fraction | float]
"""The least and the greatest number of a band; infinite where it is open."""

_NUMBER = r"(-?(?:0|[1-9]\d{0,17})(?:\.(?!\d{3}(?!\d))\d{1,18})?)\s*(?:%|years|yrs|y)?"  # 1.000 may be a thousand
_TO = r"\s*(?:-|–|—|~|\.\.|to|bis|à|a)\s*"
_BETWEEN = re.compile(rf"[\[(]?\s*{_NUMBER}{_TO}{_NUMBER}\s*[\])]?", re.IGNORECASE | re.ASCII)
_LISTED = re.compile(rf"[\[(]\s*{_NUMBER}\s*[,;]\s*{_NUMBER}\s*[\])]", re.IGNORECASE | re.ASCII)
_BELOW = re.compile(rf"(?:(?:<=?|≤|under|below|up to|less than)\s*{_NUMBER}|{_NUMBER}\s*(?:>=?|≥))", re.IGNORECASE)
_ABOVE = re.compile(
    rf"(?:(?:>=?|≥|over|above|more than)\s*{_NUMBER}|{_NUMBER}\s*(?:<=?|≤|\+|or more|or over|and over|and more))",
    re.IGNORECASE,
)
_ALONE = re.compile(_NUMBER, re.IGNORECASE | re.ASCII)


def band_of(text: str) -> Band | None:
    """Return the ends of a band, or of a number alone; None where a text is neither.

    Examples
    --------
    >>> band_of("10-20%"), band_of("55<=")
    ((Fraction(10, 1), Fraction(20, 1)), (Fraction(55, 1), inf))
    >>> band_of("2013-05") is None  # a month: numbers of bands have no idle zeros
    True
    """
    text = text.strip()
    if found := _BETWEEN.fullmatch(text) or _LISTED.fullmatch(text):
        low, high = map(Fraction, found.groups())
        return (low, high) if low <= high else None
    for pattern, upwards in ((_BELOW, False), (_ABOVE, True)):
        if found := pattern.fullmatch(text):
            end = Fraction(next(filter(None, found.groups())))
            return (end, math.inf) if upwards else (-math.inf, end)
    found = _ALONE.fullmatch(text)
    return (Fraction(found[1]), Fraction(found[1])) if found else None


def bands_in_order(texts: Sequence[str]) -> list[int] | None:
    """Return the positions of texts from the lowest band to the highest; None where they are not bands side by side.

    Bands may touch and not overlap. Numbers may stand among them, but not alone: those have an order of their own.

    Examples
    --------
    >>> bands_in_order(["10-14", "5-9", "<5", "15+"]), bands_in_order(["10-20", "15-25"]), bands_in_order(["1", "2"])
    ([2, 1, 0, 3], None, None)
    """
    bands = []
    for text in texts:
        if (band := band_of(text)) is None:
            return None
        bands.append(band)
    order = sorted(range(len(bands)), key=bands.__getitem__)
    apart = all(bands[before][1] <= bands[after][0] for before, after in itertools.pairwise(order))
    different = len(set(bands)) == len(bands)
    return order if apart and different and any(low != high for low, high in bands) else None
