"""``tclose explain``: why a class is as far from the table as it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tclose.cli.asked import Asked, asked
from tclose.cli.failures import say
from tclose.cli.lazy import Command
from tclose.cli.names import class_key
from tclose.cli.options import (
    TableName,
    format_option,
    option,
    output_option,
    reading_options,
    reference_option,
    role_options,
    running,
    running_options,
    together,
)
from tclose.cli.output import check_not_input, deliver, file_of, file_word, format_for, text_shape
from tclose.transport import RULES

if TYPE_CHECKING:
    from tclose.explanations import Explanation, Explanations

_HELP = """Show why a class of TABLE is as far from the table as it is: which values it
has too many and too few of, the definition term by term, and every move that
would make it like the table, as exact fractions and as pictures.

\b
  tclose explain example:salary -s salary
  tclose explain patients.csv -q zip,age -s salary:ordered --worst 3
  tclose explain example:salary -s salary --class 'zip=476**,age=2*'
  tclose explain example:salary -s salary --rule tutorial -o salary.tex
  tclose explain example:salary -s salary --format svg -o figures/

A class is named by all quasi-identifiers, as reports show it. Where a value
holds ',COLUMN=' give one --class for each column. 'COLUMN=' is a missing value,
'COLUMN=""' an empty text. What is written shows values of the class and shares
of the table: it is for the eyes of those who may see the table.
"""
_FORMATS = ("text", "markdown", "latex", "json", "html", "svg")
_WHICH = "What to explain"

_explaining_options = together(
    option(
        "--class",
        "class_texts",
        section=_WHICH,
        metavar="COLUMN=VALUE,…",
        multiple=True,
        help="The class, by all its quasi-identifiers; by default the worst.",
    ),
    option(
        "--worst",
        section=_WHICH,
        metavar="N",
        type=click.IntRange(1),
        help="The N worst classes of each sensitive attribute; by default 1.",
    ),
    option(
        "--rule",
        section=_WHICH,
        type=click.Choice(RULES),
        default="stay",
        show_default=True,
        help="Which of the cheapest lists of moves to show; 'tutorial' gives those of the tutorial.",
    ),
)


@click.command("explain", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@_explaining_options
@role_options
@reference_option
@format_option(*_FORMATS)
@output_option
@reading_options
@running_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> None:
    """Show why a class is as far from the table as it is."""
    form = format_for(given["output"], given["form"], _FORMATS)
    if given["class_texts"] and given["worst"]:
        raise click.UsageError("--class names one class; --worst cannot go with it.")
    what = asked(tables, given)
    check_not_input(given["output"], what.tables)
    found = _explained(what, given)
    if form == "svg":
        _deliver_figures(found, given["output"], quiet=given["quiet"])
    else:
        deliver(_rendered(found, form, given["output"]), given["output"])


def _explained(what: Asked, given: dict[str, Any]) -> Explanations:
    from tclose.explaining import explain

    roles = what.policy.roles
    key, attribute = None, None
    if given["class_texts"]:
        others = tuple(roles.sensitive) if roles.together == "quasi" and len(roles.sensitive) > 1 else ()
        key = class_key(given["class_texts"], (*roles.quasi, *others))
        unnamed = [name for name in others if name not in key]
        attribute = unnamed[0] if len(unnamed) == 1 else None
    with running(given) as settings:
        return explain(
            what.table,
            roles,
            attribute=attribute,
            key=key,
            worst=given["worst"] or 1,
            rule=given["rule"],
            reference=what.policy.reference,
            read=what.policy.read,
            **settings,
        )


def _rendered(found: Explanations, form: str, target: str | None) -> str:
    if form == "json":
        return found.to_json()
    if form == "markdown":
        return found.to_markdown()
    if form == "latex":
        return found.to_latex()
    if form == "html":
        from tclose.render.explanation_html import explanations_html
        from tclose.render.html import page_html

        source = found[0].source if len(found) else "a table"
        return page_html(f"Explanation of {source}", explanations_html(found.items))
    from tclose.render.explanation_text import explanations_text

    width, colour = text_shape(target)
    return explanations_text(found.items, width=width, colour=colour)


def _deliver_figures(found: Explanations, target: str | None, *, quiet: bool) -> None:
    """Write the figure of the moves to one file, or every figure to a folder."""
    from tclose.render.figures import figures, moves_figure

    named = file_of(target) or ""
    in_folder = named.endswith(("/", os.sep)) or Path(named or "-").is_dir()
    if not in_folder and len(found) == 1:
        deliver(moves_figure(found[0]), target)
        return
    if not in_folder:
        raise click.UsageError(f"{len(found)} explanations have a figure each; write them to a folder: -o FOLDER/")
    folder = Path(named)
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    for place, explanation in enumerate(found, start=1):
        for name, drawn_text in figures(explanation).items():
            deliver(drawn_text, str(folder / f"{_figure_word(explanation, place, len(found))}-{name}.svg"))
            written += 1
    say(f"{written} figures written to {folder}.", quiet=quiet)


def _figure_word(explanation: Explanation, place: int, of: int) -> str:
    word = file_word(explanation.attribute)
    return word if of == 1 else f"{word}-{place}"
