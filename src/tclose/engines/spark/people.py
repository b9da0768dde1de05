"""People counted on Spark: rows are sent to their people once, and from there only counts go on."""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.histories import Held
from tclose.engines.people import Trajectories
from tclose.engines.spark.arrow import mapped
from tclose.engines.spark.counts import Attributes, Values, cells_schema, ranked
from tclose.engines.spark.errors import translated
from tclose.engines.spark.gathering import CELLS, SUMMARY, PersonGathering, Summary, shared_sets
from tclose.engines.spark.table import Column, SparkTable
from tclose.errors import SourceError

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame


# Which values people have in the whole table, as further columns of a frame on Spark.


_DIGITS = 15
"""So many hexadecimal digits of a keyed hash number a set, which fit 64 bits; two sets with one number are noticed."""


def with_histories(table: SparkTable, attributes: Sequence[tuple[str, ...]]) -> tuple[SparkTable, list[Held]]:
    """Return a table with the number of each person's set of values beside every row, and for which attributes.

    Parameters
    ----------
    table
        A table whose people are counted.
    attributes
        The sensitive attributes; several columns make one of their combinations.
    """
    held: list[Held] = []
    columns, frame = list(table.columns), table.frame
    person = F.col(table.column(str(table.person)).alias)
    for at, names in enumerate(attributes):
        numbered = _numbered(table, names)
        if numbered is None:
            continue
        sets, (people, missing) = fresh_name("sets"), numbered
        held.append(Held(at, sets, fresh_name("valued") if missing else None))
        columns.append(Column(sets, sets, "BIGINT", spark_type=T.LongType()))
        whose = people.select(F.col("p").alias(f"{sets}_p"), F.col("h").alias(sets))
        frame = frame.join(whose, person.eqNullSafe(F.col(f"{sets}_p")), "left").drop(f"{sets}_p")
        valued = held[-1].valued
        if valued is not None:
            columns.append(Column(valued, valued, "BIGINT", spark_type=T.LongType()))
            there = F.col(table.column(names[0]).alias).isNotNull()
            frame = frame.withColumn(valued, F.when(there, F.lit(1)).otherwise(F.lit(0)).cast("bigint"))
    if not held:
        return table, []
    return replace(table, frame=frame, columns=tuple(columns), seen={}, shares={}), held


def _numbered(table: SparkTable, names: Sequence[str]) -> tuple[DataFrame, bool] | None:
    """Return the number of each person's set of values, and whether some have none; None where nobody has several."""
    cells = [F.col(table.column(name).alias) for name in names]
    missing = F.max(cells[0].isNull()) if len(cells) == 1 else F.lit(False)
    people = table.frame.groupBy(F.col(table.column(str(table.person)).alias).alias("p")).agg(
        F.sort_array(F.collect_set(F.struct(*(cell.alias(f"v{at}") for at, cell in enumerate(cells))))).alias("l"),
        missing.alias("m"),
    )
    spelled = people.withColumn("j", F.to_json("l", {"ignoreNullFields": "false"}))
    while True:
        key = secrets.token_hex(16)
        digits = F.substring(F.sha2(F.concat(F.lit(key), F.col("j")), 256), 1, _DIGITS)
        found = spelled.withColumn("h", F.conv(digits, 16, 10).cast("bigint"))
        by_number = found.groupBy("h").agg(
            F.max(F.size("l")).alias("size"), F.max("m").alias("m"), (F.min("j") != F.max("j")).alias("clash")
        )
        with translated(table.label):
            ((size, without, clash),) = by_number.agg(F.max("size"), F.max("m"), F.max("clash")).collect()
        if (size or 0) < 2:
            return None
        if not clash:
            return found.select("p", "h"), bool(without)


_ROWS, _FEWER_ROWS = 1 << 20, 1 << 18
"""About so many rows are brought together in a partition, so that a class has many in each; fewer of small tables."""
_FEW = 32
"""So many partitions may be small."""


class PeopleCells:
    """The people of a table in cells, one for a class in each partition, with the places of values for ranks.

    What the values and the people are is known after the first of several groupings; until then the cells are kept
    where they are made, because they are needed again.
    """

    def __init__(self, attributes: Attributes, quasi: Sequence[str]) -> None:
        self._attributes = attributes
        self._quasi = tuple(quasi)
        self._kept = False
        self._seen = attributes.seen()

    @cached_property
    def values(self) -> list[Values]:
        """The values of each attribute, and how many people have each."""
        if self._seen is not None:
            return self._seen
        self._kept = True
        with suppress(PySparkException):  # where nothing may be kept, cells are made twice
            self._frame.persist()
        with translated(self._attributes.table.label):
            told = self._told(F.col("which") == SUMMARY).toArrow().column("told").to_pylist()
        summaries = [pickle.loads(each) for each in told]  # noqa: S301 - our own executors'
        summary = Summary.of(summaries, [each.columns.num_rows for each in self._rows])
        if summary.census.rows != self._rows[0].rows:
            raise SourceError("The table changed while it was being read; run again when nothing writes to it.")
        found = [
            replace(each, observed=replace(each.observed, counts=counts))
            for each, counts in zip(self._rows, summary.counts, strict=True)
        ]
        self._attributes.keep(found, summary.census)
        return found

    @cached_property
    def _rows(self) -> list[Values]:
        """The values of each attribute, and how many rows have each."""
        return self._seen or self._attributes.by_rows().look(self._quasi)

    @cached_property
    def _frame(self) -> DataFrame:
        places = [np.arange(each.columns.num_rows, dtype=np.int32) for each in self._rows]
        rows = self._attributes.rows(self._quasi, self._attributes.table.person)
        rows = ranked(rows, self._attributes, self._rows, places)
        cells = cells_schema(self._attributes, self._quasi, len(self._rows) + 1)
        marks = [T.StructField("which", T.IntegerType()), T.StructField("told", T.BinaryType())]
        gathering = PersonGathering(len(self._quasi), len(self._rows), secrets.token_bytes(16))
        return mapped(
            rows.repartition(_partitions(self._rows[0].rows), "person"),
            gathering.gathered,
            T.StructType([*cells.fields, *marks]),
        )

    @property
    def cells(self) -> DataFrame:
        """The cells of all classes."""
        return self._frame.filter(F.col("which") == CELLS).drop("which", "told")

    def trajectories(self) -> Trajectories:
        """Return by which sets of classes people are told apart; the sets stay on the cluster."""
        told = self._told(F.col("which") >= 0).repartition("which")
        with translated(self._attributes.table.label):
            found = mapped(told, shared_sets, "a bigint, b bigint, c bigint").toArrow()
        return Trajectories.of(zip(*(column.to_pylist() for column in found.columns), strict=True))

    def _told(self, which: Expression) -> DataFrame:
        return self._frame.filter(which).select("which", "told")

    def close(self) -> None:
        """Keep cells no longer; who asks for them later has them made again."""
        if self._kept:
            with suppress(PySparkException):
                self._frame.unpersist()


def _partitions(rows: int) -> int:
    """Return how many partitions the people of so many rows are dealt to."""
    return max(1, -(-rows // _ROWS), min(_FEW, -(-rows // _FEWER_ROWS)))
