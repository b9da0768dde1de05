"""The compiled loops of peeling: group what is left at a node, and of each class propose the largest close part."""

# mypy: disable-error-code="no-untyped-def"
from __future__ import annotations

import numpy as np

from tclose.compiled import compiler, machine_code

numba = compiler()

_ROUNDING = 1e-12
_STEPS = 40
"""A part is filled up in about so many steps beyond the due shares."""


@numba.njit
def _grouped(alive, codes, node_of, levels):
    """Return the living combinations class by class at a node, and where each class begins."""
    slots = 2
    while slots < 2 * len(alive):
        slots *= 2
    mask = np.uint64(slots - 1)
    table_key, table_group = np.empty(slots, np.uint64), np.full(slots, -1, np.int64)
    group_of, sizes = np.empty(len(alive), np.int64), np.zeros(len(alive) + 1, np.int64)
    groups = 0
    for at in range(len(alive)):
        key = np.uint64(1469598103934665603)
        for column in range(len(levels)):
            node = node_of[column, levels[column], codes[alive[at], column]]
            key = (key ^ np.uint64(node + 1)) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
        slot = (key >> np.uint64(7)) & mask
        while table_group[slot] >= 0 and table_key[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        if table_group[slot] < 0:
            table_group[slot], table_key[slot] = groups, key
            groups += 1
        group_of[at] = table_group[slot]
        sizes[table_group[slot] + 1] += 1
    starts = np.cumsum(sizes[: groups + 1])
    members, cursor = np.empty(len(alive), np.int64), starts[:groups].copy()
    for at in range(len(alive)):
        members[cursor[group_of[at]]] = alive[at]
        cursor[group_of[at]] += 1
    return members, starts


@numba.njit
def _add(kind, number, ranks, heights, cells, mass, rows):
    """Add rows of a kind to a class's cells (take them away if the number is negative)."""
    for a in range(len(heights)):
        rank = ranks[kind, a]
        if rank >= 0:
            rows[a] += number
            for level in range(max(heights[a], 1)):
                mass[a, cells[a, level, rank]] += number


@numba.njit
def _fill(touched, counts, ranks, heights, cells, mass, rows):
    """Add up the rows of a class by the cells of each attribute, afresh."""
    mass[:] = 0.0
    rows[:] = 0
    for kind in touched:
        _add(kind, counts[kind], ranks, heights, cells, mass, rows)


@numba.njit
def _without(a, n, height, size, mass, expected, weights, relief):
    """Return n times an attribute's distance; write what it would be with one row less of each cell.

    On a line ``relief`` is that figure itself; in a tree, what a row of the cell takes off the figure returned second.
    """
    total = less = running = after = 0.0
    for cell in range(size):
        running += mass[a, cell]
        gap = (running if height == 0 else mass[a, cell]) - expected[a, cell] * n
        fewer = gap + expected[a, cell]
        if height == 0:
            total += weights[a, cell] * abs(gap)
            relief[a, cell] = less
            less += weights[a, cell] * abs(fewer)
        else:
            total += weights[a, cell] * max(gap, 0.0)
            relief[a, cell] = weights[a, cell] * (max(fewer, 0.0) - max(fewer - 1.0, 0.0))
            less += weights[a, cell] * max(fewer, 0.0)
    if height == 0:
        for cell in range(size - 1, -1, -1):
            after += weights[a, cell] * abs(running - expected[a, cell] * (n - 1.0) - 1.0)
            running -= mass[a, cell]
            relief[a, cell] += after
    return total, less


@numba.njit
def _usefulness(touched, ranks, heights, sizes, cells, expected, weights, limits, mass, relief, rows, useful):
    """Write what taking away a row of each kind gains in rows; return by how many rows the worst limit is exceeded."""
    worst = 0.0
    useful[:] = 0.0
    for a in range(len(limits)):
        if limits[a] >= 1.0 or rows[a] == 0:
            continue
        total, less = _without(a, rows[a], heights[a], sizes[a], mass, expected, weights, relief)
        excess = total - limits[a] * rows[a]
        if excess <= _ROUNDING * rows[a]:
            continue
        worst = max(worst, excess)
        for j in range(len(touched)):
            rank = ranks[touched[j], a]
            if rank >= 0:
                after = relief[a, cells[a, 0, rank]]
                if heights[a] > 0:
                    after = less
                    for level in range(heights[a]):
                        after -= relief[a, cells[a, level, rank]]
                useful[j] += total - after - limits[a]
    return worst


@numba.njit
def _shrink(
    touched, counts, prices, shares, near, least, whole, carved, ranks, heights, sizes, cells, expected, weights,
    limits, mass, relief, rows, useful,
):  # fmt: skip
    """Take rows away from a class until every attribute is within its limit; return how many rows are left."""
    n = 0
    for kind in touched:
        n += counts[kind]
    before, behind = n, np.zeros(len(touched))
    _fill(touched, counts, ranks, heights, cells, mass, rows)
    while n >= least:
        worst = _usefulness(
            touched, ranks, heights, sizes, cells, expected, weights, limits, mass, relief, rows, useful
        )
        if worst == 0.0:
            return n
        most = 1e-9
        for j in range(len(touched)):
            if counts[touched[j]] > 0:
                most = max(most, useful[j])
        best, chosen = -1e300, -1
        for j in range(len(touched)):
            kind = touched[j]
            if counts[kind] > 0 and useful[j] > (1e-9 if carved else 0.999 * most):
                score = useful[j] - near * behind[j] / (shares[kind] * before + 1.0) - prices[kind]
                if score > best:
                    best, chosen = score, j
        if chosen < 0 or whole:
            return 0
        kind = touched[chosen]
        batch = max(1, min(counts[kind], int(worst / useful[chosen] / 8.0)))
        counts[kind] -= batch
        behind[chosen] += batch
        n -= batch
        _add(kind, -batch, ranks, heights, cells, mass, rows)
    return 0


@numba.njit
def _growth(goal, touched, ranks, heights, sizes, cells, expected, weights, limits, mass, relief, useful):
    """Write what one row more of each kind adds to the distance of a part that is to have a number of rows."""
    useful[:] = 0.0
    for a in range(len(limits)):
        if limits[a] >= 1.0:
            continue
        running = mass[a, : sizes[a]].sum()
        after = 0.0
        for cell in range(sizes[a] - 1, -1, -1):
            gap = (running if heights[a] == 0 else mass[a, cell]) - expected[a, cell] * goal
            if heights[a] == 0:
                after += weights[a, cell] * (abs(gap + 1.0) - abs(gap))
                relief[a, cell] = after
            else:
                relief[a, cell] = weights[a, cell] * (max(gap + 1.0, 0.0) - max(gap, 0.0))
            running -= mass[a, cell]
        for j in range(len(touched)):
            rank = ranks[touched[j], a]
            if rank >= 0:
                for level in range(max(heights[a], 1)):
                    useful[j] += relief[a, cells[a, level, rank]]


@numba.njit
def _compose(
    goal, whole_size, touched, available, counts, prices, shares, near, ranks, heights, sizes, cells, expected,
    weights, limits, mass, relief, rows, useful,
):  # fmt: skip
    """Fill a part up to its goal, each kind's due share first, then what is pressing most; return its size if close."""
    n = 0
    for kind in touched:
        counts[kind] = min(available[kind], int(shares[kind] * goal + 1e-9))
        n += counts[kind]
    _fill(touched, counts, ranks, heights, cells, mass, rows)
    while n < goal:
        _growth(float(goal), touched, ranks, heights, sizes, cells, expected, weights, limits, mass, relief, useful)
        best, chosen = -1e300, -1
        for j in range(len(touched)):
            kind = touched[j]
            if counts[kind] < available[kind]:
                score = near * (available[kind] - counts[kind]) / (shares[kind] * whole_size + 1.0)
                score += prices[kind] - useful[j]
                if score > best:
                    best, chosen = score, kind
        if chosen < 0:
            break
        batch = max(1, min(available[chosen] - counts[chosen], (goal - n) // _STEPS))
        counts[chosen] += batch
        n += batch
        _add(chosen, batch, ranks, heights, cells, mass, rows)
    worst = _usefulness(touched, ranks, heights, sizes, cells, expected, weights, limits, mass, relief, rows, useful)
    return n if worst == 0.0 else 0


@numba.njit
def _part(
    touched, available, counts, prices, shares, near, least, whole, carved, ranks, heights, sizes, cells, expected,
    weights, limits, mass, relief, rows, useful,
):  # fmt: skip
    """Choose the rows of a class to release; return how many."""
    n = 0
    for kind in touched:
        counts[kind] = available[kind]
        n += counts[kind]
    largest = _shrink(
        touched, counts, prices, shares, near, least, whole, carved, ranks, heights, sizes, cells, expected, weights,
        limits, mass, relief, rows, useful,
    )  # fmt: skip
    if largest == 0 or largest == n or carved:
        return largest
    goal = min(n, largest + max(3, largest // 6))
    while goal >= least:
        found = _compose(
            goal, n, touched, available, counts, prices, shares, near, ranks, heights, sizes, cells, expected,
            weights, limits, mass, relief, rows, useful,
        )  # fmt: skip
        if found >= least:
            return found
        goal -= max(1, goal // 50)
    return 0


@machine_code
def propose(
    alive, codes, node_of, levels, starts, left, kinds, ranks, shares, pool, near, far, least, whole, carved,
    heights, sizes, cells, expected, weights, limits, out_row, out_class, out_count,
):  # fmt: skip
    """Write the parts of the classes at one node that are close; return how many pieces and classes they make.

    ``alive`` are the combinations of quasi-identifiers that still have rows, ``starts`` where the distinct rows of
    each combination begin, ``left`` how many rows of each are left, ``pool`` how many rows of each kind
    are left in all. Rows of kinds that are plentiful in the pool (``far``) or that would be left behind in
    great numbers (``near``) are taken into the part before others.
    """
    members, first = _grouped(alive, codes, node_of, levels)
    counts, available = np.zeros(len(shares), np.int64), np.zeros(len(shares), np.int64)
    prices, kinds_here, useful = np.zeros(len(shares)), np.empty(len(shares), np.int64), np.zeros(len(shares))
    mass, relief, rows = np.zeros(expected.shape), np.zeros(expected.shape), np.zeros(len(heights), np.int64)
    pieces = classes = 0
    for g in range(len(first) - 1):
        number = n = 0
        for at in range(first[g], first[g + 1]):
            for row in range(starts[members[at]], starts[members[at] + 1]):
                if left[row] > 0:
                    if available[kinds[row]] == 0:
                        kinds_here[number] = kinds[row]
                        number += 1
                    available[kinds[row]] += left[row]
                    n += left[row]
        touched, taken = kinds_here[:number], 0
        if n >= least:
            total = pool.sum()
            for kind in touched:
                prices[kind] = far * np.log(pool[kind] / (shares[kind] * total + 1.0) + 0.05)
            taken = _part(
                touched, available, counts, prices, shares, near, least, whole, carved, ranks, heights, sizes, cells,
                expected, weights, limits, mass, relief, rows, useful[:number],
            )  # fmt: skip
        for at in range(first[g], first[g + 1] if taken >= least else first[g]):
            for row in range(starts[members[at]], starts[members[at] + 1]):
                some = min(left[row], counts[kinds[row]])
                if some > 0:
                    counts[kinds[row]] -= some
                    pool[kinds[row]] -= some
                    out_row[pieces], out_class[pieces], out_count[pieces] = row, classes, some
                    pieces += 1
        classes += taken >= least
        available[touched] = 0
    return pieces, classes
