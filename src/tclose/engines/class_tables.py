"""The classes of an audit with their keys, sizes and figures, kept by the engine that made them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tclose.data.targets import Target, committing
from tclose.data.values import as_text
from tclose.engines.errors import imported, polars_frame
from tclose.errors import ColumnNotFoundError, InternalError
from tclose.models.counts import Integers
from tclose.models.measuring import Measured

LABEL = "the class table"
_VIEW = "This view of the classes"


@dataclass(frozen=True)
class EncodedKeys:
    """The keys and sizes of all classes, in any order, each value as a position in a list of its column's values."""

    values: tuple[list[object], ...]
    """For each quasi-identifier its values."""
    positions: tuple[Integers, ...]
    """For each quasi-identifier, which of its values each class has."""
    sizes: Integers


class ClassTable(ABC):
    """All classes of an audit: sortable, searchable, exportable.

    Parameters
    ----------
    quasi
        The names of the quasi-identifiers.
    figures
        The names of the figures, in the order in which parts carry them.
    whole
        Which figures are whole numbers.
    """

    def __init__(self, quasi: Sequence[str], figures: Sequence[str], whole: Sequence[bool]) -> None:
        taken = set(quasi)
        self.quasi = tuple(quasi)
        self.figures = tuple(_free(name, taken) for name in ("size", *figures))
        """The size, and the figures, under names that no quasi-identifier has."""
        self.whole = (True, *whole)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns: the quasi-identifiers, the size, and the figures."""
        return (*self.quasi, *self.figures)

    def place(self, column: str) -> int:
        """Return the position of a column, or say which there are."""
        if column not in self.columns:
            raise ColumnNotFoundError(column, self.columns, "class table's")
        return self.columns.index(column)

    def figure_place(self, column: str) -> int:
        """Return the position of the size or a figure among them, or say which there are."""
        if column not in self.figures:
            raise ColumnNotFoundError(column, self.figures, "class table's figure")
        return self.figures.index(column)

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def add(self, part: Measured) -> None:
        """Take in the classes of a part."""

    @abstractmethod
    def first_of(self, tied: Sequence[Integers]) -> list[tuple[dict[str, object], int]]:
        """Return, for each set of keys, the one first in the order of its values, and its position in the set."""

    @abstractmethod
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

    def found(self, search: str) -> int:
        """Return how many classes hold a searched text in their keys."""
        return sum(1 for _ in self.rows(search=search))

    def _holds(self, row: Sequence[Any], search: str) -> bool:
        """Say whether some part of the key that a row begins with holds a text, large or small."""
        return any(
            search.casefold() in as_text(value).casefold() for value in row[: len(self.quasi)] if value is not None
        )

    def up_to(self, column: str, points: Sequence[float]) -> list[int]:
        """Return, for each point, how many classes have a size or figure that is at most that."""
        self.figure_place(column)
        values = sorted(float(row[column]) for row in self.rows() if row[column] is not None)
        return [bisect_right(values, point) for point in points]

    def encoded(self) -> EncodedKeys:
        """Return the keys and sizes of all classes, each value as a position in a list of its column's values."""
        known: list[dict[object, int]] = [{} for _ in self.quasi]
        rows = [
            (
                *(seen.setdefault(row[name], len(seen)) for name, seen in zip(self.quasi, known, strict=True)),
                row[self.figures[0]],
            )
            for row in self.rows()
        ]
        *positions, sizes = np.array(rows, dtype=np.int64).reshape(-1, len(self.quasi) + 1).T
        return EncodedKeys(tuple(list(seen) for seen in known), tuple(positions), sizes)

    def blanks(self) -> dict[str, int]:
        """Return, for each quasi-identifier that has any, how many of the classes' rows or people have a blank there.

        A blank is a missing value or an empty text.
        """
        keys, found = self.encoded(), {}
        for name, values, positions in zip(self.quasi, keys.values, keys.positions, strict=True):
            blank = np.array([value is None or value == "" for value in values], dtype=bool)
            if number := int(keys.sizes[blank[positions]].sum()):
                found[name] = number
        return found

    def write(self, path: str | Path, *, sort: str | None = None, descending: bool = True) -> None:
        """Write all classes as the ending of the path says; nothing half-written."""
        with committing([self.target(path)]) as (place,):
            self.write_to(place, sort=sort, descending=descending)

    def target(self, path: str | Path) -> Target:
        """Return the file, folder or stream that the classes are written to."""
        from tclose.engines.duckdb.writing import target

        return target(path)

    def write_to(self, path: Path, *, sort: str | None = None, descending: bool = True) -> None:
        """Write all classes to just this place, which need not be whole after a failure."""
        rows = list(self.rows(sort=sort, descending=descending))
        self._write_arrow(imported("pyarrow", _VIEW).Table.from_pylist(rows), path)

    def write_here(self, path: Path) -> None:
        """Write all classes to just this file on this machine, in the order of their keys."""
        self.write_to(path, descending=False)

    def _write_arrow(self, found: Any, path: Path) -> None:
        """Write an Arrow table of all classes to one file."""
        import duckdb

        from tclose.engines.duckdb.writing import copy_query

        aliased = found.rename_columns([f"c{at}" for at in range(len(self.columns))])
        with closing(duckdb.connect()) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            connection.register("classes", aliased)
            copy_query(connection, "SELECT * FROM classes", self.columns, path, LABEL)

    def __reduce__(self) -> tuple[Any, ...]:
        rows = [tuple(row.values()) for row in self.rows()]
        return KeptClasses, (self.quasi, self.figures[1:], self.whole[1:], rows)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """Return the classes as a pyarrow table, in the order of their keys."""
        return imported("pyarrow", _VIEW).Table.from_pylist(list(self.rows()))

    def to_pandas(self) -> Any:
        """Return the classes as a pandas frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return the classes as a polars frame."""
        return polars_frame(self, _VIEW)


class KeptClasses(ClassTable):
    """Classes that a pickle brought along, without the engine that counted them; in the order of their keys."""

    def __init__(
        self, quasi: Sequence[str], figures: Sequence[str], whole: Sequence[bool], rows: Sequence[tuple[Any, ...]]
    ) -> None:
        super().__init__(quasi, figures, whole)
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, part: Measured) -> None:
        """Refuse: what was kept is complete."""
        raise InternalError(f"{len(part.sizes)} classes were added to a finished class table.")

    def first_of(self, tied: Sequence[Integers]) -> list[tuple[dict[str, object], int]]:
        """Refuse: keys by number are the engine's."""
        raise InternalError(f"{len(tied)} sets of classes were compared in a finished class table.")

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
        found = [row for row in self._rows if search is None or self._holds(row, search)]
        if sort is not None:
            at = self.place(sort)
            known = [row for row in found if row[at] is not None]
            known.sort(key=lambda row: row[at], reverse=descending)
            found = known + [row for row in found if row[at] is None]
        for row in found[offset : None if limit is None else offset + limit]:
            yield dict(zip(self.columns, row, strict=True))


def _free(name: str, taken: set[str]) -> str:
    """Return a column name that no other column has."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name
