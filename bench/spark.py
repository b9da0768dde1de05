"""What does an audit on Spark cost, beside the bare groupBy(quasi…, sensitive).count() that it has to run?

python bench/spark.py [--quick | --full]
"""

from __future__ import annotations

import os
import sys

from clock import best_of, machine, peak_mebibytes
from tables import QUASI, Shape

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from pyspark.sql import DataFrame, SparkSession

import tclose


def main() -> None:
    sizes = (100_000,) if "--quick" in sys.argv else (1_000_000, 10_000_000)
    sizes += (50_000_000,) if "--full" in sys.argv else ()
    spark = session()
    print(f"An audit on Spark {spark.version}, local[2]; {machine()}\n")
    print("| rows | classes | values | bare group-by | audit | audit / bare | ns per row | driver MiB |")
    print("|---|---|---|---|---|---|---|---|")
    try:
        for rows in sizes:
            line(spark, Shape(rows, 32_000, 100))
            line(spark, Shape(rows, 32_000, 7_000))
    finally:
        spark.stop()


def session() -> SparkSession:
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.sql.shuffle.partitions": "8",
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def line(spark: SparkSession, shape: Shape) -> None:
    table = spark.read.parquet(shape.path.as_uri())
    roles = tclose.Roles(quasi=QUASI, sensitive=["salary:ordered"])
    rounds = 2 if shape.rows >= 10_000_000 else 3
    found = best_of(
        rounds,
        bare=lambda: bare(table),
        audit=lambda: tclose.audit(table, roles, drivers=False, measure=["k", "l", "t"]),
    )
    print(
        f"| {shape.rows:,} | {shape.classes:,} | {shape.values:,} | {found['bare']:.2f} s | {found['audit']:.2f} s "
        f"| {found['audit'] / found['bare']:.2f} | {found['audit'] / shape.rows * 1e9:.0f} | {peak_mebibytes():.0f} |",
        flush=True,
    )


def bare(table: DataFrame) -> None:
    table.groupBy(*QUASI, "salary").count().write.format("noop").mode("overwrite").save()


if __name__ == "__main__":
    main()
