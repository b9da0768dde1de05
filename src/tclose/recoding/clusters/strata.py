"""Classes that hold a sample of every stratum of the sensitive values, and how large they must be to be close."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tclose.counts import Integers
from tclose.recoding.clusters.flows import Flows


def proposed_size(rows: int, k: int, t: Fraction) -> int:
    """Return the class size at which strata of distinct ranks are t-close: ``max(k, ⌈n/(2(n−1)t + 1)⌉)``, fitted.

    Values that occur several times, and rows that are left over, can break the promise: check the classes.

    Parameters
    ----------
    rows
        How many rows there are.
    k
        The least size of a class.
    t
        The largest distance wanted.

    References
    ----------
    J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez: t-Closeness through microaggregation: strict
    privacy with enhanced utility preservation (2015), section 7.

    Examples
    --------
    >>> [proposed_size(1080, 2, Fraction(t)) for t in ("0.01", "0.05", "0.25")]
    [49, 10, 2]
    """
    least = -(-rows * t.denominator // (2 * (rows - 1) * t.numerator + t.denominator)) if rows > 1 else 1
    return fitted_size(rows, max(k, least))


def safe_size(rows: int, k: int, t: Fraction, *, cuts: Fraction = Fraction(1)) -> int:
    """Return the class size at which strata are t-close whatever values repeat, if it divides the rows.

    At every cut between two values, the share of a class of k rows below it is off by at most (n − k)/(nk).

    Parameters
    ----------
    rows
        How many rows there are.
    k
        The least size of a class.
    t
        The largest distance wanted.
    cuts
        How many such errors the distance adds up at most: 1 on a line, m − 1 for m nominal values.
    """
    least = -(-(cuts * rows) // (t * rows + cuts)) if cuts else 1
    return fitted_size(rows, max(k, int(least)))


def fitted_size(rows: int, size: int) -> int:
    """Return the size, enlarged so that fewer rows are left over than there are classes."""
    size = min(max(size, 1), max(rows, 1))
    number = rows // size
    return size + (rows % size) // number if number else size


def cuts_of(flows: Flows) -> Fraction:
    """Return how many errors at cuts a distance adds up at most."""
    if flows.places is not None:
        return Fraction(1)
    return Fraction(sum(int(nodes.max()) for nodes in flows.levels), len(flows.levels))


def strata_plan(rows: int, size: int) -> Integers:
    """Return classes × strata: one row of every stratum for each class, the rows left over from the middle ones.

    Parameters
    ----------
    rows
        How many rows there are.
    size
        How many strata; classes have one row more where rows are left over.
    """
    number = max(rows // size, 1)
    plan = np.ones((number, size), dtype=np.int64)
    left_over = np.arange(rows - number * size)
    middle = size // 2 - left_over % (2 - size % 2)
    np.add.at(plan, (left_over % number, middle), 1)
    return plan


def stratified(bins: Integers, size: int) -> tuple[Integers, Integers]:
    """Return the bucket of each row and the plan, classes × buckets, by which each class samples all strata.

    Strata that hold one value alone are one bucket, for their rows are as good as each other; of a value
    that reaches into several buckets, each gets rows from everywhere.

    Parameters
    ----------
    bins
        The sensitive value of each row, as a position in the order of values; rows that lie near each other
        follow each other.
    size
        How many strata.
    """
    plan = strata_plan(len(bins), size)
    order = np.argsort(bins, kind="stable")
    values = bins[order]
    stratum = np.repeat(np.arange(plan.shape[1]), plan.sum(axis=0))
    firsts = np.searchsorted(stratum, np.arange(plan.shape[1]))
    lasts = np.searchsorted(stratum, np.arange(plan.shape[1]), side="right") - 1
    alone = values[firsts] == values[lasts]
    joins = alone[1:] & alone[:-1] & (values[firsts[1:]] == values[firsts[:-1]])
    bucket_of = np.append(0, np.cumsum(~joins))
    buckets = np.empty(len(bins), dtype=np.int64)
    buckets[order] = _interleaved(values, bucket_of[stratum])
    return buckets, np.add.reduceat(plan, np.flatnonzero(np.append(True, ~joins)), axis=1)


def _interleaved(values: Integers, buckets: Integers) -> Integers:
    """Return the buckets, ascending within each value, mixed evenly among the rows of the value."""
    starts = np.append(True, (values[1:] != values[:-1]) | (buckets[1:] != buckets[:-1]))
    at = np.flatnonzero(starts)
    run = np.cumsum(starts) - 1
    lengths = np.diff(np.append(at, len(values)))
    spread = (np.arange(len(values)) - at[run] + 0.5) / lengths[run]
    return buckets[np.lexsort((buckets, spread, values))]
