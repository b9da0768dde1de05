"""The compiled loops of the improvement: a unit leaves its class for the one where least is lost, by annealing.

A class may be beyond its limits for a while; each row beyond costs more from round to round, until none is worth it.
"""

# mypy: disable-error-code="no-untyped-def"
from __future__ import annotations

import numpy as np

from tclose.compiled import compiler, machine_code, uncounted, uncounted_orderless
from tclose.recoding.improving.cell_loops import cell_cost, fill_pairs, loss_with, loss_without, set_cells
from tclose.recoding.improving.forms import END, Entries, Scan, Standing
from tclose.recoding.improving.limit_loops import add_foreseen_excess, excess, set_pulls, write_entries

numba = compiler()

_NEVER = np.float32(1e30)
BLOCK = 64
"""Of so many classes together the least is known."""
SURELY = 1.0 - 1e-6
"""What is foreseen in single floats is added at the least, but for so small a part."""
_OWN, _OTHER = 0, 4
"""Where a box begins in ``Standing.box``: of the class that a unit leaves, and of the one that it joins."""


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


@numba.njit(inline="always")
def _widen(positions, u, standing, c):
    """Write the box that a class has with a unit."""
    box, empty = standing.box, standing.heads[c] < 0
    for q in range(positions.shape[1]):
        position, low, high = positions[u, q], standing.low[c, q], standing.high[c, q]
        lower, higher = empty or position < low, empty or position > high
        box[4, q], box[5, q] = position if lower else low, position if higher else high
        box[6, q] = 1 if lower else standing.at_low[c, q] + (position == low)
        box[7, q] = 1 if higher else standing.at_high[c, q] + (position == high)


@uncounted
def _fill(crowd, standing):
    """Put the units into their classes, with the boxes that they need."""
    box = standing.box
    for u in range(len(crowd.weights)):
        c = standing.of_unit[u]
        if c < 0:
            continue
        _widen(crowd.positions, u, standing, c)
        for q in range(box.shape[1]):
            standing.low[c, q], standing.high[c, q] = box[4, q], box[5, q]
            standing.at_low[c, q], standing.at_high[c, q] = box[6, q], box[7, q]
        _link(standing.links, standing.heads, u, c)
        standing.sizes[c] += crowd.weights[u]
        for cell in range(crowd.mass.shape[1]):
            standing.mass[c, cell] += crowd.mass[u, cell]


@uncounted
def _weigh(shapes, limits, crowd, standing):
    """Write what each class loses and by how much it is beyond its limits, and likewise each unit alone."""
    for c in range(len(standing.heads) - 1, -1, -1):
        if standing.heads[c] < 0:
            standing.free[standing.tally[0]] = c
            standing.tally[0] += 1
            continue
        for q in range(len(shapes.columns)):
            standing.box[0, q], standing.box[1, q] = standing.low[c, q], standing.high[c, q]
            standing.low[c, q] = -1
        standing.losses[c] = set_cells(
            shapes, standing.low, standing.high, standing.parts, standing.joins, c, standing.box, _OWN
        )
        standing.excess[c] = excess(limits, standing.sizes[c], standing.mass, c, standing.mass, c, 0.0)
        set_pulls(limits, standing.mass, c, standing.pulls, standing.beyond)
    for u in range(len(crowd.weights)):
        for q in range(len(shapes.columns)):
            crowd.alone[u, 0] += crowd.weights[u] * cell_cost(shapes, q, crowd.positions[u, q], crowd.positions[u, q])
        crowd.alone[u, 1] = excess(limits, crowd.weights[u], crowd.mass, u, crowd.mass, u, 0.0)


@numba.njit
def _standing(shapes, limits, crowd, of_unit, number, room):
    """Return room for classes."""
    units, width = crowd.positions.shape
    return Standing(
        of_unit, np.zeros(number, np.int64),
        np.full((number, width), np.int32(-1)), np.full((number, width), np.int32(-1)),
        np.zeros((number, width), np.int32), np.zeros((number, width), np.int32),
        np.zeros((number, width)), np.zeros(number), np.zeros(number),
        np.zeros((number, crowd.mass.shape[1])),
        np.full((units, 2), -1), np.full(number, -1), np.full((len(shapes.stretches), number), _NEVER, np.float32),
        np.zeros(number, np.float32), np.zeros(number, np.float32), np.zeros(number, np.int64), np.array([0, room]),
        np.zeros(number, np.bool_), np.zeros((8, width), np.int32),
        np.zeros((crowd.mass.shape[1], number), np.float32), np.zeros((len(limits.bounds), number), np.float32),
    )  # fmt: skip


@numba.njit(inline="always")
def _empty(standing, c):
    """Write that a class has no units, so that its number is free."""
    standing.losses[c] = standing.excess[c] = 0.0
    for q in range(standing.low.shape[1]):
        standing.low[c, q] = -1
    for at in range(len(standing.joins)):
        standing.joins[at, c] = _NEVER
    standing.free[standing.tally[0]] = c
    standing.tally[0] += 1


@numba.njit(inline="always")
def _change(shapes, limits, crowd, standing, c, u, side, sign, beyond, strictness):
    """Write what a class holds and loses that a unit has joined (sign 1) or left (−1)."""
    box = standing.box
    standing.sizes[c] += sign * crowd.weights[u]
    standing.excess[c] = beyond
    for cell in range(crowd.mass.shape[1]):
        standing.mass[c, cell] += sign * crowd.mass[u, cell]
    for q in range(box.shape[1]):
        standing.at_low[c, q], standing.at_high[c, q] = box[side + 2, q], box[side + 3, q]
    if standing.heads[c] < 0:
        _empty(standing, c)
    else:
        standing.losses[c] = set_cells(
            shapes, standing.low, standing.high, standing.parts, standing.joins, c, box, side
        )
        set_pulls(limits, standing.mass, c, standing.pulls, standing.beyond)
    standing.rows[c] = standing.sizes[c]
    standing.worth[c] = standing.sizes[c] * standing.losses[c] + strictness * standing.excess[c]


@numba.njit(inline="always")
def _saved(shapes, limits, crowd, standing, u, own, strictness):
    """Return what is saved if a unit leaves its class, and by how many rows this is then beyond its limits."""
    rest, without, after = standing.sizes[own] - crowd.weights[u], 0.0, 0.0
    if rest > 0:
        after = excess(limits, rest, standing.mass, own, crowd.mass, u, -1.0)
        without = loss_without(shapes, crowd.positions, standing, own, u)
    saved = standing.sizes[own] * standing.losses[own] - rest * without
    return saved + strictness * (standing.excess[own] - after), after


@numba.njit(inline="always")
def _foresee(shapes, positions, standing, u, weight, growth):
    """Write what the loss would grow by at the least if a unit joined each class and none were beyond its limits.

    Where every position is a stretch of its own, that is what it would grow by.
    """
    joins = standing.joins
    at = shapes.stretch_of[positions[u, 0]]
    for c in range(len(growth)):
        growth[c] = joins[at, c]
    for q in range(1, len(shapes.columns)):
        at = shapes.stretch_of[shapes.columns[q, END] + positions[u, q]]
        for c in range(len(growth)):
            growth[c] += joins[at, c]
    for c in range(len(growth)):
        growth[c] = (standing.rows[c] + weight) * growth[c] - standing.worth[c]


@uncounted_orderless
def _least(numbers, begin, end):
    """Return the least of some numbers."""
    least = _NEVER
    for at in range(begin, end):
        if numbers[at] < least:
            least = numbers[at]
    return least


@numba.njit(inline="always")
def _next(foreseen, lowest, most):
    """Return the class where least would be added, not surely ``most``, and forget it; −1 if there is none."""
    block = 0
    for at in range(1, len(lowest)):
        if lowest[at] < lowest[block]:
            block = at
    if lowest[block] * SURELY >= most:
        return -1
    c = block * BLOCK
    while foreseen[c] != lowest[block]:
        c += 1
    foreseen[c] = _NEVER
    lowest[block] = _least(foreseen, block * BLOCK, min(block * BLOCK + BLOCK, len(foreseen)))
    return c


@numba.njit(inline="always")
def _chosen(shapes, limits, crowd, standing, scan, strictness, u, rough, most):
    """Return the class where a unit adds least, less than ``most``; its excess with it, and what it adds; else −2.

    Those come first where the least that can be added is least.
    """
    best, excess_there, weight = -2, 0.0, crowd.weights[u]
    for block in range(len(scan.lowest)):
        end = min(block * BLOCK + BLOCK, len(scan.foreseen))
        scan.lowest[block] = _least(scan.foreseen, block * BLOCK, end)
    c = _next(scan.foreseen, scan.lowest, most)
    while c >= 0:
        more, size = np.float64(scan.growth[c]), standing.sizes[c] + weight
        if rough:
            worth = standing.worth[c]
            more = size * loss_with(shapes, crowd.positions, standing, c, u, (most + worth) / size) - worth
        if more < most:
            after = excess(limits, size, standing.mass, c, crowd.mass, u, 1.0)
            if more + strictness * after < most:
                best, most, excess_there = c, more + strictness * after, after
        c = _next(scan.foreseen, scan.lowest, most)
    return best, excess_there, most


@numba.njit(inline="always")
def _move(shapes, limits, crowd, standing, u, own, after, target, excess_there, once, strictness):
    """Take a unit from its class to another, or to none, and set both right."""
    if own >= 0:
        _unlink(standing.links, standing.heads, u, own)
    if target >= 0:
        standing.tally[0] -= standing.heads[target] < 0
        _widen(crowd.positions, u, standing, target)
        _link(standing.links, standing.heads, u, target)
    standing.of_unit[u] = target
    standing.tally[1] += crowd.weights[u] * ((own < 0) - (target < 0))
    for side in (_OWN, _OTHER):
        c, sign, beyond = (own, -1, after) if side == _OWN else (target, 1, excess_there)
        if c >= 0:
            standing.touched[c] = once
            _change(shapes, limits, crowd, standing, c, u, side, sign, beyond, strictness)


@numba.njit(inline="always")
def _bar(standing, own, once, foreseen):
    """Keep a unit from its own class, and from those that had their move."""
    if own >= 0:
        foreseen[own] = _NEVER
    if once:
        for c in range(len(foreseen)):
            if standing.touched[c]:
                foreseen[c] = _NEVER


@uncounted
def _round(shapes, limits, crowd, entries, standing, scan, plan, order, heat, strictness):
    """Let each unit move to where least is lost, if that is less than what its class saves and chance allows.

    Return how many moved.
    """
    moved = 0
    rough, tally, alone = len(shapes.stretches) < len(shapes.stretch_of), standing.tally, crowd.alone
    for u in order:
        own, weight = standing.of_unit[u], crowd.weights[u]
        saved, after = weight * plan.full, 0.0
        if own >= 0:
            if standing.touched[own]:
                continue
            saved, after = _saved(shapes, limits, crowd, standing, u, own, strictness)
        most = saved - 1e-7 * (1.0 + abs(saved)) - (heat * np.log(np.random.random()) if heat > 0.0 else 0.0)
        if most <= 0.0:
            continue
        _foresee(shapes, crowd.positions, standing, u, np.float32(weight), scan.growth)
        for c in range(len(scan.growth)):
            scan.foreseen[c] = scan.growth[c]
        add_foreseen_excess(
            limits, entries, standing, u, np.float32(weight), np.float32(strictness), scan.here, scan.foreseen
        )
        _bar(standing, own, plan.once, scan.foreseen)
        target, excess_there, least_more = _chosen(shapes, limits, crowd, standing, scan, strictness, u, rough, most)
        if own >= 0 and weight <= tally[1] and weight * plan.full < least_more:
            target, excess_there, least_more = -1, 0.0, weight * plan.full
        new = (own < 0 or standing.sizes[own] > weight) and tally[0] > 0
        if new and alone[u, 0] + strictness * alone[u, 1] < least_more:
            target, excess_there = standing.free[tally[0] - 1], alone[u, 1]
        if target != -2:
            moved += 1
            _move(shapes, limits, crowd, standing, u, own, after, target, excess_there, plan.once, strictness)
    return moved


@numba.njit
def _entries(attributes, mass):
    """Return how many rows units add where."""
    begins, cells, counts = np.zeros(len(mass) * len(attributes) + 1, np.int64), np.zeros(0, np.int32), np.zeros(0)
    number = write_entries(attributes, mass, begins, cells, counts.astype(np.float32))
    entries = Entries(begins, np.zeros(number, np.int32), np.zeros(number, np.float32))
    write_entries(attributes, mass, entries.begins, entries.cells, entries.counts)
    return entries


@uncounted
def _begin_round(standing, order, strictness):
    """Write what classes are worth, and draw the order of the units."""
    for c in range(len(standing.sizes)):
        standing.rows[c] = standing.sizes[c]
        standing.worth[c] = standing.sizes[c] * standing.losses[c] + strictness * standing.excess[c]
    for i in range(len(order) - 1, 0, -1):
        j = int(np.random.random() * (i + 1))
        order[i], order[j] = order[j], order[i]


@machine_code
def anneal(shapes, limits, crowd, plan, of_unit, number, room):
    """Move units between the classes 0 … ``number`` − 1 (−1: left out), round by round; write where each one is."""
    np.random.seed(plan.seed)
    standing = _standing(shapes, limits, crowd, of_unit, number, room)
    entries, order = _entries(limits.attributes, crowd.mass), np.arange(len(of_unit))
    scan = Scan(
        np.zeros(number, np.float32), np.zeros(number, np.float32), np.zeros(number, np.float32),
        np.zeros((number + BLOCK - 1) // BLOCK, np.float32),
    )  # fmt: skip
    fill_pairs(shapes)
    _fill(crowd, standing)
    _weigh(shapes, limits, crowd, standing)
    moved, cold = 1, 0.0
    for at in range(len(plan.heat)):
        heat, strictness = plan.heat[at], plan.strictness[at]
        if moved or heat > 0.0 or strictness != cold:  # else nobody would move this time either
            _begin_round(standing, order, strictness)
            moved = _round(shapes, limits, crowd, entries, standing, scan, plan, order, heat, strictness)
        cold = strictness if heat == 0.0 else 0.0
