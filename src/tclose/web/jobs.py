"""Long work in the background: how far it is, what came of it, and how to stop it."""

from __future__ import annotations

import contextlib
import ctypes
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Literal

from tclose.data.progress import Pace
from tclose.engines.dispatch import interruptible, share_done
from tclose.web.responses import failure
from tclose.web.words import in_words_of_the_page

# Stopping work that does not look up: its queries are interrupted, its Python code is left where that is safe.


OFTEN = 0.05
"""Seconds between two interruptions of the queries of stopped work."""
RARELY = 0.5
"""Seconds that work has to unwind before it is told to leave once more."""
_NOT_LEFT_IN = frozenset(
    (
        *("_frozen_importlib", "_frozen_importlib_external", "importlib", "threading", "queue"),
        *("concurrent", "weakref", "shutil", "tempfile", "contextlib", "tclose.engines.duckdb.connection"),
    )
)
"""Modules that hold locks, import or clean up: what they began, they end."""


class CancelledError(BaseException):
    """The person asked for the work to stop; no handler of errors may take it for one."""


class Stoppable:
    """Work of one thread that another thread can stop."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._guard = threading.Lock()
        self._thread: int | None = None
        self._connections: Iterable[Any] = ()

    @property
    def asked(self) -> bool:
        """Whether the work was asked to stop."""
        return self._asked.is_set()

    def run(self, work: Callable[[], None], connections: Iterable[Any]) -> None:
        """Do the work in this thread.

        Parameters
        ----------
        work
            The work; :class:`CancelledError` arises in it when it is stopped.
        connections
            What the work asks queries of; it may grow meanwhile.
        """
        with self._guard:
            self._thread, self._connections = threading.get_ident(), connections
        try:
            if self.asked:
                raise CancelledError
            work()
        finally:
            try:
                self._end()
            except CancelledError:  # it was on its way; there is none so soon after
                self._end()
                raise

    def _end(self) -> None:
        with self._guard:  # an exception that was sent has arisen by now: none is sent to a thread that is here
            self._thread, self._connections = None, ()

    def stop(self) -> None:
        """Ask the work to stop, and see to it that it does."""
        if not self.asked:
            self._asked.set()
            threading.Thread(target=self._insist, name="tclose-stopping", daemon=True).start()

    def _insist(self) -> None:
        told = 0.0
        while True:
            with self._guard:
                if self._thread is None:
                    return
                with contextlib.suppress(Exception):  # one was closed, or another was opened at this moment
                    for connection in list(self._connections):
                        connection.interrupt()
                if time.monotonic() - told > RARELY and _may_leave(_place_of(self._thread)):
                    _cancel(self._thread)
                    told = time.monotonic()
            time.sleep(OFTEN)


def _place_of(thread: int) -> FrameType | None:
    return sys._current_frames().get(thread)


def _may_leave(frame: FrameType | None) -> bool:
    """Say whether a thread is where an exception may arise: in nothing that must be ended."""
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if not _NOT_LEFT_IN.isdisjoint((module, module.partition(".")[0])) or frame.f_code is Stoppable._end.__code__:
            return False
        if frame.f_code is Stoppable.run.__code__:
            return True
        frame = frame.f_back
    return False


def _cancel(thread: int) -> None:
    """Make the exception arise at the next step of a thread's Python code.

    It is never taken back: Python 3.11 would go on announcing it, to every call of every thread.
    """
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(CancelledError))


State = Literal["waiting", "running", "done", "failed", "cancelled"]
AT_ONCE = 4
KEPT = {"audit": 3, "anonymize": 3}
"""How many finished jobs of a kind are kept for a table; of other kinds a few more, for they are small."""
_KEPT_OTHERS = 8


@dataclass(frozen=True)
class Outcome:
    """What a job gives: data for the page, and what further requests about it need."""

    data: dict[str, Any]
    kept: Any = None


@dataclass
class Job:
    """One piece of work for one table."""

    id: str
    kind: str
    table_id: str
    settings: object = None
    """The policy that it was asked with, which says what its result is for."""
    state: State = "waiting"
    pace: Pace = field(default_factory=Pace, repr=False)
    """How far the work is, and how long it will take."""
    outcome: Outcome | None = None
    error: dict[str, Any] | None = None
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    """Held while what the job kept is used: an engine's connection serves one request at a time."""
    queued: Future[None] | None = field(default=None, repr=False)
    _stoppable: Stoppable = field(default_factory=Stoppable, repr=False)
    _connections: Any = field(default=(), repr=False)

    @property
    def finished(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in ("done", "failed", "cancelled")

    def cancel(self) -> None:
        """Stop the work: at its next report of progress, or wherever else that is safe."""
        self._stoppable.stop()
        if self.queued is not None and self.queued.cancel():
            self.state = "cancelled"

    def tell(self, stage: str, share: float | None) -> None:
        """Note how far the work is, and stop it here if that was asked."""
        self.pace.report(stage, share)
        if self._stoppable.asked:
            raise CancelledError

    def run(self, work: Callable[[Job], Outcome]) -> None:
        """Do the work, and keep what comes of it, be it an error."""
        self.state = "running"
        outcome: Outcome | None = None

        def told() -> None:
            nonlocal outcome
            with in_words_of_the_page():
                outcome = work(self)
            self.tell("", 1.0)

        try:
            with interruptible() as connections:
                self._connections = connections
                self._stoppable.run(told, connections)
            self.outcome, self.state = outcome, "done"
        except BaseException as problem:  # noqa: BLE001 - a thread has nobody else to tell
            if self._stoppable.asked:
                self.state = "cancelled"
            else:
                with in_words_of_the_page():
                    self.error = failure(problem)
                self.state = "failed"

    def _share(self) -> float | None:
        """Return which share is done, as the work says, else as its engine does."""
        return self.pace.share(lambda: share_done(self._connections) if self.state == "running" else None)

    def data(self) -> dict[str, Any]:
        """Return the job as a page sees it."""
        return {
            "id": self.id,
            "kind": self.kind,
            "table": self.table_id,
            "settings": self.settings if self.state == "done" else None,
            "state": self.state,
            "stage": self.pace.words() if self.state == "running" else self.pace.stage,
            "share": self._share(),
            "left": self.pace.left() if self.state == "running" else None,
            "result": self.outcome.data if self.outcome is not None and self.state == "done" else None,
            "error": self.error,
        }


class Jobs:
    """All jobs of a server, by id."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="tclose-job")
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def start(self, kind: str, table_id: str, work: Callable[[Job], Outcome], settings: object = None) -> Job:
        """Start a piece of work with some settings, and forget the oldest finished of its kind."""
        job = Job(secrets.token_urlsafe(12), kind, table_id, settings)
        with self._lock:
            self._jobs[job.id] = job
            self._forget(kind, table_id)
        job.queued = self._pool.submit(job.run, work)
        return job

    def _forget(self, kind: str, table_id: str) -> None:
        mine = [job for job in self._jobs.values() if (job.kind, job.table_id) == (kind, table_id) and job.finished]
        for job in mine[: max(0, len(mine) - KEPT.get(kind, _KEPT_OTHERS))]:
            del self._jobs[job.id]

    def job(self, job_id: str) -> Job | None:
        """Return a job, if it is still known."""
        return self._jobs.get(job_id)

    def newest(self, table_id: str) -> dict[str, str]:
        """Return the newest job of each kind that was done for a table, or is at work."""
        alive = [job for job in self._jobs.values() if job.table_id == table_id]
        return {job.kind: job.id for job in alive if job.state not in ("failed", "cancelled")}

    def done(self, table_id: str) -> list[Job]:
        """Return what was done for a table, the newest last."""
        return [job for job in list(self._jobs.values()) if job.table_id == table_id and job.state == "done"]

    def drop_table(self, table_id: str) -> None:
        """Stop and forget everything that was done for a table."""
        with self._lock:
            mine = [job for job in self._jobs.values() if job.table_id == table_id]
            for job in mine:
                job.cancel()
                del self._jobs[job.id]

    def close(self) -> None:
        """Stop all work."""
        for job in list(self._jobs.values()):
            job.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)
