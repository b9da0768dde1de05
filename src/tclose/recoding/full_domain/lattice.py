"""The lattice of generalisations: its nodes, and searches that judge few of them.

A node is a level for every quasi-identifier; it generalises another if none of its levels is lower. The
searches rest on what :func:`bisected_chains` calls *holding*: if a node holds, all that generalise it do.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tclose.counts import Integers
from tclose.recoding.full_domain.roll_up import Node
from tclose.recoding.problem import Problem

_UNKNOWN, _HOLDS, _FAILS = 0, 1, 2


@dataclass(frozen=True)
class Lattice:
    """All nodes between a finest and a coarsest one."""

    lowest: Node
    top: Node

    @staticmethod
    def of(problem: Problem) -> Lattice:
        """Return the nodes that may be published."""
        return Lattice(tuple(quasi.lowest for quasi in problem.quasi), tuple(quasi.top for quasi in problem.quasi))

    @cached_property
    def size(self) -> int:
        """How many nodes there are."""
        return math.prod(top - lowest + 1 for lowest, top in zip(self.lowest, self.top, strict=True))

    @cached_property
    def moving(self) -> tuple[int, ...]:
        """The quasi-identifiers that have more than one level."""
        return tuple(at for at, (low, top) in enumerate(zip(self.lowest, self.top, strict=True)) if low < top)

    def finer(self, node: Node) -> Iterator[Node]:
        """Yield the nodes with one level lower by one."""
        for at in self.moving:
            if node[at] > self.lowest[at]:
                yield (*node[:at], node[at] - 1, *node[at + 1 :])

    def coarser(self, node: Node) -> Iterator[Node]:
        """Yield the nodes with one level higher by one."""
        for at in self.moving:
            if node[at] < self.top[at]:
                yield (*node[:at], node[at] + 1, *node[at + 1 :])


class _Tags:
    """What is known of every node, and the order in which nodes are taken."""

    def __init__(self, lattice: Lattice) -> None:
        self._lattice = lattice
        shape = [lattice.top[at] - lattice.lowest[at] + 1 for at in lattice.moving]
        self._tags = np.zeros(shape, dtype=np.uint8)
        steps = np.ix_(*(np.arange(span) for span in shape))
        sums = np.asarray(sum(steps, np.zeros(shape, dtype=np.int64)))
        relative = np.asarray(sum((step / (len(step.ravel()) - 1) for step in steps), np.zeros(shape)))
        self._order: Integers = np.lexsort((np.round(relative, 9).ravel(), sums.ravel()))
        self._ranks = np.empty(lattice.size, dtype=np.int64)
        self._ranks[self._order] = np.arange(lattice.size)

    def _place(self, node: Node) -> tuple[int, ...]:
        return tuple(node[at] - self._lattice.lowest[at] for at in self._lattice.moving)

    def rank(self, node: Node) -> int:
        """Return the place of a node in the order: by level sum, mean relative level, levels."""
        return int(self._ranks[np.ravel_multi_index(self._place(node), self._tags.shape)]) if self._tags.ndim else 0

    def node(self, rank: int) -> Node:
        """Return the node at a place of the order."""
        node = list(self._lattice.lowest)
        for at, step in zip(self._lattice.moving, np.unravel_index(self._order[rank], self._tags.shape), strict=True):
            node[at] += int(step)
        return tuple(node)

    def known(self) -> float:
        """Return the share of nodes about which something is known."""
        return float(np.count_nonzero(self._tags != _UNKNOWN)) / self._lattice.size

    def untagged(self, node: Node) -> bool:
        return int(self._tags[self._place(node)]) == _UNKNOWN

    def unknown(self) -> Iterator[Node]:
        """Yield the nodes in their order that are unknown when their turn comes."""
        flat = self._tags.reshape(-1)
        for rank in range(len(flat)):
            if flat[self._order[rank]] == _UNKNOWN:
                yield self.node(rank)

    def tag(self, node: Node, *, holds: bool) -> None:
        """Note what was found of a node, and so of all that generalise it, or that it generalises."""
        if holds:
            self._tags[tuple(slice(step, None) for step in self._place(node))] = _HOLDS
        else:
            self._tags[tuple(slice(step + 1) for step in self._place(node))] = _FAILS


def bisected_chains(
    lattice: Lattice, holds: Callable[[Node], bool], tell: Callable[[float], None] = lambda _share: None
) -> list[Node]:
    """Return the nodes that were judged and hold; those that generalise no other that holds are among them.

    Chains of nodes from fine to coarse are bisected, and what a judgement says of other nodes is noted, so
    that few are judged.

    Parameters
    ----------
    lattice
        The nodes; an array of them must fit into memory.
    holds
        The judgement; what generalises a node that holds is taken to hold.
    tell
        Told about which share of the nodes something is known.

    References
    ----------
    F. Kohlmayer, F. Prasser et al.: Flash: efficient, stable and optimal k-anonymity, PASSAT 2012.
    """
    tags = _Tags(lattice)
    found: list[Node] = []
    for start in tags.unknown():
        heap = [tags.rank(start)]
        while heap:
            node = tags.node(heapq.heappop(heap))
            if tags.untagged(node):
                held, failed = _bisect(_chain(lattice, tags, node), tags, holds)
                found += held
                tell(tags.known())
                for each in failed:
                    for coarser in lattice.coarser(each):
                        if tags.untagged(coarser):
                            heapq.heappush(heap, tags.rank(coarser))
    return found


def _chain(lattice: Lattice, tags: _Tags, node: Node) -> list[Node]:
    """Return a chain of unknown nodes from one upwards, always to the first in the order."""
    chain = [node]
    while unknown := [coarser for coarser in lattice.coarser(chain[-1]) if tags.untagged(coarser)]:
        chain.append(min(unknown, key=tags.rank))
    return chain


def _bisect(chain: list[Node], tags: _Tags, holds: Callable[[Node], bool]) -> tuple[list[Node], list[Node]]:
    """Find the first node of a chain that holds; return the judged nodes that hold, and those that do not."""
    held, failed = [], []
    low, high = 0, len(chain)
    while low < high:
        middle = (low + high) // 2
        good = holds(chain[middle])
        tags.tag(chain[middle], holds=good)
        if good:
            held.append(chain[middle])
            high = middle
        else:
            failed.append(chain[middle])
            low = middle + 1
    return held, failed


def descended(lattice: Lattice, loss: Callable[[Node], float]) -> Node | None:
    """Return a node that holds, and none just below which does, by the steepest way down from the top.

    Parameters
    ----------
    lattice
        The nodes, however many.
    loss
        The loss of a node; infinite where it does not hold.
    """
    node, least = lattice.top, loss(lattice.top)
    if math.isinf(least):
        return None
    while below := [(loss(finer), finer) for finer in lattice.finer(node)]:
        least, finer = min(below)
        if math.isinf(least):
            break
        node = finer
    return node
