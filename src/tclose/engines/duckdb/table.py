"""A table bound to DuckDB: its columns, and the name under which its rows can be scanned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import duckdb

from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.errors import ColumnNotFoundError, EmptyTableError, SourceError, listed

NESTED = ("STRUCT", "MAP", "UNION", "JSON", "VARIANT", "GEOMETRY")

_ZONED = "TIMESTAMP WITH TIME ZONE"


@dataclass(frozen=True)
class Column:
    """A column as the person knows it, and as SQL does.

    Parameters
    ----------
    name
        The name in the source, whatever characters it has.
    alias
        The name in SQL: ``c0``, ``c1``, ...
    type
        DuckDB's type, as text.
    categories
        The declared order of an ordered categorical or enum, as text; None otherwise.
    problem
        Why the column cannot be used; None for a column that can.
    zoned
        Whether the source says in which time zone its points in time are; here they are all in UTC.
    """

    name: str
    alias: str
    type: str
    categories: tuple[str, ...] | None = None
    problem: str | None = None
    zoned: bool = False

    @property
    def published(self) -> str:
        """The SQL of the column in a format that has types of its own: a point in time with its zone, if it had one."""
        return f"{self.alias} AT TIME ZONE 'UTC'" if self.zoned else self.alias


@dataclass
class LoadedTable:
    """A table that can be scanned: ``SELECT c0, c1 FROM {name}`` on its own connection.

    Parameters
    ----------
    connection
        The connection on which ``name`` is known; temporary, so not on its cursors.
    columns
        The columns, in the order of the source.
    label
        How reports name the table.
    name
        What to write after FROM; it exposes the aliases.
    rows
        The number of rows, if it is known without a scan.
    notes
        What was assumed while reading, in sentences.
    weight
        The column that says how many rows of the source a row stands for; None where it stands for itself.
    """

    connection: duckdb.DuckDBPyConnection
    columns: tuple[Column, ...]
    label: str
    name: str
    rows: int | None = None
    notes: tuple[str, ...] = ()
    keeper: Keeper | None = field(default=None, repr=False)
    weight: str | None = None

    @property
    def tally(self) -> str:
        """The SQL that counts rows of the source."""
        return "count(*)" if self.weight is None else f"CAST(sum({self.weight}) AS BIGINT)"

    def column(self, name: str) -> Column:
        """Return the column of a name, or raise :class:`~tclose.errors.ColumnNotFoundError`."""
        for column in self.columns:
            if column.name == name:
                return column
        raise ColumnNotFoundError(name, [column.name for column in self.columns])

    def keep(self, columns: Sequence[str]) -> LoadedTable:
        """Return the table of just these columns, cheap to scan many times.

        Parameters
        ----------
        columns
            Names of columns, as the person knows them.

        Returns
        -------
        LoadedTable
            A view where a scan is cheap (Parquet, frames), a copy where it is not (text files, streams).
        """
        kept = tuple(self.column(name) for name in dict.fromkeys(columns))
        for column in kept:
            if column.problem:
                raise SourceError(f"The column {column.name!r} of {self.label} cannot be used: {column.problem}")
        return (self.keeper or keep_view)(self, kept)


Keeper = Callable[[LoadedTable, tuple[Column, ...]], LoadedTable]
"""How the columns that are needed are made cheap to scan."""


def keep_view(table: LoadedTable, kept: tuple[Column, ...]) -> LoadedTable:
    """Keep columns of rows that are already cheap to scan."""
    if kept == table.columns:
        return replace(table, keeper=None)
    name = fresh_name("view")
    selected = ", ".join(column.alias for column in kept) or "1 AS present"
    with translated(table.label, connection=table.connection):
        table.connection.execute(f"CREATE TEMP VIEW {name} AS SELECT {selected} FROM {table.name}")  # noqa: S608 - aliases
    return replace(table, columns=kept, name=name, keeper=None)


def keep_copy(table: LoadedTable, kept: tuple[Column, ...]) -> LoadedTable:
    """Copy the columns into a table of DuckDB, once, because scanning the source is slow."""
    name = fresh_name("copy")
    selected = ", ".join(column.alias for column in kept) or "1 AS present"
    with translated(table.label, connection=table.connection):
        ((rows,),) = table.connection.execute(
            f"CREATE TEMP TABLE {name} AS SELECT {selected} FROM {table.name}"  # noqa: S608 - aliases
        ).fetchall()
    check_rows(rows, table.label)
    return replace(table, columns=kept, name=name, rows=rows, keeper=None)


def aligned(table: LoadedTable, other: LoadedTable, names: Sequence[str]) -> tuple[LoadedTable, LoadedTable]:
    """Return two tables whose columns of these names have the same types, so that equal values are equal.

    Where types differ, both columns become text, a number the same text whatever type it has.
    """
    pairs = [(table.column(name), other.column(name)) for name in names]
    differing = [(mine, theirs) for mine, theirs in pairs if mine.type != theirs.type]
    if not differing:
        return table, other
    return _as_text(table, [mine for mine, _ in differing]), _as_text(other, [theirs for _, theirs in differing])


def _as_text(table: LoadedTable, chosen: Sequence[Column]) -> LoadedTable:
    texts = [f"{_text_of(column)} AS {column.alias}" if column in chosen else column.alias for column in table.columns]
    listing = ", ".join([*texts, *([table.weight] if table.weight is not None else [])])
    name = fresh_name("aligned")
    with translated(table.label, connection=table.connection):
        table.connection.execute(f"CREATE TEMP VIEW {name} AS SELECT {listing} FROM {table.name}")  # noqa: S608 - aliases
    columns = tuple(replace(column, type="VARCHAR") if column in chosen else column for column in table.columns)
    return replace(table, columns=columns, name=name, keeper=None)


def _text_of(column: Column) -> str:
    """Return the SQL for a value as text: whole numbers without a decimal mark, others without idle zeros."""
    text = f"CAST({column.alias} AS VARCHAR)"
    if column.type in ("DOUBLE", "FLOAT"):
        whole = f"{column.alias} = trunc({column.alias}) AND abs({column.alias}) < 1e18"
        return f"CASE WHEN {whole} THEN CAST(CAST({column.alias} AS HUGEINT) AS VARCHAR) ELSE {text} END"
    if column.type.startswith("DECIMAL"):
        return f"CASE WHEN contains({text}, '.') THEN rtrim(rtrim({text}, '0'), '.') ELSE {text} END"
    return text


def bind(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    names: Sequence[str],
    label: str,
    casts: Mapping[str, str] | None = None,
) -> LoadedTable:
    """Bind what stands after FROM to a view that exposes aliases, with values as tclose means them.

    NaN becomes null, an enum its text, and a time with a zone the same time in UTC;
    ``casts`` gives the types of columns that crossed over as text.
    """
    check_names(names, label)
    casts = casts or {}
    aliases = [f"c{at}" for at in range(len(names))]
    listing = ", ".join(aliases)
    with translated(label, connection=connection):
        described = connection.execute(
            f"DESCRIBE SELECT {listing} FROM {relation} AS bound({listing})"  # noqa: S608 - our own aliases
        ).fetchall()
        found = {str(row[0]): str(row[1]) for row in described}
        exposed = ", ".join(
            f"CAST({alias} AS {casts[alias]}) AS {alias}" if alias in casts else _exposed(alias, found[alias])
            for alias in aliases
        )
        types = [casts.get(alias, found[alias]) for alias in aliases]
        view = fresh_name("source")
        connection.execute(f"CREATE TEMP VIEW {view} AS SELECT {exposed} FROM {relation} AS bound({listing})")  # noqa: S608
    columns = tuple(
        Column(name, alias, _exposed_type(kind), problem=nested_problem(kind), zoned=kind == _ZONED)
        for name, alias, kind in zip(names, aliases, types, strict=True)
    )
    return LoadedTable(connection, columns, label, view)


def check_rows(rows: int | None, label: str) -> None:
    """Refuse a table without rows."""
    if rows == 0:
        raise EmptyTableError(f"The table has no rows: {label}. There is nobody in it to protect.")


def check_names(names: Sequence[str], label: str) -> None:
    """Refuse a table without columns, or with two columns of the same name."""
    if not names:
        raise EmptyTableError(f"The table has no columns: {label}.")
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise SourceError(f"Two columns of {label} have the same name: {listed(twice)}. Rename one of each.")


def nested_problem(kind: str) -> str | None:
    """Return why a column of a type cannot be used, if it cannot."""
    if kind.startswith(NESTED) or kind.endswith("]"):
        return "its values are nested or of mixed types. Take them apart into columns of one type each."
    return None


def _exposed(alias: str, kind: str) -> str:
    if kind in {"DOUBLE", "FLOAT"}:
        return f"CASE WHEN isnan({alias}) THEN NULL ELSE {alias} END AS {alias}"
    if kind == _ZONED:
        return f"{alias} AT TIME ZONE 'UTC' AS {alias}"
    if _becomes_text(kind):
        return f"CAST({alias} AS VARCHAR) AS {alias}"
    return alias


def _exposed_type(kind: str) -> str:
    if kind == _ZONED:
        return "TIMESTAMP"
    return "VARCHAR" if _becomes_text(kind) else kind


def _becomes_text(kind: str) -> bool:
    """Say whether a type is an enum, or that of a column with nothing but nulls."""
    return kind.startswith("ENUM(") or kind.strip('"') == "NULL"
