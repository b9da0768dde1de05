"""Items that are made in a thread of their own, a few ahead of whoever takes them, so that everything else goes on."""

from __future__ import annotations

import queue
import threading
from collections.abc import Generator
from contextlib import closing
from typing import Any

_PATIENCE = 0.1
"""Seconds after which a maker that finds no room looks whether anybody still wants the items."""


class ReadAhead:
    """Takes items from a generator in a thread of its own.

    Parameters
    ----------
    items
        Gives the items; none of them is None. It is run, and closed, by the thread.
    ahead
        How many items wait at most, so that a slow taker does not fill the memory.
    name
        The name of the thread.
    """

    def __init__(self, items: Generator[Any, None, None], ahead: int, name: str) -> None:
        self._waiting: queue.Queue[Any] = queue.Queue(ahead)
        self._abandoned = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(items,), name=name, daemon=True)
        self._thread.start()

    def _run(self, items: Generator[Any, None, None]) -> None:
        try:
            with closing(items):
                for item in items:
                    self._offer(item)
                    if self._abandoned.is_set():
                        return
            self._offer(None)
        except BaseException as problem:  # noqa: BLE001 - it is raised where the items are awaited
            self._offer(problem)

    def _offer(self, item: object) -> None:
        while not self._abandoned.is_set():
            try:
                self._waiting.put(item, timeout=_PATIENCE)
            except queue.Full:
                continue
            return

    def next(self, timeout: float | None = None) -> Any:
        """Return the next item, or None at the end; raise what went wrong while it was made, or TimeoutError."""
        try:
            item = self._waiting.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError from None
        if isinstance(item, BaseException):
            raise item
        return item

    def abandon(self) -> None:
        """Leave the rest unmade."""
        self._abandoned.set()

    def ended(self, seconds: float = _PATIENCE) -> bool:
        """Wait for the thread so long at most, and say whether it has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()
