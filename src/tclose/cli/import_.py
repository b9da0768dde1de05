"""``tclose import``: a project of another tool as a policy."""

from __future__ import annotations

from pathlib import Path

import click

from tclose.cli.commands import Command
from tclose.cli.errors import say
from tclose.cli.options import OUTPUT, option
from tclose.data.targets import FolderTarget, committing, refused_by_system
from tclose.errors import InputError

_HELP = """Read a project that ARX saved, and write it as a folder with a policy.

The folder has tclose.toml, the table and the hierarchies; what of the project has no
counterpart stands in the policy as a comment, and is said.

\b
  tclose import arx clinic.deid -o clinic
  tclose audit --policy clinic/tclose.toml
"""


@click.command("arx", cls=Command, help=_HELP)
@click.argument("project", type=click.Path())
@option(
    "-o", "--output", section=OUTPUT, metavar="FOLDER", help="The folder to make; by the project's name if left out."
)
@option("--quiet", section=OUTPUT, is_flag=True, help="No remarks on standard error.")
@click.help_option()
def arx(project: str, output: str | None, quiet: bool) -> None:
    """Read a project of ARX."""
    from tclose.policy.arx_projects import read_arx

    folder = Path(output or Path(project).stem)
    if folder.exists():
        raise InputError(f"{str(folder)!r} is there already; name another folder with -o.")
    found = read_arx(project)
    with committing([FolderTarget(folder)], force=False) as (new,), refused_by_system(repr(str(folder))):
        new.mkdir()
        found.write(new)
    for note in found.notes:
        say(f"Note: {note}", quiet=quiet)
    say(f"A policy to read and correct was written to {folder / 'tclose.toml'}.", quiet=quiet)


command = click.Group(
    "import", commands=[arx], help="Read a project of another tool as a policy.", no_args_is_help=True
)
