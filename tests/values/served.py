"""Columns in databases and on a cluster: as many as fit into one table, because each table costs a journey."""

from __future__ import annotations

import datetime as dt
import itertools
import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from values.cells import Cells, Clock, Moment, Span, cell
from values.columns import Column
from values.files import FILES, Format, Table

_NUMBER = itertools.count()


def _kinds(column: Column) -> set[type]:
    return {type(value) for value in column.values if value is not None}


def _as_held(column: Column, convert: Callable[[Any], Any]) -> tuple[Cells, ...]:
    return (tuple(None if value is None else cell(convert(value)) for value in column.values),)


# SQLite: a cell has a type, a column only declares one.


def _in_sqlite(value: object) -> object:
    """Return a value as SQLite keeps it, or raise ValueError."""
    if isinstance(value, np.floating):
        value = float(str(value))
    if value is None or isinstance(value, str | float) or (isinstance(value, int) and -(2**63) <= value < 2**63):
        if isinstance(value, str) and "\x00" in value:
            raise ValueError
        return None if isinstance(value, float) and np.isnan(value) else value
    if isinstance(value, dt.date):
        return value.isoformat()
    raise ValueError


def _held_sqlite(column: Column) -> tuple[Cells, ...] | None:
    kinds = _kinds(column)
    if bool in kinds and kinds != {bool}:
        return None
    try:
        kept = tuple(_in_sqlite(value) for value in column.values)
    except ValueError:
        return None
    dates = kinds == {dt.date} and column.choice % 2 == 0
    return (tuple(cell(value) for value in (column.values if kinds == {bool} or dates else kept)),)


def _declared(column: Column) -> str:
    kinds = _kinds(column)
    if kinds == {bool}:
        return "BOOLEAN"
    return "DATE" if kinds == {dt.date} and column.choice % 2 == 0 else ""


def _put_sqlite(folder: Path, table: Table) -> str:
    path = folder / f"tables-{next(_NUMBER)}.db"
    listing = ", ".join(f'"{name}" {_declared(column)}' for name, column in table.items())
    marks = ", ".join("?" for _ in table)
    rows = zip(*([_in_sqlite(value) for value in column.values] for column in table.values()), strict=True)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"CREATE TABLE t ({listing})")
        connection.executemany(f"INSERT INTO t VALUES ({marks})", rows)
    connection.close()
    return f"sqlite:{path}#t"


SQLITE = Format("sqlite", _held_sqlite, _put_sqlite)


# PostgreSQL: the types of the server, by letters that it reads itself.


def _postgresql_type(column: Column) -> tuple[str, Callable[[Any], Any]] | None:
    """Return a type of PostgreSQL that holds a column, and the value that it then has."""
    kinds = _kinds(column)
    present: list[Any] = [value for value in column.values if value is not None]
    if not kinds or kinds == {str}:
        return None if any("\x00" in value for value in present) else ("text", str)
    if kinds == {int}:
        widths = [(16, "smallint"), (32, "integer"), (64, "bigint")]
        fitting = [name for bits, name in widths if all(-(2 ** (bits - 1)) <= v < 2 ** (bits - 1) for v in present)]
        fitting.append("numeric")
        return fitting[column.choice % len(fitting)], int
    if kinds <= {int, Decimal}:
        return "numeric", Decimal
    if kinds == {float}:
        return ("double precision", float) if column.choice % 2 else ("real", np.float32)
    if kinds == {np.float32}:
        return "real", np.float32
    if kinds == {Moment}:
        zoned = present[0].offset is not None
        rounded = any(value.ns % 1000 for value in present)
        return None if rounded else ("timestamptz" if zoned else "timestamp", lambda value: value)
    simple: dict[type, tuple[str, Callable[[Any], Any]]] = {
        bool: ("boolean", bool),
        dt.date: ("date", lambda value: value),
        Clock: ("time", lambda value: value),
    }
    return simple.get(next(iter(kinds))) if len(kinds) == 1 else None


def _held_postgresql(column: Column) -> tuple[Cells, ...] | None:
    found = _postgresql_type(column)
    if found is None:
        return None
    with np.errstate(over="ignore"):
        held = _as_held(column, found[1])
    real = [value for value in column.values if isinstance(value, float)]
    too_wide = found[0] == "real" and any(abs(v) > 3e38 or 0 < abs(v) < 1e-37 for v in real if np.isfinite(v))
    return None if too_wide else held


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    value = value.python if isinstance(value, Moment | Clock | Span) else value
    text = format(value, "f") if isinstance(value, Decimal) else str(value)
    return "'" + text.replace("'", "''") + "'"


def _put_postgresql(server: Any, folder: Path, table: Table) -> str:
    name = f"values_{next(_NUMBER)}"
    types = {title: (_postgresql_type(column) or ("text", str))[0] for title, column in table.items()}
    rows = [
        "(" + ", ".join(_literal(column.values[at]) for column in table.values()) + ")"
        for at in range(len(next(iter(table.values())).values))
    ]
    server.run(
        f"CREATE TABLE {name} ({', '.join(f'{title} {kind}' for title, kind in types.items())})",
        f"INSERT INTO {name} VALUES {', '.join(rows)}",
    )
    return f"{server.address()}#{name}"


def postgresql(server: Any) -> Format:
    """Return the format of a running server."""
    return Format("postgresql", _held_postgresql, lambda folder, table: _put_postgresql(server, folder, table))


# Spark: a frame with a declared type for each column.


def _spark_type(column: Column) -> tuple[Any, Callable[[Any], Any]] | None:
    from pyspark.sql import types as T

    kinds = _kinds(column)
    present: list[Any] = [value for value in column.values if value is not None]
    if not kinds or kinds == {str}:
        return T.StringType(), str
    if kinds == {int}:
        widths = [(8, T.ByteType()), (16, T.ShortType()), (32, T.IntegerType()), (64, T.LongType())]
        fitting = [kind for bits, kind in widths if all(-(2 ** (bits - 1)) <= v < 2 ** (bits - 1) for v in present)]
        if all(abs(value) < 10**38 for value in present):
            fitting.append(T.DecimalType(38, 0))
        return (fitting[column.choice % len(fitting)], int) if fitting else None
    if kinds <= {int, Decimal}:
        after = max(max(0, -int(Decimal(value).as_tuple().exponent)) for value in present)
        fits = after <= 38 and all(abs(value) < Decimal(10) ** (38 - after) for value in present)
        return (T.DecimalType(38, after), Decimal) if fits else None
    if kinds == {float}:
        return (T.DoubleType(), float) if column.choice % 2 else (T.FloatType(), np.float32)
    if kinds == {Moment}:
        zoned = present[0].offset is not None
        rounded = any(value.ns % 1000 for value in present)
        return None if rounded else (T.TimestampType() if zoned else T.TimestampNTZType(), lambda value: value)
    if kinds == {Span}:
        return None if any(value.ns % 1000 for value in present) else (T.DayTimeIntervalType(), lambda value: value)
    simple = {bool: (T.BooleanType(), bool), dt.date: (T.DateType(), lambda value: value)}
    simple[np.float32] = (T.FloatType(), np.float32)
    return simple.get(next(iter(kinds))) if len(kinds) == 1 else None


def _held_spark(column: Column) -> tuple[Cells, ...] | None:
    found = _spark_type(column)
    with np.errstate(over="ignore"):
        return None if found is None else _as_held(column, found[1])


def _in_spark(value: object, kind: Any) -> object:
    if value is None:
        return None
    if isinstance(value, Moment | Clock | Span):
        return value.python
    if kind.typeName() in ("float", "double"):
        return float(value)  # type: ignore[arg-type]
    return Decimal(value) if kind.typeName().startswith("decimal") else value  # type: ignore[arg-type]


def _put_spark(session: Any, folder: Path, table: Table) -> Any:
    from pyspark.sql import types as T

    types = {title: _spark_type(column) for title, column in table.items()}
    schema = T.StructType([T.StructField(title, kind[0]) for title, kind in types.items() if kind])
    rows = list(
        zip(
            *(
                [_in_spark(value, field.dataType) for value in column.values]
                for column, field in zip(table.values(), schema.fields, strict=True)
            ),
            strict=True,
        )
    )
    return session.createDataFrame(rows, schema)


def spark(session: Any) -> Format:
    """Return the format of a running session."""
    return Format("spark", _held_spark, lambda folder, table: _put_spark(session, folder, table))


def spark_files(session: Any) -> list[Format]:
    """Return the text files that a session reads by their paths: what they hold is what they hold elsewhere."""
    from tclose.engines.spark.reading import read_path

    def through(form: Format) -> Format:
        def put(folder: Path, table: Table) -> Any:
            return read_path(session, str(form.put(folder, table)))

        return Format(f"{form.name} on spark", form.held, put)

    return [through(form) for form in FILES if form.name in ("tsv", "json lines")]
