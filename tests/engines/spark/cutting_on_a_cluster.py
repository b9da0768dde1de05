"""Run by a test in a process of its own: a table is cut on two executors, one of which is killed while it cuts."""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

from pyspark.sql import SparkSession
from test_spark_mondrian import ASKED, ROLES, people

import tclose
from conftest import SETTINGS
from tclose.engines.spark.reading import frame_of
from tclose.engines.spark.spreading import SparkRows
from tclose.recoding.mondrian import method, spread


def deadly(kernel, folder):
    """Return a kernel that kills its executor the first time."""

    def killing(columns):
        import os
        import signal
        from pathlib import Path

        try:
            (Path(folder) / "struck").touch(exist_ok=False)
        except FileExistsError:
            return kernel(columns)
        executor = int(Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(executor, signal.SIGKILL)
        return kernel(columns)

    return killing


def main(folder):
    warnings.simplefilter("ignore")
    method.PAYS_FROM = method.TRIED_UP_TO = 0
    spread.SMALL_PART = 300
    expected = tclose.anonymize(people(), ROLES, **ASKED).recipe.to_json()
    builder = SparkSession.builder.master("local-cluster[2,1,1024]")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    gathered = SparkRows.gathered
    SparkRows.gathered = lambda self, bins, kernel, names: gathered(self, bins, deadly(kernel, folder), names)
    found = tclose.anonymize(frame_of(spark, people()), ROLES, **ASKED).recipe.to_json()
    struck = (Path(folder) / "struck").exists()
    sys.stdout.write("\n" + json.dumps({"same": found == expected, "struck": struck}) + "\n")
    sys.stdout.flush()
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
