"""What an engine offers: tables opened, counted by class and value, the classes kept, and rows recoded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from tclose.counts import Integers, Part, Ranks
from tclose.domains import Domain, Observed
from tclose.measuring import Measured, Task
from tclose.recoding.spreading import Spread

Result = TypeVar("Result")
Progress = Callable[[str, float | None], None]
"""Told what is being done, and which share of it is done if that is known."""


class Column(Protocol):
    """A column of a table."""

    @property
    def name(self) -> str:
        """The name as the person knows it."""
        ...


class Table(Protocol):
    """A table that an engine has opened: its columns are known, its rows are not read."""

    @property
    def label(self) -> str:
        """How reports name the table."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed while reading, in sentences."""
        ...

    @property
    def columns(self) -> Sequence[Column]:
        """The columns, in the order of the source."""
        ...

    def keep(self, columns: Sequence[str]) -> Table:
        """Return the table of just these columns, cheap to read many times."""
        ...


class ClassTable(Protocol):
    """All classes with their keys, sizes and figures, kept by the engine that made them.

    An engine that can count classes by a figure has a method ``up_to`` besides, a :data:`CountsUpTo`: it takes the
    name of the size or of a figure and some points, and says for each how many classes have at most that. One that
    can give all keys as numbers has a method ``encoded``, an :data:`EncodesKeys`. One whose ``write`` makes a folder
    on a cluster has a method ``write_here``, which writes one file on this machine.
    """

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns: the quasi-identifiers, the size, and the figures."""
        ...

    def __len__(self) -> int: ...

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    def rows(
        self,
        *,
        sort: str | None = None,
        descending: bool = True,
        limit: int | None = None,
        offset: int = 0,
        search: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Give classes as dictionaries, sorted by a column; only those whose keys hold a searched text."""
        ...

    def found(self, search: str) -> int:
        """Return how many classes hold a searched text in their keys."""
        ...

    def write(self, path: str | Path, *, sort: str | None = None, descending: bool = True) -> None:
        """Write all classes as CSV, Parquet or JSON lines, by the ending of the path; nothing half-written."""
        ...

    def to_pandas(self) -> Any:
        """Return the classes as a pandas frame."""
        ...

    def to_polars(self) -> Any:
        """Return the classes as a polars frame."""
        ...

    def to_arrow(self) -> Any:
        """Return the classes as a pyarrow table."""
        ...


CountsUpTo = Callable[[str, Sequence[float]], list[int]]


@dataclass(frozen=True)
class EncodedKeys:
    """The keys and sizes of all classes, in any order, each value as a position in a list of its column's values."""

    values: tuple[list[object], ...]
    """For each quasi-identifier its values."""
    positions: tuple[Integers, ...]
    """For each quasi-identifier, which of its values each class has."""
    sizes: Integers


EncodesKeys = Callable[[], EncodedKeys]


class ClassStore(ClassTable, Protocol):
    """A class table that still takes in classes."""

    def add(self, part: Measured) -> None:
        """Take in the classes of a part."""
        ...

    def first_of(self, tied: Sequence[Integers]) -> list[tuple[dict[str, object], int]]:
        """Return, for each set of keys, the one first in the order of its values, and its position in the set."""
        ...


@dataclass(frozen=True)
class MeasuredThere(Measured):
    """Some classes that were measured where their rows are: only the tallies came here, without keys and values."""

    people: int = 0
    """How many rows of the population are in these classes."""
    short: int = 0
    """How many of these classes have fewer rows in the population than in the table."""


MeasuresThere = Callable[[Sequence[Ranks], Sequence[Task], Sequence[Domain]], Iterator[MeasuredThere]]


class Counted(Protocol):
    """A table counted by class and value, readable part by part.

    An engine that measures classes where their rows are has a method ``measured`` besides, a
    :data:`MeasuresThere`: it takes the ranks of the observed values, the tasks and the domains. ``map`` then
    serves only models that need all classes in one place.
    """

    rows: int

    @property
    def observed(self) -> list[Observed]:
        """The values of each attribute and how many rows carry them."""
        ...

    def map(self, ranks: Sequence[Ranks], measure: Callable[[Part], Result]) -> Iterator[Result]:
        """Apply a function to every part; ``ranks`` has the rank of each observed value of each attribute."""
        ...

    def classes(self, figures: Sequence[str], whole: Sequence[bool]) -> ClassStore:
        """Return an empty class table with these figures."""
        ...

    def codes(self, keys: Integers) -> Integers:
        """Return, for each key, a code of each quasi-identifier: equal for equal values."""
        ...

    def population(self, keys: Integers) -> Integers | None:
        """Return the size of each class in the population, 0 where it has none; None without a population."""
        ...

    def histogram(self, at: int, key: Mapping[str, object]) -> list[int]:
        """Return how many rows of a class carry each observed value of an attribute."""
        ...

    def matching(self, key: Mapping[str, object]) -> int:
        """Return how many classes have these values in the columns that are named."""
        ...


@dataclass(frozen=True)
class DistinctRows:
    """The distinct combinations of quasi-identifiers and sensitive values, with their numbers of rows.

    Rows are in the order of their codes, and codes in the order of the values, a missing value last: nothing
    depends on the order of the table.
    """

    quasi: list[Observed]
    sensitive: list[Observed]
    """An attribute of several columns has tuples as values."""
    codes: Ranks
    """Distinct rows × quasi-identifiers: the position of each value among those observed."""
    sensitive_codes: Ranks
    """Distinct rows × sensitive attributes, likewise."""
    counts: Integers
    rows: int
    """How many rows the table has."""


@dataclass(frozen=True)
class Recoding:
    """What becomes of the rows of a table: into which class each goes, and what each class publishes.

    A *piece* is a combination of key values and the class to which rows with these values go. Without
    ``counts`` every such row goes there. With them a combination may have several pieces, and as many rows as
    asked go to each; which ones is decided by the content of the other published columns and the seed.

    Parameters
    ----------
    columns
        The published columns, in their order.
    keys
        The columns whose values decide; the quasi-identifiers are among them.
    values
        For each key, the values that its codes stand for: as the engine gave them, or as texts that read as
        them; None is a missing value.
    codes
        Pieces × keys: the position of each key value in ``values``.
    classes
        The class of each piece, from 0; −1 where its rows are left out of the release.
    counts
        How many rows belong to each piece, or None where the key values alone decide.
    quasi
        The quasi-identifiers, in the order of ``labels``, ``native`` and the columns of ``cells``.
    labels
        For each quasi-identifier, the labels that may be published; None publishes a missing value.
    cells
        Classes × quasi-identifiers: the position of the published label in ``labels``.
    native
        Which quasi-identifiers are published in their own type: each of their labels reads as a value.
    seed
        Decides ties and the order of the published rows.
    """

    columns: tuple[str, ...]
    keys: tuple[str, ...]
    values: tuple[Sequence[object], ...] = field(repr=False)
    codes: Ranks = field(repr=False)
    classes: Integers = field(repr=False)
    counts: Integers | None = field(repr=False)
    quasi: tuple[str, ...]
    labels: tuple[Sequence[object], ...] = field(repr=False)
    cells: Ranks = field(repr=False)
    native: tuple[bool, ...]
    seed: int = 0


Unknown = Literal["refuse", "drop"]
"""What becomes of rows whose key values are no piece's."""


class ReleasedTable(Table, Protocol):
    """A recoded table: it can be audited by the session that made it, and leaves as a file or a frame.

    Its rows come in an order that follows from their content and the seed alone.
    """

    @property
    def rows(self) -> int:
        """How many rows are published."""
        ...

    @property
    def unknown(self) -> int:
        """How many rows were dropped because their key values were no piece's."""
        ...

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    def write(self, path: str | Path) -> None:
        """Write the table as the ending of the path says; nothing half-written."""
        ...

    def writing(self, path: str | Path) -> AbstractContextManager[Path]:
        """Write to a temporary file, give its path, and rename it when the block ends without an error."""
        ...

    def write_to(self, path: str | Path) -> None:
        """Write to just this file, which need not be whole after a failure."""
        ...

    def read_back(self, path: str | Path) -> Table:
        """Open a file that this table was written to, as somebody who knows nothing else of it would."""
        ...

    def to_pandas(self) -> Any:
        """Return the table as a pandas frame."""
        ...

    def to_polars(self) -> Any:
        """Return the table as a polars frame."""
        ...

    def to_arrow(self) -> Any:
        """Return the table as a pyarrow table."""
        ...


SpreadsRows = Callable[[Any], Spread]


class Session(Protocol):
    """One piece of work with an engine; it takes only tables that it has opened itself.

    An engine that can share in the search of a release has a method ``spread`` besides, a :data:`SpreadsRows`:
    it takes a table, and returns where the search may put its distinct rows.
    """

    def open(self, table: object) -> Table:
        """Return a table with its columns; its rows are not read yet."""
        ...

    def count(
        self,
        table: Any,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
        population: Any = None,
    ) -> Counted:
        """Count the classes of the quasi-identifiers by the values of the sensitive attributes."""
        ...

    def values(self, table: Any, names: tuple[str, ...]) -> Observed:
        """Return the distinct values of a column, or of several taken as one, with their counts."""
        ...

    def distinct(
        self, table: Any, quasi: Sequence[str], sensitive: Sequence[tuple[str, ...]], progress: Progress
    ) -> DistinctRows:
        """Return the distinct combinations of quasi-identifiers and sensitive values, with their counts."""
        ...

    def recode(self, table: Any, recoding: Recoding, *, unknown: Unknown = "refuse") -> ReleasedTable:
        """Return the table that a recoding publishes; rows that it does not know are refused or dropped."""
        ...
