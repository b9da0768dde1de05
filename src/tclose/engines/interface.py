"""What an engine offers: tables opened, counted by class and value, and the classes kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from tclose.counts import Integers, Part, Ranks
from tclose.domains import Observed
from tclose.measuring import Measured

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
    """All classes with their keys, sizes and figures, kept by the engine that made them."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns: the quasi-identifiers, the size, and the figures."""
        ...

    def __len__(self) -> int: ...

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

    def rows(
        self, *, sort: str | None = None, descending: bool = True, limit: int | None = None
    ) -> Iterator[dict[str, Any]]:
        """Give classes as dictionaries, sorted by a column."""
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


class ClassStore(ClassTable, Protocol):
    """A class table that still takes in classes."""

    def add(self, part: Measured) -> None:
        """Take in the classes of a part."""
        ...

    def first_of(self, tied: Sequence[Integers]) -> list[tuple[dict[str, object], int]]:
        """Return, for each set of keys, the one first in the order of its values, and its position in the set."""
        ...


class Counted(Protocol):
    """A table counted by class and value, readable part by part."""

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


class Session(Protocol):
    """One piece of work with an engine; it takes only tables that it has opened itself."""

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
