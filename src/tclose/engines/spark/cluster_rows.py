"""Coded rows on the cluster: put there once, tallied by Spark, and gathered by bins for the kernels of a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom

from tclose.counts import Integers
from tclose.engines.spark.arrow import local_frame, mapped
from tclose.engines.spark.failures import translated
from tclose.engines.spark.table import SparkTable
from tclose.recoding.cluster_rows import Columns, How, Kernel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_ROWS_AT_ONCE = 1 << 20
"""A kernel that takes any rows gets about so many at a time."""
_ROWS_OF_A_PARTITION = 200_000
"""Rows lie in partitions of about so many."""
_ROWS_OF_A_TASK = 50_000
"""Rows that are gathered by bins are divided among tasks of about so many."""
_TOGETHER = {"sum": F.sum, "min": F.min, "max": F.max}


@dataclass(frozen=True)
class SparkCluster:
    """Puts rows on the cluster that a table is on."""

    table: SparkTable

    @contextmanager
    def put(self, columns: Columns) -> Iterator[SparkRows]:
        """Put rows there for the length of a block."""
        from pyspark.sql.pandas.types import from_arrow_schema

        rows = pa.table({name: pa.array(column) for name, column in columns.items()})
        partitions, tasks = (-(-rows.num_rows // most) for most in (_ROWS_OF_A_PARTITION, _ROWS_OF_A_TASK))
        with translated(self.table.label):
            frame = local_frame(self.table.frame, rows, from_arrow_schema(rows.schema))
            frame = frame.coalesce(partitions).persist()
        try:
            yield SparkRows(frame, self.table.label, tasks)
        finally:
            with translated(self.table.label):
                frame.unpersist()


@dataclass(frozen=True)
class SparkRows:
    """Rows that lie in the partitions of a frame."""

    frame: DataFrame
    label: str
    tasks: int

    def tallied(self, kernel: Kernel, keys: Sequence[str], how: Mapping[str, How]) -> Columns:
        """Apply a kernel to every partition, and return what it gives with rows of the same keys made one."""
        names = (*keys, *how)
        given = mapped(self.frame, Applied(kernel, names, _ROWS_AT_ONCE).batches, _schema(names))
        together = [_TOGETHER[way](name).alias(name) for name, way in how.items()]
        return self._here(given.groupBy(*keys).agg(*together), names)

    def gathered(self, bins: Callable[[Columns], Integers], kernel: Kernel, names: Sequence[str]) -> Columns:
        """Bring rows of the same bin together, apply a kernel, and return all that it gives, in any order."""
        schema = ", ".join(f"{name} {kind}" for name, kind in self.frame.dtypes)
        binned = mapped(self.frame, Binned(bins).batches, f"{schema}, bin bigint").repartition(self.tasks, "bin")
        return self._here(mapped(binned, Applied(kernel, tuple(names)).batches, _schema(names)), names)

    def _here(self, frame: DataFrame, names: Sequence[str]) -> Columns:
        with translated(self.label):
            found = frame.toArrow()
        return {name: np.asarray(found.column(name).to_numpy(), dtype=np.int64) for name in names}


def _schema(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}` bigint" for name in names)


@dataclass(frozen=True)
class Applied:
    """Runs a kernel in an executor, over Arrow batches."""

    kernel: Kernel
    names: tuple[str, ...]
    """The columns that the kernel gives."""
    at_once: int | None = None
    """About how many rows the kernel gets at a time; all of a partition if it is None."""

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give what the kernel makes of the batches of a partition."""
        for columns in self._gathered(batches):
            given = self.kernel(columns)
            yield pa.RecordBatch.from_arrays([pa.array(given[name], pa.int64()) for name in self.names], self.names)

    def _gathered(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Columns]:
        waiting: list[pa.RecordBatch] = []
        held = 0
        for batch in batches:
            waiting.append(batch)
            held += batch.num_rows
            if self.at_once is not None and held >= self.at_once:
                yield _columns(waiting)
                waiting, held = [], 0
        if held:
            yield _columns(waiting)


@dataclass(frozen=True)
class Binned:
    """Puts rows into bins, in an executor."""

    bins: Callable[[Columns], Integers]

    def batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give the batches with a column ``bin``."""
        for batch in batches:
            yield batch.append_column("bin", pa.array(self.bins(_columns([batch])), pa.int64()))


def _columns(batches: Sequence[pa.RecordBatch]) -> Columns:
    table = pa.Table.from_batches(batches)
    return {name: table.column(name).to_numpy() for name in table.column_names}
