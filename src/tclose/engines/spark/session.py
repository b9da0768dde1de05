"""One piece of work with Spark: the caller's session, the tables bound to it, and the counts made from them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

from tclose.data.labels import named_in_full
from tclose.data.sources import ReadOptions, SparkSource
from tclose.data.targets import Target
from tclose.engines.base import Counted, Engine, Made, Progress, aligned, check_rows
from tclose.engines.distinct import DistinctRows
from tclose.engines.histories import Held, HistoryCounted
from tclose.engines.people import Census, Trajectories
from tclose.engines.recoding import Recoding, Unknown
from tclose.engines.spark.arrow import mapped
from tclose.engines.spark.classes import SparkClasses
from tclose.engines.spark.counts import Attributes, Values, gathered_pairs
from tclose.engines.spark.distinct import SparkCluster, distinct_rows
from tclose.engines.spark.errors import translated
from tclose.engines.spark.kernel import Listed, Measuring, PartitionTally, largest_of, whole
from tclose.engines.spark.people import PeopleCells, with_histories
from tclose.engines.spark.reading import frame_of, pattern_notes, read_source
from tclose.engines.spark.recoded import SparkRecoder
from tclose.engines.spark.released import SparkRecodedTable, target
from tclose.engines.spark.statistics import some_texts, steady, table_statistics
from tclose.engines.spark.table import SparkTable, bound, equal_to, rounding
from tclose.engines.statistics import Steady, TableStatistics
from tclose.errors import InputError, SourceError
from tclose.models.counts import Integers, Part, Ranks
from tclose.models.domains import Domain
from tclose.models.measuring import Measured, Task, check_population
from tclose.models.value_order import Observed

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Result = TypeVar("Result")


class ClusterSession(Engine):
    """Binds tables to the Spark session that the caller holds, and counts them there."""

    def __init__(self, spark: SparkSession, read: ReadOptions | None = None) -> None:
        self.spark = spark
        self._read = read or ReadOptions()
        self._people: list[PeopleCells] = []
        self._histories: dict[tuple[object, ...], tuple[DataFrame, SparkTable, list[Held]]] = {}
        """By frame, the column of people and attributes; frames are kept, so that no other has the number of one."""

    @classmethod
    def of(cls, table: Any, **settings: Any) -> ClusterSession:
        """Return the session that a table belongs to; what it may use was said when it was started.

        Options for reading are those of a path; a frame has been read already.
        """
        read = settings.pop("read", None)
        if any(settings.values()):
            raise InputError(
                "Memory, threads and a temporary folder are not for tclose to give to Spark; set them where the Spark "
                "session is started, such as spark.executor.memory."
            )
        if isinstance(table, SparkSource):
            return ClusterSession(read_source(table).sparkSession, table.options)
        if read not in (None, ReadOptions()):
            raise InputError(
                "How files are read is not for tclose to say of a Spark DataFrame, which has been read already; say it "
                "where the frame is made, such as spark.read.option."
            )
        return ClusterSession(table.sparkSession)

    @classmethod
    def target(cls, path: str | Path) -> Target:
        """Return the folder that Spark would write, refused if its ending says no format."""
        return target(path)

    def open(self, table: object) -> SparkTable:
        """Return a table with its columns; its rows are not read yet."""
        if isinstance(table, SparkRecodedTable):
            return table.table
        if isinstance(table, SparkSource):
            frame = read_source(table)
            return replace(bound(frame, table.label), notes=pattern_notes(frame, table.path))
        label = named_in_full(table) if isinstance(table, str | Path) else "a Spark DataFrame"
        with translated(repr(label) if isinstance(table, str | Path) else label):
            return bound(frame_of(self.spark, table, self._read), label)

    def count(
        self,
        table: SparkTable,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
        population: SparkTable | None = None,
    ) -> Counted:
        """Count the classes of the quasi-identifiers by the values of the sensitive attributes."""
        if population is not None:
            table, population = aligned(table, population, quasi)
        if table.person is None or not sensitive:
            return self._counted(table, quasi, sensitive, progress, population)
        joined, held = self._with_histories(table, sensitive)
        if not held:
            return self._counted(table, quasi, sensitive, progress, population)
        names = [*sensitive, *((name,) for each in held for name in each.names)]
        counted = self._counted(joined, quasi, names, progress, population)
        contents = [self._counted(joined, [each.sets], [sensitive[each.at]], progress) for each in held]
        return HistoryCounted(counted, held, contents, len(sensitive))

    def _with_histories(
        self, table: SparkTable, attributes: Sequence[tuple[str, ...]]
    ) -> tuple[SparkTable, list[Held]]:
        """Return a table with the sets of values that people have, made once for all of its groupings."""
        key = id(table.frame), table.person, tuple(attributes)
        if key not in self._histories:
            joined, held = with_histories(table, attributes)
            if held:
                with suppress(PySparkException):  # where nothing may be kept, sets are numbered for each count
                    joined.frame.persist()
            self._histories[key] = table.frame, joined, held
        _, joined, held = self._histories[key]
        return joined, held

    def _counted(
        self,
        table: SparkTable,
        quasi: Sequence[str],
        sensitive: Sequence[tuple[str, ...]],
        progress: Progress,
        population: SparkTable | None = None,
    ) -> SparkCounted:
        attributes = Attributes(table, tuple(sensitive))
        people = None if table.person is None else PeopleCells(attributes, quasi)
        self._people += [] if people is None else [people]
        return SparkCounted(attributes, tuple(quasi), population, people, progress)

    def values(self, table: SparkTable, names: tuple[str, ...]) -> Observed:
        """Return the distinct values of a column, or of several taken as one, with their counts."""
        return Attributes(table, (names,)).look()[0].observed

    def rounding(self, table: SparkTable, steps: Mapping[str, Fraction]) -> SparkTable:
        """Return a table with numbers of columns that it has rounded."""
        return rounding(table, steps)

    def census(self, table: SparkTable, person: str, *, several: bool = True) -> Census:
        """Return how many people the rows of a table are of, told apart by a column."""
        del several  # known without further work
        grouped = table.frame.groupBy(F.col(table.column(person).alias).alias("p")).agg(F.count("*").alias("n"))
        counted = grouped.agg(
            F.sum("n"),
            F.count("p"),
            F.count_if(F.col("p").isNotNull() & (F.col("n") > 1)),
            F.sum(F.when(F.col("p").isNull(), F.col("n"))),
        )
        with translated(table.label):
            (found,) = counted.collect()
        return Census(*(number or 0 for number in found))

    def told_by_blanks(self, table: SparkTable, person: str) -> int:
        """Return how many texts of a column are there in several ways that differ only by blanks around them."""
        texts = table.frame.select(F.col(table.column(person).alias).alias("p")).withColumn("q", F.trim("p"))
        padded = texts.where("p <> q").select("q").distinct()
        several = texts.join(padded, "q", "left_semi").groupBy("q").agg(F.countDistinct("p").alias("n")).where("n > 1")
        with translated(table.label):
            return several.count()

    def trajectories(self, table: SparkTable, quasi: Sequence[str], person: str) -> Trajectories:
        """Return by which sets of classes people are told apart; the sets stay on the cluster."""
        attributes = Attributes(table.counting(person), ((quasi[0],),))
        return PeopleCells(attributes, quasi).trajectories()

    def distinct(
        self, table: SparkTable, quasi: Sequence[str], sensitive: Sequence[tuple[str, ...]], progress: Progress
    ) -> DistinctRows:
        """Return the distinct combinations of quasi-identifiers and sensitive values, with their counts."""
        return distinct_rows(table, quasi, sensitive, progress)

    def statistics(self, table: SparkTable, progress: Progress) -> TableStatistics:
        """Return what every column of a table has: rows, missing and different values; never a value."""
        return table_statistics(table, progress)

    def some_texts(self, table: SparkTable, shares: Mapping[str, int]) -> dict[str, list[str]]:
        """Return different values of columns as text, of each about one in so many, chosen by their hash."""
        return {name: some_texts(table, name, share) for name, share in shares.items()}

    def steady(self, table: SparkTable, key: str, names: Sequence[str]) -> Steady:
        """Return in how many rows that share a value of a key other columns are one value."""
        return steady(table, key, names)

    def recode(self, table: SparkTable, recoding: Recoding, *, unknown: Unknown = "refuse") -> SparkRecodedTable:
        """Return the table that a recoding publishes; rows that it does not know are refused or dropped."""
        return SparkRecoder(table, recoding).recoded(unknown)

    def cluster(self, table: SparkTable) -> SparkCluster:
        """Return where a search may put the distinct rows of a table, so that the executors share in it."""
        return SparkCluster(table)

    def close(self) -> None:
        """Have nothing kept on the cluster any longer."""
        for people in self._people:
            people.close()
        self._people.clear()
        for _, joined, held in self._histories.values():
            if held:
                with suppress(PySparkException):
                    joined.frame.unpersist()
        self._histories.clear()


class SparkCounted(Counted):
    """A counted table: classes are measured in the executors, and only tallies come to the driver."""

    def __init__(
        self,
        attributes: Attributes,
        quasi: tuple[str, ...],
        population: SparkTable | None,
        people: PeopleCells | None,
        progress: Progress,
    ) -> None:
        self.quasi = quasi
        self._attributes = attributes
        self._population = population
        self._people = people
        self._progress = progress
        self._named: list[tuple[object, ...]] = []
        self._pairs: DataFrame | None = None
        self.measuring: Measuring | None = None
        self.class_count = 0
        self.largest: list[list[Listed]] = []
        """The classes with the largest sizes, and with the largest figures of each task, once they are measured."""
        progress("Counting values", None)
        self.rows = self._values[0].rows
        self.census = self.table.census
        check_rows(self.rows, self.table.label)

    @property
    def table(self) -> SparkTable:
        """The table."""
        return self._attributes.table

    @cached_property
    def _values(self) -> list[Values]:
        return self._attributes.look(self.quasi) if self._people is None else self._people.values

    @property
    def observed(self) -> list[Observed]:
        """The values of each attribute and how many rows carry them."""
        return [values.observed for values in self._values]

    def measured(
        self, ranks: Sequence[Ranks], tasks: Sequence[Task], domains: Sequence[Domain], made: Made | None = None
    ) -> Iterator[Measured]:
        """Measure every class in the executors, and give the tally of each partition."""
        self._progress("Measuring classes", None)
        self._pairs = self._gathered(ranks)
        self.measuring = Measuring(
            len(self.quasi),
            len(self._values),
            tuple(tasks),
            tuple(domains),
            self._population is not None,
            None if self._people is None else tuple(ranks),
            made,
        )
        tallies = mapped(self._pairs, self.measuring.tallies, "tally binary")
        with translated(self.table.label):
            found = tallies.toArrow().column("tally").to_pylist()
        partitions: list[PartitionTally] = [pickle.loads(tally) for tally in found]  # noqa: S301 - our own executors'
        other_rows = self.table.person is None and sum(each.rows for each in partitions) != self.rows
        if other_rows or sum(each.unknown for each in partitions) > 0:
            raise SourceError("The table changed while it was being read; run again when nothing writes to it.")
        check_population(sum(each.short for each in partitions))
        self.class_count = sum(each.classes for each in partitions)
        every = zip(*(each.largest for each in partitions), strict=True)
        self.largest = [largest_of(some, at) for at, some in enumerate(every)]
        for each in partitions:
            yield self._here(each)

    def _gathered(self, ranks: Sequence[Ranks]) -> DataFrame:
        return gathered_pairs(self._attributes, self.quasi, self._values, ranks, self._population, self._people)

    def trajectories(self) -> Trajectories | None:
        """Return by which sets of classes people are told apart; None where rows are counted."""
        return None if self._people is None else self._people.trajectories()

    def _here(self, found: PartitionTally) -> Measured:
        """Return the tallies of a partition, its classes numbered so that their keys can be looked up here."""
        numbers = {key: len(self._named) + at for at, key in enumerate(found.keys)}
        self._named += found.keys.values()
        for tally in found.tallies:
            tally.keys = [
                np.array([[numbers[int(key)]] for key in keys.ravel()], dtype=np.int64).reshape(len(keys), 1)
                for keys in tally.keys
            ]
        none = np.zeros((0, 1), dtype=np.int64)
        return Measured(none, none[:, 0], (), tuple(found.tallies), found.people, found.rows)

    def key(self, number: int) -> tuple[object, ...]:
        """Return the values of a class that a tally or a part names."""
        return self._named[number]

    def map(self, ranks: Sequence[Ranks], measure: Callable[[Part], Result]) -> Iterator[Result]:
        """Bring all pairs here as one part, for models that compare every class with every other."""
        self._progress("Counting classes", None)
        pairs = self._gathered(ranks)
        common = [f"q{at}" for at in range(len(self.quasi))]
        with translated(self.table.label):
            table = (pairs.orderBy(*common) if common else pairs).toArrow()
        names = len(self._values)
        self._whole = whole(
            table,
            len(common),
            names,
            population=self._population is not None,
            places=None if self._people is None else ranks,
        )
        self._named = [tuple(row) for row in zip(*(c.to_pylist() for c in self._whole.keys.columns), strict=True)]
        self.class_count = len(self._whole.part.sizes)
        yield measure(self._whole.part)

    def classes(self, figures: Sequence[str], whole: Sequence[bool]) -> SparkClasses:
        """Return the class table; its figures are computed when they are asked for."""
        return SparkClasses(self, figures, whole)

    @property
    def sorted_pairs(self) -> DataFrame | None:
        """The pairs that were measured last, class by class."""
        return self._pairs

    @property
    def keys_here(self) -> pa.Table:
        """The keys of all classes, where a part with all of them was made here."""
        return self._whole.keys

    def codes(self, keys: Integers) -> Integers:
        """Return, for each key, the code of each quasi-identifier, in the order of its values, a missing one first."""
        found = []
        for column in self._whole.keys.columns:
            sortable = column.cast(pa.int8()) if pa.types.is_boolean(column.type) else column
            places = pc.if_else(column.is_null(), 0, pc.rank(sortable, tiebreaker="dense").cast(pa.int64()))
            found.append(np.asarray(places.to_numpy(zero_copy_only=False), dtype=np.int64)[keys[:, 0]])
        return np.stack(found, axis=1) if found else np.zeros((len(keys), 0), dtype=np.int64)

    def population(self, keys: Integers) -> Integers | None:
        """Return the size of each class in the population, 0 where it has none; None without a population."""
        people = self._whole.population
        return None if people is None else people[keys[:, 0]]

    def histogram(self, at: int, key: Mapping[str, object]) -> list[int]:
        """Return how many rows of a class carry each observed value of an attribute."""
        columns, values = self._attributes.columns(at), self._values[at]
        with translated(self.table.label):
            found = (self._matching(key).groupBy(*(column.alias for column in columns)).agg(self.table.tally)).toArrow()
        rows = zip(*(found.column(column.alias).to_pylist() for column in columns), strict=True)
        counts = dict(zip(rows, found.column("n").to_pylist(), strict=True))
        every = zip(*(column.to_pylist() for column in values.columns.columns), strict=True)
        return [int(counts.get(value, 0)) for value in every]

    def matching(self, key: Mapping[str, object]) -> int:
        """Return how many classes have these values in the columns that are named."""
        columns = [self.table.column(name).alias for name in self.quasi]
        with translated(self.table.label):
            return int(self._matching(key).select(*columns).distinct().count())

    def _matching(self, key: Mapping[str, object]) -> DataFrame:
        conditions = [equal_to(self.table.column(name), value) for name, value in key.items()]
        return self.table.frame.filter(reduce(lambda one, other: one & other, conditions, F.lit(True)))
