"""The earth mover's distance of one attribute as flows over edges, in floats: with these, classes are proposed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tclose.anonymization.algorithms.problem import Floats
from tclose.errors import InternalError
from tclose.models.counts import Integers
from tclose.models.distances.earth_movers import LineGround, TreeGround
from tclose.models.domains import Domain

MOST_BINS = 2048
"""Values beyond this many are put together into bins of about equal frequency; the exact check knows them all."""


@dataclass(frozen=True)
class Flows:
    """Bins of values in an order in which near values are neighbours, and the edges between them.

    The distance of a class is ``Σ weight · |share of the class beyond the edge − expected|``.
    """

    bin_of: Integers
    """The bin of each rank; rank −1, no value, reads the last entry: a bin that is as the table is."""
    shares: Floats
    """The share of the reference in each bin."""
    beyond: Floats
    """Bins × edges: 1 where the bin lies beyond the edge; a last row for rows without a value."""
    weights: Floats
    """What it costs to carry everything over each edge."""
    places: Floats | None
    """The place of each bin on the line; None for trees."""
    levels: tuple[Integers, ...] = ()
    """For trees, the node of each bin on each level below the root."""

    @property
    def bins(self) -> int:
        """How many bins there are."""
        return len(self.shares)

    @cached_property
    def expected(self) -> Floats:
        """The share of the reference beyond each edge."""
        return np.asarray(self.beyond[-1])

    def distances(self, shares: Floats) -> Floats:
        """Return the distance of classes from the reference, given as classes × shares of bins."""
        return np.asarray(np.abs(self._carried(shares) - self.expected) @ self.weights)

    def _carried(self, shares: Floats) -> Floats:
        """Return the share of each class beyond each edge."""
        if self.places is not None:
            return np.asarray(1.0 - np.cumsum(shares, axis=1)[:, :-1])
        upper = self.beyond[:-1, self.bins :]
        return np.hstack([shares, shares @ upper])

    def reachable_size(self, k: int, t: float) -> int:
        """Return the least size, in steps of a quarter and from k, of which a class can be within t."""
        size, running = k, np.cumsum(self.shares)
        while size < MOST_BINS:
            sample = np.searchsorted(running, (np.arange(size) + 0.5) / size)
            shares = np.bincount(np.minimum(sample, self.bins - 1), minlength=self.bins) / size
            if self.distances(shares[np.newaxis])[0] <= t:
                break
            size += -(-size // 4)
        return size


def flows_of(domain: Domain) -> Flows:
    """Return the flows of an attribute; of a tree the values are brought into the order of its leaves.

    Parameters
    ----------
    domain
        The attribute, with its reference.
    """
    ground = domain.ground
    reference = domain.reference.counts.astype(np.float64) / float(domain.reference.total)
    if isinstance(ground, LineGround):
        places = np.append(0.0, np.cumsum(ground.float_gaps)) / max(ground.float_scale, 1.0)
        bin_of, number = _bins(reference, np.arange(len(reference)))
        return _on_line(bin_of, reference, places, number)
    if isinstance(ground, TreeGround):
        order = np.lexsort(ground.levels)
        if len(ground.levels) == 1:
            order = np.argsort(-reference, kind="stable")
        bin_of, number = _bins(reference, order)
        return _on_tree(bin_of, reference, ground.levels, number)
    raise InternalError("A ground distance is neither a line nor a tree.")


def _bins(reference: Floats, order: Integers) -> tuple[Integers, int]:
    """Return the bin of each value, in the order given, and how many bins there are."""
    bins = np.empty(len(order), dtype=np.int64)
    if len(order) <= MOST_BINS:
        bins[order] = np.arange(len(order))
        return bins, len(order)
    middle = np.cumsum(reference[order]) - reference[order] / 2.0
    raw = np.minimum((middle * MOST_BINS).astype(np.int64), MOST_BINS - 1)
    bins[order] = np.unique(raw, return_inverse=True)[1]
    return bins, int(bins.max()) + 1


def _summed(bin_of: Integers, numbers: Floats, number: int) -> Floats:
    """Return the sum of the numbers of each bin."""
    return np.asarray(np.bincount(bin_of, weights=numbers, minlength=number), dtype=np.float64)


def _on_line(bin_of: Integers, reference: Floats, places: Floats, number: int) -> Flows:
    shares = _summed(bin_of, reference, number)
    weight = np.maximum(reference, 1e-12)
    middles = _summed(bin_of, weight * places, number) / _summed(bin_of, weight, number)
    beyond = np.tril(np.ones((number, number)), -1)[:, : number - 1]
    return Flows(np.append(bin_of, number), shares, np.vstack([beyond, shares @ beyond]), np.diff(middles), middles)


def _on_tree(bin_of: Integers, reference: Floats, levels: tuple[Integers, ...], number: int) -> Flows:
    shares = _summed(bin_of, reference, number)
    some_value = np.zeros(number, dtype=np.int64)
    some_value[bin_of] = np.arange(len(bin_of))
    nodes = tuple(np.unique(codes[some_value], return_inverse=True)[1] for codes in levels)
    nodes = (np.arange(number), *nodes[1:])
    beyond = np.hstack([np.eye(int(codes.max()) + 1)[codes] for codes in nodes])
    weights = np.full(beyond.shape[1], 0.5 / len(nodes) if number > 1 else 0.0)
    return Flows(np.append(bin_of, number), shares, np.vstack([beyond, shares @ beyond]), weights, None, nodes)
