"""In how many classes rows may be released at the most, by what every class needs of their sensitive values."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from tclose.models.base import Held, MostClasses
from tclose.models.distances.earth_movers import Ground

_MOST_SIZES, _MOST_WORK = 2_000, 20_000_000
"""So many sizes of classes are looked at, and so many sizes times values, for the smallest that is near enough."""


def by_different_values(held: Held, different: int) -> MostClasses:
    """Return the bound where every class holds so many different values.

    In c classes a value takes part at most c times, and no more often than there are rows with it: Σ min(rows, c) must
    be c times the different values of a class. The sum less that is concave in c, and 0 at 0, so that bisection finds
    the last c.
    """
    counts = held.values[held.values > 0]

    def enough(classes: int) -> bool:
        return int(np.minimum(counts, classes).sum()) >= classes * different

    low, high = 0, held.total + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    return MostClasses(low, _of_others(held))


def by_largest_share(held: Held, most: Fraction) -> MostClasses:
    """Return the bound where no value has more than a share of a class.

    A class of n rows has n − ⌊n·share⌋ rows at least that do not have the table's commonest value, the more the larger
    it is, and at least 1/share rows.
    """
    if most <= 0:
        return MostClasses(0, "no class has such shares")
    least = max(held.size, math.ceil(1 / most))
    bound, reason = held.total // least, f"no class of fewer than {least:,} rows has such shares"
    if others := math.ceil((1 - most) * least):
        by_others = int(held.total - held.values.max(initial=0)) // others
        bound, reason = min((bound, reason), (by_others, _of_others(held)))
    return MostClasses(bound, reason)


def by_every_value(held: Held, reference: np.ndarray) -> MostClasses:
    """Return the bound where every class holds every value that the reference has."""
    rarest = int(held.values[reference > 0].min(initial=held.total))
    return MostClasses(rarest, f"every class needs every value, and the rarest has {rarest:,} rows")


def by_largest_gain(held: Held, reference: np.ndarray, total: int, gain: Fraction) -> MostClasses:
    """Return the bound where no value may be more than 1 + gain times as frequent in a class as in the reference.

    A class of n rows has a value with a share of at least 1/n, and no value may have more than 1 + gain times the
    share of the reference's commonest.
    """
    least = math.ceil(Fraction(total, int(reference.max(initial=1))) / (1 + gain))
    return MostClasses(held.total // max(least, 1), f"in a class of fewer than {least:,} rows some value gains more")


def by_distance(ground: Ground, held: Held, most: Fraction) -> MostClasses | None:
    """Return the bound where every class is so near to the reference; None where no distance is too large.

    Each class is as large as some class that is near enough, and needs rows of every set of values without which none
    is near enough.
    """
    if most >= ground.largest():
        return None
    least = _least_size(ground, held.total, most)
    bound, reason = held.total // least, f"no class of fewer than {least:,} rows comes as near"
    for values in ground.needed(most):
        rows = int(held.values[values].sum())
        bound, reason = min((bound, reason), (rows, f"every class needs at least one of the same {rows:,} rows"))
    return MostClasses(bound, reason)


def _least_size(ground: Ground, total: int, most: Fraction) -> int:
    """Return a size that no class near enough falls below: the smallest one, if few enough had to be looked at."""
    last = min(total, _MOST_SIZES, max(_MOST_WORK // max(len(ground.reference.counts), 1), 1))
    return next((size for size in range(1, last + 1) if ground.least(size) <= most), last + 1)


def _of_others(held: Held) -> str:
    others = int(held.total - held.values.max(initial=0))
    return f"{others:,} of {held.total:,} rows have another value than the commonest"
