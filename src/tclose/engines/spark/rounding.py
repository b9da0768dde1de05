"""Numbers of Spark rounded: whole ones by its own arithmetic, others by ours in its executors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pandas as pd
from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom
from pyspark.sql import types as T  # noqa: N812
from pyspark.sql.pandas.functions import pandas_udf

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
from tclose.engines.spark.failures import translated
from tclose.engines.spark.table import Column, SparkTable

if TYPE_CHECKING:
    from pyspark.sql import Column as Expression

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
