"""What the compiled loops of the improvement read and write: groups of arrays with names."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.recoding.problem import Codes, Floats

TREE, LINE, BITS = 0, 1, 2
"""What the cells of a column cost: by their node; where intervals are published, their width, or its logarithm."""
KIND, SPAN, HEIGHT, BEGIN, ON_LINE, END, TOP, FIRST, STRETCHES, PAIRS = range(10)
"""What ``Shapes.columns`` holds of a column: its kind, how many positions and levels it has, where its nodes begin,
how many positions lie on a line, where its positions begin among those of all columns, the coarsest level, where
its stretches begin among those of all columns, how many there are, and where its pairs of positions begin, or −1."""


class Shapes(NamedTuple):
    """What a cell from one position of a column to another costs, its weight included.

    The node of position p on the finest level is ``nodes[BEGIN + p]``, and ``SPAN`` places further on the next
    level; ``costs`` are arranged likewise. An interval reaches from ``line[END + p, 0]`` to ``line[END + p, 1]``.
    """

    columns: Integers
    nodes: Codes
    costs: Floats
    line: Floats
    scales: Floats
    """What the width of an interval, or its logarithm, is multiplied with."""
    stretch_of: Integers
    """The stretch of each position (``END + p``) among those of all columns."""
    stretches: Codes
    """The first and the last position of each stretch."""
    pairs: Floats
    """What a cell from one position to another costs, written where a column has few; either may be the lower."""


class Limits(NamedTuple):
    """What classes must meet as far as the loops know: their size, and a distance for each attribute."""

    attributes: Integers
    """For each attribute: where its cells begin and end, and 1 if they are running sums along a line."""
    cells: Floats
    """For each cell the share that is expected there, and what a deviation costs."""
    bounds: Floats
    least: int


class Crowd(NamedTuple):
    """Units: rows that move together."""

    positions: Codes
    weights: Integers
    mass: Floats
    """How many rows a unit has in each cell, and after all cells, with a value of each attribute."""
    alone: Floats
    """What a unit would lose as a class of its own, and by how many rows that would be beyond its limits."""


class Entries(NamedTuple):
    """How many rows units add where: what ``Crowd.mass`` has, without zeros and without running sums."""

    begins: Integers
    """Where the entries begin of each unit and attribute."""
    cells: Codes
    counts: NDArray[np.float32]


class Plan(NamedTuple):
    """How a region is searched: round by round the temperature, and what a row beyond a limit costs."""

    heat: Floats
    strictness: Floats
    seed: int
    once: bool
    """Whether a class takes part in one move at the most, so that each move can be judged by itself."""
    full: float
    """What a row loses that is left out."""


class Standing(NamedTuple):
    """The classes of a region while units move."""

    of_unit: Integers
    sizes: Integers
    low: Codes
    high: Codes
    at_low: Codes
    """How many units are at the low end of a class in each column."""
    at_high: Codes
    parts: Floats
    """What the cell of each column of a class costs: classes × columns."""
    losses: Floats
    """What each row of a class loses."""
    excess: Floats
    """By how many rows a class is beyond its limits."""
    mass: Floats
    links: Integers
    """For each unit, the one after and the one before it in its class."""
    heads: Integers
    joins: NDArray[np.float32]
    """What a cell costs at the least that also covers a position of a stretch: stretches of all columns × classes."""
    rows: NDArray[np.float32]
    worth: NDArray[np.float32]
    """What would be gained if a class were gone: the loss of its rows, and its excess."""
    free: Integers
    """Numbers of empty classes; how many is the first of ``tally``, how many rows may still be left out the second."""
    tally: Integers
    touched: NDArray[np.bool_]
    box: Codes
    """The box that a class would have without a unit, and the one that another has with it: low, high, and how many
    units are at the low end and at the high one, of each."""
    pulls: NDArray[np.float32]
    """How a row of a cell changes by how many rows each class is beyond its limit: cells and attributes × classes."""
    beyond: NDArray[np.float32]
    """By how many rows each class is beyond each limit, at the least; negative where it is within."""


class Scan(NamedTuple):
    """What is foreseen of each class while the best for a unit is looked for."""

    growth: NDArray[np.float32]
    """What the loss would grow by if a unit joined it, at the least where positions are taken together."""
    foreseen: NDArray[np.float32]
    """The same with what rows beyond limits would cost, at the least."""
    here: NDArray[np.float32]
    """Room for the rows beyond one limit."""
    lowest: NDArray[np.float32]
    """The least of what is foreseen, of many classes together."""
