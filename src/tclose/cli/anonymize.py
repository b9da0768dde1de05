"""``tclose anonymize``: the release of a table that meets its requirements with the least damage."""

from __future__ import annotations

from typing import Any

import click

from tclose.cli.asked import Asked, asked
from tclose.cli.lazy import Command
from tclose.cli.options import TableName, reading_options, recoded_role_options, running, running_options
from tclose.cli.release_options import recoding_options, release_output_options, search_options
from tclose.cli.releasing import check_report, deliver_release, release_target
from tclose.cli.requirement_options import requirement_options
from tclose.releases import Release

_HELP = """Make a release of TABLE that meets the requirements and loses as little detail
as can be: quasi-identifiers are generalised, identifiers removed, all other
columns published as they are. What is written is audited before it is there.

\b
  tclose anonymize patients.csv -q zip,age -s disease --k 5 --t 0.2 \\
      --hierarchy zip=mask --hierarchy age=intervals:5,10 -o release.csv
  tclose anonymize patients.csv -q zip,age -s pay --k 10 --suppress 0.01
  tclose anonymize --policy tclose.toml -o release.parquet

Beside release.csv go release.csv.report.json, which says what was promised and
measured, and release.csv.recipe.json, which makes the release again: it holds
values of the original, so keep it with the original. Without -o nothing is
written and only the summary is shown.

\b
Exit codes: 0 a release was found; 1 no release meets the requirements, and
the summary says what stands in the way; 2 usage or input; 3 the engine
failed.
"""


@click.command("anonymize", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@recoded_role_options
@requirement_options
@search_options
@recoding_options
@release_output_options
@reading_options
@running_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> int:
    """Make a release that meets the requirements."""
    what = asked(tables, given)
    target = release_target(given["output"], what.files, force=given["force"])
    check_report(given, what.files)
    return deliver_release(_released(what, given), target, given)


def _released(what: Asked, given: dict[str, Any]) -> Release:
    from tclose.anonymizing import anonymize

    policy, choices = what.policy, what.policy.release
    with running(given) as settings:
        return anonymize(
            what.table,
            policy.roles,
            require=policy.requirements(),
            hierarchies=policy.hierarchies,
            levels=policy.levels,
            weights=policy.weights,
            method=choices.method,
            suppress=choices.suppress,
            loss=choices.loss,
            whole_classes=choices.whole_classes,
            intervals=choices.intervals,
            pruned=choices.pruned,
            against=choices.against,
            seed=choices.seed,
            read=policy.read,
            **settings,
        )
