"""``tclose apply``: make a release again by its recipe, or recode new rows by it."""

from __future__ import annotations

from typing import Any

import click

from tclose.cli.lazy import Command
from tclose.cli.options import TableName, read_options, reading_options, running, running_options, table_names
from tclose.cli.release_options import release_output_options
from tclose.cli.releasing import check_files, deliver_release, release_target, stored_as

_HELP = """Recode TABLE by RECIPE, which 'tclose anonymize' wrote beside a release, and
judge it by the requirements in the recipe.

\b
  tclose apply release.csv.recipe.json patients.csv -o again.csv
  tclose apply release.csv.recipe.json new-patients.csv -o new-release.csv

A recipe in which the quasi-identifiers alone decide what becomes of a row also
recodes other tables with the same columns; rows that it does not cover are left
out. Any other recipe repeats the release of its own table only.

\b
Exit codes: 0 the requirements hold; 1 they do not, and nothing is written;
2 usage or input; 3 the engine failed.
"""


@click.command("apply", cls=Command, help=_HELP)
@click.argument("recipe", metavar="RECIPE", type=click.Path())
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True, type=TableName())
@release_output_options
@reading_options
@running_options
@click.help_option()
def command(recipe: str, tables: tuple[str, ...], **given: Any) -> int:
    """Recode a table by a recipe."""
    target = release_target(given["output"], (recipe, *tables), force=given["force"])
    check_files(given, (recipe, *tables))
    from tclose.anonymizing import apply
    from tclose.anonymizing.storing import held

    named = table_names(tables, given)
    given["into"] = stored_as(named, given["into"])
    with held(named, given["into"]) as table:
        with running(given) as settings:
            release = apply(recipe, table, read=read_options(given), **settings)
        return deliver_release(release, target, given)
