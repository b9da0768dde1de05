"""What a release cost as it may be told beside it: nothing that follows from more of the original than its values.

Whoever gets the release and a figure of it to many digits can try which original would give just that figure. A figure
that depends on who has which sensitive value is not told. One that depends on the values of quasi-identifiers is
measured by those that the released rows have, so that rows left out have no say in it, and is rounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tclose.anonymization.algorithms.losses.catalogue import LOSSES, losses_by_column
from tclose.anonymization.algorithms.partition import Partition
from tclose.anonymization.algorithms.problem import Floats, Level, Problem, Quasi
from tclose.models.counts import Integers

DIGITS = 3
"""So many digits of a share are told."""


@dataclass(frozen=True)
class Costs:
    """What a release cost, as whoever gets it may know."""

    losses: Mapping[str, float | None]
    """Every loss by its key; None where it is not told."""
    columns: Mapping[str, float]
    """The loss LM of each quasi-identifier."""


def told_beside(problem: Problem, partition: Partition) -> Costs:
    """Return what a release cost as it is told beside it."""
    seen = by_released_values(problem, partition)
    losses = {key: loss.of(seen, partition) for key, loss in LOSSES.items() if loss.beside != "withheld"}
    told = {
        key: rounded_share(value) if LOSSES[key].beside == "rounded" else value
        for key, value in losses.items()
        if not np.isnan(value)
    }
    columns = {name: rounded_share(value) for name, value in losses_by_column(seen, partition).items()}
    return Costs({key: told.get(key) for key in LOSSES}, columns)


def rounded_share(share: float) -> float:
    """Return a share of few digits, never rounded to a false none or all.

    Examples
    --------
    >>> rounded_share(0.75351), rounded_share(0.0001), rounded_share(0.9999), rounded_share(0.0), rounded_share(1.0)
    (0.754, 0.001, 0.999, 0.0, 1.0)
    """
    least = 10.0**-DIGITS
    return round(min(max(share, least), 1.0 - least), DIGITS) if 0.0 < share < 1.0 else share


def by_released_values(problem: Problem, partition: Partition) -> Problem:
    """Return the problem with every cost as if there were only the values that some released row has."""
    kept = partition.classes >= 0
    if kept.all() or not kept.any():
        return problem
    codes = problem.codes[partition.rows[kept]]
    quasi = (_measured_by(each, np.unique(codes[:, at]).astype(np.int64)) for at, each in enumerate(problem.quasi))
    return replace(problem, quasi=tuple(quasi))


def _measured_by(quasi: Quasi, used: Integers) -> Quasi:
    """Return a quasi-identifier of which only some values count."""
    line = quasi.line if quasi.line is not None else quasi.places
    places = None if line is None else _stretched(line, used[used < len(line)])
    levels = tuple(_level(level, used, places) for level in quasi.levels)
    return replace(
        quasi,
        levels=levels,
        leaves=len(used),
        places=None if quasi.places is None or places is None else _snapped(quasi, places, used[used < len(places)]),
        line=None if quasi.line is None else places,
    )


def _snapped(quasi: Quasi, places: Floats, used: Integers) -> Floats:
    """Return the places of values, those that do not count at the next that does: of a step's first value above it."""
    if quasi.steps is None or not len(used):
        return places
    every = np.arange(len(places))
    above = used[np.minimum(np.searchsorted(used, every), len(used) - 1)]
    below = used[np.maximum(np.searchsorted(used, every, side="right") - 1, 0)]
    return np.asarray(places[np.where(quasi.steps.first_and_last[0] == every, above, below)])


def _stretched(places: Floats, used: Integers) -> Floats:
    """Return places from 0, the first of some values, to 1, the last; others lie at the nearer end."""
    if not len(used):
        return np.zeros_like(places)
    low, high = float(places[used].min()), float(places[used].max())
    return np.asarray(np.clip((places - low) / (high - low), 0.0, 1.0)) if high > low else np.zeros_like(places)


def _level(level: Level, used: Integers, places: Floats | None) -> Level:
    """Return a level with the leaves and the cost of each node as some values have them."""
    number = len(level.labels)
    leaves = np.maximum(np.bincount(level.nodes[used], minlength=number), 1).astype(np.int64)
    if number == 1:
        costs = np.full(1, float(len(used) > 1))
    elif places is None:
        costs = (leaves - 1) / max(len(used) - 1, 1)
    else:
        on_line = used[used < len(places)]
        low, high = np.full(number, np.inf), np.full(number, -np.inf)
        np.minimum.at(low, level.nodes[on_line], places[on_line])
        np.maximum.at(high, level.nodes[on_line], places[on_line])
        costs = np.where(high >= low, high - low, 0.0)
    return Level(level.nodes, level.labels, leaves, np.asarray(costs, dtype=np.float64))
