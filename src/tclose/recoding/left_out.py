"""A release without what rows that were left out would tell: its intervals end where the released rows let them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tclose.counts import Integers
from tclose.recoding.partition import INTERVAL, Cells, Partition, published
from tclose.recoding.problem import Codes, Problem, Quasi


def by_released_rows(problem: Problem, partition: Partition, *, several: bool) -> tuple[Problem, Partition]:
    """Return a problem and its release whose intervals end at steps of the released rows alone.

    A step that reaches to somebody who was left out would tell that there was such a person.

    Parameters
    ----------
    problem, partition
        The rows, and a release of them.
    several
        Whether a person may have several rows, so that rows are no people: then those of one kind alone are counted.
    """
    kept = partition.classes >= 0
    if kept.all() or not kept.any():
        return problem, partition
    codes, classes, counts = problem.codes[partition.rows[kept]], partition.classes[kept], partition.counts[kept]
    every, cells = [], Cells(partition.cells.levels, partition.cells.first.copy(), partition.cells.last.copy())
    for at, quasi in enumerate(problem.quasi):
        column = _with_steps(quasi, codes[:, at], counts, several=several)
        every.append(column)
        here = np.flatnonzero(cells.levels[:, at] == INTERVAL)
        if len(here):
            low, high = np.full(partition.number, len(quasi.values)), np.full(partition.number, -1)
            np.minimum.at(low, classes, codes[:, at])
            np.maximum.at(high, classes, codes[:, at])
            first, last = column.interval_ends
            cells.first[here, at], cells.last[here, at] = first[low[here]], last[high[here]]
    return replace(problem, quasi=tuple(every)), published(replace(partition, cells=cells))


def _with_steps(quasi: Quasi, codes: Codes, counts: Integers, *, several: bool) -> Quasi:
    """Return a quasi-identifier whose steps are those of some rows."""
    if quasi.steps is None:
        return quasi
    held = np.zeros(len(quasi.values), dtype=np.int64)
    (np.maximum if several else np.add).at(held, codes, counts)
    on_line = held[: len(quasi.steps.values)]
    return replace(quasi, steps=quasi.steps.with_counts(on_line.tolist())) if on_line.any() else quasi
