"""A Spark session of the tests' own in this process, and a Java to run it where the machine has none."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_ANY_JAVA = """#!/bin/sh
# Spark asks for a module that this small Java lacks and does not need.
for word; do
  shift
  [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"
done
exec "{java}" "$@"
"""
TESTS = Path(__file__).parents[2]
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""How a Java is told that it will not live long enough for its best compiler to pay."""
SETTINGS = {
    "spark.executor.extraJavaOptions": SHORT_LIVED,
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "3",
    "spark.default.parallelism": "2",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.session.timeZone": "America/New_York",
}


def among_tests() -> dict[str, str]:
    """Return the environment of a process that imports from the folder of all tests."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}


def has_java() -> bool:
    """Say whether the machine has a Java of its own."""
    return bool(shutil.which("java")) or "JAVA_HOME" in os.environ


def set_java(home: Path, java: str) -> None:
    """Set JAVA_HOME to a folder that runs a small Java."""
    (home / "bin").mkdir()
    script = home / "bin" / "java"
    script.write_text(_ANY_JAVA.format(java=java), encoding="utf-8")
    script.chmod(0o755)
    os.environ["JAVA_HOME"] = str(home)


@contextmanager
def local_session() -> Iterator[Any]:
    """Give a session of two threads in this process, and stop it."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = SparkSession.builder.master("local[2]")
        for key, value in SETTINGS.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        session.range(1).count()
    yield session
    session.stop()
