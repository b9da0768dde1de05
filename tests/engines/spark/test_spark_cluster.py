"""On a cluster of several processes the answers are the same, also after an executor was killed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tclose
from engines.spark.on_a_cluster import ROLES, killing
from engines.spark.sessions import among_tests
from tclose import errors

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def answers(java, tmp_path_factory):
    """What a cluster of two executors answered, one of which was killed at each question."""
    folder = tmp_path_factory.mktemp("cluster")
    done = subprocess.run(
        [sys.executable, str(HERE / "on_a_cluster.py"), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
        cwd=folder,
        env=among_tests(),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.strip().splitlines()[-1])


@pytest.fixture(scope="module")
def expected():
    table = {"q": [at % 37 for at in range(4000)], "s": [(at * at) % 11 for at in range(4000)]}
    return str(tclose.audit(table, tclose.Roles(quasi=["q"], sensitive=["s:ordered"]), drivers=False)["s"].t)


@pytest.mark.skipif(sys.platform != "linux", reason="the test finds the executor in /proc")
def test_two_executors_give_the_same_answer_and_so_does_one_after_the_other_was_killed(answers, expected):
    assert answers["audit"] == {"before": expected, "meanwhile": expected, "after": expected, "struck": True}


@pytest.mark.skipif(sys.platform != "linux", reason="the test finds the executor in /proc")
def test_an_executor_that_is_killed_while_it_cuts_changes_nothing(answers):
    assert answers["cut"] == {"same": True, "struck": True}


@pytest.mark.skipif(sys.platform != "linux", reason="the test finds the executor in /proc")
def test_without_a_second_try_a_killed_worker_is_an_error_and_the_next_run_works(spark, tmp_path, expected):
    table = spark.range(0, 4000, numPartitions=4).selectExpr("id % 37 AS q", "(id * id) % 11 AS s")
    doomed = table.mapInArrow(killing(str(tmp_path / "python"), executor=False), table.schema)
    with pytest.raises(errors.EngineFailedError, match="Spark stopped"):
        tclose.audit(doomed, ROLES, drivers=False)
    assert (tmp_path / "python").exists(), "the worker was killed"
    assert str(tclose.audit(table, ROLES, drivers=False)["s"].t) == expected
