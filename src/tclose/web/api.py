"""The small JSON API of the page: open a table, start work on it, look at what came of it, take it away."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from tclose import __version__
from tclose.auditing.results import Audit
from tclose.data.values import as_text
from tclose.errors import InputError
from tclose.models.transport import RULES
from tclose.reports.phrases.cells import cell_data
from tclose.web.jobs import Job, Jobs
from tclose.web.openapi import openapi
from tclose.web.previews import LARGE
from tclose.web.reading import text_file
from tclose.web.responses import answer
from tclose.web.settings import about_now, forms, parsed, plain
from tclose.web.workspace import Opened, Workspace, examples

if TYPE_CHECKING:
    from tclose.web.downloads import Download

LONGEST_WAIT = 5.0
LONGEST_GRACE = 600_000
MOST_ROWS = 500
_FIRST_LOOKS = 0.01
_LONGEST_SEARCH = 200


def workspace_of(request: Request) -> Workspace:
    """Return the tables that may be looked at."""
    return request.app.state.workspace  # type: ignore[no-any-return]


def jobs_of(request: Request) -> Jobs:
    """Return all jobs."""
    return request.app.state.jobs  # type: ignore[no-any-return]


def opened_table(request: Request) -> Opened:
    """Return the open table that a request names."""
    opened = workspace_of(request).table(request.path_params["table"])
    if opened is None:
        raise HTTPException(404, "There is no such table; it may have been closed. Open it again.")
    if request.method != "PUT":  # what a page sends while it goes away does not bring it back
        opened.left = None
    return opened


def _job(request: Request) -> Job:
    job = jobs_of(request).job(request.path_params["job"])
    if job is None:
        raise HTTPException(404, "There is no such job; its result may have made room for newer ones. Run it again.")
    return job


def _kept(job: Job) -> Any:
    if job.outcome is None or job.state != "done":
        raise HTTPException(409, "The job has no result: it is not done, failed, or was cancelled.")
    return job.outcome.kept


async def start(request: Request) -> Response:
    """Say what can be opened, and what words the settings know."""
    from tclose.models.catalogue import MODELS
    from tclose.reports.phrases.glossary import GLOSSARY

    named = workspace_of(request).named
    models = [
        {
            "key": model.key,
            "title": model.title,
            "meaning": model.meaning,
            "scope": model.scope,
            "good": model.good,
            "strict": model.strict,
            "whole": model.whole,
            "example": model.example,
            "enforceable": not (model.needs_population or model.needs_supersets),
            "needs_population": model.needs_population,
        }
        for model in MODELS.values()
    ]
    return answer(
        {
            "version": __version__,
            "named": None if named is None else {"label": named.label, "database": named.database is not None},
            "examples": examples(),
            "models": models,
            "forms": forms(),
            "rules": list(RULES),
            "glossary": dict(GLOSSARY),
            "largest_upload": request.app.state.door.limits.upload,
            "sampled_from": LARGE,
        }
    )


async def describe(request: Request) -> Response:
    """Return the OpenAPI description of this API."""
    del request
    return answer(openapi())


def named(opened: Opened) -> dict[str, Any]:
    """Return what a page knows an open table by."""
    return {"id": opened.id, "label": opened.label, "text": text_file(opened) is not None}


async def visit(request: Request) -> Response:
    """Say what a table is, how the page left it, and what was last done with it."""
    opened = opened_table(request)
    newest = jobs_of(request).newest(opened.id)
    return answer({**named(opened), "policy": opened.settings, "history": opened.history, "jobs": newest})


async def keep_settings(request: Request) -> Response:
    """Keep the settings of a page for when it comes back; they are checked when they are used."""
    opened = opened_table(request)
    asked = parsed(await request.body())
    policy, history = asked.get("policy"), asked.get("history")
    if not isinstance(policy, dict) or not isinstance(history, dict | None):
        raise InputError("The settings to keep are a policy, and what they were before.")
    opened.settings = plain(policy)
    opened.history = opened.history if history is None else plain(history)
    return answer(named(opened))


async def close_table(request: Request) -> Response:
    """Close a table: stop its work and remove what was written for it; with ``grace``, unless the page comes back."""
    opened = opened_table(request)
    workspace, jobs = workspace_of(request), jobs_of(request)

    def close() -> None:
        jobs.drop_table(opened.id)
        workspace.close_table(opened.id)

    grace = _number(request, "grace", 0, LONGEST_GRACE) / 1000
    if grace:
        opened.left = left = time.monotonic()

        async def close_if_still_left() -> None:
            await asyncio.sleep(grace)
            if opened.left == left:
                await run_in_threadpool(close)

        waiting = asyncio.create_task(close_if_still_left())
        request.app.state.leaving.add(waiting)
        waiting.add_done_callback(request.app.state.leaving.discard)
    else:
        await run_in_threadpool(close)
    return answer({"closed": opened.id})


async def start_job(request: Request) -> Response:
    """Start work on a table; with ``wait``, answer when it is done or that many seconds have passed."""
    from tclose.web.work import KINDS, check_asked

    opened = opened_table(request)
    asked = parsed(await request.body())
    kind = asked.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError(f"The kind of work is one of {', '.join(KINDS)}.")
    check_asked(kind, asked)
    settings = plain(asked.get("policy"))
    job = jobs_of(request).start(kind, opened.id, lambda job: KINDS[kind](opened, asked, job), settings)
    await _patience(job, _seconds(request))
    return answer(job.data(), 202)


async def look(request: Request) -> Response:
    """Say how far a job is, and give its result when it is done."""
    job = _job(request)
    await _patience(job, _seconds(request))
    return answer(job.data())


async def cancel(request: Request) -> Response:
    """Stop a job."""
    job = _job(request)
    job.cancel()
    return answer(job.data())


async def _patience(job: Job, seconds: float) -> None:
    """Wait until a job is finished, but no longer than asked."""
    until = time.monotonic() + seconds
    pause = _FIRST_LOOKS
    while not job.finished and time.monotonic() < until:
        await asyncio.sleep(pause)
        pause = min(0.1, pause * 1.3)


def _seconds(request: Request) -> float:
    return min(LONGEST_WAIT, _number(request, "wait", 0, 60_000) / 1000)


def _number(request: Request, name: str, usual: int, most: int) -> int:
    text = request.query_params.get(name, str(usual))
    if not (text.isascii() and text.isdecimal() and len(text) < 12) or int(text) > most:
        raise InputError(f"{name} is a whole number from 0 to {most}.")
    return int(text)


async def classes(request: Request) -> Response:
    """Give some classes of an audit, sorted and searched by the engine."""
    job = _job(request)
    audit = _kept(job)
    if not isinstance(audit, Audit):
        raise InputError("Only an audit has classes.")
    query = request.query_params
    own = query.get("of") or None
    table = audit.tables.get(own)
    if table is None:
        raise InputError("There is no class table of that attribute; leave 'of' out for the common one.")
    search = query.get("search", "")[:_LONGEST_SEARCH] or None
    offset, limit = _number(request, "offset", 0, 2**40), _number(request, "limit", 100, MOST_ROWS)
    sort, descending = query.get("sort") or None, query.get("descending", "true") != "false"

    def found() -> dict[str, Any]:
        with job.lock:
            rows = list(table.rows(sort=sort, descending=descending, limit=limit, offset=offset, search=search))
            matching = len(table) if search is None else table.found(search)
        keys = audit.evidence[own].quasi if own is not None else audit.roles.quasi
        return {
            "columns": list(table.columns),
            "keys": len(keys),
            "total": len(table),
            "matching": matching,
            "offset": offset,
            "rows": [_row(list(row.values()), len(keys)) for row in rows],
        }

    return answer(await run_in_threadpool(found))


def _row(values: list[object], keys: int) -> list[object]:
    """Return a class: its key as texts that name it again, then its figures."""
    key = [None if value is None else as_text(value) for value in values[:keys]]
    return [*key, *(cell_data(value) for value in values[keys:])]


async def explanation(request: Request) -> Response:
    """Explain the distance of one class, ready to be played move by move."""
    from tclose.auditing.explain import explain
    from tclose.web.moves import staged

    job = _job(request)
    audit = _kept(job)
    asked = parsed(await request.body())
    attribute, key, rule = asked.get("attribute"), asked.get("key"), asked.get("rule", "stay")
    if not isinstance(audit, Audit):
        raise InputError("Only a class of an audit can be explained.")
    if not isinstance(attribute, str) or not isinstance(rule, str):
        raise InputError("Name the attribute to explain, and the rule of its plan.")
    if key is not None and not (isinstance(key, dict) and all(isinstance(v, str | None) for v in key.values())):
        raise InputError("The key of a class has a text, or null, for each quasi-identifier.")

    def found() -> dict[str, Any]:
        with job.lock:
            explained = explain(audit, attribute=attribute, key=key, rule=rule)  # type: ignore[arg-type]
        if not explained:
            raise InputError("No class carries a value of this attribute.")
        required = [
            verdict.requirement.threshold
            for verdict in audit.verdicts
            if (verdict.requirement.model.key, verdict.attribute) == ("t", attribute)
        ]
        return staged(explained[0], min(required, default=None))

    return answer(await run_in_threadpool(found))


async def compare(request: Request) -> Response:
    """Give some rows of a table as they were and as they are published, and how the columns are spread."""
    from tclose.web.before_and_after import compared, spread, whole_rows
    from tclose.web.work import Made

    job = _job(request)
    made = _kept(job)
    if not isinstance(made, Made):
        raise InputError("Only a release has rows to compare.")
    offset, limit = _number(request, "offset", 0, 2**40), _number(request, "limit", 50, MOST_ROWS)
    people, whole, changed = (request.query_params.get(name) == "true" for name in ("people", "whole", "changed"))
    opened = workspace_of(request).table(job.table_id)

    def found() -> dict[str, Any]:
        with job.lock:
            if whole and opened is not None:
                return whole_rows(made, opened)
            rows = compared(made, offset, limit, people=people, changed=changed)
            return rows if offset else {**rows, "spread": spread(made)}

    return answer(await run_in_threadpool(found))


async def useful(request: Request) -> Response:
    """Say what a release is still good for."""
    from tclose.web.analyses import usefulness_of
    from tclose.web.work import Made

    job = _job(request)
    made = _kept(job)
    if not isinstance(made, Made):
        raise InputError("Only a release is good for something.")

    def found() -> dict[str, Any]:
        with job.lock:
            return usefulness_of(made.release)

    return answer(await run_in_threadpool(found))


def _made_file(request: Request) -> Download:
    """Return the file that a request names of a job; it may take long."""
    from tclose.web.downloads import download
    from tclose.web.work import Made, with_beside

    job = _job(request)
    kept = _kept(job)
    if isinstance(kept, Made):
        kept = with_beside(kept, job.settings, jobs_of(request).done(job.table_id))
    about = about_now(workspace_of(request).table(job.table_id))
    with job.lock:
        file = download(kept, request.path_params["name"], about)
    if file is None:
        raise HTTPException(404, "This job has no such file.")
    return file


async def take(request: Request) -> Response:
    """Hand over a file that a job made."""
    file = await run_in_threadpool(_made_file, request)
    if file.path is not None:
        return FileResponse(file.path, media_type=file.media_type, filename=file.name)
    named = {"content-disposition": f'attachment; filename="{file.name}"'}
    return Response((file.text or "").encode("utf-8", "backslashreplace"), media_type=file.media_type, headers=named)
