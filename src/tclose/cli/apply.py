"""``tclose apply``: make a release again by its recipe, or recode new rows by it."""

from __future__ import annotations

from typing import Any

import click

from tclose.cli.commands import Command
from tclose.cli.options import (
    RELEASE,
    TableName,
    option,
    policy_option,
    reading_options,
    running,
    running_options,
    table_names,
    together,
)
from tclose.cli.question import read_options, resources_of
from tclose.cli.releasing import deliver_release, destination, events_of, recorded, release_output_options, stored_as
from tclose.data.sources import files_read
from tclose.policy.options import declared
from tclose.policy.parts import Keys

_HELP = """Recode TABLE by RECIPE, which 'tclose anonymize' wrote beside a release, and
judge it by the requirements in the recipe.

\b
  tclose apply release.csv.recipe.json patients.csv -o again.csv
  tclose apply release.csv.recipe.json new-patients.csv -o new-release.csv

A recipe also recodes other tables with the same columns: new rows go to the
class of most detail whose cells cover them. Rows that none covers are left out,
up to the share that the recipe allows; --widen gives them the coarsest cells.

\b
Exit codes: 0 the requirements hold; 1 they do not, or too many rows would be
left out, and nothing is written; 2 usage or input; 3 the engine failed.
"""


@click.command("apply", cls=Command, help=_HELP)
@click.argument("recipe", metavar="RECIPE", type=click.Path())
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True, type=TableName())
@option(
    "--widen",
    section=RELEASE,
    is_flag=True,
    help="Publish rows that the recipe has no place for with the coarsest cells, instead of leaving them out.",
)
@option(
    "--suppress",
    section=RELEASE,
    metavar="SHARE",
    help="The largest share of rows that may be left out, such as 0.04; that of the recipe if left out.",
)
@together(*(policy_option(each) for each in declared(Keys).values()))
@release_output_options
@reading_options
@running_options
@click.help_option()
def command(recipe: str, tables: tuple[str, ...], **given: Any) -> int:
    """Recode a table by a recipe."""
    from tclose.anonymization.apply import apply
    from tclose.anonymization.output import held
    from tclose.anonymization.pseudonymization import read_key

    key = read_key(given["key_file"], given["key_variable"])
    inputs = (
        files_read(recipe, "the recipe") | files_read(list(tables)) | files_read(given["key_file"] or (), "the key")
    )
    read = read_options(given)
    named = table_names(tables, given, read)
    given["into"] = stored_as(named, given)
    events = events_of("apply", named, given, inputs)
    destination(named, given).check({**inputs, **events.read_too})
    with recorded(events), held(named, given["into"], replace=given["replace"]) as table:
        with running(given) as settings:
            release = apply(
                table,
                recipe,
                widen=given["widen"],
                suppress=given["suppress"],
                key=key,
                read=read,
                **resources_of(given),
                **settings,
            )
        return deliver_release(release, table, given, events)
