"""Frames in the caller's memory: pandas, polars, Arrow and DuckDB, without a copy where possible."""

from __future__ import annotations

import datetime as dt
import importlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any  # frames come from packages that tclose does not depend on

import duckdb
import nanoarrow

from tclose.engines.duckdb.arrow_types import has_nanoseconds, streamed, unequal_columns, unread_columns, without, zones
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.given_types import given_types
from tclose.engines.duckdb.pandas_frames import load_pandas
from tclose.engines.duckdb.problems import NESTED, TOO_FINE, unread
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import LoadedTable, bind, check_names, check_rows
from tclose.engines.duckdb.values import Capsule
from tclose.engines.failures import capital, translating
from tclose.errors import SourceError
from tclose.sources import FrameSource

_ORDERED_FLAG = 1
_ODD = ("Object", "Float16")
_WIDE = {"Int128": "HUGEINT", "UInt128": "UHUGEINT"}
"""Types of polars whose numbers cross as text, and the types they take."""
_ZONED_CLOCK = "time with time zone"
"""The type of DuckDB whose values lose their offset on the way."""

Orders = Mapping[str, tuple[str, ...]]
"""The declared order of the values of columns that have one."""


@dataclass(frozen=True)
class _Declared:
    """What a frame says of its columns beside their values: orders and zones by name, problems by place."""

    orders: Orders = field(default_factory=dict)
    zones: Mapping[str, dt.tzinfo] = field(default_factory=dict)
    problems: Mapping[int, str] = field(default_factory=dict)
    casts: Mapping[str, str] = field(default_factory=dict)

    def of(self, table: LoadedTable) -> LoadedTable:
        """Return a table that was bound with what is declared of it."""
        columns = tuple(
            replace(
                column,
                categories=self.orders.get(column.name),
                zone=self.zones.get(column.name, column.zone),
                problem=self.problems.get(at, column.problem),
            )
            for at, column in enumerate(table.columns)
        )
        return replace(table, columns=columns)


def load_frame(connection: duckdb.DuckDBPyConnection, source: FrameSource) -> LoadedTable:
    """Bind a frame of the caller."""
    table = _loaded(connection, source)
    types = given_types(source.frame)
    columns = tuple(replace(column, given=kind) for column, kind in zip(table.columns, types, strict=False))
    return replace(table, columns=columns) if types else table


def _loaded(connection: duckdb.DuckDBPyConnection, source: FrameSource) -> LoadedTable:
    frame: Any = source.frame
    if source.kind == "pandas":
        return load_pandas(connection, frame, source.label)
    if source.kind == "polars":
        return _load_polars(connection, frame, source.label)
    if source.kind == "arrow":
        return load_arrow(connection, frame, source.label)
    if source.kind == "duckdb":
        return _load_relation(connection, frame, source.label)
    return _load_stream(connection, frame, source.label)


def load_arrow(connection: duckdb.DuckDBPyConnection, table: Any, label: str) -> LoadedTable:
    """Bind an Arrow table, which can be scanned again and again."""
    schema = nanoarrow.c_array_stream(table).get_schema()
    if unread_columns(schema) or has_nanoseconds(schema):
        return _load_stream(connection, table, label)
    orders = _orders(schema, nanoarrow.c_array_stream(table)) if _ordered_columns(schema) else {}
    declared = _Declared(orders, zones(schema))
    return _registered(connection, table, _names(schema), label, rows=table.num_rows, declared=declared)


def _load_stream(connection: duckdb.DuckDBPyConnection, frame: Any, label: str) -> LoadedTable:
    """Copy a stream, which can be read only once; columns that DuckDB would not take as they are become unusable."""
    with _handed_over(label):
        stream = nanoarrow.c_array_stream(frame)
        schema = stream.get_schema()
    names, problems = _names(schema), unread_columns(schema)
    if problems:
        stream = nanoarrow.c_array_stream(without(stream, problems))
        schema = stream.get_schema()
    declared = _Declared(zones=zones(schema), problems=problems)
    if _ordered_columns(schema) or has_nanoseconds(schema):
        with _handed_over(label):
            chunks = list(stream)
        unequal = unequal_columns(schema, chunks)
        declared = replace(declared, orders=_orders(schema, chunks), problems={**problems, **unequal})
        stream = streamed(chunks, schema)
    return _copied(connection, Capsule(stream, schema), names, label, declared)


@contextmanager
def _handed_over(label: str) -> Iterator[None]:
    """Withhold what a frame says that cannot be computed: its words may quote cells."""

    def translate(problem: Exception) -> SourceError:
        kind = type(problem).__name__
        return SourceError(
            f"{capital(label)} could not be computed ({kind}). Its own words are withheld: they may quote cells. "
            "Compute it before handing it over, to see what is wrong."
        )

    with translating(translate):
        yield


def _load_polars(connection: duckdb.DuckDBPyConnection, frame: Any, label: str) -> LoadedTable:
    if type(frame).__name__ == "LazyFrame":
        with _handed_over(label):
            frame = frame.collect(engine="streaming")
    kinds = {name: type(kind).__name__ for name, kind in frame.schema.items()}
    orders = {
        name: tuple(str(value) for value in frame.schema[name].categories)
        for name, kind in kinds.items()
        if kind == "Enum"
    }
    odd = {name: NESTED if kind == "Object" else unread(kind.lower()) for name, kind in kinds.items() if kind in _ODD}
    odd |= {name: TOO_FINE for name, kind in kinds.items() if kind == "Duration" and _is_finer(frame[name])}
    wide = {name: _WIDE[kind] for name, kind in kinds.items() if kind in _WIDE}
    as_text = [name for name, kind in kinds.items() if kind in _WIDE or kind == "Null"]
    texts = [frame[name].cast(importlib.import_module("polars").String) for name in as_text]
    shown = frame.with_columns(*texts, **dict.fromkeys(odd)) if odd or texts else frame
    schema = nanoarrow.c_array_stream(shown).get_schema()
    places = {name: at for at, name in enumerate(frame.columns)}
    declared = _Declared(
        orders,
        zones(schema),
        {places[name]: problem for name, problem in odd.items()},
        {f"c{places[name]}": kind for name, kind in wide.items()},
    )
    return _registered(connection, shown, frame.columns, label, rows=frame.height, declared=declared)


def _is_finer(durations: Any) -> bool:
    """Say whether a series of polars has durations finer than a microsecond."""
    return durations.dtype.time_unit == "ns" and bool((durations.to_physical() % 1000 != 0).any())


def _load_relation(connection: duckdb.DuckDBPyConnection, relation: Any, label: str) -> LoadedTable:
    """Copy a relation of another connection: its query runs once, where it belongs."""
    with translated(label, connection=connection):
        names = [str(name) for name in relation.columns]
        orders = {
            name: tuple(str(value) for value in dict(kind.children)["values"])
            for name, kind in zip(names, relation.types, strict=True)
            if kind.id == "enum"
        }
        problems = {at: unread(kind.id) for at, kind in enumerate(relation.types) if kind.id == _ZONED_CLOCK}
        stream = nanoarrow.c_array_stream(relation)
        schema = stream.get_schema()
        if has_nanoseconds(schema):
            chunks = list(stream)
            problems |= unequal_columns(schema, chunks)
            stream = streamed(chunks, schema)
    declared = _Declared(orders, zones(schema), problems)
    return _copied(connection, Capsule(stream, schema), names, label, declared)


def _registered(
    connection: duckdb.DuckDBPyConnection,
    frame: Any,
    names: Sequence[str],
    label: str,
    *,
    rows: int,
    declared: _Declared,
) -> LoadedTable:
    """Bind a frame where it is, without a copy."""
    check_names(names, label)
    check_rows(rows, label)
    registered = fresh_name("frame")
    with translated(label, connection=connection):
        connection.register(registered, Capsule(frame, nanoarrow.c_array_stream(frame).get_schema()))
    table = declared.of(bind(connection, registered, names, label, declared.casts))
    table.rows = rows
    return table


def _copied(
    connection: duckdb.DuckDBPyConnection, stream: Capsule, names: Sequence[str], label: str, declared: _Declared
) -> LoadedTable:
    """Copy what can be read only once, or only at a price."""
    check_names(names, label)
    copy, registered = fresh_name("copy"), fresh_name("frame")
    with translated(label, connection=connection):
        connection.register(registered, stream)
        ((rows,),) = connection.execute(f"CREATE TEMP TABLE {copy} AS FROM {registered}").fetchall()
        connection.unregister(registered)
    check_rows(rows, label)
    table = declared.of(bind(connection, copy, names, label))
    table.rows = rows
    return table


def _names(schema: Any) -> list[str]:
    return [child.name or "" for child in schema.children]


def _ordered_columns(schema: Any) -> list[int]:
    return [
        at for at, child in enumerate(schema.children) if child.dictionary is not None and child.flags & _ORDERED_FLAG
    ]


def _orders(schema: Any, chunks: Any) -> Orders:
    """Return the order of each ordered dictionary, where all chunks agree on it."""
    names = _names(schema)
    seen: dict[str, set[tuple[str, ...]]] = {names[at]: set() for at in _ordered_columns(schema)}
    for chunk in chunks:
        for at in _ordered_columns(schema):
            dictionary = nanoarrow.Array(chunk.child(at).dictionary)
            seen[names[at]].add(tuple(str(value) for value in dictionary.to_pylist()))
    return {name: orders.pop() for name, orders in seen.items() if len(orders) == 1}
