"""``tclose examples``: the tables that are built in, listed, or one of them as a file."""

from __future__ import annotations

import csv
import io

import click

from tclose.cli.commands import Command
from tclose.cli.options import OUTPUT, option, output_option
from tclose.cli.output import check_targets, colour_wanted, deliver, named_targets, terminal_width
from tclose.data.sources.examples import EXAMPLES, Example, example_named
from tclose.errors import InputError
from tclose.reports.formats.layout import painted, wrapped

_HELP = """List the tables that are built in, or write the one called NAME as CSV.

\b
  tclose examples
  tclose audit example:salary                   audits one where it is
  tclose examples salary -o patients.csv        writes one as a file
"""


@click.command("examples", cls=Command, help=_HELP)
@click.argument("name", metavar="[NAME]", required=False)
@output_option
@option("--force", section=OUTPUT, is_flag=True, help="Write over an existing file.")
@click.help_option()
def command(name: str | None, output: str | None, *, force: bool) -> None:
    """List the tables that are built in, or write one."""
    if name is None:
        if output is not None:
            raise InputError("-o writes one example: name it, as in 'tclose examples salary -o patients.csv'.")
        deliver(_listed(), None)
        return
    check_targets(named_targets(output), {}, force=force)
    deliver(_csv(example_named(name.removeprefix("example:"))), output)


def _listed() -> str:
    lines = []
    for example in EXAMPLES.values():
        lines.append(painted(f"example:{example.name}", "strong", colour=colour_wanted()))
        roles = f"-q {','.join(example.roles.quasi)} -s {','.join(example.roles.sensitive)}"
        about = f"{example.description} {len(example.rows)} rows; {roles}"
        lines += wrapped(about, terminal_width(), first="    ", rest="    ")
    return "\n".join(lines)


def _csv(example: Example) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(example.columns)
    writer.writerows(example.rows)
    return text.getvalue()
