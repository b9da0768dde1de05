"""The part of the API that says how a table is read and what is set: its file, policy files, and scripts."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from tclose.data.hierarchies import hierarchy_in, tree_of_rows
from tclose.data.sources.database import server_of
from tclose.engines.dispatch import database_tables
from tclose.errors import HierarchyError, InputError, SourceError
from tclose.web.api import jobs_of, named, opened_table, workspace_of
from tclose.web.reading import chosen, reading
from tclose.web.responses import answer, failure
from tclose.web.settings import parsed, policy_from, policy_of_file
from tclose.web.workspace import DATABASE_ENDINGS, Database, Opened

# The part of the API that opens tables: examples, the named one, files and folders that are brought, databases.


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


# What a page does, as a command and as Python: with the policy file that it saves, the same release.


POLICY_FILE = "tclose.toml"
_PYTHON = """import tclose

policy = tclose.read_policy({policy!r})  # the policy file that the page saves
release = tclose.anonymize(policy.with_table({table!r}))
print(release)
release.write("release.csv")
"""


def scripts(opened: Opened) -> dict[str, str]:
    """Return the command and the Python script that make the release of a table by its policy file."""
    table = opened.policy.table or (opened.table if isinstance(opened.table, str) else opened.label)
    command = ["tclose", "anonymize", str(table), "--policy", POLICY_FILE, "-o", "release.csv"]
    return {"command": shlex.join(command), "python": _PYTHON.format(policy=POLICY_FILE, table=str(table))}


# Hierarchies that a page brings as files: matched with columns by their names, and held as trees of the policy.


MOST_FILES = 200


def taken_in(files: object, columns: object) -> dict[str, Any]:
    """Return the trees in some files by the columns that they are for, and what is wrong with the others.

    Parameters
    ----------
    files
        A list of names and texts.
    columns
        The names of the columns.
    """
    if not (isinstance(columns, list) and all(isinstance(name, str) for name in columns)):
        raise InputError("The columns to match are a list of names.")
    if not (isinstance(files, list) and len(files) <= MOST_FILES and all(isinstance(each, dict) for each in files)):
        raise InputError(f"Hierarchies come as a list of at most {MOST_FILES} files, each with a name and a text.")
    trees: dict[str, Any] = {}
    problems = []
    for each in files:
        name, text = each.get("name"), each.get("text")
        if not isinstance(name, str) or not isinstance(text, str):
            raise InputError("A hierarchy file has a name and a text.")
        shown = re.split(r"[/\\]", name)[-1]
        column = column_for(shown, columns)
        try:
            if column is None:
                raise HierarchyError("no column is named so; rename the file after its column.")
            if column in trees:
                raise HierarchyError(f"another file is for {column!r} already.")
            trees[column] = tree_of_rows(hierarchy_in(text.removeprefix("\ufeff"), PurePath(shown).suffix).rows)
        except HierarchyError as problem:
            problems.append({"file": shown, **failure(problem)})
    return {"trees": trees, "problems": problems}


def column_for(file: str, columns: Sequence[str]) -> str | None:
    """Return the column that a file is named after: by all of its name, or by the end of it, the longest first.

    Examples
    --------
    >>> column_for("adult_hierarchy_marital-status.csv", ["status", "marital-status"]), column_for("x.csv", ["age"])
    ('marital-status', None)
    """
    stem = _plain(PurePath(file).stem)
    fitting = [name for name in columns if _plain(name) and (stem == _plain(name) or stem.endswith(" " + _plain(name)))]
    return max(fitting, key=len, default=None)


def _plain(name: str) -> str:
    return " ".join(re.findall(r"\w+", name.replace("_", " ").casefold()))


async def look_at_reading(request: Request) -> Response:
    """Say how the file of a table is read, with its first lines."""
    return answer(await run_in_threadpool(reading, opened_table(request)))


async def change_reading(request: Request) -> Response:
    """Read the file of a table in another way; everything that was found of it is gone."""
    opened = opened_table(request)
    source = chosen(opened, parsed(await request.body()))
    await run_in_threadpool(jobs_of(request).drop_table, opened.id)
    await run_in_threadpool(opened.read_anew, source)
    return answer(named(opened))


async def read_policy_file(request: Request) -> Response:
    """Take in a policy file, and give its settings as a page holds them."""
    opened = opened_table(request)
    try:
        text = (await request.body()).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("A policy file is UTF-8 text.") from None
    return answer({"policy": policy_of_file(text, opened)})


async def script(request: Request) -> Response:
    """Give the command and the Python script that do what the page does."""
    return answer(scripts(opened_table(request)))


async def policy_file(request: Request) -> Response:
    """Return the settings as the text of a policy file."""
    from tclose.policy.writing import policy_text

    opened = opened_table(request)
    asked = parsed(await request.body())
    text = policy_text(policy_from(asked.get("policy"), opened))
    named = {"content-disposition": 'attachment; filename="tclose.toml"'}
    return Response(text, media_type="application/toml", headers=named)


async def take_hierarchies(request: Request) -> Response:
    """Take in hierarchy files, and give them as trees by the columns that they are named after."""
    opened_table(request)
    asked = parsed(await request.body())
    return answer(await run_in_threadpool(taken_in, asked.get("files"), asked.get("columns")))
