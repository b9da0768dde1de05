"""Rows to released rows: each row finds its piece, and the piece says what is published."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom
from pyspark.sql import types as T  # noqa: N812

from tclose.counts import Integers
from tclose.engines.recodings import Recoder, Recoding
from tclose.engines.spark.failures import translated
from tclose.engines.spark.pieces import pieces_frame, pieces_table
from tclose.engines.spark.released import SparkReleased
from tclose.engines.spark.table import Column, SparkTable

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame


class SparkRecoder(Recoder[SparkReleased]):
    """One recoding of a table of Spark under way."""

    def __init__(self, table: SparkTable, recoding: Recoding) -> None:
        super().__init__(recoding, table.label)
        self.table = table.keep([*recoding.keys, *recoding.columns])
        self.others = [name for name in recoding.columns if name not in recoding.keys]
        self.pieces = pieces_table(self.table, recoding)

    @property
    def divided(self) -> bool:
        """Whether rows of the same key values go to several pieces."""
        return self.pieces.num_rows > 0 and int(np.max(self.pieces.column("parts").to_numpy())) > 1

    @cached_property
    def _rows(self) -> DataFrame:
        """Return all rows: the piece of each (null where there is none), and the other columns that are published."""
        first = pieces_frame(self.table.frame, self._of_pieces(first=True))
        keys = [self.table.column(name).alias for name in self.recoding.keys]
        matches = [self.table.frame[key].eqNullSafe(first[f"k{at}"]) for at, key in enumerate(keys)]
        matched = self.table.frame.join(first, reduce(lambda a, b: a & b, matches, F.lit(True)), "left")
        rows = matched.select("piece", "parts", *self._own)
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

    @property
    def _own(self) -> list[Expression]:
        """The published columns whose own cells are published, as ``o0``, ``o1`` and so on."""
        return [F.col(self.table.column(name).alias).alias(f"o{at}") for at, name in enumerate(self.others)]

    @cached_property
    def _counts(self) -> tuple[Integers, int]:
        """How many rows each piece has, and how many rows belong to none."""
        with translated(self.label):
            found = self._rows.groupBy("piece").agg(F.count("*").alias("n")).toArrow()
        counts = np.zeros(len(self.recoding.classes), dtype=np.int64)
        unmatched = 0
        for piece, number in zip(*(found.column(name).to_pylist() for name in ("piece", "n")), strict=True):
            if piece is None:
                unmatched += number
            else:
                counts[piece] = number
        return counts, unmatched

    def unmatched(self) -> int:
        """Return how many rows belong to no piece."""
        return self._counts[1]

    def as_counted(self) -> bool:
        """Say whether each piece has as many rows as the recoding says."""
        counts = self.recoding.counts
        return counts is not None and np.array_equal(self._counts[0], counts)

    def published(self) -> int:
        """Return how many rows are published."""
        return int(self._counts[0][self.recoding.classes >= 0].sum())

    def released(self, published: int, unmatched: int) -> SparkReleased:
        """Return the released rows, their columns put together from the pieces and the rows."""
        shown = ["piece"]
        shown += [f"q{at}" for at in range(len(self.recoding.quasi))]
        shown += [f"k{at}" for at, name in enumerate(self.recoding.keys) if name not in self.recoding.quasi]
        kept = self.pieces.filter(self.pieces.column("kept")).select(shown)
        pieces = pieces_frame(self.table.frame, kept).withColumnRenamed("piece", "of_piece")
        joined = self._rows.join(pieces, F.col("piece") == F.col("of_piece"))
        places = [self.place(name, self.others) for name in self.recoding.columns]
        frame = joined.select(*(F.col(place).alias(f"c{at}") for at, place in enumerate(places)))
        return SparkReleased(frame, self._columns(), published, unmatched, self.recoding.seed)

    def _columns(self) -> tuple[Column, ...]:
        """Return the published columns; a recoded one is text unless it keeps its own type."""
        found = []
        for at, name in enumerate(self.recoding.columns):
            original = replace(self.table.column(name), alias=f"c{at}")
            recoded = replace(original, type="VARCHAR", spark_type=T.StringType(), zoned=False)
            found.append(original if self.keeps_type(name) else recoded)
        return tuple(found)
