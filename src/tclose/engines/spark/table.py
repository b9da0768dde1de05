"""A table bound to Spark: its columns, and the frame under whose aliases its rows can be grouped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom
from pyspark.sql import types as T  # noqa: N812

from tclose.domains import Kind
from tclose.errors import ColumnNotFoundError, EmptyTableError, SourceError, listed

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression
    from pyspark.sql import DataFrame

    from tclose.engines.spark.counts import Values

_NAMES: dict[type[T.DataType], str] = {
    T.StringType: "VARCHAR",
    T.NullType: "VARCHAR",
    T.BooleanType: "BOOLEAN",
    T.ByteType: "TINYINT",
    T.ShortType: "SMALLINT",
    T.IntegerType: "INTEGER",
    T.LongType: "BIGINT",
    T.FloatType: "FLOAT",
    T.DoubleType: "DOUBLE",
    T.DateType: "DATE",
    T.TimestampType: "TIMESTAMP",
    T.TimestampNTZType: "TIMESTAMP",
    T.BinaryType: "BLOB",
    T.DayTimeIntervalType: "INTERVAL",
}
_UTC = (
    "TIMESTAMP_NTZ'1970-01-01 00:00:00' "
    "+ make_dt_interval(0, 0, 0, CAST(unix_micros({alias}) AS DECIMAL(20, 0)) / 1000000)"
)


@dataclass(frozen=True)
class Column:
    """A column as the person knows it, and as the frame does.

    Parameters
    ----------
    name
        The name in the source, whatever characters it has.
    alias
        The name in the frame: ``c0``, ``c1``, ...
    type
        The type under the name that every engine uses, such as ``BIGINT``.
    spark_type
        Spark's type of the exposed values.
    problem
        Why the column cannot be used; None for a column that can.
    """

    name: str
    alias: str
    type: str
    spark_type: T.DataType
    problem: str | None = None

    @property
    def kind(self) -> Kind:
        """What its values are."""
        if self.type == "BOOLEAN":
            return "truth"
        if isinstance(self.spark_type, T.NumericType):
            return "number"
        return "time" if self.type in ("DATE", "TIMESTAMP", "TIME", "INTERVAL") else "text"


@dataclass
class SparkTable:
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
    notes: tuple[str, ...] = ()
    seen: dict[tuple[str, ...], Values] = field(default_factory=dict, repr=False)
    shares: dict[tuple[tuple[str, ...], tuple[tuple[str, ...], ...]], float] = field(default_factory=dict, repr=False)

    def column(self, name: str) -> Column:
        """Return the column of a name, or raise :class:`~tclose.errors.ColumnNotFoundError`."""
        for column in self.columns:
            if column.name == name:
                return column
        raise ColumnNotFoundError(name, [column.name for column in self.columns])

    def keep(self, columns: Sequence[str]) -> SparkTable:
        """Return the table of just these columns; Spark reads no others."""
        kept = tuple(self.column(name) for name in dict.fromkeys(columns))
        for column in kept:
            if column.problem:
                raise SourceError(f"The column {column.name!r} of {self.label} cannot be used: {column.problem}")
        return replace(self, frame=self.frame.select(*(column.alias for column in kept)), columns=kept)


def bound(frame: DataFrame, label: str) -> SparkTable:
    """Bind a frame of Spark: its columns under aliases, its values as tclose means them.

    NaN becomes null, the two zeros one, and a point in time the same time in UTC.
    """
    names = list(frame.columns)
    if not names:
        raise EmptyTableError(f"The table has no columns: {label}.")
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise SourceError(f"Two columns of {label} have the same name: {listed(twice)}. Rename one of each.")
    aliases = [f"c{at}" for at in range(len(names))]
    kinds = [each.dataType for each in frame.schema.fields]
    renamed = frame.toDF(*aliases)
    exposed = renamed.select(*(_exposed(alias, kind) for alias, kind in zip(aliases, kinds, strict=True)))
    columns = tuple(
        Column(name, alias, _type_name(kind), _exposed_type(kind), _problem(kind))
        for name, alias, kind in zip(names, aliases, kinds, strict=True)
    )
    return SparkTable(exposed, columns, label)


def _exposed(alias: str, kind: T.DataType) -> Expression:
    column = F.col(alias)
    if isinstance(kind, T.FloatType | T.DoubleType):
        return F.when(~F.isnan(column), (column + F.lit(0.0)).cast(kind)).alias(alias)
    if isinstance(kind, T.TimestampType):
        return F.expr(_UTC.format(alias=alias)).alias(alias)
    if isinstance(kind, T.NullType):
        return column.cast("string").alias(alias)
    if isinstance(kind, T.StringType) and kind != T.StringType():
        return F.collate(column, "UTF8_BINARY").alias(alias)
    return column


def _exposed_type(kind: T.DataType) -> T.DataType:
    if isinstance(kind, T.TimestampType):
        return T.TimestampNTZType()
    return T.StringType() if isinstance(kind, T.NullType | T.StringType) else kind


def _type_name(kind: T.DataType) -> str:
    if isinstance(kind, T.DecimalType):
        return f"DECIMAL({kind.precision},{kind.scale})"
    if kind.typeName().startswith("time("):
        return "TIME"
    return next((name for known, name in _NAMES.items() if isinstance(kind, known)), kind.simpleString().upper())


def _problem(kind: T.DataType) -> str | None:
    known = isinstance(kind, (T.DecimalType, *_NAMES)) or kind.typeName().startswith("time(")
    return None if known else "its values are nested or of mixed types. Take them apart into columns of one type each."


def aligned(table: SparkTable, other: SparkTable, names: Sequence[str]) -> tuple[SparkTable, SparkTable]:
    """Return two tables whose columns of these names have the same types, so that equal values are equal.

    Where types differ, both columns become text, a number the same text whatever type it has.
    """
    pairs = [(table.column(name), other.column(name)) for name in names]
    differing = [(mine, theirs) for mine, theirs in pairs if mine.spark_type != theirs.spark_type]
    if not differing:
        return table, other
    return _as_text(table, [mine for mine, _ in differing]), _as_text(other, [theirs for _, theirs in differing])


def _as_text(table: SparkTable, chosen: Sequence[Column]) -> SparkTable:
    frame = table.frame.select(
        *(_text_of(column) if column in chosen else F.col(column.alias) for column in table.columns)
    )
    columns = tuple(
        replace(column, type="VARCHAR", spark_type=T.StringType()) if column in chosen else column
        for column in table.columns
    )
    return replace(table, frame=frame, columns=columns, seen={}, shares={})


def _text_of(column: Column) -> Expression:
    """Return a value as text: whole numbers without a decimal mark, others without idle zeros."""
    value = F.col(column.alias)
    text = value.cast("string")
    if column.type in ("DOUBLE", "FLOAT"):
        whole = (value == F.rint(value)) & (F.abs(value) < F.lit(1e18))
        text = F.when(whole, value.cast("decimal(38,0)").cast("string")).otherwise(text)
    elif column.type.startswith("DECIMAL"):
        bare = F.rtrim(F.rtrim(text, F.lit("0")), F.lit("."))
        text = F.when(F.contains(text, F.lit(".")), bare).otherwise(text)
    return text.alias(column.alias)


def equal_to(column: Column, value: object) -> Expression:
    """Return the condition that a column has a value; a text matches what a value of another type reads as."""
    mine = F.col(column.alias)
    if value is None:
        return mine.isNull()
    typed = F.lit(_text(value)).try_cast(column.spark_type)
    if isinstance(value, str) and column.type != "VARCHAR":
        return F.coalesce(mine.cast("string") == F.lit(value), F.lit(False)) | F.coalesce(mine == typed, F.lit(False))
    return mine.eqNullSafe(typed)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def check_rows(rows: int, label: str) -> None:
    """Refuse a table without rows."""
    if rows == 0:
        raise EmptyTableError(f"The table has no rows: {label}. There is nobody in it to protect.")
