"""Which classes of a release cover which people: sets of classes as bits, one set for what a cell tells apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tclose import kernels
from tclose.counts import Integers
from tclose.recoding.partition import INTERVAL, Cells
from tclose.recoding.problem import Codes, Floats, Quasi

_BITS = 62
"""Classes in a word, so that no word is negative."""
_ENTRIES_AT_ONCE = 64_000_000


@dataclass(frozen=True)
class Covered:
    """For each person the classes that cover them: the positions ``starts[x]:starts[x + 1]`` of ``classes``."""

    starts: Integers
    classes: Integers
    shortened: int
    """Of how many people only the finest classes are listed, because too many cover them."""


@dataclass(frozen=True)
class Column:
    """What the cells of one column tell apart."""

    atoms: Integers
    """The atom of each value; values of one atom are covered by the same cells."""
    covers: NDArray[np.bool_]
    """Atoms × distinct cells."""
    of_class: Integers
    """The distinct cell of each class."""
    values: Integers
    """How many values each distinct cell covers."""

    @staticmethod
    def of(quasi: Quasi, levels: NDArray[np.int16], first: Codes, last: Codes) -> Column:
        """Return what the cells of a column tell apart; arrays by class, as in :class:`Cells`."""
        keys = np.stack([levels.astype(np.int64), first, np.where(levels == INTERVAL, last, first)], axis=1)
        distinct, of_class = np.unique(keys, axis=0, return_inverse=True)
        marks = _marks(quasi, distinct)
        _, one, atoms = np.unique(marks, return_index=True, return_inverse=True)
        covers = np.stack([_covered(quasi, cell, one) for cell in distinct.tolist()], axis=1)
        values = np.bincount(atoms.ravel(), minlength=len(one)) @ covers
        return Column(atoms.ravel(), covers, of_class.ravel(), values)


def _marks(quasi: Quasi, distinct: Integers) -> NDArray[np.uint64]:
    """Return a mark of each value: the sum of random numbers of the cells that cover it."""
    draw = np.random.default_rng(0)
    random = draw.integers(2**64, size=len(distinct), dtype=np.uint64)
    marks = np.zeros(len(quasi.values), dtype=np.uint64)
    for level in np.unique(distinct[:, 0]).tolist():
        here = distinct[:, 0] == level
        if level == INTERVAL:
            steps = np.zeros(len(marks) + 1, dtype=np.uint64)
            np.add.at(steps, distinct[here, 1], random[here])
            np.subtract.at(steps, distinct[here, 2] + 1, random[here])
            marks += np.cumsum(steps[:-1])
        else:
            of_node = np.zeros(len(quasi.levels[level].labels), dtype=np.uint64)
            of_node[distinct[here, 1]] = random[here]
            marks += of_node[quasi.levels[level].nodes]
    return marks


def _covered(quasi: Quasi, cell: list[int], values: Integers) -> NDArray[np.bool_]:
    level, first, last = cell
    if level == INTERVAL:
        return np.asarray((values >= first) & (values <= last))
    return np.asarray(quasi.levels[level].nodes[values] == first)


def columns_of(quasi: tuple[Quasi, ...], cells: Cells) -> list[Column]:
    """Return what the cells of each column tell apart."""
    return [
        Column.of(each, cells.levels[:, at], cells.first[:, at], cells.last[:, at]) for at, each in enumerate(quasi)
    ]


def log_volumes(columns: list[Column]) -> Floats:
    """Return the logarithm of how many combinations of the table's values each class covers."""
    parts = [np.log(np.maximum(column.values, 1))[column.of_class] for column in columns]
    return np.asarray(np.sum(parts, axis=0))


def covered(columns: list[Column], codes: Codes, order: Integers, most: int) -> Covered:
    """Return the classes that cover each combination of quasi-identifiers, the finest first.

    Parameters
    ----------
    columns
        What the cells tell apart.
    codes
        The combinations.
    order
        The classes from the finest to the coarsest.
    most
        How many classes are listed of a combination at the most.
    """
    atoms = np.stack([column.atoms[codes[:, at]] for at, column in enumerate(columns)], axis=1)
    rows = sum(len(column.covers) for column in columns)
    block = max(_BITS, _ENTRIES_AT_ONCE // max(rows, 1) // _BITS * _BITS)
    people, classes = [], []
    for begin in range(0, len(order), block):
        some = order[begin : begin + block]
        starts, found = _of_block(columns, atoms, some, most)
        people.append(np.repeat(np.arange(len(codes)), np.diff(starts)))
        classes.append(some[found])
    who, which = np.concatenate(people), np.concatenate(classes)
    if len(people) > 1:
        by = np.argsort(who, kind="stable")
        who, which = who[by], which[by]
    starts = np.searchsorted(who, np.arange(len(codes) + 1))
    place = np.arange(len(who)) - starts[who]
    kept = place < most
    return Covered(
        np.searchsorted(who[kept], np.arange(len(codes) + 1)), which[kept], int((np.diff(starts) > most).sum())
    )


def _of_block(columns: list[Column], atoms: Integers, some: Integers, most: int) -> tuple[Integers, Integers]:
    """Return where the classes of each combination begin, and the classes as places in ``some``."""
    width = -(-len(some) // _BITS)
    powers = 2 ** np.arange(_BITS, dtype=np.int64)
    tables = []
    for column in columns:
        bits = np.zeros((len(column.covers), width * _BITS), dtype=np.int64)
        bits[:, : len(some)] = column.covers[:, column.of_class[some]]
        tables.append(bits.reshape(len(bits), width, _BITS) @ powers)
    begins = np.cumsum([0, *(len(table) for table in tables[:-1])])
    words = np.concatenate(tables).ravel()
    flat = np.ascontiguousarray(atoms, dtype=np.int64).ravel()
    starts, counts = np.zeros(len(atoms) + 1, dtype=np.int64), np.zeros(len(atoms), dtype=np.int64)
    kernels.covering.cover(flat, begins, words, len(columns), width, most, starts, counts, fill=False)
    np.cumsum(np.minimum(counts, most + 1), out=starts[1:])
    found = np.zeros(int(starts[-1]), dtype=np.int64)
    kernels.covering.cover(flat, begins, words, len(columns), width, most + 1, starts, found, fill=True)
    return starts, found
