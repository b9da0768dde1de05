"""The command line: parse, call one verb, render, and leave with a code that says what was found."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from tclose._version import __version__
from tclose.cli.failures import exit_code_of
from tclose.cli.lazy import LazyGroup

_HELP = """Measure, explain and bound what a table about people gives away.

\b
  tclose audit example:salary --k 3 --t 0.2
  tclose explain example:salary -s salary          shows why, move by move
  tclose anonymize patients.csv -q zip,age -s disease --k 5 --t 0.2 -o out.csv
  tclose profile patients.csv
  tclose profile patients.csv -o tclose.toml       writes a policy to edit
  tclose audit --policy tclose.toml                judges the table it names

\b
Exit codes: 0 every requirement holds, or none was made; 1 one does not hold;
2 usage or input; 3 the engine failed; 130 interrupted.

\b
Shell completion, for bash (likewise zsh and fish):
  eval "$(_TCLOSE_COMPLETE=bash_source tclose)"
"""

_COMMANDS = {
    "audit": "Measure a table and judge it by its requirements.",
    "explain": "Show why a class is as far from the table as it is.",
    "anonymize": "Make a release that meets the requirements.",
    "apply": "Make a release again by its recipe.",
    "frontier": "Show what each threshold costs with each method.",
    "profile": "Say what the columns are and suggest their roles.",
    "serve": "Open a page where a table is understood and repaired.",
    "models": "List the privacy models that an audit knows.",
    "examples": "List the tables that are built in.",
    "schema": "Print the JSON Schema of what a command writes.",
}

commands = LazyGroup("tclose.cli", _COMMANDS, name="tclose", help=_HELP, no_args_is_help=True)
click.version_option(__version__, prog_name="tclose", message="%(prog)s %(version)s")(commands)


def outcome(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="replace")
    return exit_code_of(commands, arguments)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    sys.exit(outcome(arguments))
