"""Numbers whose extremes are united, and numbers that are rounded."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from tclose.errors import HierarchyError
from tclose.exact import Number
from tclose.hierarchies.intervals import half_open
from tclose.hierarchies.leaves import grown, multiples_given, numbers_given, numbers_of, sorted_leaves
from tclose.hierarchies.tree import Hierarchy
from tclose.values import exact_text


def top_hierarchy(values: Iterable[object], top: Number, widths: Sequence[Number] = ()) -> Hierarchy:
    """Return numbers of which those from ``top`` on are one: ``≥ 90``; then in intervals of widths, if some are given.

    Parameters
    ----------
    values
        The numbers, or texts that read as numbers; missing ones are left out.
    top
        The first number of those that are united.
    widths
        The width of the intervals below it on further levels, each a multiple of the one before.

    Examples
    --------
    >>> for row in top_hierarchy([17, 88, 93], 90, [20]).rows:
    ...     print(" < ".join(row))
    17 < 17 < [0, 20) < *
    88 < 88 < [80, 90) < *
    93 < ≥ 90 < ≥ 90 < *
    """
    (limit,) = numbers_given([top], "number to start from")
    label = f"≥ {exact_text(limit)}"
    return _coded(values, widths, f"top:{exact_text(limit)}", lambda at: label if at >= limit else None, high=limit)


def bottom_hierarchy(values: Iterable[object], bottom: Number, widths: Sequence[Number] = ()) -> Hierarchy:
    """Return numbers of which those below ``bottom`` are one: ``< 18``; then in intervals of widths, if some are given.

    Parameters
    ----------
    values, widths
        As for :func:`top_hierarchy`.
    bottom
        The first number that stays.

    Examples
    --------
    >>> for row in bottom_hierarchy([7, 18, 25], 18, [10]).rows:
    ...     print(" < ".join(row))
    7 < < 18 < < 18 < *
    18 < 18 < [18, 20) < *
    25 < 25 < [20, 30) < *
    """
    (limit,) = numbers_given([bottom], "number to end before")
    label = f"< {exact_text(limit)}"
    return _coded(values, widths, f"bottom:{exact_text(limit)}", lambda at: label if at < limit else None, low=limit)


def _coded(
    values: Iterable[object],
    widths: Sequence[Number],
    rule: str,
    united: Callable[[Fraction | float], str | None],
    *,
    low: Fraction | None = None,
    high: Fraction | None = None,
) -> Hierarchy:
    leaves = sorted_leaves(values)
    numbers = numbers_of(leaves)
    steps = multiples_given(widths, "width") if widths else []

    def between(leaf: str, number: Fraction | float, step: Fraction) -> str:
        if isinstance(number, float):
            return leaf
        start = math.floor(number / step) * step
        end = start + step
        return half_open(start if low is None else max(start, low), end if high is None else min(end, high))

    first = [united(number) or leaf for number, leaf in zip(numbers, leaves, strict=True)]
    more = [
        [united(number) or between(leaf, number, step) for leaf, number in zip(leaves, numbers, strict=True)]
        for step in steps
    ]
    return grown(leaves, [first, *more], rule=",".join([rule, *map(exact_text, steps)]))


def round_hierarchy(values: Iterable[object], units: Number | Sequence[Number]) -> Hierarchy:
    """Return numbers rounded to multiples of a unit, halves upwards.

    Parameters
    ----------
    values
        The numbers, or texts that read as numbers; missing ones are left out. An infinity stands for itself.
    units
        The unit of each level, each an odd multiple of the one before, so that what was rounded alike stays together.

    Examples
    --------
    >>> for row in round_hierarchy([1240, 1250, 1449], [100, 300]).rows:
    ...     print(" < ".join(row))
    1240 < 1200 < 1200 < *
    1250 < 1300 < 1200 < *
    1449 < 1400 < 1500 < *
    """
    steps = multiples_given(units, "unit")
    if any((after / before) % 2 == 0 for before, after in itertools.pairwise(steps)):
        raise HierarchyError(
            "A unit is an even multiple of the one before, so that numbers that were rounded alike would be parted; "
            "round to one unit, or to odd multiples such as 100,300."
        )
    leaves = sorted_leaves(values)
    numbers = numbers_of(leaves)
    levels = [
        [
            exact_text(math.floor(number / step + Fraction(1, 2)) * step) if not isinstance(number, float) else leaf
            for number, leaf in zip(numbers, leaves, strict=True)
        ]
        for step in steps
    ]
    return grown(leaves, levels, rule=f"round:{','.join(map(exact_text, steps))}")
