"""What the search by moves hands to its kernel, whose classes of the same fields say what each array holds."""

from __future__ import annotations

from typing import NamedTuple

from tclose.counts import Integers
from tclose.recoding.problem import Codes, Floats

TREE, LINE, BITS = 0, 1, 2
"""What the cells of a column cost: by their node; where intervals are published, their width, or its logarithm."""


class Shapes(NamedTuple):
    """What cells cost: the fields of :class:`tclose.kernels.annealing.Costs`."""

    columns: Integers
    nodes: Codes
    costs: Floats
    line: Floats
    scales: Floats
    stretch_of: Integers
    stretches: Codes
    pairs: Floats


class Limits(NamedTuple):
    """What classes must meet as far as the kernel knows: the fields of :class:`tclose.kernels.annealing.Limits`."""

    attributes: Integers
    cells: Floats
    bounds: Floats
    least: int


class Crowd(NamedTuple):
    """Rows that move together: the fields of :class:`tclose.kernels.annealing.Units`."""

    positions: Codes
    weights: Integers
    mass: Floats
    alone: Floats


class Plan(NamedTuple):
    """How a region is searched: round by round the temperature, and what a row beyond a limit costs."""

    heat: Floats
    strictness: Floats
    seed: int
    once: bool
    """Whether a class takes part in one move at the most, so that each move can be judged by itself."""
    full: float
    """What a row loses that is left out."""
