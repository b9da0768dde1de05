"""``tclose anonymize``: the release of a table that meets its requirements with the least damage."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tclose.cli.commands import Command
from tclose.cli.lineage import events_of, recorded
from tclose.cli.options import (
    OUTPUT,
    RELEASE,
    TableName,
    option,
    reading_options,
    recoded_role_options,
    running,
    running_options,
)
from tclose.cli.release_choices import search_choices
from tclose.cli.release_options import (
    disguise_options,
    key_options,
    recoding_options,
    release_output_options,
    search_options,
)
from tclose.cli.releasing import PAGES, deliver_release, destination, stored_as
from tclose.cli.request import Request, request_of
from tclose.cli.requirement_options import requirement_options
from tclose.sources import read_once

if TYPE_CHECKING:
    from tclose.frontiers import Frontier
    from tclose.releases import Release

_HELP = """Make a release of TABLE that meets the requirements and loses as little detail
as can be: quasi-identifiers are generalised, identifiers removed, and so is
every column of which nothing is said; --publish publishes one as it is. What is
written is audited before it is there.

\b
  tclose anonymize patients.csv -q zip,age -s disease --k 5 --t 0.2 \\
      --hierarchy zip=mask --hierarchy age=intervals:5,10 -o release.csv
  tclose anonymize patients.csv -q zip,age -s pay --k 10 --suppress 0.01
  tclose anonymize visits.csv -q age -s disease --k 5 --pseudonym patient \\
      --shift-dates admitted,discharged --key-file key.txt -o release.csv
  tclose anonymize --policy tclose.toml -o release.parquet

Beside release.csv go release.csv.report.json, which says what was promised and
measured, and release.csv.recipe.json, which makes the release again: it holds
values of the original, so keep it with the original. With --into the release
becomes a new table of a database. Without either nothing is written and only
the summary is shown.

\b
Exit codes: 0 a release was found; 1 no release meets the requirements, and
the summary says what stands in the way; 2 usage or input; 3 the engine
failed.
"""


@click.command("anonymize", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@recoded_role_options
@requirement_options
@disguise_options
@key_options
@search_options
@recoding_options
@option(
    "--withstand",
    section=RELEASE,
    is_flag=False,
    flag_value="0.01",
    metavar="[GAIN]",
    help="Make a release from which no attacker of 'tclose attack' gains more; 0.01 if no number is given.",
)
@release_output_options
@option(
    "--frontier",
    section=OUTPUT,
    is_flag=True,
    help="Add to the report what other thresholds would cost: of t, or of k if only k is required. Takes longer.",
)
@reading_options
@running_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> int:
    """Make a release that meets the requirements."""
    what = request_of(tables, given)
    given["about"] = what.policy.about
    given["into"] = stored_as(what.table, given)
    events = events_of("anonymize", what.table, given, what.inputs)
    destination(what.table, given).check({**what.inputs, **events.read_too})
    if given["frontier"]:
        _check_frontier(what.table, given)
    from tclose.anonymizing.storing import held

    with recorded(events), held(what.table, given["into"], replace=given["replace"]) as table:
        release = _released(table, what, given)
        frontier = _frontier(release, replace(what, table=table), given) if given["frontier"] else None
        return deliver_release(release, table, given, events, frontier)


def _released(table: object, what: Request, given: dict[str, Any]) -> Release:
    from tclose.anonymizing import anonymize
    from tclose.anonymizing.disguising import read_key

    policy, choices = what.policy, what.policy.release
    with running(given) as settings:
        return anonymize(
            table,
            policy.roles,
            require=policy.requirements(),
            preset=policy.preset,
            numbers=policy.numbers,
            within=given["within"],
            key=read_key(choices.key_file, choices.key_variable),
            shift_days=choices.shift_days,
            withstand=choices.withstand or policy.gain,
            **search_choices(policy),
            **settings,
        )


def _check_frontier(table: object, given: dict[str, Any]) -> None:
    """Refuse a frontier that no page would show, or of a table that can be read only once."""
    page = given["report"] is not None and Path(given["report"]).suffix.lower() in PAGES
    if not page and given["form"] != "html":
        raise click.UsageError("--frontier goes into the report: name one with --report FILE.html.")
    if read_once(table):
        raise click.UsageError("--frontier reads the table a second time; save it as a file, and name that.")


def _frontier(release: Release, what: Request, given: dict[str, Any]) -> Frontier:
    """Return what the release would cost at other thresholds of what is required, with the usual methods too."""
    from tclose.cli.frontier import swept
    from tclose.recoding.methods import METHODS
    from tclose.sweeping import USUAL_METHODS, USUAL_VALUES

    required = {each.model.key for each in release.requirements}
    sweep = "k" if "k" in required and "t" not in required else "t"
    wanted = [each.threshold for each in release.requirements if each.model.key == sweep]
    own = [release.method] if release.method in METHODS else []
    methods = list(dict.fromkeys([*own, *USUAL_METHODS]))
    return swept(what, given, sweep=sweep, values=[*USUAL_VALUES[sweep], *wanted], methods=methods)
