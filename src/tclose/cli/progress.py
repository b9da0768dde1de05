"""A line on the terminal that says how far the work is, when it takes longer than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

Report = Callable[[str, float | None], None]

PATIENCE = 1.0
"""Seconds of work before anything is shown."""


@contextmanager
def progress(*, quiet: bool) -> Iterator[Report | None]:
    """Give a function that shows a stage and the share done; None where nobody would see it."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    line = _Line()
    try:
        yield line.report
    finally:
        line.close()


class _Line:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stage, self._share = "Working", 0.0
        self._known = False
        self._bar: Progress | None = None
        self._closed = False
        self._timer = threading.Timer(PATIENCE, self._open)
        self._timer.daemon = True
        self._timer.start()

    def report(self, stage: str, share: float | None) -> None:
        with self._lock:
            self._stage, self._share, self._known = stage, share or 0.0, share is not None
            self._show()

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        with self._lock:
            if self._closed:
                return
            columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.add_task(self._stage, total=None)
            self._bar.start()
            self._show()

    def _show(self) -> None:
        if self._bar is not None:
            total = 1.0 if self._known else None
            self._bar.update(self._bar.task_ids[0], description=self._stage, total=total, completed=self._share)

    def close(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._bar is not None:
                self._bar.stop()
