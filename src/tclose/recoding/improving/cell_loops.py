"""The compiled loops of what cells cost: of a class as it is, with a unit more or less, with any further stretch."""

# mypy: disable-error-code="no-untyped-def"
from __future__ import annotations

import numba
import numpy as np

from tclose.recoding.improving.forms import BEGIN, BITS, END, FIRST, HEIGHT, KIND, ON_LINE, SPAN, STRETCHES, TOP

_FAR = 1e15
"""What a cell costs that may not be published."""
_ROUNDING = 1e-9


@numba.njit(inline="always")
def cell_cost(columns, nodes, costs, line, scales, q, low, high):
    """Return what a cell costs that reaches from one position of a column to another."""
    at, span = columns[q, BEGIN], columns[q, SPAN]
    if nodes[at + low] == nodes[at + high]:
        return costs[at + low]
    top = at + columns[q, TOP] * span
    if nodes[top + low] != nodes[top + high]:
        return _FAR
    if columns[q, KIND] and high < columns[q, ON_LINE]:
        wide = line[columns[q, END] + high, 1] - line[columns[q, END] + low, 0]
        return scales[q] * (np.log2(wide) if columns[q, KIND] == BITS else wide)
    for _ in range(columns[q, HEIGHT] - 1):
        at += span
        if nodes[at + low] == nodes[at + high]:
            break
    return costs[at + low]


@numba.njit(inline="always")
def excess(attributes, cells, bounds, least, size, mass, c, unit, u, sign):
    """Return by how many rows class c is beyond its limits with unit u added (sign 1.0) or taken away (−1.0)."""
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
def set_cells(columns, nodes, costs, line, scales, stretches, low, high, parts, joins, c, box, side):
    """Give a class the box of a side, write what it costs, also with any further stretch; return what a row loses.

    An empty class has a box of −1.
    """
    loss = 0.0
    for q in range(len(columns)):
        first, last = box[side, q], box[side + 1, q]
        if first != low[c, q] or last != high[c, q]:
            low[c, q], high[c, q] = first, last
            cost = cell_cost(columns, nodes, costs, line, scales, q, first, last)
            parts[c, q] = cost
            for at in range(columns[q, FIRST], columns[q, FIRST] + columns[q, STRETCHES]):
                if stretches[at, 1] < first:
                    joins[at, c] = cell_cost(columns, nodes, costs, line, scales, q, stretches[at, 1], last)
                elif stretches[at, 0] > last:
                    joins[at, c] = cell_cost(columns, nodes, costs, line, scales, q, first, stretches[at, 0])
                else:
                    joins[at, c] = cost
        loss += parts[c, q]
    return loss


@numba.njit(inline="always")
def loss_without(columns, nodes, costs, line, scales, positions, low, high, parts, loss, links, own, first, u, box):
    """Return what each row of a class would lose without a unit, and write the box that it would have."""
    for q in range(len(columns)):
        position, lowest, highest = positions[u, q], low[own, q], high[own, q]
        least, most = lowest, highest
        if position in (least, most):
            least, most, other = np.int32(columns[q, SPAN]), np.int32(-1), first
            while other >= 0 and (least != lowest or most != highest):
                if other != u:
                    least = min(least, positions[other, q])
                    most = max(most, positions[other, q])
                other = links[other, 0]
            if least != lowest or most != highest:
                loss += cell_cost(columns, nodes, costs, line, scales, q, least, most) - parts[own, q]
        box[0, q], box[1, q] = least, most
    return max(loss, 0.0)


@numba.njit(inline="always")
def loss_with(columns, nodes, costs, line, scales, positions, low, high, parts, loss, c, u, enough):
    """Return what each row of a class would lose with a unit, or no less than ``enough`` if it would lose as much."""
    for q in range(len(columns)):
        position = positions[u, q]
        if position < low[c, q] or position > high[c, q]:
            lowest, highest = min(position, low[c, q]), max(position, high[c, q])
            loss += cell_cost(columns, nodes, costs, line, scales, q, lowest, highest) - parts[c, q]
            if loss >= enough:
                break
    return loss
