"""``tclose examples``: the tables that are built in."""

from __future__ import annotations

import click

from tclose.cli.lazy import Command
from tclose.cli.output import colour_wanted, deliver, terminal_width
from tclose.render.layout import painted, wrapped
from tclose.sources.examples import EXAMPLES


@click.command("examples", cls=Command)
@click.help_option()
def command() -> None:
    """List the tables that are built in; 'tclose audit example:salary' audits one."""
    lines = []
    for example in EXAMPLES.values():
        lines.append(painted(f"example:{example.name}", "bold", colour=colour_wanted()))
        roles = f"-q {','.join(example.roles.quasi)} -s {','.join(example.roles.sensitive)}"
        about = f"{example.description} {len(example.rows)} rows; {roles}"
        lines += wrapped(about, terminal_width(), first="    ", rest="    ")
    deliver("\n".join(lines), None)
