"""The compiled loop that finds a place for each leftover row: the class it costs least to join and keeps close."""

# mypy: disable-error-code="no-untyped-def"
from __future__ import annotations

from tclose.compiled import compiler, machine_code

numba = compiler()

TOO_DEAR = 4.0
"""More than the cells of any class can cost."""


@numba.njit
def _joined_cost(
    low, high, spare, levels, on_line, codes, node_of, tops, costs, places, weights, most
):  # fmt: skip
    """Return the cost of a class's cells with one more row, or :data:`TOO_DEAR` once it reaches ``most``."""
    total = 0.0
    for column in range(len(codes)):
        code = codes[column]
        if on_line[column] and high[column] < spare[column] and code < spare[column]:
            if node_of[column, tops[column], code] != node_of[column, tops[column], low[column]]:
                return TOO_DEAR
            total += weights[column] * (
                places[column, max(high[column], code)] - places[column, min(low[column], code)]
            )
        else:
            level = levels[column]
            while node_of[column, level, code] != node_of[column, level, low[column]]:
                level += 1
            if level > tops[column]:
                return TOO_DEAR
            total += weights[column] * costs[column, level, node_of[column, level, code]]
        if total >= most:
            return TOO_DEAR
    return total


@numba.njit
def _stays_close(mass, rows, ranks, heights, sizes, cells, expected, weights, limits):
    """Say whether a class stays within its limits with one more row of these ranks."""
    for a in range(len(limits)):
        rank = ranks[a]
        if limits[a] >= 1.0 or rank < 0:
            continue
        n = rows[a] + 1
        total = running = 0.0
        for cell in range(sizes[a]):
            here = mass[a, cell]
            for level in range(max(heights[a], 1)):
                if cells[a, level, rank] == cell:
                    here += 1.0
            running += here
            gap = (running if heights[a] == 0 else here) - expected[a, cell] * n
            total += weights[a, cell] * (abs(gap) if heights[a] == 0 else max(gap, 0.0))
        if total > limits[a] * n - 1e-9:
            return False
    return True


@machine_code
def place(
    wanted, codes, kinds, ranks, low, high, spare, levels, on_line, node_of, tops, costs, places, column_weights,
    class_rows, class_costs, mass, rows, heights, sizes, cells, expected, weights, limits, dearest, out,
):  # fmt: skip
    """Write for each leftover row (one at a time) the class it joins, or −1; classes are updated as they grow."""
    for at in range(len(wanted)):
        row = wanted[at]
        rank = ranks[kinds[row]]
        best, chosen = dearest, -1
        for c in range(len(class_rows)):
            room = (best + class_rows[c] * class_costs[c]) / (class_rows[c] + 1)
            cost = _joined_cost(
                low[c], high[c], spare, levels[c], on_line, codes[row], node_of, tops, costs, places, column_weights,
                room,
            )  # fmt: skip
            growth = (class_rows[c] + 1) * cost - class_rows[c] * class_costs[c]
            if (
                cost < TOO_DEAR
                and growth < best
                and _stays_close(mass[c], rows[c], rank, heights, sizes, cells, expected, weights, limits)
            ):
                best, chosen = growth, c
        out[at] = chosen
        if chosen < 0:
            continue
        for column in range(codes.shape[1]):
            code = codes[row, column]
            while (
                node_of[column, levels[chosen, column], code]
                != node_of[column, levels[chosen, column], low[chosen, column]]
            ):
                levels[chosen, column] += 1
            low[chosen, column] = min(low[chosen, column], code)
            high[chosen, column] = max(high[chosen, column], code)
        class_costs[chosen] = (best + class_rows[chosen] * class_costs[chosen]) / (class_rows[chosen] + 1)
        class_rows[chosen] += 1
        for a in range(len(limits)):
            if rank[a] >= 0:
                rows[chosen, a] += 1
                for level in range(max(heights[a], 1)):
                    mass[chosen, a, cells[a, level, rank[a]]] += 1.0
