"""The part of the API that opens tables: examples, the named one, files and folders that are brought, databases."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from tclose.engines.choosing import database_tables
from tclose.errors import InputError, SourceError
from tclose.sources.database import server_of
from tclose.web.api import named, workspace_of
from tclose.web.responses import answer
from tclose.web.settings import parsed
from tclose.web.workspace import DATABASE_ENDINGS, Database

_PATIENCE = "connect_timeout=10"
_LONGEST_ADDRESS = 1_000
_ONLY_SERVERS = (
    "An address here begins with postgresql:// and names a server and a database, without settings behind a question "
    "mark. A page names no file: drop an SQLite file here, or name it on the command line, tclose serve sqlite:PATH."
)


async def open_table(request: Request) -> Response:
    """Open an example, the table that was named on the command line, or one of a database."""
    asked = parsed(await request.body())
    workspace = workspace_of(request)
    if asked.get("named") is True:
        opened = workspace.open_named()
    elif isinstance(asked.get("example"), str):
        opened = workspace.open_example(asked["example"])
    elif isinstance(asked.get("database"), str) and isinstance(asked.get("table"), str):
        opened = workspace.open_from(asked["database"], asked["table"])
    else:
        raise InputError("Say which table to open: an example by its name, the named one, or one of a database.")
    return answer(named(opened), 201)


async def list_database(request: Request) -> Response:
    """Say which tables a database has: the one named on the command line, or one on a server."""
    asked = parsed(await request.body())
    workspace = workspace_of(request)
    if asked.get("named") is True and workspace.named is not None and workspace.named.database is not None:
        uri, label = workspace.named.database, workspace.named.label
    else:
        uri, label = _address(asked.get("address"))
    tables = await run_in_threadpool(database_tables, uri)
    return answer(_listed(workspace.know(uri, label), tables), 201)


def _listed(database: Database, tables: list[str]) -> dict[str, Any]:
    return {"database": database.id, "label": database.label, "tables": tables}


def _address(given: object) -> tuple[str, str]:
    """Return the address of a database on a server, and how it is shown; refuse whatever names a file."""
    if not isinstance(given, str) or len(given) > _LONGEST_ADDRESS or not given.isprintable():
        raise SourceError(_ONLY_SERVERS)
    text = given.strip()
    try:
        found = urlsplit(text)
    except ValueError:
        raise SourceError(_ONLY_SERVERS) from None
    host = found.netloc.rpartition("@")[2].lower()
    if found.scheme not in ("postgresql", "postgres") or not re.fullmatch(r"[a-z0-9._:\[\]-]+", host):
        raise SourceError(_ONLY_SERVERS)
    if found.query or found.fragment or "?" in text or "#" in text:
        raise SourceError(_ONLY_SERVERS)
    return f"{text}?{_PATIENCE}", server_of(text)


async def upload(request: Request) -> Response:
    """Take in a file, and open it; it stays in the private folder until the table is closed.

    With ``more``, further files of the same table follow, to the folder that the answer names. Of a database the
    tables are listed.
    """
    workspace = workspace_of(request)
    query = request.query_params
    folder, more = query.get("upload") or None, query.get("more") == "true"
    if folder is None and more:
        folder = workspace.begin_folder()
    path, name = workspace.place_for(query.get("name", ""), folder)
    try:
        with path.open("xb") as file:
            async for chunk in request.stream():
                await run_in_threadpool(file.write, chunk)
        if not path.stat().st_size:
            raise SourceError(f"{name!r} is empty.")
        if folder is not None:
            return await run_in_threadpool(_further, request, folder, name, more=more)
        if path.suffix in DATABASE_ENDINGS:
            tables = await run_in_threadpool(_tables_in, path, name)
            return answer(_listed(workspace.know(f"sqlite:{path}", name, path.parent), tables), 201)
        opened = await run_in_threadpool(workspace.open_upload, path, name)
    except BaseException:
        shutil.rmtree(path.parent, ignore_errors=True)
        raise
    return answer(named(opened), 201)


def _further(request: Request, folder: str, name: str, *, more: bool) -> Response:
    """Wait for the next file of a folder, or open all of them."""
    if more:
        return answer({"upload": folder}, 202)
    return answer(named(workspace_of(request).finish_folder(folder, request.query_params.get("folder") or name)), 201)


def _tables_in(path: Path, name: str) -> list[str]:
    """Return the tables of an uploaded database; a refusal names it as the person did, and not by its place here."""
    return database_tables(f"sqlite:{path}", name)
