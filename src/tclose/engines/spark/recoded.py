"""Rows to released rows: each row finds its piece, and the piece says what is published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tclose.engines.recoding import Recoder, Recoding, check_shapes, piece_columns, reads_exactly, text_of
from tclose.engines.spark.arrow import local_frame
from tclose.engines.spark.errors import translated
from tclose.engines.spark.released import SparkRecodedTable
from tclose.engines.spark.table import Column, SparkTable
from tclose.errors import InputError
from tclose.models.counts import Integers

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame


# The pieces of a recoding as a frame of Spark: key values in the types of their columns, and what is published.


_BROADCAST_UP_TO = 500_000


def pieces_table(table: SparkTable, recoding: Recoding) -> pa.Table:
    """Return the pieces whose key values read as values of their columns.

    The columns are those of :func:`~tclose.engines.recoding.piece_columns`, with values and labels for their codes.
    """
    check_shapes(recoding)
    keys = [table.column(name) for name in recoding.keys]
    kinds = [*(column.spark_type for column in keys), *(T.StringType() for _ in recoding.quasi)]
    texts = [_texts(values, column) for values, column in zip(recoding.values, keys, strict=True)]
    texts += [[text_of(label) for label in labels] for labels in recoding.labels]
    typed = _typed(table.frame, texts, kinds)
    given = piece_columns(recoding)
    columns = {name: pa.array(given[name]) for name in ("piece", "kept", "n", "first", "parts", "low")}
    known = np.ones(len(recoding.classes), dtype=bool)
    for at, column in enumerate(keys):
        read = _read(texts[at], typed[at])
        _check_apart(typed[at].filter(pa.array(read)), column, table)
        known &= read[given[f"k{at}"]]
        columns[f"k{at}"] = typed[at].take(pa.array(given[f"k{at}"]))
    for at, labels in enumerate(typed[len(keys) :]):
        codes = given[f"q{at}"]
        columns[f"q{at}"] = labels.take(pa.array(codes, mask=codes < 0))
    return pa.table(columns).filter(pa.array(known))


def pieces_frame(beside: DataFrame, pieces: pa.Table) -> DataFrame:
    """Return pieces as a frame; few enough are marked to be sent to every executor."""
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = from_arrow_schema(pieces.schema, prefer_timestamp_ntz=True)
    frame = local_frame(beside, pieces, schema)
    return F.broadcast(frame) if pieces.num_rows <= _BROADCAST_UP_TO else frame


def _texts(values: Sequence[object], column: Column) -> list[str | None]:
    """Return values as texts that read as them; a text that would be rounded reads as nothing known."""
    return [column.as_spark(text_of(value)) if reads_exactly(value, column.type) else _NO_VALUE for value in values]


_NO_VALUE = "\x00"
"""A text that no type but text reads, and no text column holds by itself."""


def _typed(beside: DataFrame, texts: Sequence[Sequence[str | None]], kinds: Sequence[T.DataType]) -> list[pa.Array]:
    """Return texts as values of their types, null where they cannot be; one job reads all of them."""
    longest = max((len(some) for some in texts), default=0)
    padded = {
        f"t{at}": pa.array([*some, *[None] * (longest - len(some))], pa.string()) for at, some in enumerate(texts)
    }
    schema = T.StructType(
        [T.StructField("at", T.LongType()), *(T.StructField(name, T.StringType()) for name in padded)]
    )
    frame = local_frame(beside, pa.table({"at": pa.array(np.arange(longest)), **padded}), schema)
    cast = [F.col(f"t{at}").try_cast(kind).alias(f"t{at}") for at, kind in enumerate(kinds)]
    with translated("the recoding"):
        found = frame.select("at", *cast).toArrow().sort_by("at").combine_chunks()
    return [found.column(f"t{at}").combine_chunks().slice(0, len(some)) for at, some in enumerate(texts)]


def _read(texts: Sequence[str | None], values: pa.Array) -> NDArray[np.bool_]:
    """Say which texts were read."""
    missing = np.array([text is None for text in texts], dtype=bool)
    read: NDArray[np.bool_] = missing | np.asarray(pc.is_valid(values).to_numpy(zero_copy_only=False), dtype=bool)
    return read


def _check_apart(values: pa.Array, column: Column, table: SparkTable) -> None:
    if len(values.unique()) < len(values):
        raise InputError(
            f"Several values that the recoding tells apart are the same in the column {column.name!r} "
            f"of {table.label}. Read the column as it was read when the recoding was made."
        )


class SparkRecoder(Recoder[SparkRecodedTable]):
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

    def released(self, published: int, unmatched: int) -> SparkRecodedTable:
        """Return the released rows, their columns put together from the pieces and the rows."""
        shown = ["piece"]
        shown += [f"q{at}" for at in range(len(self.recoding.quasi))]
        shown += [f"k{at}" for at, name in enumerate(self.recoding.keys) if name not in self.recoding.quasi]
        kept = self.pieces.filter(self.pieces.column("kept")).select(shown)
        pieces = pieces_frame(self.table.frame, kept).withColumnRenamed("piece", "of_piece")
        joined = self._rows.join(pieces, F.col("piece") == F.col("of_piece"))
        places = [self.place(name, self.others) for name in self.recoding.columns]
        frame = joined.select(*(F.col(place).alias(f"c{at}") for at, place in enumerate(places)))
        return SparkRecodedTable(frame, self._columns(), published, unmatched, self.recoding.seed)

    def _columns(self) -> tuple[Column, ...]:
        """Return the published columns; a recoded one is text unless it keeps its own type."""
        found = []
        for at, name in enumerate(self.recoding.columns):
            original = replace(self.table.column(name), alias=f"c{at}")
            recoded = replace(original, type="VARCHAR", spark_type=T.StringType(), zoned=False)
            found.append(original if self.keeps_type(name) else recoded)
        return tuple(found)
