"""A released table: audited like any other, written to a file or handed over as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb

from tclose.data.sources import locate
from tclose.data.targets import Target
from tclose.engines.base import RecodedTable
from tclose.engines.duckdb.connection import give_back
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.frames import as_arrow, as_pandas, as_polars, exact_frame, is_duration, with_categories
from tclose.engines.duckdb.load import load
from tclose.engines.duckdb.reading_back import check_header, check_kept, check_names, check_values, days_alone
from tclose.engines.duckdb.sql import fresh_name, quoted, repeated, seeded_hash
from tclose.engines.duckdb.table import Column, LoadedTable, keep_copy
from tclose.engines.duckdb.writing import Form, check_ending, copy_query, copy_repeated, target
from tclose.engines.errors import imported, polars_frame
from tclose.errors import InternalError

_OFTEN = 8
"""From so many rows for each distinct one on, a line of a text file is written once and then repeated."""
_LABEL = RecodedTable.label
_VIEW = "This view of the release"


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
class Numbered(Stored):
    """Released rows one by one, in the order of a further column of the query, which is not published."""

    number: str

    @property
    def ordered(self) -> str:
        """The rows in the order of that column."""
        return f"SELECT {_aliases(self.width)} FROM ({self.query}) ORDER BY {self.number}"  # noqa: S608 - our own names


@dataclass(frozen=True)
class Expanded:
    """Distinct released rows with their numbers, in a table that gives each its place.

    Parameters
    ----------
    placed
        The table.
    width
        How many columns are published.
    different
        How many distinct rows there are.
    """

    placed: str
    width: int
    different: int

    @property
    def distinct(self) -> str:
        """A query in which every released value occurs."""
        return f"SELECT {_aliases(self.width)} FROM {self.placed}"  # noqa: S608 - our own names

    @property
    def query(self) -> str:
        """Every row as often as it is released."""
        return f"SELECT {_aliases(self.width)} FROM ({repeated(self.placed, 'n')})"  # noqa: S608 - our own names

    @property
    def ordered(self) -> str:
        """The rows in the order of their content."""
        rows = repeated(self.placed, "n")
        return f"SELECT {_aliases(self.width)} FROM ({rows}) ORDER BY place"  # noqa: S608 - our own names

    @property
    def once(self) -> str:
        """Every distinct row once with its number ``n``, in the order of their content."""
        return f"SELECT n, {_aliases(self.width)} FROM {self.placed} ORDER BY place"  # noqa: S608 - our own names


def _aliases(width: int) -> str:
    return ", ".join(f"c{at}" for at in range(width))


class DuckDBRecodedTable(RecodedTable[Column]):
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

    def ordered_by(self, column: str) -> DuckDBRecodedTable:
        """Return the table without its last column, its rows in the order of that column."""
        *others, last = self.columns
        if last.name != column or not isinstance(self._form, Stored):
            raise InternalError("Rows were to be in the order of a column that does not stand last.")
        form = Numbered(self._form.query, len(others), self._form.seed, last.alias)
        return DuckDBRecodedTable(self.connection, tuple(others), form, self.rows, self.unknown)

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

    def target(self, path: str | Path) -> Target:
        """Return the file or stream that the table is written to."""
        return target(path)

    def write_to(self, path: str | Path) -> None:
        """Write to just this file, which need not be whole after a failure."""
        form = check_ending(path)
        give_back(self.connection)
        check_names(self.names, form)
        check_values(self.connection, self.columns, self._form.distinct, form)
        shown = self._shown(form)
        listing = ", ".join(f"{value} AS {column.alias}" for value, column in zip(shown, self.columns, strict=True))
        often = isinstance(self._form, Expanded) and self.rows >= _OFTEN * self._form.different
        if isinstance(self._form, Expanded) and often and form.by_lines and len(self.columns) > 1:
            rows = f"SELECT n, {listing} FROM ({self._form.once})"  # noqa: S608 - our own names
            copy_repeated(self.connection, rows, self.names, Path(path), _LABEL)
        else:
            rows = f"SELECT {listing} FROM ({self._form.ordered})"  # noqa: S608 - our own names
            labels = {each.name: each.labels for each in self.columns if each.labels and each.type != "VARCHAR"}
            copy_query(self.connection, rows, self.names, Path(path), _LABEL, labels)
        if form.kind in ("excel", "spss", "stata"):
            check_kept(self.columns, self._form.distinct, self.read_back(path), form)
        if form.kind == "csv":
            check_header(self.connection, Path(path), self.names, form)

    def _shown(self, form: Form) -> list[str]:
        """Return the SQL of the columns as a format has them; in text, days that a type of moments holds are days."""
        if form.kind == "parquet":
            return [column.published for column in self.columns]
        with translated(_LABEL, connection=self.connection):
            if form.kind == "arrow":
                return self._with_categories()
            days = days_alone(self.connection, self.columns, self._form.distinct)
        packed = form.kind in ("excel", "spss", "stata")
        if form.kind == "json":
            shown = [each.in_json for each in self.columns]
        else:
            shown = [each.alias if packed and each.zone is None else each.written for each in self.columns]
        pairs = zip(self.columns, shown, strict=True)
        return [f"CAST({each.alias} AS DATE)" if each in days else value for each, value in pairs]

    def read_back(self, path: str | Path) -> LoadedTable:
        """Open a file that this table was written to, as somebody who knows nothing else of it would.

        What is kept of it is copied: the file is about to get another name, and its audit is still asked afterwards.
        Of text, it is always copied, with types that fit every value and not only those of the first rows.
        """
        give_back(self.connection)
        found = load(self.connection, locate(Path(path)))
        return found if check_ending(path).kind == "csv" else replace(found, keeper=keep_copy)

    def _named(self, shown: Sequence[str]) -> duckdb.DuckDBPyRelation:
        """Return the rows with the names of the columns."""
        pairs = zip(shown, self.columns, strict=True)
        listing = ", ".join(f"{value} AS {quoted(column.name)}" for value, column in pairs)
        return self.connection.sql(f"SELECT {listing} FROM ({self._form.ordered})")  # noqa: S608 - quoted

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        with translated(_LABEL, connection=self.connection):
            shown = [column.published for column in self.columns]
            return self._named(shown).__arrow_c_stream__(requested_schema)

    def _streamed(self) -> duckdb.DuckDBPyRelation:
        """Return the rows in types that become those of the caller's frame: durations as microseconds."""
        listed = self._with_categories()
        pairs = zip(listed, self.columns, strict=True)
        return self._named([f"epoch_us({each.alias})" if is_duration(each) else value for value, each in pairs])

    def _with_categories(self) -> list[str]:
        return [with_categories(self.connection, column, self._form.distinct) for column in self.columns]

    def to_arrow(self) -> Any:
        """Return the table as a pyarrow table."""
        arrow = imported("pyarrow", _VIEW)
        with translated(_LABEL, connection=self.connection):
            return as_arrow(arrow.table(self._streamed()), self.columns)

    def to_polars(self) -> Any:
        """Return the table as a polars frame."""
        with translated(_LABEL, connection=self.connection):
            return as_polars(polars_frame(self._streamed(), _VIEW), self.columns)

    def to_pandas(self) -> Any:
        """Return the table as a pandas frame."""
        imported("pandas", _VIEW)
        with translated(_LABEL, connection=self.connection):
            frame = exact_frame(self.connection, self._form.ordered)
        for column in self.columns:
            if column.zone is not None:
                frame[column.alias] = frame[column.alias].dt.tz_localize("UTC")
            frame[column.alias] = as_pandas(frame[column.alias], column)
        frame.columns = self.names
        return frame
