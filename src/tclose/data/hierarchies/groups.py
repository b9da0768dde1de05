"""Neighbouring values in groups: of equal numbers of values, of about equal numbers of rows, or none."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tclose.data.hierarchies.leaves import (
    Leaves,
    by_place,
    grown,
    leaves_of,
    multiples_given,
    plain,
    sorted_leaves,
    weights_of,
)
from tclose.data.hierarchies.tree import Hierarchy
from tclose.data.values.round_numbers import Line
from tclose.errors import HierarchyError

Label = Callable[[int, int], str]
"""Makes the label of a group of several values: of its first position, and the position after its last."""


@dataclass(frozen=True)
class Bands:
    """Where groups of the values of a table may begin, so that their ends are nobody's."""

    begins: Sequence[int]
    """The positions of values, in ascending order, at which a group other than the first may begin."""
    label: Label


FindBands = Callable[[], Bands | None]
"""Returns where groups of a column may begin; None for anywhere."""


def flat_hierarchy(values: Iterable[object]) -> Hierarchy:
    """Return each value right under the root ``*``: it is published as it is, or not at all.

    Parameters
    ----------
    values
        The values; missing ones are left out.

    Examples
    --------
    >>> flat_hierarchy(["f", "m"]).rows
    (('f', '*'), ('m', '*'))
    """
    return grown(sorted_leaves(values), [], rule="flat")


def group_hierarchy(
    values: Iterable[object], sizes: int | Iterable[int] = 2, *, bands: Bands | None = None
) -> Hierarchy:
    """Return values, given in their order, in groups of neighbours ``first … last``, under the root ``*``.

    Parameters
    ----------
    values
        The values from the lowest to the highest; missing ones are left out.
    sizes
        How many values make a group on each level, each a multiple of the one before; the last group of a
        level may be smaller. One number n stands for n, n², n³, … as long as there are several groups.
    bands
        Where groups may begin: each does at the nearest such place. Anywhere if left out.

    Raises
    ------
    HierarchyError
        When the sizes are not whole multiples of each other, the first above 1.

    Examples
    --------
    >>> for row in group_hierarchy(["never", "rarely", "often", "daily", "hourly"], [2, 4]).rows:
    ...     print(" < ".join(row))
    never < never … rarely < never … daily < *
    rarely < never … rarely < never … daily < *
    often < often … daily < never … daily < *
    daily < often … daily < never … daily < *
    hourly < hourly < hourly < *
    """
    given = multiples_given(sizes, "group size")
    if given[0] == 1 or any(size.denominator != 1 for size in given):
        raise HierarchyError("A group needs a whole number of values, two or more; give sizes such as 2, 4, 8.")
    found = leaves_of(values)
    leaves = list(found)
    whole = [size.numerator for size in given]
    if isinstance(sizes, int):
        whole = _powers(sizes, len(leaves))
    if by_place(found) != leaves:
        bands, label = None, _joined(leaves)
    else:
        label = _between(found, leaves) if bands is None else bands.label
    starts = [range(size, len(leaves), size) for size in whole]
    levels = [_labelled(leaves, at if bands is None else _moved(at, bands.begins), label) for at in starts]
    return grown(leaves, levels)


def _moved(starts: Iterable[int], begins: Sequence[int]) -> list[int]:
    """Return the nearest of some positions to each start, the lower of two that are as near."""
    found = set()
    for start in starts if begins else ():
        after = bisect_left(begins, start)
        found.add(min(begins[max(after - 1, 0) : after + 1], key=lambda at: (abs(at - start), at)))
    return sorted(found)


def _powers(size: int, below: int) -> list[int]:
    return list(itertools.takewhile(lambda power: power < below, (size**exponent for exponent in itertools.count(1))))


def quantile_hierarchy(
    values: Iterable[object],
    counts: Iterable[int],
    *,
    groups: int | Iterable[int] = (8, 4, 2),
    keep_order: bool = False,
    bands: Bands | None = None,
) -> Hierarchy:
    """Return values in order in groups of about equal numbers of rows, labelled ``[low, high]``, under ``*``.

    Every group starts at the value nearest to its quantile, and a level starts groups only where the level
    below does. If each number of groups divides the one before, a group differs from an equal share of the
    rows by no more than the rows of the most frequent value. A value is never split, so there may be fewer
    groups than asked for. The ends of a group are round, and none of the values where there is room between them.

    Parameters
    ----------
    values
        Numbers, dates or times, or texts that read as numbers; missing ones are left out.
    counts
        How many rows carry each value.
    groups
        How many groups each level has, each fewer than the level below.
    keep_order
        Whether the values stay in the order given, as they do anyway where they have no size; their
        groups are then labelled ``first … last``.
    bands
        Where groups may begin, if not at every value.

    Raises
    ------
    HierarchyError
        When counts do not fit the values, or the numbers of groups do not descend to 2 or more.

    Examples
    --------
    >>> for row in quantile_hierarchy([1, 2, 3, 50], [10, 10, 10, 10], groups=[4, 2]).rows:
    ...     print(" < ".join(row))
    1 < 1 < [0, 2] < *
    2 < 2 < [0, 2] < *
    3 < 3 < [3, 59] < *
    50 < 50 < [3, 59] < *
    """
    numbers = _numbers_of_groups(groups)
    values = plain(values)
    weights = weights_of(values, counts)
    leaves = leaves_of(values)
    on_a_line = None if keep_order else by_place(leaves)
    ordered = list(leaves) if on_a_line is None else on_a_line
    if on_a_line is None:
        bands, label = None, _joined(ordered)
    else:
        label = _between(leaves, ordered) if bands is None else bands.label
    below = [0, *itertools.accumulate(weights[leaf] for leaf in ordered)]
    cuts: Sequence[int] = range(len(ordered) + 1) if bands is None else [0, *bands.begins, len(ordered)]
    levels = []
    for number in numbers:
        cuts = _nearest_cuts(cuts, below, number)
        levels.append(_labelled(ordered, cuts[1:-1], label))
    return grown(ordered, levels)


def _numbers_of_groups(groups: int | Iterable[int]) -> list[int]:
    numbers = [groups] if isinstance(groups, int) else list(groups)
    descending = all(after < before for before, after in itertools.pairwise(numbers))
    if not numbers or not descending or any(number != int(number) or number < 2 for number in numbers):
        raise HierarchyError("The numbers of groups descend, and none is below 2; give numbers such as 8, 4, 2.")
    return [int(number) for number in numbers]


def _nearest_cuts(cuts: Sequence[int], below: Sequence[int], groups: int) -> list[int]:
    """Return the cuts with the numbers of rows below them nearest to equal shares; the ends are always among them."""
    rows = [below[cut] for cut in cuts]
    chosen = {cuts[0], cuts[-1]}
    for share in _shares_that_matter(rows, groups):
        target = rows[-1] * share
        after = bisect_left(rows, target, key=lambda row: row * groups)
        near = [at for at in (after - 1, after) if 0 <= at < len(rows)]
        chosen.add(cuts[min(near, key=lambda at: abs(rows[at] * groups - target))])
    return sorted(chosen)


def _shares_that_matter(rows: Sequence[int], groups: int) -> Iterable[int]:
    """Return the numbers of the quantiles to look for: of more than there are cuts, those around each cut."""
    if groups <= 3 * len(rows):
        return range(1, groups)
    below = {row * groups // max(1, rows[-1]) for row in rows}
    around = {share + step for share in below for step in (-1, 0, 1)}
    return sorted(share for share in around if 0 < share < groups)


def _labelled(ordered: Sequence[str], cuts: Iterable[int], label: Label) -> list[str]:
    """Return the label of each value when groups start at the first value and at the cuts."""
    labels: list[str] = []
    for start, end in itertools.pairwise([0, *cuts, len(ordered)]):
        if end > start:
            labels += [ordered[start] if end == start + 1 else label(start, end)] * (end - start)
    return labels


def _between(leaves: Leaves, ordered: Sequence[str]) -> Label:
    """Return the label ``[low, high]`` with round ends that lie between the values."""
    values = [leaves[leaf] for leaf in ordered]
    if (line := Line.of(values)) is None:
        return lambda start, end: f"[{ordered[start]}, {ordered[end - 1]}]"

    def label(start: int, end: int) -> str:
        low, high, beyond = line.ends(values, start, end)
        return f"[{low}, {high}{')' if beyond else ']'}"

    return label


def _joined(leaves: Sequence[str]) -> Label:
    """Return the label ``first … last``, with more dots than any leaf has, so that no leaf reads as a group."""
    most = max((len(run) for leaf in leaves for run in re.findall("…+", leaf)), default=0)
    dots = "…" * (most + 1)
    return lambda start, end: f"{leaves[start]} {dots} {leaves[end - 1]}"
