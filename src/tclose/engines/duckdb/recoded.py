"""Rows to released rows: each row finds its piece, and the piece says what is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from tclose.anonymization.algorithms.memory_estimate import recoded_bytes
from tclose.engines.duckdb.arrow_tables import load_values
from tclose.engines.duckdb.connection import give_back, share_memory
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.published_types import ZONED
from tclose.engines.duckdb.released import DuckDBRecodedTable, Expanded, Stored
from tclose.engines.duckdb.sql import fresh_name, seeded_hash
from tclose.engines.duckdb.table import Column, LoadedTable, one_by_one
from tclose.engines.recoding import (
    Added,
    Recoder,
    Recoding,
    check_shapes,
    folded,
    piece_columns,
    reads_exactly,
    text_of,
)
from tclose.errors import InputError

# The pieces of a recoding as a table of DuckDB: key values in the types of their columns, and what is published.


_LABELS = "the labels of the recoding"


def pieces_table(table: LoadedTable, recoding: Recoding, *, fold: bool = False) -> tuple[str, int]:
    """Make a table of the pieces; return its name and how many of them it has if every key value can be read.

    Its columns are ``piece``, the piece's number; ``kept``, whether it is published; ``n``, its rows if they
    are given; ``first``, the first piece of the same key values; ``parts``, how many there are; ``low``, how
    many rows the earlier ones take; ``k0``, ``k1`` …, the key values; ``q0``, ``q1`` …, what is published; ``a0``,
    ``a1`` …, what is published beside it. With ``fold``, pieces that publish the same may be one, and the key values
    that are not published are then left out.
    """
    check_shapes(recoding)
    quasi = range(len(recoding.quasi))
    values = [_values(table, recoding, at) for at in range(len(recoding.keys))]
    given = folded(recoding) if fold and _are_whole(table, recoding, values) else recoding
    keys = [(at, recoding.keys.index(name)) for at, name in enumerate(given.keys)]
    labels = [_labels(table, recoding, at) for at in quasi]
    more = [_added(table, each) for each in recoding.added]
    name, batch = fresh_name("pieces"), fresh_name("given")
    joins = [f"JOIN {values[key]} AS v{key} ON v{key}.code = g.k{at}" for at, key in keys]
    joins += [f"LEFT JOIN {labels[at]} AS l{at} ON l{at}.code = g.q{at}" for at in quasi]
    joins += [
        f"LEFT JOIN {used} AS m{at} ON m{at}.code = g.q{recoding.added[at].quasi}" for at, used in enumerate(more)
    ]
    shown = [f", v{key}.value AS k{key}" for _, key in keys] + [f", l{at}.value AS q{at}" for at in quasi]
    shown += [f", m{at}.value AS a{at}" for at in range(len(more))]
    connection = table.connection
    with translated("the recoding", connection=connection):
        columns = piece_columns(given)
        give_back(connection)
        connection.register(batch, columns)
        connection.execute(
            f"CREATE TEMP TABLE {name} AS "  # noqa: S608 - our own names
            f"SELECT g.piece, g.kept, g.n, g.first, g.parts, g.low{''.join(shown)} FROM {batch} AS g {' '.join(joins)}"
        )
        connection.unregister(batch)
        for used in {*values, *labels, *more}:
            connection.execute(f"DROP TABLE {used}")
    return name, len(given.classes)


def _are_whole(table: LoadedTable, recoding: Recoding, values: Sequence[str]) -> bool:
    """Say whether every value of every key could be read, so that no piece is left out for one."""
    counts = ", ".join(f"(SELECT count(*) FROM {name})" for name in values)  # noqa: S608 - our own names
    with translated("the recoding", connection=table.connection):
        (read,) = table.connection.execute(f"SELECT {counts}").fetchall()
    return bool(read == tuple(len(each) for each in recoding.values))


def _values(table: LoadedTable, recoding: Recoding, at: int) -> str:
    """Make a table of the values of a key, in the type of its column; a text that is no such value is left out."""
    column = table.column(recoding.keys[at])
    read = {code: value for code, value in enumerate(recoding.values[at]) if reads_exactly(value, column.type)}
    name = _typed(table, [text_of(value) for value in read.values()], list(read), column)
    with translated("the recoding", connection=table.connection):
        ((twice,),) = table.connection.execute(
            f"SELECT count(*) FROM (SELECT value FROM {name} GROUP BY value HAVING count(*) > 1)"  # noqa: S608
        ).fetchall()
    if twice:
        raise InputError(
            f"Several values that the recoding tells apart are the same in the column {column.name!r} "
            f"of {table.label}. Read the column as it was read when the recoding was made."
        )
    return name


def _labels(table: LoadedTable, recoding: Recoding, at: int) -> str:
    """Make a table of the labels of a quasi-identifier; refuse one that has to be a value and is none."""
    name, texts = recoding.quasi[at], [text_of(label) for label in recoding.labels[at]]
    if not recoding.typed:
        return _typed(table, texts, range(len(texts)), Column(name, "", "VARCHAR"))
    column = table.column(name)
    made = _typed(table, texts, range(len(texts)), column)
    with translated(_LABELS, connection=table.connection):
        ((read,),) = table.connection.execute(f"SELECT count(*) FROM {made}").fetchall()  # noqa: S608 - our own name
    if read != len(texts) or not all(reads_exactly(text, column.type) for text in texts):
        raise InputError(
            f"Points of {name!r} cannot be published: {table.label} has it in a type that does not hold them.",
            column=name,
        )
    return made


def _added(table: LoadedTable, added: Added) -> str:
    """Make a table of what stands beside each label of a quasi-identifier, in its own type."""
    return _typed(table, added.values, range(len(added.values)), Column(added.name, "", added.type))


def _typed(table: LoadedTable, texts: Sequence[str | None], codes: Sequence[int], column: Column) -> str:
    """Make a table of values with their codes from texts; texts that cannot be cast are left out."""
    name = fresh_name("values")
    connection = table.connection
    if not texts:
        with translated(_LABELS, connection=connection):
            connection.execute(f"CREATE TEMP TABLE {name} (value {column.type}, code BIGINT)")
        return name
    loaded = load_values(connection, {"value": texts, "code": list(codes)}, _LABELS)
    if loaded.columns[0].problem:
        raise InputError(f"The recoding of {column.name!r} cannot be used: {loaded.columns[0].problem}")
    moment = column.zone is not None and column.type != "VARCHAR"
    zoned = ZONED if column.type == "TIMESTAMP" else column.own  # nanoseconds and a zone are not cast to less
    read = f"TRY_CAST(c0 AS {zoned})" if moment else "c0"
    with translated(_LABELS, connection=connection):
        connection.execute(
            f"CREATE TEMP TABLE {name} AS SELECT TRY_CAST({read} AS {column.type}) AS value, c1 AS code "  # noqa: S608 - our own names
            f"FROM {loaded.name} WHERE c0 IS NULL OR value IS NOT NULL"
        )
        connection.execute(f"DROP TABLE {loaded.name}")
    return name


class DuckDBRecoder(Recoder[DuckDBRecodedTable]):
    """One recoding of a table of DuckDB under way."""

    adds_columns = True

    def __init__(self, table: LoadedTable, recoding: Recoding) -> None:
        super().__init__(recoding, table.label)
        self.others = [name for name in recoding.read if name not in recoding.keys]
        kept = table.keep([*recoding.keys, *recoding.read])
        self.table = one_by_one(kept) if self.others else kept
        cells = len(recoding.keys) + len(recoding.quasi)
        share_memory(table.connection, "recoding", recoded_bytes(len(recoding.classes), cells))
        self.pieces, self.known = pieces_table(self.table, recoding, fold=not self.others)

    @cached_property
    def _rows(self) -> str:
        return self._rows_in_pieces() if self.others else self._counts_of_pieces()

    def _run(self, query: str) -> list[Any]:
        """Execute a query, with our errors."""
        with translated(self.table.label, connection=self.table.connection):
            return self.table.connection.execute(query).fetchall()

    def _make(self, stem: str, query: str) -> str:
        """Make a temporary table of what a query gives."""
        name = fresh_name(stem)
        give_back(self.table.connection)
        self._run(f"CREATE TEMP TABLE {name} AS {query}")
        return name

    @cached_property
    def divided(self) -> bool:
        """Whether rows of the same key values go to several pieces."""
        ((most,),) = self._run(f"SELECT max(parts) FROM {self.pieces}")  # noqa: S608 - our own name
        return (most or 0) > 1

    def _matched(self) -> str:
        """Return what stands after FROM: the table's rows with the first piece of their key values, if any."""
        conditions = [
            f"t.{self.table.column(name).alias} IS NOT DISTINCT FROM p.k{at}"
            for at, name in enumerate(self.recoding.keys)
        ]
        first = f"(SELECT * FROM {self.pieces} WHERE piece = first)"  # noqa: S608 - our own name
        return f"{self.table.name} AS t LEFT JOIN {first} AS p ON {' AND '.join(conditions) or 'true'}"

    def _counts_of_pieces(self) -> str:
        """Make a table of the pieces with their numbers of rows, where nothing but keys is published."""
        if self.recoding.counts is None:
            grouped = f"SELECT p.piece, {self.table.row_tally} AS n FROM {self._matched()} GROUP BY ALL"  # noqa: S608
            return self._make("rows", grouped)
        rows = self.table.rows
        if rows is None:
            ((rows,),) = self._run(f"SELECT {self.table.row_tally} FROM {self.table.name}")  # noqa: S608 - our own names
        if rows != int(self.recoding.counts.sum()):
            raise self.other_table()
        return self._make("rows", f"SELECT piece, n FROM {self.pieces} WHERE n > 0")  # noqa: S608 - our own name

    def _rows_in_pieces(self) -> str:
        """Make a table of all rows: the piece of each, and the other columns that are published."""
        others = ", ".join(f"{_one_zero(self.table.column(name))} AS o{at}" for at, name in enumerate(self.others))
        rows = self._make("rows", f"SELECT p.piece, {others} FROM {self._matched()}")  # noqa: S608 - our own names
        if not self.divided:
            return rows
        names = ", ".join(f"o{at}" for at in range(len(self.others)))
        order = f"{seeded_hash(names, self.recoding.seed)}, {names}"
        shared = (
            f"SELECT r.piece, {names}, row_number() OVER (PARTITION BY r.piece ORDER BY {order}) - 1 AS place "  # noqa: S608
            f"FROM {rows} AS r JOIN {self.pieces} AS p ON p.piece = r.piece WHERE p.parts > 1"
        )
        placed = self._make(
            "rows",
            f"SELECT r.piece, {names} FROM {rows} AS r LEFT JOIN {self.pieces} AS p ON p.piece = r.piece "  # noqa: S608
            f"WHERE p.piece IS NULL OR p.parts = 1 "
            f"UNION ALL SELECT p.piece, {names} FROM ({shared}) AS s "
            f"LEFT JOIN {self.pieces} AS p ON p.first = s.piece AND s.place >= p.low AND s.place < p.low + p.n",
        )
        self._run(f"DROP TABLE {rows}")
        return placed

    def unmatched(self) -> int:
        """Return how many rows belong to no piece."""
        number = "count(*)" if self.others else "coalesce(sum(n), 0)::BIGINT"
        ((found,),) = self._run(f"SELECT {number} FROM {self._rows} WHERE piece IS NULL")  # noqa: S608 - our own name
        return int(found)

    def as_counted(self) -> bool:
        """Say whether each piece has as many rows as the recoding says."""
        found = f"SELECT piece, {'count(*)' if self.others else 'sum(n)'} AS n FROM {self._rows} GROUP BY piece"  # noqa: S608
        ((differing,),) = self._run(
            f"SELECT count(*) FROM {self.pieces} AS p LEFT JOIN ({found}) AS f ON f.piece = p.piece "  # noqa: S608
            f"WHERE p.n <> coalesce(f.n, 0)"
        )
        ((known,),) = self._run(f"SELECT count(*) FROM {self.pieces}")  # noqa: S608 - our own name
        return not differing and bool(known == self.known)

    @property
    def _source(self) -> str:
        return f"FROM {self._rows} AS r JOIN {self.pieces} AS p ON p.piece = r.piece WHERE p.kept"

    def published(self) -> int:
        """Return how many rows are published."""
        number = "count(*)" if self.others else "coalesce(sum(r.n), 0)::BIGINT"
        ((published,),) = self._run(f"SELECT {number} {self._source}")
        return int(published)

    def released(self, published: int, unmatched: int) -> DuckDBRecodedTable:
        """Return the released table, its columns put together from the pieces and the rows."""
        kept = [self.table.column(name) for name in self.recoding.columns if self.keeps_type(name)]
        bare = self.table.bare(kept) if self.table.bare is not None else frozenset()
        columns = tuple(self._column(at, name, bare) for at, name in enumerate(self.recoding.columns))
        places = [self.place(name, self.others) for name in self.recoding.columns]
        shown = ", ".join(
            f"{'r' if place.startswith('o') else 'p'}.{place} AS {column.alias}"
            for place, column in zip(places, columns, strict=True)
        )
        if self.others:
            form: Stored | Expanded = Stored(f"SELECT {shown} {self._source}", len(columns), self.recoding.seed)
        else:
            form = self._expanded(f"SELECT {shown}, r.n {self._source}", len(columns))
        return DuckDBRecodedTable(self.table.connection, columns, form, published, unmatched)

    def _expanded(self, query: str, width: int) -> Expanded:
        """Return distinct released rows in the order of their content, each with its number."""
        aliases = ", ".join(f"c{at}" for at in range(width))
        order = f"{seeded_hash(aliases, self.recoding.seed)}, {aliases}"
        placed = self._make(
            "placed",
            f"SELECT *, row_number() OVER (ORDER BY {order}) AS place FROM ({query})",  # noqa: S608 - our own names
        )
        ((different,),) = self._run(f"SELECT count(*) FROM {placed}")  # noqa: S608 - our own name
        return Expanded(placed, width, int(different))

    def _column(self, at: int, name: str, bare: frozenset[str]) -> Column:
        """Return a published column; a recoded one is text unless it keeps its own type."""
        if not self.keeps_type(name):
            kind = next((each.type for each in self.recoding.added if each.name == name), "VARCHAR")
            return Column(name, f"c{at}", kind)
        column = self.table.column(name)
        return replace(column, alias=f"c{at}", bare=column.alias in bare)


def _one_zero(column: Column) -> str:
    """Return a row's own cell, with one zero instead of two."""
    cell = f"t.{column.alias}"
    return f"CAST({cell} + 0.0 AS {column.type})" if column.type in ("DOUBLE", "FLOAT") else cell
