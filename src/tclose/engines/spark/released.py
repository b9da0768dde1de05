"""A released table: audited like any other on its cluster, written from there or handed over as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom

from tclose.engines.base import Released
from tclose.engines.spark.failures import translated
from tclose.engines.spark.reading import read_path
from tclose.engines.spark.table import Column, SparkTable, bound
from tclose.engines.spark.writing import target, write_frame, write_to
from tclose.targets import Target

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LABEL = Released.label


class SparkReleased(Released[Column]):
    """A released table as a frame that Spark computes whenever it is read.

    Parameters
    ----------
    frame
        Its rows, with columns ``c0``, ``c1`` and so on.
    columns
        The published columns.
    rows
        How many rows are published.
    unknown
        How many rows were dropped because the recoding did not know their values.
    seed
        Decides the order of rows, together with their content.
    """

    def __init__(self, frame: DataFrame, columns: tuple[Column, ...], rows: int, unknown: int, seed: int) -> None:
        self.table = SparkTable(frame, columns, _LABEL)
        self.columns = columns
        self.rows = rows
        self.unknown = unknown
        self._seed = seed

    def keep(self, columns: Sequence[str]) -> SparkTable:
        """Return the table of just these columns."""
        return self.table.keep(columns)

    def _ordered(self) -> DataFrame:
        """Return the rows in an order that follows from their content and the seed alone."""
        aliases = [column.alias for column in self.columns]
        ordered = self.table.frame.orderBy(F.xxhash64(*aliases, F.lit(self._seed)), *aliases)
        return ordered.select(*(column.published for column in self.columns))

    def to_spark(self) -> DataFrame:
        """Return the table as a frame of Spark, in the order of its content."""
        return self._ordered().toDF(*self.names)

    def write(self, path: str | Path) -> None:
        """Write the table from Spark to a folder, as the ending of the path says."""
        write_frame(self._ordered(), self.names, path, _LABEL)

    def target(self, path: str | Path) -> Target:
        """Return the folder that the table is written to."""
        return target(path)

    def write_to(self, path: str | Path) -> None:
        """Write to just this folder, which need not be whole after a failure."""
        write_to(self._ordered(), self.names, Path(path), _LABEL)

    def read_back(self, path: str | Path) -> SparkTable:
        """Open a folder that this table was written to, as somebody who knows nothing else of it would."""
        with translated(_LABEL):
            return bound(read_path(self.table.frame.sparkSession, f"file://{Path(path).absolute()}"), _LABEL)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """Return the table as a pyarrow table."""
        with translated(_LABEL):
            return self._ordered().toArrow().rename_columns(self.names)

    def to_pandas(self) -> Any:
        """Return the table as a pandas frame."""
        return self.to_arrow().to_pandas()
