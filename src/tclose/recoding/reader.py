"""How a reader of a release spreads a cell: evenly over the values that it may stand for."""

from __future__ import annotations

import numpy as np

from tclose.recoding.partition import INTERVAL, Cells
from tclose.recoding.problem import Codes, Problem, Quasi


def positions(quasi: Quasi) -> Codes:
    """Return the position of each value in an order that keeps cells together.

    On a line it is the order of the values, else that of the hierarchy.
    """
    if quasi.line is not None:
        return np.arange(len(quasi.values), dtype=np.int32)
    order = np.lexsort([level.nodes for level in quasi.levels])
    found = np.empty(len(order), dtype=np.int32)
    found[order] = np.arange(len(order), dtype=np.int32)
    return found


def covered(problem: Problem, cells: Cells) -> tuple[Codes, Codes]:
    """Return the first and the last position that each cell covers; classes × quasi-identifiers."""
    first, last = np.zeros_like(cells.first), np.zeros_like(cells.last)
    for column, quasi in enumerate(problem.quasi):
        place = positions(quasi)
        for at in np.unique(cells.levels[:, column]).tolist():
            here = cells.levels[:, column] == at
            low, high = cells.first[here, column], cells.last[here, column]
            if at != INTERVAL:
                nodes = quasi.levels[at].nodes
                starts = np.full(int(nodes.max()) + 1, len(place), dtype=np.int32)
                np.minimum.at(starts, nodes, place)
                ends = np.zeros(len(starts), dtype=np.int32)
                np.maximum.at(ends, nodes, place)
                low, high = starts[low], ends[low]
            first[here, column], last[here, column] = low, high
    return first, last
