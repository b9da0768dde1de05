"""From a source to a table that DuckDB can scan."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from tclose.data.sources import (
    DatabaseTable,
    ExampleSource,
    FileSource,
    FrameSource,
    ReadOptions,
    Source,
    StreamSource,
    ValuesSource,
)
from tclose.data.sources.formats import check_is_table, compression_of, format_by_content
from tclose.data.sources.text_files import opener
from tclose.engines.duckdb.connection import connect, disconnect, private_folder
from tclose.engines.duckdb.csv import load_csv, text_names
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.sql import quoted as quoted
from tclose.engines.duckdb.table import Column as Column
from tclose.engines.duckdb.table import Keeper, text_of
from tclose.engines.duckdb.table import LoadedTable as LoadedTable
from tclose.errors import EmptyTableError, InternalError, Note, SourceError

# Tables that are read once and looked at often: copied into the database that connections of this process share.


@dataclass(frozen=True)
class HeldTable(Source):
    """A table in the shared database, with its columns typed by all their values; it is there until it is dropped."""

    columns: tuple[Column, ...]
    name: str
    rows: int | None
    notes: tuple[Note, ...]
    keeper: Keeper | None = field(repr=False)

    def bound(self, connection: duckdb.DuckDBPyConnection) -> LoadedTable:
        """Return the table as a connection of the shared database sees it."""
        return LoadedTable(connection, self.columns, self.label, self.name, self.rows, self.notes, self.keeper)

    def texts(self) -> dict[str, list[str | None]]:
        """Return the cells of every column that can be read, as texts; each column has the rows in the same order."""
        columns = [column for column in self.columns if column.problem is None]
        connection = connect()
        try:
            listing = ", ".join(f"CAST({text_of(column)} AS VARCHAR)" for column in columns)
            rows = connection.execute(f"SELECT {listing} FROM {self.name}").fetchall()  # noqa: S608 - aliases
        finally:
            disconnect(connection)
        return {column.name: [row[at] for row in rows] for at, column in enumerate(columns)}

    def drop(self) -> None:
        """Free what the rows take."""
        connection = connect()
        connection.execute(f"DROP TABLE IF EXISTS {self.name}")
        disconnect(connection)


def hold(table: object, *, read: ReadOptions | None = None, sample: int | None = None) -> HeldTable:
    """Read a table and hold its rows; what an audit says of them is the same.

    Parameters
    ----------
    table
        Anything that :func:`tclose.audit` takes, except a table of a database.
    read
        How to read files.
    sample
        How many rows to hold at most, drawn at random; all by default.

    Examples
    --------
    >>> held = hold({"zip": [1, 2]})
    >>> held.rows, held.label
    (2, 'a mapping of columns')
    >>> held.drop()
    """
    from tclose.data.sources import locate

    connection = connect()
    try:
        opened = load(connection, locate(table, options=read))
        kept = opened.keep([column.name for column in opened.columns if column.problem is None])
        name = fresh_name("held")
        with translated(opened.label, connection=connection):
            drawn = "" if sample is None else f" USING SAMPLE reservoir({sample} ROWS) REPEATABLE (1)"
            ((rows,),) = connection.execute(f"CREATE TABLE {name} AS FROM {kept.name}{drawn}").fetchall()
        typed = {column.name: column for column in kept.columns}
        columns = tuple(typed.get(column.name, column) for column in opened.columns)
        return HeldTable(opened.label, columns, name, rows, opened.notes, kept.keeper)
    finally:
        disconnect(connection)


_TEXTS = ("csv", "tsv")


def load(connection: duckdb.DuckDBPyConnection, source: Source) -> LoadedTable:
    """Bind a source to a connection, looking at no more of it than its columns need.

    Parameters
    ----------
    connection
        A connection of :func:`~tclose.engines.duckdb.connection.connect`.
    source
        What :func:`~tclose.data.sources.locate` returned.

    Returns
    -------
    LoadedTable
        The columns, and a name that can stand after FROM.

    Raises
    ------
    SourceError
        If the source cannot be read.

    Examples
    --------
    >>> from tclose.engines.duckdb.connection import connect
    >>> from tclose.data.sources import locate
    >>> table = load(connect(), locate("example:merit")).keep(["merit_points"])
    >>> table.connection.execute(f"SELECT sum(c1) FROM {table.name}").fetchall()
    [(28,)]
    """
    if isinstance(source, ExampleSource):
        columns = dict(zip(source.example.columns, zip(*source.example.rows, strict=True), strict=True))
        return _load_values(connection, ValuesSource(source.label, columns))
    if isinstance(source, ValuesSource):
        return _load_values(connection, source)
    if isinstance(source, FrameSource):
        from tclose.engines.duckdb.frames import load_frame

        return load_frame(connection, source)
    if isinstance(source, StreamSource):
        return _load_stream(connection, source)
    if isinstance(source, FileSource):
        return _load_files(connection, source)
    if isinstance(source, HeldTable):
        return source.bound(connection)
    if isinstance(source, DatabaseTable):
        raise SourceError(
            f"{source.label} is in a database, where only a table of a database can be compared with it. "
            "Audit that table with this one as its reference, or copy the one to where the other is."
        )
    raise InternalError(f"A source of kind {type(source).__name__} has no binding to DuckDB.")


def _load_values(connection: duckdb.DuckDBPyConnection, source: ValuesSource) -> LoadedTable:
    from tclose.engines.duckdb.arrow_tables import load_values

    return load_values(connection, source.columns, source.label)


def names_of(connection: duckdb.DuckDBPyConnection, source: Source) -> tuple[str, ...]:
    """Return the names of the columns of a source, looking at no value of a text file."""
    if isinstance(source, FileSource) and source.format in _TEXTS:
        with _reading(source):
            return text_names(connection, source)
    return tuple(column.name for column in load(connection, source).columns)


def _load_files(connection: duckdb.DuckDBPyConnection, source: FileSource) -> LoadedTable:
    with _reading(source):
        table = _load_format(connection, source)
        table.notes = source.notes + table.notes
        return table


@contextmanager
def _reading(source: FileSource) -> Iterator[None]:
    """Refuse files that are empty, and those that cannot be opened while the block runs."""
    try:
        for path in source.paths:
            if path.stat().st_size == 0:
                raise EmptyTableError(f"{source.name_of(path)} is empty: it has neither a header nor rows.")
        yield
    except PermissionError:
        raise SourceError(f"{source.label} cannot be opened: permission denied.") from None
    except FileNotFoundError:
        raise SourceError(f"{source.label} is not there any more.") from None


def _load_format(connection: duckdb.DuckDBPyConnection, source: FileSource) -> LoadedTable:
    if source.format in _TEXTS:
        return load_csv(connection, source)
    if source.format == "parquet":
        from tclose.engines.duckdb.parquet import load_parquet

        return load_parquet(connection, source)
    if source.format in {"json", "jsonl"}:
        from tclose.engines.duckdb.json import load_json

        return load_json(connection, source)
    from tclose.engines.duckdb.package_files import load_package_file

    return load_package_file(connection, source)


def _load_stream(connection: duckdb.DuckDBPyConnection, source: StreamSource) -> LoadedTable:
    """Copy what can be read only once to a private file, then load that."""
    if source.path is None and sys.stdin is None:
        raise SourceError("Standard input is closed; give it a table, or name a file.")
    copy = private_folder(connection) / fresh_name("stream")
    reading = nullcontext(sys.stdin.buffer) if source.path is None else source.path.open("rb")
    with reading as stream, copy.open("xb") as file:
        shutil.copyfileobj(stream, file)
    head = _head(copy, source.label)
    kind = source.options.input_format or format_by_content(head)
    check_is_table(head, kind, source.label)
    return load(connection, FileSource(source.label, (copy,), kind, source.options, shown_as=source.label))


def _head(path: Path, label: str) -> bytes:
    with path.open("rb") as file:
        head = file.read(512)
    if not head:
        raise EmptyTableError(f"{label} is empty: it has neither a header nor rows.")
    compression = compression_of(head)
    if compression in {None, "zstd"}:
        return b"" if compression else head
    try:
        with opener(path, compression)() as file:
            return file.read(512)
    except (OSError, EOFError):
        raise SourceError(f"{label} cannot be read: it is damaged or cut short.") from None
