"""From what the caller names or holds to a frame of Spark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tclose.errors import SourceError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FORMATS = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".orc": "orc"}
_PACKED = (".gz", ".bz2", ".zst", ".snappy", ".lz4")


def is_spark_frame(table: object) -> bool:
    """Say whether an object is a frame of Spark, classic or Connect, without loading Spark."""
    return any(
        parent.__name__ == "DataFrame" and parent.__module__.startswith("pyspark.sql.")
        for parent in type(table).__mro__
    )


def frame_of(spark: SparkSession, table: object) -> DataFrame:
    """Return a table as a frame of a session: a frame of it, a path that Spark reads, or an Arrow or pandas table."""
    if is_spark_frame(table):
        frame: Any = table
        return frame  # type: ignore[no-any-return]
    if isinstance(table, str | Path):
        return read_path(spark, str(table))
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


def read_path(spark: SparkSession, path: str) -> DataFrame:
    """Return what Spark reads under a path: by its ending CSV (with a header), JSON lines or ORC, else Parquet."""
    bare = path.rstrip("/").lower()
    for packed in _PACKED:
        bare = bare.removesuffix(packed)
    form = next((name for ending, name in _FORMATS.items() if bare.endswith(ending)), "parquet")
    return spark.read.format(form).load(path) if form != "csv" else _read_csv(spark, path, bare)


def _read_csv(spark: SparkSession, path: str, bare: str) -> DataFrame:
    """Return a text table with the types that Spark finds; codes with leading zeros stay text."""
    from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom
    from pyspark.sql import types as T  # noqa: N812

    options: dict[str, Any] = {"header": True, "sep": "\t" if bare.endswith(".tsv") else ",", "escape": '"'}
    texts = spark.read.csv(path, **options)
    found = spark.read.csv(path, inferSchema=True, **options).schema
    numbers = [at for at, field in enumerate(found.fields) if isinstance(field.dataType, T.NumericType)]
    if not numbers:
        return spark.read.csv(path, schema=found, **options)
    plain = texts.toDF(*(f"c{at}" for at in range(len(found.fields))))
    coded = plain.select(*(F.max(F.col(f"c{at}").rlike(r"^\s*[+-]?0[0-9]")) for at in numbers)).first() or ()
    codes = {at for at, padded in zip(numbers, coded, strict=True) if padded}
    fields = [
        T.StructField(field.name, T.StringType() if at in codes else field.dataType)
        for at, field in enumerate(found.fields)
    ]
    return spark.read.csv(path, schema=T.StructType(fields), **options)
