"""A released table: audited like any other, written to a file or handed over as a frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.load import load
from tclose.engines.duckdb.reading_back import check_header, check_names, check_values
from tclose.engines.duckdb.sql import fresh_name, quoted, seeded_hash
from tclose.engines.duckdb.table import Column, LoadedTable
from tclose.engines.duckdb.writing import check_ending, copy_query, imported, replacing
from tclose.sources import locate

_AT_ONCE = 2048
"""A distinct row is repeated so many times at once, so that a row in millions needs no long list."""
_LABEL = "the release"


@dataclass(frozen=True)
class Stored:
    """Released rows one by one, as a query gives them."""

    query: str
    width: int
    seed: int

    @property
    def distinct(self) -> str:
        """A query in which every released value occurs."""
        return self.query

    @property
    def ordered(self) -> str:
        """The rows in the order of their content."""
        aliases = _aliases(self.width)
        return f"SELECT {aliases} FROM ({self.query}) ORDER BY {seeded_hash(aliases, self.seed)}, {aliases}"  # noqa: S608


@dataclass(frozen=True)
class Expanded:
    """Distinct released rows with their numbers, in a table that gives each its place."""

    placed: str
    width: int

    @property
    def distinct(self) -> str:
        """A query in which every released value occurs."""
        return f"SELECT {_aliases(self.width)} FROM {self.placed}"  # noqa: S608 - our own names

    @property
    def query(self) -> str:
        """Every row as often as it is released."""
        return f"SELECT {_aliases(self.width)} FROM ({self._repeated})"  # noqa: S608 - our own names

    @property
    def ordered(self) -> str:
        """The rows in the order of their content."""
        return f"SELECT {_aliases(self.width)} FROM ({self._repeated}) ORDER BY place"  # noqa: S608 - our own names

    @property
    def _repeated(self) -> str:
        begun = f"SELECT *, unnest(range(0, n, {_AT_ONCE})) AS begun FROM {self.placed}"  # noqa: S608 - our own names
        return f"SELECT *, unnest(range(least({_AT_ONCE}, n - begun))) FROM ({begun})"  # noqa: S608


def _aliases(width: int) -> str:
    return ", ".join(f"c{at}" for at in range(width))


class DuckDBReleased:
    """A released table on the connection of the session that made it.

    Parameters
    ----------
    connection
        Where its rows are.
    columns
        The published columns.
    form
        How its rows are kept.
    rows
        How many rows are published.
    unknown
        How many rows were dropped because the recoding did not know their values.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        columns: tuple[Column, ...],
        form: Stored | Expanded,
        rows: int,
        unknown: int,
    ) -> None:
        self.connection = connection
        self.columns = columns
        self.rows = rows
        self.unknown = unknown
        self._form = form

    label = _LABEL
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the published columns."""
        return [column.name for column in self.columns]

    @cached_property
    def table(self) -> LoadedTable:
        """The released rows as a table that can be counted."""
        view = fresh_name("released")
        with translated(_LABEL, connection=self.connection):
            self.connection.execute(f"CREATE TEMP VIEW {view} AS {self._form.query}")
        return LoadedTable(self.connection, self.columns, _LABEL, view, self.rows)

    def keep(self, columns: Sequence[str]) -> LoadedTable:
        """Return the table of just these columns, cheap to scan many times."""
        return self.table.keep(columns)

    def write(self, path: str | Path) -> None:
        """Write the table as the ending of the path says; nothing half-written.

        Cells are written as they are: a text that a spreadsheet would take for a formula, because it begins with
        ``=``, ``+``, ``-`` or ``@``, is not changed.
        """
        with self.writing(path):
            pass

    @contextmanager
    def writing(self, path: str | Path) -> Iterator[Path]:
        """Write to a temporary file, give its path, and rename it when the block ends without an error."""
        with replacing(path) as temporary:
            self.write_to(temporary)
            yield temporary

    def write_to(self, path: str | Path) -> None:
        """Write to just this file, which need not be whole after a failure."""
        form = check_ending(path)
        check_names(self.names, form)
        check_values(self.connection, self.columns, self._form.distinct, form)
        rows = self._form.ordered if form.kind in ("csv", "json") else self._typed()
        copy_query(self.connection, rows, self.names, Path(path), _LABEL)
        if form.kind == "csv":
            check_header(self.connection, Path(path), self.names, form)

    def read_back(self, path: str | Path) -> LoadedTable:
        """Open a file that this table was written to, as somebody who knows nothing else of it would."""
        return load(self.connection, locate(Path(path)))

    def _typed(self) -> str:
        shown = ", ".join(f"{column.published} AS {column.alias}" for column in self.columns)
        return f"SELECT {shown} FROM ({self._form.ordered})"  # noqa: S608 - our own names

    def _named(self) -> str:
        shown = ", ".join(f"{column.published} AS {quoted(column.name)}" for column in self.columns)
        return f"SELECT {shown} FROM ({self._form.ordered})"  # noqa: S608 - quoted

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        with translated(_LABEL, connection=self.connection):
            return self.connection.sql(self._named()).__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """Return the table as a pyarrow table."""
        return imported("pyarrow", "This view of the release").table(self)

    def to_pandas(self) -> Any:
        """Return the table as a pandas frame."""
        imported("pandas", "This view of the release")
        with translated(_LABEL, connection=self.connection):
            frame = self.connection.execute(self._form.ordered).fetchdf()
        for column in self.columns:
            if column.zoned:
                frame[column.alias] = frame[column.alias].dt.tz_localize("UTC")
        frame.columns = self.names
        return frame

    def to_polars(self) -> Any:
        """Return the table as a polars frame."""
        return imported("polars", "This view of the release").DataFrame(self)
