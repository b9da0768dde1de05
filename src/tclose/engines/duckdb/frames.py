"""Frames in the caller's memory: pandas, polars, Arrow and DuckDB, without a copy where possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any  # frames come from packages that tclose does not depend on

import duckdb
import nanoarrow
from nanoarrow.c_array_stream import CArrayStream

from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.pandas_frames import load_pandas
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import LoadedTable, bind, check_names, check_rows
from tclose.engines.duckdb.values import NOT_SCALAR, Capsule
from tclose.sources import FrameSource

_ORDERED_FLAG = 1

Orders = Mapping[str, tuple[str, ...]]
"""The declared order of the values of columns that have one."""


def load_frame(connection: duckdb.DuckDBPyConnection, source: FrameSource) -> LoadedTable:
    """Bind a frame of the caller."""
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
    stream = nanoarrow.c_array_stream(table)
    schema = stream.get_schema()
    orders = _orders(schema, stream) if _ordered_columns(schema) else {}
    return _registered(connection, table, _names(schema), label, rows=table.num_rows, orders=orders)


def _load_stream(connection: duckdb.DuckDBPyConnection, frame: Any, label: str) -> LoadedTable:
    """Copy a stream, which can be read only once."""
    stream = nanoarrow.c_array_stream(frame)
    schema = stream.get_schema()
    orders: Orders = {}
    if _ordered_columns(schema):
        chunks = list(stream)
        orders = _orders(schema, chunks)
        stream = CArrayStream.from_c_arrays(chunks, schema)
    return _copied(connection, Capsule(stream, schema), _names(schema), label, orders)


def _load_polars(connection: duckdb.DuckDBPyConnection, frame: Any, label: str) -> LoadedTable:
    if type(frame).__name__ == "LazyFrame":
        frame = frame.collect(engine="streaming")
    orders = {
        name: tuple(str(value) for value in kind.categories)
        for name, kind in frame.schema.items()
        if type(kind).__name__ == "Enum"
    }
    objects = [name for name, kind in frame.schema.items() if type(kind).__name__ == "Object"]
    shown = frame.with_columns(**dict.fromkeys(objects)) if objects else frame
    table = _registered(connection, shown, frame.columns, label, rows=frame.height, orders=orders)
    return replace(
        table,
        columns=tuple(
            replace(column, problem=NOT_SCALAR) if column.name in objects else column for column in table.columns
        ),
    )


def _load_relation(connection: duckdb.DuckDBPyConnection, relation: Any, label: str) -> LoadedTable:
    """Copy a relation of another connection: its query runs once, where it belongs."""
    with translated(label, connection=connection):
        names = [str(name) for name in relation.columns]
        orders = {
            name: tuple(str(value) for value in dict(kind.children)["values"])
            for name, kind in zip(names, relation.types, strict=True)
            if kind.id == "enum"
        }
        stream = nanoarrow.c_array_stream(relation)
        schema = stream.get_schema()
    return _copied(connection, Capsule(stream, schema), names, label, orders)


def _registered(
    connection: duckdb.DuckDBPyConnection,
    frame: Any,
    names: Sequence[str],
    label: str,
    *,
    rows: int,
    orders: Orders,
) -> LoadedTable:
    """Bind a frame where it is, without a copy."""
    check_names(names, label)
    check_rows(rows, label)
    registered = fresh_name("frame")
    with translated(label, connection=connection):
        connection.register(registered, Capsule(frame, nanoarrow.c_array_stream(frame).get_schema()))
    table = _with_orders(bind(connection, registered, names, label), orders)
    table.rows = rows
    return table


def _copied(
    connection: duckdb.DuckDBPyConnection, stream: Capsule, names: Sequence[str], label: str, orders: Orders
) -> LoadedTable:
    """Copy what can be read only once, or only at a price."""
    check_names(names, label)
    copy, registered = fresh_name("copy"), fresh_name("frame")
    with translated(label, connection=connection):
        connection.register(registered, stream)
        ((rows,),) = connection.execute(f"CREATE TEMP TABLE {copy} AS FROM {registered}").fetchall()
        connection.unregister(registered)
    check_rows(rows, label)
    table = _with_orders(bind(connection, copy, names, label), orders)
    table.rows = rows
    return table


def _with_orders(table: LoadedTable, orders: Orders) -> LoadedTable:
    columns = tuple(replace(column, categories=orders.get(column.name)) for column in table.columns)
    return replace(table, columns=columns)


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
