"""``tclose sql``: an audit as a statement to run elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from tclose.cli.commands import Command
from tclose.cli.names import assigned, column_list, declared_order, sensitive_list, thresholds
from tclose.cli.options import OUTPUT, ROLES, null_and_policy_options, option, order_option, output_option, together
from tclose.cli.output import check_targets, deliver, file_of, named_targets
from tclose.cli.request import usual_policy
from tclose.policy import Policy, declared_distance
from tclose.policy_files import read_policy
from tclose.roles import Roles
from tclose.sources import files_read
from tclose.warehouses import DIALECTS, audit_sql
from tclose.warehouses.statements import MODELS

_HELP = """Print one SQL statement that measures k, l and t of TABLE and says what fails.

It reads the table once and counts in whole numbers, so that its verdicts are those
of 'tclose audit' to the last digit; no driver, no extension, no copy of the data.
Each row of its result is a figure: numerator and denominator, what is required,
whether it holds (1 or 0), and how many classes and rows fail.

\b
  tclose sql audit clinic.visits -q zip,age -s salary:ordered --k 5 --t 0.2 --dialect snowflake
  tclose sql audit visits --policy tclose.toml --dialect postgres | psql clinic
  tclose sql audit visits -q zip -s disease:nominal --person patient_id --k 5 -o audit.sql

An ordered column is a number, a date or a time, in the order in which the database
sorts it; the scale of a text is given with --order NAME=low,middle,high.
"""

_role_options = together(
    option("-q", "--quasi", section=ROLES, metavar="COLUMN", multiple=True, help="A quasi-identifier. Repeatable."),
    option(
        "-s",
        "--sensitive",
        section=ROLES,
        metavar="NAME:DISTANCE",
        multiple=True,
        help="A sensitive attribute, ordered or nominal. Repeatable.",
    ),
    option("--person", section=ROLES, metavar="COLUMN", help="The column that tells people apart; people are counted."),
    order_option,
    null_and_policy_options,
)
_requirement_options = together(
    *(
        option(f"-{key}", f"--{key}", f"require_{key}", section="Requirements", metavar=form, multiple=True, help=said)
        for key, form, said in (
            ("k", "K", "The least number of rows, or people, in a class."),
            ("l", "[NAME=]L", "The least number of different values in a class."),
            ("t", "[NAME=]T", "The largest distance of a class from the table."),
        )
    )
)


@click.command("audit", cls=Command, help=_HELP)
@click.argument("table")
@_role_options
@_requirement_options
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
    file = given["policy"] or usual_policy((table,), given)
    policy = read_policy(file) if file else Policy()
    roles = _roles(policy.roles, given)
    wanted = replace(policy, roles=roles, thresholds=_thresholds(policy, roles, given))
    texts = named_targets(file_of(given["output"]))
    check_targets(texts, files_read(file or (), "the policy"))
    deliver(audit_sql(table, roles, require=wanted.requirements(), dialect=given["dialect"]), given["output"])


def _roles(usual: Roles, given: dict[str, Any]) -> Roles:
    """Return the roles: as said here, on top of the policy's."""
    words = sensitive_list(given["sensitive"], tuple)
    declared: dict[str, Any] = {name: usual.sensitive.get(name) for name in words or usual.sensitive}
    orders, nulls = (assigned(f"--{what}", given[what], declared) for what in ("order", "nulls"))
    for name, before in declared.items():
        here: dict[str, Any] = {} if before is None else dict(before.declared)
        here |= {"order": declared_order(orders[name])} if name in orders else {}
        here |= {"nulls": nulls[name]} if name in nulls else {}
        word = words.get(name) or (before and before.word)
        declared[name] = declared_distance(name, distance=word, **here)
    return Roles(
        quasi=column_list(given["quasi"], tuple) or usual.quasi,
        sensitive=declared,
        person=given["person"] or usual.person,
    )


def _thresholds(policy: Policy, roles: Roles, given: dict[str, Any]) -> dict[str, Any]:
    """Return the thresholds: those of a model named here replace those of the policy."""
    named = {key: given[f"require_{key}"] for key in MODELS if given[f"require_{key}"]}
    return {
        **policy.thresholds,
        **{key: thresholds(f"--{key}", texts, roles.sensitive) for key, texts in named.items()},
    }


command = click.Group(
    "sql",
    commands=[audit],
    help="Print SQL that a warehouse runs itself, without a driver of tclose.",
    no_args_is_help=True,
)
