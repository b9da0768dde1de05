"""Reports on their way to the printer, or to a PDF: each is shown once, to the page that asked for it."""

from __future__ import annotations

import secrets

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tclose.errors import InputError
from tclose.web.api import made_file
from tclose.web.downloads import HTML
from tclose.web.responses import answer
from tclose.web.security import PRINTS

MOST_WAITING = 4
"""So many reports wait to be shown; an older one makes room."""


class Waiting:
    """Reports by the ticket that shows them once."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def take_in(self, text: str) -> str:
        """Keep a report, and return its ticket."""
        while len(self._texts) >= MOST_WAITING:
            self._texts.pop(next(iter(self._texts)))
        ticket = secrets.token_urlsafe(32)
        self._texts[ticket] = text
        return ticket

    def give(self, ticket: str) -> str | None:
        """Return the report of a ticket, which is used up by that."""
        return self._texts.pop(ticket, None)


async def prepare(request: Request) -> Response:
    """Make a report that the page then shows to the printer."""
    file = await run_in_threadpool(made_file, request)
    if file.media_type != HTML or file.text is None:
        raise InputError("Only a report can be printed.")
    return answer({"address": f"{PRINTS}{request.app.state.prints.take_in(file.text)}"}, 201)


async def show(request: Request) -> Response:
    """Show a report to the printer."""
    text = request.app.state.prints.give(request.path_params["ticket"])
    if text is None:
        raise HTTPException(404, "This report was shown already. Print it again from the page.")
    return Response(text.encode("utf-8", "backslashreplace"), media_type=HTML)
