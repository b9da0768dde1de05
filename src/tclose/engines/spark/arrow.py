"""Between Arrow and Spark: kernels over batches, and small tables as frames."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import types as T

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Kernel = Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def mapped(frame: DataFrame, kernel: Kernel, schema: T.StructType | str) -> DataFrame:
    """Return what a kernel makes of the Arrow batches of each partition of a frame."""
    with warnings.catch_warnings():  # Spark remarks on the version of pandas, which no Arrow kernel uses
        warnings.filterwarnings("ignore", message="PySpark does not yet fully support pandas", category=FutureWarning)
        return frame.mapInArrow(kernel, schema)


def local_frame(beside: DataFrame, table: pa.Table, schema: T.StructType) -> DataFrame:
    """Return an Arrow table as a frame of the session that another frame belongs to."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return beside.sparkSession.createDataFrame(table.cast(to_arrow_schema(schema)), schema=schema)
