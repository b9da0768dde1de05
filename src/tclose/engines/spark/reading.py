"""From what the caller names or holds to a frame of Spark."""

from __future__ import annotations

import atexit
import codecs
import functools
import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tclose.data.labels import naming, quoted
from tclose.data.sources import ReadOptions, SparkSource
from tclose.data.targets import private_folder
from tclose.errors import EngineFailedError, EngineNotInstalledError, InputError, Note, SourceError, counted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


# A Spark session for the command line, started because it was asked for, and tables read by it.


def started(master: str | None, conf: Mapping[str, str]) -> SparkSession:
    """Return a Spark session, started with a master and settings; Python workers run what runs this.

    Its processes write nothing to standard output, and to standard error only where ``spark.log.level`` is set.

    Parameters
    ----------
    master
        Such as ``local[*]``, ``yarn`` or ``spark://host:7077``; None leaves it to ``spark.master`` or the environment.
    conf
        Settings of Spark.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise EngineNotInstalledError("The engine spark", "pyspark", "spark") from None
    if "spark.remote" not in conf:
        _check_java()
    _check_master(master or conf.get("spark.master", ""))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("tclose")
    usual = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
    if not {"spark.remote", "spark.local.dir"} & set(conf):
        usual["spark.local.dir"] = _private_folder()
    for key, value in {**usual, **conf}.items():
        builder = builder.config(key, value)
    builder = builder.master(master) if master else builder
    try:
        with _children_silent(logging="spark.log.level" in conf):
            return builder.getOrCreate()
    except Exception as problem:  # noqa: BLE001 - Spark, py4j and Connect raise each their own
        raise EngineFailedError(
            f"Spark could not be started ({type(problem).__name__}). Check --master and --conf, that the master "
            "can be reached, and that spark.local.dir can be written to; --conf spark.log.level=WARN shows its log."
        ) from None


def _private_folder() -> str:
    """Return a folder for the rows that Spark puts on this machine's disk, which goes with the process."""
    folder = private_folder(Path(tempfile.gettempdir()))
    atexit.register(folder.remove)
    return str(folder.path)


@contextmanager
def _children_silent(*, logging: bool) -> Iterator[None]:
    """Start processes that write nowhere, or where they are to log, to standard error."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    with ExitStack() as undoing:
        target = os.dup(2) if logging else os.open(os.devnull, os.O_WRONLY)
        undoing.callback(os.close, target)
        for descriptor in (1, 2):
            kept = os.dup(descriptor)
            undoing.callback(os.close, kept)
            undoing.callback(os.dup2, kept, descriptor)
            os.dup2(target, descriptor)
        yield


def _check_master(master: str) -> None:
    """Refuse a standalone master that nobody answers for; Spark itself would try for a minute."""
    if not master.startswith("spark://"):
        return
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), timeout=10):
                return
        except (OSError, ValueError):
            continue
    raise EngineFailedError(
        f"No Spark master answers at {master!r}. Check --master, and that the master is running and can be reached."
    )


def _check_java() -> None:
    """Refuse to start where there is no Java, with a way to get one."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java.exe" if os.name == "nt" else "java") if home else None
    if not (java.exists() if java else shutil.which("java")):
        raise EngineFailedError(
            "Spark needs Java 17 or newer, and none was found. Install one, such as openjdk-17-jre-headless, and set "
            "JAVA_HOME if java is not on the PATH."
        )


@functools.cache
def read_source(source: SparkSource) -> DataFrame:
    """Return the table under a path, read by a session that is started for it."""
    from tclose.engines.spark.errors import translated

    spark = started(source.master, dict(source.conf))
    with translated(repr(source.path)):
        return read_path(spark, source.path, source.options)


_FORMATS = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".orc": "orc"}
_ENCODINGS = {"utf-8": "UTF-8", "ascii": "US-ASCII", "iso8859-1": "ISO-8859-1"}
_PATTERN_SIGNS = re.compile(r"[\\{}\[\]*?]")
_PACKED = (".gz", ".bz2", ".zst", ".snappy", ".lz4")


def is_in_spark(table: object) -> bool:
    """Say whether a table is for Spark to read, or a frame of it, without loading Spark."""
    return isinstance(table, SparkSource) or is_spark_frame(table)


def is_spark_frame(table: object) -> bool:
    """Say whether an object is a frame of Spark, classic or Connect."""
    return any(
        parent.__name__ == "DataFrame" and parent.__module__.startswith("pyspark.sql.")
        for parent in type(table).__mro__
    )


def frame_of(spark: SparkSession, table: object, read: ReadOptions | None = None) -> DataFrame:
    """Return a table as a frame of a session: a frame of it, a path that Spark reads, or an Arrow or pandas table."""
    if is_spark_frame(table):
        frame: Any = table
        return frame  # type: ignore[no-any-return]
    if isinstance(table, str | Path):
        return read_path(spark, str(table), read)
    if hasattr(table, "__arrow_c_stream__"):
        import pyarrow as pa
        from pyspark.sql.pandas.types import from_arrow_schema

        arrow = pa.table(table)
        schema = from_arrow_schema(arrow.schema, prefer_timestamp_ntz=True)
        return spark.createDataFrame(arrow, schema=schema)
    raise SourceError(
        f"An object of type {type(table).__name__} is not a table beside one of Spark's. Give a Spark DataFrame, "
        "a path that Spark reads, or an Arrow or pandas table."
    )


def is_pattern(path: str) -> bool:
    """Say whether Spark matches files by a path: it has the signs of a pattern, and is not there under that name."""
    return _PATTERN_SIGNS.search(path) is not None and not _local(path).exists()


def _local(path: str) -> Path:
    return Path(path.removeprefix("file://"))


def pattern_notes(frame: DataFrame, path: str) -> tuple[Note, ...]:
    """Return how many files Spark matches by a path, if it is a pattern."""
    if not is_pattern(path):
        return ()
    files = counted(len(frame.inputFiles()), "file")
    return (Note("spark-pattern", naming("{} is a pattern; Spark reads {} by it.", quoted(path), files)),)


def read_path(spark: SparkSession, path: str, read: ReadOptions | None = None) -> DataFrame:
    """Return what Spark reads under a path: by its ending CSV (with a header), JSON or ORC, else Parquet.

    A path that is there on this machine is that file or folder; the signs of a pattern in it mean nothing.

    Parameters
    ----------
    spark
        The session that reads.
    path
        A file, a folder or a pattern.
    read
        How to read it; what Spark cannot do is refused.
    """
    read = read or ReadOptions()
    _check_options(read)
    if not is_pattern(path):
        path = _PATTERN_SIGNS.sub(r"\\\g<0>", path)
    bare = path.rstrip("/").lower()
    for packed in _PACKED:
        bare = bare.removesuffix(packed)
    if read.input_format is not None:
        bare = f"{bare}.{read.input_format}"
    form = next((name for ending, name in _FORMATS.items() if bare.endswith(ending)), "parquet")
    from tclose.engines.spark.text_tables import read_csv, read_json

    if form == "csv":
        return read_csv(spark, path, _csv_options(read, tabs=bare.endswith(".tsv")), read)
    if form != "json":
        return spark.read.format(form).load(path)
    if _encoding(read.encoding or "utf-8") not in ("UTF-8", "US-ASCII"):
        raise InputError(f"Spark does not read JSON in the encoding {read.encoding}. Save the file as UTF-8.")
    return read_json(spark, path, lists=not bare.endswith((".jsonl", ".ndjson")))


def _check_options(read: ReadOptions) -> None:
    """Refuse what Spark cannot read, or not in this way."""
    refused = {
        "the sheet of a workbook": read.sheet is not None,
        f"the format {read.input_format}": read.input_format is not None
        and f".{read.input_format}" not in (*_FORMATS, ".parquet"),
        f"the encoding {read.encoding}": read.encoding is not None and _encoding(read.encoding) is None,
        "the empty text as a value": "" not in read.null,
    }
    for what, given in refused.items():
        if given:
            raise InputError(f"Spark does not read {what}. Leave the option out, or read the table without Spark.")


def _encoding(name: str) -> str | None:
    """Return the encoding of a text file under Spark's name; None for one that it does not read line by line."""
    try:
        return _ENCODINGS.get(codecs.lookup(name).name)
    except (LookupError, ValueError):
        return None


def _csv_options(read: ReadOptions, *, tabs: bool) -> dict[str, Any]:
    quote = '"' if read.quote is None else read.quote
    return {
        "header": read.header is not False,
        "sep": read.delimiter or ("\t" if tabs else ","),
        "quote": quote,
        "escape": quote or "\0",
        "encoding": _encoding(read.encoding or "utf-8"),
    }
