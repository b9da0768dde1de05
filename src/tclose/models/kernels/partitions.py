"""Kernels over the classes of a partition while it is made: boxes, counts of pieces, losses, merges."""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tclose.models.kernels import python as cython


class Pieces:
    """The pieces of parts: those with the labels ``begin`` to ``end``, or with all the others (``outside``)."""

    def __init__(self, part, begin, end, outside):
        self.part = part
        self.begin = begin
        self.end = end
        self.outside = outside


class Rows:
    """The labels, ranks and counts of the rows of parts; those of part p begin at ``starts[p]``, in order of ranks."""

    def __init__(self, starts, labels, ranks, counts):
        self.starts = starts
        self.labels = labels
        self.ranks = ranks
        self.counts = counts


def slot_boxes(slots, counts, positions, axes, sizes, low, high):
    """Write the size and the box of each slot of rows; ``low`` starts above and ``high`` below all positions."""
    with cython.nogil:
        for i in range(len(slots)):
            sizes[slots[i]] += counts[i]
            box = slots[i] * axes
            row = i * axes
            for axis in range(axes):
                low[box + axis] = min(low[box + axis], positions[row + axis])
                high[box + axis] = max(high[box + axis], positions[row + axis])


def piece_boxes(pieces, slots, slot_sizes, slot_low, slot_high, axes, sizes, low, high):
    """Write the size and the box of each piece.

    ``slots[p]`` is where the labels of part p begin; ``low`` starts above and ``high`` below all positions.
    """
    with cython.nogil:
        for piece in range(len(pieces.begin)):
            part = pieces.part[piece]
            for slot in range(slots[part], slots[part + 1]):
                label = slot - slots[part]
                inside = pieces.begin[piece] <= label and label < pieces.end[piece]
                if inside == pieces.outside[piece]:
                    continue
                sizes[piece] += slot_sizes[slot]
                for axis in range(axes):
                    low[piece * axes + axis] = min(low[piece * axes + axis], slot_low[slot * axes + axis])
                    high[piece * axes + axis] = max(high[piece * axes + axis], slot_high[slot * axes + axis])


def piece_counts(rows, widths, bounds, pieces, table, seen, offsets, held, sums):
    """Write the counts of each value in each piece, values ascending.

    Part p has ``widths[p]`` labels and the pieces ``bounds[p]:bounds[p + 1]``. ``table`` holds, for each value of
    a part, its rows with a label below 0, 1, …; ``seen`` its values. Returns how many counts were written.
    """
    used = 0
    with cython.nogil:
        for part in range(len(rows.starts) - 1):
            width = widths[part] + 1
            values = 0
            last = -1
            for i in range(rows.starts[part], rows.starts[part + 1]):
                rank = rows.ranks[i]
                if rank < 0:
                    continue
                if rank != last:
                    last = rank
                    seen[values] = last
                    for at in range(values * width, (values + 1) * width):
                        table[at] = 0
                    values += 1
                table[(values - 1) * width + rows.labels[i] + 1] += rows.counts[i]
            for value in range(values):
                for at in range(value * width, (value + 1) * width - 1):
                    table[at + 1] += table[at]
            for piece in range(bounds[part], bounds[part + 1]):
                offsets[piece] = used
                for value in range(values):
                    row = value * width
                    number = table[row + pieces.end[piece]] - table[row + pieces.begin[piece]]
                    if pieces.outside[piece]:
                        number = table[row + width - 1] - number
                    if number > 0:
                        held[used] = seen[value]
                        sums[used] = number
                        used += 1
        offsets[bounds[len(rows.starts) - 1]] = used
    return used


def add_losses(low, high, nodes, costs, positions, places, first, last, weight, losses):
    """Add what classes lose: the finest node that both ends share, or an interval where both lie on the line.

    ``nodes`` and ``costs`` have the node of each of the ``positions`` and its loss, level after level; of these
    positions the first ``places`` lie on the line.
    """
    with cython.nogil:
        for one in range(len(losses)):
            begin = low[one]
            end = high[one]
            if nodes[begin] != nodes[end] and end < places:
                losses[one] += weight * (last[end] - first[begin])
            else:
                level = 0
                while level + positions < len(nodes) and nodes[level + begin] != nodes[level + end]:
                    level += positions
                losses[one] += weight * costs[level + begin]


def join(order, partner, sizes, into, joining):
    """Let classes join their partners, the first in order first, and write whom each one joined.

    A class that joined another is not joined, nor the other way round; beyond the first, only as many rows join
    a class as it has itself, so that a class is looked at again before it grows out of hand.
    """
    with cython.nogil:
        for i in range(len(order)):
            one = order[i]
            other = partner[one]
            if into[one] != one or joining[one] > 0 or into[other] != other:
                continue
            if joining[other] > 0 and joining[other] + sizes[one] > sizes[other]:
                continue
            into[one] = other
            joining[other] += sizes[one]
