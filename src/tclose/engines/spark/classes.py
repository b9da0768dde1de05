"""The class table: every class with its key, size and figures, computed in the executors when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tclose.data.targets import Target
from tclose.engines.class_tables import LABEL, ClassTable
from tclose.engines.spark.arrow import local_frame, mapped
from tclose.engines.spark.errors import translated
from tclose.engines.spark.kernel import LARGEST, Listing, figures, in_order
from tclose.engines.spark.released import target, write_frame, write_to
from tclose.errors import InternalError
from tclose.models.counts import Integers
from tclose.models.measuring import Measured

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame

    from tclose.engines.spark.session import SparkCounted
    from tclose.engines.spark.table import Column


class SparkClasses(ClassTable):
    """All classes of an audit, as a frame that Spark computes anew whenever it is read.

    Parameters
    ----------
    counted
        The counted table, which knows the pairs and how they are measured.
    figures, whole
        As for :class:`~tclose.engines.class_tables.ClassTable`.
    """

    def __init__(self, counted: SparkCounted, figures: Sequence[str], whole: Sequence[bool]) -> None:
        super().__init__(counted.quasi, figures, whole)
        self._counted = counted
        self._here: list[Measured] = []

    def __len__(self) -> int:
        return self._counted.class_count

    def add(self, part: Measured) -> None:
        """Take in the classes of a part that was measured here; others stay where they are."""
        if len(part.sizes):
            self._here.append(part)

    def to_spark(self) -> DataFrame:
        """Return the classes as a frame of Spark, in no order."""
        return self._published(self._frame()).toDF(*self.columns)

    def _frame(self) -> DataFrame:
        """Return the classes as a frame with columns ``c0``, ``c1`` and so on."""
        names = tuple(f"c{at}" for at in range(len(self.columns)))
        quasi = [self._counted.table.column(name).spark_type for name in self.quasi]
        kinds = [*quasi, *(T.LongType() if whole else T.DoubleType() for whole in self.whole)]
        schema = T.StructType([T.StructField(name, kind) for name, kind in zip(names, kinds, strict=True)])
        if self._here:
            (part,) = self._here
            columns = [*self._counted.keys_here.columns, pa.array(part.sizes), *figures(part.values, self.whole[1:])]
            return local_frame(self._counted.table.frame, pa.table(columns, names=list(names)), schema)
        if self._counted.sorted_pairs is None or self._counted.measuring is None:
            raise InternalError("Classes were listed before they were measured.")
        listing = Listing(self._counted.measuring, names, self.whole[1:])
        return mapped(self._counted.sorted_pairs, listing.classes, schema)

    @property
    def _quasi(self) -> list[Column]:
        return [self._counted.table.column(name) for name in self.quasi]

    def _published(self, frame: DataFrame) -> DataFrame:
        """Return the classes with points in time that have a zone as Spark's."""
        keys = [replace(column, alias=f"c{at}").published for at, column in enumerate(self._quasi)]
        return frame.select(*keys, *(f"c{at}" for at in range(len(keys), len(self.columns))))

    def _named(self, row: Sequence[Any]) -> dict[str, Any]:
        """Return a row that begins with a key, as it is shown."""
        key = [column.shown(value) for column, value in zip(self._quasi, row, strict=False)]
        return dict(zip(self.columns, (*key, *row[len(key) :]), strict=True))

    def _sorted(self, sort: str | None, *, descending: bool) -> DataFrame:
        order = [F.asc_nulls_first(f"c{at}") for at in range(len(self.quasi))]
        if sort is not None:
            name = f"c{self.place(sort)}"
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
        last = None if limit is None or search is not None or not descending else offset + limit
        if sort is not None and last is not None and (known := self._largest(sort, last)) is not None:
            yield from known[offset:]
            return
        frame = self._sorted(sort, descending=descending)
        if search is not None:
            frame = frame.filter(self._holding(search))
        frame = frame.offset(offset) if offset else frame
        with translated(LABEL):
            found = (frame if limit is None else frame.limit(limit)).toArrow()
        for batch in found.to_batches():
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                yield self._named(row)

    def _largest(self, sort: str, number: int) -> list[dict[str, Any]] | None:
        """Return the classes with the largest figures, where they came with the tallies; None where they did not."""
        at = self.place(sort) - len(self.quasi)
        if number > LARGEST or at < 0 or not self._counted.largest:
            return None
        return [
            self._named((*listed.key, *self._typed(listed.figures))) for listed in self._counted.largest[at][:number]
        ]

    def _typed(self, figures: Sequence[float | None]) -> list[float | None]:
        typed = zip(figures, self.whole, strict=True)
        return [int(figure) if whole and figure is not None else figure for figure, whole in typed]

    def found(self, search: str) -> int:
        """Return how many classes hold a searched text in their keys."""
        with translated(LABEL):
            return int(self._frame().filter(self._holding(search)).count())

    def _holding(self, search: str) -> Expression:
        """Return the condition that some part of a key holds a text, large or small."""
        wanted = F.lower(F.lit(search))
        texts = [F.lower(F.col(f"c{at}").cast("string")) for at in range(len(self.quasi))]
        holding = [F.coalesce(F.contains(text, wanted), F.lit(False)) for text in texts]
        return reduce(lambda one, other: one | other, holding, F.lit(False))

    def up_to(self, column: str, points: Sequence[float]) -> list[int]:
        """Return, for each point, how many classes have a size or figure that is at most that."""
        figure = F.col(f"c{len(self.quasi) + self.figure_place(column)}")
        asked = [F.count(F.when(figure <= F.lit(float(point)), 1)) for point in points]
        with translated(LABEL):
            counts = self._frame().agg(*asked).first() if asked else None
        return [int(count) for count in counts or ()]

    def write(self, path: str | Path, *, sort: str | None = None, descending: bool = True) -> None:
        """Write all classes from Spark to a folder; the ending says which kind."""
        write_frame(self._published(self._sorted(sort, descending=descending)), self.columns, path, LABEL)

    def target(self, path: str | Path) -> Target:
        """Return the folder that the classes are written to."""
        return target(path)

    def write_to(self, path: Path, *, sort: str | None = None, descending: bool = True) -> None:
        """Write all classes from Spark to just this folder, which need not be whole after a failure."""
        write_to(self._published(self._sorted(sort, descending=descending)), self.columns, path, LABEL)

    def write_here(self, path: Path) -> None:
        """Write all classes to one file on this machine, in the order of their keys."""
        self._write_arrow(self.to_arrow(), path)

    def to_arrow(self) -> Any:
        """Return the classes as a pyarrow table, in the order of their keys."""
        with translated(LABEL):
            found = self._published(self._sorted(None, descending=False)).toArrow()
        return found.rename_columns(list(self.columns))

    def first_of(self, tied: Sequence[Integers]) -> list[tuple[dict[str, object], int]]:
        """Return, for each set of keys, the one first in the order of its values, and its position in the set."""
        found = []
        for keys in tied:
            named = [self._counted.key(int(number)) for number in np.asarray(keys)[:, 0]]
            at = min(range(len(named)), key=lambda place: in_order(named[place]))
            key = (column.shown(value) for column, value in zip(self._quasi, named[at], strict=True))
            found.append((dict(zip(self.quasi, key, strict=True)), at))
        return found
