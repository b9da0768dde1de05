"""Classes of the nearest rows, whose rows are exchanged for others a little farther until the class is close."""

from __future__ import annotations

import numpy as np

from tclose import kernels
from tclose.counts import Integers
from tclose.recoding.clusters.coordinates import Space
from tclose.recoding.clusters.flows import Flows
from tclose.recoding.clusters.nearest import BLOCK, WHOLE_UP_TO, Pool
from tclose.recoding.search import Share, nobody, shared

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
