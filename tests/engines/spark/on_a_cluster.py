"""Run by a test in a process of its own: audits on a cluster of several processes, one of which is killed."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import tclose

warnings.simplefilter("ignore")
ROLES = tclose.Roles(quasi=["q"], sensitive=["s:ordered"])


def killing(folder, what):
    """Return a kernel that gives batches as they are, but kills its executor or its Python the first time."""

    def kernel(batches):
        import os
        import signal
        from pathlib import Path

        try:
            (Path(folder) / what).touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            daemon = os.getppid()
            executor = int(Path(f"/proc/{daemon}/stat").read_text().rpartition(")")[2].split()[1])
            os.kill(executor if what == "executor" else os.getpid(), signal.SIGKILL)
        yield from batches

    return kernel


def main(master, folder):
    from pyspark.sql import SparkSession

    from conftest import SETTINGS

    builder = SparkSession.builder.master(master)
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    table = spark.range(0, 4000, numPartitions=4).selectExpr("id % 37 AS q", "(id * id) % 11 AS s")
    table.write.parquet((Path(folder) / "table").as_uri())
    table = spark.read.parquet((Path(folder) / "table").as_uri())
    found = {"plain": str(tclose.audit(table, ROLES, drivers=False)["s"].t)}
    for what in sys.argv[3:]:
        doomed = table.mapInArrow(killing(folder, what), table.schema)
        try:
            found[what] = str(tclose.audit(doomed, ROLES, drivers=False)["s"].t)
        except tclose.TcloseError as problem:
            found[what] = f"{type(problem).__name__}: {problem}"
        found[f"{what} struck"] = (Path(folder) / what).exists()
        found[f"after {what}"] = str(tclose.audit(table, ROLES, drivers=False)["s"].t)
    sys.stdout.write("\n" + json.dumps(found) + "\n")
    sys.stdout.flush()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
