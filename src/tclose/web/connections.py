"""Connections of the page's server: one that shows no request is closed, and of too many the longest idle one."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_CONNECTIONS = 64
REQUEST_WITHIN = 10.0
"""Seconds for the headers of a request to arrive whole, from when the connection was made or they were begun."""


class BoundedProtocol(H11Protocol):
    """HTTP for clients that may do nothing, or next to nothing, and often."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._patience: asyncio.TimerHandle | None = None
        self._last_heard = self.loop.time()

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request, and make room for it if need be."""
        super().connection_made(transport)
        self._wait()
        here = [other for other in self.connections if isinstance(other, BoundedProtocol) and other.is_open]
        if len(here) > MOST_CONNECTIONS:
            idle = [other for other in here if other.is_idle]
            min(idle, key=lambda other: other._last_heard).transport.abort()

    @property
    def is_open(self) -> bool:
        """Whether the connection is not on its way to be closed."""
        return not self.transport.is_closing()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request; headers that are begun must be ended in time."""
        self._last_heard = self.loop.time()
        super().data_received(data)
        if self.is_idle:
            self._wait()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._patience is None:
            self._patience = self.loop.call_later(REQUEST_WITHIN, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
