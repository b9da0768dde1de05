"""``tclose profile``: what the columns are, with suggested roles."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tclose.cli.commands import Command
from tclose.cli.errors import say
from tclose.cli.options import (
    OUTPUT,
    TableName,
    format_option,
    option,
    output_option,
    reading_options,
    running,
    running_options,
    table_names,
)
from tclose.cli.output import check_targets, deliver, face, file_of, format_for, named_targets
from tclose.cli.question import POLICY_FILE, read_options, resources_of
from tclose.data.sources import DatabaseTable, files_read
from tclose.errors import listed

if TYPE_CHECKING:
    from tclose.policy.profiling.profile import Profile

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
# "identifier" (identifies a person: removed), "person" (identifies people who have
# several rows: people are counted), "remove" (removed), "publish" (published as it is).
# Decide every "undecided" column: nothing is judged or released before. A column that is
# not named here is undecided too, unless [policy] says others = "remove" or "publish".

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
    from tclose.policy.profiling.profile import profile

    target = given["output"]
    inputs = {path: what for name in tables for path, what in files_read(name).items()}
    check_targets(named_targets(target), inputs, force=given["force"])
    read = read_options(given)
    table = table_names(tables, given, read)
    with running(given) as settings:
        found = profile(table, read=read, **resources_of(given), **settings)
    form = format_for(target, given["form"], _FORMATS)
    source = tables[0] if len(tables) == 1 and tables[0] != "-" else None
    if isinstance(table, DatabaseTable):
        source = table.address
    deliver(_rendered(found, form, target, source, read), target)
    if form == "toml" and target:
        say(f"A policy to read and correct was written to {target}.{_open_questions(found)}", quiet=given["quiet"])


def _open_questions(found: Profile) -> str:
    """Return which columns are still to be decided."""
    names = found.open_questions
    if not names:
        return ""
    how_many = "1 column is" if len(names) == 1 else f"{len(names):,} columns are"
    asked = "Nothing is released before each has a role: 'tclose decide' asks about them."
    return f" {how_many} undecided: {listed(names, len(names))}. {asked}"


def _rendered(found: Profile, form: str, target: str | None, source: str | None, read: Any) -> str:
    if form == "json":
        from tclose.reports.machine_readable.audits import json_text

        return json_text(found.to_dict())
    if form == "toml":
        from tclose.policy.writing import policy_text

        file = file_of(target) or POLICY_FILE
        remarks = {column.name: column.remark for column in found.columns}
        policy = found.policy(source, read)
        return _HEAD.format(name=file) + policy_text(
            policy, folder=Path(file).parent, remarks=remarks, order=list(remarks)
        )
    from tclose.reports.content.profiles import profile_document

    return face(form, [profile_document(found)], target)
