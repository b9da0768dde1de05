"""The compiled loops of the improvement: a unit leaves its class for the one where least is lost, by annealing.

A class may be beyond its limits for a while; each row beyond costs more from round to round, until none is worth it.
What is called for every unit takes arrays one by one: taking them from a group each time costs more than the work.
"""

# mypy: disable-error-code="no-untyped-def"
from __future__ import annotations

import numba
import numpy as np

from tclose.compiled import machine_code
from tclose.recoding.improving.forms import BEGIN, BITS, END, HEIGHT, KIND, ON_LINE, SPAN, TOP, Standing

_NEVER = np.float32(1e30)
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
def excess(attributes, cells, bounds, least, size, mass, unit, sign):
    """Return by how many rows a class is beyond its limits with a unit added (sign 1.0) or taken away (−1.0)."""
    beyond = float(max(least - size, 0))
    for a in range(len(bounds)):
        rows = mass[len(cells) + a] + sign * unit[len(cells) + a]
        if bounds[a] >= 1.0 or rows <= 0.0:
            continue
        total = 0.0
        if attributes[a, 2]:
            for cell in range(attributes[a, 0], attributes[a, 1]):
                total += cells[cell, 1] * abs(mass[cell] + sign * unit[cell] - cells[cell, 0] * rows)
        else:
            for cell in range(attributes[a, 0], attributes[a, 1]):
                total += cells[cell, 1] * max(mass[cell] + sign * unit[cell] - cells[cell, 0] * rows, 0.0)
        beyond += max(total - bounds[a] * rows + _ROUNDING, 0.0)
    return beyond


@numba.njit
def _set_cells(standing, shapes, c, low, high):
    """Give a class a box, and write what it costs, also with any further position; an empty class has a box of −1."""
    columns, nodes, costs, line, scales = shapes
    joins, loss = standing.joins, 0.0
    for q in range(len(columns)):
        if low[q] != standing.low[c, q] or high[q] != standing.high[c, q]:
            standing.low[c, q], standing.high[c, q] = low[q], high[q]
            for p in range(columns[q, SPAN]):
                cost = cell_cost(columns, nodes, costs, line, scales, q, min(low[q], p), max(high[q], p))
                joins[columns[q, END] + p, c] = cost
        loss += cell_cost(columns, nodes, costs, line, scales, q, low[q], high[q])
    standing.losses[c] = loss


@numba.njit
def _set_worth(standing, strictness, c):
    standing.rows[c] = standing.sizes[c]
    standing.worth[c] = standing.sizes[c] * standing.losses[c] + strictness * standing.excess[c]


@numba.njit
def _linked(standing, crowd, u, c):
    """Take a unit into a class, but for what its cells cost."""
    head = standing.heads[c]
    standing.of_unit[u], standing.heads[c] = c, u
    standing.links[u, 0], standing.links[u, 1] = head, -1
    if head >= 0:
        standing.links[head, 1] = u
    standing.sizes[c] += crowd.weights[u]
    standing.mass[c] += crowd.mass[u]


@numba.njit
def _unlinked(standing, crowd, u, c):
    """Take a unit out of a class, but for what its cells cost."""
    after, before = standing.links[u]
    if before >= 0:
        standing.links[before, 0] = after
    else:
        standing.heads[c] = after
    if after >= 0:
        standing.links[after, 1] = before
    standing.sizes[c] -= crowd.weights[u]
    standing.mass[c] -= crowd.mass[u]


@numba.njit
def _standing(shapes, limits, crowd, of_unit, number, room):
    """Return the classes as the units make them up."""
    units, columns = crowd.positions.shape
    positions = shapes.columns[columns - 1, END] + shapes.columns[columns - 1, SPAN]
    standing = Standing(
        of_unit, np.zeros(number, np.int64),
        np.zeros((number, columns), np.int32), np.zeros((number, columns), np.int32),
        np.zeros(number), np.zeros(number),
        np.zeros((number, crowd.mass.shape[1])),
        np.full((units, 2), -1), np.full(number, -1), np.full((positions, number), _NEVER, np.float32),
        np.zeros(number, np.float32), np.zeros(number, np.float32), np.zeros(number, np.int64), np.array([0, room]),
        np.zeros(number, np.bool_), np.zeros((2, columns), np.int32),
    )  # fmt: skip
    for u in range(units):
        c = of_unit[u]
        if c < 0:
            continue
        for q in range(columns):
            position = crowd.positions[u, q]
            empty = standing.heads[c] < 0
            standing.low[c, q] = position if empty else min(standing.low[c, q], position)
            standing.high[c, q] = position if empty else max(standing.high[c, q], position)
        _linked(standing, crowd, u, c)
    nothing = np.zeros(crowd.mass.shape[1])
    attributes, cells, bounds, least = limits
    for c in range(number - 1, -1, -1):
        low, high = standing.low[c].copy(), standing.high[c].copy()
        standing.low[c] = -1
        if standing.heads[c] < 0:
            standing.free[standing.tally[0]] = c
            standing.tally[0] += 1
            continue
        _set_cells(standing, shapes, c, low, high)
        beyond = excess(attributes, cells, bounds, least, standing.sizes[c], standing.mass[c], nothing, 0.0)
        standing.excess[c] = beyond
    return standing


@numba.njit(inline="always")
def _loss_without(columns, nodes, costs, line, scales, positions, low, high, loss, links, other, u, box):
    """Return what each row of a class would lose without a unit, and write the box that it would have."""
    first = other
    for q in range(len(columns)):
        position, least, most = positions[u, q], low[q], high[q]
        if position in (least, most):
            least, most, other = np.int32(columns[q, SPAN]), np.int32(-1), first
            while other >= 0 and (least != low[q] or most != high[q]):
                if other != u:
                    least = min(least, positions[other, q])
                    most = max(most, positions[other, q])
                other = links[other, 0]
            if least != low[q] or most != high[q]:
                loss += cell_cost(columns, nodes, costs, line, scales, q, least, most)
                loss -= cell_cost(columns, nodes, costs, line, scales, q, low[q], high[q])
        box[0, q], box[1, q] = least, most
    return max(loss, 0.0)


@numba.njit(inline="always")
def _foreseen(columns, joins, rows, worth, position, weight, growth):
    """Write what the loss would grow by, nearly, if a unit joined each class and no class were beyond its limits."""
    growth[:] = joins[position[0]]
    for q in range(1, len(columns)):
        join = joins[columns[q, END] + position[q]]
        for c in range(len(growth)):
            growth[c] += join[c]
    for c in range(len(growth)):
        growth[c] = (rows[c] + weight) * growth[c] - worth[c]


@numba.njit
def _moved(standing, shapes, crowd, plan, strictness, u, target, after, beyond):
    """Move a unit from its class, which is then beyond its limits by ``after``, to another (−1: out)."""
    own = standing.of_unit[u]
    if own >= 0:
        _unlinked(standing, crowd, u, own)
        standing.excess[own], standing.touched[own] = after, plan.once
        if standing.heads[own] < 0:
            standing.losses[own] = standing.excess[own] = 0.0
            standing.low[own] = -1
            standing.joins[:, own] = _NEVER
            standing.free[standing.tally[0]] = own
            standing.tally[0] += 1
        else:
            _set_cells(standing, shapes, own, standing.box[0], standing.box[1])
        _set_worth(standing, strictness, own)
    standing.tally[1] += crowd.weights[u] * ((own < 0) - (target < 0))
    standing.of_unit[u] = target
    if target < 0:
        return
    empty = standing.heads[target] < 0
    if empty:
        standing.tally[0] -= 1
    _linked(standing, crowd, u, target)
    low, high = crowd.positions[u].copy(), crowd.positions[u].copy()
    if not empty:
        low, high = np.minimum(low, standing.low[target]), np.maximum(high, standing.high[target])
    _set_cells(standing, shapes, target, low, high)
    standing.excess[target], standing.touched[target] = beyond, plan.once
    _set_worth(standing, strictness, target)


@numba.njit(inline="always")
def _chosen(shapes, limits, standing, crowd, growth, strictness, u, own, most):
    """Return the class where a unit adds least, less than ``most``; its excess with it, and what it adds; else −2."""
    columns, nodes, costs, line, scales = shapes
    attributes, cells, bounds, least = limits
    sizes, losses, beyond, touched = standing.sizes, standing.losses, standing.excess, standing.touched
    low, high, mass, unit, position = standing.low, standing.high, standing.mass, crowd.mass[u], crowd.positions[u]
    weight, best, excess_there = crowd.weights[u], -2, 0.0
    for c in range(len(growth)):
        if growth[c] < most and c != own and not touched[c]:
            loss = 0.0
            for q in range(len(columns)):
                p = position[q]
                loss += cell_cost(columns, nodes, costs, line, scales, q, min(low[c, q], p), max(high[c, q], p))
            more = (sizes[c] + weight) * loss - sizes[c] * losses[c] - strictness * beyond[c]
            if more >= most:
                continue
            after = excess(attributes, cells, bounds, least, sizes[c] + weight, mass[c], unit, 1.0)
            if more + strictness * after < most:
                best, most, excess_there = c, more + strictness * after, after
    return best, excess_there, most


@numba.njit
def _round(shapes, limits, crowd, standing, plan, order, growth, heat, strictness):
    """Let each unit move to where least is lost, if that is less than what its class saves and chance allows."""
    columns, nodes, costs, line, scales = shapes
    attributes, cells, bounds, least = limits
    positions, weights, mass, alone = crowd
    of_unit, sizes, low, high, losses, beyond, held, links, heads, joins, rows, worth, free, tally, touched, box = (
        standing
    )
    full = plan.full
    for u in order:
        own, weight = of_unit[u], weights[u]
        saved, after, rest = weight * full, 0.0, 0
        if own >= 0:
            if touched[own]:
                continue
            rest, without = sizes[own] - weight, 0.0
            if rest > 0:
                after = excess(attributes, cells, bounds, least, rest, held[own], mass[u], -1.0)
                without = _loss_without(
                    columns, nodes, costs, line, scales, positions, low[own], high[own], losses[own], links,
                    heads[own], u, box,
                )  # fmt: skip
            saved = sizes[own] * losses[own] - rest * without + strictness * (beyond[own] - after)
        most = saved - 1e-7 * (1.0 + abs(saved)) - (heat * np.log(np.random.random()) if heat > 0.0 else 0.0)
        if most <= 0.0:
            continue
        _foreseen(columns, joins, rows, worth, positions[u], np.float32(weight), growth)
        target, excess_there, least_more = _chosen(
            shapes, limits, standing, crowd, growth, strictness, u, own, most
        )  # fmt: skip
        if own >= 0 and weight <= tally[1] and weight * full < least_more:
            target, excess_there, least_more = -1, 0.0, weight * full
        if (own < 0 or rest > 0) and tally[0] > 0 and alone[u, 0] + strictness * alone[u, 1] < least_more:
            target, excess_there = free[tally[0] - 1], alone[u, 1]
        if target > -2:
            _moved(standing, shapes, crowd, plan, strictness, u, target, after, excess_there)


@numba.njit
def _weigh_alone(shapes, limits, crowd):
    """Write what each unit would lose as a class of its own, and by how many rows that would be beyond its limits."""
    columns, nodes, costs, line, scales = shapes
    attributes, cells, bounds, least = limits
    positions, weights, mass, alone = crowd
    nothing = np.zeros(mass.shape[1])
    for u in range(len(weights)):
        for q in range(len(columns)):
            cost = cell_cost(columns, nodes, costs, line, scales, q, positions[u, q], positions[u, q])
            alone[u, 0] += weights[u] * cost
        alone[u, 1] = excess(attributes, cells, bounds, least, weights[u], mass[u], nothing, 0.0)


@machine_code
def anneal(shapes, limits, crowd, plan, of_unit, number, room):
    """Move units between the classes 0 … ``number`` − 1 (−1: left out), round by round; write where each one is."""
    np.random.seed(plan.seed)
    standing = _standing(shapes, limits, crowd, of_unit, number, room)
    _weigh_alone(shapes, limits, crowd)
    order, growth = np.arange(len(of_unit)), np.zeros(number, np.float32)
    for at in range(len(plan.heat)):
        for c in range(number):
            _set_worth(standing, plan.strictness[at], c)
        for i in range(len(order) - 1, 0, -1):
            j = np.random.randint(0, i + 1)
            order[i], order[j] = order[j], order[i]
        _round(shapes, limits, crowd, standing, plan, order, growth, plan.heat[at], plan.strictness[at])
