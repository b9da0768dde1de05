"""Every verb says what it does from its beginning on, and the engine how far its query is."""

from __future__ import annotations

import threading
import time

import pytest

import tclose
from tclose.engines.duckdb.connection import connect, disconnect, share_done
from tclose.web.jobs import Job, Outcome

REQUIRED = {"k": 2, "t": "0.5"}
ROLES = tclose.Roles(quasi=["zip", "age"], sensitive=["salary"])


def stages(work):
    """Return what some work tells, each stage once."""
    told = []
    work(lambda stage, _share: told.append(stage))
    return list(dict.fromkeys(told))


@pytest.mark.parametrize(
    "verb",
    [
        lambda tell: tclose.audit("example:salary", ROLES, progress=tell),
        lambda tell: tclose.profile("example:salary", progress=tell),
        lambda tell: tclose.anonymize(
            "example:salary", ROLES, require=REQUIRED, hierarchies={"age": "flat"}, progress=tell
        ),
    ],
)
def test_a_verb_tells_that_it_reads_before_it_does(verb):
    assert stages(verb)[0] == "Reading the table"


def test_writing_a_release_tells_each_step(tmp_path):
    release = tclose.anonymize("example:salary", ROLES, require=REQUIRED, hierarchies={"age": "flat"})
    told = stages(lambda tell: release.write(tmp_path / "release.csv", progress=tell))
    assert told[:2] == ["Writing the release", "Reading the release back"]
    assert len(told) > 2, "its audit tells what it does, too"
    recipe = tmp_path / "release.csv.recipe.json"
    assert stages(lambda tell: tclose.apply("example:salary", recipe, progress=tell))[0] == "Reading the table"


def running(connection, until):
    """Run a query that never ends in another thread until something is true of it, then interrupt it."""
    begun = threading.Thread(target=lambda: _endless(connection))
    begun.start()
    try:
        while not until():
            assert begun.is_alive()
            time.sleep(0.01)
    finally:
        while begun.is_alive():
            connection.interrupt()
            begun.join(0.1)


def _endless(connection):
    with pytest.raises(Exception, match="INTERRUPT"):
        connection.execute(
            "SELECT sum(hash(a.range, b.range)) FROM range(10000000) AS a, range(10000000) AS b"
        ).fetchall()


def test_an_engine_says_how_far_its_query_is():
    connection = connect(threads=1)
    assert share_done([connection]) is None
    running(connection, lambda: share_done([connection]) is not None and share_done() is not None)
    assert share_done([connection]) is None
    disconnect(connection)
    assert share_done([connection]) is None


def test_a_job_of_the_page_says_how_far_its_query_is():
    job = Job("1", "audit", "2")

    def work(job):
        connection = connect(threads=1)
        job.tell("Reading", None)
        running(connection, lambda: job.data()["share"] is not None)
        disconnect(connection)
        return Outcome({})

    job.run(work)
    assert (job.state, job.error) == ("done", None)
