"""Which values people have in the whole table, as further columns of a frame on Spark."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 - Spark's own custom
from pyspark.sql import types as T  # noqa: N812

from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.histories import Held
from tclose.engines.spark.failures import translated
from tclose.engines.spark.table import Column, SparkTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_DIGITS = 15
"""So many hexadecimal digits of a keyed hash number a set, which fit 64 bits; two sets with one number are noticed."""


def with_histories(table: SparkTable, attributes: Sequence[tuple[str, ...]]) -> tuple[SparkTable, list[Held]]:
    """Return a table with the number of each person's set of values beside every row, and for which attributes.

    Parameters
    ----------
    table
        A table whose people are counted.
    attributes
        The sensitive attributes; several columns make one of their combinations.
    """
    held: list[Held] = []
    columns, frame = list(table.columns), table.frame
    person = F.col(table.column(str(table.person)).alias)
    for at, names in enumerate(attributes):
        numbered = _numbered(table, names)
        if numbered is None:
            continue
        sets, (people, missing) = fresh_name("sets"), numbered
        held.append(Held(at, sets, fresh_name("valued") if missing else None))
        columns.append(Column(sets, sets, "BIGINT", spark_type=T.LongType()))
        whose = people.select(F.col("p").alias(f"{sets}_p"), F.col("h").alias(sets))
        frame = frame.join(whose, person.eqNullSafe(F.col(f"{sets}_p")), "left").drop(f"{sets}_p")
        valued = held[-1].valued
        if valued is not None:
            columns.append(Column(valued, valued, "BIGINT", spark_type=T.LongType()))
            there = F.col(table.column(names[0]).alias).isNotNull()
            frame = frame.withColumn(valued, F.when(there, F.lit(1)).otherwise(F.lit(0)).cast("bigint"))
    if not held:
        return table, []
    return replace(table, frame=frame, columns=tuple(columns), seen={}, shares={}), held


def _numbered(table: SparkTable, names: Sequence[str]) -> tuple[DataFrame, bool] | None:
    """Return the number of each person's set of values, and whether some have none; None where nobody has several."""
    cells = [F.col(table.column(name).alias) for name in names]
    missing = F.max(cells[0].isNull()) if len(cells) == 1 else F.lit(False)
    people = table.frame.groupBy(F.col(table.column(str(table.person)).alias).alias("p")).agg(
        F.sort_array(F.collect_set(F.struct(*(cell.alias(f"v{at}") for at, cell in enumerate(cells))))).alias("l"),
        missing.alias("m"),
    )
    spelled = people.withColumn("j", F.to_json("l", {"ignoreNullFields": "false"}))
    while True:
        key = secrets.token_hex(16)
        digits = F.substring(F.sha2(F.concat(F.lit(key), F.col("j")), 256), 1, _DIGITS)
        found = spelled.withColumn("h", F.conv(digits, 16, 10).cast("bigint"))
        by_number = found.groupBy("h").agg(
            F.max(F.size("l")).alias("size"), F.max("m").alias("m"), (F.min("j") != F.max("j")).alias("clash")
        )
        with translated(table.label):
            ((size, without, clash),) = by_number.agg(F.max("size"), F.max("m"), F.max("clash")).collect()
        if (size or 0) < 2:
            return None
        if not clash:
            return found.select("p", "h"), bool(without)
