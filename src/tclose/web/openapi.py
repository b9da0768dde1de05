"""The OpenAPI description of the page's API."""

from __future__ import annotations

from typing import Any

from tclose import __version__
from tclose.policy.policy import every_option
from tclose.policy.schema import policy_schema
from tclose.web.settings import SECTIONS, WORK

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_WHOLE: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": "number"}
_FREE: Schema = {"type": "object", "additionalProperties": True}


def _object(required: str = "", **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": required.split()}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_MARKS: Schema = {
    **{mark: _or_null(_TEXT) for mark in ("delimiter", "quote", "encoding", "decimal")},
    "header": _or_null({"type": "boolean"}),
    "null": _list(_TEXT),
}
_SCHEMAS: dict[str, Schema] = {
    "Error": _object("error", error=_ref("Failure")),
    "Failure": _object(
        "kind code message field column hint",
        kind=_TEXT,
        code={**_TEXT, "description": "What a program knows the error by."},
        message=_TEXT,
        field={**_or_null(_TEXT), "description": "The option that it is about, or the key of a model."},
        column=_or_null(_TEXT),
        hint={**_or_null(_TEXT), "description": "What to do."},
        problems={**_list(_FREE), "description": "Where there are several problems, each as an error."},
    ),
    "Exact": _object(
        "value", value=_or_null(_NUMBER), exact={**_TEXT, "description": "The figure as a fraction, such as 3/8."}
    ),
    "Opened": _object("id label text", id=_TEXT, label=_TEXT, text={"type": "boolean"}),
    "Database": _object("database label tables", database=_TEXT, label=_TEXT, tables=_list(_TEXT)),
    "Visited": _object(
        "id label policy jobs",
        id=_TEXT,
        label=_TEXT,
        policy=_or_null(_ref("Policy")),
        history=_or_null(_FREE),
        jobs={"type": "object", "additionalProperties": _TEXT, "description": "The newest job of each kind."},
    ),
    "Job": _object(
        "id kind table settings state stage share left result error",
        id=_TEXT,
        kind=_TEXT,
        table=_TEXT,
        settings=_or_null(_ref("Policy")),
        state={"enum": ["waiting", "running", "done", "failed", "cancelled"]},
        stage=_TEXT,
        share=_or_null(_NUMBER),
        left=_or_null(_NUMBER),
        result=_or_null(_FREE),
        error=_or_null(_ref("Failure")),
    ),
    "Classes": _object(
        "columns keys total matching offset rows",
        columns=_list(_TEXT),
        keys={**_WHOLE, "description": "How many of the columns are the key; their cells are texts or null."},
        total=_WHOLE,
        matching=_WHOLE,
        offset=_WHOLE,
        rows=_list(_list({})),
    ),
    "Column": _object("label class reference", label=_TEXT, reference=_ref("Exact"), **{"class": _ref("Exact")}),
    "Step": _object(
        "name from to moves mass cost from_holds to_holds spent",
        name=_TEXT,
        to=_WHOLE,
        moves=_WHOLE,
        mass=_ref("Exact"),
        cost=_ref("Exact"),
        from_holds=_ref("Exact"),
        to_holds=_ref("Exact"),
        spent=_ref("Exact"),
        **{"from": _WHOLE},
    ),
    "Reading": _object("sample", sample=_or_null(_list(_TEXT)), **_MARKS),
    "Rows": _object(
        "columns counts total withheld few offset next rows",
        columns=_list(_TEXT),
        counts=_TEXT,
        total=_WHOLE,
        withheld=_WHOLE,
        few=_WHOLE,
        offset=_WHOLE,
        next=_WHOLE,
        rows=_list(_FREE),
        spread=_FREE,
    ),
    "WholeRows": _object(
        "columns published disguised total rows",
        columns=_list(_TEXT),
        published=_list(_TEXT),
        disguised=_list(_TEXT),
        total=_WHOLE,
        rows=_list(_FREE),
    ),
    "Usefulness": _object(
        "usefulness sentences",
        usefulness=_or_null(_FREE),
        sentences=_list(_TEXT),
        remarks=_list(_TEXT),
        pictures=_list(_FREE),
    ),
    "Explanation": _object(
        "class size total attribute distance t words rule columns steps carried within_groups grouped note "
        "confidential pictures",
        size=_WHOLE,
        total=_WHOLE,
        attribute=_TEXT,
        distance=_ref("Exact"),
        t=_ref("Exact"),
        words=_list(_TEXT),
        rule=_TEXT,
        columns=_list(_ref("Column")),
        steps=_list(_ref("Step")),
        carried=_list(_ref("Step")),
        confidential={"type": "boolean"},
        pictures=_FREE,
        within_groups=_ref("Exact"),
        grouped={"type": "boolean"},
        note=_TEXT,
        **{"class": _FREE},
    ),
}


def _policy() -> Schema:
    """Return what a page says of a policy: of a policy file the sections that it sets, without paths of files."""
    whole = policy_schema()["properties"]
    hidden = {name for name, each in every_option().items() if not each.page}
    sections = {}
    for name in SECTIONS:
        known = whole[name].get("properties")
        own = {} if known is None else {"properties": {key: known[key] for key in known if key not in hidden}}
        sections[name] = _as_sent({**whole[name], **own})
    return {
        "type": "object",
        "description": "What a policy file, tclose.toml, says, as JSON. Hierarchies are words or nested objects.",
        "additionalProperties": False,
        "properties": sections,
    }


def _as_sent(schema: Any) -> Any:
    """Return a schema in which every number may be a text: one that no browser rounds."""
    if isinstance(schema, list):
        return [_as_sent(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") in ("integer", "number"):
        told = {key: schema[key] for key in schema if key != "description"}
        return {key: schema[key] for key in schema if key == "description"} | {"anyOf": [told, _TEXT]}
    return {key: _as_sent(each) for key, each in schema.items()}


def _work() -> Schema:
    """Return what a page asks for."""
    beside = {name: every_option()[name] for names in WORK.values() for name in names}
    return _object(
        "kind",
        kind={
            "enum": [
                *("profile", "audit", "sample", "hierarchies", "levels"),
                *("anonymize", "why", "frontier", "lattice", "attack"),
            ]
        },
        policy=_ref("Policy"),
        columns=_list(_TEXT),
        levels={"type": "object", "additionalProperties": _WHOLE},
        **{name: {**each.kind.schema(), "description": each.help} for name, each in beside.items()},
    )


def _query(name: str, schema: Schema, description: str) -> Schema:
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": description}


def _path(name: str) -> Schema:
    return {"name": name, "in": "path", "required": True, "schema": _TEXT}


_WAIT = _query(
    "wait", {**_WHOLE, "maximum": 60_000}, "Milliseconds to wait for the job to finish; five seconds at most."
)


def _operation(
    name: str,
    summary: str,
    *parameters: Schema,
    body: Schema | None = None,
    answers: Schema | str = "application/octet-stream",
    status: int = 200,
) -> Schema:
    content: Schema = (
        {answers: {"schema": _TEXT}} if isinstance(answers, str) else {"application/json": {"schema": answers}}
    )
    failed = {"description": "Refused, with the reason.", "content": {"application/json": {"schema": _ref("Error")}}}
    found: Schema = {
        "operationId": name,
        "summary": summary,
        "parameters": list(parameters),
        "responses": {str(status): {"description": summary, "content": content}, "4XX": failed},
    }
    if body is not None:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return found


def _upload() -> Schema:
    found = _operation(
        "upload",
        "Take in a file and open it, or list the tables of a database; of several files, open all after the last.",
        _query("name", _TEXT, "Its name; the ending says the format."),
        _query("more", {"type": "boolean"}, "Whether further files of the same table follow."),
        _query("upload", _TEXT, "What the answer to the first of several files named."),
        _query("folder", _TEXT, "With the last of several files, what the table is called."),
        answers={"anyOf": [_ref("Opened"), _ref("Database")]},
        status=201,
    )  # fmt: skip
    found["requestBody"] = {"required": True, "content": {"application/octet-stream": {"schema": _TEXT}}}
    return found


def _classes() -> Schema:
    return _operation(
        "classes",
        "Some classes of an audit, sorted and searched.",
        _path("job"),
        _query("sort", _TEXT, "A column; the key if left out."),
        _query("descending", {"enum": ["true", "false"]}, "Whether the largest come first; they do."),
        _query("search", _TEXT, "A text that some part of the key must hold."),
        _query("offset", _WHOLE, "How many classes to pass over."),
        _query("limit", {**_WHOLE, "maximum": 500}, "How many to give."),
        _query("of", _TEXT, "An attribute that has classes of its own."),
        answers=_ref("Classes"),
    )


def _table(table: Schema) -> Schema:
    return {
        "get": _operation("visit", "What a table is, and how the page left it.", table, answers=_ref("Visited")),
        "put": _operation(
            "keep",
            "Keep the settings for when the page comes back.",
            table,
            body=_object("policy", policy=_ref("Policy")),
            answers=_ref("Opened"),
        ),
        "delete": _operation(
            "close",
            "Close a table.",
            table,
            _query("grace", {**_WHOLE, "maximum": 600_000}, "Milliseconds in which the page may come back."),
            answers=_object("closed", closed=_TEXT),
        ),
    }


def _paths_of_tables() -> Schema:
    yes: Schema = {"type": "boolean"}
    opened = _object("", example=_TEXT, named=yes, database=_TEXT, table=_TEXT)
    table = _path("table")
    return {
        "/api/tables": {
            "post": _operation(
                "open", "Open an example or the named table.", body=opened, answers=_ref("Opened"), status=201
            )
        },
        "/api/databases": {
            "post": _operation(
                "list_database",
                "The tables of a database.",
                body=_object("", address=_TEXT, named=yes),
                answers=_ref("Database"),
                status=201,
            )
        },
        "/api/uploads": {"post": _upload()},
        "/api/tables/{table}": _table(table),
        "/api/tables/{table}/jobs": {
            "post": _operation(
                "work", "Start work on a table.", table, _WAIT, body=_ref("Work"), answers=_ref("Job"), status=202
            )
        },
    }


def _hierarchies(table: Schema) -> Schema:
    files = _list(_object("name text", name=_TEXT, text=_TEXT))
    problems = _list({"allOf": [_ref("Failure"), _object("file", file=_TEXT)]})
    return _operation(
        "take_hierarchies",
        "Hierarchy files as trees, by column.",
        table,
        body=_object("files columns", files=files, columns=_list(_TEXT)),
        answers=_object("trees problems", trees=_FREE, problems=problems),
    )


def _paths_of_settings() -> Schema:
    table = _path("table")
    return {
        "/api/tables/{table}/reading": {
            "get": _operation("reading", "How the file of a table is read.", table, answers=_ref("Reading")),
            "post": _operation(
                "read", "Read the file in another way.", table, body=_object("", **_MARKS), answers=_ref("Opened")
            ),
        },
        "/api/tables/{table}/policy": {
            "post": _operation(
                "policy",
                "The settings as a policy file.",
                table,
                body=_object("policy", policy=_ref("Policy")),
                answers="application/toml",
            ),
            "put": _operation(
                "take_policy", "The settings in a policy file.", table, answers=_object("policy", policy=_ref("Policy"))
            ),
        },
        "/api/tables/{table}/hierarchies": {"post": _hierarchies(table)},
        "/api/tables/{table}/script": {
            "get": _operation(
                "script",
                "What the page does, as a command and as Python.",
                table,
                answers=_object("command python", command=_TEXT, python=_TEXT),
            )
        },
    }


def _paths_of_jobs() -> Schema:
    rules = {"enum": ["stay", "monotone", "tutorial"]}
    explained = _object("attribute", attribute=_TEXT, key=_or_null(_FREE), rule=rules)
    job = _path("job")
    return {
        "/api/jobs/{job}": {
            "get": _operation("look", "How far a job is.", job, _WAIT, answers=_ref("Job")),
            "delete": _operation("cancel", "Stop a job.", job, answers=_ref("Job")),
        },
        "/api/jobs/{job}/classes": {"get": _classes()},
        "/api/jobs/{job}/rows": {
            "get": _operation(
                "compare",
                "What the rows of a table become in a release.",
                job,
                _query("offset", _WHOLE, "The first combination to give."),
                _query("limit", _WHOLE, "How many to give."),
                _query("people", {"type": "boolean"}, "Whether to show combinations of very few rows too."),
                _query("changed", {"type": "boolean"}, "Whether to give only what is not published as it is."),
                _query("whole", {"type": "boolean"}, "Whether to give whole rows, drawn at random, instead."),
                answers={"anyOf": [_ref("Rows"), _ref("WholeRows")]},
            )
        },
        "/api/jobs/{job}/usefulness": {
            "get": _operation("useful", "What a release is still good for.", job, answers=_ref("Usefulness"))
        },
        "/api/jobs/{job}/explanation": {
            "post": _operation("explain", "One class, move by move.", job, body=explained, answers=_ref("Explanation"))
        },
        "/api/jobs/{job}/files/{name}": {"get": _operation("take", "A file that a job made.", job, _path("name"))},
    }


def openapi() -> Schema:
    """Return the description."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "tclose serve", "version": __version__},
        "security": [{"token": []}],
        "components": {
            "schemas": {**_SCHEMAS, "Policy": _policy(), "Work": _work()},
            "securitySchemes": {"token": {"type": "apiKey", "in": "header", "name": "X-Tclose-Token"}},
        },
        "paths": {
            "/api": {"get": _operation("start", "What can be opened, and what words settings know.", answers=_FREE)},
            "/api/openapi.json": {"get": _operation("describe", "This description.", answers=_FREE)},
            **_paths_of_tables(),
            **_paths_of_settings(),
            **_paths_of_jobs(),
        },
    }
