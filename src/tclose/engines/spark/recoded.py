"""Rows to released rows: each row finds its piece, and the piece says what is published."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom
from pyspark.sql import types as T  # noqa: N812

from tclose.counts import Integers
from tclose.engines.interface import Recoding, Unknown
from tclose.engines.refusals import check_columns, check_division, check_published, check_strangers, other_table
from tclose.engines.spark.failures import translated
from tclose.engines.spark.pieces import pieces_frame, pieces_table
from tclose.engines.spark.released import SparkReleased
from tclose.engines.spark.table import Column, SparkTable

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame


def recode(table: SparkTable, recoding: Recoding, unknown: Unknown) -> SparkReleased:
    """Return the table that a recoding publishes.

    Parameters
    ----------
    table
        The original table.
    recoding
        What becomes of its rows.
    unknown
        Whether rows whose key values are no piece's are refused or dropped.
    """
    check_columns(recoding)
    table = table.keep([*recoding.keys, *recoding.columns])
    work = _Work(table, recoding, pieces_table(table, recoding))
    check_division(recoding, divided=work.divided)
    rows = work.rows()
    found, strangers = work.counts(rows)
    check_strangers(strangers, recoding, unknown, table.label)
    if recoding.counts is not None and not np.array_equal(found, recoding.counts):
        raise other_table(table.label)
    published = int(found[recoding.classes >= 0].sum())
    check_published(published, table.label)
    return SparkReleased(work.released(rows), work.columns(), published, strangers, recoding.seed)


@dataclass(frozen=True)
class _Work:
    """One recoding of one table under way."""

    table: SparkTable
    recoding: Recoding
    pieces: pa.Table

    @property
    def divided(self) -> bool:
        """Whether rows of the same key values go to several pieces."""
        return self.pieces.num_rows > 0 and int(np.max(self.pieces.column("parts").to_numpy())) > 1

    @property
    def others(self) -> list[Column]:
        """The published columns whose own cells are published."""
        return [self.table.column(name) for name in self.recoding.columns if name not in self.recoding.keys]

    def rows(self) -> DataFrame:
        """Return all rows: the piece of each (null where there is none), and the other columns that are published."""
        first = pieces_frame(self.table.frame, self._of_pieces(first=True))
        keys = [self.table.column(name).alias for name in self.recoding.keys]
        matches = [self.table.frame[key].eqNullSafe(first[f"k{at}"]) for at, key in enumerate(keys)]
        matched = self.table.frame.join(first, reduce(lambda a, b: a & b, matches, F.lit(True)), "left")
        rows = matched.select("piece", "parts", *(F.col(c.alias).alias(f"o{at}") for at, c in enumerate(self.others)))
        return self._divided(rows) if self.divided else rows.drop("parts")

    def _of_pieces(self, *, first: bool) -> pa.Table:
        if not first:
            return self.pieces.select(["piece", "first", "low", "n"])
        keys = [f"k{at}" for at in range(len(self.recoding.keys))]
        is_first = np.equal(self.pieces.column("piece").to_numpy(), self.pieces.column("first").to_numpy())
        return self.pieces.filter(pa.array(is_first)).select(["piece", "parts", *keys])

    def _divided(self, rows: DataFrame) -> DataFrame:
        """Share the rows of the same key values among their pieces, by the content of the other columns."""
        others = [f"o{at}" for at in range(len(self.others))]
        order = [F.xxhash64(*others, F.lit(self.recoding.seed)), *others] if others else [F.lit(0)]
        alone = rows.filter(F.col("parts").isNull() | (F.col("parts") == 1)).drop("parts")
        place = F.row_number().over(Window.partitionBy("piece").orderBy(*order)) - 1
        shared = rows.filter(F.col("parts") > 1).withColumn("place", place).drop("parts")
        shared = shared.withColumnRenamed("piece", "shared")
        pieces = pieces_frame(self.table.frame, self._of_pieces(first=False))
        within = (F.col("place") >= F.col("low")) & (F.col("place") < F.col("low") + F.col("n"))
        placed = shared.join(pieces, (F.col("shared") == F.col("first")) & within, "left").select("piece", *others)
        return alone.unionByName(placed)

    def counts(self, rows: DataFrame) -> tuple[Integers, int]:
        """Return how many rows each piece has, and how many rows belong to none."""
        with translated(self.table.label):
            found = rows.groupBy("piece").agg(F.count("*").alias("n")).toArrow()
        numbers = found.column("n").to_pylist()
        counts = np.zeros(len(self.recoding.classes), dtype=np.int64)
        strangers = 0
        for piece, number in zip(found.column("piece").to_pylist(), numbers, strict=True):
            if piece is None:
                strangers += number
            else:
                counts[piece] = number
        return counts, strangers

    def released(self, rows: DataFrame) -> DataFrame:
        """Return the released rows, their columns put together from the pieces and the rows."""
        shown = ["piece"]
        shown += [f"q{at}" for at in range(len(self.recoding.quasi))]
        shown += [f"k{at}" for at, name in enumerate(self.recoding.keys) if name not in self.recoding.quasi]
        kept = self.pieces.filter(self.pieces.column("kept")).select(shown)
        pieces = pieces_frame(self.table.frame, kept).withColumnRenamed("piece", "of_piece")
        joined = rows.join(pieces, F.col("piece") == F.col("of_piece"))
        return joined.select(*(self._expression(name).alias(f"c{at}") for at, name in enumerate(self.recoding.columns)))

    def _expression(self, name: str) -> Expression:
        """Return a published column: the class's label, a key value as it is, or a row's own cell."""
        if name in self.recoding.quasi:
            return F.col(f"q{self.recoding.quasi.index(name)}")
        if name in self.recoding.keys:
            return F.col(f"k{self.recoding.keys.index(name)}")
        return F.col(f"o{[column.name for column in self.others].index(name)}")

    def columns(self) -> tuple[Column, ...]:
        """Return the published columns; a recoded one is text unless it keeps its own type."""
        found = []
        for at, name in enumerate(self.recoding.columns):
            original = replace(self.table.column(name), alias=f"c{at}")
            recoded = name in self.recoding.quasi and not self.recoding.native[self.recoding.quasi.index(name)]
            found.append(replace(original, type="VARCHAR", spark_type=T.StringType()) if recoded else original)
        return tuple(found)
