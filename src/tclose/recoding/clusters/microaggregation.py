"""Microaggregation: classes of near rows, close as they are, made close by exchange, or made of strata."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from tclose.counts import Integers
from tclose.recoding.checking import failing_classes
from tclose.recoding.clusters.coordinates import Scale
from tclose.recoding.clusters.nearest import BLOCK, WHOLE_UP_TO, equal_plan, filled, with_others
from tclose.recoding.clusters.proposals import Aim, Attempts, Compartment, aim_of, best
from tclose.recoding.clusters.strata import cuts_of, fitted_size, proposed_size, safe_size, stratified
from tclose.recoding.clusters.swapping import k_first
from tclose.recoding.partition import Partition
from tclose.recoding.problem import Problem
from tclose.recoding.search import Search, Share, shared

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
