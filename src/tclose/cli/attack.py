"""``tclose attack``: what someone who knows the method learns from a release, beside a control group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tclose.cli.commands import Command
from tclose.cli.errors import FAILS, HOLDS
from tclose.cli.options import (
    OUTPUT,
    TableName,
    format_option,
    option,
    output_option,
    policy_options,
    reading_options,
    running,
    running_options,
    together,
)
from tclose.cli.output import check_targets, deliver, face, format_for, named_targets
from tclose.cli.question import policy_of_command, usual_policy
from tclose.data.sources import files_read
from tclose.policy.policy import Policy

if TYPE_CHECKING:
    from tclose.attacks.findings import Attack

_HELP = """Attack a release of TABLE as someone would who knows how it is made. Half of the
table is released as 'tclose anonymize' would, and each attacker infers the
sensitive values of the people in it, and of people in the other half who look
like them. The gain is the share of people about whom a claim is right because
they are in the release.

\b
  tclose attack patients.csv -q zip,age -s disease --k 5 --t 0.2
  tclose attack patients.csv -q zip,age -s disease --k 5 --withstand 0.01
  tclose attack --policy tclose.toml --divisions 5 -o attack.html
  tclose attack --release out.csv --original all.csv -q zip,age -s disease

Exit codes: 0 no gain is above --withstand, or none was given; 1 one is;
2 usage or input; 3 the engine failed.
"""
_FORMATS = ("text", "json", "html", "markdown", "svg")
_ATTACK = "Attack"

_beside_options = together(
    option("--original", section=_ATTACK, metavar="TABLE", help="The table that --release was made of."),
    option(
        "--show-people",
        section=OUTPUT,
        is_flag=True,
        help="Report groups of fewer than k, and fewer than 5, separately: they show single people.",
    ),
)


@click.command("attack", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@policy_options("attack")
@_beside_options
@format_option(*_FORMATS)
@output_option
@reading_options
@running_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> int:
    """Attack a release of a table."""
    form = format_for(given["output"], given["form"], _FORMATS)
    policy = policy_of_command(_original(tables, given), given, "attack")
    read = {path: "a release" for name in _releases(given) for path in files_read(name)}
    check_targets(named_targets(given["output"]), {**policy.inputs, **read})
    found = _attacked(policy, given)
    found = found.with_people() if given["show_people"] else found
    deliver(_rendered(found, form, given["output"]), given["output"])
    return FAILS if found.holds is False else HOLDS


def _original(tables: tuple[str, ...], given: dict[str, Any]) -> tuple[str, ...]:
    """Return the table: as it is named, or by ``--original``."""
    if given["original"] is None:
        if given["release"] is not None and not (tables or given["policy"] or usual_policy(tables, given)):
            raise click.UsageError("--release needs the table that it was made of: name it with --original TABLE.")
        return tables
    if tables:
        raise click.UsageError("Name the original once: as TABLE, or with --original.")
    if given["release"] is None:
        raise click.UsageError("--original goes with --release FILE; a table that is to be divided is named as TABLE.")
    return (given["original"],)


def _releases(given: dict[str, Any]) -> list[str]:
    """Return the releases that are read."""
    return [name for name in (given["release"], *given["previous"]) if name is not None]


def _attacked(policy: Policy, given: dict[str, Any]) -> Attack:
    from tclose.attacks.attack import attack

    with running(given) as settings:
        return attack(policy, **settings)


def _rendered(found: Attack, form: str, target: str | None) -> str:
    if form == "json":
        return found.to_json()
    if form == "svg":
        return found.to_svg()
    from tclose.reports.content.attacks import attack_document

    return face(form, [attack_document(found)], target)
