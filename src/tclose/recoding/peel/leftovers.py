"""What to do with rows that no class took: join them to classes that stay close, or let classes merge round them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.recoding.boxes import Boxes
from tclose.recoding.partition import INTERVAL, Cells, Partition, cell_costs, hulls
from tclose.recoding.peel.closeness import Closeness, Kinds
from tclose.recoding.problem import Codes, Floats, Problem

_MOST_CELLS = 30_000_000
"""Up to so many counts, of classes by values, rows are placed one by one."""
_MOST_STEPS = 2_000_000_000

Masses = tuple[Floats, Integers]
"""How many rows classes have in each cell of each attribute, and how many with a value at all."""


def placed(
    problem: Problem, partition: Partition, close: Closeness, kinds: Kinds, node_of: Codes, dearest: float
) -> Partition:
    """Return the partition with rows of no class put into classes that stay close and lose at most ``dearest`` rows."""
    waiting = np.flatnonzero(partition.classes < 0)
    left = int(partition.counts[waiting].sum())
    number = partition.number
    steps = left * number * len(problem.quasi)
    if not left or not number or number * close.expected.size > _MOST_CELLS or steps > _MOST_STEPS:
        return partition
    from tclose.recoding.peel.leftover_loops import place

    wanted = np.repeat(partition.rows[waiting], partition.counts[waiting])
    low, high, levels = _extents(problem, partition)
    sizes = partition.sizes()
    costs = (cell_costs(problem, partition.cells) * problem.weights).sum(axis=1)
    mass, rows = _masses(partition, close, kinds)
    chosen = np.empty(len(wanted), dtype=np.int64)
    place(
        wanted, problem.codes, kinds.of_row, kinds.ranks, low, high, _on_line(problem), levels,
        np.array([quasi.places is not None for quasi in problem.quasi]), node_of,
        np.array([quasi.top for quasi in problem.quasi]), _level_costs(problem), _places(problem), problem.weights,
        sizes, costs, mass, rows, close.heights, close.sizes, close.cells, close.expected, close.weights, close.limits,
        dearest, chosen,
    )  # fmt: skip
    kept = partition.classes >= 0
    every = np.concatenate([partition.rows[kept], wanted])
    classes = np.concatenate([partition.classes[kept], chosen])
    counts = np.concatenate([partition.counts[kept], np.ones(len(wanted), dtype=np.int64)])
    return Partition(*gathered(every, classes, counts), hulls(problem, every, classes, number))


def taken_back(problem: Problem, partition: Partition, close: Closeness, kinds: Kinds) -> Partition:
    """Return the partition with the rows of no class made a class, together with as few others as make it close.

    Whole classes are taken back, always the one that brings the new class nearer for the least detail lost.
    Where levels are limited, there is such a class for each compartment with rows of no class.
    """
    waiting = partition.classes < 0
    if not partition.number or not waiting.any() or partition.number * close.expected.size > _MOST_CELLS:
        return partition
    compartments = Boxes.of(problem).compartments[partition.rows]
    mass, rows = _masses(partition, close, kinds)
    sizes = partition.sizes()
    lost = (1.0 - (cell_costs(problem, partition.cells) * problem.weights).sum(axis=1)) * sizes + 1e-3
    joined = partition.classes.copy()
    for place, compartment in enumerate(np.unique(compartments[waiting]).tolist()):
        here = compartments == compartment
        among = np.unique(partition.classes[here & ~waiting])
        left = here & waiting
        rest = _masses(
            Partition(partition.rows[left], partition.classes[left] + 1, partition.counts[left], _ONE), close, kinds
        )
        size = int(partition.counts[left].sum())
        back = _back(problem.k - size, rest, (mass[among], rows[among]), sizes[among], lost[among], close)
        joined[left | np.isin(partition.classes, among[back])] = partition.number + place
    classes = np.unique(joined, return_inverse=True)[1]
    pieces = gathered(partition.rows, classes, partition.counts)
    return Partition(*pieces, hulls(problem, pieces[0], pieces[1], int(classes.max()) + 1))


def _back(
    wanting: int, rest: Masses, classes: Masses, sizes: Integers, lost: Floats, close: Closeness
) -> NDArray[np.bool_]:
    """Return which classes join the rest, so that it has the rows it is wanting and is close."""
    mass, rows = classes
    rest_mass, rest_rows = rest
    back = np.zeros(len(sizes), dtype=bool)
    excess = float(_excess(rest_mass, rest_rows, close)[0])
    while (excess > 0 or wanting > 0) and not back.all():
        after = _excess(mass + rest_mass, rows + rest_rows, close)
        gain = np.where(back, -np.inf, (excess - after + (1e-6 if wanting <= 0 else sizes)) / lost)
        best = int(np.argmax(gain))
        back[best] = True
        rest_mass, rest_rows = rest_mass + mass[best], rest_rows + rows[best]
        wanting -= int(sizes[best])
        excess = float(after[best])
    return back


_ONE = Cells(np.zeros((1, 0), dtype=np.int16), np.zeros((1, 0), dtype=np.int32), np.zeros((1, 0), dtype=np.int32))


def _excess(mass: Floats, rows: Integers, close: Closeness) -> Floats:
    """Return by how many rows classes exceed their limits, over all attributes."""
    total = np.zeros(len(mass))
    for a, height in enumerate(close.heights.tolist()):
        if close.limits[a] >= 1.0:
            continue
        here = mass[:, a, : close.sizes[a]]
        gaps = (np.cumsum(here, axis=1) if height == 0 else here) - close.expected[a, : close.sizes[a]] * rows[
            :, a, None
        ]
        far = (close.weights[a, : close.sizes[a]] * (np.abs(gaps) if height == 0 else np.maximum(gaps, 0.0))).sum(
            axis=1
        )
        total += np.maximum(far - (close.limits[a] - 1e-9) * rows[:, a], 0.0)
    return total


def gathered(rows: Integers, classes: Integers, counts: Integers) -> tuple[Integers, Integers, Integers]:
    """Return pieces with those of the same row and class added up."""
    key = rows * (int(classes.max(initial=0)) + 2) + classes + 1
    distinct, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    total = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(total, inverse, counts)
    return rows[first], classes[first], total


def _extents(problem: Problem, partition: Partition) -> tuple[Codes, Codes, Codes]:
    """Return the lowest and highest code of each class and column, and the lowest level that holds them all."""
    kept = partition.classes >= 0
    shape = partition.cells.levels.shape
    low, high = np.full(shape, 2**30, dtype=np.int32), np.zeros(shape, dtype=np.int32)
    np.minimum.at(low, partition.classes[kept], problem.codes[partition.rows[kept]])
    np.maximum.at(high, partition.classes[kept], problem.codes[partition.rows[kept]])
    return low, high, _levels_of_extents(problem, partition.cells, low, high)


def _levels_of_extents(problem: Problem, cells: Cells, low: Codes, high: Codes) -> Codes:
    levels = cells.levels.astype(np.int32)
    for column, quasi in enumerate(problem.quasi):
        unsettled = levels[:, column] == INTERVAL
        for at in range(len(quasi.levels) - 1, quasi.lowest - 1, -1):
            nodes = quasi.levels[at].nodes
            shared = unsettled & (nodes[low[:, column]] == nodes[high[:, column]])
            levels[shared, column] = at
    return levels


def _on_line(problem: Problem) -> Codes:
    """Return how many values of each column lie on a line."""
    return np.array([0 if quasi.places is None else len(quasi.places) for quasi in problem.quasi], dtype=np.int32)


def _places(problem: Problem) -> Floats:
    widest = max(len(quasi.values) for quasi in problem.quasi)
    places = np.zeros((len(problem.quasi), widest))
    for at, quasi in enumerate(problem.quasi):
        if quasi.places is not None:
            places[at, : len(quasi.places)] = quasi.places
    return places


def _level_costs(problem: Problem) -> Floats:
    tallest = max(len(quasi.levels) for quasi in problem.quasi)
    widest = max(len(level.costs) for quasi in problem.quasi for level in quasi.levels)
    costs = np.zeros((len(problem.quasi), tallest, widest))
    for at, quasi in enumerate(problem.quasi):
        for level, found in enumerate(quasi.levels):
            costs[at, level, : len(found.costs)] = found.costs
    return costs


def _masses(partition: Partition, close: Closeness, kinds: Kinds) -> Masses:
    """Return how many rows each class has in each cell of each attribute, and how many with a value at all."""
    kept = partition.classes >= 0
    classes, counts = partition.classes[kept], partition.counts[kept]
    ranks = kinds.ranks[kinds.of_row[partition.rows[kept]]]
    mass = np.zeros((partition.number, *close.expected.shape))
    rows = np.zeros((partition.number, len(close.heights)), dtype=np.int64)
    for a, height in enumerate(close.heights.tolist()):
        known = ranks[:, a] >= 0
        np.add.at(rows[:, a], classes[known], counts[known])
        for level in range(max(height, 1)):
            np.add.at(mass[:, a], (classes[known], close.cells[a, level, ranks[known, a]]), counts[known])
    return mass, rows
