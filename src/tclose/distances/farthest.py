"""How far a class can be from the reference once some of its rows are known: the worst rows to take, exactly.

Whoever knows the values of c rows of a class of n takes them away and looks at the n − c that are left. Over all
choices the largest distance is found by dynamic programming, because each distance is a sum in which the rows taken so
far are all that matters: on a line, by the values from left to right, with what was taken up to each value; on a
tree, by the nodes from the leaves up, with what was taken below each node. The reference keeps its rows: it is
what was believed before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.compiled import kernel
from tclose.counts import Block, Integers
from tclose.distances.ground import Ground
from tclose.distances.line import LineGround
from tclose.distances.tree import TreeGround
from tclose.errors import InternalError

_INT64 = 2**62
Farthest = tuple[NDArray[Any], NDArray[Any], Integers]
"""X and Y of each class without the worst rows, and how many rows are left."""


@kernel
def _line(offsets, ranks, counts, sizes, taken, prefix, total, m, best, kept, found, whole):  # type: ignore[no-untyped-def]
    """Write X and X·N − Y·n of each class without the worst ``taken`` rows; n is what is left.

    ``best[j]`` is the largest sum up to a value where j rows were taken up to there, −1 where that cannot be, and
    ``kept[j]`` the X that goes with it. ``prefix`` is that of the plain distance.
    """
    for c in range(len(offsets) - 1):
        high = offsets[c + 1]
        take = taken[c]
        n = sizes[c] - take
        running = 0
        for i in range(offsets[c], high):
            here = ranks[i] * 4
            following = ranks[i + 1] * 4 if i + 1 < high else m * 4
            if running == 0:
                for j in range(take + 1):
                    best[j] = -1
                best[0] = prefix[here + 2] * n
                kept[0] = 0
            running += counts[i]
            for j in range(take, -1, -1):
                for s in range(1, min(counts[i], j) + 1):
                    if best[j - s] > best[j]:
                        best[j] = best[j - s]
                        kept[j] = kept[j - s]
                if best[j] < 0:
                    continue
                scaled = (running - j) * total
                first = here
                last = following
                while first < last:
                    middle = (first + last) // 8 * 4
                    if prefix[middle + 3] * n >= scaled:
                        last = middle
                    else:
                        first = middle + 4
                lengths = 2 * prefix[first + 1] - prefix[here + 1] - prefix[following + 1]
                masses = 2 * prefix[first + 2] - prefix[here + 2] - prefix[following + 2]
                best[j] += scaled * lengths - masses * n
                kept[j] += (running - j) * lengths
        if running:
            found[c] = kept[take]
            whole[c] = best[take]


@kernel
def _tree(offsets, ranks, counts, sizes, taken, nodes, masses, total, width, best, kept, held, found, whole):  # type: ignore[no-untyped-def]
    """Write X and X·N − Y·n of each class without the worst ``taken`` rows; n is what is left.

    Values are in an order in which those below a node follow each other. ``best[l·width + j]`` is the largest sum
    over the nodes below the open node on level l where j rows of them were taken, ``kept`` the X that goes with it,
    ``held[l]`` how many rows they have. ``nodes[v·height + l]`` is the node of value v on level l,
    ``masses[v·height + l]`` its rows in the reference.
    """
    height = len(held) - 1
    for c in range(len(offsets) - 1):
        take = taken[c]
        for level in range(height + 1):
            held[level] = 0
            best[level * width] = kept[level * width] = 0
        for i in range(offsets[c], offsets[c + 1]):
            value = ranks[i] * height
            held[0] = counts[i]
            for s in range(min(counts[i], take) + 1):
                best[s] = kept[s] = 0
            level = 0
            following = ranks[i + 1] * height if i + 1 < offsets[c + 1] else -1
            while level < height and (level == 0 or following < 0 or nodes[value + level] != nodes[following + level]):
                rows = held[level]
                below = level * width
                for s in range(min(rows, take) + 1):
                    surplus = (rows - s) * total - masses[value + level] * (sizes[c] - take)
                    if surplus > 0:
                        best[below + s] += surplus
                        kept[below + s] += rows - s
                others = held[level + 1]
                for j in range(min(others + rows, take), -1, -1):
                    most = max(0, j - others)
                    for s in range(most + 1, min(rows, j) + 1):
                        if (
                            best[below + width + j - s] + best[below + s]
                            > best[below + width + j - most] + best[below + most]
                        ):
                            most = s
                    best[below + width + j] = best[below + width + j - most] + best[below + most]
                    kept[below + width + j] = kept[below + width + j - most] + kept[below + most]
                held[level + 1] = others + rows
                held[level] = 0
                best[below] = kept[below] = 0
                level += 1
        found[c] = kept[height * width + take]
        whole[c] = best[height * width + take]


def farthest(ground: Ground, block: Block, known: int) -> Farthest:
    """Return X and Y of every class without the rows whose loss takes it farthest from the reference.

    Parameters
    ----------
    ground
        The distance and the reference.
    block
        The classes.
    known
        How many rows of a class are known, at most; of a class that has no more than that, all but one.
    """
    taken = np.minimum(known, np.maximum(block.sizes - 1, 0))
    left = block.sizes - taken
    limit = _INT64 // max(ground.scale * ground.reference.total, 1)
    small = (block.sizes <= limit) & (limit > 0)
    kind = np.int64 if small.all() else object
    x, y = _numbers(block.classes, kind), _numbers(block.classes, kind)
    for places, enough in ((small, np.int64), (~small, object)):
        if ground.scale and places.any():
            some = block if places.all() else _only(block, places)
            kept, whole = _largest(ground, some, taken[places], enough)
            x[places] = kept
            y[places] = (kept * ground.reference.total - whole) // np.maximum(left[places], 1)
    return x, y, left


def _largest(ground: Ground, block: Block, taken: Integers, kind: type) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return X and X·N − Y·n of every class, in whole numbers of a kind that is large enough."""
    width = int(taken.max(initial=0)) + 1
    found, whole = _numbers(block.classes, kind), _numbers(block.classes, kind)
    total = ground.reference.total
    work = 0 if kind is object else block.pairs * width * width
    if isinstance(ground, LineGround):
        best, kept = _numbers(width, kind), _numbers(width, kind)
        _line(
            block.offsets, block.ranks, block.counts, block.sizes, taken, ground.prefix(kind), total, ground.values,
            best, kept, found, whole, work=work,
        )  # fmt: skip
        return found, whole
    if isinstance(ground, TreeGround):
        nodes, masses, place = ground.nested(kind)
        block, height = _placed(block, place), len(ground.levels)
        best, kept = _numbers((height + 1) * width, kind), _numbers((height + 1) * width, kind)
        held = np.zeros(height + 1, dtype=np.int64)
        _tree(
            block.offsets, block.ranks, block.counts, block.sizes, taken, nodes, masses, total, width, best, kept, held,
            found, whole, work=work * height,
        )  # fmt: skip
        return found, whole
    raise InternalError("A ground distance of an unknown kind was met.")


def _numbers(many: int, kind: type) -> NDArray[Any]:
    return np.zeros(many, dtype=kind)


def _placed(block: Block, place: Integers) -> Block:
    """Return a block with the values of each class in another order, as their places in it."""
    if (np.diff(place) > 0).all():
        return block
    places = place[block.ranks]
    order = np.lexsort((places, np.repeat(np.arange(block.classes), block.distinct)))
    return replace(block, ranks=places[order].astype(np.int32), counts=block.counts[order])


def _only(block: Block, places: NDArray[np.bool_]) -> Block:
    """Return the block of some classes."""
    inside = np.repeat(places, block.distinct)
    offsets = np.zeros(int(places.sum()) + 1, dtype=np.int64)
    np.cumsum(block.distinct[places], out=offsets[1:])
    return Block(offsets, block.ranks[inside], block.counts[inside], block.sizes[places])
