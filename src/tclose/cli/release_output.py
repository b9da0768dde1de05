"""The options that say where a release goes."""

from __future__ import annotations

import click

from tclose.cli.options import OUTPUT, option, template_option, together

release_output_options = together(
    option(
        "-o",
        "--output",
        section=OUTPUT,
        usual=True,
        metavar="FILE",
        type=click.Path(),
        help="The release, by its ending; its recipe and report go beside it.",
    ),
    option(
        "--into",
        section=OUTPUT,
        metavar="[ADDRESS#]TABLE",
        help="Store the release as a new table of the original's database, or of postgresql://HOST/DATABASE#TABLE.",
    ),
    option(
        "--recipe",
        "recipe_file",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        help="Also write the recipe, which makes the release again; keep it with the original.",
    ),
    option(
        "--report",
        section=OUTPUT,
        usual=True,
        metavar="FILE",
        type=click.Path(),
        help="Also write a report, as .html or .json.",
    ),
    option(
        "--statement",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        multiple=True,
        help="Also say for catalogues what the release promises: .jsonld (Croissant) or .openlineage.json.",
    ),
    option(
        "--certificate",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        help="Also certify the file of the release, as .json: 'tclose verify' checks it.",
    ),
    option(
        "--lineage",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        help="Append the run to a file as events of OpenLineage, a line each: START, then COMPLETE, FAIL or ABORT.",
    ),
    template_option(OUTPUT),
    option(
        "--show-original",
        section=OUTPUT,
        is_flag=True,
        help="Tell in --report and --format html what only the owner of the original may know; such a document "
        "is confidential.",
    ),
    option("--force", section=OUTPUT, usual=True, is_flag=True, help="Write over existing files."),
    option(
        "--replace", section=OUTPUT, is_flag=True, help="With --into: swap a table that is there, in one transaction."
    ),
    option(
        "--format",
        "form",
        section=OUTPUT,
        type=click.Choice(["text", "json", "html"]),
        default="text",
        show_default=True,
        help="The summary on standard output.",
    ),
)
