"""The kernel of the search by moves: a unit leaves its class for the one where least is lost, by annealing.

Units are rows that move together. Round by round each unit looks for the class where it adds least, and moves if that
is less than what its own class saves, or little more while it is hot (Kirkpatrick, Gelatt, Vecchi 1983). A class may be
beyond its limits for a while; each row beyond costs more from round to round, until no move is worth it.

What a unit would add to each class is bounded from below in single floats: by the tables ``Classes.joins`` for the
loss, and by ``Classes.pulls`` for the limits, since distances are convex. Classes are then tried in the order of their
bounds, until a bound is no less than the best found: only those few are computed exactly, in doubles.

Random numbers are the kernel's own, and so is the logarithm: releases do not depend on a library, a compiler or a
processor.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from tclose.models.kernels import python as cython

if cython.compiled:
    from cython.cimports.tclose.models.kernels.native import exponent, mantissa, single
else:
    from tclose.models.kernels.native import exponent, mantissa, single

TREE, LINE, BITS = 0, 1, 2
"""What the cells of a column cost: by their node; where intervals are published, their width, or its logarithm."""
KIND, SPAN, HEIGHT, BEGIN, ON_LINE, END, TOP, FIRST, STRETCHES, PAIRS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
"""What ``Costs.columns`` holds of a column: its kind, how many positions and levels it has, where its nodes begin,
how many positions lie on a line, where its positions begin among those of all columns, the coarsest level, where
its stretches begin among those of all columns, how many there are, and where its pairs of positions begin, or −1."""
FAR = 1e15
"""What a cell costs that may not be published."""
NEVER = 1e30
BLOCK = 64
"""Of so many classes together the least bound is known."""
SURELY = 1.0 - 1e-6
"""Bounds are added up in single floats, and are lower bounds but for so small a part."""
OWN, OTHER = 0, 4
"""Where a box begins in ``Classes.box``: of the class that a unit leaves, and of the one that it joins."""
ROUNDING = 1e-9
LAST_BITS = 1e-7
"""What single floats may be wrong by, of what is added up."""
MOST_PULLED = 4.0
"""More than all rows of a unit, one each, pull a class beyond a limit, whichever way."""
HIGH_BIT, LOW_BITS, TWIST = 0x80000000, 0x7FFFFFFF, 0x9908B0DF
MASK_B, MASK_C = 0x9D2C5680, 0xEFC60000
HALF_ROOT = 0.7071067811865476
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""ln 2 as a number whose last bits are zero, so that whole multiples of it are exact, and the rest."""
LEAST_LOG = -745.0


class Twister:
    """The Mersenne twister MT19937 (Matsumoto, Nishimura 1998), with the 53-bit fractions of its authors."""

    def __init__(self, state):
        self.state = state
        self.at = 624

    def word(self):
        """Return the next 32 bits."""
        if self.at >= 624:
            for i in range(624):
                y = (self.state[i] & HIGH_BIT) | (self.state[(i + 1) % 624] & LOW_BITS)
                self.state[i] = self.state[(i + 397) % 624] ^ (y >> 1) ^ (TWIST if y & 1 else 0)
            self.at = 0
        y = self.state[self.at]
        self.at += 1
        y ^= y >> 11
        y ^= (y << 7) & MASK_B
        y ^= (y << 15) & MASK_C
        y ^= y >> 18
        return y

    def random(self):
        """Return a number from 0 to below 1."""
        a = self.word() >> 5
        b = self.word() >> 6
        return (a * 67108864.0 + b) / 9007199254740992.0


def _log_near_one(f):
    """Return ln(1 + f) for f from √½ − 1 to √2 − 1.

    With s = f / (2 + f) it is 2 artanh s = 2s + ⅔s³ + ⅖s⁵ + …; f itself is kept apart, since it is exact.
    """
    s = f / (2.0 + f)
    z = s * s
    rest = 2.0 / 21.0
    for k in range(19, 1, -2):
        rest = 2.0 / k + z * rest
    rest = z * rest
    half = 0.5 * f * f
    return f - (half - s * (half + rest))


def _log(x):
    """Return ln x of a number that is not negative, by additions, multiplications and divisions alone.

    Libraries differ in the last bit, also from processor to processor; releases must not.
    """
    if x <= 0.0:
        return LEAST_LOG
    m = mantissa(x)
    power = exponent(x)
    if m < HALF_ROOT:
        m = 2.0 * m
        power -= 1
    return power * LN2_HIGH + (_log_near_one(m - 1.0) + power * LN2_LOW)


def _log2(x):
    """Return log₂ x of a positive number, exact for powers of 2."""
    m = mantissa(x)
    power = exponent(x)
    if m < HALF_ROOT:
        m = 2.0 * m
        power -= 1
    return power + _log_near_one(m - 1.0) / (LN2_HIGH + LN2_LOW)


class Costs:
    """What a cell from one position of a column to another costs, its weight included.

    The node of position p on the finest level is ``nodes[BEGIN + p]``, and ``SPAN`` places further on the next
    level; ``costs`` are arranged likewise. An interval reaches from ``line[END + p, 0]`` to ``line[END + p, 1]``; its
    width, or the logarithm, is multiplied with the column's scale. ``stretch_of`` has the stretch of each position
    (``END + p``) among those of all columns, ``stretches`` the first and the last position of each. ``pairs`` is what
    a cell from one position to another costs, written where a column has few; either may be the lower.
    """

    def __init__(self, columns, nodes, costs, line, scales, stretch_of, stretches, pairs):
        self.columns = columns
        self.nodes = nodes
        self.costs = costs
        self.line = line
        self.scales = scales
        self.stretch_of = stretch_of
        self.stretches = stretches
        self.pairs = pairs


class Limits:
    """What classes must meet as far as the kernel knows: their size, and a distance for each attribute.

    ``attributes`` has where the cells of each attribute begin and end, and 1 if they are running sums along a line;
    ``cells`` the share that is expected in each cell, and what a deviation costs; ``bounds`` the thresholds, 1 where
    there is none; ``least`` the least size.
    """

    def __init__(self, attributes, cells, bounds, least):
        self.attributes = attributes
        self.cells = cells
        self.bounds = bounds
        self.least = least


class Units:
    """Rows that move together.

    ``positions`` are units × columns; ``mass`` has how many rows a unit has in each cell and, after all cells, with a
    value of each attribute; ``alone`` gets what a unit would lose as a class of its own, and by how many rows that
    would be beyond its limits.
    """

    def __init__(self, positions, weights, mass, alone):
        self.positions = positions
        self.weights = weights
        self.mass = mass
        self.alone = alone


class Entries:
    """How many rows units add where: what ``Units.mass`` has, without zeros and without running sums.

    ``begins`` has where the entries of each unit and attribute begin.
    """

    def __init__(self, begins, cells, counts):
        self.begins = begins
        self.cells = cells
        self.counts = counts


class Scan:
    """What is foreseen of each class while the best for a unit is looked for.

    ``growth`` bounds what the loss would grow by if the unit joined, ``foreseen`` also what rows beyond limits would
    cost; ``here`` is room for one limit; ``lowest`` the least that is foreseen in each block of classes.
    """

    def __init__(self, number):
        self.growth = np.zeros(number, np.float32)
        self.foreseen = np.zeros(number, np.float32)
        self.here = np.zeros(number, np.float32)
        self.lowest = np.zeros((number + BLOCK - 1) // BLOCK, np.float32)


class Classes:
    """The classes of a region while units move.

    ``low`` and ``high`` are the box of a class, ``at_low`` and ``at_high`` how many units are at its ends, ``parts``
    what its cells cost, ``losses`` what each of its rows loses, ``excess`` by how many rows it is beyond its limits.
    ``heads`` and ``links`` list the units of a class, the one after and the one before each. ``joins`` has what a cell
    costs at the least that also covers a position of a stretch (stretches × classes), ``worth`` what would be gained
    if a class were gone. ``free`` are the numbers of empty classes; ``tally`` is how many, and how many rows may still
    be left out. ``box`` is the box that one class would have without a unit, and another with it: low, high, and how
    many units are at either end. ``pulls`` is how a row of a cell changes by how many rows a class is beyond its
    limit, ``beyond`` by how many that is, at the least.
    """

    def __init__(self, of_unit, number, units, width, cells, stretches, bounds, room):
        self.of_unit = of_unit
        self.sizes = np.zeros(number, np.int64)
        self.low = np.full((number, width), -1, np.int32)
        self.high = np.full((number, width), -1, np.int32)
        self.at_low = np.zeros((number, width), np.int32)
        self.at_high = np.zeros((number, width), np.int32)
        self.parts = np.zeros((number, width))
        self.losses = np.zeros(number)
        self.excess = np.zeros(number)
        self.mass = np.zeros((number, cells))
        self.links = np.full((units, 2), -1, np.int64)
        self.heads = np.full(number, -1, np.int64)
        self.joins = np.full((stretches, number), NEVER, np.float32)
        self.rows = np.zeros(number, np.float32)
        self.worth = np.zeros(number, np.float32)
        self.free = np.zeros(number, np.int64)
        self.tally = np.array([0, room], np.int64)
        self.touched = np.zeros(number, np.uint8)
        self.box = np.zeros((8, width), np.int32)
        self.pulls = np.zeros((cells, number), np.float32)
        self.beyond = np.zeros((bounds, number), np.float32)


def _cell_cost(costs, q, low, high):
    """Return what a cell costs that reaches from one position of a column to another."""
    at = costs.columns[q, BEGIN]
    span = costs.columns[q, SPAN]
    if costs.nodes[at + low] == costs.nodes[at + high]:
        return costs.costs[at + low]
    top = at + costs.columns[q, TOP] * span
    if costs.nodes[top + low] != costs.nodes[top + high]:
        return FAR
    if costs.columns[q, KIND] and high < costs.columns[q, ON_LINE]:
        end = costs.columns[q, END]
        wide = costs.line[end + high, 1] - costs.line[end + low, 0]
        return costs.scales[q] * (_log2(wide) if costs.columns[q, KIND] == BITS else wide)
    for _ in range(costs.columns[q, HEIGHT] - 1):
        at += span
        if costs.nodes[at + low] == costs.nodes[at + high]:
            break
    return costs.costs[at + low]


def _fill_pairs(costs):
    """Write what cells from one position of a column to another cost, where it has few."""
    for q in range(len(costs.columns)):
        first = costs.columns[q, PAIRS]
        span = costs.columns[q, SPAN]
        if first < 0:
            continue
        for low in range(span):
            for high in range(low, span):
                cost = _cell_cost(costs, q, low, high)
                costs.pairs[first + low * span + high] = cost
                costs.pairs[first + high * span + low] = cost


def _known_cost(costs, q, low, high):
    """Return what a cell costs, as written if it is."""
    if costs.columns[q, PAIRS] >= 0:
        return costs.pairs[costs.columns[q, PAIRS] + low * costs.columns[q, SPAN] + high]
    return _cell_cost(costs, q, low, high)


def _set_joins(costs, classes, c, q, first, last, cost):
    """Write what the cell of a class would cost with each further stretch."""
    begin = costs.columns[q, FIRST]
    span = costs.columns[q, SPAN]
    known = costs.columns[q, PAIRS]
    if known >= 0:
        for at in range(first):
            classes.joins[begin + at, c] = costs.pairs[known + last * span + at]
        for at in range(first, last + 1):
            classes.joins[begin + at, c] = cost
        for at in range(last + 1, span):
            classes.joins[begin + at, c] = costs.pairs[known + first * span + at]
        return
    for at in range(begin, begin + costs.columns[q, STRETCHES]):
        if costs.stretches[at, 1] < first:
            classes.joins[at, c] = _cell_cost(costs, q, costs.stretches[at, 1], last)
        elif costs.stretches[at, 0] > last:
            classes.joins[at, c] = _cell_cost(costs, q, first, costs.stretches[at, 0])
        else:
            classes.joins[at, c] = cost


def _set_cells(costs, classes, c, side):
    """Give a class the box of a side, write what it costs, also with any further stretch; return what a row loses.

    An empty class has a box of −1.
    """
    loss = 0.0
    for q in range(len(costs.columns)):
        first = classes.box[side, q]
        last = classes.box[side + 1, q]
        if first != classes.low[c, q] or last != classes.high[c, q]:
            classes.low[c, q] = first
            classes.high[c, q] = last
            cost = _known_cost(costs, q, first, last)
            classes.parts[c, q] = cost
            _set_joins(costs, classes, c, q, first, last, cost)
        loss += classes.parts[c, q]
    return loss


def _loss_without(costs, units, classes, own, u):
    """Return what each row of a class would lose without a unit, and write the box that it would have."""
    loss = classes.losses[own]
    for q in range(len(costs.columns)):
        position = units.positions[u, q]
        least = classes.low[own, q]
        most = classes.high[own, q]
        lowest = classes.at_low[own, q] - (1 if position == least else 0)
        highest = classes.at_high[own, q] - (1 if position == most else 0)
        if not lowest or not highest:
            least, most, lowest, highest = 2147483647, -1, 0, 0
            other = classes.heads[own]
            while other >= 0:
                position = units.positions[other, q]
                if other != u:
                    if position < least:
                        least, lowest = position, 0
                    if position > most:
                        most, highest = position, 0
                    lowest += position == least
                    highest += position == most
                other = classes.links[other, 0]
            loss += _known_cost(costs, q, least, most) - classes.parts[own, q]
        classes.box[0, q] = least
        classes.box[1, q] = most
        classes.box[2, q] = lowest
        classes.box[3, q] = highest
    return max(loss, 0.0)


def _loss_with(costs, units, classes, c, u, enough):
    """Return what each row of a class would lose with a unit, or no less than ``enough`` if it would lose as much."""
    loss = classes.losses[c]
    for q in range(len(costs.columns)):
        position = units.positions[u, q]
        low = classes.low[c, q]
        high = classes.high[c, q]
        if position < low or position > high:
            loss += _known_cost(costs, q, min(position, low), max(position, high)) - classes.parts[c, q]
            if loss >= enough:
                break
    return loss


def _excess(limits, size, mass, c, unit, u, sign):
    """Return by how many rows class c is beyond its limits with unit u added (sign 1.0) or taken away (−1.0)."""
    beyond = max(limits.least - size, 0)
    every = len(limits.cells)
    for a in range(len(limits.bounds)):
        bound = limits.bounds[a]
        rows = mass[c, every + a] + sign * unit[u, every + a]
        if bound >= 1.0 or rows <= 0.0:
            continue
        total = 0.0
        if limits.attributes[a, 2]:
            for cell in range(limits.attributes[a, 0], limits.attributes[a, 1]):
                total += limits.cells[cell, 1] * abs(
                    mass[c, cell] + sign * unit[u, cell] - limits.cells[cell, 0] * rows
                )
        else:
            for cell in range(limits.attributes[a, 0], limits.attributes[a, 1]):
                total += limits.cells[cell, 1] * max(
                    mass[c, cell] + sign * unit[u, cell] - limits.cells[cell, 0] * rows, 0.0
                )
        beyond += max(total - bound * rows + ROUNDING, 0.0)
    return beyond


def _set_pulls(limits, classes, c):
    """Write by how many rows a class is beyond each limit (within it: negative), and what a row of a cell adds.

    Distances are convex: with further rows a class is beyond a limit by what these add up to, or by more.
    """
    every = len(limits.cells)
    for a in range(len(limits.bounds)):
        if limits.bounds[a] >= 1.0:
            continue
        line = limits.attributes[a, 2]
        rows = classes.mass[c, every + a]
        total = 0.0
        expected = 0.0
        sides = 0.0
        for cell in range(limits.attributes[a, 1] - 1, limits.attributes[a, 0] - 1, -1):
            off = classes.mass[c, cell] - limits.cells[cell, 0] * rows
            side = limits.cells[cell, 1] if off > 0.0 else -limits.cells[cell, 1] if line else 0.0
            total += side * off
            expected += side * limits.cells[cell, 0]
            sides += side
            classes.pulls[cell, c] = sides if line else side
        classes.pulls[every + a, c] = -expected - limits.bounds[a]
        off = total - limits.bounds[a] * rows
        classes.beyond[a, c] = off - LAST_BITS * (len(classes.pulls) + 2) * abs(off)


def _write_entries(limits, units, entries):
    """Write how many rows each unit adds where, attribute by attribute, while there is room; return how many places."""
    number = 0
    attributes = len(limits.attributes)
    every = units.mass.shape[1] - attributes
    for u in range(len(units.mass)):
        for a in range(attributes):
            entries.begins[u * attributes + a] = number
            before = 0.0
            for at in range(limits.attributes[a, 0], limits.attributes[a, 1] + 1):
                in_cells = at < limits.attributes[a, 1]
                cell = at if in_cells else every + a
                added = units.mass[u, cell] - (before if in_cells else 0.0)
                before = units.mass[u, cell] if limits.attributes[a, 2] else 0.0
                if added != 0.0:
                    if number < len(entries.cells):
                        entries.cells[number] = cell
                        entries.counts[number] = added
                    number += 1
    entries.begins[len(entries.begins) - 1] = number
    return number


def _add_foreseen_excess(limits, entries, classes, scan, u, weight, strictness):
    """Add what rows beyond limits would cost at the least, but for a last bit, if a unit joined each class."""
    least = limits.least
    for c in range(len(scan.foreseen)):
        scan.foreseen[c] += strictness * max(least - classes.rows[c] - weight, 0)
    for a in range(len(limits.bounds)):
        if limits.bounds[a] >= 1.0:
            continue
        begin = entries.begins[u * len(limits.bounds) + a]
        end = entries.begins[u * len(limits.bounds) + a + 1]
        unsure = LAST_BITS * MOST_PULLED * (end - begin + 2)
        unsure = unsure * weight
        for c in range(len(scan.foreseen)):
            scan.here[c] = classes.beyond[a, c] - unsure
        for at in range(begin, end):
            cell = entries.cells[at]
            count = entries.counts[at]
            for c in range(len(scan.foreseen)):
                scan.here[c] += count * classes.pulls[cell, c]
        for c in range(len(scan.foreseen)):
            scan.foreseen[c] += strictness * max(scan.here[c], 0)


def _link(classes, u, c):
    """Write that a unit is the first of a class."""
    head = classes.heads[c]
    classes.links[u, 0] = head
    classes.links[u, 1] = -1
    classes.heads[c] = u
    if head >= 0:
        classes.links[head, 1] = u


def _unlink(classes, u, c):
    """Write that a unit is no more in a class."""
    after = classes.links[u, 0]
    before = classes.links[u, 1]
    if before >= 0:
        classes.links[before, 0] = after
    else:
        classes.heads[c] = after
    if after >= 0:
        classes.links[after, 1] = before


def _widen(units, u, classes, c):
    """Write the box that a class has with a unit."""
    empty = classes.heads[c] < 0
    for q in range(units.positions.shape[1]):
        position = units.positions[u, q]
        low = classes.low[c, q]
        high = classes.high[c, q]
        lower = empty or position < low
        higher = empty or position > high
        classes.box[4, q] = position if lower else low
        classes.box[5, q] = position if higher else high
        classes.box[6, q] = 1 if lower else classes.at_low[c, q] + (position == low)
        classes.box[7, q] = 1 if higher else classes.at_high[c, q] + (position == high)


def _fill(units, classes):
    """Put the units into their classes, with the boxes that they need."""
    for u in range(len(units.weights)):
        c = classes.of_unit[u]
        if c < 0:
            continue
        _widen(units, u, classes, c)
        for q in range(classes.box.shape[1]):
            classes.low[c, q] = classes.box[4, q]
            classes.high[c, q] = classes.box[5, q]
            classes.at_low[c, q] = classes.box[6, q]
            classes.at_high[c, q] = classes.box[7, q]
        _link(classes, u, c)
        classes.sizes[c] += units.weights[u]
        for cell in range(units.mass.shape[1]):
            classes.mass[c, cell] += units.mass[u, cell]


def _weigh(costs, limits, units, classes):
    """Write what each class loses and by how much it is beyond its limits, and likewise each unit alone."""
    for c in range(len(classes.heads) - 1, -1, -1):
        if classes.heads[c] < 0:
            classes.free[classes.tally[0]] = c
            classes.tally[0] += 1
            continue
        for q in range(len(costs.columns)):
            classes.box[0, q] = classes.low[c, q]
            classes.box[1, q] = classes.high[c, q]
            classes.low[c, q] = -1
        classes.losses[c] = _set_cells(costs, classes, c, OWN)
        classes.excess[c] = _excess(limits, classes.sizes[c], classes.mass, c, classes.mass, c, 0.0)
        _set_pulls(limits, classes, c)
    for u in range(len(units.weights)):
        for q in range(len(costs.columns)):
            units.alone[u, 0] += units.weights[u] * _cell_cost(costs, q, units.positions[u, q], units.positions[u, q])
        units.alone[u, 1] = _excess(limits, units.weights[u], units.mass, u, units.mass, u, 0.0)


def _clear(classes, c):
    """Write that a class has no units, so that its number is free."""
    classes.losses[c] = 0.0
    classes.excess[c] = 0.0
    for q in range(classes.low.shape[1]):
        classes.low[c, q] = -1
    for at in range(len(classes.joins)):
        classes.joins[at, c] = NEVER
    classes.free[classes.tally[0]] = c
    classes.tally[0] += 1


def _change(costs, limits, units, classes, c, u, side, sign, beyond, strictness):
    """Write what a class holds and loses that a unit has joined (sign 1) or left (−1)."""
    classes.sizes[c] += sign * units.weights[u]
    classes.excess[c] = beyond
    for cell in range(units.mass.shape[1]):
        classes.mass[c, cell] += sign * units.mass[u, cell]
    for q in range(classes.box.shape[1]):
        classes.at_low[c, q] = classes.box[side + 2, q]
        classes.at_high[c, q] = classes.box[side + 3, q]
    if classes.heads[c] < 0:
        _clear(classes, c)
    else:
        classes.losses[c] = _set_cells(costs, classes, c, side)
        _set_pulls(limits, classes, c)
    classes.rows[c] = classes.sizes[c]
    classes.worth[c] = classes.sizes[c] * classes.losses[c] + strictness * classes.excess[c]


def _foresee(costs, units, classes, scan, u, weight):
    """Write what the loss would grow by at the least if a unit joined each class and none were beyond its limits.

    Where every position is a stretch of its own, that is what it would grow by.
    """
    at = costs.stretch_of[units.positions[u, 0]]
    for c in range(len(scan.growth)):
        scan.growth[c] = classes.joins[at, c]
    for q in range(1, len(costs.columns)):
        at = costs.stretch_of[costs.columns[q, END] + units.positions[u, q]]
        for c in range(len(scan.growth)):
            scan.growth[c] += classes.joins[at, c]
    for c in range(len(scan.growth)):
        scan.growth[c] = (classes.rows[c] + weight) * scan.growth[c] - classes.worth[c]


def _least_of(scan, begin, end):
    """Return the least that is foreseen of some classes: four minima at a time, so that none waits for the last."""
    one, two, three, four = NEVER, NEVER, NEVER, NEVER
    at = begin
    while at + 4 <= end:
        one = min(one, scan.foreseen[at])
        two = min(two, scan.foreseen[at + 1])
        three = min(three, scan.foreseen[at + 2])
        four = min(four, scan.foreseen[at + 3])
        at += 4
    while at < end:
        one = min(one, scan.foreseen[at])
        at += 1
    return min(one, two, three, four)


def _following(scan, most):
    """Return the class where least would be added, not surely ``most``, and forget it; −1 if there is none."""
    block = 0
    for at in range(1, len(scan.lowest)):
        if scan.lowest[at] < scan.lowest[block]:
            block = at
    if float(scan.lowest[block]) * SURELY >= most:
        return -1
    c = block * BLOCK
    while scan.foreseen[c] != scan.lowest[block]:
        c += 1
    scan.foreseen[c] = NEVER
    scan.lowest[block] = _least_of(scan, block * BLOCK, min(block * BLOCK + BLOCK, len(scan.foreseen)))
    return c


def _move(costs, limits, units, classes, u, own, after, target, excess_there, once, strictness):
    """Take a unit from its class to another, or to none (−1), and set both right."""
    if own >= 0:
        _unlink(classes, u, own)
    if target >= 0:
        classes.tally[0] -= 1 if classes.heads[target] < 0 else 0
        _widen(units, u, classes, target)
        _link(classes, u, target)
    classes.of_unit[u] = target
    classes.tally[1] += units.weights[u] * ((1 if own < 0 else 0) - (1 if target < 0 else 0))
    if own >= 0:
        classes.touched[own] = once
        _change(costs, limits, units, classes, own, u, OWN, -1, after, strictness)
    if target >= 0:
        classes.touched[target] = once
        _change(costs, limits, units, classes, target, u, OTHER, 1, excess_there, strictness)


def _bar(classes, own, once, scan):
    """Keep a unit from its own class, and with ``once`` from those that had their move."""
    if own >= 0:
        scan.foreseen[own] = NEVER
    if once:
        for c in range(len(scan.foreseen)):
            if classes.touched[c]:
                scan.foreseen[c] = NEVER


def _round(costs, limits, units, entries, classes, scan, draw, once, full, order, heat, strictness):
    """Let each unit move to where least is lost, if that is less than what its class saves and chance allows.

    Return how many moved.
    """
    moved = 0
    rough = len(costs.stretches) < len(costs.stretch_of)
    for i in range(len(order)):
        u = order[i]
        own = classes.of_unit[u]
        weight = units.weights[u]
        saved = weight * full
        after = 0.0
        if own >= 0:
            if classes.touched[own]:
                continue
            rest = classes.sizes[own] - weight
            without = 0.0
            if rest > 0:
                after = _excess(limits, rest, classes.mass, own, units.mass, u, -1.0)
                without = _loss_without(costs, units, classes, own, u)
            saved = classes.sizes[own] * classes.losses[own] - rest * without
            saved = saved + strictness * (classes.excess[own] - after)
        most = saved - 1e-7 * (1.0 + abs(saved)) - (heat * _log(draw.random()) if heat > 0.0 else 0.0)
        if most <= 0.0:
            continue
        _foresee(costs, units, classes, scan, u, single(weight))
        for c in range(len(scan.growth)):
            scan.foreseen[c] = scan.growth[c]
        _add_foreseen_excess(limits, entries, classes, scan, u, single(weight), single(strictness))
        _bar(classes, own, once, scan)
        target = -2
        excess_there = 0.0
        least_more = most
        for block in range(len(scan.lowest)):
            scan.lowest[block] = _least_of(scan, block * BLOCK, min(block * BLOCK + BLOCK, len(scan.foreseen)))
        c = _following(scan, least_more)
        while c >= 0:
            more = float(scan.growth[c])
            size = classes.sizes[c] + weight
            if rough:
                worth = float(classes.worth[c])
                more = size * _loss_with(costs, units, classes, c, u, (least_more + worth) / size) - worth
            if more < least_more:
                beyond = _excess(limits, size, classes.mass, c, units.mass, u, 1.0)
                if more + strictness * beyond < least_more:
                    target = c
                    least_more = more + strictness * beyond
                    excess_there = beyond
            c = _following(scan, least_more)
        if own >= 0 and weight <= classes.tally[1] and weight * full < least_more:
            target, excess_there, least_more = -1, 0.0, weight * full
        new = (own < 0 or classes.sizes[own] > weight) and classes.tally[0] > 0
        if new and units.alone[u, 0] + strictness * units.alone[u, 1] < least_more:
            target, excess_there = classes.free[classes.tally[0] - 1], units.alone[u, 1]
        if target != -2:
            moved += 1
            _move(costs, limits, units, classes, u, own, after, target, excess_there, once, strictness)
    return moved


def _begin_round(classes, draw, order, strictness):
    """Write what classes are worth, and draw the order of the units (Fisher, Yates)."""
    for c in range(len(classes.sizes)):
        classes.rows[c] = classes.sizes[c]
        classes.worth[c] = classes.sizes[c] * classes.losses[c] + strictness * classes.excess[c]
    for i in range(len(order) - 1, 0, -1):
        j = int(draw.random() * (i + 1))
        kept = order[i]
        order[i] = order[j]
        order[j] = kept


def _rounds(costs, limits, units, entries, classes, scan, draw, once, full, order, heats, strictnesses):
    """Fill the classes and move units, round by round; a cold round in which none moved is not repeated."""
    with cython.nogil:
        _fill_pairs(costs)
        _fill(units, classes)
        _weigh(costs, limits, units, classes)
        moved = 1
        cold = 0.0
        for at in range(len(heats)):
            heat = heats[at]
            strictness = strictnesses[at]
            if moved or heat > 0.0 or strictness != cold:
                _begin_round(classes, draw, order, strictness)
                moved = _round(costs, limits, units, entries, classes, scan, draw, once, full, order, heat, strictness)
            cold = strictness if heat == 0.0 else 0.0


def anneal(costs, limits, units, plan, of_unit, number, room):
    """Move units between the classes 0 … ``number`` − 1 (−1: left out), round by round; write where each one is.

    ``plan`` has, round by round, the heat and what a row beyond a limit costs; then the seed, whether a class takes
    part in one move at the most, so that each move can be judged by itself, and what a row loses that is left out.
    ``room`` is how many more rows may be left out.
    """
    heat, strictness, seed, once, full = plan
    attributes = len(limits.bounds)
    classes = Classes(
        of_unit, number, len(of_unit), units.positions.shape[1], units.mass.shape[1], len(costs.stretches), attributes,
        room,
    )  # fmt: skip
    begins = np.zeros(len(of_unit) * attributes + 1, np.int64)
    counted = Entries(begins, np.zeros(0, np.int32), np.zeros(0, np.float32))
    some = _write_entries(limits, units, counted)
    entries = Entries(begins, np.zeros(some, np.int32), np.zeros(some, np.float32))
    _write_entries(limits, units, entries)
    draw = Twister(np.random.RandomState(seed).get_state()[1].astype(np.uint32))
    order = np.arange(len(of_unit), dtype=np.int64)
    _rounds(costs, limits, units, entries, classes, Scan(number), draw, once, full, order, heat, strictness)
