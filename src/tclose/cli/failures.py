"""From what went wrong to one line on standard error and an exit code."""

from __future__ import annotations

import os
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from tclose.errors import InputError, TcloseError

HOLDS, FAILS, USAGE, FAILURE, INTERRUPTED = 0, 1, 2, 3, 130
"""The exit codes."""


def exit_code_of(commands: click.Group, arguments: Sequence[str] | None) -> int:
    """Run the command line and return its exit code; no exception leaves it."""
    try:
        result = commands.main(arguments, prog_name="tclose", standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as problem:
        click.echo(problem.format_message(), err=True)
        return USAGE
    except click.ClickException as problem:
        return _report(problem.format_message(), USAGE, problem, hint=_hint(problem))
    except (click.Abort, KeyboardInterrupt):
        return _report("Interrupted; nothing was left half-written.", INTERRUPTED)
    except InputError as problem:
        return _report(str(problem), USAGE, problem)
    except TcloseError as problem:
        return _report(str(problem), FAILURE, problem)
    except MemoryError as problem:
        return _report("Out of memory. Allow less with --memory, or name fewer columns.", FAILURE, problem)
    except OSError as problem:
        return _report(f"The system refused to read or write: {problem.strerror}.", FAILURE, problem)
    except Exception as problem:  # noqa: BLE001 - a crash must not leave with 1, which says "does not hold"
        return _report(_unexpected(problem), FAILURE, problem)
    return result if isinstance(result, int) else HOLDS


def _report(message: str, code: int, problem: BaseException | None = None, hint: str = "") -> int:
    from tclose.render.cells import visible

    if problem is not None and os.environ.get("TCLOSE_DEBUG"):
        traceback.print_exception(problem)
    prefix = "" if code == INTERRUPTED else "Error: "
    click.echo(f"{prefix}{visible(message)}{hint}", err=True)
    return code


def _hint(problem: click.ClickException) -> str:
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
    from tclose.render.cells import visible

    if not quiet:
        click.echo(visible(message), err=True)
