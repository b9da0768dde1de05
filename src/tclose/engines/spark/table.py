"""Numbers of Spark rounded: whole ones by its own arithmetic, others by ours in its executors."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.functions import pandas_udf

from tclose.data.values import castable, named_texts
from tclose.engines import base
from tclose.engines.base import check_names
from tclose.engines.duckdb.errors import NESTED
from tclose.engines.recoding import text_of
from tclose.engines.rounding import (
    LARGEST_FLOAT,
    WHOLE,
    is_idle,
    nearest,
    no_numbers,
    plain,
    rounded,
    rounded_type,
    scale_of,
    too_large,
)
from tclose.engines.spark.errors import translated
from tclose.engines.spark.text_tables import PROBLEM, SPELLING
from tclose.engines.text_types import spelling_notes
from tclose.errors import Note
from tclose.models.value_order import Kind

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame

    from tclose.engines.people import Census
    from tclose.engines.spark.counts import Values


# A table bound to Spark: its columns, and the frame under whose aliases its rows can be grouped.


_NAMES: dict[type[T.DataType], str] = {
    T.StringType: "VARCHAR",
    T.NullType: "VARCHAR",
    T.BooleanType: "BOOLEAN",
    T.ByteType: "TINYINT",
    T.ShortType: "SMALLINT",
    T.IntegerType: "INTEGER",
    T.LongType: "BIGINT",
    T.FloatType: "DOUBLE",
    T.DoubleType: "DOUBLE",
    T.DateType: "DATE",
    T.TimestampType: "TIMESTAMP",
    T.TimestampNTZType: "TIMESTAMP",
    T.BinaryType: "BLOB",
    T.DayTimeIntervalType: "INTERVAL",
}
_NARROW_DIGITS = range(1, 10)
"""How many digits the shortest decimal of a float of 32 bits may have."""
_UTC = (
    "TIMESTAMP_NTZ'1970-01-01 00:00:00' "
    "+ make_dt_interval(0, 0, 0, CAST(unix_micros({alias}) AS DECIMAL(20, 0)) / 1000000)"
)


_INSTANT = "timestamp_micros(timestampdiff(MICROSECOND, TIMESTAMP_NTZ'1970-01-01 00:00:00', {alias}))"


@dataclass(frozen=True)
class Column(base.Column):
    """A column of a frame.

    Parameters
    ----------
    spark_type
        Spark's type of the exposed values.
    spelling
        How its file writes the values, as :func:`~tclose.data.values.named_texts` takes it.
    zoned
        Whether the values are points in time that say where they are; here they are all in UTC.
    """

    spark_type: T.DataType = field(default_factory=T.StringType)
    spelling: str = "plain"
    zoned: bool = False

    def comparable(self, other: base.Column) -> bool:
        """Say whether equal values of two columns are equal as they are."""
        return isinstance(other, Column) and (self.spark_type, self.zoned) == (other.spark_type, other.zoned)

    @property
    def kind(self) -> Kind:
        """What its values are."""
        if self.type == "BOOLEAN":
            return "truth"
        if isinstance(self.spark_type, T.NumericType):
            return "number"
        return "time" if self.type in ("DATE", "TIMESTAMP", "TIME", "INTERVAL") else "text"

    def shown(self, value: Any) -> Any:
        """Return a value of the column as people see it: a point in time that has a zone says that it is in UTC."""
        return value.replace(tzinfo=dt.UTC) if self.zoned and isinstance(value, dt.datetime) else value

    def as_spark(self, text: str | None) -> str | None:
        """Return the text that Spark reads as a value of the column, given the text of a value that was shown."""
        if text is None or not self.zoned:
            return text
        with suppress(ValueError):
            moment = dt.datetime.fromisoformat(text)
            return text if moment.tzinfo is None else moment.astimezone(dt.UTC).replace(tzinfo=None).isoformat()
        return text

    @property
    def published(self) -> Expression:
        """The values as they are published: a point in time that has a zone as one of Spark's."""
        return F.expr(_INSTANT.format(alias=self.alias)).alias(self.alias) if self.zoned else F.col(self.alias)


@dataclass
class SparkTable(base.Comparable[Column]):
    """A table whose rows Spark can read, as often as it is asked to.

    Parameters
    ----------
    frame
        The rows, with values as tclose means them, under aliases.
    columns
        The columns, in the order of the source.
    label
        How reports name the table.
    notes
        What was assumed while reading, in sentences.
    seen
        The values of attributes that have been counted, by the attributes' names.
    shares
        About how many different pairs there are for each row, by the names of quasi-identifiers and attributes.
    """

    frame: DataFrame
    columns: tuple[Column, ...]
    label: str
    notes: tuple[Note, ...] = ()
    seen: dict[tuple[str, ...], Values] = field(default_factory=dict, repr=False)
    shares: dict[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]], float] = field(default_factory=dict, repr=False)
    person: str | None = None
    census: Census | None = None
    """How many people there are, where counting has told it."""

    def counting(self, person: str | None) -> SparkTable:
        """Return the table with the people counted whom a column tells apart; with None, the rows."""
        return replace(self, person=person, seen={}, shares={}, census=None)

    @property
    def tally(self) -> Expression:
        """What counts what is counted: rows, or the people they are of."""
        counted = F.count("*") if self.person is None else F.count_distinct(F.col(self.column(self.person).alias))
        return counted.alias("n")

    def narrowed(self, kept: tuple[Column, ...]) -> SparkTable:
        """Return some columns; Spark reads no others."""
        notes = spelling_notes({column.name: column.spelling for column in kept})
        frame = self.frame.select(*(column.alias for column in kept))
        return replace(self, frame=frame, columns=kept, notes=tuple(dict.fromkeys((*self.notes, *notes))))

    def with_texts(self, chosen: Sequence[Column]) -> SparkTable:
        """Return the table with some columns as text, a number the same text whatever type it has."""
        frame = self.frame.select(*(_text_of(each) if each in chosen else F.col(each.alias) for each in self.columns))
        columns = tuple(
            replace(each, type="VARCHAR", spark_type=T.StringType(), zoned=False) if each in chosen else each
            for each in self.columns
        )
        return replace(self, frame=frame, columns=columns, seen={}, shares={})


def bound(frame: DataFrame, label: str) -> SparkTable:
    """Bind a frame of Spark: its columns under aliases, its values as tclose means them.

    NaN becomes null, the two zeros one, a point in time the same time in UTC, and a float of 32 bits the float of 64
    bits with the same shortest decimal.
    """
    names = list(frame.columns)
    check_names(names, label)
    aliases = [f"c{at}" for at in range(len(names))]
    fields = frame.schema.fields
    kinds = [each.dataType for each in fields]
    renamed = frame.toDF(*aliases)
    exposed = renamed.select(*(_exposed(alias, kind) for alias, kind in zip(aliases, kinds, strict=True)))
    columns = tuple(
        Column(
            each.name,
            alias,
            _type_name(each.dataType),
            problem=each.metadata.get(PROBLEM) or _problem(each.dataType),
            spark_type=_exposed_type(each.dataType),
            spelling=each.metadata.get(SPELLING, "plain"),
            zoned=isinstance(each.dataType, T.TimestampType),
        )
        for each, alias in zip(fields, aliases, strict=True)
    )
    return SparkTable(exposed, columns, label)


def _exposed(alias: str, kind: T.DataType) -> Expression:
    column = F.col(alias)
    if isinstance(kind, T.FloatType | T.DoubleType):
        wide = _shortest(column) if isinstance(kind, T.FloatType) else column
        return F.when(~F.isnan(column), wide + F.lit(0.0)).alias(alias)
    if isinstance(kind, T.TimestampType):
        return F.expr(_UTC.format(alias=alias)).alias(alias)
    if isinstance(kind, T.NullType):
        return column.cast("string").alias(alias)
    if isinstance(kind, T.StringType) and kind != T.StringType():
        return F.collate(column, "UTF8_BINARY").alias(alias)
    return column


def _shortest(column: Expression) -> Expression:
    """Return a float of 32 bits as the one of 64 bits with the same shortest decimal, the first that reads back.

    Of two equally near, Java's own text of the float has the one with an even end; of others it may have too many
    digits.
    """
    own = column.cast("string")
    length = F.length(F.trim(F.regexp_replace(F.split_part(own, F.lit("E"), F.lit(1)), "[^0-9]", ""), F.lit("0")))
    fitting = []
    for digits in _NARROW_DIGITS:
        text = F.format_string(f"%.{digits - 1}e", column.cast("double"))
        nearest = F.when(length == digits, own).otherwise(text).try_cast("double")
        fitting.append(F.when(text.try_cast("float") == column, nearest))
    return F.coalesce(*fitting, column.cast("double"))  # an infinity is left as it is


def _exposed_type(kind: T.DataType) -> T.DataType:
    if isinstance(kind, T.TimestampType):
        return T.TimestampNTZType()
    if isinstance(kind, T.FloatType):
        return T.DoubleType()
    return T.StringType() if isinstance(kind, T.NullType | T.StringType) else kind


def _type_name(kind: T.DataType) -> str:
    if isinstance(kind, T.DecimalType):
        return f"DECIMAL({kind.precision},{kind.scale})"
    if kind.typeName().startswith("time("):
        return "TIME"
    return next((name for known, name in _NAMES.items() if isinstance(kind, known)), kind.simpleString().upper())


def _problem(kind: T.DataType) -> str | None:
    known = isinstance(kind, (T.DecimalType, *_NAMES)) or kind.typeName().startswith("time(")
    return None if known else NESTED


def _text_of(column: Column) -> Expression:
    """Return a value as text: whole numbers without a decimal mark, others without idle zeros."""
    value = F.col(column.alias)
    text = value.cast("string")
    if column.zoned:
        text = F.concat(text, F.lit("Z"))
    elif column.type == "DOUBLE":
        whole = (value == F.rint(value)) & (F.abs(value) < F.lit(1e18))
        text = F.when(whole, value.cast("decimal(38,0)").cast("string")).otherwise(text)
    elif column.type.startswith("DECIMAL"):
        bare = F.rtrim(F.rtrim(text, F.lit("0")), F.lit("."))
        text = F.when(F.contains(text, F.lit(".")), bare).otherwise(text)
    return text.alias(column.alias)


def equal_to(column: Column, value: object) -> Expression:
    """Return the condition that a column has a value; a text matches the value of another type that it names."""
    mine = F.col(column.alias)
    if value is None:
        return mine.isNull()
    if isinstance(value, str) and column.type != "VARCHAR":
        texts = castable(named_texts(value, column.kind, column.spelling), column.type)
        read = [F.lit(column.as_spark(text)).try_cast(column.spark_type) for text in texts]
        same = [F.coalesce(mine == each, F.lit(False)) for each in read]
        return reduce(lambda one, other: one | other, same)
    return mine.eqNullSafe(F.lit(column.as_spark(text_of(value))).try_cast(column.spark_type))


_FAR_FROM_LARGEST = 2**62
_SPARK = {"INTEGER": T.IntegerType(), "BIGINT": T.LongType(), "DOUBLE": T.DoubleType()}


def rounding(table: SparkTable, steps: Mapping[str, Fraction]) -> SparkTable:
    """Return a table with the numbers of some columns rounded; refuse one that has no rounded number in its type."""
    columns, values, looks = [], [], []
    for column in table.columns:
        if column.name not in steps:
            columns.append(column)
            values.append(F.col(column.alias))
            continue
        kind = rounded_type(column.type, steps[column.name])
        if kind is None:
            raise no_numbers(column.name, table.label, column.type)
        digits = scale_of(kind)
        made = replace(column, type=kind, spark_type=_SPARK[kind] if digits is None else T.DecimalType(*digits))
        value = _value(column, made, steps[column.name])
        columns.append(made)
        values.append(value.alias(column.alias))
        looks.append(F.count_if(F.col(column.alias).isNotNull() & value.isNull()).alias(column.alias))
    with translated(table.label):
        (lost,) = table.frame.agg(*looks).collect()
    for column in columns:
        if column.name in steps and lost[column.alias]:
            raise too_large(column.name, table.label, lost[column.alias])
    return replace(table, frame=table.frame.select(*values), columns=tuple(columns), seen={}, shares={})


def _value(column: Column, made: Column, step: Fraction) -> Expression:
    """Return a rounded number in the type that it gets; null for one that has no place in it."""
    if is_idle(column.type, step):
        return F.col(column.alias).cast(made.spark_type)
    if column.type not in WHOLE or step.denominator != 1:
        exact = F.col(column.alias).cast("decimal(38,0)") if column.type in WHOLE else F.col(column.alias)
        rounded_there: Expression = _rounding_function(made, step)(exact)
        return rounded_there
    whole = nearest(f"CAST({column.alias} AS BIGINT)", f"CAST({plain(step)} AS BIGINT)")
    bounds = f"{-_FAR_FROM_LARGEST} AND {_FAR_FROM_LARGEST}"
    near = f"CASE WHEN CAST({column.alias} AS BIGINT) BETWEEN {bounds} THEN {whole} END"
    return F.expr(near).try_cast(made.spark_type)


def _rounding_function(made: Column, step: Fraction) -> Any:
    """Return a function of Spark that rounds numbers by our own arithmetic, each different one of a batch once."""
    digits = scale_of(made.type)
    after = 0 if digits is None else digits[1]
    most = LARGEST_FLOAT if digits is None else 10 ** (digits[0] - digits[1])

    def one(number: Any) -> Any:
        exact = rounded(Fraction(Decimal(repr(number)) if isinstance(number, float) else number), step)
        if abs(exact) >= most:
            return None
        return float(exact) if digits is None else Decimal(int(exact * 10**after)).scaleb(-after)

    def every(numbers: Any) -> Any:
        finite = {number: one(number) for number in numbers.dropna().unique().tolist() if abs(number) < most}
        return pd.Series([finite.get(number) for number in numbers], dtype=float if digits is None else object)

    every.__annotations__ = {"numbers": pd.Series, "return": pd.Series}  # by these Spark knows what it gives and gets
    return pandas_udf(every, made.spark_type)  # type: ignore[call-overload]
