"""The class table: every class with its key, size and figures, computed in the executors when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom
from pyspark.sql import types as T  # noqa: N812

from tclose.counts import Integers
from tclose.engines.spark.arrow import local_frame, mapped
from tclose.engines.spark.failures import translated
from tclose.engines.spark.kernel import Listing, figures
from tclose.engines.spark.writing import write_frame
from tclose.errors import ColumnNotFoundError, InternalError
from tclose.measuring import Measured

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame

    from tclose.engines.spark.session import SparkCounted

_LABEL = "the class table"


class SparkClasses:
    """All classes of an audit, as a frame that Spark computes anew whenever it is read.

    Parameters
    ----------
    counted
        The counted table, which knows the pairs and how they are measured.
    names
        The names of the figures, in the order in which parts carry them.
    whole
        Which figures are whole numbers.
    """

    def __init__(self, counted: SparkCounted, names: Sequence[str], whole: Sequence[bool]) -> None:
        self._counted = counted
        taken = set(counted.quasi)
        self._figures = tuple(_free(name, taken) for name in ("size", *names))
        self._whole = tuple(whole)
        self._here: list[Measured] = []

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns: the quasi-identifiers, the size, and the figures."""
        return (*self._counted.quasi, *self._figures)

    def __len__(self) -> int:
        return self._counted.class_count

    def add(self, part: Measured) -> None:
        """Take in the classes of a part that was measured here; others stay where they are."""
        if len(part.sizes):
            self._here.append(part)

    def to_spark(self) -> DataFrame:
        """Return the classes as a frame of Spark, in no order."""
        return self._frame().toDF(*self.columns)

    def _frame(self) -> DataFrame:
        """Return the classes as a frame with columns ``c0``, ``c1`` and so on."""
        names = tuple(f"c{at}" for at in range(len(self.columns)))
        quasi = [self._counted.table.column(name).spark_type for name in self._counted.quasi]
        kinds = [*quasi, T.LongType(), *(T.LongType() if whole else T.DoubleType() for whole in self._whole)]
        schema = T.StructType([T.StructField(name, kind) for name, kind in zip(names, kinds, strict=True)])
        if self._here:
            (part,) = self._here
            columns = [*self._counted.keys_here.columns, pa.array(part.sizes), *figures(part.values, self._whole)]
            return local_frame(self._counted.table.frame, pa.table(columns, names=list(names)), schema)
        if self._counted.sorted_pairs is None or self._counted.measuring is None:
            raise InternalError("Classes were listed before they were measured.")
        listing = Listing(self._counted.measuring, names, self._whole)
        return mapped(self._counted.sorted_pairs, listing.classes, schema)

    def _sorted(self, sort: str | None, *, descending: bool) -> DataFrame:
        if sort is not None and sort not in self.columns:
            raise ColumnNotFoundError(sort, self.columns, "class table's")
        order = [F.asc_nulls_first(f"c{at}") for at in range(len(self._counted.quasi))]
        if sort is not None:
            name = f"c{self.columns.index(sort)}"
            order.insert(0, F.desc_nulls_last(name) if descending else F.asc_nulls_last(name))
        return self._frame().orderBy(*order) if order else self._frame()

    def rows(
        self,
        *,
        sort: str | None = None,
        descending: bool = True,
        limit: int | None = None,
        offset: int = 0,
        search: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Give classes as dictionaries, sorted by a column and then by key; only those that hold a searched text."""
        frame = self._sorted(sort, descending=descending)
        if search is not None:
            frame = frame.filter(self._holding(search))
        frame = frame.offset(offset) if offset else frame
        with translated(_LABEL):
            found = (frame if limit is None else frame.limit(limit)).toArrow()
        for batch in found.to_batches():
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                yield dict(zip(self.columns, row, strict=True))

    def found(self, search: str) -> int:
        """Return how many classes hold a searched text in their keys."""
        with translated(_LABEL):
            return int(self._frame().filter(self._holding(search)).count())

    def _holding(self, search: str) -> Expression:
        """Return the condition that some part of a key holds a text, large or small."""
        wanted = F.lower(F.lit(search))
        texts = [F.lower(F.col(f"c{at}").cast("string")) for at in range(len(self._counted.quasi))]
        holding = [F.coalesce(F.contains(text, wanted), F.lit(False)) for text in texts]
        return reduce(lambda one, other: one | other, holding, F.lit(False))

    def up_to(self, column: str, points: Sequence[float]) -> list[int]:
        """Return, for each point, how many classes have a size or figure that is at most that."""
        if column not in self._figures:
            raise ColumnNotFoundError(column, self._figures, "class table's figure")
        figure = F.col(f"c{self.columns.index(column, len(self._counted.quasi))}")
        asked = [F.count(F.when(figure <= F.lit(float(point)), 1)) for point in points]
        with translated(_LABEL):
            counts = self._frame().agg(*asked).first() if asked else None
        return [int(count) for count in counts or ()]

    def write(self, path: str | Path, *, sort: str | None = None, descending: bool = True) -> None:
        """Write all classes from Spark to a folder; the ending says which kind."""
        write_frame(self._sorted(sort, descending=descending), self.columns, path, _LABEL)

    def write_here(self, path: str | Path) -> None:
        """Write all classes to one file on this machine, as DuckDB would, in the order of their keys."""
        import duckdb

        from tclose.engines.duckdb.writing import copy_query, replacing

        with translated(_LABEL):
            found = self._sorted(None, descending=False).toArrow()
        with replacing(path) as temporary, closing(duckdb.connect()) as connection:
            connection.register("classes", found)
            copy_query(connection, "SELECT * FROM classes", self.columns, temporary, _LABEL)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """Return the classes as a pyarrow table, in the order of their keys."""
        with translated(_LABEL):
            return self._sorted(None, descending=False).toArrow().rename_columns(list(self.columns))

    def to_pandas(self) -> Any:
        """Return the classes as a pandas frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return the classes as a polars frame."""
        import polars as pl

        return pl.DataFrame(self)

    def first_of(self, tied: Sequence[Integers]) -> list[tuple[dict[str, object], int]]:
        """Return, for each set of keys, the one first in the order of its values, and its position in the set."""
        found = []
        for keys in tied:
            named = [self._counted.key(int(number)) for number in np.asarray(keys)[:, 0]]
            at = min(range(len(named)), key=lambda place: [(v is not None, v) for v in named[place]])
            found.append((dict(zip(self._counted.quasi, named[at], strict=True)), at))
        return found


def _free(name: str, taken: set[str]) -> str:
    """Return a column name that no other column has."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name
