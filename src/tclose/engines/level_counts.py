"""The engine of levels: distinct rows, counted once, in the classes that one level of each hierarchy gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from tclose.anonymization.algorithms.partition import Partition, levelled
from tclose.anonymization.algorithms.problem import Problem
from tclose.engines.base import Column, Counted, Engine, Progress, Table
from tclose.engines.class_tables import ClassTable
from tclose.engines.distinct import DistinctRows
from tclose.errors import InternalError, Note
from tclose.models.counts import Integers, Part, Ranks, sparse_block
from tclose.models.measuring import Measured
from tclose.models.value_order import Observed

Result = TypeVar("Result")


@dataclass
class LevelledTable(Table[Column]):
    """A table with every quasi-identifier on one level.

    Parameters
    ----------
    distinct
        The distinct rows, as another engine counted them.
    sensitive
        The columns of each sensitive attribute.
    places
        The distinct row behind each row of the problem.
    problem
        The same rows, with each quasi-identifier held to one level.
    """

    distinct: DistinctRows = field(repr=False)
    sensitive: tuple[tuple[str, ...], ...]
    places: Integers = field(repr=False)
    problem: Problem = field(repr=False)
    label: str
    notes: tuple[Note, ...] = ()
    columns: tuple[Column, ...] = ()

    def __post_init__(self) -> None:
        names = (*(each.name for each in self.problem.quasi), *(name for some in self.sensitive for name in some))
        self.columns = self.columns or tuple(Column(name, name, "VARCHAR") for name in names)

    def narrowed(self, kept: tuple[Column, ...]) -> LevelledTable:
        """Return the table with fewer columns to name; its classes stay those of all quasi-identifiers."""
        return replace(self, columns=kept)

    @cached_property
    def partition(self) -> Partition:
        """The release that publishes these levels."""
        return levelled(self.problem)

    @property
    def classes(self) -> tuple[Integers, int]:
        """The class of each row of the problem, and how many classes there are."""
        return self.partition.classes, self.partition.number

    @property
    def nodes(self) -> Integers:
        """For each class, the node of each quasi-identifier."""
        return self.partition.cells.first.astype(np.int64)

    def attribute(self, names: tuple[str, ...]) -> tuple[Observed, Ranks]:
        """Return the values of a sensitive attribute or of a quasi-identifier, and which of them each row has."""
        if names in self.sensitive:
            at = self.sensitive.index(names)
            return self.distinct.sensitive[at], self.distinct.sensitive_codes[self.places, at]
        at = [each.name for each in self.problem.quasi].index(names[0])
        return self.distinct.quasi[at], self.distinct.codes[self.places, at]

    def key(self, position: int) -> dict[str, object]:
        """Return the key of a class, as it would be published."""
        quasi = zip(self.problem.quasi, self.nodes[position], strict=True)
        return {each.name: each.levels[each.top].labels[int(node)] for each, node in quasi}


class LevelsEngine(Engine):
    """Counts tables whose distinct rows are known, by the classes of their levels; it recodes none."""

    def open(self, table: object) -> LevelledTable:
        """Return the table, which is open already."""
        if not isinstance(table, LevelledTable):
            raise InternalError("Levels are counted of distinct rows, not of a table.")
        return table

    def count(
        self,
        table: LevelledTable,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
        population: None = None,
    ) -> LevelsCounted:
        """Return the counts of the classes."""
        if population is not None or list(quasi) != [each.name for each in table.problem.quasi]:
            raise InternalError("On levels, classes are those of all quasi-identifiers, without a population.")
        progress("Measuring classes", None)
        return LevelsCounted(table, tuple(sensitive))

    def values(self, table: LevelledTable, names: tuple[str, ...]) -> Observed:
        """Return the distinct values of a column, or of several taken as one, with their counts."""
        return table.attribute(names)[0]


@dataclass
class LevelsCounted(Counted):
    """The counts of the classes of a table on its levels."""

    table: LevelledTable
    sensitive: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        self.rows = self.table.problem.rows
        self.quasi = tuple(each.name for each in self.table.problem.quasi)
        self._attributes = [self.table.attribute(names) for names in self.sensitive]

    @property
    def observed(self) -> list[Observed]:
        """The values of each attribute and how many rows carry them."""
        return [observed for observed, _ in self._attributes]

    def map(self, ranks: Sequence[Ranks], measure: Callable[[Part], Result]) -> Iterator[Result]:
        """Apply a function to all classes as one part."""
        (classes, number), counts = self.table.classes, self.table.problem.counts
        sizes = np.zeros(number, dtype=np.int64)
        np.add.at(sizes, classes, counts)
        blocks = tuple(
            sparse_block(classes, rank_of[codes], counts, number)
            for rank_of, (_, codes) in zip(ranks, self._attributes, strict=True)
        )
        yield measure(Part(np.arange(number)[:, np.newaxis], sizes, blocks))

    def classes(self, figures: Sequence[str], whole: Sequence[bool]) -> LevelsClasses:
        """Return an empty class table with these figures."""
        return LevelsClasses(self, figures, whole)

    def codes(self, keys: Integers) -> Integers:
        """Return, for each class, the node of each quasi-identifier."""
        return self.table.nodes[keys[:, 0]]

    def _matching(self, key: Mapping[str, object]) -> Integers:
        """Return the classes that have these labels."""
        keys = (self.table.key(at) for at in range(self.table.classes[1]))
        return np.flatnonzero([all(each[name] == label for name, label in key.items()) for each in keys])

    def histogram(self, at: int, key: Mapping[str, object]) -> list[int]:
        """Return how many rows of a class carry each observed value of an attribute."""
        mine = np.isin(self.table.classes[0], self._matching(key))
        found = np.zeros(len(self.observed[at].counts), dtype=np.int64)
        np.add.at(found, self._attributes[at][1][mine], self.table.problem.counts[mine])
        return [int(count) for count in found]

    def matching(self, key: Mapping[str, object]) -> int:
        """Return how many classes have these labels in the columns that are named."""
        return len(self._matching(key))


class LevelsClasses(ClassTable):
    """The classes, listed here."""

    def __init__(self, counted: LevelsCounted, figures: Sequence[str], whole: Sequence[bool]) -> None:
        super().__init__(counted.quasi, figures, whole)
        self._table = counted.table
        self._parts: list[Measured] = []

    def __len__(self) -> int:
        return self._table.classes[1]

    def add(self, part: Measured) -> None:
        """Take in the classes of a part."""
        self._parts.append(part)

    def rows(
        self,
        *,
        sort: str | None = None,
        descending: bool = True,
        limit: int | None = None,
        offset: int = 0,
        search: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Give classes as dictionaries, sorted by a column and then by key; only those that hold a searched text."""
        found = [row for part in self._parts for row in self._listed(part) if _holds(row, self.quasi, search)]
        found.sort(key=lambda row: [(row[name] is not None, str(row[name])) for name in self.quasi])
        if sort is not None:
            column = self.columns[self.place(sort)]
            present = [row for row in found if row[column] is not None]
            absent = [row for row in found if row[column] is None]
            found = [*sorted(present, key=lambda row: row[column], reverse=descending), *absent]
        yield from found[offset : None if limit is None else offset + limit]

    def _listed(self, part: Measured) -> Iterator[dict[str, Any]]:
        for at, (key, size) in enumerate(zip(part.keys[:, 0].tolist(), part.sizes.tolist(), strict=True)):
            figures = [None if np.isnan(some[at]) else float(some[at]) for some in part.values]
            typed = [
                int(figure) if whole and figure is not None else figure
                for figure, whole in zip(figures, self.whole[1:], strict=True)
            ]
            yield {**self._table.key(key), **dict(zip(self.figures, [size, *typed], strict=True))}

    def first_of(self, tied: Sequence[Integers]) -> list[tuple[dict[str, object], int]]:
        """Return, for each set of classes, the first, and its position in the set."""
        places = [int(np.argmin(keys[:, 0])) for keys in tied]
        return [(self._table.key(int(keys[at, 0])), at) for keys, at in zip(tied, places, strict=True)]


def _holds(row: Mapping[str, object], quasi: Sequence[str], search: str | None) -> bool:
    """Say whether some part of a key holds a text, large or small."""
    return search is None or any(search.lower() in str(row[name]).lower() for name in quasi)
