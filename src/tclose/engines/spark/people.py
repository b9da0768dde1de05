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
from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom
from pyspark.sql import types as T  # noqa: N812

from tclose.engines.people import Trajectories
from tclose.engines.spark.arrow import mapped
from tclose.engines.spark.counts import Attributes, Values, cells_schema, ranked
from tclose.engines.spark.failures import translated
from tclose.engines.spark.person_gathering import CELLS, SUMMARY, PersonGathering, Summary, shared_sets
from tclose.errors import SourceError

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame

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
