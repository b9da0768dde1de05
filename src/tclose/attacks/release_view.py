"""What attackers see: the classes of a release with their counts, and who may be in which of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.partition import INTERVAL, Cells, Partition, cell_costs
from tclose.anonymization.algorithms.problem import Codes, Floats, Problem, Quasi
from tclose.attacks.answers import Answers
from tclose.attacks.fitting import summed
from tclose.models import kernels
from tclose.models.counts import Integers, Part, sparse_block
from tclose.models.measuring import failing

# Which classes of a release cover which people: sets of classes as bits, one set for what a cell tells apart.


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


_PAIRS = 12_000_000
"""At most so many (person, class) pairs are weighed."""
_LEAST = 24
_HYPOTHETICAL = 200_000
"""So many classes with one more row are judged at once."""


@dataclass(frozen=True)
class ReleaseView:
    """A release and the people it is about, as an attacker lays them out.

    People are combinations of quasi-identifiers; the classes that cover combination ``x`` are the positions
    ``starts[x]:starts[x + 1]`` of ``classes``, from fine to coarse, and the values of class ``c`` the positions
    ``offsets[c]:offsets[c + 1]`` of ``values`` and ``counts``. Rows that were left out are a class of their own, which
    covers everybody and of whose values nothing is known.
    """

    problem: Problem
    attribute: int
    answers: Answers
    cells: Cells
    levels: tuple[int, ...] | None
    codes: Codes
    people: Floats
    """How many people have each combination."""
    starts: Integers
    classes: Integers
    offsets: Integers
    values: Integers
    counts: Floats
    volumes: Floats
    """The logarithm of how many combinations each class covers."""
    shortened: int
    """Of how many combinations only the finest classes are weighed."""
    minimal: bool = False
    """Whether every finer level of each column was judged, and none could be published."""

    @staticmethod
    def of(
        problem: Problem, partition: Partition, attribute: int, labels: Mapping[str, str], *, judged: bool = True
    ) -> ReleaseView:
        """Return what is seen of a release of a problem's own rows; ``labels`` as for :class:`Answers`.

        ``judged`` says that its search judged just what is seen, and not people of whom several rows are.
        """
        answers = Answers.of(problem.domains[attribute], labels)
        numbers, codes = problem.tuples
        known = problem.ranks[:, attribute] >= 0
        people = summed(numbers[known], problem.counts[known], len(codes))
        pieces = partition.rows[partition.classes >= 0]
        ranks = problem.ranks[pieces, attribute]
        held = ranks >= 0
        kept = partition.classes >= 0
        block = sparse_block(
            partition.classes[kept][held], answers.of_rank[ranks[held]], partition.counts[kept][held], partition.number
        )
        return ReleaseView.laid_out(
            problem, attribute, answers, partition.cells, partition.levels, codes, people,
            (block.offsets, block.ranks.astype(np.int64), block.counts.astype(np.float64)),
            minimal=judged and partition.levels is not None and not problem.suppress,
        )  # fmt: skip

    @staticmethod
    def laid_out(
        problem: Problem,
        attribute: int,
        answers: Answers,
        cells: Cells,
        levels: tuple[int, ...] | None,
        codes: Codes,
        people: Floats,
        held: tuple[Integers, Integers, Floats],
        *,
        minimal: bool = False,
    ) -> ReleaseView:
        """Return classes with what they hold beside the people whom they cover."""
        offsets, values, counts = held
        columns = columns_of(problem.quasi, cells)
        volumes = log_volumes(columns)
        order = np.argsort(_costs(problem, cells), kind="stable")
        most = max(_LEAST, _PAIRS // max(len(codes), 1))
        found = covered(columns, codes, order, most)
        starts, classes = found.starts, found.classes
        missing = float(people.sum() - counts.sum())
        alone = np.diff(starts) == 0
        if missing > 0.5 or alone.any():
            starts, classes = _with_left_out(starts, classes, len(volumes))
            volumes = np.append(volumes, sum(float(np.log(len(each.values))) for each in problem.quasi))
            offsets = np.append(offsets, offsets[-1] + answers.number)
            values = np.append(values, np.arange(answers.number))
            counts = np.append(counts, max(missing, 1e-6) * answers.prior)
        return ReleaseView(
            problem, attribute, answers, cells, levels, codes, people.astype(np.float64), starts, classes, offsets,
            values, counts, volumes, found.shortened, minimal,
        )  # fmt: skip

    @property
    def number(self) -> int:
        """How many classes are published."""
        return len(self.cells.levels)

    @cached_property
    def table(self) -> Floats:
        """Classes × answers: how many people each class holds."""
        found = np.zeros((len(self.volumes), self.answers.number))
        found[np.repeat(np.arange(len(self.volumes)), np.diff(self.offsets)), self.values] = self.counts
        return found

    @cached_property
    def sizes(self) -> Floats:
        """How many people of known value each class holds."""
        return np.asarray(self.table.sum(axis=1))

    @cached_property
    def costs(self) -> Floats:
        """The detail that each class has lost; all of it where rows were left out."""
        found = _costs(self.problem, self.cells)
        return np.append(found, np.full(len(self.volumes) - len(found), np.inf))

    @cached_property
    def rooms(self) -> Integers:
        """For each class a bit for every value of which it could have taken one more row and met what is required."""
        return _rooms(self)


def _costs(problem: Problem, cells: Cells) -> Floats:
    return np.asarray((cell_costs(problem, cells) * problem.weights).sum(axis=1))


def _with_left_out(starts: Integers, classes: Integers, number: int) -> tuple[Integers, Integers]:
    """Return pairs with one more for everybody: the rows that were left out."""
    return starts + np.arange(len(starts)), np.insert(classes, starts[1:], number)


def _rooms(seen: ReleaseView) -> Integers:
    problem, answers, number = seen.problem, seen.answers, seen.answers.number
    rooms = np.zeros(len(seen.volumes), dtype=np.int64)
    tasks = [task for task in problem.tasks if task.attribute == seen.attribute]
    ranks, step = answers.typical, max(1, _HYPOTHETICAL // max(number, 1))
    for begin in range(0, seen.number, step):
        some = np.arange(begin, min(begin + step, seen.number))
        widths = np.diff(seen.offsets)[some]
        pairs = np.arange(seen.offsets[some[0]], seen.offsets[some[-1] + 1])
        base = np.repeat(np.arange(len(some)), widths)
        copies = (base[:, np.newaxis] * number + np.arange(number)).ravel()
        held = np.repeat(ranks[seen.values[pairs]], number)
        counts = np.repeat(seen.counts[pairs].astype(np.int64), number)
        made = sparse_block(
            np.concatenate([copies, np.arange(len(some) * number)]),
            np.concatenate([held, np.tile(ranks, len(some))]).astype(np.int32),
            np.concatenate([counts, np.ones(len(some) * number, dtype=np.int64)]),
            len(some) * number,
        )
        blocks = tuple(made for _ in problem.domains)
        met = ~failing(Part(np.zeros((len(made.sizes), 1), np.int64), made.sizes, blocks), tasks, problem.domains)
        rooms[some] = met.reshape(len(some), number) @ (2 ** np.arange(number, dtype=np.int64))
    return rooms
