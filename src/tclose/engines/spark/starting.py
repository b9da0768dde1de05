"""A Spark session for the command line, started because it was asked for, and tables read by it."""

from __future__ import annotations

import functools
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tclose.errors import EngineFailedError, EngineNotInstalledError, InputError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def settings(texts: tuple[str, ...]) -> dict[str, str]:
    """Return settings written as ``key=value``.

    Examples
    --------
    >>> settings(("spark.executor.memory=4g", "spark.app.name=a=b"))
    {'spark.executor.memory': '4g', 'spark.app.name': 'a=b'}
    """
    found = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key.strip():
            raise InputError(f"--conf {text!r} is not KEY=VALUE, such as spark.executor.memory=4g.")
        found[key.strip()] = value
    return found


def started(master: str | None, conf: Mapping[str, str]) -> SparkSession:
    """Return a Spark session, started with a master and settings; Python workers run what runs this.

    Parameters
    ----------
    master
        Such as ``local[*]``, ``yarn`` or ``spark://host:7077``; None leaves it to ``spark.master`` or the environment.
    conf
        Settings of Spark.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise EngineNotInstalledError("The engine spark", "pyspark", "spark") from None
    _check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("tclose")
    for key, value in {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR", **conf}.items():
        builder = builder.config(key, value)
    builder = builder.master(master) if master else builder
    try:
        return builder.getOrCreate()
    except Exception as problem:  # noqa: BLE001 - Spark, py4j and Connect raise each their own
        raise EngineFailedError(
            f"Spark could not be started ({type(problem).__name__}). Check --master and --conf, and that the master "
            "is running and can be reached."
        ) from None


def _check_java() -> None:
    """Refuse to start where there is no Java, with a way to get one."""
    home = os.environ.get("JAVA_HOME")
    java = Path(home, "bin", "java.exe" if os.name == "nt" else "java") if home else None
    if not (java.exists() if java else shutil.which("java")):
        raise EngineFailedError(
            "Spark needs Java 17 or newer, and none was found. Install one, such as openjdk-17-jre-headless, and set "
            "JAVA_HOME if java is not on the PATH."
        )


@functools.cache
def read_table(path: str, master: str | None, conf: tuple[tuple[str, str], ...]) -> DataFrame:
    """Return the table under a path, read by a session that is started for it."""
    from tclose.engines.spark.failures import translated
    from tclose.engines.spark.reading import read_path

    spark = started(master, dict(conf))
    with translated(repr(path)):
        return read_path(spark, path)
