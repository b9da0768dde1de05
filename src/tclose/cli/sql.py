"""``tclose sql``: an audit as a statement to run elsewhere, or a policy as tests of dbt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tclose.auditing.dbt import PEOPLE_UNTESTED, dbt_tests
from tclose.auditing.sql_audit import DIALECTS, audit_sql
from tclose.cli.commands import Command
from tclose.cli.errors import say
from tclose.cli.options import OUTPUT, option, output_option, policy_options
from tclose.cli.output import check_targets, deliver, file_of, named_targets
from tclose.cli.question import policy_of_command
from tclose.data.sources import files_read
from tclose.data.sources.database import is_database_address, table_parts

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


_DBT_HELP = """Print the tests of a model for dbt, from a policy.

MODEL is the release as dbt knows it; by default the table that the policy names.
The model may have the columns that the policy publishes and no other, and its
requirements become tests of the package in dbt/.

\b
  tclose sql dbt visits_released --policy tclose.toml -o models/visits_released.yml
"""


@click.command("dbt", cls=Command, help=_DBT_HELP)
@click.argument("model", required=False)
@policy_options("sql")
@option(
    "--dialect",
    section=OUTPUT,
    type=click.Choice(sorted(DIALECTS)),
    help="Whose quotes stand around names of columns that need them.",
)
@output_option
@click.help_option()
def dbt(model: str | None, **given: Any) -> None:
    """Print the tests of a model."""
    policy = policy_of_command((model,) if model else (), given, "sql", opens=False)
    check_targets(named_targets(file_of(given["output"])), files_read(policy.file or (), "the policy"))
    dialect = None if given["dialect"] is None else DIALECTS[given["dialect"]]
    deliver(dbt_tests(policy, model or _model_of(policy.table), dialect).rstrip("\n"), given["output"])
    if policy.roles.person is not None and policy.roles.pseudonym is None:
        say(PEOPLE_UNTESTED)


def _model_of(table: object) -> str:
    """Return the model that is called as a table is: by the name of its file, or of its table in a database."""
    named = str(table)
    return table_parts(named.rpartition("#")[2])[-1] if is_database_address(named) else Path(named).stem


command = click.Group(
    "sql",
    commands=[audit, dbt],
    help="Print SQL that a warehouse runs itself, or tests of dbt, without a driver of tclose.",
    no_args_is_help=True,
)
