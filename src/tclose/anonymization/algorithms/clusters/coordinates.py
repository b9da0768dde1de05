"""Where rows lie in the space of quasi-identifiers: places on lines, nodes in hierarchies, an order along a curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tclose.anonymization.algorithms.problem import Floats, Problem, Quasi
from tclose.models.counts import Integers

Scale = Literal["loss", "deviation"]
"""A step counts by the loss it causes, or by the standard deviation of its column."""

_CURVE_BITS = 62


@dataclass(frozen=True)
class Space:
    """Rows as points, with squared distances between them.

    The squared distance of two rows is the sum of squared steps on the lines and, for every level on which
    their nodes differ, of the two rows' ``edges``: along a hierarchy these add up to the squared loss of
    the lowest node that holds both.
    """

    points: Floats
    """Rows × lines."""
    nodes: Integers
    """Rows × levels of hierarchies."""
    edges: Floats
    """Rows × levels of hierarchies: half the squared loss that the level above adds."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.points)

    @property
    def width(self) -> int:
        """How many numbers a distance is made of."""
        return int(self.points.shape[1] + self.nodes.shape[1])

    def part(self, rows: Integers) -> Space:
        """Return the space of some of the rows."""
        return Space(self.points[rows], self.nodes[rows], self.edges[rows])

    def off_centre(self) -> Floats:
        """Return the mean squared distance of each row to all rows, over the hierarchies alone."""
        found = np.zeros(self.rows)
        for nodes, edges in zip(self.nodes.T, self.edges.T, strict=True):
            numbers = np.unique(nodes, return_inverse=True)[1]
            share = np.bincount(numbers) / self.rows
            inside = np.bincount(numbers, weights=edges) / self.rows
            found += (1.0 - share[numbers]) * edges + inside.sum() - inside[numbers]
        return found


def coordinates(problem: Problem, rows: Integers, scale: Scale = "loss") -> Space:
    """Return where rows lie.

    Parameters
    ----------
    problem
        The rows and the hierarchies.
    rows
        Which of the problem's distinct rows; one may occur several times.
    scale
        What a step of 1 stands for.
    """
    lines: list[Floats] = []
    nodes: list[Integers] = []
    edges: list[Floats] = []
    weights = problem.weights * len(problem.quasi)
    for quasi, codes, weight in zip(problem.quasi, problem.codes[rows].T, weights.tolist(), strict=True):
        line, own_nodes, own_edges = _column(quasi)
        space = Space(line[codes], own_nodes[codes], own_edges[codes])
        factor = weight / _deviation(space) if scale == "deviation" else weight
        lines.append(space.points * factor)
        nodes.append(space.nodes)
        edges.append(space.edges * factor**2)
    if not lines:
        return Space(np.zeros((len(rows), 0)), np.zeros((len(rows), 0), dtype=np.int64), np.zeros((len(rows), 0)))
    return Space(np.hstack(lines), np.hstack(nodes), np.hstack(edges))


def _column(quasi: Quasi) -> tuple[Floats, Integers, Floats]:
    """Return each value's coordinates on lines, its nodes, and the edges above them."""
    number = len(quasi.values)
    if quasi.places is not None:
        missing = number > len(quasi.places)
        line = np.append(quasi.places, [quasi.places.mean()] if missing else [])
        nodes = (np.arange(number) >= len(quasi.places)).astype(np.int64)[:, np.newaxis]
        return line[:, np.newaxis], nodes[:, : int(missing)], np.full((number, int(missing)), 0.5)
    levels = quasi.levels[quasi.lowest :]
    heights = [np.zeros(number), *(level.costs[level.nodes] ** 2 / 2.0 for level in levels[1:])]
    found = [level.nodes.astype(np.int64) for level in levels[:-1]]
    if not found:
        return np.zeros((number, 0)), np.zeros((number, 0), dtype=np.int64), np.zeros((number, 0))
    return np.zeros((number, 0)), np.stack(found, axis=1), np.diff(np.stack(heights, axis=1), axis=1)


def _deviation(space: Space) -> float:
    """Return the standard deviation: the root of half the mean squared distance of two rows."""
    spread = float(space.points.var(axis=0).sum()) + float(space.off_centre().mean()) / 2.0
    return spread**0.5 if spread > 0 else 1.0


def along_curve(problem: Problem, rows: Integers) -> Integers:
    """Return the positions of the rows in the order in which a Hilbert curve visits them; ties as given.

    Parameters
    ----------
    problem
        The rows and the hierarchies.
    rows
        Which of the problem's distinct rows; one may occur several times.
    """
    columns = [_spots(quasi)[codes] for quasi, codes in zip(problem.quasi, problem.codes[rows].T, strict=True)]
    columns = [spots for spots in columns if spots.min(initial=1.0) < spots.max(initial=0.0)]
    if not columns:
        return np.arange(len(rows))
    columns = columns[:_CURVE_BITS]
    bits = min(_CURVE_BITS // len(columns), 16)
    grid = np.stack([np.minimum(spots * 2**bits, 2**bits - 1).astype(np.int64) for spots in columns])
    return np.argsort(_hilbert(grid, bits), kind="stable")


def _spots(quasi: Quasi) -> Floats:
    """Return a place between 0 and 1 for each value: on its line, or in the order of the tree by the losses between."""
    if quasi.places is not None:
        return np.append(quasi.places, np.ones(len(quasi.values) - len(quasi.places)))
    order = np.lexsort(tuple(level.nodes for level in quasi.levels))
    steps = np.zeros(len(order))
    for level in reversed(quasi.levels):
        nodes = level.nodes[order]
        together = nodes[1:] == nodes[:-1]
        steps[1:][together] = level.costs[nodes[1:]][together]
    spots = np.empty(len(order))
    spots[order] = np.cumsum(steps) / max(float(steps.sum()), 1e-300)
    return spots


def _hilbert(grid: Integers, bits: int) -> Integers:
    """Return the place of each point of a grid, columns × points, on a Hilbert curve (Skilling 2004)."""
    axes = grid.copy()
    first = axes[0]
    for power in reversed(range(1, bits)):
        bit, mask = 1 << power, (1 << power) - 1
        for at in range(len(axes)):
            high = (axes[at] & bit) != 0
            swapped = np.where(high, 0, (first ^ axes[at]) & mask)
            first ^= np.where(high, mask, swapped)
            axes[at] ^= swapped
    for at in range(1, len(axes)):
        axes[at] ^= axes[at - 1]
    flipped = np.zeros_like(first)
    for power in reversed(range(1, bits)):
        flipped ^= np.where((axes[-1] & (1 << power)) != 0, (1 << power) - 1, 0)
    axes ^= flipped
    place: Integers = np.zeros(axes.shape[1], dtype=np.int64)
    for power in reversed(range(bits)):
        for axis in axes:
            place = (place << 1) | ((axis >> power) & 1)
    return place
