"""What goes back to the browser: JSON that is valid whatever cells it holds, and errors that hold none."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

from starlette.responses import Response

from tclose.errors import InputError, TcloseError


def answer(data: object, status: int = 200) -> Response:
    """Return data as JSON."""
    from tclose.reports.machine_readable.audits import json_text

    return Response(json_text(data, indent=None), status, media_type="application/json")


def refusal(status: int, message: str) -> Response:
    """Return an error of a request as JSON."""
    return answer({"error": _error("Refused", "refused", message)}, status)


def _error(kind: str, code: str, message: str) -> dict[str, Any]:
    return {"kind": kind, "code": code, "message": message, "field": None, "column": None, "hint": None}


def failure(problem: BaseException) -> dict[str, Any]:
    """Return an error as data, without a cell: the text of an error that is not ours is withheld.

    A page shows it beside the field and the column that it is about, so that it says no place in a file.
    """
    if isinstance(problem, TcloseError):
        return {"kind": type(problem).__name__, **problem.to_dict(), "message": problem.message}
    if isinstance(problem, MemoryError):
        return _error("MemoryError", "out-of-memory", "Out of memory. Take fewer columns, or a machine with more.")
    if isinstance(problem, RecursionError):
        return _error("InputError", "nested-too-deeply", "What was given is nested too deeply.")
    if isinstance(problem, OSError) and problem.strerror:
        message = f"The system refused: {problem.strerror}. Nothing was kept."
        return _error("SystemRefused", "system-refused", message)
    frames = traceback.extract_tb(problem.__traceback__)
    where = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    message = f"Unexpected {type(problem).__name__}{where}. This is a mistake in tclose; no figure is reported."
    return _error("InternalError", "unexpected", message)


def status_of(problem: BaseException) -> int:
    """Return the status that an error is answered with."""
    if isinstance(problem, InputError | RecursionError):
        return 422
    return 503 if isinstance(problem, TcloseError | MemoryError | OSError) else 500
