"""What attackers see: the classes of a release with their counts, and who may be in which of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tclose.attacks.answers import Answers
from tclose.attacks.covering import columns_of, covered, log_volumes
from tclose.attacks.fitting import summed
from tclose.counts import Integers, Part, sparse_block
from tclose.measuring import failing
from tclose.recoding.partition import Cells, Partition, cell_costs
from tclose.recoding.problem import Codes, Floats, Problem

_PAIRS = 12_000_000
"""At most so many (person, class) pairs are weighed."""
_LEAST = 24
_HYPOTHETICAL = 200_000
"""So many classes with one more row are judged at once."""


@dataclass(frozen=True)
class Seen:
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
    ) -> Seen:
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
        return Seen.laid_out(
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
    ) -> Seen:
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
        return Seen(
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


def _rooms(seen: Seen) -> Integers:
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
