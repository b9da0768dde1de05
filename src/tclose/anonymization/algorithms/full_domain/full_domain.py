"""Full-domain generalisation: the best node of the lattice, all cells of a column on one level.

Where nothing may be left out, a requirement that holds keeps holding when classes merge, and few nodes need
to be judged. Rows left out break that rule: a class that was left out may spoil the class it merges with.
So every node is judged then, unless the search may be pruned.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.full_domain.lattice import (
    Classes,
    Lattice,
    Node,
    RollUp,
    bisected_chains,
    descended,
)
from tclose.anonymization.algorithms.partition import Cells, Partition
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.algorithms.search import Search
from tclose.errors import Note
from tclose.models.counts import Integers, Part, joined_blocks
from tclose.models.measuring import failing

MOST_JUDGED = 200_000
"""Up to so many nodes, all are judged where that is needed to be exact."""
MOST_TAGGED = 2_000_000
"""Up to so many nodes, what is known of each is noted."""
CLASSES_AT_ONCE = 100_000
"""About so many classes, of several nodes, are judged together."""
FEW_CLASSES = 500
"""Where a node has more classes than that, some of the smallest are judged before the others."""
SAMPLE = 50
"""So many, and as many as there are rows that may still be left out."""
MIDDLING = 256
"""Classes of more rows than that are not told apart by size."""
TELL_AFTER = 0.05
"""So many seconds pass before a listener is told more."""


def find(problem: Problem, search: Search) -> Partition | None:
    """Return the release of the best node, or None if no node meets the requirements.

    Of nodes with the same loss, the one with the lowest levels is taken. A node that would release no row at
    all is none.

    Parameters
    ----------
    problem
        The rows, and what the release must meet.
    search
        What to minimise. ``search.loss`` must never fall when cells are generalised and the same rows released. If
        it has an attribute ``by_class`` that is true, it is taken to depend on nothing but the classes' cells and
        sizes, which are then all that it is given.
    """
    lattice = Lattice.of(problem)
    judge = _Judge(problem, search, lattice)
    kept_by_merging = all(task.model.kept_by_merging for task in problem.tasks)
    certain = problem.most_suppressed == 0 and kept_by_merging
    if lattice.size > MOST_TAGGED:
        judge.descend()
        note = Note(
            "search-descended",
            "Pruned: of all nodes, those on the steepest way down from the coarsest were judged; a better node may "
            "exist.",
        )
    elif certain:
        judge.bisect_chains()
        note = Note("search-exact-pruned", "Exact: the nodes that were judged decide about the others.")
    elif search.pruned or lattice.size > MOST_JUDGED:
        judge.bisect_chains()
        note = Note(
            "search-pruned",
            "Pruned: not all nodes were judged, as if generalising could not break a requirement; here it can, so a "
            "better node may exist.",
        )
    else:
        judge.every_node()
        note = Note("search-exact", "Exact: every node was judged.")
    if not problem.adds_up:
        note = Note(
            "search-by-rows", "Not exact: audits count people with several rows more closely; a better node may exist."
        )
    elif any(task.model.averaged for task in problem.tasks):
        note = Note("search-averaged", "Not exact: an average is required of every class; a better node may exist.")
    found = judge.best()
    return None if found is None else replace(found, notes=(note,))


@dataclass(frozen=True)
class _Candidate:
    """A node that holds."""

    loss: float
    node: Node

    def order(self) -> tuple[float, int, Node]:
        """Return what is smallest for the best node."""
        return math.inf if math.isnan(self.loss) else self.loss, sum(self.node), self.node


@dataclass
class _Judge:
    """Judges nodes, and keeps those that hold with their losses."""

    problem: Problem
    search: Search
    lattice: Lattice
    judged: int = 0
    candidates: list[_Candidate] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._roll_up = RollUp(self.problem)
        self._told = time.monotonic()
        self._by_class = bool(getattr(self.search.loss, "by_class", False))
        self._every_row = np.arange(len(self.problem.counts))

    def every_node(self) -> None:
        """Judge all nodes."""
        waiting: list[_Waiting] = []
        number = 0
        for classes in self._walk():
            self.judged += 1
            if (ready := self._large_enough(classes)) is not None:
                waiting.append(ready)
                number += len(ready.chosen)
                if number >= CLASSES_AT_ONCE:
                    self._decide(waiting)
                    waiting, number = [], 0
            self._tell(self.judged / self.lattice.size)
        self._decide(waiting)

    def _walk(self) -> Iterator[Classes]:
        """Yield the classes of every node, each made from those of one just below it.

        The quasi-identifiers that leave the fewest classes change most rarely, so that most steps are from
        few classes to not many fewer; only the classes on the way to the current node are kept.
        """
        bottom = self._roll_up.rolled(self._roll_up.rows, self.lattice.lowest)
        left = []
        for at in self.lattice.moving:
            node = (*bottom.node[:at], self.lattice.top[at], *bottom.node[at + 1 :])
            left.append((len(self._roll_up.rolled(bottom, node).sizes), at))
        return self._generalised(bottom, [at for _, at in sorted(left)])

    def _generalised(self, classes: Classes, order: Sequence[int]) -> Iterator[Classes]:
        """Yield these classes and all that result when quasi-identifiers of ``order`` are generalised."""
        yield classes
        for place, at in enumerate(order):
            raised = classes
            while raised.node[at] < self.lattice.top[at]:
                node = (*raised.node[:at], raised.node[at] + 1, *raised.node[at + 1 :])
                raised = self._roll_up.rolled(raised, node)
                yield from self._generalised(raised, order[place + 1 :])

    def bisect_chains(self) -> None:
        """Judge nodes until the finest that hold are known, if what held always holds when generalised."""
        bisected_chains(self.lattice, self._holds, self._tell)

    def descend(self) -> None:
        """Judge nodes on one way down from the top."""
        coarsest = sum(self.lattice.top)

        def loss(node: Node) -> float:
            self._tell((coarsest - sum(node)) / max(coarsest - sum(self.lattice.lowest), 1))
            return self.candidates[-1].order()[0] if self._holds(node) else math.inf

        descended(self.lattice, loss)

    def _holds(self, node: Node) -> bool:
        before = len(self.candidates)
        if (ready := self._large_enough(self._roll_up.at(node))) is not None:
            self._decide([ready])
        return len(self.candidates) > before

    def _tell(self, share: float) -> None:
        if time.monotonic() - self._told >= TELL_AFTER:
            self.search.tell("judging the nodes of the lattice", share)
            self._told = time.monotonic()

    def _large_enough(self, classes: Classes) -> _Waiting | None:
        """Return a node's classes of at least k rows, or None if too many rows are in others."""
        small = classes.sizes < self.problem.k
        suppressed = int(classes.sizes[small].sum())
        if suppressed > self.problem.most_suppressed or suppressed == self.problem.rows:
            return None
        return _Waiting(classes, np.flatnonzero(~small), self.problem.most_suppressed - suppressed)

    def _decide(self, waiting: list[_Waiting]) -> None:
        """Judge several nodes together, and score those that hold."""
        for classes, released in self._holding(waiting):
            made = self._outline(classes, released) if self._by_class else self._partition(classes, released)
            self.candidates.append(_Candidate(self.search.loss(self.problem, made), classes.node))

    def _holding(self, waiting: list[_Waiting]) -> Iterator[tuple[Classes, Integers]]:
        """Yield the nodes that hold, each with the classes it releases.

        The smallest classes are judged first, because they fail most often.
        """
        self._judge_classes(waiting, [each.smallest() for each in waiting])
        left = [each for each in waiting if each.bearable()]
        self._judge_classes(left, [~each.known for each in left])
        for each in left:
            released = each.chosen[~each.missed]
            if len(released) and each.bearable():
                yield each.classes, released

    def _judge_classes(self, waiting: list[_Waiting], asked: list[NDArray[np.bool_]]) -> None:
        """Note of several nodes which of the classes asked for miss a requirement."""
        numbers = [each.chosen[these] for each, these in zip(waiting, asked, strict=True)]
        if not any(len(each) for each in numbers):
            return
        sizes = np.concatenate([each.classes.sizes[these] for each, these in zip(waiting, numbers, strict=True)])
        blocks = [self._roll_up.blocks(each.classes, these) for each, these in zip(waiting, numbers, strict=True)]
        joined = tuple(joined_blocks([each[at] for each in blocks]) for at in range(len(self.problem.domains)))
        part = Part(np.zeros((len(sizes), 0), dtype=np.int64), sizes, joined)
        missed = failing(part, self.problem.tasks, self.problem.domains)
        ends = np.cumsum([len(each) for each in numbers])
        for each, these, found in zip(waiting, asked, np.split(missed, ends[:-1]), strict=True):
            each.missed[these] = found
            each.known |= these

    def _partition(self, classes: Classes, released: Integers) -> Partition:
        """Return the release of a node; classes are numbered by their first rows."""
        number_of = np.full(len(classes.sizes), -1, dtype=np.int64)
        number_of[released] = np.arange(len(released))
        numbers = number_of[classes.lineage.of_tuples][self.problem.tuples[0]]
        return Partition(
            self._every_row, numbers, self.problem.counts, self._cells(classes, released), classes.node,
            np.delete(classes.sizes, released),
        )  # fmt: skip

    def _outline(self, classes: Classes, released: Integers) -> Partition:
        """Return the cells and sizes of a node's release as a partition: one piece for a class, one for the rest."""
        sizes = classes.sizes[released]
        pieces = np.append(sizes, self.problem.rows - sizes.sum())
        numbers = np.append(np.arange(len(sizes)), -1)
        no_rows = np.zeros(len(pieces), dtype=np.int64)
        cells = self._cells(classes, released)
        return Partition(no_rows, numbers, pieces, cells, classes.node, np.delete(classes.sizes, released))

    def _cells(self, classes: Classes, released: Integers) -> Cells:
        nodes = self._roll_up.nodes(classes, released)
        levels = np.empty(nodes.shape, dtype=np.int16)
        levels[:] = classes.node
        return Cells(levels, nodes, nodes)

    def best(self) -> Partition | None:
        """Return the release of the best node that holds, also against its own distribution if that is asked."""
        for candidate in sorted(self.candidates, key=_Candidate.order):
            if (ready := self._large_enough(self._roll_up.at(candidate.node))) is not None:
                for classes, released in self._holding([ready]):
                    partition = self._partition(classes, released)
                    if not (self.search.own and failing_classes(self.problem, partition).any()):
                        return partition
            self._tell(1.0)
        return None


class _Waiting:
    """A node to judge: its classes of enough rows, and how many of their rows may still be left out."""

    def __init__(self, classes: Classes, chosen: Integers, spare: int) -> None:
        self.classes, self.chosen, self.spare = classes, chosen, spare
        self.known = np.zeros(len(chosen), dtype=bool)
        self.missed = np.zeros(len(chosen), dtype=bool)

    def smallest(self) -> NDArray[np.bool_]:
        """Return which are the smallest classes, enough to decide about the node if all fail; all if they are few."""
        if len(self.chosen) <= FEW_CLASSES:
            return ~self.known
        sizes = np.minimum(self.classes.sizes[self.chosen], MIDDLING)
        rows = np.bincount(sizes)
        enough = int(np.searchsorted(np.cumsum(rows * np.arange(len(rows))), self.spare, side="right"))
        few = sizes <= enough
        few[np.flatnonzero(few)[self.spare + SAMPLE :]] = False
        return few

    def bearable(self) -> bool:
        """Return whether the rows of the classes that are known to fail may be left out."""
        return int(self.classes.sizes[self.chosen[self.missed]].sum()) <= self.spare
