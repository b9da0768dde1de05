"""The command ``tclose`` and what its commands are for."""

from __future__ import annotations

import click

from tclose._version import __version__
from tclose.cli.commands import LazyGroup

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

COMMANDS = {
    "audit": "Measure a table and judge it by its requirements.",
    "explain": "Show why a class is as far from the table as it is.",
    "anonymize": "Make a release that meets the requirements.",
    "apply": "Make a release again by its recipe.",
    "verify": "Check the file of a release against its certificate.",
    "usefulness": "Say what a release is worth beside its original.",
    "recode": "Recode a table by a recipe, and judge nothing.",
    "sql": "Print an audit as one SQL statement, to run in a warehouse.",
    "attack": "Measure what someone who knows the method learns.",
    "frontier": "Show what each threshold costs with each method.",
    "policy": "Print what is asked of a table, and the origin of every value.",
    "profile": "Say what the columns are and suggest their roles.",
    "decide": "Ask about the columns of a policy that are undecided.",
    "import": "Read a project of ARX as a policy.",
    "serve": "Open a page where a table is understood and repaired.",
    "models": "List the privacy models that an audit knows.",
    "presets": "List the rules that requirements can be named by.",
    "examples": "List the tables that are built in, or write one.",
    "schema": "Print the JSON Schema of reports and of policy files.",
}

commands = LazyGroup("tclose.cli", COMMANDS, name="tclose", help=_HELP, no_args_is_help=True)
click.version_option(__version__, prog_name="tclose", message="%(prog)s %(version)s")(commands)
