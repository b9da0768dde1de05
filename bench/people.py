"""What does counting people cost, beside counting rows and beside the bare GROUP BY … COUNT(DISTINCT person)?

    python bench/people.py [--quick] [duckdb] [postgresql] [spark] [columns]

What is compared takes turns on the same table: five rows for each person, 32,000 classes, 7,000 salaries. Seconds are
by the clock, ratios also of processors. Without names, everything is measured.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import tclose
from clock import machine
from spark import processor_seconds
from tables import QUASI, Shape

ROUNDS = 4
Jobs = dict[str, Callable[[], object]]


def main() -> None:
    quick = "--quick" in sys.argv
    chosen = [name for name in MEASURES if name in sys.argv] or list(MEASURES)
    print(f"People; {machine()}; best of {ROUNDS}\n", flush=True)
    for name in chosen:
        MEASURES[name](quick)


def timed(jobs: Jobs) -> dict[str, tuple[float, float]]:
    """Return the least seconds of each job, by the clock and of processors; the first round warms up."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in jobs}
    for _ in range(ROUNDS + 1):
        for name, job in jobs.items():
            began, worked = time.perf_counter(), processor_seconds()
            job()
            found[name].append((time.perf_counter() - began, processor_seconds() - worked))
    return {name: (min(t for t, _ in some[1:]), min(w for _, w in some[1:])) for name, some in found.items()}


def told(title: str, jobs: Jobs) -> None:
    """Print each job beside the first."""
    found = timed(jobs)
    (first_time, first_work), *_ = found.values()
    print(f"{title}\n\n| | seconds | of processors | ratio | ratio of processors |\n|---|---|---|---|---|")
    for name, (seconds, work) in found.items():
        print(f"| {name} | {seconds:.2f} | {work:.2f} | {seconds / first_time:.2f} | {work / first_work:.2f} |")
    print(flush=True)


def peopled(rows: int) -> Path:
    """Return a table whose people have five rows each, told apart by a number, a short text and a long one."""
    base = Shape(rows, 32_000, 7_000).path
    path = base.with_suffix(".patients.parquet")
    if not path.exists():
        partial = path.with_suffix(".partial")
        who = f"CAST(hash(file_row_number * 8 + 6) % {rows // 5} AS INTEGER)"
        code, uuid = (
            f"'P' || lpad(CAST({who} AS VARCHAR), 7, '0')",
            f"CAST(CAST(md5(CAST({who} AS VARCHAR)) AS UUID) AS VARCHAR)",
        )
        listing = f"{', '.join(QUASI)}, salary, {who} AS patient, {code} AS code, {uuid} AS uuid"
        source = f"read_parquet('{base}', file_row_number = true)"
        duckdb.connect().execute(f"COPY (SELECT {listing} FROM {source}) TO '{partial}' (FORMAT parquet)")
        partial.replace(path)
    return path


def audits(table: object, *persons: str, **asked: object) -> Jobs:
    """Return audits of a table by people, told apart by each of some columns."""
    return {
        f"people, by {person}": lambda person=person: tclose.audit(
            table, tclose.Roles(quasi=QUASI, sensitive=["salary:ordered"], person=person), drivers=False, **asked
        )
        for person in persons
    }


def on_duckdb(quick: bool) -> None:
    rows = 1_000_000 if quick else 10_000_000
    alone, table = str(Shape(rows, 32_000, 7_000).path), str(peopled(rows))
    by_rows = tclose.Roles(quasi=QUASI, sensitive=["salary:ordered"])
    named = tclose.Roles(quasi=QUASI, sensitive=["salary:ordered"], identifiers=["code"])
    jobs: Jobs = {
        "rows, of a table without people": lambda: tclose.audit(alone, by_rows, drivers=False),
        "rows, with how many repeat by patient and code": lambda: tclose.audit(table, named, drivers=False),
    }
    told(f"DuckDB, {rows:,} rows: an audit", jobs | audits(table, "patient", "code", "uuid"))


def on_postgresql(quick: bool) -> None:
    import adbc_driver_postgresql.dbapi as adbc

    from engines.servers import server

    rows = 200_000 if quick else 2_000_000
    grouped = "SELECT age, sex, zip, salary, count(DISTINCT patient) FROM people GROUP BY age, sex, zip, salary"

    with server() as started:
        started.run(
            "CREATE TABLE people AS SELECT (random() * 79)::int AS age, (random())::int AS sex, "
            "10000 + 7 * (random() * 199)::int AS zip, (random() * 6999)::int AS salary, "
            f"(random() * {rows // 5})::int AS patient FROM generate_series(1, {rows})",
            "ANALYZE people",
        )

        def bare() -> None:
            with adbc.connect(started.address()) as connection, connection.cursor() as cursor:
                cursor.execute(grouped)
                for _ in cursor.fetch_record_batch():
                    pass

        told(f"PostgreSQL, {rows:,} rows", {"bare": bare} | audits(f"{started.address()}#people", "patient"))


def on_spark(quick: bool) -> None:
    from pyspark.sql import functions

    from spark import session

    rows = 1_000_000 if quick else 10_000_000
    path, spark = peopled(rows), session()
    try:
        table = spark.read.parquet(path.as_uri()).drop("code", "uuid")
        bare = table.groupBy(*QUASI, "salary").agg(functions.count_distinct("patient"))
        jobs: Jobs = {"bare": lambda: bare.write.format("noop").mode("overwrite").save()}
        told(f"Spark, {rows:,} rows: k, l, t", jobs | audits(table, "patient", measure=["k", "l", "t"]))
    finally:
        spark.stop()


def any_columns(quick: bool) -> None:
    rows = 3_000 if quick else 30_162
    columns = {f"q{at}": f"CAST(floor(pow(hash(i * 64 + {at}) / 18446744073709551616.0, 2) * {2 + at % 9}) AS INTEGER)"
               for at in range(20)}  # fmt: skip
    listing = ", ".join(f"{cell} AS {name}" for name, cell in columns.items())
    table = duckdb.sql(
        f"SELECT {listing}, hash(i * 64 + 20) % 14 AS s, CAST(hash(i * 64 + 21) % {rows // 5} AS INTEGER) AS patient "
        f"FROM range({rows}) AS t(i)"
    ).df()
    jobs: Jobs = {
        name: lambda person=person: tclose.audit(
            table, tclose.Roles(quasi=list(columns), sensitive=["s:nominal"], person=person),
            any=3, require={"k": 5, "t": "0.3"}, measure=["k", "l", "t"], drivers=False,
        )
        for name, person in (("rows", None), ("people", "patient"))
    }  # fmt: skip
    told(f"Any 3 of 20 columns (1,350 combinations), {rows:,} rows", jobs)


MEASURES = {"duckdb": on_duckdb, "postgresql": on_postgresql, "spark": on_spark, "columns": any_columns}


if __name__ == "__main__":
    main()
