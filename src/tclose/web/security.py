"""What a request must show before it is answered: the right host, the token, and no other site behind it."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tclose.web.responses import refusal

TOKEN_HEADER = "x-tclose-token"  # noqa: S105 - the name of a header
API = "/api"
UPLOADS = f"{API}/uploads"

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""What every answer carries."""


@dataclass(frozen=True)
class Limits:
    """The largest bodies that are taken in, in bytes."""

    json: int = 4 * 2**20
    upload: int = 2**30

    def of(self, path: str) -> int:
        """Return the largest body of a request."""
        return self.upload if path == UPLOADS else self.json


@dataclass(frozen=True)
class Door:
    """Who is let in: requests to these hosts that carry the token."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    limits: Limits = field(default_factory=Limits)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that requests may be addressed to; any other name was made to lead here by somebody."""
        return (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    @property
    def origins(self) -> tuple[str, ...]:
        """The pages that may ask."""
        return tuple(f"http://{host}" for host in self.hosts)

    @property
    def address(self) -> str:
        """The address to open; the token is in the fragment, which browsers send to nobody."""
        return f"http://{self.hosts[0]}/#token={self.token}"


class Guard:
    """Middleware that refuses what has no business here, and bounds and marks the rest."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self._app = app
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            return
        headers = _headers(scope)
        marked = _marking(send)
        problem = None if headers is None else self._problem(scope, headers)
        if headers is None or problem is not None:
            status, words = problem or (400, "The headers of the request contradict each other.")
            refused = refusal(status, words)
            if headers is None or not self._knows(headers.get(TOKEN_HEADER, "")):
                refused.headers["connection"] = "close"  # the rest of what a stranger sends is not waited for
            await refused(scope, receive, marked)
            return
        await self._app(scope, _bounded(receive, self._door.limits.of(scope["path"])), marked)

    def _problem(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str] | None:
        """Return what is wrong with a request, or None."""
        if headers.get("host") not in self._door.hosts:
            return 421, "This server answers only to the address that 'tclose serve' printed."
        if headers.get("origin") not in (None, *self._door.origins):
            return 403, "Requests from other sites are refused."
        asks_for_page = scope["method"] == "GET" and scope["path"] == "/" and not scope["query_string"]
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and not asks_for_page:
            return 403, "Requests from other sites are refused."
        if _is_api(scope["path"]) and not self._knows(headers.get(TOKEN_HEADER, "")):
            return 403, "The token is missing or wrong. Open the address that 'tclose serve' printed."
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 18:
            return 400, "The length of the request is not a number."
        if int(length) > self._door.limits.of(scope["path"]):
            return 413, "The request is larger than this server takes in."
        return None

    def _knows(self, token: str) -> bool:
        return secrets.compare_digest(token.encode("utf-8", "replace"), self._door.token.encode())


def _is_api(path: str) -> bool:
    return path == API or path.startswith(f"{API}/")


def _headers(scope: Scope) -> dict[str, str] | None:
    """Return the headers by name; None where one that decides is given twice."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key in found and key in ("host", "origin", "sec-fetch-site", "content-length", TOKEN_HEADER):
            return None
        found[key] = value.decode("latin-1")
    return found


def _bounded(receive: Receive, most: int) -> Receive:
    """Return the body of a request that ends in a refusal where it is longer than it may be."""
    taken = 0

    async def bounded() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > most:
            raise HTTPException(413, "The request is larger than this server takes in.")
        return message

    return bounded


def _marking(send: Send) -> Send:
    """Return the way back with the headers that every answer carries."""

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [(name, value) for name, value in message.get("headers", ()) if name.decode().lower() not in HEADERS]
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": [*kept, *own]}
        await send(message)

    return marked
