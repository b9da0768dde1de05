"""The compiled loops of limits: by how many rows a class is beyond them, and by how many at least with a unit more."""

# mypy: disable-error-code="no-untyped-def"
from __future__ import annotations

import numpy as np

from tclose.compiled import compiler, uncounted

numba = compiler()

_ROUNDING = 1e-9
_LAST_BITS = 1e-7
"""What single floats may be wrong by, of what is added up."""
_MOST_PULLED = 4.0
"""More than all rows of a unit, one each, pull a class beyond a limit, whichever way."""


@numba.njit(inline="always")
def excess(limits, size, mass, c, unit, u, sign):
    """Return by how many rows class c is beyond its limits with unit u added (sign 1.0) or taken away (−1.0)."""
    attributes, cells, bounds, least = limits
    beyond = float(max(least - size, 0))
    for a in range(len(bounds)):
        rows = mass[c, len(cells) + a] + sign * unit[u, len(cells) + a]
        if bounds[a] >= 1.0 or rows <= 0.0:
            continue
        total = 0.0
        if attributes[a, 2]:
            for cell in range(attributes[a, 0], attributes[a, 1]):
                total += cells[cell, 1] * abs(mass[c, cell] + sign * unit[u, cell] - cells[cell, 0] * rows)
        else:
            for cell in range(attributes[a, 0], attributes[a, 1]):
                total += cells[cell, 1] * max(mass[c, cell] + sign * unit[u, cell] - cells[cell, 0] * rows, 0.0)
        beyond += max(total - bounds[a] * rows + _ROUNDING, 0.0)
    return beyond


@numba.njit(inline="always")
def set_pulls(limits, mass, c, pulls, beyond):
    """Write by how many rows a class is beyond each limit (within it: negative), and what a row of a cell adds to that.

    Distances are convex: with further rows a class is beyond a limit by what these add up to, or by more.
    """
    attributes, cells, bounds, _ = limits
    for a in range(len(bounds)):
        if bounds[a] >= 1.0:
            continue
        rows, total, expected, sides = mass[c, len(cells) + a], 0.0, 0.0, 0.0
        for cell in range(attributes[a, 1] - 1, attributes[a, 0] - 1, -1):
            off = mass[c, cell] - cells[cell, 0] * rows
            side = cells[cell, 1] if off > 0.0 else -cells[cell, 1] if attributes[a, 2] else 0.0
            total += side * off
            expected += side * cells[cell, 0]
            sides += side
            pulls[cell, c] = sides if attributes[a, 2] else side
        pulls[len(cells) + a, c] = -expected - bounds[a]
        off = total - bounds[a] * rows
        beyond[a, c] = off - _LAST_BITS * (len(pulls) + 2) * abs(off)


@uncounted
def write_entries(attributes, mass, begins, cells, counts):
    """Write how many rows each unit adds where, attribute by attribute, while there is room; return how many places."""
    number, every = 0, mass.shape[1] - len(attributes)
    for u in range(len(mass)):
        for a in range(len(attributes)):
            begins[u * len(attributes) + a], before = number, 0.0
            for at in range(attributes[a, 0], attributes[a, 1] + 1):
                in_cells = at < attributes[a, 1]
                cell = at if in_cells else every + a
                added = mass[u, cell] - (before if in_cells else 0.0)
                before = mass[u, cell] if attributes[a, 2] else 0.0
                if added != 0.0:
                    if number < len(cells):
                        cells[number], counts[number] = cell, added
                    number += 1
    begins[len(begins) - 1] = number
    return number


@numba.njit(inline="always")
def add_foreseen_excess(limits, entries, standing, u, weight, strictness, here, foreseen):
    """Add what rows beyond limits would cost at the least, but for a last bit, if a unit joined each class."""
    bounds, least, nothing = limits.bounds, np.float32(limits.least), np.float32(0.0)
    for c in range(len(foreseen)):
        foreseen[c] += strictness * max(least - standing.rows[c] - weight, nothing)
    for a in range(len(bounds)):
        if bounds[a] >= 1.0:
            continue
        begin, end = entries.begins[u * len(bounds) + a], entries.begins[u * len(bounds) + a + 1]
        unsure = np.float32(_LAST_BITS * _MOST_PULLED * (end - begin + 2)) * weight
        for c in range(len(foreseen)):
            here[c] = standing.beyond[a, c] - unsure
        for at in range(begin, end):
            cell, count = entries.cells[at], entries.counts[at]
            for c in range(len(foreseen)):
                here[c] += count * standing.pulls[cell, c]
        for c in range(len(foreseen)):
            foreseen[c] += strictness * max(here[c], nothing)
