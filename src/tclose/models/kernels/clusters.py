"""Kernels of microaggregation and SABRE: seeds, the nearest rows, and rows exchanged until a class is close.

The squared distance of two rows is the sum of squared steps on the lines and, for every level on which their nodes
differ, of the two rows' edges.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tclose.models.kernels import python as cython


class Points:
    """Where rows lie: ``points`` on lines, ``nodes`` and ``edges`` on the levels of hierarchies, row by row."""

    def __init__(self, points, nodes, edges, off_centre, lines, levels):
        self.points = points
        self.nodes = nodes
        self.edges = edges
        self.off_centre = off_centre
        self.lines = lines
        self.levels = levels


class Left:
    """The rows that are in no class yet: ``members`` from ``starts`` to ``ends`` of each bucket, and their gaps."""

    def __init__(self, members, starts, ends, gaps):
        self.members = members
        self.starts = starts
        self.ends = ends
        self.gaps = gaps


def centre(space, left, found):
    """Write the mean of the rows that are left."""
    number = 0
    with cython.nogil:
        for j in range(space.lines):
            found[j] = 0.0
        for b in range(len(left.starts)):
            number += left.ends[b] - left.starts[b]
            for at in range(left.starts[b], left.ends[b]):
                for j in range(space.lines):
                    found[j] += space.points[left.members[at] * space.lines + j]
        for j in range(space.lines):
            found[j] /= max(number, 1)


def measure(space, left, centre, seed):
    """Write the squared distance of each row that is left to the seed, or to the centre where the seed is −1."""
    lines = space.lines
    levels = space.levels
    with cython.nogil:
        for b in range(len(left.starts)):
            for at in range(left.starts[b], left.ends[b]):
                i = left.members[at]
                gap = 0.0
                if seed < 0:
                    gap = space.off_centre[i]
                    for j in range(lines):
                        step = space.points[i * lines + j] - centre[j]
                        gap += step * step
                else:
                    for j in range(lines):
                        step = space.points[i * lines + j] - space.points[seed * lines + j]
                        gap += step * step
                    for j in range(levels):
                        if space.nodes[i * levels + j] != space.nodes[seed * levels + j]:
                            gap += space.edges[i * levels + j] + space.edges[seed * levels + j]
                left.gaps[i] = gap


def farthest(left):
    """Return the row with the largest gap, the lowest of several, or −1 where no row is left."""
    found = -1
    with cython.nogil:
        for b in range(len(left.starts)):
            for at in range(left.starts[b], left.ends[b]):
                i = left.members[at]
                if found < 0 or left.gaps[i] > left.gaps[found] or (left.gaps[i] == left.gaps[found] and i < found):
                    found = i
    return found


def take(left, plan, sizes, label, labels):
    """Label the nearest rows of each bucket until they have the planned size, and count them as gone."""
    with cython.nogil:
        for b in range(len(left.starts)):
            wanted = plan[b]
            while wanted > 0 and left.ends[b] > left.starts[b]:
                best = left.starts[b]
                nearest = left.members[best]
                for at in range(left.starts[b] + 1, left.ends[b]):
                    i = left.members[at]
                    if left.gaps[i] < left.gaps[nearest] or (left.gaps[i] == left.gaps[nearest] and i < nearest):
                        best = at
                        nearest = i
                left.ends[b] -= 1
                left.members[best] = left.members[left.ends[b]]
                left.members[left.ends[b]] = nearest
                labels[nearest] = label
                wanted -= sizes[nearest]


def exchange(bins, k, beyond, edges, weights, flow, limit, chosen):
    """Exchange chosen rows for later ones while that lowers the distance and the distance is above the limit.

    ``flow`` is what the chosen rows have beyond the table up to each of the ``edges`` between two bins, and
    ``beyond[bin * edges + e]`` what one row of a bin adds to that.
    """
    total = 0.0
    with cython.nogil:
        for e in range(edges):
            total += weights[e] * abs(flow[e])
        for y in range(k, len(bins)):
            if total <= limit:
                break
            into = bins[y] * edges
            least = total - 1e-12
            out = -1
            for slot in range(k):
                away = bins[chosen[slot]] * edges
                found = 0.0
                for e in range(edges):
                    found += weights[e] * abs(flow[e] + (beyond[into + e] - beyond[away + e]) / k)
                if found < least:
                    least = found
                    out = slot
            if out >= 0:
                away = bins[chosen[out]] * edges
                for e in range(edges):
                    flow[e] += (beyond[into + e] - beyond[away + e]) / k
                chosen[out] = y
                total = least
