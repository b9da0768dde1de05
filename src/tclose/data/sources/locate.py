"""From what the caller names or holds to the source it stands for."""

from __future__ import annotations

import glob
import importlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from tclose.data.labels import named_in_full, naming, quoted
from tclose.data.sources.database import DatabaseTable, files_of_database, is_database_address
from tclose.data.sources.examples import EXAMPLES, example_named
from tclose.data.sources.formats import check_is_table, compression_of, format_by_content, format_by_name
from tclose.data.sources.source import (
    ExampleSource,
    FileSource,
    FrameKind,
    FrameSource,
    ReadOptions,
    Source,
    StreamSource,
    ValuesSource,
)
from tclose.errors import EngineNotInstalledError, Hint, Note, SourceError, closest, counted, listed

# Addresses that tclose does not read, each with what to use instead.


_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.:-]+://|[jo]dbc:", re.IGNORECASE)
_SPARK = ("hdfs", "s3a", "s3n", "abfs", "abfss", "wasb", "wasbs", "dbfs", "gs", "viewfs", "webhdfs", "adl", "oss")
_WITH_ADBC = {"snowflake": "snowflake", "bigquery": "bigquery", "mssql": "mssql", "databricks": "databricks"}
_OTHERS = ("mysql", "mariadb", "oracle", "redshift", "trino", "presto", "clickhouse", "hive", "db2", "jdbc", "odbc")
_DOWNLOAD = "Download it and give the path of the copy."
_FRAME = "Read what you need with your own driver, and give the data frame or Arrow table to tclose.audit in Python."


def unread_scheme(text: str) -> str | None:
    """Return the scheme of an address that is no path; None for a path. What follows it may hold a password.

    Examples
    --------
    >>> unread_scheme("s3://bucket/a.csv"), unread_scheme("jdbc:oracle:thin:ann/x@//host/y"), unread_scheme("a.csv")
    ('s3', 'jdbc', None)
    """
    found = _ADDRESS.match(text)
    return None if found is None else found[0].removesuffix("//").removesuffix(":")


def advice_for(scheme: str) -> str:
    """Return what to do with an address of a scheme that is not read.

    Examples
    --------
    >>> advice_for("hdfs")
    'Spark reads it: --engine spark.'
    >>> advice_for("postgresql+psycopg2")
    'Write postgresql:// instead, without the name of a driver.'
    """
    scheme = scheme.lower()
    base = scheme.partition(":")[0].partition("+")[0]
    if scheme in _SPARK:
        return "Spark reads it: --engine spark."
    if base in ("s3", "gcs", "azure", "az"):
        return f"Spark reads it, under its own scheme (s3a://, gs://, abfss://): --engine spark. {_DOWNLOAD}"
    if base in ("postgresql", "postgres") or scheme == "jdbc:postgresql":
        return "Write postgresql:// instead, without the name of a driver."
    if base == "sqlite":
        return "Write sqlite:PATH instead."
    if base == "duckdb":
        return "Write adbc:duckdb:PATH#TABLE instead."
    if base in _WITH_ADBC:
        return f"With its ADBC driver installed: adbc:{_WITH_ADBC[base]}:URI --table NAME. {_FRAME}"
    if base in _OTHERS:
        return f"There is no driver of it here. {_FRAME}"
    return _DOWNLOAD


# Folders of which a log says which files are the table: Delta Lake is read, Iceberg and Hudi are refused by name.


_LOGS = {"_delta_log": "Delta Lake", ".hoodie": "Hudi"}
_HARMLESS = {"timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"}
"""What a table may ask of its readers without its files meaning anything else."""
_BY_SPARK = "Read it with --engine spark, or export its current rows to Parquet and name that file."


def kind_of_lake(folder: Path) -> str | None:
    """Return what a folder is a table of: Delta Lake, Iceberg or Hudi; None where its files are the table."""
    for log, kind in _LOGS.items():
        if (folder / log).is_dir():
            return kind
    return "Iceberg" if any((folder / "metadata").glob("*.metadata.json")) else None


def check_beside_no_log(paths: Iterable[Path]) -> None:
    """Refuse files of a table of which a log says which of them count; they were named without it."""
    for folder in sorted({above for path in paths for above in _folders_of(path)}):
        kind = kind_of_lake(folder)
        if kind is not None:
            raise SourceError(
                f"{str(folder)!r} is a table of {kind}, whose files may hold rows that were deleted. Name that folder."
            )


def _folders_of(path: Path) -> Iterator[Path]:
    """Give the folder of a file, and those above it that can belong to the same table."""
    folder = path.parent
    yield folder
    while "=" in folder.name or folder.name == "data":
        folder = folder.parent
        yield folder


def files_of_lake(folder: Path, kind: str) -> list[Path]:
    """Return the files that are the current version of a table; refuse what files alone do not say."""
    if kind != "Delta Lake":
        raise SourceError(
            f"{str(folder)!r} is a table of {kind}, whose files may hold rows that were deleted. {_BY_SPARK}"
        )
    table = _opened(folder)
    protocol = table.protocol()
    asked = sorted({*(protocol.reader_features or ())} - _HARMLESS)
    mapped = table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none"
    if asked or mapped:
        what = listed(asked or ["columnMapping"])
        raise SourceError(f"The Delta table {str(folder)!r} uses {what}, which tclose does not read. {_BY_SPARK}")
    files = [Path(unquote(urlsplit(uri).path) if uri.startswith("file:") else uri) for uri in table.file_uris()]
    if not files:
        raise SourceError(f"The Delta table {str(folder)!r} has no rows in its current version.")
    return sorted(files)


def _opened(folder: Path) -> Any:
    try:
        lake = importlib.import_module("deltalake")
    except ImportError:
        raise EngineNotInstalledError("Reading a Delta table", "deltalake", "lake") from None
    try:
        return lake.DeltaTable(str(folder))
    except Exception:  # noqa: BLE001 - whatever a damaged log does to a reader that is not ours
        raise SourceError(f"The log of the Delta table {str(folder)!r} cannot be read. {_BY_SPARK}") from None


# From paths, globs and folders to the files of one table.


_HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"
_HEAD_BYTES = 512


def files_at(given: Sequence[str | Path], options: ReadOptions) -> Source:
    """Return the source that paths, globs and folders stand for together."""
    label = named_in_full(*given)
    found: list[Path] = []
    notes: list[Note] = []
    partitions: list[Mapping[str, str | None]] = []
    for item in given:
        if not str(item):
            raise SourceError("An empty name names no table. Give the path of a file or a folder.")
        path = named_path(item)
        if len(given) == 1 and is_pipe(path):
            return StreamSource(label, path, options)
        root, files = _expand(path)
        if not os.path.lexists(path):
            matching = f"{counted(len(files), 'file')} {_match(len(files))}"
            notes.append(Note("pattern", naming("{} is a pattern; {} it.", quoted(path), matching)))
        found += files
        partitions += [_partitions(file.relative_to(root)) for file in files]
    order = sorted(range(len(found)), key=lambda at: str(found[at]))
    paths = tuple(dict.fromkeys(found[at] for at in order))
    by_path = dict(zip(found, partitions, strict=True))
    if len({tuple(partition) for partition in partitions}) > 1:
        raise SourceError(f"The files of {label} lie in folders of different kinds. Give those of one table.")
    folders = tuple(by_path[path] for path in paths) if any(by_path.values()) else ()
    return FileSource(label, paths, _one_format(paths, options), options, folders, notes=tuple(notes))


def named_path(name: str | Path) -> Path:
    """Return the path that a person named: in a home where it begins with ``~``, unless it is there as it is."""
    return Path(name) if os.path.lexists(name) else Path(os.path.expanduser(name))  # noqa: PTH111 - no user, no error


def files_below(name: str | Path) -> list[Path]:
    """Return every file that a path, a folder or a pattern stands for, whether it holds a table or not.

    What cannot be looked at has none.
    """
    path = named_path(name)
    try:
        if os.path.lexists(path):
            return [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
        matching = map(Path, glob.glob(str(path), recursive=True))  # noqa: PTH207 - Path.glob has no absolute patterns
        return [file for match in matching for file in files_below(match)]
    except (OSError, ValueError):
        return []


def _match(files: int) -> str:
    return "matches" if files == 1 else "match"


def _expand(path: Path) -> tuple[Path, list[Path]]:
    """Return the fixed folder of a path, and the files it stands for."""
    try:
        if path.is_dir():
            kind = kind_of_lake(path)
            return path, _files_in(path) if kind is None else files_of_lake(path, kind)
        if path.exists() or path.is_symlink():
            _check_readable(path)
            check_beside_no_log([path])
            return path.parent, [path]
        if glob.has_magic(str(path)):
            return _globbed(path)
    except PermissionError:
        raise SourceError(f"{str(path)!r} cannot be opened: permission denied.") from None
    except OSError as problem:
        raise SourceError(f"{str(path)!r} cannot be opened: {problem.strerror or 'not a valid path'}.") from None
    raise _missing(path)


def _globbed(pattern: Path) -> tuple[Path, list[Path]]:
    fixed: list[str] = []
    for part in pattern.parts:
        if glob.has_magic(part):
            break
        fixed.append(part)
    root = Path(*fixed) if fixed else Path()
    found = glob.glob(str(pattern), recursive=True)  # noqa: PTH207 - Path.glob has no absolute patterns
    matched = [Path(text) for text in sorted(found)]
    files = [file for path in matched for file in (_files_in(path) if path.is_dir() else [path])]
    check_beside_no_log(files)
    if not files:
        raise SourceError(f"No file matches {str(pattern)!r}. Check the folder and the pattern.")
    for file in files:
        _check_readable(file)
    return root, list(dict.fromkeys(files))


def _files_in(folder: Path) -> list[Path]:
    """Return the tables in and below a folder, leaving out the hidden and ``_`` files that Spark writes."""
    with os.scandir(folder):
        pass  # a folder without permission is an error here, not an empty one
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and format_by_name(path)
        and not any(part.startswith((".", "_")) and "=" not in part for part in path.relative_to(folder).parts)
    )
    check_beside_no_log(files)
    if not files:
        raise SourceError(f"The folder {str(folder)!r} holds no table. It needs files such as .csv, .parquet or .json.")
    for file in files:
        _check_readable(file)
    return files


def is_pipe(path: Path) -> bool:
    """Say whether a path leads to a pipe, whose rows come only once."""
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _check_readable(path: Path) -> None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise SourceError(f"{str(path)!r} is a link to a file that does not exist.") from None
    if not stat.S_ISREG(mode):
        raise SourceError(f"{str(path)!r} is a device or a socket, not a file with a table.")
    with path.open("rb"):
        pass


def _missing(path: Path) -> SourceError:
    folder = path.parent
    if not folder.is_dir():
        missing = naming("There is no file {}: the folder {} does not exist.", quoted(path), quoted(folder))
        return SourceError(missing, code="no-such-file")
    try:
        there = [entry.name for entry in folder.iterdir() if not entry.name.startswith(".")]
        near = closest(path.name, [*there, *(f"example:{name}" for name in EXAMPLES if ":" in path.name)])
    except OSError:
        near = None
    hint = Hint("Did you mean {}?", repr(str(folder / near))) if near else Hint("Check the name and the folder.")
    return SourceError(naming("There is no file {}.", quoted(path)), code="no-such-file", hint=hint)


def _partitions(relative: Path) -> dict[str, str | None]:
    """Return what folders such as ``year=2020`` say about a file below them."""
    pairs = (part.split("=", 1) for part in relative.parts[:-1] if "=" in part[1:])
    return {unquote(name): None if value == _HIVE_NULL else unquote(value) for name, value in pairs}


def _one_format(paths: Iterable[Path], options: ReadOptions) -> str:
    formats = {}
    for path in paths:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
        name = options.input_format or format_by_name(path)
        if name is None and compression_of(head) is None:
            name = format_by_content(head)
        check_is_table(head, name or "csv", repr(str(path)))
        formats[name or "csv"] = path
    if len(formats) > 1:
        raise SourceError(f"The files are of different formats ({listed(sorted(formats))}). Give those of one table.")
    return next(iter(formats))


_KNOWN_FRAMES: Mapping[tuple[str, str], tuple[FrameKind, str]] = {
    ("pandas", "DataFrame"): ("pandas", "a pandas DataFrame"),
    ("polars", "DataFrame"): ("polars", "a polars DataFrame"),
    ("polars", "LazyFrame"): ("polars", "a polars LazyFrame"),
    ("pyarrow", "Table"): ("arrow", "an Arrow table"),
    ("pyarrow", "RecordBatch"): ("arrow", "an Arrow record batch"),
    ("pyarrow", "RecordBatchReader"): ("stream", "an Arrow stream"),
    ("duckdb", "DuckDBPyRelation"): ("duckdb", "a DuckDB relation"),
}

_CONNECTIONS = ("sqlalchemy", "sqlite3", "psycopg", "psycopg2", "duckdb", "adbc_driver_manager", "pyodbc", "pymysql")
"""Packages whose objects, apart from those that are tables, are connections to databases."""


def locate(table: object, *, options: ReadOptions | None = None) -> Source:
    """Say where the rows of a table are, without reading them.

    Parameters
    ----------
    table
        A path, a glob, a folder, a list of paths, ``"-"`` for standard input, ``"example:NAME"``, the address
        of a table in a database (``"postgresql://HOST/DATABASE#TABLE"``, ``"sqlite:PATH#TABLE"``), a pandas, polars or
        Arrow table, a DuckDB relation, anything with the Arrow stream interface, a mapping from column name to
        values, a list of mappings, or a source already located.
    options
        How a file is to be read.

    Returns
    -------
    Source
        The source, with the label under which reports name it.

    Raises
    ------
    SourceError
        If nothing is there, or it is not a table; the message says what, where and the way out.

    Examples
    --------
    >>> locate("example:salary").label
    "the example 'salary'"
    """
    options = options or ReadOptions()
    if isinstance(table, Source):
        return table
    if isinstance(table, str | Path):
        return _named(table, options)
    if isinstance(table, Mapping):
        return ValuesSource("a mapping of columns", {str(name): values for name, values in table.items()})
    if isinstance(table, Sequence) and not isinstance(table, bytes | bytearray | memoryview):
        return _sequence(table, options)
    return _frame(table)


def are_tables(given: object) -> bool:
    """Say whether something is a mapping from names to tables; a mapping from names to values is one table.

    Examples
    --------
    >>> are_tables({"people": {"id": [1, 2]}, "events": "events.csv"}), are_tables({"id": [1, 2]})
    (True, False)
    """
    return isinstance(given, Mapping) and bool(given) and all(_is_table(each) for each in given.values())


def _is_table(given: object) -> bool:
    if isinstance(given, str | Path | Mapping | Source):
        return True
    return hasattr(type(given), "columns") or hasattr(type(given), "schema")  # a column has neither


def files_read(table: object, what: str = "the table itself or one of its files") -> dict[Path, str]:
    """Return the files that are read of a table, a hierarchy or the like, each with what it is.

    Parameters
    ----------
    table
        What the caller named or holds; what is no file has none.
    what
        What it is, for messages.
    """
    if isinstance(table, FileSource):
        return dict.fromkeys(table.paths, what)
    if isinstance(table, DatabaseTable):
        return dict.fromkeys(files_of_database(table.uri), what)
    if are_tables(table):
        several = cast("Mapping[object, object]", table).values()
        return {path: told for each in several for path, told in files_read(each, what).items()}
    if isinstance(table, str) and is_database_address(table):
        return dict.fromkeys(files_of_database(table), what)
    if isinstance(table, str | Path):
        named = str(table) == "-" or str(table).startswith("example:")
        return {} if named else dict.fromkeys(files_below(table), what)
    if isinstance(table, Sequence) and not isinstance(table, bytes | bytearray | memoryview):
        return {path: what for item in table if isinstance(item, str | Path) for path in files_read(item, what)}
    return {}


def read_once(table: object) -> bool:
    """Say whether the rows of a table come only once: from standard input, or from a pipe."""
    return isinstance(table, str | Path) and (str(table) == "-" or is_pipe(named_path(table)))


def _named(table: str | Path, options: ReadOptions) -> Source:
    text = str(table)
    if text == "-":
        return StreamSource("standard input", options=options)
    if text.startswith("example:"):
        example = example_named(text.removeprefix("example:"))
        return ExampleSource(f"the example {example.name!r}", example)
    if is_database_address(table):
        return DatabaseTable(text)
    if isinstance(table, str) and (scheme := unread_scheme(text)) is not None:
        raise SourceError(
            f"An address such as {scheme}:// is not read: tclose makes no network connection for a file. "
            f"{advice_for(scheme)}"
        )
    return files_at([table], options)


def _sequence(table: Sequence[object], options: ReadOptions) -> Source:
    if not table:
        raise SourceError("An empty list is not a table; give paths, or one mapping for each row.")
    if all(isinstance(item, str | Path) for item in table):
        for item in table:
            if isinstance(item, str) and (unread_scheme(item) or item == "-" or item.startswith("example:")):
                raise SourceError(
                    "A list of tables must name files; standard input, examples and addresses stand alone."
                )
        return files_at(cast("Sequence[str | Path]", table), options)
    if all(isinstance(item, Mapping) for item in table):
        return ValuesSource("a list of records", _columns_of(cast("Sequence[Mapping[object, object]]", table)))
    kinds = sorted({type(item).__name__ for item in table})
    raise SourceError(f"A list of {listed(kinds)} is not a table; give paths, or one mapping for each row.")


def _columns_of(records: Sequence[Mapping[object, object]]) -> dict[str, list[object]]:
    names = list(dict.fromkeys(name for record in records for name in record))
    texts = [str(name) for name in names]
    if len(set(texts)) < len(texts):
        raise SourceError("Two keys of the records have the same name as text; rename one of them.")
    return {text: [record.get(name) for record in records] for text, name in zip(texts, names, strict=True)}


def _frame(table: object) -> Source:
    for parent in type(table).__mro__:
        package = parent.__module__.partition(".")[0].lstrip("_")
        if known := _KNOWN_FRAMES.get((package, parent.__name__)):
            kind, label = known
            return FrameSource(label, table, kind)
    if hasattr(table, "__arrow_c_stream__"):
        return FrameSource(f"a {type(table).__name__}", table, "stream")
    package = type(table).__module__.partition(".")[0].lstrip("_")
    if package in _CONNECTIONS:
        raise SourceError(
            f"A {type(table).__name__} of {package} is a connection, not a table. Give the address of a table, such as "
            "postgresql://HOST/DATABASE#TABLE, or read a data frame or an Arrow table with it, and give that."
        )
    raise SourceError(
        f"An object of type {type(table).__name__} is not a table. Give a path, a pandas, polars "
        "or Arrow table, a mapping of columns, or a list of records."
    )
