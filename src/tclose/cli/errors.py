"""From what went wrong to one line on standard error and an exit code."""

from __future__ import annotations

import json
import os
import shlex
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import click

from tclose.cli.interrupts import INTERRUPTED, MESSAGE, TOO_LATE, heard, too_late
from tclose.data.text_encoding import visible
from tclose.errors import Ask, InputError, SeveralProblemsError, TcloseError, speaking
from tclose.policy.options import ByColumn, Option, declared

# What is said on standard error: lines for people, or objects of JSON for whoever gathers logs.


Level = Literal["info", "error", "debug"]
_spoken = {"form": "text"}


def speak(form: str) -> None:
    """Say everything from now on as ``text`` or as ``json``."""
    _spoken["form"] = form


def tell(text: str, level: Level = "info", data: Mapping[str, Any] | None = None) -> None:
    """Write to standard error; where it takes nothing, the exit code still tells.

    Parameters
    ----------
    text
        A line for people.
    level
        What it is.
    data
        What programs are told instead of that line: a message, and what it is about.
    """
    try:
        click.echo(_line(text, level, data or {}) if _spoken["form"] == "json" else text, err=True)
    except OSError:
        with Path(os.devnull).open("w") as nowhere:  # what is still held back must not fail again
            os.dup2(nowhere.fileno(), sys.stderr.fileno())


def _line(text: str, level: Level, data: Mapping[str, Any]) -> str:
    moment = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = {"time": moment, "level": level, "message": text}
    return json.dumps({**line, **data}, ensure_ascii=False)


# The words of the command line: an option with its value, quoted for a shell and ready to be pasted.


_BESIDE: Mapping[str, tuple[str, str]] = {
    "distance": ("-s", "DISTANCE"),
    "force": ("--force", ""),
    "key": ("--key-file FILE or --key-variable", "NAME"),
    "original": ("--original", "TABLE"),
    "recipe": ("--recipe", "FILE"),
    "replace": ("--replace", ""),
    "show_people": ("--show-people", ""),
    "why": ("--why", ""),
    "widen": ("--widen", ""),
}
"""Options of the command line that are no options of a policy, and what stands for their values."""


@cache
def _options() -> dict[str, Option]:
    """Return every option of a policy."""
    from tclose.policy.parts import SensitiveColumns
    from tclose.policy.policy import every_option
    from tclose.policy.roles import Roles

    return {**declared(SensitiveColumns), **declared(Roles), **every_option()}


def _flag_of(field: str) -> tuple[str, str]:
    """Return the flag of an option, the short one if it has one, and what stands for its value."""
    if field in _BESIDE or field not in _options():
        return _BESIDE.get(field, (name_of(field), "NUMBER"))
    each = _options()[field]
    kind = each.kind.each if isinstance(each.kind, ByColumn) else each.kind
    return each.flags[0], kind.metavar.partition("[")[0].partition("|")[0]


def name_of(field: str) -> str:
    """Return the flag of an option or a model."""
    return _options()[field].flags[-1] if field in _options() else f"--{field.replace('_', '-')}"


_COMMANDS = {"anonymize": "tclose anonymize"}


def of_the_command_line(ask: Ask) -> str:
    """Return an option with its value.

    Examples
    --------
    >>> of_the_command_line(Ask("person", "patient id")), of_the_command_line(Ask("k", 5))
    ("--person 'patient id'", '--k 5')
    >>> of_the_command_line(Ask("hierarchies", {"zip": "flat", "job": "flat"}))
    '--hierarchy zip=flat --hierarchy job=flat'
    >>> of_the_command_line(Ask("hierarchies", "flat", "zip")), of_the_command_line(Ask("header", value=False))
    ('--hierarchy zip=flat', '--no-header')
    """
    if ask.field in _COMMANDS:
        return _COMMANDS[ask.field]
    flag, place = _flag_of(ask.field)
    if isinstance(ask.value, Mapping):
        return " ".join(of_the_command_line(Ask(ask.field, value, name)) for name, value in ask.value.items())
    if ask.value is False:
        return f"--no-{flag[2:]}"
    if ask.value is True or not place:
        return flag
    value = place if ask.value is None else _text(ask.value)
    if ask.column is None:
        asked = (
            f"NAME={place}" if ask.field in _options() and isinstance(_options()[ask.field].kind, ByColumn) else place
        )
        return f"{flag} {asked if ask.value is None else shlex.quote(value)}"
    return f"{flag} {shlex.quote(f'{ask.column}:{value}' if ask.field == 'distance' else f'{ask.column}={value}')}"


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def command_line() -> AbstractContextManager[None]:
    """Let messages speak of options of the command line."""
    return speaking(of_the_command_line, name_of)


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
