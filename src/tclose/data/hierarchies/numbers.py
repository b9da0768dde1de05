"""Numbers whose extremes are united, and numbers that are rounded."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from tclose.data.hierarchies.leaves import (
    Leaves,
    Place,
    grown,
    multiples_given,
    numbers_given,
    numbers_of,
    scaled,
    sorted_leaves,
)
from tclose.data.hierarchies.tree import Hierarchy
from tclose.data.values import exact_text
from tclose.errors import HierarchyError
from tclose.policy.exact_numbers import Number

# Numbers in intervals: of fixed widths, or between given breaks.


def interval_hierarchy(
    values: Iterable[object], widths: Number | Iterable[Number] = (5, 10, 20), *, start: Number = 0
) -> Hierarchy:
    """Return numbers in intervals ``[low, high)`` of fixed widths, wider level by level, under the root ``*``.

    Parameters
    ----------
    values
        The numbers, or texts that read as numbers; missing ones are left out. An infinity lies in no
        interval and stands for itself below the root.
    widths
        The width of the intervals on each level, each a multiple of the one before.
    start
        Where an interval starts on every level.

    Raises
    ------
    HierarchyError
        When a value is no number, or the widths are not positive multiples of each other.

    Examples
    --------
    >>> for row in interval_hierarchy([17, 22.5, -3], [5, 10]).rows:
    ...     print(" < ".join(row))
    -3 < [-5, 0) < [-10, 0) < *
    17 < [15, 20) < [10, 20) < *
    22.5 < [20, 25) < [20, 30) < *
    """
    leaves = sorted_leaves(values)
    return in_intervals(leaves, numbers_of(leaves), widths, start)


def in_intervals(
    leaves: Leaves, numbers: Sequence[Fraction | int | float], widths: Number | Iterable[Number], start: Number = 0
) -> Hierarchy:
    """Return such a hierarchy of sorted leaves whose numbers are known."""
    steps = multiples_given(widths, "width")
    places, (origin, *units), common = scaled(numbers, [*numbers_given([start], "start"), *steps])
    levels = [_between_steps(leaves, places, origin, unit, common) for unit in units]
    return grown(leaves, levels, rule=None if origin else f"intervals:{','.join(map(exact_text, steps))}")


def _between_steps(leaves: Iterable[str], places: Sequence[Place], origin: int, unit: int, common: int) -> list[str]:
    """Return the label of each leaf on the level whose intervals are ``unit`` wide."""
    label_of: dict[int, str] = {}
    labels = []
    for leaf, place in zip(leaves, places, strict=True):
        if not isinstance(place, int):
            labels.append(leaf)
            continue
        at = (place - origin) // unit
        if at not in label_of:
            low = origin + at * unit
            label_of[at] = half_open(Fraction(low, common), Fraction(low + unit, common))
        labels.append(label_of[at])
    return labels


def half_open(low: Fraction, high: Fraction) -> str:
    """Return the label of the numbers from ``low`` up to, but not including, ``high``."""
    return f"[{exact_text(low)}, {exact_text(high)})"


def break_hierarchy(values: Iterable[object], breaks: Iterable[Number] | Iterable[Iterable[Number]]) -> Hierarchy:
    """Return numbers in intervals between breaks: ``< first``, ``[first, second)``, …, ``≥ last``, under ``*``.

    Parameters
    ----------
    values
        The numbers, or texts that read as numbers; missing ones are left out.
    breaks
        Where intervals start, ascending: one list, or one list a level, each holding some of the breaks
        of the list before.

    Raises
    ------
    HierarchyError
        When a value is no number, breaks do not ascend, or a list has a break that the one before lacks.

    Examples
    --------
    >>> for row in break_hierarchy([12, 18, 40, 71], [[18, 30, 65], [18, 65]]).rows:
    ...     print(" < ".join(row))
    12 < < 18 < < 18 < *
    18 < [18, 30) < [18, 65) < *
    40 < [30, 65) < [18, 65) < *
    71 < ≥ 65 < ≥ 65 < *
    """
    lists = _lists_of_breaks(breaks)
    leaves = sorted_leaves(values)
    places, marks, common = scaled(numbers_of(leaves), list(itertools.chain(*lists)))
    following = iter(marks)
    levels = []
    for given in lists:
        own = list(itertools.islice(following, len(given)))
        labels = _labels_between([Fraction(mark, common) for mark in own])
        levels.append([labels[bisect_right(own, place)] for place in places])
    return grown(leaves, levels, rule="breaks:" + "/".join(",".join(map(exact_text, given)) for given in lists))


def _lists_of_breaks(breaks: Iterable[Number] | Iterable[Iterable[Number]]) -> list[list[Fraction]]:
    given = list(breaks)
    nested = [each for each in given if isinstance(each, list | tuple)]
    if nested and len(nested) < len(given):
        raise HierarchyError("The breaks mix numbers and lists; give one list of numbers, or one list a level.")
    lists = [numbers_given(each, "break") for each in (nested or [given])]
    for numbers in lists:
        if any(after <= before for before, after in itertools.pairwise(numbers)):
            raise HierarchyError("The breaks do not ascend; give each once, from the lowest to the highest.")
    for level, (finer, coarser) in enumerate(itertools.pairwise(lists), start=2):
        strange = len({*coarser} - {*finer})
        if strange:
            raise HierarchyError(
                f"Level {level} breaks at {strange} numbers at which level {level - 1} does not, so that its intervals "
                "would be torn; let each list hold some of the breaks of the list before."
            )
    return lists


def _labels_between(breaks: Sequence[Fraction]) -> list[str]:
    inner = [half_open(low, high) for low, high in itertools.pairwise(breaks)]
    return [f"< {exact_text(breaks[0])}", *inner, f"≥ {exact_text(breaks[-1])}"]


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
