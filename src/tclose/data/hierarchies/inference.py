"""Which hierarchy suits a column whose owner gave none: judged by its values alone."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from tclose.data.hierarchies.codes import mask_hierarchy
from tclose.data.hierarchies.dates import date_hierarchy, days_of, levels_that_unite
from tclose.data.hierarchies.groups import Bands, FindBands, flat_hierarchy, group_hierarchy, quantile_hierarchy
from tclose.data.hierarchies.leaves import (
    Leaves,
    in_order,
    leaves_of,
    numbers_of,
    places_of,
    plain,
    scaled,
    sorted_leaves,
    weights_of,
)
from tclose.data.hierarchies.numbers import in_intervals
from tclose.data.hierarchies.tree import Hierarchy
from tclose.data.values import exact_text

FEW = 2
"""Up to this many distinct values there is nothing between the values and the root."""
MOST_WIDTHS = 4
"""How many levels of intervals or groups are made at most."""
LONGEST_CODE = 16
_WORD = 2**62

_NUMBER = r"[-−]?\d+(?:[.,]\d+)?\s*(?:k|%)?"
_INTERVAL = re.compile(
    rf"[\[(]?\s*{_NUMBER}\s*(?:[-–—…~:;,]|\.\.+|to)\s*{_NUMBER}\s*[\])]?"
    rf"|(?:[<>]=?|[≤≥])\s*{_NUMBER}|{_NUMBER}\s*(?:\+|or more|and over|and more)",
    re.IGNORECASE,
)
_STEM = re.compile(r"[A-Za-z0-9][A-Za-z0-9./-]*|", re.ASCII)


def inferred_hierarchy(
    values: Iterable[object],
    counts: Iterable[int],
    kind: str,
    categories: Sequence[str] | None = None,
    bands: FindBands = lambda: None,
) -> Hierarchy | None:
    """Return a hierarchy that suits the values, or None where they do not show one.

    Truth values and columns of up to two values stay flat; ordered categories are grouped with their
    neighbours; numbers get intervals of round widths; dates the calendar; texts of one length that are
    mostly digits are codes, masked from the right, and codes that are masked already are masked further.

    Parameters
    ----------
    values, counts
        The distinct values, and how many rows carry each; missing ones are left out.
    kind
        What the values are: ``number``, ``time``, ``truth``, ``text`` or ``mixed``.
    categories
        The order that the column itself declares, if it does.
    bands
        Finds where groups of numbers and times may begin, if not at every value.

    Examples
    --------
    >>> inferred_hierarchy([17, 38, 90], [5, 9, 2], "number").rows[1]
    ('38', '[0, 50)', '*')
    >>> inferred_hierarchy(["clerk", "nurse", "smith"], [1, 1, 1], "text") is None
    True
    """
    values = plain(values)
    leaves = leaves_of(values)
    if kind == "truth" or len(leaves) <= FEW:
        return flat_hierarchy(leaves.values())
    if categories is not None:
        return neighbour_hierarchy(in_order(leaves, categories))
    if kind == "number":
        return round_interval_hierarchy(values, counts, bands)
    if kind == "time":
        return _calendar_or_quantiles(values, counts, bands)
    return _text_hierarchy(leaves) if kind == "text" else None


def neighbour_hierarchy(ordered: Sequence[object], bands: Bands | None = None) -> Hierarchy:
    """Return values in groups of 2, 4, 8, … neighbours, or of more where that would make too many levels."""
    size = next(size for size in itertools.count(2) if size ** (MOST_WIDTHS + 1) >= len(ordered))
    return group_hierarchy(ordered, size, bands=bands)


def round_interval_hierarchy(
    values: Iterable[object], counts: Iterable[int], bands: FindBands = lambda: None
) -> Hierarchy:
    """Return numbers in intervals of up to four round widths (1, 2 or 5 times a power of ten).

    The widest intervals cut the range of the numbers into about four; the narrowest cut the middle half of
    the rows into about eight or more. A width that would unite nothing, or everything, is left out; where none of
    these unites, wider ones are tried, and at last two groups of about equal numbers of rows.

    Parameters
    ----------
    values, counts
        The distinct numbers, and how many rows carry each; missing ones are left out.
    bands
        Finds where groups of about equal numbers of rows may begin, if not at every value.

    Raises
    ------
    HierarchyError
        When a value is no number.
    """
    values, counts = plain(values), list(counts)
    leaves = sorted_leaves(values)
    weights, numbers = weights_of(values, counts), numbers_of(leaves)
    rows_of: dict[Fraction | int, int] = {}
    for leaf, number in zip(leaves, numbers, strict=True):
        if not isinstance(number, float):
            rows_of[number] = rows_of.get(number, 0) + weights[leaf]
    if len(rows_of) <= FEW:
        return flat_hierarchy(values)
    places, _, common = scaled(list(rows_of), ())
    rows = dict(sorted(zip(places, rows_of.values(), strict=True)))
    ordered = [int(place) for place in rows]
    span, half = ordered[-1] - ordered[0], _middle_half(ordered, list(rows.values()))
    for parts in (4, 2, 1):
        candidates = _round_widths(Fraction(span, parts * common), Fraction(half, 8 * common))
        if widths := _uniting(candidates, ordered, common):
            return in_intervals(leaves, numbers, widths)
    return quantile_hierarchy(values, counts, groups=2, bands=bands())


def _middle_half(ordered: Sequence[int], rows: Sequence[int]) -> int:
    """Return the distance of the quartiles of the rows; of the distinct numbers where half the rows are equal."""
    running = list(itertools.accumulate(rows))
    quartiles = [
        next(place for place, below in zip(ordered, running, strict=True) if 4 * below >= quarters * running[-1])
        for quarters in (1, 3)
    ]
    distinct = len(ordered)
    return quartiles[1] - quartiles[0] or ordered[3 * distinct // 4] - ordered[distinct // 4]


def _round_widths(widest: Fraction, narrowest: Fraction) -> list[Fraction]:
    """Return round widths from about the widest to about the narrowest, each a multiple of the next."""
    chain = [_round_up(widest)]
    while chain[-1] > narrowest or len(chain) < MOST_WIDTHS:
        leading = exact_text(chain[-1]).strip("0.")
        chain.append(chain[-1] / (5 if leading == "5" else 2))
    return chain


def _round_up(number: Fraction) -> Fraction:
    """Return the smallest of 1, 2 and 5 times a power of ten that is not below a positive number."""
    power = Fraction(10) ** (len(str(number.numerator)) - len(str(number.denominator)) - 1)
    return next(power * factor for factor in (1, 2, 5, 10, 20, 50, 100) if power * factor >= number)


def _uniting(widths: Sequence[Fraction], ordered: Sequence[int], common: int) -> list[Fraction]:
    """Return widths, ascending and spread over those given, each of which unites more than the one before."""
    useful: list[Fraction] = []
    nodes = 1
    for width in widths:
        found = _intervals_taken(ordered, width * common)
        if nodes < found < len(ordered):
            useful.insert(0, width)
            nodes = found
    if len(useful) <= MOST_WIDTHS:
        return useful
    last = len(useful) - 1
    return [useful[at * last // (MOST_WIDTHS - 1)] for at in range(MOST_WIDTHS)]


def _intervals_taken(ordered: Sequence[int], unit: Fraction) -> int:
    """Return in how many intervals of a width ascending places lie: by numbers of the machine where these suffice."""
    small = max(abs(ordered[0]), abs(ordered[-1])) * unit.denominator < _WORD > unit.numerator
    places = np.array(ordered, dtype=np.int64 if small else object)
    return 1 + int(np.count_nonzero(np.diff(places * unit.denominator // unit.numerator)))


def _calendar_or_quantiles(values: Sequence[object], counts: Iterable[int], bands: FindBands) -> Hierarchy | None:
    leaves = leaves_of(values)
    days = days_of(leaves)
    if days is not None:
        return _calendar(leaves, days)
    return quantile_hierarchy(values, counts, bands=bands()) if places_of(leaves) is not None else None


def _calendar(leaves: Leaves, days: Sequence[dt.date]) -> Hierarchy:
    levels = levels_that_unite(days, len(leaves))
    return date_hierarchy(leaves.values(), levels) if levels else flat_hierarchy(leaves.values())


def _text_hierarchy(leaves: Leaves) -> Hierarchy | None:
    texts = [value for value in leaves.values() if isinstance(value, str)]
    if len(texts) < len(leaves):
        return None
    days = days_of(leaves)
    if days is not None:
        return _calendar(leaves, days)
    if len({len(text) for text in texts}) > 1 or len(texts[0]) > LONGEST_CODE:
        return None
    if any(_INTERVAL.fullmatch(text) for text in texts):
        return None
    if _are_codes(texts, [text.rstrip("*") for text in texts]):
        return mask_hierarchy(texts)
    if _are_codes(texts, [text.lstrip("*") for text in texts]):
        return mask_hierarchy(texts, from_the="left")
    return None


def _are_codes(texts: Sequence[str], stems: Sequence[str]) -> bool:
    """Say whether texts are codes, given what is left of them without a mask: masked somewhere, or mostly digits."""
    if not all(_STEM.fullmatch(stem) for stem in stems):
        return False
    digits = sum(character.isdigit() for stem in stems for character in stem)
    masked = sum(map(len, texts)) - sum(map(len, stems))
    return masked > 0 or 2 * digits >= sum(map(len, stems))
