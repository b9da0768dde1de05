"""Numbers of DuckDB rounded: columns whose cells are never read but rounded."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import duckdb

from tclose.engines import base
from tclose.engines.base import check_names as check_names
from tclose.engines.base import check_rows as check_rows
from tclose.engines.duckdb.errors import NESTED, TOO_FINE, translated
from tclose.engines.duckdb.published_types import (
    COARSER,
    FINE_ZONED,
    ZONED,
    Exposed,
    all_behind_mark,
    bare_decimal,
    decimal_text,
    exposed,
    plain_decimal,
    published,
    with_place_for_zero,
)
from tclose.engines.duckdb.sql import fresh_name, repeated
from tclose.engines.rounding import (
    FLOAT_PLACES,
    LARGEST_FLOAT,
    MOST_DIGITS,
    is_idle,
    nearest,
    no_numbers,
    plain,
    rounded_type,
    scale_of,
    too_large,
)
from tclose.engines.statistics import TableStatistics
from tclose.errors import Note

# A table bound to DuckDB: its columns, and the name under which its rows can be scanned.


_NESTED = ("STRUCT", "MAP", "UNION", "JSON", "VARIANT", "GEOMETRY")


@dataclass(frozen=True)
class Column(base.Column):
    """A column of DuckDB.

    Parameters
    ----------
    own
        The type in which files that have types publish the column, where it is not the one that it has here.
    zone
        The time zone in which the source shows its points in time, if it says so; here they are all in UTC.
    spelling
        How the source writes the values, as :func:`~tclose.data.values.named_texts` takes it.
    bare
        Whether the source writes decimals without idle zeros, each with the digits that it has.
    given
        The type that the column has in the caller's frame, as the frame's package has it.
    labels
        What the codes of a column mean, where the file of a statistics package says so.
    """

    own: str | None = None
    zone: dt.tzinfo | None = None
    spelling: str = "plain"
    bare: bool = False
    given: Any = field(default=None, repr=False, compare=False)
    labels: Mapping[float, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def published(self) -> str:
        """The SQL of the column in a format that has types of its own: a point in time with its zone, if it had one."""
        return published(self.alias, self.type, self.own)

    @property
    def written(self) -> str:
        """The SQL of the column in a file of text: a point in time that has a zone says that it is in UTC."""
        if self.bare:
            return bare_decimal(self.alias, self.type)
        if all_behind_mark(self.type):
            return decimal_text(self.alias, self.type)
        return self.alias if self.zone is None else self.published

    @property
    def in_json(self) -> str:
        """The SQL of the column in JSON, where a number is one: in a type with a place for the zero before its mark."""
        return with_place_for_zero(self.alias, self.type) if self.zone is None else self.published

    def moved(self, zone: dt.tzinfo) -> Column:
        """Return a column of times in UTC that are shown in a zone."""
        fine = "TIMESTAMP_NS" in (self.type, self.own) or self.own == FINE_ZONED
        return replace(self, zone=zone, own=FINE_ZONED if fine else ZONED)


@dataclass
class LoadedTable(base.Comparable[Column]):
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
    bare
        Looks in the source which of some columns have decimals without idle zeros; None where it has no letters.
    gatherer
        Keeps columns with rows that are alike gathered to one, where that pays; None where it never does.
    counter
        Counts every column by what was read to decide its type; None where rows must be read for it.
    """

    connection: duckdb.DuckDBPyConnection
    columns: tuple[Column, ...]
    label: str
    name: str
    rows: int | None = None
    notes: tuple[Note, ...] = ()
    keeper: Keeper | None = field(default=None, repr=False)
    weight: str | None = None
    bare: Bare | None = field(default=None, repr=False)
    gatherer: Gatherer | None = field(default=None, repr=False)
    counter: Counter | None = field(default=None, repr=False)
    person: str | None = None
    codings: dict[tuple[object, ...], Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was found out to code its columns, so that each column is looked through once for all groupings."""

    @property
    def tally(self) -> str:
        """The SQL that counts what is counted: rows of the source, or the people they are of."""
        return self.row_tally if self.person is None else f"count(DISTINCT {self.telling(self.person)})"

    def telling(self, person: str) -> str:
        """Return the SQL of the column that tells people apart; the two zeros are one person."""
        column = self.column(person)
        return with_one_zero(column, column.alias)

    @property
    def row_tally(self) -> str:
        """The SQL that counts rows of the source."""
        return "count(*)" if self.weight is None else f"CAST(sum({self.weight}) AS BIGINT)"

    def narrowed(self, kept: tuple[Column, ...]) -> LoadedTable:
        """Return some columns: a view where a scan is cheap (Parquet, frames), else a copy (text files, streams)."""
        return (self.keeper or keep_view)(self, kept)

    def gathered(self, columns: Sequence[str]) -> LoadedTable:
        """Return some columns to be counted and nothing else: rows that are alike may be one row with its weight."""
        if self.gatherer is None:
            return self.keep(columns)
        kept = tuple(self.column(name) for name in dict.fromkeys(columns))
        self.check_usable(kept)
        return self.gatherer(self, kept) or self.keep(columns)

    def with_texts(self, chosen: Sequence[Column]) -> LoadedTable:
        """Return the table with some columns as text, a number the same text whatever type it has."""
        texts = [f"{text_of(each)} AS {each.alias}" if each in chosen else each.alias for each in self.columns]
        listing = ", ".join([*texts, *([self.weight] if self.weight is not None else [])])
        name = fresh_name("aligned")
        with translated(self.label, connection=self.connection):
            self.connection.execute(f"CREATE TEMP VIEW {name} AS SELECT {listing} FROM {self.name}")  # noqa: S608 - aliases
        columns = tuple(
            replace(each, type="VARCHAR", own=None, zone=None) if each in chosen else each for each in self.columns
        )
        return replace(self, columns=columns, name=name, keeper=None)


def with_one_zero(column: Column, alias: str) -> str:
    """Return the SQL of a column with one zero instead of two."""
    return f"({alias} + 0.0)" if column.type in ("DOUBLE", "FLOAT") else alias


Bare = Callable[[Sequence[Column]], frozenset[str]]
"""Takes columns; returns the aliases of those whose decimals the source writes without idle zeros."""
Keeper = Callable[[LoadedTable, tuple[Column, ...]], LoadedTable]
"""How the columns that are needed are made cheap to scan."""
Gatherer = Callable[[LoadedTable, tuple[Column, ...]], LoadedTable | None]
"""Gathers rows that are alike in some columns to one with its weight; None where that does not pay."""
Counter = Callable[[LoadedTable, base.Progress], TableStatistics | None]
"""Counts every column of a table from what is held of it; None where nothing is held any more."""


def keep_view(table: LoadedTable, kept: tuple[Column, ...]) -> LoadedTable:
    """Keep columns of rows that are already cheap to scan; narrow floats are brought to their decimals once."""
    if any(column.own == "FLOAT" for column in kept):
        return keep_copy(table, kept)
    if kept == table.columns:
        return replace(table, keeper=None)
    name = fresh_name("view")
    weight = [] if table.weight is None else [table.weight]
    selected = ", ".join([*(column.alias for column in kept), *weight]) or "1 AS present"
    with translated(table.label, connection=table.connection):
        table.connection.execute(f"CREATE TEMP VIEW {name} AS SELECT {selected} FROM {table.name}")  # noqa: S608 - aliases
    return replace(table, columns=kept, name=name, keeper=None)


def one_by_one(table: LoadedTable) -> LoadedTable:
    """Return a table each of whose rows stands for itself: one that was gathered as often as it was there."""
    if table.weight is None:
        return table
    name = fresh_name("rows")
    selected = ", ".join(column.alias for column in table.columns)
    rows = repeated(table.name, table.weight)
    with translated(table.label, connection=table.connection):
        table.connection.execute(f"CREATE TEMP VIEW {name} AS SELECT {selected} FROM ({rows})")  # noqa: S608 - aliases
    return replace(table, name=name, weight=None)


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


def text_of(column: Column) -> str:
    """Return the SQL for a value as text: a number as a plain decimal without idle zeros, whatever type it has."""
    text = f"CAST({column.alias} AS VARCHAR)"
    if column.type == "DOUBLE":
        return plain_decimal(f"CAST({column.alias} + 0.0 AS VARCHAR)")
    if column.type.startswith("DECIMAL"):
        return f"CASE WHEN contains({text}, '.') THEN {bare_decimal(column.alias, column.type)} ELSE {text} END"
    return text


def bind(
    connection: duckdb.DuckDBPyConnection,
    relation: str,
    names: Sequence[str],
    label: str,
    casts: Mapping[str, str] | None = None,
) -> LoadedTable:
    """Bind what stands after FROM to a view that exposes aliases, with values as tclose means them.

    ``casts`` gives the types of columns that crossed over as text.
    """
    check_names(names, label)
    casts = casts or {}
    aliases = [f"c{at}" for at in range(len(names))]
    listing = ", ".join(aliases)
    source = f"{relation} AS bound({listing})"
    with translated(label, connection=connection):
        described = connection.execute(f"DESCRIBE SELECT {listing} FROM {source}").fetchall()  # noqa: S608
        shown = {str(alias): exposed(str(kind)) for alias, kind, *_ in described}
        shown |= {alias: Exposed(kind, f"CAST({{0}} AS {kind})") for alias, kind in casts.items()}
        fine = _too_fine(connection, source, shown)
        view = fresh_name("source")
        values = ", ".join(f"{shown[alias].value.format(alias)} AS {alias}" for alias in aliases)
        connection.execute(f"CREATE TEMP VIEW {view} AS SELECT {values} FROM {source}")  # noqa: S608
    columns = tuple(
        Column(
            name,
            alias,
            shown[alias].type,
            problem=TOO_FINE if alias in fine else nested_problem(shown[alias].type),
            own=shown[alias].own,
            zone=dt.UTC if shown[alias].zoned else None,
        )
        for name, alias in zip(names, aliases, strict=True)
    )
    return LoadedTable(connection, columns, label, view)


def _too_fine(connection: duckdb.DuckDBPyConnection, source: str, shown: dict[str, Exposed]) -> list[str]:
    """Make times of nanoseconds coarser where nothing is lost by it; return the columns that have no place here."""
    fine = {alias: COARSER[kind.type] for alias, kind in shown.items() if kind.type in COARSER}
    if not fine:
        return []
    checks = ", ".join(
        f"coalesce(bool_and(CAST(CAST({alias} AS {kind}) AS {shown[alias].type}) = {alias}), true)"
        for alias, kind in fine.items()
    )
    values = ", ".join(f"{shown[alias].value.format(alias)} AS {alias}" for alias in fine)
    (exact,) = connection.execute(f"SELECT {checks} FROM (SELECT {values} FROM {source})").fetchall()  # noqa: S608
    lossless = {alias for alias, same in zip(fine, exact, strict=True) if same}
    for alias in lossless:
        kind, value = shown[alias], f"CAST({shown[alias].value} AS {fine[alias]})"
        shown[alias] = replace(kind, type=fine[alias], value=value, own=kind.own or kind.type)
    return [alias for alias in fine if alias not in lossless and shown[alias].type == "TIME_NS"]


def nested_problem(kind: str) -> str | None:
    """Return why a column of a type cannot be used, if it cannot."""
    return NESTED if kind.startswith(_NESTED) or kind.endswith("]") else None


def rounding(table: LoadedTable, steps: Mapping[str, Fraction]) -> LoadedTable:
    """Return a table whose columns are rounded as soon as they are kept, when their types are known."""
    keep, gather = table.keeper or keep_view, table.gatherer

    def keeper(given: LoadedTable, kept: tuple[Column, ...]) -> LoadedTable:
        return _rounded(keep(given, kept), steps)

    def gatherer(given: LoadedTable, kept: tuple[Column, ...]) -> LoadedTable | None:
        found = None if gather is None else gather(given, kept)
        return None if found is None else _rounded(found, steps)

    return replace(table, keeper=keeper, gatherer=gatherer)


def _rounded(table: LoadedTable, steps: Mapping[str, Fraction]) -> LoadedTable:
    """Return a view of a table with its numbers rounded; refuse a number that cannot be."""
    columns, values = [], []
    for column in table.columns:
        if column.name not in steps:
            columns.append(column)
            values.append(column.alias)
            continue
        step = steps[column.name]
        kind = rounded_type(column.type, step)
        if kind is None:
            raise no_numbers(column.name, table.label, column.type)
        value = rounded_sql(column.alias, column.type, step)
        _check(table.connection, table.name, table.label, column, value)
        values.append(f"{value} AS {column.alias}")
        columns.append(column if kind == column.type else replace(column, type=kind, given=None))
    name = fresh_name("rounded")
    listing = ", ".join([*values, *([] if table.weight is None else [table.weight])])
    with translated(table.label, connection=table.connection):
        table.connection.execute(f"CREATE TEMP VIEW {name} AS SELECT {listing} FROM {table.name}")  # noqa: S608 - aliases
    return replace(table, columns=tuple(columns), name=name, gatherer=None)


def _check(connection: duckdb.DuckDBPyConnection, source: str, label: str, column: Column, value: str) -> None:
    with translated(label, connection=connection):
        ((lost,),) = connection.execute(
            f"SELECT count(*) FROM {source} WHERE {column.alias} IS NOT NULL AND {value} IS NULL"  # noqa: S608
        ).fetchall()
    if lost:
        raise too_large(column.name, label, lost)


def rounded_sql(value: str, kind: str, step: Fraction) -> str:
    """Return the SQL of a rounded number in the type that it gets; null for one that has no place in it."""
    made = rounded_type(kind, step)
    if is_idle(kind, step):
        return f"CAST({value} AS {made})"
    if kind == "DOUBLE":
        between = f"DECIMAL({MOST_DIGITS},{FLOAT_PLACES})"
        enough = f"-?[0-9]+([.][0-9]{{1,{FLOAT_PLACES}}})?"
        digits = f"regexp_extract({plain_decimal(f'CAST({value} AS VARCHAR)')}, '{enough}')"
        exact = nearest(f"TRY_CAST({digits} AS {between})", f"CAST('{plain(step)}' AS {between})")
        text = f"CASE WHEN abs({value}) < {LARGEST_FLOAT} THEN CAST(TRY({exact}) AS VARCHAR) END"
        return f"TRY_CAST({text} AS DOUBLE)"
    scale = scale_of(str(made))
    between = "HUGEINT" if scale is None else f"DECIMAL({MOST_DIGITS},{scale[1]})"
    exact = nearest(f"TRY_CAST({value} AS {between})", f"CAST('{plain(step)}' AS {between})")
    return f"TRY_CAST(TRY({exact}) AS {made})"
