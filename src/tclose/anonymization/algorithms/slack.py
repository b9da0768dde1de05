"""The slack of a release: which of its cells could be finer by themselves, with every requirement still met.

A cell of a hierarchy's level is finer where its class is divided by the nodes one level below, an interval where its
class is cut in two somewhere between its values. Each part must meet what is required as a class of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.checking import Checker
from tclose.anonymization.algorithms.partition import INTERVAL, Partition
from tclose.anonymization.algorithms.problem import Problem, Quasi
from tclose.models.counts import Integers

UP_TO = 100_000
"""In releases of more pieces slack is not measured."""
_PIECES_AT_ONCE = 1_000_000


def slack(problem: Problem, partition: Partition, *, own: bool) -> Fraction | None:
    """Return the share of the cells of a release that could be finer; None where that is not measured.

    Parameters
    ----------
    problem
        The rows and the requirements; requirements for any so many columns are not measured.
    partition
        The release, classes that publish the same cells as one.
    own
        Whether classes must also be close to the distribution of the release itself.
    """
    kept = np.flatnonzero(partition.classes >= 0)
    if problem.any is not None or not len(kept) or len(kept) > UP_TO:
        return None
    checkers = [Checker.of(problem)]
    if own and partition.suppressed():
        checkers.append(Checker.of_release(problem, partition))
    finer = np.stack([_finer(_Column(problem, partition, at, checkers)) for at in range(len(problem.quasi))], axis=1)
    sizes = partition.sizes()
    return Fraction(int((finer.sum(axis=1) * sizes).sum()), int(sizes.sum()) * len(problem.quasi))


class _Column:
    """One column of a release, with its pieces in the order of their classes and values."""

    def __init__(self, problem: Problem, partition: Partition, at: int, checkers: list[Checker]) -> None:
        kept = np.flatnonzero(partition.classes >= 0)
        codes = problem.codes[partition.rows[kept], at]
        order = kept[np.lexsort((codes, partition.classes[kept]))]
        self.problem, self.checkers = problem, checkers
        self.quasi: Quasi = problem.quasi[at]
        self.rows, self.counts = partition.rows[order], partition.counts[order]
        self.classes, self.codes = partition.classes[order], problem.codes[partition.rows[order], at]
        self.levels = partition.cells.levels[:, at]
        self.starts = np.searchsorted(self.classes, np.arange(partition.number + 1))

    def failing(self, pieces: Integers, parts: Integers, number: int) -> NDArray[np.bool_]:
        """Return which parts, made of these pieces, miss a requirement."""
        some = [each.failing(self.rows[pieces], parts, self.counts[pieces], number) for each in self.checkers]
        return np.asarray(np.logical_or.reduce(some))


def _finer(column: _Column) -> NDArray[np.bool_]:
    """Return in which classes the cell of a column could be finer."""
    finer = np.zeros(len(column.levels), dtype=bool)
    for level in np.unique(column.levels).tolist():
        if level == INTERVAL:
            for classes in _cut(column, np.flatnonzero(column.levels == level)):
                finer[classes] = True
        elif level > column.quasi.lowest:
            finer |= _divided(column, level)
    return finer


def _divided(column: _Column, level: int) -> NDArray[np.bool_]:
    """Return which classes on a level can be divided by the nodes below it."""
    pieces = np.flatnonzero(column.levels[column.classes] == level)
    nodes = column.quasi.levels[level - 1].nodes[column.codes[pieces]].astype(np.int64)
    span = int(nodes.max()) + 1
    keys, parts = np.unique(column.classes[pieces] * span + nodes, return_inverse=True)
    found: NDArray[np.bool_] = np.asarray(column.levels == level)
    found[keys[column.failing(pieces, parts.ravel(), len(keys))] // span] = False
    return found


def _cut(column: _Column, classes: Integers) -> Iterator[Integers]:
    """Give the classes of intervals that can be cut in two, batch by batch."""
    first, last = column.quasi.interval_ends
    running = np.concatenate([[0], np.cumsum(column.counts)])
    among = np.zeros(len(column.levels), dtype=bool)
    among[classes] = True
    same = (column.classes[:-1] == column.classes[1:]) & among[column.classes[1:]]
    cuts = 1 + np.flatnonzero(same & (last[column.codes[:-1]] < first[column.codes[1:]]))
    owner = column.classes[cuts]
    begins, ends = column.starts[owner], column.starts[owner + 1]
    large = np.minimum(running[cuts] - running[begins], running[ends] - running[cuts]) >= column.problem.k
    cuts, owner = cuts[large], owner[large].astype(np.int64)
    widths = np.diff(column.starts)[owner]
    batch = np.cumsum(widths) // _PIECES_AT_ONCE
    for at in np.unique(batch).tolist():
        here = np.flatnonzero(batch == at)
        begins, many = column.starts[owner[here]], widths[here]
        which = np.repeat(np.arange(len(here)), many)
        pieces = np.arange(len(which)) - np.repeat(np.cumsum(many) - many - begins, many)
        parts = 2 * which + (pieces >= cuts[here][which])
        missed = column.failing(pieces, parts, 2 * len(here)).reshape(-1, 2).any(axis=1)
        yield owner[here[~missed]]
