"""Figures of every column of a Spark table, each counted exactly where the rows are; never a value."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from tclose.engines.base import Progress, check_rows
from tclose.engines.spark.errors import translated
from tclose.engines.spark.table import Column, SparkTable
from tclose.engines.statistics import (
    EMAILS,
    SENTENCES,
    ColumnStatistics,
    Steady,
    TableStatistics,
    is_numbering,
    is_text,
    is_whole,
)

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import Row


def table_statistics(opened: SparkTable, progress: Progress) -> TableStatistics:
    """Count every column of a table of Spark.

    Parameters
    ----------
    opened
        The table.
    progress
        Called with a stage and a share done.
    """
    with translated(opened.label):
        rows = int(opened.frame.count())
    check_rows(rows, opened.label)
    columns = []
    for at, column in enumerate(opened.columns):
        progress("Counting values", at / len(opened.columns))
        columns.append(_column(opened, column, rows))
    return TableStatistics(opened.label, rows, tuple(columns), opened.notes)


def _column(table: SparkTable, column: Column, rows: int) -> ColumnStatistics:
    if column.problem:
        return ColumnStatistics(column.name, column.type, rows, problem=column.problem)
    number = F.col("n").cast("decimal(18,0)")
    value = F.col(column.alias)
    looks = [_like(value, patterns) if is_text(column.type) else F.lit(False) for patterns in (EMAILS, SENTENCES)]
    ends = [end(value) if is_whole(column.type) else F.lit(None) for end in (F.min, F.max)]
    grouped = table.frame.groupBy(column.alias).agg(F.count("*").alias("n"))
    with translated(table.label):
        found: Row | None = grouped.agg(
            F.count(value),
            F.sum(F.when(value.isNull(), F.col("n"))),
            F.sum(number * (number - 1)),
            *(F.sum(F.when(look, F.col("n"))) for look in looks),
            *ends,
        ).first()
    distinct, nulls, same, emails, sentences, low, high = found or (0, 0, 0, 0, 0, None, None)
    present = rows - int(nulls or 0)
    return ColumnStatistics(
        column.name,
        column.type,
        rows,
        int(nulls or 0),
        int(distinct),
        Fraction(int(same or 0), 2),
        emails=int(emails or 0) / max(1, present),
        sentences=int(sentences or 0) / max(1, present),
        numbering=is_numbering(low, high, int(distinct)),
    )


def _like(value: SparkColumn, patterns: Sequence[str]) -> SparkColumn:
    return functools.reduce(operator.or_, map(value.like, patterns))


def steady(table: SparkTable, key: str, names: Sequence[str]) -> Steady:
    """Return in how many rows that share a value of a key other columns are one value.

    Parameters
    ----------
    table
        The table.
    key, names
        The key, and the other columns.
    """
    alias = table.column(key).alias
    steadies = []
    for at, name in enumerate(names):
        cell = F.col(table.column(name).alias)
        one = (F.count(cell) == 0) | ((F.count(cell) == F.count("*")) & (F.min(cell) == F.max(cell)))
        steadies.append(F.when(one, 1).otherwise(0).alias(f"s{at}"))
    rows = table.frame.where(F.col(alias).isNotNull())
    grouped = rows.groupBy(alias).agg(F.count("*").alias("n"), *steadies).where("n > 1")
    sums = (F.coalesce(F.sum(f"s{at}"), F.lit(0)) for at in range(len(names)))
    with translated(table.label):
        ((several, *within),) = grouped.agg(F.count("*"), *sums).collect()
    return Steady(int(several), dict(zip(names, map(int, within), strict=True)))


def some_texts(table: SparkTable, name: str, share: int) -> list[str]:
    """Return different values of a column as text, about one in so many, chosen by their hash.

    Parameters
    ----------
    table, name
        The table, and the column.
    share
        One in how many.
    """
    alias = table.column(name).alias
    chosen = F.pmod(F.xxhash64(alias), F.lit(share)) == 0
    found = table.frame.where(F.col(alias).isNotNull() & chosen).select(F.col(alias).cast("string")).distinct()
    with translated(table.label):
        return sorted(text for (text,) in found.collect())
