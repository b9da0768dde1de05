"""``tclose sql``: an audit as a statement to run elsewhere."""

from __future__ import annotations

from typing import Any

import click

from tclose.cli.commands import Command
from tclose.cli.options import OUTPUT, option, output_option
from tclose.cli.output import check_targets, deliver, file_of, named_targets
from tclose.cli.policy_options import policy_options
from tclose.cli.question import policy_of_command
from tclose.sources import files_read
from tclose.warehouses import DIALECTS, audit_sql

_HELP = """Print one SQL statement that measures k, l and t of TABLE and says what fails.

It reads the table once and counts in whole numbers, so that its verdicts are those
of 'tclose audit' to the last digit; no driver, no extension, no copy of the data.
Each row of its result is a figure: numerator and denominator, what is required,
whether it holds (1 or 0), and how many classes and rows fail.

\b
  tclose sql audit visits -q zip,age -s pay:ordered --k 5 --dialect snowflake
  tclose sql audit visits --policy tclose.toml --dialect postgres | psql clinic
  tclose sql audit visits -q zip -s ill:nominal --person patient --k 5 -o audit.sql

An ordered column is a number, a date or a time, in the order in which the database
sorts it; the scale of a text is given with --order NAME=low,middle,high.
"""


@click.command("audit", cls=Command, help=_HELP)
@click.argument("table")
@policy_options("sql")
@option(
    "--dialect",
    section=OUTPUT,
    type=click.Choice(sorted(DIALECTS)),
    default="duckdb",
    show_default=True,
    help="Whose SQL to write.",
)
@output_option
@click.help_option()
def audit(table: str, **given: Any) -> None:
    """Print the statement."""
    policy = policy_of_command((table,), given, "sql", opens=False)
    check_targets(named_targets(file_of(given["output"])), files_read(policy.file or (), "the policy"))
    deliver(audit_sql(policy, dialect=given["dialect"]), given["output"])


command = click.Group(
    "sql",
    commands=[audit],
    help="Print SQL that a warehouse runs itself, without a driver of tclose.",
    no_args_is_help=True,
)
