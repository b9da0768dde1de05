"""A frame of Spark Connect is audited, written and recoded like any other."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engines.spark.seeded import class_rows, random_table, said
from engines.spark.sessions import among_tests

pytest.importorskip("grpc", reason="needs pyspark[connect]")

SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
AUDITED = """
import sys
import pickle
import tclose
from pyspark.sql import SparkSession
from tclose.engines.spark.reading import frame_of
from engines.spark.seeded import class_rows, random_table, said

spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
table, roles = random_table(3)
audit = tclose.audit(frame_of(spark, table), roles, drivers=False)
audit.classes.write(sys.argv[2])
sys.stdout.buffer.write(pickle.dumps((said(audit), class_rows(audit))))
sys.stdout.flush()
"""


@pytest.fixture(scope="module")
def server(java, tmp_path_factory):
    """The address of a server of Spark Connect on loopback."""
    import pyspark

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {"connect.grpc.binding.port": port, "connect.grpc.binding.address": "127.0.0.1", "ui.enabled": "false"}
    own |= {"driver.host": "127.0.0.1", "driver.bindAddress": "127.0.0.1", "sql.shuffle.partitions": 2}
    conf = [word for key, value in own.items() for word in ("--conf", f"spark.{key}={value}")]
    submit = Path(pyspark.__path__[0]) / "bin" / "spark-submit"
    command = [str(submit), "--class", SERVER, "--master", "local[1]", *conf, "spark-internal"]
    with (tmp_path_factory.mktemp("connect") / "log").open("wb") as log:
        running = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            while running.poll() is None:
                with socket.socket() as asked:
                    if asked.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.2)
            yield f"sc://127.0.0.1:{port}"
        finally:
            running.terminate()
            running.wait(60)


def test_an_audit_through_spark_connect_says_the_same(server, tmp_path):
    import pickle

    import tclose

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", AUDITED, server, str(tmp_path / "classes.parquet")],
        env=among_tests(),
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    table, roles = random_table(3)
    expected = tclose.audit(table, roles, drivers=False)
    assert pickle.loads(done.stdout) == (said(expected), class_rows(expected))
    assert (tmp_path / "classes.parquet" / "_SUCCESS").exists()
