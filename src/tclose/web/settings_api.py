"""The part of the API that says how a table is read and what is set: its file, policy files, and scripts."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from tclose.errors import InputError
from tclose.web.api import jobs_of, named, opened_table
from tclose.web.hierarchy_files import taken_in
from tclose.web.reading import chosen, reading
from tclose.web.responses import answer
from tclose.web.scripts import scripts
from tclose.web.settings import parsed, policy_from, policy_of_file


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
