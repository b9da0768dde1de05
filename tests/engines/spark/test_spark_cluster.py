"""On a cluster of several processes the answers are the same, also after an executor was killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from on_a_cluster import ROLES, killing

import tclose
from tclose import errors

HERE = Path(__file__).parent


def answers(master, folder, *killed):
    done = subprocess.run(
        [sys.executable, str(HERE / "on_a_cluster.py"), master, str(folder), *killed],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


@pytest.fixture(scope="module")
def expected():
    table = {"q": [at % 37 for at in range(4000)], "s": [(at * at) % 11 for at in range(4000)]}
    return str(tclose.audit(table, tclose.Roles(quasi=["q"], sensitive=["s:ordered"]), drivers=False)["s"].t)


@pytest.mark.skipif(sys.platform != "linux", reason="the test finds the executor in /proc")
def test_two_executors_give_the_same_answer_and_so_does_one_after_the_other_was_killed(java, tmp_path, expected):
    found = answers("local-cluster[2,1,1024]", tmp_path, "executor")
    assert found == {"plain": expected, "executor": expected, "executor struck": True, "after executor": expected}


@pytest.mark.skipif(sys.platform != "linux", reason="the test finds the executor in /proc")
def test_without_a_second_try_a_killed_worker_is_an_error_and_the_next_run_works(spark, tmp_path, expected):
    table = spark.range(0, 4000, numPartitions=4).selectExpr("id % 37 AS q", "(id * id) % 11 AS s")
    doomed = table.mapInArrow(killing(str(tmp_path), "python"), table.schema)
    with pytest.raises(errors.EngineFailedError, match="Spark stopped"):
        tclose.audit(doomed, ROLES, drivers=False)
    assert (tmp_path / "python").exists(), "the worker was killed"
    assert str(tclose.audit(table, ROLES, drivers=False)["s"].t) == expected
