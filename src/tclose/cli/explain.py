"""``tclose explain``: why a class is as far from the table as it is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tclose.cli.column_names import class_key
from tclose.cli.commands import Command
from tclose.cli.errors import say
from tclose.cli.options import (
    TableName,
    format_option,
    option,
    output_option,
    policy_options,
    reading_options,
    running,
    running_options,
    together,
)
from tclose.cli.output import (
    Writer,
    check_targets,
    commit,
    deliver,
    face,
    file_of,
    file_word,
    format_for,
    named_targets,
    text_writer,
)
from tclose.cli.question import database_policies, policy_of_command
from tclose.data.targets import Target, target_at
from tclose.errors import InputError
from tclose.models.transport import RULES
from tclose.policy.policy import Policy
from tclose.policy.several_tables import TableAsked
from tclose.reports.phrases.numbers import units

if TYPE_CHECKING:
    from tclose.auditing.explanations import Explanation, Explanations

_HELP = """Show why a class of TABLE is as far from the table as it is: which values it
has too many and too few of, the definition term by term, and every move that
would make it like the table, as exact fractions and as pictures.

\b
  tclose explain example:salary -s salary
  tclose explain patients.csv -q zip,age -s salary:ordered --worst 3
  tclose explain example:salary -s salary --class 'zip=476**,age=2*'
  tclose explain example:salary -s salary --rule tutorial -o salary.tex
  tclose explain example:salary -s salary --format svg -o figures/
  tclose explain example:salary -s salary --format svg --animate -o earth.svg

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
        "--show-people",
        section=_WHICH,
        is_flag=True,
        help="Explain the worst class also where it is of fewer than 5, who are single people.",
    ),
    option(
        "--rule",
        section=_WHICH,
        type=click.Choice(RULES),
        default="stay",
        show_default=True,
        help="Which of the cheapest lists of moves to show; 'tutorial' gives those of the tutorial.",
    ),
    option(
        "--animate",
        section=_WHICH,
        is_flag=True,
        help="With --format svg: pictures that play, move by move; in a folder also from value to value.",
    ),
)


@click.command("explain", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@_explaining_options
@policy_options("explain")
@format_option(*_FORMATS)
@output_option
@reading_options
@running_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> None:
    """Show why a class is as far from the table as it is."""
    form = format_for(given["output"], given["form"], _FORMATS)
    if given["animate"] and form != "svg":
        raise click.UsageError("--animate goes with pictures: add --format svg.")
    if given["class_texts"] and given["worst"]:
        raise click.UsageError("--class names one class; --worst cannot go with it.")
    several = [] if tables else database_policies(given, "explain")
    policy = Policy() if several else policy_of_command(tables, given, "explain")
    read = {name: what for each in (several or [policy]) for name, what in each.inputs.items()}
    in_folder = form == "svg" and _is_folder(file_of(given["output"]))
    check_targets([] if in_folder else named_targets(given["output"]), read)
    found = _explained_together(several, given) if several else _explained(policy, given)
    if not (given["class_texts"] or given["show_people"]):
        _check_few(found)
    if form == "svg":
        _deliver_pictures(found, given["output"], read, animate=given["animate"], quiet=given["quiet"])
    else:
        deliver(_rendered(found, form, given["output"]), given["output"])


def _explained_together(policies: list[Policy], given: dict[str, Any]) -> Explanations:
    """Explain the people of several tables whom facts of all of them leave."""
    from tclose.auditing.database_audit import audit_tables
    from tclose.auditing.explain import explain

    if given["class_texts"]:
        raise click.UsageError("--class names a class of one table; the policy lists several about the same people.")
    with running(given) as settings:
        audit = audit_tables([TableAsked(each) for each in policies], progress=settings.get("progress"))
    return explain(audit, worst=given["worst"] or 1, rule=given["rule"])


def _explained(policy: Policy, given: dict[str, Any]) -> Explanations:
    from tclose.auditing.explain import explain

    roles = policy.roles
    key, attribute = None, None
    if given["class_texts"]:
        others = tuple(roles.sensitive) if roles.together == "quasi" and len(roles.sensitive) > 1 else ()
        key = class_key(given["class_texts"], (*roles.quasi, *others))
        unnamed = [name for name in others if name not in key]
        attribute = unnamed[0] if len(unnamed) == 1 else None
    with running(given) as settings:
        return explain(
            policy,
            attribute=attribute,
            key=key,
            worst=given["worst"] or 1,
            rule=given["rule"],
            **settings,
        )


def _check_few(found: Explanations) -> None:
    """Refuse to show single people whom nobody asked for."""
    for each in found:
        if each.shows_people:
            size = units(each.size, each.unit)
            raise InputError(
                f"The worst class by {each.attribute!r} has {size}: it shows single people. "
                "Ask for it with --show-people, or name the class with --class."
            )


def _rendered(found: Explanations, form: str, target: str | None) -> str:
    if form == "json":
        return found.to_json()
    from tclose.reports.content.explanations import explanation_documents

    return face(form, explanation_documents(found.items), target)


def _is_folder(named: str | None) -> bool:
    """Say whether a name is that of a folder, which need not be there."""
    return named is not None and (named.endswith(("/", os.sep)) or Path(named).is_dir())


def _deliver_pictures(
    found: Explanations, target: str | None, inputs: Mapping[Path, str], *, animate: bool, quiet: bool
) -> None:
    """Write the picture of the moves to one file, or every picture to a folder."""
    from tclose.reports.charts import pictures, playing_pictures

    drawing = playing_pictures if animate else pictures
    named = file_of(target)
    if named is None or not _is_folder(named):
        if len(found) != 1:
            raise click.UsageError(f"{len(found)} explanations have a picture each; write them to a folder: -o FOLDER/")
        deliver(next(iter(drawing(found[0]).values()))(), target)
        return
    folder = Path(named)
    folder.mkdir(parents=True, exist_ok=True)
    drawn: dict[Target, Writer] = {
        target_at(folder / f"{_picture_word(explanation, place, len(found))}-{name}.svg"): text_writer(draw())
        for place, explanation in enumerate(found, start=1)
        for name, draw in drawing(explanation).items()
    }
    commit(drawn, inputs)
    say(f"{len(drawn)} pictures written to {folder}.", quiet=quiet)


def _picture_word(explanation: Explanation, place: int, of: int) -> str:
    word = file_word(explanation.attribute)
    return word if of == 1 else f"{word}-{place}"
