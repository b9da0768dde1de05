"""Several tables in one run: each judged by itself, one text of all, one exit code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tclose.cli.failures import FAILS, FAILURE, HOLDS, USAGE, error_data
from tclose.cli.messages import tell
from tclose.cli.output import face
from tclose.errors import InputError, TcloseError
from tclose.policy import Policy
from tclose.render.data.judgements import FORMS, Judged
from tclose.render.words.cells import visible
from tclose.results import Audit

PIPELINES = tuple(FORMS)
"""The formats of pipelines."""
TABLES_FORMATS = ("text", "json", "markdown", *PIPELINES)
"""The formats that several tables can have."""


def judged_by(source: str, policy: Callable[[], Policy], audited: Callable[[Policy], Audit]) -> tuple[Judged, int]:
    """Return what an audit found of a table, or why there is none, with its exit code."""
    from tclose.cli.options import shown_names

    (name,) = shown_names((source,))
    try:
        audit = audited(policy())
    except TcloseError as problem:
        told = problem.of(f"{name}: ")
        tell(visible(f"Error: {told}"), "error", error_data(told))
        return Judged(name, None, problem), USAGE if isinstance(problem, InputError) else FAILURE
    return Judged(audit.source, audit), FAILS if audit.holds is False else HOLDS


def tables_text(tables: Sequence[Judged], form: str, given: Mapping[str, Any]) -> str:
    """Return what was judged of tables, in a format."""
    if form in FORMS:
        return FORMS[form](tables)
    audits = [judged.audit for judged in tables if judged.audit is not None]
    if given["redact_classes"]:
        from tclose.render.telling.redaction import redacted

        audits = [redacted(audit) for audit in audits]
    if form == "json":
        from tclose.render.data.json import json_text

        problems = [_problem(each.source, each.problem) for each in tables if each.problem is not None]
        holds = None if problems else all(audit.holds is not False for audit in audits)
        return json_text({"holds": holds, "tables": [audit.to_dict() for audit in audits], "problems": problems})
    from tclose.render.telling.audits import audit_document

    documents = [audit_document(audit, show_classes=given["show_classes"]) for audit in audits]
    return face(form, documents, given["output"]).rstrip("\n") + f"\n\n{_summary(tables)}\n"


def _problem(source: str, problem: TcloseError) -> dict[str, str | None]:
    return {"source": source, **{key: text for key, text in problem.to_dict().items() if text is not None}}


def _summary(tables: Sequence[Judged]) -> str:
    """Return how many tables hold, in a sentence."""
    numbers = {
        "met": sum(each.audit is not None and each.audit.holds is not False for each in tables),
        "not met": sum(each.audit is not None and each.audit.holds is False for each in tables),
        "not judged": sum(each.audit is None for each in tables),
    }
    said = ", ".join(f"{number} {word}" for word, number in numbers.items() if number)
    return f"{len(tables)} table{'s' * (len(tables) != 1)}: requirements {said}."
