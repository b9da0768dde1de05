"""``tclose attack``: what someone who knows the method learns from a release, beside a control group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tclose.cli.commands import Command
from tclose.cli.failures import FAILS, HOLDS
from tclose.cli.options import (
    OUTPUT,
    TableName,
    format_option,
    option,
    output_option,
    reading_options,
    recoded_role_options,
    running,
    running_options,
    together,
)
from tclose.cli.output import check_targets, deliver, face, format_for, named_targets
from tclose.cli.release_choices import search_choices
from tclose.cli.release_options import recoding_options, search_options
from tclose.cli.request import Request, request_of, usual_policy
from tclose.cli.requirement_options import requirement_options
from tclose.sources import files_read

if TYPE_CHECKING:
    from tclose.attacks.findings import Attack

_HELP = """Attack a release of TABLE as someone would who knows how it is made. The table is
divided at random, one half is released as 'tclose anonymize' would, and each
attacker concludes what people's sensitive values are: of those who are in it,
and of those in the other half who look like them. Nothing is released.

\b
  tclose attack patients.csv -q zip,age -s disease --k 5 --t 0.2
  tclose attack patients.csv -q zip,age -s disease --k 5 --t 0.2 --gain 0.01
  tclose attack --policy tclose.toml --divisions 5 -o attack.html
  tclose attack --release out.csv --original all.csv -q zip,age -s disease

With --release a release that exists is attacked, of any tool: its cells are
read as values, intervals, sets and masks of the original, or by --hierarchy.
A claim is a value that an attacker takes for likelier than its share in the
table by more than t. The gain is the share of all people about whom a claim is
right because they are in the release.

\b
Exit codes: 0 no gain is above --gain, or none was given; 1 one is, upper ends
of intervals counted; 2 usage or input; 3 the engine failed.
"""
_FORMATS = ("text", "json", "html", "markdown", "svg")
_ATTACK = "Attack"

_attack_options = together(
    option(
        "--attackers",
        section=_ATTACK,
        metavar="NAME,…",
        help="The attackers to try, of reader, register, method, method-share, model, method-model, finer, corrupted "
        "and two-releases; all that apply if left out.",
    ),
    option(
        "--gain",
        section=_ATTACK,
        metavar="SHARE",
        help="The largest gain that an attacker may have, such as 0.01.",
    ),
    option(
        "--divisions",
        section=_ATTACK,
        metavar="N",
        type=click.IntRange(1, 100),
        help="How often half of the table is released; the two halves of a random division take turns; 2 if left out.",
    ),
    option(
        "--release",
        "existing",
        section=_ATTACK,
        metavar="FILE",
        help="Attack a release that exists, of TABLE or of --original; nothing is divided or released.",
    ),
    option("--original", section=_ATTACK, metavar="TABLE", help="The table that --release was made of."),
    option(
        "--previous",
        section=_ATTACK,
        metavar="FILE",
        multiple=True,
        help="With --release: another release about the same people, for whoever has both. Repeatable.",
    ),
    option(
        "--twice",
        section=_ATTACK,
        is_flag=True,
        help="Release each half twice, for the attacker who has both releases.",
    ),
    option(
        "--show-people",
        section=OUTPUT,
        is_flag=True,
        help="Tell of groups of fewer than k, and fewer than 5, apart from others: they show single people.",
    ),
)


@click.command("attack", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@_attack_options
@recoded_role_options
@requirement_options
@search_options
@recoding_options
@format_option(*_FORMATS)
@output_option
@reading_options
@running_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> int:
    """Attack a release of a table."""
    form = format_for(given["output"], given["form"], _FORMATS)
    what = request_of(_original(tables, given), given)
    read = {path: "a release" for name in _releases(given) for path in files_read(name)}
    check_targets(named_targets(given["output"]), {**what.inputs, **read})
    found = _attacked(what, given)
    found = found.with_people() if given["show_people"] else found
    deliver(_rendered(found, form, given["output"]), given["output"])
    return FAILS if found.holds is False else HOLDS


def _original(tables: tuple[str, ...], given: dict[str, Any]) -> tuple[str, ...]:
    """Return the table: as it is named, or by ``--original``."""
    if given["original"] is None:
        if given["existing"] is not None and not (tables or given["policy"] or usual_policy(tables, given)):
            raise click.UsageError("--release needs the table that it was made of: name it with --original TABLE.")
        return tables
    if tables:
        raise click.UsageError("Name the original once: as TABLE, or with --original.")
    if given["existing"] is None:
        raise click.UsageError("--original goes with --release FILE; a table that is to be divided is named as TABLE.")
    return (given["original"],)


def _releases(given: dict[str, Any]) -> list[str]:
    """Return the releases that are read."""
    return [name for name in (given["existing"], *given["previous"]) if name is not None]


def _attacked(what: Request, given: dict[str, Any]) -> Attack:
    from tclose.attacking import USUAL_DIVISIONS, attack

    policy = what.policy
    with running(given) as settings:
        return attack(
            what.table,
            policy.roles,
            require=policy.requirements() or None,
            attackers=_names(given["attackers"]),
            gain=given["gain"] or policy.gain,
            divisions=given["divisions"] or USUAL_DIVISIONS,
            twice=given["twice"],
            release=given["existing"],
            previous=given["previous"],
            **search_choices(policy),
            **settings,
        )


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def _rendered(found: Attack, form: str, target: str | None) -> str:
    if form == "json":
        return found.to_json()
    if form == "svg":
        return found.to_svg()
    from tclose.render.telling.attacks import attack_document

    return face(form, [attack_document(found)], target)
