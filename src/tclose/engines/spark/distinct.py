"""The distinct rows of a table: every combination of quasi-identifiers and sensitive values, as codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from tclose.counts import Integers, Ranks
from tclose.domains import Observed
from tclose.engines.base import Progress, check_rows
from tclose.engines.distinct import DistinctRows
from tclose.engines.spark.counts import Values, values_of
from tclose.engines.spark.failures import translated
from tclose.engines.spark.table import Column, SparkTable


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
