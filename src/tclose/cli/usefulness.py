"""``tclose usefulness``: a release beside its original, by the scores that others use."""

from __future__ import annotations

from typing import Any

import click

from tclose.cli.commands import Command
from tclose.cli.errors import HOLDS
from tclose.cli.options import (
    TableName,
    format_option,
    option,
    output_option,
    reading_options,
    running,
    running_options,
    table_names,
)
from tclose.cli.output import check_targets, deliver, face, format_for, named_targets
from tclose.cli.question import read_options, resources_of
from tclose.data.sources import files_read

_HELP = """Say what RELEASE is worth beside ORIGINAL, by the scores that others use.

\b
  tclose usefulness release.csv patients.csv
  tclose usefulness release.csv patients.csv --format json

Marginals, propensity, unique exact matches, correlations, and how far means,
quartiles and slopes moved. The columns are those that both tables have; publish
values with 'tclose anonymize --points', for cells such as [35, 40) cannot be
scored as numbers. What it prints is for the owner of ORIGINAL.
"""
_FORMATS = ("text", "json", "html", "markdown")


@click.command("usefulness", cls=Command, help=_HELP)
@click.argument("release", metavar="RELEASE", type=TableName())
@click.argument("original", metavar="ORIGINAL", type=TableName())
@option("--column", "columns", section="What to score", usual=True, metavar="COLUMN", multiple=True,
        help="A column to look at; by default those of both tables. Repeatable.")  # fmt: skip
@format_option(*_FORMATS)
@output_option
@reading_options
@running_options
@click.help_option()
def command(release: str, original: str, columns: tuple[str, ...], **given: Any) -> int:
    """Say what a release is worth beside its original."""
    form = format_for(given["output"], given["form"], _FORMATS)
    read = read_options(given)
    tables = [table_names((name,), given, read) for name in (release, original)]
    inputs = {**files_read(tables[0], "the release"), **files_read(tables[1], "the original")}
    check_targets(named_targets(given["output"]), inputs)
    from tclose.anonymization.usefulness import usefulness

    with running(given) as settings:
        found = usefulness(tables[0], tables[1], columns=columns or None, read=read, **resources_of(given), **settings)
    if form == "json":
        deliver(found.to_json(), given["output"])
        return HOLDS
    from tclose.reports.content.scores import scores_document

    deliver(face(form, [scores_document(found)], given["output"]), given["output"])
    return HOLDS
