"""Frames in the caller's memory: pandas, polars, Arrow and DuckDB, without a copy where possible."""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import duckdb
import nanoarrow

from tclose.data.sources import FrameSource
from tclose.engines.duckdb.arrow_tables import (
    Capsule,
    has_nanoseconds,
    shortest,
    streamed,
    typed_values,
    unequal_columns,
    unread_columns,
    without,
    zones,
)
from tclose.engines.duckdb.errors import MIXED, NESTED, TOO_FINE, translated, unread
from tclose.engines.duckdb.published_types import zone_called
from tclose.engines.duckdb.sql import fresh_name, literal
from tclose.engines.duckdb.table import Column, LoadedTable, bind, check_names, check_rows
from tclose.engines.errors import capital, imported, translating
from tclose.errors import SourceError

# Rows of a query as a pandas frame that keeps every digit: where floats would not, exact numbers of Python.


_LONG = re.compile(r"U?HUGEINT|DECIMAL\(.*")
"""Types of which DuckDB itself makes floats."""
_INT64 = range(-(2**63), 2**63)


def exact_frame(connection: duckdb.DuckDBPyConnection, query: str) -> Any:
    """Return the rows of a query as a frame."""
    relation = connection.sql(query)
    types = [str(kind) for kind in relation.types]
    texts = {at for at, kind in enumerate(types) if _LONG.fullmatch(kind)}
    values = [f"CAST(#{at + 1} AS VARCHAR)" if at in texts else f"#{at + 1}" for at in range(len(types))]
    listing = ", ".join(f"{value} AS v{at}" for at, value in enumerate(values))
    frame = connection.execute(f"SELECT {listing} FROM ({query})").fetchdf()  # noqa: S608 - our own query
    for at in texts:
        frame[f"v{at}"] = _numbers(frame[f"v{at}"], whole="DECIMAL" not in types[at])
    frame.columns = relation.columns
    return frame


def _numbers(texts: Any, *, whole: bool) -> Any:
    """Return texts in a type of NumPy that has all their digits, else as objects of Python."""
    found = {text: int(text) if whole else Decimal(text) for text in texts.dropna().unique()}
    numbers = texts.map(found, na_action="ignore")
    if whole and not texts.hasnans and all(number in _INT64 for number in found.values()):
        return numbers.astype("int64")
    if all(Decimal(repr(float(number))) == number for number in found.values()):
        return numbers.astype("float64")
    return numbers.astype(object).where(texts.notna(), None)


# The types that the columns of a caller's frame had, given back to those that a release publishes as they are.


_MOST_CATEGORIES = 10_000
"""A column with more different values is text where it leaves, though it was made of categories."""
_CATEGORIES = ("CategoricalDtype", "DictionaryType", "Enum", "Categorical")
_DURATIONS = ("Duration", "DurationType")


def given_types(frame: Any) -> list[Any]:
    """Return the types of a frame's columns as its own package has them; none where it has no such types."""
    package = type(frame).__module__.partition(".")[0]
    if package == "pandas":
        return list(frame.dtypes)
    if package == "polars":
        return list(frame.collect_schema().values())
    return list(frame.schema.types) if package == "pyarrow" else []


def with_categories(connection: duckdb.DuckDBPyConnection, column: Column, rows: str) -> str:
    """Return the SQL of a column as it leaves in Arrow: one of categories with the list of those that are published.

    The others may be values of rows that were left out, or of people who are not in the table at all.

    Parameters
    ----------
    connection
        Where the rows are.
    column
        A published column.
    rows
        A query in which every published value occurs.
    """
    if _kind(column) not in _CATEGORIES or column.type != "VARCHAR":
        return column.published
    distinct = f"SELECT DISTINCT {column.alias} AS v FROM ({rows}) WHERE v IS NOT NULL LIMIT {_MOST_CATEGORIES + 1}"  # noqa: S608
    found = {str(value) for (value,) in connection.execute(distinct).fetchall()}
    declared = [str(each) for each in _declared(column.given)]
    listed = [each for each in declared if each in found] if found <= {*declared} else sorted(found)
    if not listed or len(listed) > _MOST_CATEGORIES:
        return column.published
    return f"CAST({column.alias} AS ENUM({', '.join(map(literal, listed))}))"


def _kind(column: Column) -> str:
    return type(column.given).__name__


def is_duration(column: Column) -> bool:
    """Say whether a column of intervals has durations, which no month is part of."""
    return column.type == "INTERVAL" and (_kind(column) in _DURATIONS or getattr(column.given, "kind", "") == "m")


def _declared(given: Any) -> Sequence[Any]:
    """Return the categories that a type lists; none where the rows say which there are."""
    return tuple(given.categories) if type(given).__name__ in ("CategoricalDtype", "Enum") else ()


def as_pandas(series: Any, column: Column) -> Any:
    """Return a series in the type that the column had, or as it is where that would change a value."""
    dtype = column.given
    if dtype is None or type(dtype).__module__.partition(".")[0] not in ("pandas", "numpy"):
        return series.astype("category") if _kind(column) in _CATEGORIES else series
    if series.dtype == dtype:
        return series
    try:
        made = _objects(series, column) if dtype.name == "object" else series.astype(dtype)
    except (TypeError, ValueError):
        return series
    if made.isna().sum() != series.isna().sum():
        return series
    return made.cat.remove_unused_categories() if _kind(column) in _CATEGORIES else made


def _objects(series: Any, column: Column) -> Any:
    """Return days and texts as objects of Python; of other objects the types of NumPy are better."""
    if column.type == "DATE":
        series = series.dt.date
    elif column.type != "VARCHAR":
        return series
    return series.astype(object).where(series.notna(), None)


def as_arrow(table: Any, columns: Sequence[Column]) -> Any:
    """Return a table of pyarrow with columns in the types that they had, where these are of pyarrow too."""
    arrow = imported("pyarrow", "This view of the release")
    for at, column in enumerate(columns):
        made = table.column(at)
        if is_duration(column):
            made = made.cast(arrow.duration("us"))
        given = column.given if isinstance(column.given, arrow.DataType) else made.type
        if made.type != given:
            made = _cast(arrow, made, given, column.categories)
        table = table.set_column(at, table.field(at).with_type(made.type), made)
    return table


def _cast(arrow: Any, cells: Any, given: Any, order: Sequence[str] | None) -> Any:
    if arrow.types.is_null(given):
        return arrow.chunked_array([arrow.nulls(len(cells))]) if cells.null_count == len(cells) else cells
    if not arrow.types.is_dictionary(given):
        return cells.cast(given)
    held = {value for value in cells.unique().to_pylist() if value is not None}
    values = [value for value in order if value in held] if order else sorted(held)
    listed = arrow.array(values, given.value_type)
    chunks = [
        arrow.DictionaryArray.from_arrays(
            arrow.compute.index_in(chunk.cast(given.value_type), listed).cast(given.index_type),
            listed,
            ordered=given.ordered,
        )
        for chunk in cells.chunks
    ]
    return arrow.chunked_array(chunks, given)


def as_polars(frame: Any, columns: Sequence[Column]) -> Any:
    """Return a frame of polars with columns in the types that they had, where these are of polars too."""
    polars = imported("polars", "This view of the release")
    casts = []
    for name, column in zip(frame.columns, columns, strict=True):
        cells = polars.col(name)
        if is_duration(column):
            cells = cells.cast(polars.Duration("us"))
        if _kind(column) == "Enum":
            held = {*frame[name].cast(polars.String)}
            cells = cells.cast(polars.String).cast(
                polars.Enum([each for each in column.given.categories if each in held])
            )
        elif isinstance(column.given, polars.DataType):
            cells = cells.cast(column.given)
        casts.append(cells)
    return frame.with_columns(casts)


# pandas frames: registered as they are, with columns of Python objects typed by all their values.


_DIRECT = re.compile(
    r"u?int\d+|U?Int\d+|float\d+|Float\d+|bool|boolean|str|string|category|(datetime64|timedelta64).*|.*\[pyarrow\]"
)
_NARROW = re.compile(r"halffloat|decimal256")
_DURATION = re.compile(r"timedelta64|duration")
_ZONED = re.compile(r"timestamp\[\w+, tz=(.+)\]\[pyarrow\]")
_STORAGE = {"int64": "Int64", "float64": "Float64", "bool": "boolean", "string": "string"}


@dataclass(frozen=True)
class _Shown:
    """A series as DuckDB can take it, and what has to be said about it."""

    series: Any
    cast: str | None = None
    order: tuple[str, ...] | None = None
    problem: str | None = None
    zone: dt.tzinfo | None = None

    def of(self, column: Column) -> Column:
        """Return a column that was bound with what has to be said about it."""
        said = replace(column, categories=self.order, problem=self.problem or column.problem)
        return said.moved(self.zone) if self.zone is not None else said


def load_pandas(connection: duckdb.DuckDBPyConnection, frame: Any, label: str) -> LoadedTable:
    """Bind a pandas frame; its index is no part of the table."""
    names = [str(name) for name in frame.columns]
    check_names(names, label)
    check_rows(len(frame), label)
    shown = frame.copy(deep=False)
    shown.columns = [f"c{at}" for at in range(len(names))]
    columns = {alias: _shown(shown[alias]) for alias in shown.columns}
    for alias, column in columns.items():
        if column.series is not None:
            shown[alias] = column.series
    registered = fresh_name("frame")
    with translated(label, connection=connection):
        connection.register(registered, shown)
    casts = {alias: column.cast for alias, column in columns.items() if column.cast}
    table = bind(connection, registered, names, label, casts)
    said = tuple(columns[column.alias].of(column) for column in table.columns)
    return replace(table, rows=len(frame), columns=said)


def _shown(series: Any) -> _Shown:
    """Return a series as DuckDB can take it; ``series`` is None where it can as it is."""
    kind = series.dtype.name
    if kind == "category":
        return _categorical(series)
    if kind == "object":
        return _typed(series)
    if kind.startswith("Sparse"):
        return _Shown(series.sparse.to_dense())
    if kind.startswith(("period", "interval")):
        return _Shown(series.astype("object").map(str, na_action="ignore").astype("string"))
    if kind == "float16":
        return _Shown(type(series)(shortest(series.to_numpy()), index=series.index, dtype="float64"))
    if _NARROW.match(kind) or not _DIRECT.fullmatch(kind):
        return _Shown(_nothing(series), problem=unread(kind))
    if _DURATION.match(kind) and bool(series.dt.nanoseconds.any()):
        return _Shown(_nothing(series), problem=TOO_FINE)
    if zone := getattr(series.dtype, "tz", None):
        return _Shown(series.dt.tz_convert("UTC").dt.tz_localize(None), zone=zone)
    if declared := _ZONED.fullmatch(kind):
        return _Shown(None, zone=zone_called(declared[1]))
    return _Shown(series.copy() if _is_backwards(series.array) else None)


def _is_backwards(array: Any) -> bool:
    """Say whether an array is a view from the last row to the first, which DuckDB does not take."""
    parts = (getattr(array, name, None) for name in ("_ndarray", "_data", "_mask"))
    return any(stride < 0 for part in parts for stride in getattr(part, "strides", ()))


def _nothing(series: Any) -> Any:
    return series.astype("object").map(lambda _: None).astype("string")


def _categorical(series: Any) -> _Shown:
    categories = list(series.cat.categories)
    order = tuple(str(category) for category in categories) if series.cat.ordered else None
    if all(isinstance(category, str) for category in categories):
        return _Shown(None, order=order)
    if series.cat.categories.dtype.kind in "iufbM":
        return replace(_typed(series.astype("object")), order=order)
    if len({str(category) for category in categories}) < len(categories):
        return _Shown(series.astype("object").map(str, na_action="ignore").astype("string"), problem=MIXED)
    return _Shown(series.cat.rename_categories([str(category) for category in categories]), order=order)


def _typed(series: Any) -> _Shown:
    """Type a series of Python objects by all its values, not by a sample as DuckDB would."""
    if importlib.import_module("pandas").api.types.infer_dtype(series, skipna=True) == "string":
        with contextlib.suppress(UnicodeEncodeError):
            return _Shown(series.astype("string"))
    typed = typed_values(series.tolist())
    converted = type(series)(typed.values, index=series.index, dtype=_STORAGE[typed.storage])
    return _Shown(converted, cast=typed.type, problem=typed.problem, zone=typed.zone)


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
