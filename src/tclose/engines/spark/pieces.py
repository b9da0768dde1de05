"""The pieces of a recoding as a frame of Spark: key values in the types of their columns, and what is published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom
from pyspark.sql import types as T  # noqa: N812

from tclose.engines.pieces import check_shapes, piece_columns, reads_exactly, text_of
from tclose.engines.recodings import Recoding
from tclose.engines.spark.arrow import local_frame
from tclose.engines.spark.failures import translated
from tclose.engines.spark.table import Column, SparkTable
from tclose.errors import InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_BROADCAST_UP_TO = 500_000


def pieces_table(table: SparkTable, recoding: Recoding) -> pa.Table:
    """Return the pieces whose key values read as values of their columns.

    The columns are those of :func:`~tclose.engines.pieces.piece_columns`, with values and labels for their codes.
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
