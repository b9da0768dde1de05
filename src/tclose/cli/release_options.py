"""The options that say how a table may be recoded, and where a release goes."""

from __future__ import annotations

import click

from tclose.cli.options import OUTPUT, RELEASE, Seconds, option, template_option, together
from tclose.engines.disguises import MOST_DAYS, USUAL_DAYS
from tclose.policy_release import AGAINST, MOST_EFFORT
from tclose.recoding.losses.catalogue import LOSSES
from tclose.recoding.methods import AUTO, METHODS

METHOD_WORDS = (AUTO, *METHODS)

recoding_options = together(
    option(
        "--suppress",
        section=RELEASE,
        metavar="SHARE",
        help="The largest share of rows that may be left out, such as 0.04, or 1 for no limit; none if left out.",
    ),
    option(
        "--loss",
        section=RELEASE,
        type=click.Choice(list(LOSSES)),
        metavar="LOSS",
        help=f"What to lose least of: {', '.join(LOSSES)}; lm if left out.",
    ),
    option(
        "--levels",
        section=RELEASE,
        metavar="NAME=LEVELS",
        multiple=True,
        help="The level that a quasi-identifier is published on, 2, or may be, 0..2. Repeatable.",
    ),
    option(
        "--weight",
        section=RELEASE,
        metavar="NAME=NUMBER",
        multiple=True,
        help="How much a quasi-identifier counts in the loss; 1 if it is not named. Repeatable.",
    ),
    option(
        "--numbers",
        section=RELEASE,
        metavar="NAME=FORM",
        multiple=True,
        help="Numbers beside the text of a quasi-identifier: bounds (NAME_low, NAME_high) or midpoint (NAME_mid).",
    ),
    option(
        "--intervals/--no-intervals",
        section=RELEASE,
        default=None,
        help="Whether numbers and dates may be published as intervals of their own; they may.",
    ),
    option(
        "--effort",
        section=RELEASE,
        metavar="N",
        type=click.IntRange(0, MOST_EFFORT),
        help="How long a release is improved, as a multiple of the usual time: 1 if left out, 0 not at all.",
    ),
    option(
        "--seed",
        section=RELEASE,
        metavar="N",
        type=click.IntRange(0, 2**63 - 1),
        help="Decides what is left to chance; 0 if left out.",
    ),
)

disguise_options = together(
    option(
        "--pseudonym",
        section=RELEASE,
        metavar="COLUMN",
        help="Publish pseudonyms in the place of this column, which tells people apart (as --person does).",
    ),
    option(
        "--shift-dates",
        "shift",
        section=RELEASE,
        metavar="COLUMN",
        multiple=True,
        help="Publish dates shifted, all of a person by the same number of days. Repeatable, or a list with commas.",
    ),
    option(
        "--shift-days",
        section=RELEASE,
        metavar="N",
        type=click.IntRange(1, MOST_DAYS),
        help=f"By how many days dates are shifted at most, forwards or backwards; {USUAL_DAYS} if left out.",
    ),
)

key_options = together(
    option(
        "--key-file",
        section=RELEASE,
        metavar="FILE",
        type=click.Path(),
        help="A secret of at least 16 bytes, for the same pseudonyms and offsets in every release; fresh if left out.",
    ),
    option(
        "--key-variable",
        section=RELEASE,
        metavar="NAME",
        help="The same secret in a variable of the environment.",
    ),
)

search_options = together(
    option(
        "--within",
        section=RELEASE,
        metavar="SECONDS",
        type=Seconds(),
        help="Be content, after so many seconds of searching, with the best release so far, as soon as there is one.",
    ),
    option(
        "--method",
        section=RELEASE,
        type=click.Choice(METHOD_WORDS),
        metavar="METHOD",
        help=f"{', '.join(METHOD_WORDS)}; auto, the best of those that apply, if left out.",
    ),
    option(
        "--against",
        section=RELEASE,
        type=click.Choice(AGAINST),
        help="Meet the requirements against the original's distribution and the release's own, or the first only.",
    ),
    option(
        "--pruned/--no-pruned",
        section=RELEASE,
        default=None,
        help="Whether a full-domain search with suppression may skip what is unlikely to be best.",
    ),
)

release_output_options = together(
    option(
        "-o",
        "--output",
        section=OUTPUT,
        metavar="FILE",
        type=click.Path(),
        help="The release: .csv, .parquet, .jsonl and others by its ending. Its recipe and its report go beside it.",
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
        metavar="FILE",
        type=click.Path(),
        help="Also write a report: one .html page to print and sign, or .json for machines.",
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
    option("--force", section=OUTPUT, is_flag=True, help="Write over existing files."),
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
