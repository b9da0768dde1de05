"""Figures of every column of a Spark table, each counted exactly where the rows are; never a value."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom

from tclose.engines.duckdb.statistics import ColumnStatistics, TableStatistics
from tclose.engines.interface import Progress
from tclose.engines.spark.failures import translated
from tclose.engines.spark.session import ClusterSession
from tclose.engines.spark.table import Column, SparkTable, check_rows

if TYPE_CHECKING:
    from pyspark.sql import Row


def table_statistics(table: Any, *, progress: Progress | None = None) -> TableStatistics:
    """Count every column of a Spark DataFrame.

    Parameters
    ----------
    table
        The frame.
    progress
        Called with a stage and a share done.
    """
    tell = progress or (lambda _stage, _share: None)
    opened = ClusterSession(table.sparkSession).open(table)
    with translated(opened.label):
        rows = int(opened.frame.count())
    check_rows(rows, opened.label)
    columns = []
    for at, column in enumerate(opened.columns):
        tell("Counting values", at / len(opened.columns))
        columns.append(_column(opened, column, rows))
    return TableStatistics(opened.label, rows, tuple(columns), opened.notes)


def _column(table: SparkTable, column: Column, rows: int) -> ColumnStatistics:
    if column.problem:
        return ColumnStatistics(column.name, column.type, rows, problem=column.problem)
    number = F.col("n").cast("decimal(18,0)")
    value = F.col(column.alias)
    email = value.like("%_@_%._%") if column.type == "VARCHAR" else F.lit(False)
    grouped = table.frame.groupBy(column.alias).agg(F.count("*").alias("n"))
    with translated(table.label):
        found: Row | None = grouped.agg(
            F.count(value),
            F.sum(F.when(value.isNull(), F.col("n"))),
            F.sum(number * (number - 1)),
            F.sum(F.when(email, F.col("n"))),
        ).first()
    distinct, nulls, same, emails = found or (0, 0, 0, 0)
    present = rows - int(nulls or 0)
    return ColumnStatistics(
        column.name,
        column.type,
        rows,
        int(nulls or 0),
        int(distinct),
        Fraction(int(same or 0), 2),
        emails=int(emails or 0) / max(1, present),
    )
