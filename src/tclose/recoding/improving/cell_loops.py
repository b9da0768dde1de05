"""The compiled loops of what cells cost: of a class as it is, with a unit more or less, with any further stretch."""

# mypy: disable-error-code="no-untyped-def"
from __future__ import annotations

import numpy as np

from tclose.compiled import compiler, uncounted
from tclose.recoding.improving.forms import BEGIN, BITS, END, FIRST, HEIGHT, KIND, ON_LINE, PAIRS, SPAN, STRETCHES, TOP

numba = compiler()

_FAR = 1e15
"""What a cell costs that may not be published."""


@numba.njit(inline="always")
def cell_cost(shapes, q, low, high):
    """Return what a cell costs that reaches from one position of a column to another."""
    at, span = shapes.columns[q, BEGIN], shapes.columns[q, SPAN]
    if shapes.nodes[at + low] == shapes.nodes[at + high]:
        return shapes.costs[at + low]
    top = at + shapes.columns[q, TOP] * span
    if shapes.nodes[top + low] != shapes.nodes[top + high]:
        return _FAR
    if shapes.columns[q, KIND] and high < shapes.columns[q, ON_LINE]:
        end = shapes.columns[q, END]
        wide = shapes.line[end + high, 1] - shapes.line[end + low, 0]
        return shapes.scales[q] * (np.log2(wide) if shapes.columns[q, KIND] == BITS else wide)
    for _ in range(shapes.columns[q, HEIGHT] - 1):
        at += span
        if shapes.nodes[at + low] == shapes.nodes[at + high]:
            break
    return shapes.costs[at + low]


@uncounted
def fill_pairs(shapes):
    """Write what cells from one position of a column to another cost, where it has few."""
    for q in range(len(shapes.columns)):
        first, span = shapes.columns[q, PAIRS], shapes.columns[q, SPAN]
        if first < 0:
            continue
        for low in range(span):
            for high in range(low, span):
                cost = cell_cost(shapes, q, low, high)
                shapes.pairs[first + low * span + high] = shapes.pairs[first + high * span + low] = cost


@numba.njit(inline="always")
def known_cost(shapes, q, low, high):
    """Return what a cell costs, as written if it is."""
    if shapes.columns[q, PAIRS] >= 0:
        return shapes.pairs[shapes.columns[q, PAIRS] + low * shapes.columns[q, SPAN] + high]
    return cell_cost(shapes, q, low, high)


@numba.njit(inline="always")
def _set_joins(shapes, joins, c, q, first, last, cost):
    """Write what the cell of a class would cost with each further stretch."""
    begin, span, known = shapes.columns[q, FIRST], shapes.columns[q, SPAN], shapes.columns[q, PAIRS]
    if known >= 0:
        for at in range(first):
            joins[begin + at, c] = shapes.pairs[known + last * span + at]
        for at in range(first, last + 1):
            joins[begin + at, c] = cost
        for at in range(last + 1, span):
            joins[begin + at, c] = shapes.pairs[known + first * span + at]
        return
    for at in range(begin, begin + shapes.columns[q, STRETCHES]):
        if shapes.stretches[at, 1] < first:
            joins[at, c] = cell_cost(shapes, q, shapes.stretches[at, 1], last)
        elif shapes.stretches[at, 0] > last:
            joins[at, c] = cell_cost(shapes, q, first, shapes.stretches[at, 0])
        else:
            joins[at, c] = cost


@numba.njit(inline="always")
def set_cells(shapes, low, high, parts, joins, c, box, side):
    """Give a class the box of a side, write what it costs, also with any further stretch; return what a row loses.

    An empty class has a box of −1.
    """
    loss = 0.0
    for q in range(len(shapes.columns)):
        first, last = box[side, q], box[side + 1, q]
        if first != low[c, q] or last != high[c, q]:
            low[c, q], high[c, q] = first, last
            cost = known_cost(shapes, q, first, last)
            parts[c, q] = cost
            _set_joins(shapes, joins, c, q, first, last, cost)
        loss += parts[c, q]
    return loss


@numba.njit(inline="always")
def _ends_without(positions, links, other, u, q):
    """Return the ends of a class without a unit in a column, and how many others are at each."""
    least, most, lowest, highest = np.int32(2**31 - 1), np.int32(-1), np.int32(0), np.int32(0)
    while other >= 0:
        position = positions[other, q]
        if other != u:
            if position < least:
                least, lowest = position, np.int32(0)
            if position > most:
                most, highest = position, np.int32(0)
            lowest += np.int32(position == least)
            highest += np.int32(position == most)
        other = links[other, 0]
    return least, most, lowest, highest


@numba.njit(inline="always")
def loss_without(shapes, positions, standing, own, u):
    """Return what each row of a class would lose without a unit, and write the box that it would have."""
    box, loss = standing.box, standing.losses[own]
    for q in range(len(shapes.columns)):
        position, least, most = positions[u, q], standing.low[own, q], standing.high[own, q]
        lowest = standing.at_low[own, q] - (position == least)
        highest = standing.at_high[own, q] - (position == most)
        if not lowest or not highest:
            least, most, lowest, highest = _ends_without(positions, standing.links, standing.heads[own], u, q)
            loss += known_cost(shapes, q, least, most) - standing.parts[own, q]
        box[0, q], box[1, q], box[2, q], box[3, q] = least, most, lowest, highest
    return max(loss, 0.0)


@numba.njit(inline="always")
def loss_with(shapes, positions, standing, c, u, enough):
    """Return what each row of a class would lose with a unit, or no less than ``enough`` if it would lose as much."""
    loss = standing.losses[c]
    for q in range(len(shapes.columns)):
        position, low, high = positions[u, q], standing.low[c, q], standing.high[c, q]
        if position < low or position > high:
            loss += known_cost(shapes, q, min(position, low), max(position, high)) - standing.parts[c, q]
            if loss >= enough:
                break
    return loss
