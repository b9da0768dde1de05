"""Stopping work that does not look up: its queries are interrupted, its Python code is left where that is safe."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
import time
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

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
