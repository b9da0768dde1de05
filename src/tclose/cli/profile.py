"""``tclose profile``: what the columns are, with suggested roles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tclose.cli.failures import say
from tclose.cli.lazy import Command
from tclose.cli.options import (
    OUTPUT,
    TableName,
    format_option,
    option,
    output_option,
    read_options,
    reading_options,
    running_options,
    table_names,
)
from tclose.cli.output import check_not_input, colour_wanted, deliver, format_for, terminal_width
from tclose.cli.progress import progress

if TYPE_CHECKING:
    from tclose.profiling import Profile

_HELP = """Say what the columns of TABLE are, how well each tells people apart, and which
role it seems to have. No value of the table is shown.

\b
  tclose profile patients.csv
  tclose profile patients.csv -o tclose.toml    a policy to edit, with reasons
"""
_FORMATS = ("text", "json", "html", "toml")
_HEAD = """\
# The policy of a table about people, suggested by 'tclose profile' from names and counts.
# Read it, correct the roles and thresholds, then judge the table: tclose audit --policy {name}
# Roles: "quasi-identifier" (others may know it), "sensitive" (to be protected),
# "identifier" (names a person; remove it), "insensitive" (neither).

"""


@click.command("profile", cls=Command, help=_HELP)
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True, type=TableName())
@format_option(*_FORMATS)
@output_option
@option("--force", section=OUTPUT, is_flag=True, help="Write over an existing file.")
@reading_options
@running_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> None:
    """Say what the columns are and suggest their roles."""
    from tclose.profiling import profile

    target = given["output"]
    check_not_input(target, tables)
    if target not in (None, "-") and Path(target).exists() and not given["force"]:
        raise click.UsageError(f"{target!r} exists; --force writes over it.")
    read = read_options(given)
    with progress(quiet=given["quiet"]) as report:
        found = profile(
            table_names(tables),
            read=read,
            memory=given["memory"],
            threads=given["threads"],
            temp=given["temp"],
            progress=report,
        )
    form = format_for(target, given["form"], _FORMATS)
    source = tables[0] if len(tables) == 1 and tables[0] != "-" else None
    deliver(_rendered(found, form, target, source, read), target)
    if form == "toml" and target:
        say(f"A policy to read and correct was written to {target}.", quiet=given["quiet"])


def _rendered(found: Profile, form: str, target: str | None, source: str | None, read: Any) -> str:
    from tclose.render.profile import profile_data, profile_html, profile_text

    if form == "json":
        from tclose.render.json import json_text

        return json_text(profile_data(found))
    if form == "html":
        from tclose.render.html import page_html

        return page_html(f"Profile of {found.source}", profile_html(found))
    if form == "toml":
        from tclose.render.policy_toml import policy_text

        remarks = {column.name: column.reason for column in found.columns}
        folder = Path(target).parent if target not in (None, "-") else Path()
        order = [column.name for column in found.columns]
        text = policy_text(found.policy(source, read), folder=folder, remarks=remarks, order=order)
        return _HEAD.format(name=target if target not in (None, "-") else "tclose.toml") + text
    to_terminal = target in (None, "-")
    width, colour = (terminal_width(), colour_wanted()) if to_terminal else (80, False)
    return profile_text(found, width=width, colour=colour)
