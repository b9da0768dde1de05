"""Run by the tests in a process of its own: audits and cuts on a cluster of two executors, one of which is killed."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any

import tclose

ROLES = tclose.Roles(quasi=["q"], sensitive=["s:ordered"])


def killer(mark, *, executor):
    """Return a function that kills the executor it runs in, or its Python, unless a mark is there, and leaves one."""

    def strike():
        import os
        import signal
        from pathlib import Path

        try:
            Path(mark).touch(exist_ok=False)
        except FileExistsError:
            return
        above = int(Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(above if executor else os.getpid(), signal.SIGKILL)

    return strike


def killing(mark, *, executor):
    """Return a kernel that gives batches as they are, but kills its executor or its Python the first time."""
    strike = killer(mark, executor=executor)

    def kernel(batches):
        strike()
        yield from batches

    return kernel


def audited(spark, folder) -> dict[str, Any]:
    """Return what an audit finds before, while and after an executor is killed."""

    def found(table):
        return str(tclose.audit(table, ROLES, drivers=False)["s"].t)

    place, mark = (folder / "table").as_uri(), folder / "audit"
    spark.range(0, 4000, numPartitions=4).selectExpr("id % 37 AS q", "(id * id) % 11 AS s").write.parquet(place)
    table = spark.read.parquet(place)
    before = found(table)
    meanwhile = found(table.mapInArrow(killing(str(mark), executor=True), table.schema))
    return {"before": before, "meanwhile": meanwhile, "after": found(table), "struck": mark.exists()}


def cut(spark, folder) -> dict[str, Any]:
    """Say whether a table is cut as it is here, though an executor is killed while it cuts."""
    from engines.spark import test_spark_mondrian as example
    from tclose.anonymization.algorithms.mondrian import cluster_cutting
    from tclose.anonymization.algorithms.mondrian import mondrian as method
    from tclose.engines.spark.distinct import SparkRows
    from tclose.engines.spark.reading import frame_of

    method.PAYS_FROM = method.TRIED_UP_TO = 0
    cluster_cutting.SMALL_PART = 300
    mark, gathered = folder / "cut", SparkRows.gathered
    strike = killer(str(mark), executor=True)

    def deadly(kernel):
        def struck(columns):
            strike()
            return kernel(columns)

        return struck

    def recipe(table):
        return tclose.anonymize(table, example.ROLES, **example.ASKED).recipe.to_json()

    SparkRows.gathered = lambda self, bins, kernel, names: gathered(self, bins, deadly(kernel), names)
    same = recipe(frame_of(spark, example.people())) == recipe(example.people())
    return {"same": same, "struck": mark.exists()}


def main(folder):
    from pyspark.sql import SparkSession

    from engines.spark.sessions import SETTINGS

    warnings.simplefilter("ignore")
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    told = {"audit": audited(spark, folder), "cut": cut(spark, folder)}
    sys.stdout.write("\n" + json.dumps(told) + "\n")
    sys.stdout.flush()
    spark.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
