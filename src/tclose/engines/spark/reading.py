"""From what the caller names or holds to a frame of Spark."""

from __future__ import annotations

import codecs
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tclose.errors import InputError, SourceError, counted
from tclose.labels import naming, quoted
from tclose.notes import Note
from tclose.sources import ReadOptions, SparkSource

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

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
    from tclose.engines.spark.texts import read_csv, read_json

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
