"""``tclose recode``: a table with the cells of a recipe, and nothing judged."""

from __future__ import annotations

from typing import Any

import click

from tclose.cli.commands import Command
from tclose.cli.errors import say
from tclose.cli.options import OUTPUT, TableName, option, reading_options, running, running_options, table_names
from tclose.cli.output import check_targets, commit
from tclose.cli.question import read_options, resources_of
from tclose.data.sources import files_read
from tclose.engines.dispatch import target_for
from tclose.errors import counted

_HELP = """Recode TABLE by RECIPE and judge nothing: for test sets and trials, not to publish.

\b
  tclose recode release.csv.recipe.json test-set.csv -o recoded.csv

No row is left out; one that no class of the recipe covers gets the coarsest
cells. The columns are those of the recipe, as far as TABLE has them, but for
pseudonyms and shifted dates. To publish new rows, use 'tclose apply', which
judges them.
"""


@click.command("recode", cls=Command, help=_HELP)
@click.argument("recipe", metavar="RECIPE", type=click.Path())
@click.argument("tables", metavar="TABLE...", nargs=-1, required=True, type=TableName())
@option(
    "-o",
    "--output",
    section=OUTPUT,
    metavar="FILE",
    type=click.Path(),
    required=True,
    help="The recoded table: .csv, .parquet, .jsonl and others by its ending.",
)
@option("--force", section=OUTPUT, is_flag=True, help="Write over an existing file.")
@reading_options
@running_options
@click.help_option()
def command(recipe: str, tables: tuple[str, ...], **given: Any) -> None:
    """Recode a table by a recipe, and judge nothing."""
    from tclose.anonymization.recode import recode

    inputs = files_read(recipe, "the recipe") | files_read(list(tables))
    read = read_options(given)
    table = table_names(tables, given, read)
    target = target_for(table, given["output"])
    check_targets([target], inputs, force=given["force"])
    with running(given) as settings:
        made = recode(table, recipe, read=read, **resources_of(given), **settings)
    commit({target: made.write_to}, inputs)
    rows = counted(made.rows, "row")
    say(f"{rows} recoded and written to {target.shown}. Nothing was judged.", quiet=given["quiet"])
