"""Microaggregation: classes of near rows, close as they are, made close by exchange, or made of strata."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.clusters.coordinates import Scale, Space
from tclose.anonymization.algorithms.clusters.flows import Flows
from tclose.anonymization.algorithms.clusters.nearest import BLOCK, WHOLE_UP_TO, Pool, equal_plan, filled, with_others
from tclose.anonymization.algorithms.clusters.proposals import Aim, Attempts, Compartment, aim_of, best
from tclose.anonymization.algorithms.partition import Partition
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.algorithms.search import Search, Share, nobody, shared
from tclose.models import kernels
from tclose.models.counts import Integers

# Classes that hold a sample of every stratum of the sensitive values, and how large they must be to be close.


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


# Classes of the nearest rows, whose rows are exchanged for others a little farther until the class is close.


_STEPS = 2_000_000_000
"""About how many steps of the innermost loop are worth waiting for."""


def k_first(
    space: Space, bins: Integers, flows: Flows, k: int, limit: float, order: Integers, tell: Share = nobody
) -> Integers:
    """Return the class of each row: k rows round a seed, chosen near it and with a distance of at most the limit.

    Where no exchange brings a class that near, it stays farther away; the last class takes what is left.

    Parameters
    ----------
    space
        Where the rows lie.
    bins
        The bin of each row's sensitive value.
    flows
        The distance of that attribute.
    k
        The size of classes.
    limit
        The distance wanted.
    order
        The rows along a curve, for tables too large to search as a whole.
    tell
        Told which share of the rows is in a class.

    References
    ----------
    J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez: t-Closeness through microaggregation: strict
    privacy with enhanced utility preservation (2015), Algorithm 2.
    """
    labels = np.empty(space.rows, dtype=np.int64)
    pieces = 1 if space.rows <= WHOLE_UP_TO else -(-space.rows // max(BLOCK, 2 * k))
    candidates = max(_STEPS // (space.rows * max(len(flows.weights), 1)), 50)
    first = 0
    for at, piece in enumerate(np.array_split(order, pieces)):
        rows = np.sort(piece)
        here = shared(tell, at / pieces, (at + 1) / pieces)
        found = _k_first(space.part(rows), bins[rows], flows, k, limit, candidates, here)
        labels[rows] = found + first
        first += int(found.max()) + 1
    return labels


def _k_first(
    space: Space, bins: Integers, flows: Flows, k: int, limit: float, candidates: int, tell: Share
) -> Integers:
    classes = max(space.rows // k, 1)
    pool = Pool(space, None, None)
    beyond, edges = flows.beyond.ravel(), flows.beyond.shape[1]
    for label in range(classes - 1):
        tell(label / classes)
        pool.seed()
        near = pool.nearest(k + candidates)
        chosen = np.arange(k)
        flow = flows.beyond[bins[near[:k]]].mean(axis=0) - flows.expected
        kernels.clusters.exchange(bins[near], k, beyond, edges, flows.weights, flow, limit, chosen)
        pool.remove(near[chosen], label)
    pool.labels[pool.labels < 0] = classes - 1
    return pool.labels


SCALES: tuple[Scale, ...] = ("loss", "deviation")
BEYOND = (Fraction(1), Fraction(5, 4), Fraction(3, 2))
"""How far classes may be after exchange, in multiples of t: merging a few of them can lose less than exchange."""
_STRATA = 3
"""About so many sizes of strata are tried for each distance."""


def find(problem: Problem, search: Search) -> Partition | None:
    """Return the best of several microaggregations that meets the requirements, or None.

    Rows are gathered into classes of the nearest ones (Algorithm 1 of Soria-Comas et al. 2015), with rows
    exchanged until the class is close (Algorithm 2), or from strata of the sensitive values (Algorithm 3).
    Each is judged exactly, and classes that fail are merged with their neighbours.

    Parameters
    ----------
    problem
        The rows and the requirements.
    search
        What to minimise.
    """
    if not problem.rows:
        return None
    return best(problem, search, _proposals(problem, search))


def _proposals(problem: Problem, search: Search) -> Iterator[Partition]:
    large = problem.rows > WHOLE_UP_TO
    scales, beyond = (SCALES[:1], BEYOND[:1]) if large else (SCALES, BEYOND)
    aim = None if search.whole_classes else aim_of(problem)
    attempts = Attempts(problem, search, len(scales) + (len(beyond) + _STRATA) * len(aim.distances if aim else ()))
    for scale in scales:
        nearest = partial(_nearest, scale=scale, whole=search.whole_classes)
        yield attempts.proposal("Gathering the nearest rows", nearest)
    if aim is None:
        return
    for t in aim.distances:
        for times in beyond:
            exchanged = partial(_exchanged, aim=aim, limit=float(t * times))
            yield attempts.proposal("Exchanging rows until classes are close", exchanged)
        yield from _of_strata(attempts, aim, t)


def _nearest(part: Compartment, tell: Share, scale: Scale, *, whole: bool) -> Integers:
    """Return classes of the k nearest rows, or with ``whole`` of rows that look alike and the nearest such."""
    problem = part.problem
    if not whole:
        buckets = np.zeros(len(part.rows), dtype=np.int64)
        return filled(part.space(scale), buckets, equal_plan(len(part.rows), problem.k), order=part.order, tell=tell)
    alike = problem.tuples[0][part.rows]
    _, first, own, sizes = np.unique(alike, return_index=True, return_inverse=True, return_counts=True)
    space = part.space(scale).part(first)
    labels = np.empty(len(first), dtype=np.int64)
    pieces = 1 if len(first) <= WHOLE_UP_TO else -(-len(first) // BLOCK)
    for number, tuples in enumerate(np.array_split(np.argsort(first), pieces)):
        rows = sizes[tuples].astype(np.int64)
        plan = equal_plan(int(rows.sum()), problem.k)
        labels[tuples] = number * len(alike) + filled(
            space.part(tuples), np.zeros(len(tuples), dtype=np.int64), plan, sizes=rows,
            tell=shared(tell, number / pieces, (number + 1) / pieces),
        )  # fmt: skip
    return np.asarray(labels[own])


def _exchanged(part: Compartment, tell: Share, aim: Aim, limit: float) -> Integers:
    """Return classes of k rows, or of the least number that can be near enough, after exchange."""
    size = min(aim.flows.reachable_size(part.problem.k, limit), max(len(part.rows), 1))
    return k_first(part.space("deviation"), part.bins(aim), aim.flows, size, limit, part.order, tell)


def _of_strata(attempts: Attempts, aim: Aim, t: Fraction) -> Iterator[Partition]:
    """Yield classes of strata, twice as large each time, until they hold without repair."""
    problem, times = attempts.problem, 1
    while True:
        strata = partial(_strata, aim=aim, t=t, times=times)
        proposal = attempts.proposal("Sampling strata of the sensitive values", strata)
        yield proposal
        if times > problem.rows or not failing_classes(problem, proposal, own=attempts.search.own).any():
            return
        times *= 2


def _strata(part: Compartment, tell: Share, aim: Aim, t: Fraction, times: int) -> Integers:
    """Return classes that sample every stratum; rows without a sensitive value are spread over them evenly."""
    bins = part.bins(aim)
    valued = np.flatnonzero(bins < aim.flows.bins)
    size = _size(part, aim, part.room(aim, t), len(valued), times)
    if size >= len(valued):
        return np.zeros(len(bins), dtype=np.int64)
    own, plan = stratified(bins[valued], size)
    buckets = np.full(len(bins), plan.shape[1], dtype=np.int64)
    buckets[valued] = own
    return filled(
        part.space("deviation"), buckets, with_others(plan, len(bins) - len(valued)), order=part.order, tell=tell
    )  # fmt: skip


def _size(part: Compartment, aim: Aim, room: Fraction, rows: int, times: int) -> int:
    """Return the size of classes to try: on a line the published one, on trees a part of the safe one."""
    k = part.problem.k
    if aim.flows.places is not None:
        return fitted_size(rows, proposed_size(rows, k, room) * times)
    safe = safe_size(rows, k, room, cuts=cuts_of(aim.flows))
    return fitted_size(rows, max(k, -(-safe // 8)) * times)
