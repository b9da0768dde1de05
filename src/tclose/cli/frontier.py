"""``tclose frontier``: what each threshold costs with each method, to choose by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from tclose.anonymization.frontier_points import Frontier
from tclose.cli.commands import Command
from tclose.cli.options import (
    TableName,
    format_option,
    output_option,
    policy_options,
    reading_options,
    running,
    running_options,
)
from tclose.cli.output import check_targets, deliver, face, format_for, named_targets
from tclose.cli.question import policy_of_command
from tclose.policy.policy import Policy

_HELP = """Try several thresholds with several methods, and show what each release of
TABLE would cost. Nothing is released.

\b
  tclose frontier patients.csv -q zip,age -s disease --k 5
  tclose frontier patients.csv -q zip,age -s pay --values 0.1,0.2,0.3 -o t.svg
  tclose frontier patients.csv -q zip,age -s pay --sweep k --values 2,5,10
  tclose frontier --policy tclose.toml --methods gather,mondrian --format csv

What is required besides the swept threshold holds for every release.
"""
_FORMATS = ("text", "json", "html", "markdown", "svg", "csv")


@click.command("frontier", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@policy_options("frontier")
@format_option(*_FORMATS)
@output_option
@reading_options
@running_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> None:
    """Show what each threshold costs with each method."""
    form = format_for(given["output"], given["form"], _FORMATS)
    policy = policy_of_command(tables, given, "frontier")
    check_targets(named_targets(given["output"]), policy.inputs)
    found = swept(policy, given)
    deliver(_rendered(found, form, given["output"]), given["output"])


def swept(policy: Policy, given: Mapping[str, Any]) -> Frontier:
    """Return what releases cost of what was asked, with other thresholds of one model.

    Parameters
    ----------
    policy
        What was asked.
    given
        The options that say how the run is shown.
    """
    from tclose.anonymization.frontier import frontier

    with running(given) as settings:
        return frontier(policy, **settings)


def _rendered(found: Frontier, form: str, target: str | None) -> str:
    if form == "json":
        from tclose.reports.machine_readable.audits import json_text

        return json_text(found.to_dict())
    if form == "csv":
        from tclose.reports.machine_readable.frontiers import frontier_csv

        return frontier_csv(found)
    if form == "svg":
        return found.to_svg()
    from tclose.reports.content.frontiers import frontier_document

    return face(form, [frontier_document(found)], target)
