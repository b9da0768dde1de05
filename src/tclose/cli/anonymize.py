"""``tclose anonymize``: the release of a table that meets its requirements with the least damage."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tclose.cli.commands import Command
from tclose.cli.errors import FAILS, HOLDS, say
from tclose.cli.options import OUTPUT, TableName, option, policy_options, reading_options, running, running_options
from tclose.cli.output import deliver, face
from tclose.cli.question import database_policies, policy_of_command
from tclose.cli.releasing import (
    PAGES,
    deliver_release,
    destination,
    events_of,
    recorded,
    release_output_options,
    stored_as,
)
from tclose.data.progress import silent
from tclose.data.sources import read_once
from tclose.data.targets import private_folder
from tclose.policy.policy import Policy

if TYPE_CHECKING:
    from tclose.anonymization.frontier_points import Frontier
    from tclose.anonymization.releases import Release

_HELP = """Make a release of TABLE that meets the requirements and loses as little detail
as possible. Quasi-identifiers are generalised; identifiers and columns without a
role are removed. The release is audited again after it is written.

\b
  tclose anonymize patients.csv -q zip,age -s disease --k 5 --t 0.2 \\
      --hierarchy zip=mask --hierarchy age=intervals:5,10 -o release.csv
  tclose anonymize patients.csv -q zip,age -s pay --k 10 --suppress 0.01
  tclose anonymize --policy tclose.toml -o release.parquet
  tclose anonymize --policy database.toml -o folder

release.csv.recipe.json makes the release again. It holds values of the original:
keep it secret.

Exit codes: 0 released; 1 no release meets the requirements; 2 usage or input;
3 the engine failed.
"""


@click.command("anonymize", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@policy_options("anonymize")
@release_output_options
@option(
    "--frontier",
    section=OUTPUT,
    is_flag=True,
    help="Add to the report what other thresholds would cost: of t, or of k if only k is required. Takes longer.",
)
@option(
    "--why",
    section=OUTPUT,
    is_flag=True,
    help="Tell its owner what costs the detail: each column, each requirement, and what would keep more. Takes longer.",
)
@reading_options
@running_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> int:
    """Make a release that meets the requirements."""
    if not tables and (policies := database_policies(given, "anonymize")):
        return _database(policies, given)
    policy = policy_of_command(tables, given, "anonymize")
    given["about"] = policy.about
    given["into"] = stored_as(policy.table, given)
    events = events_of("anonymize", policy.table, given, policy.inputs)
    destination(policy.table, given).check({**policy.inputs, **events.read_too})
    if given["frontier"]:
        _check_frontier(policy.table, given)
    if given["why"] and policy.required.withstand is not None:
        raise click.UsageError("--why searches again, which says nothing of a release that is to withstand attackers.")
    from tclose.anonymization.output import held

    with recorded(events), held(policy.table, given["into"], replace=given["replace"]) as table:
        policy = policy.with_table(table)
        release = _released(policy, given)
        frontier = _frontier(release, policy, given) if given["frontier"] else None
        return deliver_release(release, table, given, events, frontier)


_OF_ONE_TABLE = {
    "into": "--into", "report": "--report", "statement": "--statement", "certificate": "--certificate",
    "recipe_file": "--recipe", "lineage": "--lineage", "template": "--template", "show_original": "--show-original",
    "frontier": "--frontier", "why": "--why", "replace": "--replace",
}  # fmt: skip
"""What can be asked of a release of one table alone."""


def _database(policies: list[Policy], given: dict[str, Any]) -> int:
    """Release the tables of a policy as one database of people, into a folder."""
    from tclose.anonymization.database.output import check_folder, write_database, write_tables
    from tclose.anonymization.database.problem import names_of
    from tclose.anonymization.database.release import anonymize_database
    from tclose.reports.content.releases import release_document
    from tclose.reports.machine_readable.audits import json_text

    for name, flag in _OF_ONE_TABLE.items():
        if given.get(name):
            raise click.UsageError(
                f"{flag} is for one table; a database of people is released into a folder: -o FOLDER."
            )
    read = {path: what for policy in policies for path, what in policy.inputs.items()}
    names = tuple(names_of(policies))
    target = None if given["output"] is None else check_folder(given["output"], names, read, force=given["force"])
    with running(given) as settings:
        tell = settings.get("progress") or silent
        release = anonymize_database(policies, progress=settings.get("progress"))
        if not release.holds:
            written = None
        elif target is not None:
            written = write_database(release, target, force=given["force"], tell=tell)
        else:
            folder = private_folder(Path(tempfile.gettempdir()))
            try:
                written = write_tables(release, folder.path, tell)
            finally:
                folder.remove()
    if written is None:
        deliver(face("text", [release_document(release.base, None)], None), None)
        say("No release meets the requirements even without facts; nothing was written.", quiet=given["quiet"])
        return FAILS
    form = given["form"]
    deliver(json_text(written.to_dict()) if form == "json" else face(form, [written.document()], None), None)
    if target is None:
        say("Nothing was written; -o FOLDER writes the release.", quiet=given["quiet"])
    return HOLDS


def _released(policy: Policy, given: dict[str, Any]) -> Release:
    from tclose.anonymization.anonymize import anonymize

    with running(given) as settings:
        release = anonymize(policy, **settings)
        return release.with_why(settings.get("progress")) if given["why"] and release.holds else release


def _check_frontier(table: object, given: dict[str, Any]) -> None:
    """Refuse a frontier that no page would show, or of a table that can be read only once."""
    page = given["report"] is not None and Path(given["report"]).suffix.lower() in PAGES
    if not page and given["form"] != "html":
        raise click.UsageError("--frontier goes into the report: name one with --report FILE.html.")
    if read_once(table):
        raise click.UsageError("--frontier reads the table a second time; save it as a file, and name that.")


def _frontier(release: Release, policy: Policy, given: dict[str, Any]) -> Frontier:
    """Return what the release would cost at other thresholds of what is required, with the usual methods too."""
    from tclose.anonymization.algorithms.catalogue import METHODS
    from tclose.anonymization.frontier import USUAL_VALUES
    from tclose.cli.frontier import swept
    from tclose.policy.parts import USUAL_METHODS

    required = {each.model.key for each in release.requirements}
    sweep = "k" if "k" in required and "t" not in required else "t"
    wanted = [each.threshold for each in release.requirements if each.model.key == sweep]
    own = [release.method] if release.method in METHODS else []
    methods = list(dict.fromkeys([*own, *USUAL_METHODS]))
    asked = {"sweep": sweep, "values": [*USUAL_VALUES[sweep], *wanted], "methods": methods}
    return swept(policy.with_options(asked), given)
