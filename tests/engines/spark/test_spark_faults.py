"""What goes wrong around Spark is one line on standard error and an exit code; nothing is left half-written."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

import tclose
from tclose import errors
from tclose.data.targets import committing
from tclose.engines.spark import errors as failures
from tclose.engines.spark import released as writing
from tclose.engines.spark.reading import read_path

LOCAL = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
ROLES = tclose.Roles(quasi=["q"], sensitive=["s:ordered"])


def command(table, *more, master="local[1]", **settings):
    conf = [f"--conf={key}={value}" for key, value in {**LOCAL, **settings}.items()]
    asked = ["audit", str(table), "-q", "q", "-s", "s:ordered", "--no-drivers"]
    return [sys.executable, "-m", "tclose.cli", *asked, "--engine", "spark", "--master", master, *conf, *more]


def ran(*given, **settings):
    return subprocess.run(command(*given, **settings), capture_output=True, text=True, check=False, timeout=200)


def refusal(done):
    """Return the one line that a failed command wrote; nothing of Java or of a cell is there."""
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


@pytest.fixture
def damaged(spark, tmp_path):
    """A folder of several files, one of which breaks off in the middle."""
    folder = tmp_path / "table.parquet"
    spark.range(0, 3000, numPartitions=3).selectExpr("id % 7 AS q", "id AS s").write.parquet(str(folder))
    *_, last = sorted(folder.glob("part-*"))
    content = bytearray(last.read_bytes())
    content[4 : len(content) // 2] = b"\xff" * (len(content) // 2 - 4)
    last.write_bytes(content)
    for check in folder.glob(".*.crc"):
        check.unlink()
    return folder


def test_one_damaged_file_among_many_is_an_error_of_the_input(damaged, spark):
    with pytest.raises(errors.SourceError, match="damaged"):
        tclose.audit(read_path(spark, str(damaged)), ROLES, drivers=False)


def test_the_command_line_says_so_in_one_line_and_writes_nothing(damaged, java, tmp_path):
    done = ran(damaged, "--classes", str(tmp_path / "classes.parquet"))
    assert (done.returncode, "damaged" in refusal(done)) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["table.parquet"]


def test_a_folder_that_spark_cannot_spill_to_is_an_error_of_the_engine(java, tmp_path):
    (tmp_path / "file").touch()
    done = ran("nowhere.parquet", **{"spark.local.dir": str(tmp_path / "file" / "local")})
    assert (done.returncode, "spark.local.dir" in refusal(done)) == (3, True)


def test_a_master_that_does_not_answer_is_an_error_of_the_engine(java):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: nobody else gets it, and it refuses
        done = ran("nowhere.parquet", master=f"spark://127.0.0.1:{taken.getsockname()[1]}")
    assert (done.returncode, "No Spark master answers" in refusal(done)) == (3, True)


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_an_interrupted_audit_ends_with_its_own_code_and_leaves_nothing(java, tmp_path):
    spills = tmp_path / "spills"
    spills.mkdir()
    started = command("missing-*.parquet", "-o", str(tmp_path / "audit.json"), **{"spark.local.dir": str(spills)})
    running = subprocess.Popen(started, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not any(spills.iterdir()) and running.poll() is None:
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    output, problems = running.communicate(timeout=60)
    assert (running.returncode, output, problems.strip()) == (130, "", "Interrupted; nothing was left half-written.")
    assert not (tmp_path / "audit.json").exists()


@pytest.mark.parametrize(
    ("words", "error", "told"),
    [
        ("java.io.IOException: No space left on device", errors.HeadroomError, "disk"),
        ("org.apache.hadoop.security.AccessControlException: Permission denied", errors.SourceError, "permission"),
        ("ModuleNotFoundError: No module named 'tclose'", errors.EngineFailedError, "PYSPARK_PYTHON"),
        ("[SOMETHING_ELSE] CANARY", errors.EngineFailedError, "SOMETHING_ELSE"),
    ],
)
def test_what_spark_says_becomes_an_error_that_names_the_way_out(words, error, told):
    from pyspark.errors import PySparkException

    found = failures.translation(PySparkException(words), "the table")
    assert type(found) is error
    assert told in str(found)
    assert "CANARY" not in str(found)


def test_a_folder_comes_back_when_another_cannot_take_its_place(tmp_path, monkeypatch):
    target = tmp_path / "out.parquet"
    target.mkdir()
    (target / "_SUCCESS").touch()
    (target / "old").touch()
    replace = os.replace

    def replaced(source, place):
        if str(place) == str(target):
            raise OSError(28, os.strerror(28))
        replace(source, place)

    monkeypatch.setattr(os, "replace", replaced)
    with pytest.raises(errors.InputError, match="cannot be written"), committing([writing.target(target)]) as (place,):
        place.mkdir()
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]
    assert (target / "old").exists()
