"""Classes of people who may have several values: how many have each value, and how far people are from each value.

With V(x) the values that person x has anywhere in the table, and d(v, V) the distance from v to the nearest of them, a
class C differs from the reference T by the largest ``|mean over C of d(v, V(x)) − mean over T of d(v, V(x))|`` over all
values v. Where any two values are equally far apart, that is the largest difference of the shares of people who have v.
Where everybody has one value, it is at most the earth mover's distance, because d(v, ·) is 1-Lipschitz.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.errors import InternalError
from tclose.models import kernels
from tclose.models.counts import Block, Distribution, Integers, PeopleBlock, ValueSets, sparse_block
from tclose.models.distances.earth_movers import Ground, LineGround, Parts, TreeGround

_INT64 = 2**62
Floats = NDArray[np.float64]


def people_of(block: Block) -> PeopleBlock:
    """Return what is known of the people of each class; where nobody has several values, the values are the sets."""
    if block.people is not None:
        return block.people
    values = int(block.ranks.max(initial=-1)) + 1
    return PeopleBlock(block.sizes, replace(block, people=None), ValueSets.alone(np.zeros(values, dtype=np.int64)))


def prevalences(block: Block, values: int) -> Block:
    """Return how many people of each class have each value anywhere; ``sizes`` are the people, not the sums."""
    people = people_of(block)
    sets, held = people.sets, people.values_of
    most = int(held.lengths[sets.ranks].sum())
    bits = [np.zeros((values >> shift) + 1, dtype=np.uint64) for shift in (6, 12, 18)]
    offsets = np.zeros(sets.classes + 1, dtype=np.int64)
    ranks, counts = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int64)
    used = kernels.prevalence.hold(
        sets.offsets, sets.ranks, sets.counts, held.offsets, held.ranks, np.zeros(values + 1, dtype=np.int64), *bits,
        offsets, ranks, counts,
    )  # fmt: skip
    return Block(offsets, ranks[:used], counts[:used], sets.sizes)


def prevalence(reference: ValueSets, values: int) -> Distribution:
    """Return how many people of the reference have each value; the total is the people who have one, not the sum."""
    counts = np.zeros(values, dtype=np.int64)
    np.add.at(counts, reference.ranks, np.repeat(reference.people, reference.lengths))
    return Distribution(counts, int(reference.people[reference.lengths > 0].sum()))


def of_shares(block: Block, reference: Distribution, divergence: Callable[[Floats, Floats], Floats]) -> Floats:
    """Return the largest divergence of each class, over values, of the shares of people who have one and who don't.

    Of the values that nobody in a class has, the one that most people of the reference have differs most.
    """
    held = prevalences(block, len(reference.counts))
    total = max(reference.total, 1)
    classes = np.repeat(np.arange(held.classes), held.distinct)
    found = np.zeros(held.classes)
    shares = divergence(held.counts / held.sizes[classes], reference.counts[held.ranks] / total)
    np.maximum.at(found, classes, shares)
    waiting = np.flatnonzero(held.sizes)
    for rank in np.argsort(-reference.counts, kind="stable").tolist():
        if not len(waiting):
            break
        has = np.zeros(held.classes, dtype=bool)
        has[classes[held.ranks == rank]] = True
        lacking = waiting[~has[waiting]]
        share = np.full(len(lacking), reference.counts[rank] / total)
        found[lacking] = np.maximum(found[lacking], divergence(np.zeros(len(lacking)), share))
        waiting = waiting[has[waiting]]
    return found


def held_by(block: Block, position: int) -> tuple[dict[int, int], int]:
    """Return how many people of one class have each value anywhere, and how many have one."""
    people = people_of(block)
    found: Counter[int] = Counter()
    numbers, counts = people.sets.histogram(position)
    offsets, ranks = people.values_of.offsets, people.values_of.ranks
    for number, count in zip(numbers, counts, strict=True):
        for rank in ranks[offsets[number] : offsets[number + 1]].tolist():
            found[rank] += count
    return found, sum(counts)


def apart(block: Block, ground: Ground, reference: ValueSets) -> Parts:
    """Return X and Y of each class: how far its people and those of the reference are, added up, from one value.

    It is the value for which ``|X/n − Y/N| / scale`` is largest, n and N being the people who have a value.
    """
    total = reference.derived("total", None, lambda: int(reference.people[reference.lengths > 0].sum()))
    if isinstance(ground, TreeGround) and len(ground.levels) == 1:
        return _nominal(block, ground, reference, total)
    if isinstance(ground, TreeGround):
        return _tree(people_of(block), ground, reference, total)
    if isinstance(ground, LineGround):
        return _line(people_of(block), ground, reference, total)
    raise InternalError(f"{type(ground).__name__} does not say how far people are from a value.")


def summed_distances(ground: Ground, people: ValueSets) -> list[int]:
    """Return how far people are from each value, added up, in whole units of which ``ground.scale`` make 1."""
    if isinstance(ground, TreeGround):
        paths = _paths(ground)
        nodes, number = _on_nodes(people, paths), int(people.people[people.lengths > 0].sum())
        held = np.zeros(int(paths.max(initial=-1)) + 1, dtype=np.int64)
        np.add.at(held, nodes.ranks, np.repeat(nodes.people, nodes.lengths))
        found: list[int] = (number * paths.shape[1] - held[paths].sum(axis=1)).tolist()
        return found
    if isinstance(ground, LineGround):
        return [int(each) for each in _far_on_line(people, np.array(_positions(ground), dtype=object))]
    raise InternalError(f"{type(ground).__name__} does not say how far people are from a value.")


def exact_apart(ground: Ground, total: int, x: int, y: int, n: int) -> Fraction:
    """Return the largest difference of one class of n people from a reference of so many as a fraction."""
    return Fraction(abs(x * total - y * n), n * total * ground.scale) if n and total and ground.scale else Fraction(0)


def float_apart(ground: Ground, total: int, x: NDArray[Any], y: NDArray[Any], sizes: Integers) -> NDArray[np.float64]:
    """Return the largest difference of each class as a float."""
    if x.dtype == object:
        listed = zip(x.tolist(), y.tolist(), sizes.tolist(), strict=True)
        return np.array([float(exact_apart(ground, total, *each)) for each in listed], dtype=np.float64)
    found = np.abs(x / sizes.clip(min=1) - y / max(total, 1)) / max(ground.scale, 1)
    return np.where(sizes == 0, 0.0, found)


def _nominal(block: Block, ground: TreeGround, reference: ValueSets, total: int) -> Parts:
    values = len(ground.reference.counts)

    def known() -> tuple[Integers, Integers]:
        counts = prevalence(reference, values).counts
        return counts, np.argsort(-counts, kind="stable").astype(np.int64)

    held, (counts, descending) = prevalences(block, values), reference.derived("nominal", ground, known)
    kernel, found = _prepared("nominal_apart", held, total)
    kernel(held.offsets, held.ranks, held.counts, held.sizes, counts, total, descending, *found)
    return found


def _tree(people: PeopleBlock, ground: TreeGround, reference: ValueSets, total: int) -> Parts:
    height = len(ground.levels)
    paths = reference.derived("paths", ground, lambda: _paths(ground))
    number = int(paths.max(initial=-1)) + 1

    nodes = people.values_of.derived("nodes", ground, lambda: _on_nodes(people.values_of, paths))
    sets = people.sets
    kernel, found = _prepared("tree_apart", sets, total * height)
    distances = reference.derived("far", ground, lambda: np.array(summed_distances(ground, reference), dtype=np.int64))
    kernel(
        sets.offsets, sets.ranks, sets.counts, sets.sizes, nodes.offsets, nodes.ranks, paths.ravel(), height,
        distances, total, np.zeros(number, dtype=np.int64), *found,
    )  # fmt: skip
    return found


def _paths(ground: TreeGround) -> Integers:
    """Return the nodes above each value, numbered level by level."""
    firsts = np.cumsum([0, *(int(codes.max()) + 1 for codes in ground.levels[:-1])]).astype(np.int64)
    return np.stack([codes + first for codes, first in zip(ground.levels, firsts, strict=True)], axis=1)


def _on_nodes(sets: ValueSets, paths: Integers) -> ValueSets:
    """Return the nodes of all levels above the values of each set, each once."""
    height = paths.shape[1]
    of_set = np.repeat(np.arange(len(sets.people)), sets.lengths * height)
    nodes = sparse_block(
        of_set, paths[sets.ranks].ravel().astype(np.int32), np.ones(len(of_set), dtype=np.int64), len(sets.people)
    )
    return ValueSets(nodes.offsets, nodes.ranks, sets.people)


def _line(people: PeopleBlock, ground: LineGround, reference: ValueSets, total: int) -> Parts:
    wide = total * max(ground.scale, 1) * max(int(people.sets.sizes.max(initial=0)), 1) >= _INT64
    kind = object if wide else np.int64
    positions = reference.derived(f"positions {wide}", ground, lambda: np.array(_positions(ground), dtype=kind))
    far = reference.derived(f"far {wide}", ground, lambda: _far_on_line(reference, positions))
    sets, held = people.sets, people.values_of
    turns = held.derived(f"turns {wide}", ground, lambda: _turns(held, positions))
    kernel, found = _prepared("line_apart", sets, total * max(ground.scale, 1))
    kernel(
        sets.offsets, sets.ranks, sets.counts, sets.sizes, held.offsets, held.ranks, turns, positions, far, total,
        *(np.zeros(ground.values + 1, dtype=kind) for _ in range(2)), *found,
    )  # fmt: skip
    return found


def _positions(ground: LineGround) -> list[int]:
    """Return where each value is on the line."""
    return list(range(ground.values)) if ground.gaps is None else [0, *itertools.accumulate(ground.gaps)]


def _turns(sets: ValueSets, positions: NDArray[Any]) -> Integers:
    """Return, for each place in the sets, the first value nearer to the following value of its set."""
    here, after = sets.ranks, np.append(sets.ranks[1:], 0)
    doubled = positions[here] + positions[after]
    return np.asarray(np.searchsorted(2 * positions, doubled, side="right"), dtype=np.int64)


def _far_on_line(sets: ValueSets, positions: NDArray[Any]) -> NDArray[Any]:
    """Return how far all people together are from each value: linear between their values and halfway places."""
    slopes, levels = (np.zeros(len(positions) + 1, dtype=positions.dtype) for _ in range(2))
    people = np.repeat(sets.people, sets.lengths).astype(positions.dtype)
    there = sets.lengths > 0
    first, last = sets.offsets[:-1][there], sets.offsets[1:][there] - 1
    slopes[0] -= people[first].sum()
    levels[0] += (people[first] * positions[sets.ranks[first]]).sum()
    np.add.at(slopes, sets.ranks, 2 * people)
    np.add.at(levels, sets.ranks, -2 * people * positions[sets.ranks])
    inner = np.ones(len(sets.ranks), dtype=bool)
    inner[last] = False
    at = np.flatnonzero(inner)
    turns = _turns(sets, positions)[at]
    np.add.at(slopes, turns, -2 * people[at])
    np.add.at(levels, turns, people[at] * (positions[sets.ranks[at]] + positions[sets.ranks[at + 1]]))
    return np.asarray(np.cumsum(slopes)[:-1] * positions + np.cumsum(levels)[:-1])


def _prepared(name: str, sets: Block, most: int) -> tuple[Any, Parts]:
    """Return a kernel, or the same as plain Python where its numbers are large, and the arrays that it fills."""
    wide = most * max(int(sets.sizes.max(initial=0)), 1) >= _INT64
    found = tuple(np.zeros(sets.classes, dtype=object if wide else np.int64) for _ in range(2))
    kernel = partial(kernels.in_python, "prevalence", name) if wide else getattr(kernels.prevalence, name)
    return kernel, (found[0], found[1])
