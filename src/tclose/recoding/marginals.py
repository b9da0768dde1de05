"""How far each column's distribution, as a reader of the release would draw it, is from the original's."""

from __future__ import annotations

import numpy as np

from tclose.counts import Integers, sparse_block
from tclose.domains import Domain
from tclose.models.t_closeness import TCloseness
from tclose.recoding.losses.cells import value_counts
from tclose.recoding.partition import Partition
from tclose.recoding.problem import Codes, Floats, Problem, Quasi
from tclose.recoding.reader import covered, positions


def marginal_distances(problem: Problem, partition: Partition) -> dict[str, float]:
    """Return the distance between the original and the released distribution of each column.

    A cell of a quasi-identifier counts evenly for the values that it may stand for. Quasi-identifiers on a
    line (numbers, dates, ordered categories) have the earth mover's distance along it, others total
    variation. Sensitive columns have the distance that their roles declare: 0 as long as no row is left
    out. Rows left out of the release are no part of its distributions; if all are, every distance is 1.
    """
    sizes = partition.sizes()
    first, last = covered(problem, partition.cells)
    found = {}
    for at, quasi in enumerate(problem.quasi):
        released = _spread_evenly(quasi, first[:, at], last[:, at], sizes)
        found[quasi.name] = _distance(quasi, value_counts(problem, at), released) if sizes.any() else 1.0
    kept = partition.classes >= 0
    for at, domain in enumerate(problem.domains):
        found[domain.name] = _closeness(domain, problem.ranks[partition.rows[kept], at], partition.counts[kept])
    return found


def _spread_evenly(quasi: Quasi, first: Codes, last: Codes, sizes: Integers) -> Floats:
    """Return how many released rows each value gets, if every cell counts evenly for the values in it."""
    share = sizes / (last - first + 1.0)
    length = len(quasi.values) + 1
    steps = np.bincount(first, weights=share, minlength=length) - np.bincount(last + 1, weights=share, minlength=length)
    return np.asarray(np.cumsum(steps)[positions(quasi)])


def _distance(quasi: Quasi, original: Floats, released: Floats) -> float:
    difference = released / released.sum() - original / original.sum()
    if quasi.line is not None and len(quasi.line) == len(quasi.values):
        return float((np.abs(np.cumsum(difference)[:-1]) * np.diff(quasi.line)).sum())
    return float(np.abs(difference).sum() / 2)


def _closeness(domain: Domain, ranks: Codes, counts: Integers) -> float:
    block = sparse_block(np.zeros(len(ranks), dtype=np.int64), ranks, counts, 1)
    return float(TCloseness().measure(block, domain).values[0]) if block.sizes[0] else 1.0
