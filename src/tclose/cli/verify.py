"""``tclose verify``: the file of a release against its certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tclose.cli.commands import Command
from tclose.cli.errors import FAILS, HOLDS
from tclose.cli.options import (
    TableName,
    format_option,
    option,
    output_option,
    policy_option,
    reading_options,
    running,
    running_options,
    table_names,
    together,
)
from tclose.cli.output import check_targets, deliver, face, format_for, named_targets
from tclose.cli.question import read_options, resources_of
from tclose.data.sources import files_read
from tclose.policy.options import declared
from tclose.policy.parts import Keys

if TYPE_CHECKING:
    from tclose.anonymization.verifications import Verification

_HELP = """Check FILE, a release, against the certificate that 'tclose anonymize
--certificate' wrote.

What the file alone gives is counted again: its SHA-256, its columns, rows and
classes, its figures against its own distribution. What only the owner of the
original can know is told as attested, and is not checked.

\b
  tclose verify release.csv --certificate release.certificate.json

The owner checks that, too: the recipe makes the release again from the
original, and its people are counted.

\b
  tclose verify release.csv --certificate release.certificate.json \\
      --recipe release.csv.recipe.json --original patients.csv

Exit codes: 0 the file is the certified one, and everything recomputed is as
certified; 1 something differs, or a requirement does not hold; 2 usage or
input; 3 the engine failed.
"""
_FORMATS = ("text", "json", "html", "markdown")
_SECTION = "What to check"


@click.command("verify", cls=Command, help=_HELP)
@click.argument("file", metavar="FILE", type=click.Path())
@option("--certificate", section=_SECTION, usual=True, metavar="FILE", type=click.Path(), required=True,
        help="The certificate of the release.")  # fmt: skip
@option("--recipe", section=_SECTION, usual=True, metavar="FILE", type=click.Path(),
        help="The recipe of the release, which its owner has; with --original.")  # fmt: skip
@option("--original", section=_SECTION, usual=True, metavar="TABLE", type=TableName(),
        help="The table that the release was made from; with --recipe. Reading options are about it.")  # fmt: skip
@together(*(policy_option(each) for each in declared(Keys).values()))
@format_option(*_FORMATS)
@output_option
@reading_options
@running_options
@click.help_option()
def command(file: str, **given: Any) -> int:
    """Check the file of a release against its certificate."""
    form = format_for(given["output"], given["form"], _FORMATS)
    read = read_options(given)
    original = None if given["original"] is None else table_names((given["original"],), given, read)
    inputs = {
        **files_read(file, "the release"),
        **files_read(given["certificate"], "the certificate"),
        **files_read(given["recipe"] or (), "the recipe"),
        **files_read(original if original is not None else (), "the original"),
        **files_read(given["key_file"] or (), "the key"),
    }
    check_targets(named_targets(given["output"]), inputs)
    from tclose.anonymization.pseudonymization import read_key
    from tclose.anonymization.verify import verify

    key = read_key(given["key_file"], given["key_variable"])
    with running(given) as settings:
        found = verify(
            file,
            given["certificate"],
            original=original,
            recipe=given["recipe"],
            key=key,
            read=read,
            **resources_of(given),
            **settings,
        )
    deliver(_rendered(found, form, given["output"]), given["output"])
    return HOLDS if found.holds else FAILS


def _rendered(found: Verification, form: str, target: str | None) -> str:
    if form == "json":
        return found.to_json()
    from tclose.reports.content.verifications import verification_document

    return face(form, [verification_document(found)], target)
