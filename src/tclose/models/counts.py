"""The waist: equivalence classes × sensitive values as counts, in blocks of whole classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Ranks = NDArray[np.int32]
Made = TypeVar("Made")
Unit = Literal["rows", "people"]
"""What is counted. People count once in a class, and once for each value that they have there."""
_FEW_CELLS, _CELLS_A_PAIR = 65_536, 16
"""Up to so many cells, and so many for each pair, classes × values are added up in a table, else by sorting."""


@dataclass(frozen=True, eq=False)
class ValueSets:
    """The sets of values that people have: set ``s`` holds the positions ``offsets[s]:offsets[s + 1]`` of ``ranks``.

    The values of a set ascend. A person's set has all values that they have anywhere in the table.
    """

    offsets: Integers
    ranks: Ranks
    people: Integers
    """How many people have each set."""
    _derived: dict[tuple[str, int], tuple[object, Any]] = field(default_factory=dict, init=False, repr=False)

    def derived(self, name: str, of: object, make: Callable[[], Made]) -> Made:
        """Return what is made of the sets and of something else once, and then kept: parts of a table share it."""
        key = name, id(of)
        if key not in self._derived:
            self._derived[key] = of, make()  # kept with what its key names, whose id no other object has meanwhile
        made: Made = self._derived[key][1]
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_derived": {}}

    @staticmethod
    def alone(people: Integers) -> ValueSets:
        """Return the sets of one value each, which so many people have."""
        places = np.arange(len(people) + 1, dtype=np.int64)
        return ValueSets(places, places[:-1].astype(np.int32), people)

    @cached_property
    def lengths(self) -> Integers:
        """How many values each set holds."""
        return np.diff(self.offsets)

    def renumbered(self, ranks: Ranks) -> ValueSets:
        """Return the same sets with other numbers for their values; values whose number is negative are left out."""
        found, of_set = ranks[self.ranks], np.repeat(np.arange(len(self.people)), self.lengths)
        kept = found >= 0
        found, of_set = found[kept], of_set[kept]
        order = np.lexsort((found, of_set))
        offsets = np.searchsorted(of_set, np.arange(len(self.people) + 1))
        return ValueSets(offsets.astype(np.int64), found[order].astype(np.int32), self.people)


@dataclass(frozen=True)
class ClassPeople:
    """The people of one class, some of whom may have several values."""

    sets: ValueSets
    """The sets of values that they have, anywhere in the table."""
    valued: int
    """How many of them have a value in the class itself."""


@dataclass(frozen=True)
class PeopleBlock:
    """What the counts of values do not tell of classes in which somebody may have several values."""

    valued: Integers
    """How many people of each class have a value there."""
    sets: Block
    """How many people of each class have each set of values anywhere in the table; nobody whose set is empty."""
    values_of: ValueSets
    """What the sets hold."""
    present: Integers | None = None
    """How many have one that is not missing; None where no value is missing, or missing ones are left out."""


@dataclass(frozen=True)
class Block:
    """The counts of one sensitive attribute in some whole classes, as a sparse table.

    Class ``c`` holds the positions ``offsets[c]:offsets[c + 1]`` of ``ranks`` (which values, ascending)
    and ``counts`` (how many rows of each); ``sizes[c]`` is their sum. A class all of whose rows were left
    out has no positions. ``people`` is there where people are counted and somebody has several values.
    """

    offsets: Integers
    ranks: Ranks
    counts: Integers
    sizes: Integers
    people: PeopleBlock | None = None

    def __post_init__(self) -> None:
        # Kernels read arrays of these types without gaps, and every block ends in one.
        for name, kind in (("offsets", np.int64), ("ranks", np.int32), ("counts", np.int64), ("sizes", np.int64)):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), kind))

    @property
    def classes(self) -> int:
        """How many classes the block holds."""
        return len(self.offsets) - 1

    @property
    def pairs(self) -> int:
        """How many distinct (class, value) pairs the block holds."""
        return len(self.ranks)

    @cached_property
    def distinct(self) -> Integers:
        """Distinct values of each class."""
        return np.diff(self.offsets)

    def histogram(self, position: int) -> tuple[list[int], list[int]]:
        """Return the ranks and counts of one class as Python integers."""
        span = slice(int(self.offsets[position]), int(self.offsets[position + 1]))
        return self.ranks[span].tolist(), self.counts[span].tolist()


@dataclass(frozen=True)
class Part:
    """Some whole classes: their keys, their sizes and a block for each sensitive attribute.

    ``keys`` has a row for each class and a column for each key word; only the engine that made it
    knows which quasi-identifier values a key stands for.
    """

    keys: Integers
    sizes: Integers
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Superset:
    """A way to enlarge classes: which superset each class is part of, and what was counted of the supersets."""

    numbers: Integers
    """The number of each class's superset."""
    blocks: tuple[Block, ...] | None = None
    """Their counts of each attribute; None where they are the sums of their classes' counts."""

    def of(self, attribute: int) -> tuple[Integers, Block | None]:
        """Return what concerns one attribute."""
        return self.numbers, None if self.blocks is None else self.blocks[attribute]


@dataclass(frozen=True)
class Distribution:
    """How often each value of an attribute occurs, in the attribute's order: g₁ … g_m out of N."""

    counts: Integers
    total: int

    def __post_init__(self) -> None:
        if not self.counts.dtype.hasobject:  # kernels read it
            object.__setattr__(self, "counts", np.ascontiguousarray(self.counts, np.int64))

    @staticmethod
    def of(counts: Sequence[int] | Integers) -> Distribution:
        """Return the distribution with these counts; beyond 64 bits they are kept as Python integers."""
        listed = counts.tolist() if isinstance(counts, np.ndarray) else list(counts)
        small = max(listed, default=0) < 2**63
        return Distribution(np.array(listed, dtype=np.int64 if small else object), sum(listed))


def sparse_block(classes: Integers, ranks: Ranks, counts: Integers, number_of_classes: int) -> Block:
    """Return the block of (class, rank, count) triples in any order, summing the counts of equal pairs.

    Triples with a negative rank are left out; classes are numbered from 0.
    """
    kept = ranks >= 0
    classes, ranks, counts = classes[kept], ranks[kept], counts[kept]
    order = np.argsort(classes * (np.int64(ranks.max(initial=0)) + 1) + ranks)
    classes, ranks, counts = classes[order], ranks[order], counts[order]
    first = np.ones(len(classes), dtype=bool)
    first[1:] = (classes[1:] != classes[:-1]) | (ranks[1:] != ranks[:-1])
    at = np.flatnonzero(first)
    summed = np.add.reduceat(counts, at) if len(at) else counts[:0]
    offsets = np.searchsorted(classes[at], np.arange(number_of_classes + 1))
    running = np.zeros(len(at) + 1, dtype=np.int64)
    np.cumsum(summed, out=running[1:])
    return Block(
        offsets=offsets.astype(np.int64),
        ranks=ranks[at].astype(np.int32),
        counts=summed.astype(np.int64),
        sizes=np.diff(running[offsets]),
    )


def joined(parts: Sequence[Part]) -> Part:
    """Return the classes of several parts as one part."""
    blocks = tuple(joined_blocks(several) for several in zip(*(part.blocks for part in parts), strict=True))
    return Part(np.concatenate([part.keys for part in parts]), np.concatenate([part.sizes for part in parts]), blocks)


def joined_blocks(blocks: Sequence[Block]) -> Block:
    """Return the classes of several blocks as one block."""
    if len(blocks) == 1:
        return blocks[0]
    offsets = np.zeros(sum(block.classes for block in blocks) + 1, dtype=np.int64)
    np.cumsum(np.concatenate([block.distinct for block in blocks]), out=offsets[1:])
    ranks, counts, sizes = (
        np.concatenate([getattr(block, name) for block in blocks]) for name in ("ranks", "counts", "sizes")
    )
    of_people = [block.people for block in blocks if block.people is not None]
    people = None
    if of_people:
        valued = np.concatenate([each.valued for each in of_people])
        there = [each.present for each in of_people if each.present is not None]
        present = np.concatenate(there) if there else None
        people = PeopleBlock(valued, joined_blocks([each.sets for each in of_people]), of_people[0].values_of, present)
    return Block(offsets, ranks, counts, sizes, people)


def ranks_without(ranks: Ranks, rank: int) -> Ranks:
    """Return ranks where one value is left out; those above it move down."""
    return np.where(ranks == rank, -1, ranks - (ranks > rank)).astype(np.int32)


def without_value(block: Block, rank: int) -> Block:
    """Return the block without one value; the ranks above it move down."""
    people = block.people
    if people is not None:
        held = people.values_of

        def others() -> ValueSets:
            ranks = np.arange(max(int(held.ranks.max(initial=-1)), rank) + 1, dtype=np.int32)
            return held.renumbered(ranks_without(ranks, rank))

        rest = held.derived(f"without {rank}", None, others)
        valued = people.valued if people.present is None else people.present
        people = PeopleBlock(valued, _kept(people.sets, rest.lengths[people.sets.ranks] > 0), rest)
    found = _kept(replace(block, people=None), block.ranks != rank)
    return replace(found, ranks=found.ranks - (found.ranks > rank), people=people)


def _kept(block: Block, kept: NDArray[np.bool_]) -> Block:
    """Return the block of some of its pairs."""
    if kept.all():
        return block
    classes, counts = np.repeat(np.arange(block.classes), block.distinct)[~kept], block.counts[~kept]
    sizes, distinct = block.sizes.copy(), block.distinct - np.bincount(classes, minlength=block.classes)
    np.subtract.at(sizes, classes, counts)
    offsets = np.concatenate([[0], np.cumsum(distinct)])
    return Block(offsets, block.ranks[kept], block.counts[kept], sizes)


def merged_block(block: Block, numbers: Integers, number_of_classes: int) -> Block:
    """Return the block of larger classes; ``numbers`` has the one that each class is part of.

    Counts of rows add up. Counts of people don't, where somebody is in two of the classes: these are counted anew.
    """
    classes = np.repeat(numbers, block.distinct)
    values = int(block.ranks.max(initial=-1)) + 1
    cells = number_of_classes * values
    if cells > _FEW_CELLS + _CELLS_A_PAIR * block.pairs:
        return sparse_block(classes, block.ranks, block.counts, number_of_classes)
    summed = np.zeros(cells, dtype=np.int64)
    np.add.at(summed, classes * values + block.ranks, block.counts)
    at = np.flatnonzero(summed)
    offsets = np.searchsorted(at, np.arange(number_of_classes + 1) * values).astype(np.int64)
    sizes = np.zeros(number_of_classes, dtype=np.int64)
    np.add.at(sizes, numbers, block.sizes)
    return Block(offsets, (at % max(values, 1)).astype(np.int32), summed[at], sizes)
