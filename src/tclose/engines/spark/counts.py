"""Rows to counts with Spark grouping the pairs: values first, then every class by every value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from pyspark.sql import types as T

from tclose.engines.spark.arrow import local_frame, mapped
from tclose.engines.spark.errors import translated
from tclose.engines.spark.gathering import Gathering
from tclose.engines.spark.table import Column, SparkTable
from tclose.models.counts import Integers, Ranks
from tclose.models.value_order import Observed

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame

    from tclose.engines.people import Census
    from tclose.engines.spark.people import PeopleCells

_BROADCAST_UP_TO = 500_000
"""Up to so many values, every executor gets all of them; beyond, Spark chooses how to join."""
_WORTH_COUNTING = 1 / 10
"""With fewer pairs for each row, Spark counts them before they are gathered."""
_ONE_PAIR_IN = 16_384
"""The number of pairs is estimated from one in so many, which come to the driver."""
_FEW_ROWS = 1_000_000
"""Below so many rows counting them first, and asking whether to, costs more than it saves."""


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

    @property
    def has_missing(self) -> bool:
        """Whether some rows have no value in one of the columns."""
        return any(column.null_count for column in self.columns.columns)


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

    def rows(self, quasi: Sequence[str], person: str | None = None) -> DataFrame:
        """Return every row: its quasi-identifiers as ``q0``, ``q1`` …, the columns of attributes, and its person."""
        keys = [F.col(self.table.column(name).alias).alias(f"q{at}") for at, name in enumerate(quasi)]
        whose = [] if person is None else [F.col(self.table.column(person).alias).alias("person")]
        return self.table.frame.select(*keys, *self.everything, *whose)

    def _counted(self, quasi: Sequence[str]) -> DataFrame:
        """Return the values of each attribute (``which``) with their numbers of rows ``n``, by one scan for all.

        Rows of one ``pair`` in so many, chosen by its hash, are counted apart, for the first attribute. Columns of
        other attributes are null.
        """
        rows = self.rows(quasi)
        hashed = F.xxhash64(*rows.columns)
        rows = rows.withColumn("pair", F.when(F.pmod(hashed, F.lit(_ONE_PAIR_IN)) == 0, hashed))
        if len(self.names) == 1:
            counted = rows.groupBy(*self.aliases(0), "pair").agg(F.count("*").alias("n"))
            return counted.withColumn("which", F.lit(0))
        every = ["pair", *(alias for at in range(len(self.names)) for alias in self.aliases(at))]
        sets = [["pair"] * (at == 0) + self.aliases(at) for at in range(len(self.names))]
        counted = rows.groupingSets([[F.col(name) for name in some] for some in sets], *every).agg(
            F.count("*").alias("n"), F.grouping_id().alias("absent")
        )
        absent = [sum(1 << at for at, name in enumerate(reversed(every)) if name not in some) for some in sets]
        which = F.create_map(*(F.lit(number) for at, mask in enumerate(absent) for number in (mask, at)))
        return counted.withColumn("which", which[F.col("absent")]).drop("absent")

    def by_rows(self) -> Attributes:
        """Return the attributes of the same table with its rows counted, not its people."""
        return Attributes(self.table.counting(None), self.names)

    def seen(self) -> list[Values] | None:
        """Return the values of each attribute, where they have been counted."""
        known = [self.table.seen.get(names) for names in self.names]
        return [each for each in known if each is not None] if all(known) else None

    def keep(self, values: Sequence[Values], census: Census) -> None:
        """Take in how many people there are, and how many have each value, for the table to keep."""
        self.table.seen.update(zip(self.names, values, strict=True))
        self.table.census = census

    def _find_people(self) -> None:
        """Count the people who have each value of each attribute, for the table to keep."""
        for at, names in enumerate(self.names):
            columns = self.columns(at)
            with translated(self.table.label):
                found = self.table.frame.groupBy(*(column.alias for column in columns)).agg(self.table.tally).toArrow()
            self.table.seen[names] = values_of(found, [column.alias for column in columns], columns)

    def _find(self, quasi: Sequence[str]) -> None:
        """Count the values of each attribute, and estimate the pairs, for the table to keep."""
        if self.table.person is not None:
            self._find_people()
            return
        with translated(self.table.label):
            found = self._counted(quasi).toArrow()
        chosen = found.filter(pc.is_valid(found.column("pair")))
        rows = pc.sum(chosen.column("n")).as_py()
        self.table.shares[tuple(quasi), self.names] = chosen.num_rows / rows if rows else 1.0
        for at, names in enumerate(self.names):
            mine = found.filter(pc.equal(found.column("which"), at))
            aliases = self.aliases(at)
            summed = mine.group_by(aliases).aggregate([("n", "sum")]).select([*aliases, "n_sum"])
            self.table.seen[names] = values_of(summed.rename_columns([*aliases, "n"]), aliases, self.columns(at))

    def look(self, quasi: Sequence[str] = ()) -> list[Values]:
        """Return the values of each attribute, counted once for a table; what it costs to know of pairs is paid too."""
        new = [names for names in self.names if names not in self.table.seen]
        if new:
            Attributes(self.table, tuple(dict.fromkeys(new)))._find(quasi)
        return [self.table.seen[names] for names in self.names]

    def pairs_for_a_row(self, quasi: Sequence[str]) -> float:
        """Return about how many different pairs there are for each row; 1 where there are too few rows to ask."""
        if self.look(quasi)[0].rows < _FEW_ROWS:
            return 1.0
        if (tuple(quasi), self.names) not in self.table.shares:
            self._find(quasi)
        return self.table.shares[tuple(quasi), self.names]


def values_of(found: pa.Table, aliases: Sequence[str], columns: Sequence[Column]) -> Values:
    """Return the values that a grouping found, in their order, a missing one last."""
    order = pc.sort_indices(found, sort_keys=[(alias, "ascending") for alias in aliases])
    found = found.take(order)
    counts: Integers = np.asarray(found.column("n").to_numpy(), dtype=np.int64)
    values = found.select(list(aliases)).combine_chunks()
    if len(columns) > 1:
        shown = (map(mine.shown, found.to_pylist()) for mine, found in zip(columns, values.columns, strict=True))
        listed = list(zip(*shown, strict=True))
        return Values(Observed(listed, counts, "text"), values)
    kind, only = columns[0].kind, values.column(0)
    if pa.types.is_integer(only.type) and not only.null_count and len(only):
        numbers = np.asarray(only.to_numpy(), dtype=np.int64)
        return Values(Observed(numbers, counts, kind, ascending=True), values)
    listed = [columns[0].shown(value) for value in only.to_pylist()]
    return Values(Observed(listed, counts, kind, spelling=columns[0].spelling), values)


def gathered_pairs(
    attributes: Attributes,
    quasi: Sequence[str],
    values: Sequence[Values],
    ranks: Sequence[Ranks],
    population: SparkTable | None,
    people: PeopleCells | None = None,
) -> DataFrame:
    """Return the pairs of every class in cells, sorted by class in each partition, all of a class in one partition.

    Where rows share few pairs, Spark counts them first. Pairs of people have the places of values for ranks. The
    columns are those that :func:`tclose.engines.spark.kernel.wholes` reads.
    """
    common = [f"q{at}" for at in range(len(quasi))]
    if people is not None:
        pairs = people.cells
    else:
        gathering = Gathering(len(common), len(values))
        rows = _rows_ranked(attributes, quasi, values, ranks)
        pairs = mapped(rows, gathering.gathered, cells_schema(attributes, quasi, len(values)))
    if population is not None:
        pairs = pairs.unionByName(_people(population, quasi), allowMissingColumns=True)
    return pairs.repartition(*common).sortWithinPartitions(*common) if common else pairs.repartition(1)


def cells_schema(attributes: Attributes, quasi: Sequence[str], pairs: int) -> T.StructType:
    """Return the columns of cells: the key of a class, and so many columns of pairs."""
    kinds = [attributes.table.column(name).spark_type for name in quasi]
    keys = [T.StructField(f"q{at}", kind) for at, kind in enumerate(kinds)]
    return T.StructType([*keys, *(T.StructField(f"p{at}", T.BinaryType()) for at in range(pairs))])


def _rows_ranked(
    attributes: Attributes, quasi: Sequence[str], values: Sequence[Values], ranks: Sequence[Ranks]
) -> DataFrame:
    """Return rows with their ranks; where they share few pairs, each once with its number."""
    rows = attributes.rows(quasi)
    if attributes.pairs_for_a_row(quasi) < _WORTH_COUNTING:
        rows = rows.groupBy(*rows.columns).agg(F.count("*").alias("n"))
    return ranked(rows, attributes, values, ranks)


def ranked(rows: DataFrame, attributes: Attributes, values: Sequence[Values], ranks: Sequence[Ranks]) -> DataFrame:
    """Return rows with the rank of each attribute's value, ``r0``, ``r1`` and so on, instead of the value."""
    kept = [name for name in rows.columns if name in ("n", "person") or name.startswith("q")]
    for at in range(len(values)):
        dictionary = _dictionary(attributes, values[at], ranks[at], rows, at)
        rows = _joined(rows, dictionary, attributes.aliases(at), missing=values[at].has_missing)
    return rows.select(*kept, *(f"r{at}" for at in range(len(values))))


def _people(population: SparkTable, quasi: Sequence[str]) -> DataFrame:
    """Return the classes of a population with their sizes."""
    keys = [F.col(population.column(name).alias).alias(f"q{at}") for at, name in enumerate(quasi)]
    common = [f"q{at}" for at in range(len(quasi))]
    if population.person is None:
        return population.frame.select(*keys).groupBy(*common).agg(F.count("*").alias("people"))
    person = F.col(population.column(population.person).alias).alias("person")
    return population.frame.select(*keys, person).groupBy(*common).agg(F.count_distinct("person").alias("people"))


def _joined(frame: DataFrame, dictionary: DataFrame, columns: Sequence[str], *, missing: bool) -> DataFrame:
    """Return a frame with the ranks that a dictionary gives; a value that it lacks has none."""
    condition = F.lit(True)
    for name in columns:
        mine, theirs = frame[name], dictionary[f"d_{name}"]
        condition &= mine.eqNullSafe(theirs) if missing else mine == theirs
    return frame.join(dictionary, condition, "left").drop(*(f"d_{name}" for name in columns))


def _dictionary(attributes: Attributes, values: Values, ranks: Ranks, beside: DataFrame, at: int) -> DataFrame:
    """Return the rank of each value of an attribute as a frame, a small one marked to be sent to every executor."""
    aliases = attributes.aliases(at)
    fields = [T.StructField(f"d_{field.name}", field.dataType) for field in attributes.fields if field.name in aliases]
    schema = T.StructType([*fields, T.StructField(f"r{at}", T.IntegerType())])
    table = pa.table([*values.columns.columns, pa.array(ranks)], names=schema.names)
    frame = local_frame(beside, table, schema)
    return F.broadcast(frame) if table.num_rows <= _BROADCAST_UP_TO else frame
