"""What does an audit on Spark cost, beside the bare groupBy(quasi…, sensitive…).count() that it has to run?

python bench/spark.py [--quick | --full]
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import duckdb

from clock import machine, peak_mebibytes
from tables import QUASI, Shape

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from pyspark.sql import DataFrame, SparkSession

import tclose

CASES = {
    "10 values, ordered": (10, ["salary:ordered"]),
    "100 values, ordered": (100, ["salary:ordered"]),
    "100 values, nominal": (100, ["salary:nominal"]),
    "7,000 values, ordered": (7_000, ["salary:ordered"]),
    "100 values, ordered; 30 texts, nominal": (100, ["salary:ordered", "disease:nominal"]),
    "7,000 values, ordered; 30 texts, nominal": (7_000, ["salary:ordered", "disease:nominal"]),
}
SLOPE = "7,000 values, ordered"
LARGEST = ("100 values, ordered", SLOPE)
"""What fifty million rows are measured with."""
ROUNDS = 3


def main() -> None:
    sizes = (100_000,) if "--quick" in sys.argv else (1_000_000, 10_000_000)
    runs = [(rows, name) for rows in sizes for name in CASES]
    if "--full" in sys.argv:
        runs += [(50_000_000, name) for name in LARGEST]
    making = multiprocessing.get_context("spawn").Process(target=make, args=(runs,))  # so that it is no memory of ours
    making.start()
    making.join()
    spark = session()
    print(f"An audit on Spark {spark.version}, local[2]; {machine()}; 32,000 classes; medians of {ROUNDS}\n")
    print("| rows | sensitive | bare | audit | audit / bare | CPU bare | CPU audit | CPU / CPU | driver MiB |")
    print("|---|---|---|---|---|---|---|---|---|")
    try:
        measured = {(rows, name): line(spark, rows, name) for rows, name in runs}
    finally:
        spark.stop()
    print(f"\nTime against rows, {SLOPE}:\n\n| rows | seconds | ns a row | CPU ns a row |\n|---|---|---|---|")
    for rows in (rows for rows, name in runs if name == SLOPE):
        seconds, work = measured[rows, SLOPE]
        print(f"| {rows:,} | {seconds:.2f} | {seconds / rows * 1e9:,.0f} | {work / rows * 1e9:,.0f} |")


def make(runs: list[tuple[int, str]]) -> None:
    """Write the tables that are not there yet."""
    for rows, name in runs:
        with_disease(Shape(rows, 32_000, CASES[name][0]))


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


def line(spark: SparkSession, rows: int, name: str) -> tuple[float, float]:
    """Measure one table and print a row; return the median seconds of the audit and of its processors."""
    values, sensitive = CASES[name]
    table = spark.read.parquet(with_disease(Shape(rows, 32_000, values)).as_uri())
    roles = tclose.Roles(quasi=QUASI, sensitive=sensitive)
    columns = [*QUASI, *(each.partition(":")[0] for each in sensitive)]
    jobs = {
        "bare": lambda: bare(table, columns),
        "audit": lambda: tclose.audit(table, roles, drivers=False, measure=["k", "l", "t"]),
    }
    found = timed(jobs)
    (bare_time, bare_work), (time_taken, work) = found["bare"], found["audit"]
    print(
        f"| {rows:,} | {name} | {bare_time:.2f} s | {time_taken:.2f} s | {time_taken / bare_time:.2f} "
        f"| {bare_work:.2f} s | {work:.2f} s | {work / bare_work:.2f} | {peak_mebibytes():.0f} |",
        flush=True,
    )
    return time_taken, work


def timed(jobs: dict[str, Callable[[], object]]) -> dict[str, tuple[float, float]]:
    """Return the median seconds of each job, by the clock and of all processors; the first round only warms up."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in jobs}
    for _ in range(ROUNDS + 1):
        for name, job in jobs.items():
            began, worked = time.perf_counter(), processor_seconds()
            job()
            found[name].append((time.perf_counter() - began, processor_seconds() - worked))
    return {name: (median(t for t, _ in some[1:]), median(w for _, w in some[1:])) for name, some in found.items()}


def processor_seconds() -> float:
    """Return what this process and its descendants, Java and the Python workers, have used (on Linux)."""
    children: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        number = int(path.parent.name)
        children.setdefault(int(fields[1]), []).append(number)
        used[number] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    total, waiting = 0.0, [os.getpid()]
    while waiting:
        number = waiting.pop()
        total += used.get(number, 0.0)
        waiting += children.get(number, [])
    return total


def with_disease(shape: Shape) -> Path:
    """Return the table of a shape with one of 30 texts more in each row, made if it is not there yet."""
    path = shape.path.with_suffix(".disease.parquet")
    if not path.exists():
        partial = path.with_suffix(".partial")
        disease = "'disease ' || hash(file_row_number * 8 + 5) % 30 AS disease"
        source = f"read_parquet('{shape.path}', file_row_number = true)"
        rows = f"SELECT {', '.join(QUASI)}, salary, {disease} FROM {source}"
        duckdb.connect().execute(f"COPY ({rows}) TO '{partial}' (FORMAT parquet)")
        partial.replace(path)
    return path


def bare(table: DataFrame, columns: list[str]) -> None:
    table.groupBy(*columns).count().write.format("noop").mode("overwrite").save()


if __name__ == "__main__":
    main()
