"""A Spark session for the command line, started because it was asked for, and tables read by it."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tclose.errors import EngineFailedError, EngineNotInstalledError
from tclose.sources import SparkSource
from tclose.targets import private_folder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def started(master: str | None, conf: Mapping[str, str]) -> SparkSession:
    """Return a Spark session, started with a master and settings; Python workers run what runs this.

    Its processes write nothing to standard output, and to standard error only where ``spark.log.level`` is set.

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
    if "spark.remote" not in conf:
        _check_java()
    _check_master(master or conf.get("spark.master", ""))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("tclose")
    usual = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "OFF"}
    if not {"spark.remote", "spark.local.dir"} & set(conf):
        usual["spark.local.dir"] = _private_folder()
    for key, value in {**usual, **conf}.items():
        builder = builder.config(key, value)
    builder = builder.master(master) if master else builder
    try:
        with _children_silent(logging="spark.log.level" in conf):
            return builder.getOrCreate()
    except Exception as problem:  # noqa: BLE001 - Spark, py4j and Connect raise each their own
        raise EngineFailedError(
            f"Spark could not be started ({type(problem).__name__}). Check --master and --conf, that the master "
            "can be reached, and that spark.local.dir can be written to; --conf spark.log.level=WARN shows its log."
        ) from None


def _private_folder() -> str:
    """Return a folder for the rows that Spark puts on this machine's disk, which goes with the process."""
    folder = private_folder(Path(tempfile.gettempdir()))
    atexit.register(folder.remove)
    return str(folder.path)


@contextmanager
def _children_silent(*, logging: bool) -> Iterator[None]:
    """Start processes that write nowhere, or where they are to log, to standard error."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    with ExitStack() as undoing:
        target = os.dup(2) if logging else os.open(os.devnull, os.O_WRONLY)
        undoing.callback(os.close, target)
        for descriptor in (1, 2):
            kept = os.dup(descriptor)
            undoing.callback(os.close, kept)
            undoing.callback(os.dup2, kept, descriptor)
            os.dup2(target, descriptor)
        yield


def _check_master(master: str) -> None:
    """Refuse a standalone master that nobody answers for; Spark itself would try for a minute."""
    if not master.startswith("spark://"):
        return
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), timeout=10):
                return
        except (OSError, ValueError):
            continue
    raise EngineFailedError(
        f"No Spark master answers at {master!r}. Check --master, and that the master is running and can be reached."
    )


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
def read_source(source: SparkSource) -> DataFrame:
    """Return the table under a path, read by a session that is started for it."""
    from tclose.engines.spark.failures import translated
    from tclose.engines.spark.reading import read_path

    spark = started(source.master, dict(source.conf))
    with translated(repr(source.path)):
        return read_path(spark, source.path, source.options)
