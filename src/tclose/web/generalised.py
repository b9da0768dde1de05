"""A table with every quasi-identifier on one level, as an engine would have counted it: so that it can be audited."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from tclose.anonymizing.framing import Frame
from tclose.counts import Integers, Part, Ranks, sparse_block
from tclose.domains import Observed
from tclose.engines.interface import Progress
from tclose.measuring import Measured
from tclose.recoding.methods import coarsest
from tclose.recoding.partition import Cells, Partition
from tclose.recoding.problem import Problem

Result = TypeVar("Result")


@dataclass(frozen=True)
class Generalised:
    """The session, the table and its counts in one: rows that were counted once, in the classes of their levels.

    Parameters
    ----------
    frame
        The distinct rows of the table.
    problem
        The same rows, with each quasi-identifier held to one level.
    """

    frame: Frame
    problem: Problem
    label: str
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> Sequence[Any]:
        """The quasi-identifiers."""
        return self.problem.quasi

    def keep(self, columns: Sequence[str]) -> Generalised:
        """Return the table, which has no other columns."""
        del columns
        return self

    def count(
        self,
        table: Generalised,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
        population: None = None,
    ) -> Generalised:
        """Return the counts of the classes."""
        del quasi, sensitive, population
        progress("Measuring classes", None)
        return table

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.problem.rows

    @cached_property
    def _classes(self) -> tuple[Integers, int]:
        return coarsest(self.problem)

    @property
    def observed(self) -> list[Observed]:
        """The values of each attribute and how many rows carry them."""
        return self.frame.distinct.sensitive

    def map(self, ranks: Sequence[Ranks], measure: Callable[[Part], Result]) -> Iterator[Result]:
        """Apply a function to all classes as one part."""
        classes, number = self._classes
        sizes = np.zeros(number, dtype=np.int64)
        np.add.at(sizes, classes, self.problem.counts)
        codes = self.frame.distinct.sensitive_codes[self.frame.rows]
        blocks = tuple(
            sparse_block(classes, rank_of[codes[:, at]], self.problem.counts, number)
            for at, rank_of in enumerate(ranks)
        )
        yield measure(Part(np.arange(number)[:, np.newaxis], sizes, blocks))

    def classes(self, figures: Sequence[str], whole: Sequence[bool]) -> Classes:
        """Return the class table, of which nobody will ask more than which class comes first."""
        del figures, whole
        return Classes(self.labels, self._classes[1])

    def codes(self, keys: Integers) -> Integers:
        """Return, for each class, the node of each quasi-identifier."""
        classes, number = self._classes
        first = np.zeros(number, dtype=np.int64)
        first[classes[::-1]] = np.arange(len(classes))[::-1]
        rows = first[keys[:, 0]]
        nodes = [
            each.levels[each.top].nodes[self.problem.codes[rows, at]] for at, each in enumerate(self.problem.quasi)
        ]
        return np.stack(nodes, axis=1).astype(np.int64)

    def partition(self) -> Partition:
        """Return the release that publishes these levels."""
        classes, number = self._classes
        nodes = self.codes(np.arange(number)[:, np.newaxis]).astype(np.int32)
        levels = tuple(each.top for each in self.problem.quasi)
        cells = Cells(np.tile(np.array(levels, dtype=np.int16), (number, 1)), nodes, nodes)
        return Partition(np.arange(len(classes)), classes, self.problem.counts, cells, levels)

    def population(self, keys: Integers) -> None:
        """Return nothing: there is no population on these levels."""
        del keys

    def labels(self, position: int) -> dict[str, object]:
        """Return the key of a class, as it would be published."""
        nodes = self.codes(np.array([[position]]))[0]
        return {
            each.name: each.levels[each.top].labels[int(node)]
            for each, node in zip(self.problem.quasi, nodes, strict=True)
        }


@dataclass(frozen=True)
class Classes:
    """The classes, by their numbers."""

    labels: Callable[[int], dict[str, object]]
    number: int

    def __len__(self) -> int:
        return self.number

    def add(self, part: Measured) -> None:
        """Take in nothing: no class is looked up."""

    def first_of(self, tied: Sequence[Integers]) -> list[tuple[dict[str, object], int]]:
        """Return, for each set of classes, the first, and its position in the set."""
        places = [int(np.argmin(keys[:, 0])) for keys in tied]
        return [(self.labels(int(keys[at, 0])), at) for keys, at in zip(tied, places, strict=True)]
