"""From what went wrong to one line on standard error and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from tclose.cli.interrupts import INTERRUPTED, MESSAGE, TOO_LATE, heard, too_late
from tclose.cli.messages import speak, tell
from tclose.cli.naming import command_line
from tclose.errors import InputError, SeveralProblemsError, TcloseError
from tclose.letters import visible

HOLDS, FAILS, USAGE, FAILURE = 0, 1, 2, 3
"""The exit codes."""


def exit_code_of(commands: click.Group, arguments: Sequence[str] | None) -> int:
    """Run the command line and return its exit code; no exception leaves it."""
    speak(_asked_for(sys.argv[1:] if arguments is None else arguments))
    with command_line():
        try:
            result = commands.main(arguments, prog_name="tclose", standalone_mode=False)
        except (click.Abort, KeyboardInterrupt):
            return _interrupted()
        except SystemExit:  # the completion of a shell
            raise
        except BaseException as problem:  # noqa: BLE001 - a crash must not leave with 1, which says "does not hold"
            return _interrupted() if heard() else _code_of(problem)
    return result if isinstance(result, int) else HOLDS


def _asked_for(arguments: Sequence[str]) -> str:
    """Return how messages are asked for, also where the command line is too wrong for its options to be read."""
    words = " ".join(arguments).replace("--log=", "--log ").split(" ")
    return "json" if ("--log", "json") in pairwise(words) else "text"


def _interrupted() -> int:
    said = TOO_LATE if too_late() else MESSAGE
    tell(f"Error: {said}" if too_late() else said, "error", {"message": said})
    return FAILURE if too_late() else INTERRUPTED


def _code_of(problem: BaseException) -> int:
    """Report what went wrong and return its exit code."""
    if isinstance(problem, click.exceptions.NoArgsIsHelpError):
        tell(problem.format_message())
        return USAGE
    code = USAGE if isinstance(problem, click.ClickException | InputError) else FAILURE
    return _report(message_of(problem), code, problem, hint=_hint(problem))


def message_of(problem: BaseException) -> str:
    """Return what went wrong in words that quote no cell."""
    if isinstance(problem, click.ClickException):
        return problem.format_message()
    if isinstance(problem, TcloseError):
        return str(problem)
    if isinstance(problem, MemoryError):
        return "Out of memory. Allow less with --memory, or name fewer columns."
    if isinstance(problem, OSError):
        refused = problem.strerror or "a library could not be loaded. Allow the process more memory"
        return f"The system refused to read or write: {refused}."
    return _unexpected(problem)


def error_data(problem: BaseException) -> dict[str, Any]:
    """Return what went wrong as programs are told of it, in words that quote no cell."""
    if isinstance(problem, TcloseError):
        told = problem.to_dict()
    else:
        codes = {click.ClickException: "usage", MemoryError: "out-of-memory", OSError: "system-refused"}
        code = next((code for kind, code in codes.items() if isinstance(problem, kind)), "unexpected")
        told = {"code": code, "message": message_of(problem), "field": None, "column": None, "hint": None}
    return _shown(told)


def _shown(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return data of an error, and of the problems that it is about, with letters that mislead written out."""
    texts = {key: None if text is None else visible(text) for key, text in told.items() if key != "problems"}
    return texts | {key: [_shown(each) for each in told[key]] for key in told if key == "problems"}


def _report(message: str, code: int, problem: BaseException, hint: str) -> int:
    if os.environ.get("TCLOSE_DEBUG"):
        tell("".join(traceback.format_exception(problem)), "debug")

    lines = problem.lines if isinstance(problem, SeveralProblemsError) else [message]
    told = "\n  ".join(map(visible, lines))
    tell(f"Error: {told}{hint}", "error", error_data(problem))
    return code


def _hint(problem: BaseException) -> str:
    context = getattr(problem, "ctx", None)
    return f"\nTry '{context.command_path} --help'." if context is not None else ""


def _unexpected(problem: BaseException) -> str:
    """Return where an unexpected error happened; its own text is withheld because it may quote cells."""
    frames = traceback.extract_tb(problem.__traceback__)
    where = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    return (
        f"Unexpected {type(problem).__name__}{where}. This is a mistake in tclose or around it; "
        "no figure is reported. TCLOSE_DEBUG=1 shows the traceback, which may quote cells."
    )


def say(message: str, *, quiet: bool = False) -> None:
    """Write a message for people to standard error."""
    if not quiet:
        tell(visible(message))
