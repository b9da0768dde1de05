"""The command line starts Spark where it is asked to, and says what is missing where it cannot."""

from __future__ import annotations

import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

import tclose
from tclose import errors
from tclose.cli.options import spark_settings
from tclose.engines.spark import reading as starting
from tclose.engines.spark.reading import is_pattern, read_path


def test_an_audit_by_spark_on_the_command_line(java, tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("zip,pay\n01,3\n01,4\n1,3\n1,5\n", encoding="utf-8")
    command = ["audit", str(path), "-q", "zip", "-s", "pay:ordered", "--format", "json", "--quiet", "--no-drivers"]
    settings = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    spark = ["--engine", "spark", "--master", "local[1]", *(f"--conf={key}={value}" for key, value in settings.items())]
    found, tables = [], []
    for name, more in (("duckdb", []), ("spark", spark)):
        classes = tmp_path / f"{name}.parquet"
        arguments = [sys.executable, "-m", "tclose.cli", *command, "--classes", str(classes), *more]
        done = subprocess.run(arguments, capture_output=True, check=True, timeout=200)
        assert done.stderr == b"", "neither Spark nor Java says anything"
        found.append(json.loads(done.stdout))
        tables.append(pq.read_table(classes).to_pylist())
    for data in found:
        del data["source"]
    assert found[0]["classes"] == 2, "codes with leading zeros stay text"
    assert found[1] == found[0]
    assert tables[1] == tables[0]


def test_what_spark_starts_writes_nothing_and_standard_output_comes_back(capfd):
    for logging in (False, True):
        with starting._children_silent(logging=logging):
            subprocess.run(["sh", "-c", "echo lost; echo logged >&2"], check=True)
        sys.stdout.write("ours\n")
        sys.stdout.flush()
    assert capfd.readouterr() == ("ours\nours\n", "lost\nlogged\n")


def test_master_and_conf_are_refused_without_the_engine(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tclose.cli", "audit", "x.csv", "-q", "a", "-s", "b", "--master", "local[1]"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "--engine spark" in done.stderr) == (2, True)


def test_a_setting_that_is_none_is_refused():
    with pytest.raises(errors.InputError, match="KEY=VALUE"):
        spark_settings(("spark.executor.memory",))


def test_without_java_the_way_out_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(errors.EngineFailedError, match="Spark needs Java 17"):
        starting.started("local[1]", {})


def test_a_path_with_nothing_under_it_is_refused(spark):
    from tclose.engines.spark.errors import translated

    with pytest.raises(errors.SourceError, match="finds no such"), translated("'missing.parquet'"):
        read_path(spark, "file:///nowhere/missing.parquet")


@pytest.mark.parametrize("ending", ["json", "orc", "parquet"])
def test_every_kind_of_path_is_read(spark, tmp_path, ending):
    table = spark.createDataFrame([(1, "x"), (1, "y"), (2, "x")], "q int, s string")
    path = str(tmp_path / f"table.{ending}")
    table.write.format(ending).save(path)
    found = tclose.audit(read_path(spark, path), tclose.Roles(quasi=["q"], sensitive=["s"]), drivers=False)
    assert (found.rows, found.class_count, found.k) == (3, 2, 1)


@pytest.mark.parametrize("stem", ["p[1]", "lit*", "q?", "x{1,2}", "back\\*slash", "sp ace%20", "é[ü]"])
def test_a_path_that_exists_is_that_file_beside_all_that_it_would_match(spark, tmp_path, stem):
    for name in ("p1", "lit2", "q1", "x1"):
        (tmp_path / f"{name}.csv").write_text("zip,pay\n1,3\n1,4\n1,5\n", encoding="utf-8")
    (tmp_path / f"{stem}.csv").write_text("zip,pay\n2,3\n", encoding="utf-8")
    assert [row.zip for row in read_path(spark, str(tmp_path / f"{stem}.csv")).collect()] == [2]


def test_a_pattern_is_one_where_nothing_has_its_name(spark, tmp_path):
    for name in ("p1", "p2"):
        (tmp_path / f"{name}.csv").write_text("zip,pay\n1,3\n", encoding="utf-8")
    assert is_pattern(str(tmp_path / "p*.csv"))
    assert not is_pattern(str(tmp_path / "p1.csv"))
    assert len(read_path(spark, str(tmp_path / "p*.csv")).inputFiles()) == 2


@pytest.mark.parametrize("folder", ["sp ace", "[1]*"])
def test_a_release_is_written_to_a_folder_with_any_name(spark, tmp_path, folder):
    (tmp_path / folder).mkdir()
    frame = spark.createDataFrame([(1, "flu"), (1, "cold")], "zip int, ill string")
    release = tclose.anonymize(frame, tclose.Roles(["zip"], ["ill"]), require={"k": 2})
    assert release.write(tmp_path / folder / "out.parquet").audit.rows == 2
