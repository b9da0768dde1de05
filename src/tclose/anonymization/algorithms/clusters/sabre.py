"""SABRE: bucketise the sensitive values, redistribute the buckets over classes, fill these with near rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.clusters.flows import Flows
from tclose.anonymization.algorithms.clusters.nearest import WHOLE_UP_TO, equal_plan, filled, with_others
from tclose.anonymization.algorithms.clusters.proposals import Aim, Attempts, Compartment, aim_of, best
from tclose.anonymization.algorithms.partition import Partition
from tclose.anonymization.algorithms.problem import Floats, Problem
from tclose.anonymization.algorithms.search import Search, Share
from tclose.models.counts import Integers

# Buckets of near sensitive values, and how many rows of each a class takes so that it is close whichever they are.


_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class Buckets:
    """Bins of values put together, and what it can cost that a class takes any of a bucket's rows."""

    of: Integers
    """The bucket of each bin."""
    bounds: Floats
    """For each bucket, the most that its share of a class can add to the distance."""


def bucketed(flows: Flows, shares: Floats, limit: float) -> Buckets:
    """Return few buckets whose bounds add up to at most the limit.

    A class that takes rows from the buckets in proportion to their sizes is then within the limit.

    Parameters
    ----------
    flows
        The distance of the attribute.
    shares
        The share of each bin in the rows to distribute.
    limit
        The largest sum of bounds.

    References
    ----------
    J. Cao, P. Karras, P. Kalnis, K.-L. Tan: SABRE: a Sensitive Attribute Bucketization and REdistribution
    framework for t-closeness (2011), section 4.
    """
    if flows.places is not None:
        of = _intervals(flows.places, shares, limit)
    elif len(flows.levels) == 1:
        of = _rarest_together(shares, limit)
    else:
        of = _tree_nodes(flows.levels, shares, limit)
    return Buckets(of, bounds_of(flows, shares, of))


def bounds_of(flows: Flows, shares: Floats, of: Integers) -> Floats:
    """Return the bound U of each bucket: the cost of bringing all of its share to its worst value.

    The distance is convex, so the worst distribution within a bucket is a single value. On a line it is an end.

    Parameters
    ----------
    flows
        The distance of the attribute.
    shares
        The share of each bin.
    of
        The bucket of each bin.
    """
    bounds = np.zeros(int(of.max()) + 1)
    held = shares > 0
    for bucket in range(len(bounds)):
        bins = np.flatnonzero((of == bucket) & held)
        if len(bins) < 2:
            continue
        if flows.places is not None:
            places = flows.places[bins]
            to_ends = (shares[bins] @ (places - places[0]), shares[bins] @ (places[-1] - places))
            bounds[bucket] = max(to_ends)
        else:
            bounds[bucket] = _to_worst(flows.levels, shares, bins)
    return bounds


def _to_worst(levels: tuple[Integers, ...], shares: Floats, bins: Integers) -> float:
    """Return the largest cost of bringing the share of some bins of a tree to one of them."""
    total = float(shares[bins].sum())
    cost = np.zeros(len(bins))
    for nodes in levels:
        cost += total - np.bincount(nodes[bins], weights=shares[bins])[nodes[bins]]
    return float(cost.max()) / len(levels)


def _intervals(places: Floats, shares: Floats, limit: float) -> Integers:
    """Return intervals of a line, cut where that lowers the sum of bounds most until it is within the limit."""
    held = np.flatnonzero(shares > 0)
    line = _Line(places[held], shares[held])
    total = line.bound(0, len(held))
    best = [line.best_cut(0, len(held))] if len(held) > 1 else []
    firsts = [0]
    while total > limit and best:
        drop, first, cut, last = heappop(best)
        total += drop
        firsts.append(cut)
        for part in ((first, cut), (cut, last)):
            if part[1] - part[0] > 1:
                heappush(best, line.best_cut(*part))
    return np.maximum(np.searchsorted(held[sorted(firsts)], np.arange(len(places)), side="right") - 1, 0)


class _Line:
    """Running sums of shares on a line."""

    def __init__(self, places: Floats, shares: Floats) -> None:
        self.places = places
        self.mass = np.append(0.0, np.cumsum(shares))
        self.moment = np.append(0.0, np.cumsum(shares * places))

    def _bounds(self, first: Integers, last: Integers) -> Floats:
        mass, moment = self.mass[last] - self.mass[first], self.moment[last] - self.moment[first]
        ends = moment - mass * self.places[first], mass * self.places[last - 1] - moment
        return np.asarray(np.maximum(*ends))

    def bound(self, first: int, last: int) -> float:
        """Return the bound of the values from ``first`` up to, without it, ``last``."""
        return float(self._bounds(np.array([first]), np.array([last]))[0])

    def best_cut(self, first: int, last: int) -> tuple[float, int, int, int]:
        """Return the change of the bound by the best cut of two or more values, the first of them, the cut, the end."""
        cuts = np.arange(first + 1, last)
        after = self._bounds(np.full(len(cuts), first), cuts) + self._bounds(cuts, np.full(len(cuts), last))
        at = int(after.argmin())
        return float(after[at]) - self.bound(first, last), first, int(cuts[at]), last


def _rarest_together(shares: Floats, limit: float) -> Integers:
    """Return a bucket for each nominal value, but one for as many of the rarest as the limit allows."""
    order = np.argsort(shares, kind="stable")
    rare = shares[order]
    least = rare[rare > 0].min(initial=1.0)
    together = max(int(np.searchsorted(np.cumsum(rare) - least, limit, side="right")), 1)
    of = np.empty(len(shares), dtype=np.int64)
    of[order] = np.maximum(np.arange(len(shares)) - together + 1, 0)
    return of


def _tree_nodes(levels: tuple[Integers, ...], shares: Floats, limit: float) -> Integers:
    """Return nodes of a tree, split into their children where that lowers the sum of bounds most."""
    height = len(levels)
    everything = np.arange(len(shares))
    parts = [(height, everything)]
    bounds = [_to_worst(levels, shares, everything[shares > 0])]
    while sum(bounds) > limit:
        at = int(np.argmax(bounds))
        level, bins = parts.pop(at)
        bounds.pop(at)
        nodes = levels[level - 1][bins]
        for node in np.unique(nodes).tolist():
            own = bins[nodes == node]
            held = own[shares[own] > 0]
            parts.append((level - 1, own))
            bounds.append(_to_worst(levels, shares, held) if len(held) > 1 else 0.0)
    of = np.empty(len(shares), dtype=np.int64)
    for number, (_, bins) in enumerate(sorted(parts, key=lambda part: int(part[1][0]))):
        of[bins] = number
    return of


def redistributed(flows: Flows, buckets: Buckets, counts: Integers, *, k: int, t: float) -> Integers:
    """Return classes × buckets: how many rows each class takes, halved as long as every half is sure to be close.

    A class with the shares x of buckets is sure to be within t if ``EMD(R, Q) + Σ x·U/q ≤ t``, where R spreads
    x inside each bucket as the rows to distribute are.

    Parameters
    ----------
    flows
        The distance of the attribute, with its reference Q.
    buckets
        The buckets and their bounds.
    counts
        How many rows to distribute each bin has.
    k
        The least size of a class.
    t
        The largest distance.
    """
    shares = counts / counts.sum()
    sizes = np.bincount(buckets.of, weights=counts, minlength=len(buckets.bounds)).astype(np.int64)
    of_bucket = sizes[buckets.of] / counts.sum()
    inside = np.divide(shares, of_bucket, out=np.zeros(len(shares)), where=of_bucket > 0)
    over = sizes / counts.sum()
    per_share = np.divide(buckets.bounds, over, out=np.zeros(len(over)), where=over > 0)

    def close(nodes: Integers) -> NDArray[np.bool_]:
        size = nodes.sum(axis=1)
        part = nodes / np.maximum(size, 1)[:, np.newaxis]
        off = flows.distances(part[:, buckets.of] * inside) + part @ per_share
        return np.asarray((size >= max(k, 1)) & (off <= t + 1e-12))

    leaves, nodes = [], sizes[np.newaxis]
    while len(nodes):
        left = _half(nodes)
        splits = _in_chunks(close, left, flows.bins) & _in_chunks(close, nodes - left, flows.bins)
        leaves.append(nodes[~splits])
        nodes = np.concatenate([left[splits], (nodes - left)[splits]])
    return np.concatenate(leaves)


def _half(nodes: Integers) -> Integers:
    """Return half of every count; odd rows go in turn to the one half and to the other."""
    odd = nodes % 2
    return nodes // 2 + odd * (np.cumsum(odd, axis=1) % 2)


def _in_chunks(close: Callable[[Integers], NDArray[np.bool_]], nodes: Integers, bins: int) -> NDArray[np.bool_]:
    """Return which classes are close, judged a bounded number at a time."""
    step = max(_CELLS_AT_ONCE // max(bins, 1), 1)
    found = [close(nodes[at : at + step]) for at in range(0, len(nodes), step)]
    return np.concatenate(found) if found else np.zeros(0, dtype=bool)


_TIMES = (Fraction(3, 2), Fraction(2), Fraction(3))
THETAS = (
    *((Fraction(1), theta) for theta in (0.6, 0.7, 0.9, 1.0)),
    *((times, theta) for times in _TIMES for theta in (0.6, 0.9)),
)
"""By how much the distance aimed at exceeds t, and which part of it the buckets may use up.

The rest is room for rounding. Bounds are for the worst choice of rows, so that classes planned for more
than t mostly hold t; those that do not are merged.
"""


def find(problem: Problem, search: Search) -> Partition | None:
    """Return the best release of SABRE that meets the requirements, or None.

    Values are put into buckets so near that a class may take any of a bucket's rows, the rows of each bucket
    are halved again and again while every half is sure to be close, and each class is filled with the rows
    nearest to a seed. Classes are judged exactly; those that fail are merged with neighbours.

    Parameters
    ----------
    problem
        The rows and the requirements.
    search
        What to minimise. With ``whole_classes`` nothing is found: here the sensitive values decide.

    References
    ----------
    J. Cao, P. Karras, P. Kalnis, K.-L. Tan: SABRE: a Sensitive Attribute Bucketization and REdistribution
    framework for t-closeness (2011).
    """
    if not problem.rows or search.whole_classes:
        return None
    return best(problem, search, _proposals(problem, search))


def _proposals(problem: Problem, search: Search) -> Iterator[Partition]:
    aim = aim_of(problem)
    thetas = THETAS if problem.rows <= WHOLE_UP_TO else THETAS[::2]
    tries = [(t * times, theta) for t in aim.distances for times, theta in thetas] if aim else [(Fraction(1), 1.0)]
    tried: set[bytes] = set()
    attempts = Attempts(problem, search, len(tries))
    for at, (t, theta) in enumerate(tries):
        attempts.made = at
        plans = [_plan(part, aim, t, theta) for part in attempts.parts]
        key = b"".join(buckets.tobytes() + plan.tobytes() for buckets, plan in plans)
        if key in tried:
            continue
        tried.add(key)
        yield attempts.proposal("Redistributing buckets of sensitive values", partial(_filled, iter(plans)))


def _filled(plans: Iterator[tuple[Integers, Integers]], part: Compartment, tell: Share) -> Integers:
    """Return the classes of the rows of a compartment by its plan, which comes next."""
    return filled(part.space("deviation"), *next(plans), order=part.order, tell=tell)


def _plan(part: Compartment, aim: Aim | None, t: Fraction, theta: float) -> tuple[Integers, Integers]:
    """Return the bucket of each row, and classes × buckets; rows without a sensitive value are spread evenly."""
    k = part.problem.k
    if aim is None or not (counts := part.counts(aim)).any():
        return np.zeros(len(part.rows), dtype=np.int64), equal_plan(len(part.rows), k)
    shares = counts / counts.sum()
    buckets = bucketed(aim.flows, shares, theta * float(part.room(aim, t)))
    plan = redistributed(aim.flows, buckets, counts, k=k, t=float(t))
    plan = with_others(plan, len(part.rows) - int(counts.sum()))
    return np.append(buckets.of, plan.shape[1] - 1)[part.bins(aim)], plan
