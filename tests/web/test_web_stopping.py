"""Work that was cancelled stops, wherever it is, and leaves its thread to the next work."""

import contextlib
import subprocess
import sys
import threading
import time

import pytest

from tclose.engines.duckdb.connection import connect, disconnect
from tclose.web import workspace as workspaces
from tclose.web.jobs import AT_ONCE, CancelledError, Jobs, Outcome

PATIENCE = 20


@pytest.fixture
def jobs():
    found = Jobs()
    yield found
    found.close()


def ended(job):
    """Wait for a job, but not for ever."""
    until = time.monotonic() + PATIENCE
    while not job.finished and time.monotonic() < until:
        time.sleep(0.005)
    return job.state


def never_ends(_job):
    while True:
        pass


def queries_without_end(_job):
    connection = connect()
    try:
        connection.execute("SELECT sum(a.range * b.range % 7) FROM range(10000000) a, range(10000000) b").fetchall()
    finally:
        disconnect(connection)


def takes_errors_for_its_own(_job):
    while True:
        try:
            sum(range(1000))
        except Exception:  # noqa: BLE001 - the point of the test
            continue


def closes_its_connections(_job):
    kept = connect()
    kept.close()  # whoever stops this still knows it
    never_ends(kept)


@pytest.mark.parametrize("work", [never_ends, queries_without_end, takes_errors_for_its_own, closes_its_connections])
@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_work_that_reports_no_progress_is_stopped(jobs, work):
    begun = threading.Event()
    job = jobs.start("audit", "table", lambda job: begun.set() or work(job))
    assert begun.wait(PATIENCE)
    job.cancel()
    assert (ended(job), job.outcome, job.error) == ("cancelled", None, None)


def test_a_thread_serves_again_after_its_work_was_stopped(jobs):
    for _ in range(AT_ONCE + 1):
        job = jobs.start("audit", "table", never_ends)
        job.cancel()
        assert ended(job) == "cancelled"
    after = [jobs.start("audit", "table", lambda _job: Outcome({"done": True})) for _ in range(AT_ONCE + 1)]
    assert [ended(job) for job in after] == ["done"] * len(after)


def test_work_that_ends_as_it_is_cancelled_is_done_or_cancelled_and_nothing_else(jobs):
    started = []
    for _ in range(300):
        job = jobs.start("audit", "table", lambda _job: Outcome({}))
        job.cancel()
        started.append(job)
    assert {ended(job) for job in started} <= {"done", "cancelled"}
    assert ended(jobs.start("audit", "table", lambda _job: Outcome({}))) == "done"


def test_work_that_still_waits_is_cancelled_at_once(jobs):
    busy = [jobs.start("audit", "table", never_ends) for _ in range(AT_ONCE)]
    waiting = jobs.start("audit", "table", never_ends)
    waiting.cancel()
    assert waiting.state == "cancelled"
    for job in busy:
        job.cancel()
    assert {ended(job) for job in busy} == {"cancelled"}


def test_what_was_begun_to_be_cleaned_up_is_cleaned_up(jobs):
    seen, cleaning, cleaned = [], threading.Event(), threading.Event()

    @contextlib.contextmanager
    def tidy():
        try:
            yield
        finally:
            cleaning.set()
            until = time.monotonic() + 1
            while time.monotonic() < until:
                pass
            cleaned.set()

    def work(_job):
        with tidy():
            pass
        try:
            never_ends(None)
        except CancelledError:
            seen.append("left")
            raise

    job = jobs.start("audit", "table", work)
    assert cleaning.wait(PATIENCE)
    job.cancel()
    assert ended(job) == "cancelled"
    assert cleaned.is_set()
    assert seen == ["left"]


def test_another_job_is_not_disturbed(jobs):
    go = threading.Event()

    def patient(_job):
        connection = connect()
        go.wait(PATIENCE)
        found = connection.execute("SELECT count(*) FROM range(1000000) WHERE hash(range) % 2 < 2").fetchall()
        disconnect(connection)
        return Outcome({"found": found})

    other = jobs.start("audit", "table", patient)
    stopped = jobs.start("audit", "table", queries_without_end)
    time.sleep(0.05)
    stopped.cancel()
    go.set()
    assert (ended(stopped), ended(other)) == ("cancelled", "done")
    assert other.outcome.data == {"found": [(1_000_000,)]}


def test_work_that_is_stopped_as_its_turn_comes_leaves_the_turn_to_the_next(jobs, monkeypatch):
    monkeypatch.setattr(workspaces, "_LOOKING_UP", PATIENCE)
    workspace = workspaces.Workspace()
    opened = workspace.open_example("salary")
    made, going = threading.Event(), threading.Event()

    def slow():
        made.set()
        going.wait(PATIENCE)
        return "frame"

    def asks(make):
        return lambda job: Outcome({"found": opened.once("frame", None, make, job.tell)})

    first = jobs.start("levels", opened.id, asks(slow))
    assert made.wait(PATIENCE)
    second = jobs.start("levels", opened.id, asks(slow))
    while second.state == "waiting":
        time.sleep(0.005)
    time.sleep(0.1)  # it waits for its turn by now
    second.cancel()
    time.sleep(0.1)  # it was told to leave by now
    going.set()
    assert ended(first) == "done"
    ended(second)
    third = jobs.start("levels", opened.id, asks(lambda: "anew"))
    assert ended(third) == "done"
    assert third.outcome.data == {"found": "frame"}
    workspace.close()


def test_whoever_wants_the_rows_does_not_wait_for_what_is_counted_of_them(jobs):
    workspace = workspaces.Workspace()
    opened = workspace.open_example("salary")
    made, going = threading.Event(), threading.Event()
    counts = jobs.start(
        "levels",
        opened.id,
        lambda job: Outcome(opened.once("frame", None, lambda: made.set() or going.wait(PATIENCE) or {}, job.tell)),
    )
    assert made.wait(PATIENCE)
    reads = jobs.start("audit", opened.id, lambda job: Outcome(opened.once("rows", None, dict, job.tell)))
    assert ended(reads) == "done"
    assert not counts.finished
    going.set()
    ended(counts)
    workspace.close()


TRACED = """
import sys, threading, time
from tclose.web.jobs import CancelledError, Stoppable

def endless():
    while True:
        time.sleep(0.001)

Stoppable().run(lambda: None, ())
stopped = Stoppable()
threading.Timer(0.2, stopped.stop).start()
try:
    stopped.run(endless, ())
except CancelledError:
    print("stopped")
sys.settrace(lambda *told: None)
(lambda: None)()
print("traced")
"""


def test_work_that_ended_leaves_nothing_in_the_interpreter_that_a_debugger_would_stumble_over():
    """An exception that is taken back stays announced for good in Python 3.11, where traced code then stands still."""
    done = subprocess.run([sys.executable, "-c", TRACED], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout.split(), done.returncode) == (["stopped", "traced"], 0), done.stderr
