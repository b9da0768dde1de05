"""The application: which address leads where, behind the guard."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.resources import files

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from tclose.errors import TcloseError
from tclose.web import api
from tclose.web import table_api as opening_api
from tclose.web import table_api as settings_api
from tclose.web.jobs import Jobs
from tclose.web.responses import answer, failure, refusal, status_of
from tclose.web.security import Door, Guard
from tclose.web.words import Speaking
from tclose.web.workspace import Workspace

_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

ROUTES = (
    Route("/api", api.start, methods=["GET"]),
    Route("/api/openapi.json", api.describe, methods=["GET"]),
    Route("/api/tables", opening_api.open_table, methods=["POST"]),
    Route("/api/databases", opening_api.list_database, methods=["POST"]),
    Route("/api/uploads", opening_api.upload, methods=["POST"]),
    Route("/api/tables/{table}", api.visit, methods=["GET"]),
    Route("/api/tables/{table}", api.keep_settings, methods=["PUT"]),
    Route("/api/tables/{table}", api.close_table, methods=["DELETE"]),
    Route("/api/tables/{table}/reading", settings_api.look_at_reading, methods=["GET"]),
    Route("/api/tables/{table}/reading", settings_api.change_reading, methods=["POST"]),
    Route("/api/tables/{table}/jobs", api.start_job, methods=["POST"]),
    Route("/api/tables/{table}/policy", settings_api.policy_file, methods=["POST"]),
    Route("/api/tables/{table}/policy", settings_api.read_policy_file, methods=["PUT"]),
    Route("/api/tables/{table}/hierarchies", settings_api.take_hierarchies, methods=["POST"]),
    Route("/api/tables/{table}/script", settings_api.script, methods=["GET"]),
    Route("/api/jobs/{job}", api.look, methods=["GET"]),
    Route("/api/jobs/{job}", api.cancel, methods=["DELETE"]),
    Route("/api/jobs/{job}/classes", api.classes, methods=["GET"]),
    Route("/api/jobs/{job}/rows", api.compare, methods=["GET"]),
    Route("/api/jobs/{job}/usefulness", api.useful, methods=["GET"]),
    Route("/api/jobs/{job}/explanation", api.explanation, methods=["POST"]),
    Route("/api/jobs/{job}/files/{name}", api.take, methods=["GET"]),
)
"""The API; :mod:`tclose.web.openapi` describes it."""


def application(workspace: Workspace, door: Door) -> Starlette:
    """Return the application.

    Parameters
    ----------
    workspace
        The tables that may be looked at.
    door
        Who is let in.
    """
    app = Starlette(
        routes=[
            Route("/", _page, methods=["GET"]),
            Route("/static/{name}", _static, methods=["GET"]),
            *ROUTES,
        ],
        middleware=[Middleware(Guard, door=door), Middleware(Speaking)],
        exception_handlers={
            HTTPException: _refused,
            ClientDisconnect: _gone,
            TcloseError: _failed,
            RecursionError: _failed,
            MemoryError: _failed,
            Exception: _failed,
        },
    )
    app.router.redirect_slashes = False
    app.state.workspace, app.state.jobs, app.state.door = workspace, Jobs(), door
    app.state.leaving = set()  # what closes the tables of pages that went away
    return app


def warm_up() -> None:
    """Load the files of the page and the verbs behind it."""
    from tclose.auditing.audit import audit

    _files()
    import_module("tclose.web.work")
    import_module("tclose.policy.profiling.profile")
    audit("example:salary")


async def _refused(request: Request, problem: Exception) -> Response:
    del request
    status = problem.status_code if isinstance(problem, HTTPException) else 500
    words = problem.detail if isinstance(problem, HTTPException) else ""
    return refusal(status, words)


async def _failed(request: Request, problem: Exception) -> Response:
    del request
    return answer({"error": failure(problem)}, status_of(problem))


async def _gone(request: Request, problem: Exception) -> Response:
    del request, problem
    return refusal(400, "The request was broken off.")


async def _page(request: Request) -> Response:
    del request
    return Response(_files()["index.html"], media_type="text/html")


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    content = _files().get(name)
    media_type = _MEDIA_TYPES.get(name[name.rfind(".") :])
    if content is None or media_type is None:
        return refusal(404, "There is no such file.")
    return Response(content, media_type=media_type)


@cache
def _files() -> dict[str, bytes]:
    """Return every file that is served, by name: no path of a request is ever looked up on disk."""
    from tclose.reports.charts.svg import STYLE
    from tclose.reports.formats.animations import PLAYER

    found = {entry.name: entry.read_bytes() for entry in files("tclose.web").joinpath("static").iterdir()}
    page = files("tclose.web").joinpath("templates", "index.html").read_text(encoding="utf-8")
    modules = "\n".join(f'<link rel="modulepreload" href="/static/{name}">' for name in found if name.endswith(".js"))
    whole = page.replace("{{ preloads }}", modules).encode()
    shared = {"report.css": _report_style(), "figures.css": STYLE.encode(), "earth.js": PLAYER.encode()}
    return {**found, **shared, "index.html": whole}


def _report_style() -> bytes:
    """Return the rules that reports bring with them, so that page and report look alike."""
    text = files("tclose.reports.formats").joinpath("templates", "style.html").read_text(encoding="utf-8")
    return text.replace("<style>", "").replace("</style>", "").encode()
