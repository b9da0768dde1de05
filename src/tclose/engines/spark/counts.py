"""Rows to counts with Spark grouping the pairs: values first, then every class by every value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom
from pyspark.sql import types as T  # noqa: N812

from tclose.counts import Integers, Ranks
from tclose.domains import Observed
from tclose.engines.spark.arrow import local_frame
from tclose.engines.spark.failures import translated
from tclose.engines.spark.kernel import POPULATION
from tclose.engines.spark.table import Column, SparkTable

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame

_BROADCAST_UP_TO = 500_000
"""Up to so many values, every executor gets all of them; beyond, Spark chooses how to join."""
_MOSTLY_DISTINCT = 1 / 3
"""With more pairs for each row, sending rows costs less than counting pairs first."""
_ONE_PAIR_IN = 1024
"""The number of pairs is estimated from one in so many."""
_FEW_ROWS = 200_000
"""Below so many rows an estimate costs more than it saves."""


@dataclass(frozen=True)
class Values:
    """The distinct values of an attribute in their order, as they are observed and as Arrow columns."""

    observed: Observed
    columns: pa.Table
    """A column for each column of the attribute; a missing value comes last."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.observed.counts.sum())


@dataclass(frozen=True)
class Attributes:
    """The sensitive attributes of a table; one of several columns is taken jointly."""

    table: SparkTable
    names: tuple[tuple[str, ...], ...]

    def columns(self, at: int) -> list[Column]:
        """Return the columns of an attribute."""
        return [self.table.column(name) for name in self.names[at]]

    def aliases(self, at: int) -> list[str]:
        """Return the names that the columns of an attribute have in pairs."""
        return [f"s{at}_{place}" for place in range(len(self.names[at]))]

    @property
    def everything(self) -> list[Expression]:
        """The columns of all attributes under these names."""
        return [
            F.col(column.alias).alias(alias)
            for at in range(len(self.names))
            for column, alias in zip(self.columns(at), self.aliases(at), strict=True)
        ]

    @property
    def fields(self) -> list[T.StructField]:
        """The columns of all attributes with their types."""
        return [
            T.StructField(alias, column.spark_type)
            for at in range(len(self.names))
            for column, alias in zip(self.columns(at), self.aliases(at), strict=True)
        ]

    def rows(self, quasi: Sequence[str]) -> DataFrame:
        """Return every row: its quasi-identifiers as ``q0``, ``q1`` …, and the columns of all attributes."""
        keys = [F.col(self.table.column(name).alias).alias(f"q{at}") for at, name in enumerate(quasi)]
        return self.table.frame.select(*keys, *self.everything)

    def grouped(self, quasi: Sequence[str]) -> DataFrame:
        """Return classes × values with their numbers of rows ``n``, for each attribute (``which``) apart.

        One scan serves all attributes; columns of other attributes are null.
        """
        rows = self.rows(quasi)
        common = [f"q{at}" for at in range(len(quasi))]
        if len(self.names) == 1:
            grouped = rows.groupBy(*common, *self.aliases(0)).agg(F.count("*").alias("n"))
            return grouped.withColumn("which", F.lit(0))
        sets = [[F.col(name) for name in (*common, *self.aliases(at))] for at in range(len(self.names))]
        every = [*common, *(alias for at in range(len(self.names)) for alias in self.aliases(at))]
        grouped = rows.groupingSets(sets, *every).agg(F.count("*").alias("n"), F.grouping_id().alias("absent"))
        ids = {self._absent(at, len(every), len(common)): at for at in range(len(self.names))}
        which = F.create_map(*(F.lit(number) for pair in ids.items() for number in pair))
        return grouped.withColumn("which", which[F.col("absent")]).drop("absent")

    def _absent(self, at: int, columns: int, common: int) -> int:
        """Return Spark's number of a grouping set: a bit for each column, set where it is absent."""
        here = {*range(common)}
        place = common
        for other in range(len(self.names)):
            if other == at:
                here |= {*range(place, place + len(self.names[other]))}
            place += len(self.names[other])
        return sum(1 << (columns - 1 - column) for column in range(columns) if column not in here)

    def look(self) -> list[Values]:
        """Return the values of each attribute; each is counted once for a table."""
        new = [names for names in self.names if names not in self.table.seen]
        if new:
            some = Attributes(self.table, tuple(dict.fromkeys(new)))
            with translated(self.table.label):
                found = some.grouped(()).toArrow()
            for at, names in enumerate(some.names):
                mine = found.filter(pc.equal(found.column("which"), at))
                self.table.seen[names] = values_of(mine, some.aliases(at), some.columns(at))
        return [self.table.seen[names] for names in self.names]


def values_of(found: pa.Table, aliases: Sequence[str], columns: Sequence[Column]) -> Values:
    """Return the values that a grouping found, in their order, a missing one last."""
    order = pc.sort_indices(found, sort_keys=[(alias, "ascending") for alias in aliases])
    found = found.take(order)
    counts: Integers = np.asarray(found.column("n").to_numpy(), dtype=np.int64)
    values = found.select(list(aliases)).combine_chunks()
    if len(columns) > 1:
        listed = list(zip(*(column.to_pylist() for column in values.columns), strict=True))
        return Values(Observed(listed, counts, "text"), values)
    kind, only = columns[0].kind, values.column(0)
    if pa.types.is_integer(only.type) and not only.null_count and len(only):
        numbers = np.asarray(only.to_numpy(), dtype=np.int64)
        return Values(Observed(numbers, counts, kind, ascending=True), values)
    return Values(Observed(only.to_pylist(), counts, kind), values)


def ranked_pairs(
    attributes: Attributes,
    quasi: Sequence[str],
    values: Sequence[Values],
    ranks: Sequence[Ranks],
    population: SparkTable | None,
) -> DataFrame:
    """Return the pairs of every class, sorted by class within each partition, all of a class in one partition.

    Where rows share few pairs, pairs are counted before they are sent; where nearly every row is a pair of its
    own, that would cost a shuffle and save nothing, and the rows are sent as they are. The columns are those
    that :func:`tclose.engines.spark.kernel.wholes` reads.
    """
    common = [f"q{at}" for at in range(len(quasi))]
    mostly_distinct = bool(common) and _pairs_for_a_row(attributes, quasi, values) > _MOSTLY_DISTINCT
    pairs = (_rows_ranked if mostly_distinct else _counted_ranked)(attributes, quasi, values, ranks)
    if population is not None:
        pairs = pairs.unionByName(_people(population, quasi), allowMissingColumns=True)
    return pairs.repartition(*common).sortWithinPartitions(*common) if common else pairs.coalesce(1)


def _counted_ranked(
    attributes: Attributes, quasi: Sequence[str], values: Sequence[Values], ranks: Sequence[Ranks]
) -> DataFrame:
    """Return pairs with their numbers of rows: the attribute (``which``), ``rank`` and ``n``."""
    grouped = attributes.grouped(quasi)
    matches = [(field.name, f"d_{field.name}") for field in attributes.fields]
    dictionary = _dictionary(attributes, values, ranks, grouped, range(len(values)))
    ranked = _joined(grouped, dictionary, [*matches, ("which", "d_which")])
    return ranked.select(*(f"q{at}" for at in range(len(quasi))), "which", "rank", "n")


def _rows_ranked(
    attributes: Attributes, quasi: Sequence[str], values: Sequence[Values], ranks: Sequence[Ranks]
) -> DataFrame:
    """Return rows with the rank of each attribute's value: ``r0``, ``r1`` and so on."""
    rows = attributes.rows(quasi)
    for at in range(len(values)):
        dictionary = _dictionary(attributes, values, ranks, rows, [at])
        rows = _joined(rows, dictionary, [(alias, f"d_{alias}") for alias in attributes.aliases(at)])
        rows = rows.withColumnRenamed("rank", f"r{at}").drop(*(c for c in dictionary.columns if c.startswith("d_")))
    return rows.select(*(f"q{at}" for at in range(len(quasi))), *(f"r{at}" for at in range(len(values))))


def _people(population: SparkTable, quasi: Sequence[str]) -> DataFrame:
    """Return the classes of a population with their sizes."""
    keys = [F.col(population.column(name).alias).alias(f"q{at}") for at, name in enumerate(quasi)]
    common = [f"q{at}" for at in range(len(quasi))]
    counted = population.frame.select(*keys).groupBy(*common).agg(F.count("*").alias("n"))
    return counted.withColumn("which", F.lit(POPULATION))


def _pairs_for_a_row(attributes: Attributes, quasi: Sequence[str], values: Sequence[Values]) -> float:
    """Return about how many pairs there are for each row, by all rows of one pair in so many, chosen by its hash."""
    rows = values[0].rows
    if rows < _FEW_ROWS:
        return 0.0
    widest = max(range(len(values)), key=lambda at: len(values[at].observed.counts))
    hashed = attributes.rows(quasi).select(
        F.xxhash64(*(f"q{at}" for at in range(len(quasi))), *attributes.aliases(widest)).alias("pair")
    )
    with translated(attributes.table.label):
        chosen = hashed.filter(F.pmod("pair", F.lit(_ONE_PAIR_IN)) == 0).groupBy("pair").agg(F.count("*").alias("n"))
        pairs, counted = chosen.agg(F.count("*"), F.sum("n")).first() or (0, 0)
    return pairs / counted if counted else 0.0


def _joined(frame: DataFrame, dictionary: DataFrame, matches: Sequence[tuple[str, str]]) -> DataFrame:
    """Return a frame with the ranks that a dictionary gives; a value that it lacks has none."""
    condition = F.lit(True)
    for mine, theirs in matches:
        condition &= frame[mine].eqNullSafe(dictionary[theirs])
    return frame.join(dictionary, condition, "left")


def _dictionary(
    attributes: Attributes, values: Sequence[Values], ranks: Sequence[Ranks], beside: DataFrame, chosen: Sequence[int]
) -> DataFrame:
    """Return the rank of each value of some attributes as a frame, a small one marked to be sent to every executor."""
    aliases = [alias for at in chosen for alias in attributes.aliases(at)]
    fields = [field for field in attributes.fields if field.name in aliases]
    tables = []
    for at in chosen:
        mine = dict(zip(attributes.aliases(at), values[at].columns.columns, strict=True))
        length = values[at].columns.num_rows
        columns: dict[str, Any] = {f"d_{field.name}": mine.get(field.name, pa.nulls(length)) for field in fields}
        which = pa.array(np.full(length, at, dtype=np.int32))
        tables.append(pa.table({**columns, "d_which": which, "rank": pa.array(ranks[at])}))
    schema = T.StructType(
        [
            *(T.StructField(f"d_{field.name}", field.dataType) for field in fields),
            T.StructField("d_which", T.IntegerType()),
            T.StructField("rank", T.IntegerType()),
        ]
    )
    table = pa.concat_tables(tables, promote_options="permissive")
    frame = local_frame(beside, table, schema)
    return F.broadcast(frame) if table.num_rows <= _BROADCAST_UP_TO else frame
