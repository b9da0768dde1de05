"""The compiled loops of the improvement: a unit leaves its class for the one where least is lost, by annealing.

A class may be beyond its limits for a while; each row beyond costs more from round to round, until none is worth it.
What is called for every unit takes arrays one by one: taking them from a group each time costs more than the work.
"""

# mypy: disable-error-code="no-untyped-def"
from __future__ import annotations

import numba
import numpy as np

from tclose.compiled import machine_code
from tclose.recoding.improving.cell_loops import cell_cost, excess, loss_with, loss_without, set_cells
from tclose.recoding.improving.forms import END, Standing

_NEVER = np.float32(1e30)
BLOCK = 64
"""So many classes are passed over together where none of them is worth a look."""


@numba.njit(inline="always")
def _link(links, heads, u, c):
    """Write that a unit is the first of a class."""
    head = heads[c]
    links[u, 0], links[u, 1], heads[c] = head, -1, u
    if head >= 0:
        links[head, 1] = u


@numba.njit(inline="always")
def _unlink(links, heads, u, c):
    """Write that a unit is no more in a class."""
    after, before = links[u, 0], links[u, 1]
    if before >= 0:
        links[before, 0] = after
    else:
        heads[c] = after
    if after >= 0:
        links[after, 1] = before


@numba.njit
def _filled(crowd, standing):
    """Put the units into their classes, with the boxes that they need."""
    units, width = crowd.positions.shape
    for u in range(units):
        c = standing.of_unit[u]
        if c < 0:
            continue
        for q in range(width):
            position = crowd.positions[u, q]
            empty = standing.heads[c] < 0
            standing.low[c, q] = position if empty else min(standing.low[c, q], position)
            standing.high[c, q] = position if empty else max(standing.high[c, q], position)
        _link(standing.links, standing.heads, u, c)
        standing.sizes[c] += crowd.weights[u]
        standing.mass[c] += crowd.mass[u]


@numba.njit
def _standing(shapes, limits, crowd, of_unit, number, room):
    """Return the classes as the units make them up."""
    columns, nodes, costs, line, scales, _, stretches = shapes
    units, width = crowd.positions.shape
    standing = Standing(
        of_unit, np.zeros(number, np.int64),
        np.zeros((number, width), np.int32), np.zeros((number, width), np.int32),
        np.zeros((number, width)), np.zeros(number), np.zeros(number),
        np.zeros((number, crowd.mass.shape[1])),
        np.full((units, 2), -1), np.full(number, -1), np.full((len(stretches), number), _NEVER, np.float32),
        np.zeros(number, np.float32), np.zeros(number, np.float32), np.zeros(number, np.int64), np.array([0, room]),
        np.zeros(number, np.bool_), np.zeros((4, width), np.int32),
        np.zeros(number, np.int64),
    )  # fmt: skip
    _filled(crowd, standing)
    nothing = np.zeros((1, crowd.mass.shape[1]))
    attributes, cells, bounds, least = limits
    for c in range(number - 1, -1, -1):
        standing.box[0], standing.box[1] = standing.low[c], standing.high[c]
        standing.low[c] = -1
        if standing.heads[c] < 0:
            standing.free[standing.tally[0]] = c
            standing.tally[0] += 1
            continue
        standing.losses[c] = set_cells(
            columns, nodes, costs, line, scales, stretches, standing.low, standing.high, standing.parts,
            standing.joins, c, standing.box, 0,
        )  # fmt: skip
        beyond = excess(attributes, cells, bounds, least, standing.sizes[c], standing.mass, c, nothing, 0, 0.0)
        standing.excess[c] = beyond
    return standing


@numba.njit(inline="always")
def _widen(positions, u, low, high, c, empty, box):
    """Write the box that a class has with a unit."""
    for q in range(positions.shape[1]):
        position = positions[u, q]
        box[2, q] = position if empty else min(position, low[c, q])
        box[3, q] = position if empty else max(position, high[c, q])


@numba.njit(inline="always")
def _empty(c, losses, beyond, low, joins, free, tally):
    """Write that a class has no units, so that its number is free."""
    losses[c] = beyond[c] = 0.0
    for q in range(low.shape[1]):
        low[c, q] = -1
    for at in range(len(joins)):
        joins[at, c] = _NEVER
    free[tally[0]] = c
    tally[0] += 1


@numba.njit(inline="always")
def _change(
    columns, nodes, costs, line, scales, stretches, low, high, parts, joins, c, box, side, held, mass, u, sign,
    losses, beyond, heads, free, tally,
):  # fmt: skip
    """Write what a class holds and loses that a unit has joined (sign 1) or left (−1)."""
    for cell in range(mass.shape[1]):
        held[c, cell] += sign * mass[u, cell]
    if heads[c] < 0:
        _empty(c, losses, beyond, low, joins, free, tally)
    else:
        losses[c] = set_cells(columns, nodes, costs, line, scales, stretches, low, high, parts, joins, c, box, side)


@numba.njit(inline="always")
def _saved(
    columns, nodes, costs, line, scales, attributes, cells, bounds, least, positions, weights, mass, sizes, low, high,
    parts, losses, beyond, held, links, heads, u, own, box, strictness,
):  # fmt: skip
    """Return what is saved if a unit leaves its class, and by how many rows this is then beyond its limits."""
    rest, without, after = sizes[own] - weights[u], 0.0, 0.0
    if rest > 0:
        after = excess(attributes, cells, bounds, least, rest, held, own, mass, u, -1.0)
        without = loss_without(
            columns, nodes, costs, line, scales, positions, low, high, parts, losses[own], links, own, heads[own], u,
            box,
        )  # fmt: skip
    return sizes[own] * losses[own] - rest * without + strictness * (beyond[own] - after), after


@numba.njit(inline="always")
def _foreseen(columns, stretch_of, joins, rows, worth, positions, u, weight, growth):
    """Write what the loss would grow by at the least if a unit joined each class and none were beyond its limits.

    Where every position is a stretch of its own, that is what it would grow by.
    """
    at = stretch_of[positions[u, 0]]
    for c in range(len(growth)):
        growth[c] = joins[at, c]
    for q in range(1, len(columns)):
        at = stretch_of[columns[q, END] + positions[u, q]]
        for c in range(len(growth)):
            growth[c] += joins[at, c]
    for c in range(len(growth)):
        growth[c] = (rows[c] + weight) * growth[c] - worth[c]


@numba.njit(inline="always")
def _fewer(growth, most, own, touched, queue):
    """Write the classes where a unit would add less than ``most``; return how many."""
    waiting, bound = 0, np.float32(most)
    for begin in range(0, len(growth), BLOCK):
        end, below = min(begin + BLOCK, len(growth)), 0
        for c in range(begin, end):
            below += growth[c] < bound
        if below:
            for c in range(begin, end):
                if growth[c] < bound and c != own and not touched[c]:
                    queue[waiting] = c
                    waiting += 1
    return waiting


@numba.njit(inline="always")
def _chosen(
    columns, nodes, costs, line, scales, attributes, cells, bounds, least, positions, mass, sizes, low, high, parts,
    losses, held, worth, touched, queue, growth, strictness, u, weight, own, rough, most,
):  # fmt: skip
    """Return the class where a unit adds least, less than ``most``; its excess with it, and what it adds; else −2.

    Those come first where least would be added if none were beyond its limits, which is the least that can be.
    """
    best, excess_there = -2, 0.0
    waiting = _fewer(growth, most, own, touched, queue)
    while waiting > 0:
        first = 0
        for at in range(1, waiting):
            if growth[queue[at]] < growth[queue[first]]:
                first = at
        c = queue[first]
        if growth[c] >= most:
            break
        waiting -= 1
        queue[first] = queue[waiting]
        more, size = np.float64(growth[c]), sizes[c] + weight
        if rough:
            loss = loss_with(
                columns, nodes, costs, line, scales, positions, low, high, parts, losses[c], c, u,
                (most + worth[c]) / size,
            )  # fmt: skip
            more = size * loss - worth[c]
            if more >= most:
                continue
        after = excess(attributes, cells, bounds, least, size, held, c, mass, u, 1.0)
        if more + strictness * after < most:
            best, most, excess_there = c, more + strictness * after, after
    return best, excess_there, most


@numba.njit
def _moved(
    columns, nodes, costs, line, scales, stretches, positions, mass, of_unit, sizes, low, high, parts, losses, beyond,
    held, links, heads, joins, rows, worth, free, tally, touched, box, u, weight, own, after, target, excess_there,
    once, strictness,
):  # fmt: skip
    """Take a unit from its class to another, or to none, and set both right."""
    if own >= 0:
        _unlink(links, heads, u, own)
    if target >= 0:
        tally[0] -= heads[target] < 0
        _widen(positions, u, low, high, target, heads[target] < 0, box)
        _link(links, heads, u, target)
    of_unit[u] = target
    tally[1] += weight * ((own < 0) - (target < 0))
    for side in (0, 2):
        c, sign, excess_now = (target, 1, excess_there) if side else (own, -1, after)
        if c >= 0:
            sizes[c] += sign * weight
            beyond[c], touched[c] = excess_now, once
            _change(
                columns, nodes, costs, line, scales, stretches, low, high, parts, joins, c, box, side, held, mass, u,
                sign, losses, beyond, heads, free, tally,
            )  # fmt: skip
            rows[c] = sizes[c]
            worth[c] = sizes[c] * losses[c] + strictness * beyond[c]


@numba.njit
def _round(shapes, limits, crowd, standing, plan, order, growth, heat, strictness):
    """Let each unit move to where least is lost, if that is less than what its class saves and chance allows."""
    columns, nodes, costs, line, scales, stretch_of, stretches = shapes
    attributes, cells, bounds, least = limits
    positions, weights, mass, alone = crowd
    of_unit, sizes, low, high, parts, losses, beyond, held, links, heads, joins, rows, worth, free, tally = (
        standing[:15]
    )  # fmt: skip
    touched, box, queue = standing[15:]
    full, once, rough = plan.full, plan.once, len(stretches) < len(stretch_of)
    for u in order:
        own, weight = of_unit[u], weights[u]
        saved, after = weight * full, 0.0
        if own >= 0:
            if touched[own]:
                continue
            saved, after = _saved(
                columns, nodes, costs, line, scales, attributes, cells, bounds, least, positions, weights, mass,
                sizes, low, high, parts, losses, beyond, held, links, heads, u, own, box, strictness,
            )  # fmt: skip
        most = saved - 1e-7 * (1.0 + abs(saved)) - (heat * np.log(np.random.random()) if heat > 0.0 else 0.0)
        if most <= 0.0:
            continue
        _foreseen(columns, stretch_of, joins, rows, worth, positions, u, np.float32(weight), growth)
        target, excess_there, least_more = _chosen(
            columns, nodes, costs, line, scales, attributes, cells, bounds, least, positions, mass, sizes, low, high,
            parts, losses, held, worth, touched, queue, growth, strictness, u, weight, own, rough, most,
        )  # fmt: skip
        if own >= 0 and weight <= tally[1] and weight * full < least_more:
            target, excess_there, least_more = -1, 0.0, weight * full
        if (own < 0 or sizes[own] > weight) and tally[0] > 0 and alone[u, 0] + strictness * alone[u, 1] < least_more:
            target, excess_there = free[tally[0] - 1], alone[u, 1]
        if target == -2:
            continue
        _moved(
            columns, nodes, costs, line, scales, stretches, positions, mass, of_unit, sizes, low, high, parts, losses,
            beyond, held, links, heads, joins, rows, worth, free, tally, touched, box, u, weight, own, after, target,
            excess_there, once, strictness,
        )  # fmt: skip


@numba.njit
def _weigh_alone(shapes, limits, crowd):
    """Write what each unit would lose as a class of its own, and by how many rows that would be beyond its limits."""
    columns, nodes, costs, line, scales = shapes[:5]
    attributes, cells, bounds, least = limits
    positions, weights, mass, alone = crowd
    nothing = np.zeros((1, mass.shape[1]))
    for u in range(len(weights)):
        for q in range(len(columns)):
            cost = cell_cost(columns, nodes, costs, line, scales, q, positions[u, q], positions[u, q])
            alone[u, 0] += weights[u] * cost
        alone[u, 1] = excess(attributes, cells, bounds, least, weights[u], mass, u, nothing, 0, 0.0)


@machine_code
def anneal(shapes, limits, crowd, plan, of_unit, number, room):
    """Move units between the classes 0 … ``number`` − 1 (−1: left out), round by round; write where each one is."""
    np.random.seed(plan.seed)
    standing = _standing(shapes, limits, crowd, of_unit, number, room)
    _weigh_alone(shapes, limits, crowd)
    order, growth = np.arange(len(of_unit)), np.zeros(number, np.float32)
    for at in range(len(plan.heat)):
        for c in range(number):
            standing.rows[c] = standing.sizes[c]
            standing.worth[c] = standing.sizes[c] * standing.losses[c] + plan.strictness[at] * standing.excess[c]
        for i in range(len(order) - 1, 0, -1):
            j = int(np.random.random() * (i + 1))
            order[i], order[j] = order[j], order[i]
        _round(shapes, limits, crowd, standing, plan, order, growth, plan.heat[at], plan.strictness[at])
