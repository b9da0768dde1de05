"""What an engine does: it opens tables, counts them by class and value, and recodes their rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.cluster_rows import Cluster
from tclose.data.targets import Target, committing
from tclose.engines.class_tables import ClassTable
from tclose.engines.distinct import DistinctRows
from tclose.engines.errors import imported, polars_frame
from tclose.engines.people import AskedOfPeople, Census, Trajectories
from tclose.engines.pseudonyms import Disguise, Disguised
from tclose.engines.recoding import Recoding, Unknown
from tclose.engines.statistics import Steady, TableStatistics
from tclose.errors import (
    ColumnNotFoundError,
    EmptyTableError,
    Hint,
    InputError,
    InternalError,
    Note,
    SourceError,
    alike,
    header_hint,
    listed,
)
from tclose.models.counts import ClassPeople, Integers, Part, Ranks, Superset
from tclose.models.domains import Domain
from tclose.models.measuring import Measured, Task, checked, measured
from tclose.models.value_order import Observed

Result = TypeVar("Result")
Made = Callable[[Part], Part]
Progress = Callable[[str, float | None], None]
"""Told what is being done, and which share of it is done if that is known."""
_VIEW = "This view of the release"


@dataclass(frozen=True)
class Column:
    """A column as the person knows it, and as the engine does.

    Parameters
    ----------
    name
        The name in the source, whatever characters it has.
    alias
        The name in the engine: ``c0``, ``c1``, ...
    type
        The type under the name that every engine uses, such as ``BIGINT``.
    categories
        The declared order of an ordered categorical or enum, as text; None otherwise.
    problem
        Why the column cannot be used; None for a column that can.
    """

    name: str
    alias: str
    type: str
    categories: tuple[str, ...] | None = None
    problem: str | None = None

    def comparable(self, other: Column) -> bool:
        """Say whether equal values of two columns are equal as they are."""
        return self.type == other.type


AColumn = TypeVar("AColumn", bound=Column)


class Table(ABC, Generic[AColumn]):
    """A table that an engine has opened: its columns are known, its rows are not read."""

    columns: tuple[AColumn, ...]
    """The columns, in the order of the source."""
    label: str
    """How reports name the table."""
    notes: tuple[Note, ...]
    """What was assumed while reading, in sentences."""
    person: str | None = None
    """The column that tells people apart, where people are counted; None where rows are."""

    def counting(self, person: str | None) -> Self:
        """Return the table with the people counted whom a column tells apart; with None, the rows."""
        found = copy(self)
        found.person = person
        return found

    def named(self, label: str) -> Self:
        """Return the table under the name that somebody gave it."""
        found = copy(self)
        found.label = label
        return found

    def column(self, name: str) -> AColumn:
        """Return the column of a name, or raise :class:`~tclose.errors.ColumnNotFoundError`."""
        for column in self.columns:
            if column.name == name:
                return column
        raise ColumnNotFoundError(name, [column.name for column in self.columns])

    def keep(self, columns: Sequence[str]) -> Self:
        """Return the table of just these columns, cheap to read many times; refuse one that cannot be used."""
        known = {column.name: column for column in self.columns}
        kept = tuple(known.get(name) or self.column(name) for name in dict.fromkeys(columns))
        self.check_usable(kept)
        return self.narrowed(kept)

    def gathered(self, columns: Sequence[str]) -> Self:
        """Return the table of just these columns to be counted and nothing else, however its rows are kept for that."""
        return self.keep(columns)

    def check_usable(self, columns: Sequence[AColumn]) -> None:
        """Refuse columns whose values have no place here."""
        for column in columns:
            if column.problem:
                raise SourceError(f"The column {column.name!r} of {self.label} cannot be used: {column.problem}")

    @abstractmethod
    def narrowed(self, kept: tuple[AColumn, ...]) -> Self:
        """Return the table of some of its columns."""


class Comparable(Table[AColumn]):
    """A table whose rows can be compared with another's."""

    @abstractmethod
    def with_texts(self, chosen: Sequence[AColumn]) -> Self:
        """Return the table with some columns as text, a number the same text whatever type it has."""


ATable = TypeVar("ATable", bound=Comparable[Any])


def aligned(table: ATable, other: ATable, names: Sequence[str]) -> tuple[ATable, ATable]:
    """Return two tables whose columns of these names have the same types, so that equal values are equal.

    Where types differ, both columns become text, a number the same text whatever type it has.
    """
    pairs = [(table.column(name), other.column(name)) for name in names]
    differing = [(mine, theirs) for mine, theirs in pairs if not mine.comparable(theirs)]
    if not differing:
        return table, other
    mine, theirs = zip(*differing, strict=True)
    return table.with_texts(mine), other.with_texts(theirs)


def check_rows(rows: int | None, label: str) -> None:
    """Refuse a table without rows."""
    if rows == 0:
        raise EmptyTableError(f"The table has no rows: {label}. It has no people to protect.")


def check_names(names: Sequence[str], label: str, *, guessed: bool = False) -> None:
    """Refuse a table without columns, or with two columns of the same name; what may be cells is not repeated."""
    if not names:
        raise EmptyTableError(f"The table has no columns: {label}.")
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice and guessed:
        same = f"Two columns of {label} have the same name: {alike(names)}."
        raise SourceError(same, code="same-name-twice", field="header", hint=header_hint())
    if twice:
        same = f"Two columns of {label} have the same name: {listed(twice)}."
        raise SourceError(same, code="same-name-twice", column=twice[0], hint=Hint("Rename one of each."))


class Counted(ABC):
    """A table counted by class and value, readable part by part."""

    rows: int
    quasi: tuple[str, ...]
    census: Census | None = None
    """How many people there are, where counting their classes has told it."""

    @property
    @abstractmethod
    def observed(self) -> list[Observed]:
        """The values of each attribute and how many rows carry them."""

    def trajectories(self) -> Trajectories | None:
        """Return by which sets of classes people are told apart; None where the engine has to be asked for it."""
        return None

    @property
    def tells_people(self) -> bool:
        """Whether it can say how many different people some classes have together."""
        return False

    def people_in(self, classes: NDArray[np.bool_]) -> int:
        """Return how many different people are in some classes, which are marked in the order of all parts."""
        del classes
        raise InternalError("People of several classes were counted where nobody knows who they are.")

    @abstractmethod
    def map(self, ranks: Sequence[Ranks], measure: Callable[[Part], Result]) -> Iterator[Result]:
        """Apply a function to every part; ``ranks`` has the rank of each observed value of each attribute."""

    def measured(
        self, ranks: Sequence[Ranks], tasks: Sequence[Task], domains: Sequence[Domain], made: Made | None = None
    ) -> Iterator[Measured]:
        """Measure every class, part by part; here, unless the engine measures where the rows are.

        ``made`` says what to measure, where it is not the parts as they are counted; it can be pickled.
        """
        return checked(self.map(ranks, lambda part: self.measure(part if made is None else made(part), tasks, domains)))

    def measure(
        self,
        part: Part,
        tasks: Sequence[Task],
        domains: Sequence[Domain],
        supersets: list[Superset] | None = None,
    ) -> Measured:
        """Measure the classes of a part, with their sizes in the population if there is one."""
        return measured(part, tasks, domains, self.population(part.keys), supersets, self.foremost)

    def foremost(self, keys: Integers) -> Integers:
        """Return the positions of keys among which is the one that is first in the order of its values."""
        return np.arange(len(keys))

    @abstractmethod
    def classes(self, figures: Sequence[str], whole: Sequence[bool]) -> ClassTable:
        """Return an empty class table with these figures."""

    @abstractmethod
    def codes(self, keys: Integers) -> Integers:
        """Return, for each key, a code of each quasi-identifier, in the order of its values, a missing one first."""

    def population(self, keys: Integers) -> Integers | None:
        """Return the size of each class in the population, 0 where it has none; None without a population."""
        del keys
        return None

    @abstractmethod
    def histogram(self, at: int, key: Mapping[str, object]) -> list[int]:
        """Return how many rows of a class carry each observed value of an attribute."""

    def held(self, at: int, key: Mapping[str, object]) -> ClassPeople | None:
        """Return the people of a class, with observed values that are not missing, and their sets of observed places.

        None where everybody has one value, or where rows are counted.
        """
        del at, key
        return None

    @abstractmethod
    def matching(self, key: Mapping[str, object]) -> int:
        """Return how many classes have these values in the columns that are named."""


class RecodedTable(ABC, Generic[AColumn]):
    """A recoded table: it can be audited by the engine that made it, and leaves as a file or a frame.

    Its rows come in an order that follows from their content and the seed alone.
    """

    label = "the release"
    notes: tuple[Note, ...] = ()
    columns: tuple[AColumn, ...]
    """The published columns."""
    rows: int
    """How many rows are published."""
    unknown: int
    """How many rows were dropped because their key values were no piece's."""

    @property
    def names(self) -> list[str]:
        """The names of the published columns."""
        return [column.name for column in self.columns]

    @abstractmethod
    def keep(self, columns: Sequence[str]) -> Table[Any]:
        """Return the table of just these columns, cheap to read many times."""

    def ordered_by(self, column: str) -> Self:
        """Return the table without one of its columns, its rows in the order of that column."""
        raise InternalError(f"The rows of {self.label} have no order of {column!r}.")

    def gathered(self, columns: Sequence[str]) -> Table[Any]:
        """Return the table of just these columns to be counted and nothing else."""
        return self.keep(columns)

    def write(self, path: str | Path) -> None:
        """Write the table as the ending of the path says; nothing half-written.

        Cells are written as they are: a text that a spreadsheet would take for a formula, because it begins with
        ``=``, ``+``, ``-`` or ``@``, is not changed.
        """
        with committing([self.target(path)]) as (place,):
            self.write_to(place)

    @abstractmethod
    def target(self, path: str | Path) -> Target:
        """Return the file, folder or stream that the table is written to, refused if its ending says no format."""

    @abstractmethod
    def write_to(self, path: str | Path) -> None:
        """Write to just this place, which need not be whole after a failure."""

    @abstractmethod
    def read_back(self, path: str | Path) -> Table[Any]:
        """Open what this table was written to, as somebody who knows nothing else of it would."""

    @abstractmethod
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    def to_arrow(self) -> Any:
        """Return the table as a pyarrow table."""
        return imported("pyarrow", _VIEW).table(self)

    @abstractmethod
    def to_pandas(self) -> Any:
        """Return the table as a pandas frame."""

    def to_polars(self) -> Any:
        """Return the table as a polars frame."""
        return polars_frame(self, _VIEW)


class Engine(AskedOfPeople, ABC):
    """One piece of work with an engine; it takes only tables that it has opened itself."""

    hands_over_people: ClassVar[bool] = False
    """Whether distinct rows may leave it together with whose they are."""

    @classmethod
    def of(cls, table: object, **settings: Any) -> Self:
        """Return the engine for a table; the settings are those of :func:`tclose.engines.dispatch.session_for`."""
        del table
        return cls(**settings)

    @classmethod
    def target(cls, path: str | Path) -> Target:
        """Return where its tables and their classes would be written, refused if the ending says no format."""
        from tclose.engines.duckdb.writing import target

        return target(path)

    @abstractmethod
    def open(self, table: object) -> Table[Any]:
        """Return a table with its columns; its rows are not read yet."""

    def names(self, table: object) -> tuple[str, ...]:
        """Return the names of a table's columns."""
        return tuple(column.name for column in self.open(table).columns)

    def brought(self, table: Any, columns: Sequence[str], progress: Progress) -> Table[Any] | None:
        """Return the rows of some columns of a table in this process; None where they stay on a cluster."""
        del table, columns, progress
        return None

    @abstractmethod
    def count(
        self,
        table: Any,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
        population: Any = None,
    ) -> Counted:
        """Count the classes of the quasi-identifiers by the values of the sensitive attributes."""

    @abstractmethod
    def values(self, table: Any, names: tuple[str, ...]) -> Observed:
        """Return the distinct values of a column, or of several taken as one, with their counts."""

    def values_of_people(self, table: Any, names: tuple[str, ...]) -> Observed:
        """Return the distinct values, how many people have each, and the sets of them that people have."""
        return self.count(table, names, [names], lambda _stage, _share: None).observed[0]

    def rounded(self, table: Any, steps: Mapping[str, Fraction]) -> Any:
        """Return a table of which nobody reads numbers but rounded: in each column to the nearest multiples of a step.

        Columns that the table does not have are left alone. Cells are rounded where columns are kept.
        """
        there = {name: step for name, step in steps.items() if any(column.name == name for column in table.columns)}
        return self.rounding(table, there) if there else table

    def rounding(self, table: Any, steps: Mapping[str, Fraction]) -> Any:
        """Return a table with numbers of columns that it has rounded."""
        del table, steps
        raise self._without_rows()

    def disguise(self, table: Any, disguise: Disguise) -> Disguised:
        """Return a table with pseudonyms in the place of whose rows are, and dates shifted."""
        del table, disguise
        raise InputError(
            "Pseudonyms and shifted dates are made of rows in files, frames and databases, not on Spark. Save the "
            "table as Parquet there, and anonymize that without Spark."
        )

    def distinct(
        self, table: Any, quasi: Sequence[str], sensitive: Sequence[tuple[str, ...]], progress: Progress
    ) -> DistinctRows:
        """Return the distinct combinations of quasi-identifiers and sensitive values, with their counts."""
        del table, quasi, sensitive, progress
        raise self._without_rows()

    def recode(self, table: Any, recoding: Recoding, *, unknown: Unknown = "refuse") -> RecodedTable[Any]:
        """Return the table that a recoding publishes; rows that it does not know are refused or dropped."""
        del table, recoding, unknown
        raise self._without_rows()

    def statistics(self, table: Any, progress: Progress) -> TableStatistics:
        """Return what every column of a table has: rows, missing and different values; never a value."""
        del table, progress
        raise self._without_rows()

    def some_texts(self, table: Any, shares: Mapping[str, int]) -> dict[str, list[str]]:
        """Return different values of columns as text, of each about one in so many, however its rows are ordered."""
        del table, shares
        raise self._without_rows()

    def steady(self, table: Any, key: str, names: Sequence[str]) -> Steady:
        """Return in how many rows that share a value of a key other columns are one value."""
        del table, key, names
        raise self._without_rows()

    def cluster(self, table: Any) -> Cluster | None:
        """Return where a search may put the distinct rows of a table; None where it keeps them to itself."""
        del table
        return None

    def give_back(self) -> None:
        """Give memory that was freed back to the system, where a person said how much may be used."""

    def close(self) -> None:
        """End what was begun and would outlast the work, such as a transaction; what was fetched stays."""
