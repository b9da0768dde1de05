"""A server on the loopback interface that ends when it is told to, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from tclose.errors import InputError
from tclose.web.app import application, warm_up
from tclose.web.security import Door, Limits
from tclose.web.workspace import Named, Workspace

# Connections of the page's server: one that shows no request is closed, and of too many the longest idle one.


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


LOOPBACK = "127.0.0.1"
_LONGEST_WARM_UP = 5


def serve(
    named: Named | None, *, port: int = 0, ready: Callable[[str, Path], None], limits: Limits | None = None
) -> None:
    """Serve the page until the process is interrupted.

    Parameters
    ----------
    named
        The table named at the start.
    port
        The port; 0 takes any that is free.
    ready
        Called with the address, which holds the token, and a private file that leads there, when the server is about
        to answer.
    limits
        The largest bodies that are taken in.
    """
    with _listening(port) as listener:
        door = Door(listener.getsockname()[1], limits=limits or Limits())
        workspace = Workspace(named)
        app = application(workspace, door)
        warming = threading.Thread(target=warm_up, name="tclose-warm-up", daemon=True)
        try:
            warming.start()
            listener.listen()
            ready(door.address, _way_to(door.address, workspace.folder))
            uvicorn.Server(configured(app)).run(sockets=[listener])
        finally:
            warming.join(_LONGEST_WARM_UP)
            app.state.jobs.close()
            workspace.close()


def configured(app: Starlette) -> uvicorn.Config:
    """Return how the application is served; nothing is logged, for errors of others may quote cells."""
    return uvicorn.Config(
        app,
        http=BoundedProtocol,
        lifespan="off",
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=1,
        timeout_keep_alive=30,
        ws="none",
        proxy_headers=False,
    )


def _way_to(address: str, folder: Path) -> Path:
    """Write a file for the browser to open instead of the address: anybody can read the arguments of a process."""
    path = folder / "open.html"
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(
        f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={address}">\n', "utf-8"
    )
    return path


def _listening(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
    except (OSError, OverflowError):
        listener.close()
        raise InputError(f"The port {port} is taken or not allowed; name another one, or none (--port).") from None
    return listener
