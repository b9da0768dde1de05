"""The distinct rows of a table: every combination of quasi-identifiers and sensitive values, as codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from tclose.anonymization.algorithms.cluster_rows import Columns, How, Kernel
from tclose.engines.base import Progress, check_rows
from tclose.engines.distinct import DistinctRows
from tclose.engines.spark.arrow import local_frame, mapped
from tclose.engines.spark.counts import Values, values_of
from tclose.engines.spark.errors import translated
from tclose.engines.spark.table import Column, SparkTable
from tclose.models.counts import Integers, Ranks
from tclose.models.value_order import Observed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


# Coded rows on the cluster: put there once, tallied by Spark, and gathered by bins for the kernels of a search.


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


def distinct_rows(
    table: SparkTable, quasi: Sequence[str], sensitive: Sequence[tuple[str, ...]], progress: Progress
) -> DistinctRows:
    """Group a table by its quasi-identifiers and sensitive attributes; the distinct rows come to the driver.

    Parameters
    ----------
    table
        The table.
    quasi
        The quasi-identifiers.
    sensitive
        The sensitive attributes; one of several columns is taken jointly.
    progress
        Told what is being done.
    """
    progress("Finding distinct rows", None)
    attributes = [*((name,) for name in quasi), *sensitive]
    aliases = list(dict.fromkeys(table.column(name).alias for names in attributes for name in names))
    with translated(table.label):
        found = table.frame.groupBy(*aliases).agg(table.tally).toArrow().combine_chunks()
    check_rows(found.num_rows, table.label)
    counts: Integers = np.asarray(found.column("n").to_numpy(), dtype=np.int64)
    numbered = [_numbered(found, [table.column(name) for name in names], counts) for names in attributes]
    return DistinctRows.of(numbered, len(quasi), counts)


def _numbered(found: pa.Table, columns: Sequence[Column], counts: Integers) -> tuple[Observed, Ranks]:
    """Return the values of an attribute in their order, a missing one last, and the position of each row's value."""
    aliases = [column.alias for column in columns]
    numbers = np.zeros(found.num_rows, dtype=np.int64)
    for alias in aliases:
        encoded = found.column(alias).combine_chunks().dictionary_encode(null_encoding="encode")
        codes = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
        numbers = np.unique(numbers * len(encoded.dictionary) + codes, return_inverse=True)[1]
    first = np.unique(numbers, return_index=True)[1]
    by_number = np.zeros(len(first), dtype=np.int64)
    np.add.at(by_number, numbers, counts)
    distinct = found.select(aliases).take(pa.array(first))
    distinct = distinct.append_column("n", pa.array(by_number)).append_column("at", pa.array(np.arange(len(first))))
    values, order = _in_order(distinct, aliases, columns)
    position = np.empty(len(first), dtype=np.int32)
    position[order] = np.arange(len(first), dtype=np.int32)
    return replace(values.observed), position[numbers]


def _in_order(distinct: pa.Table, aliases: Sequence[str], columns: Sequence[Column]) -> tuple[Values, Integers]:
    import pyarrow.compute as pc

    keys = [(alias, "ascending") for alias in aliases]
    order = np.asarray(pc.sort_indices(distinct, sort_keys=keys).to_numpy(), dtype=np.int64)
    return values_of(distinct, aliases, columns), order
