"""The lattice of generalisations: its nodes, and searches that judge few of them.

A node is a level for every quasi-identifier; it generalises another if none of its levels is lower. The
searches rest on what :func:`bisected_chains` calls *holding*: if a node holds, all that generalise it do.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.problem import Codes, Problem
from tclose.models import kernels
from tclose.models.counts import Block, Integers, sparse_block

# The classes of a node made from the classes of a finer one: counts are added up, rows never read again.


Node = tuple[int, ...]
"""The level of each quasi-identifier."""

WORD = 62
"""How many bits of a key word are used."""
KEPT = 1_000_000
"""About so many classes are kept to make others from."""
FEW_VALUES = 40
"""Up to so many values, a class has a place for each of them."""
MOST_PLACES = 50_000_000
"""More places than that are too much memory."""


@dataclass(frozen=True)
class Dense:
    """The counts of one sensitive attribute in some classes: a place for every value."""

    values: int
    rows: NDArray[np.integer]
    """The counts of a class lie together."""


Counts = tuple[Block | Dense, ...]


@dataclass(frozen=True)
class Lineage:
    """Which class each combination of quasi-identifiers fell into, step by step."""

    before: Lineage | None
    numbers: Codes = field(repr=False)
    """The class that each class of the step before became part of."""

    @cached_property
    def of_tuples(self) -> Codes:
        """The class of each combination of quasi-identifiers of the table."""
        return self.numbers if self.before is None else self.numbers[self.before.of_tuples]


@dataclass
class _Source:
    """What the counts of classes are yet to be made from: finer classes, and which of them belong together."""

    finer: Classes
    numbers: Codes
    first: Codes
    following: Codes


@dataclass
class Classes:
    """The classes of one node: keys and sizes, and the counts of every sensitive attribute once asked for."""

    node: Node
    keys: Integers = field(repr=False)
    """The node of every quasi-identifier, packed into key words; the words of a class lie together."""
    sizes: Integers = field(repr=False)
    lineage: Lineage = field(repr=False)
    counts: Counts | _Source = field(repr=False)


@dataclass(frozen=True)
class _Field:
    """Where the node of a quasi-identifier lies in the keys."""

    word: int
    shift: int
    mask: int


class RollUp:
    """Makes the classes of nodes, each from the classes of a finer one.

    Parameters
    ----------
    problem
        The rows.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._fields, self._words = _laid_out([len(quasi.values) for quasi in problem.quasi])
        self._parents: dict[tuple[int, int, int], Codes] = {}
        self._scratch = [np.full(len(domain.counts), -1, dtype=np.int64) for domain in problem.domains]
        self.rows = self._of_rows()
        """The classes of the rows as they are: level −1, finer than any node."""
        kept = max(4, min(KEPT // len(self.rows.sizes), 256))
        self._kept = [self.rows] * kept
        self._nodes = np.full((kept, len(problem.quasi)), -1, dtype=np.int64)
        self._numbers = np.full(kept, len(self.rows.sizes), dtype=np.int64)
        self._next = 0

    def _of_rows(self) -> Classes:
        problem = self._problem
        tuples, codes = problem.tuples
        keys = np.zeros((len(codes), self._words), dtype=np.int64)
        for column, place in enumerate(self._fields):
            keys[:, place.word] += codes[:, column].astype(np.int64) << place.shift
        sizes = np.zeros(len(codes), dtype=np.int64)
        np.add.at(sizes, tuples, problem.counts)
        counts = tuple(
            _compact(sparse_block(tuples, problem.ranks[:, at], valued, len(codes)), len(domain.counts))
            for at, domain in enumerate(problem.domains)
            for valued in [problem.valued(at, np.arange(len(tuples)), problem.counts)]
        )
        lineage = Lineage(None, np.arange(len(codes), dtype=np.int32))
        return Classes((-1,) * len(problem.quasi), keys.ravel(), sizes, lineage, counts)

    def rolled(self, classes: Classes, node: Node) -> Classes:
        """Return the classes of a node from those of a finer one."""
        keys = classes.keys.copy()
        for quasi, (before, after) in enumerate(zip(classes.node, node, strict=True)):
            if before < after:
                place = self._fields[quasi]
                kernels.lattice.raise_field(
                    keys, place.word, self._words, place.shift, place.mask, self._ancestors(quasi, before, after),
                )  # fmt: skip
        number = len(classes.sizes)
        slots = np.full(1 << (2 * number).bit_length(), -1, dtype=np.int32)
        numbers, first, following = (np.empty(number, dtype=np.int32) for _ in range(3))
        merged_keys, merged_sizes = np.empty_like(keys), np.empty_like(classes.sizes)
        found = kernels.lattice.merge_classes(
            keys, self._words, classes.sizes, slots, numbers, first, following, merged_keys, merged_sizes,
        )  # fmt: skip
        merged_keys, merged_sizes = merged_keys[: found * self._words].copy(), merged_sizes[:found].copy()
        source = _Source(classes, numbers, first[:found], following)
        return Classes(node, merged_keys, merged_sizes, Lineage(classes.lineage, numbers), source)

    def _counts(self, classes: Classes) -> Counts:
        """Return the counts of every sensitive attribute in some classes, added up when first asked for."""
        if isinstance(classes.counts, _Source):
            source = classes.counts
            classes.counts = tuple(
                self._merged(at, counts, source) for at, counts in enumerate(self._counts(source.finer))
            )
        return classes.counts

    def _merged(self, attribute: int, counts: Block | Dense, source: _Source) -> Block | Dense:
        number = len(source.first)
        if isinstance(counts, Dense):
            rows = np.zeros(number * counts.values, dtype=counts.rows.dtype)
            kernels.lattice.add_rows(source.numbers, counts.values, counts.rows, rows)
            return Dense(counts.values, rows)
        offsets, sizes = np.empty(number + 1, dtype=np.int64), np.empty(number, dtype=np.int64)
        ranks, sums = np.empty_like(counts.ranks), np.empty_like(counts.counts)
        used = kernels.lattice.merge_counts(
            source.first, source.following, counts.offsets, counts.ranks, counts.counts, self._scratch[attribute],
            offsets, ranks, sums, sizes,
        )  # fmt: skip
        ranks, sums = ranks[:used].copy(), sums[:used].copy()
        kernels.lattice.sort_counts(offsets, ranks, sums)
        return Block(offsets, ranks, sums, sizes)

    def _ancestors(self, quasi: int, before: int, after: int) -> Codes:
        """Return the node on a level of each node of a finer level, or of each value (level −1)."""
        if (quasi, before, after) not in self._parents:
            levels = self._problem.quasi[quasi].levels
            ancestors = np.ascontiguousarray(levels[after].nodes, np.int32)
            if before >= 0:
                ancestors = np.zeros(int(levels[before].nodes.max()) + 1, dtype=np.int32)
                ancestors[levels[before].nodes] = levels[after].nodes
            self._parents[quasi, before, after] = ancestors
        return self._parents[quasi, before, after]

    def blocks(self, classes: Classes, chosen: Integers) -> tuple[Block, ...]:
        """Return the counts of some of the classes, for each sensitive attribute."""
        chosen = np.ascontiguousarray(chosen)
        return tuple(self._chosen(counts, chosen) for counts in self._counts(classes))

    def _chosen(self, counts: Block | Dense, chosen: Integers) -> Block:
        offsets = np.empty(len(chosen) + 1, dtype=np.int64)
        if isinstance(counts, Dense):
            most = len(chosen) * counts.values + 1
            ranks, sums = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int64)
            sizes = np.empty(len(chosen), dtype=np.int64)
            used = kernels.lattice.sparse_chosen(chosen, counts.values, counts.rows, offsets, ranks, sums, sizes)
            return Block(offsets, ranks[:used], sums[:used], sizes)
        if len(chosen) == counts.classes:
            return counts
        most = int(counts.distinct[chosen].sum())
        ranks, sums = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int64)
        kernels.lattice.copy_chosen(chosen, counts.offsets, counts.ranks, counts.counts, offsets, ranks, sums)
        return Block(offsets, ranks, sums, counts.sizes[chosen])

    def nodes(self, classes: Classes, chosen: Integers) -> Codes:
        """Return the node of each quasi-identifier in some of the classes."""
        words = classes.keys.reshape(-1, self._words)[chosen]
        nodes = np.empty((len(chosen), len(self._fields)), dtype=np.int32)
        for column, place in enumerate(self._fields):
            nodes[:, column] = (words[:, place.word] >> place.shift) & place.mask
        return nodes

    def at(self, node: Node) -> Classes:
        """Return the classes of any node, made from the smallest finer ones at hand."""
        finer = np.flatnonzero((self._nodes <= np.array(node)).all(axis=1))
        nearest = self._kept[finer[np.argmin(self._numbers[finer])]] if len(finer) else self.rows
        if nearest.node == node:
            return nearest
        made = self.rolled(nearest, node)
        self._kept[self._next] = made
        self._nodes[self._next] = node
        self._numbers[self._next] = len(made.sizes)
        self._next = (self._next + 1) % len(self._kept)
        return made


def _laid_out(spans: list[int]) -> tuple[list[_Field], int]:
    """Return where each quasi-identifier's node lies in the keys, and how many words a key has."""
    fields, word, used = [], 0, 0
    for span in spans:
        bits = (span - 1).bit_length()
        if used + bits > WORD:
            word, used = word + 1, 0
        fields.append(_Field(word, used, (1 << bits) - 1))
        used += bits
    return fields, word + 1


def _compact(block: Block, values: int) -> Block | Dense:
    """Return the counts with a place for every value where that takes few places."""
    if values > FEW_VALUES or block.classes * values > MOST_PLACES:
        return block
    kind = np.dtype(np.int32 if int(block.sizes.sum()) < 2**31 else np.int64)
    rows = np.zeros(block.classes * values, dtype=kind)
    rows[np.repeat(np.arange(block.classes), block.distinct) * values + block.ranks] = block.counts
    return Dense(values, rows)


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
