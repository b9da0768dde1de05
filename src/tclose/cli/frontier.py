"""``tclose frontier``: what each threshold costs with each method, to choose by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from tclose.cli.commands import Command
from tclose.cli.options import (
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
from tclose.cli.release_choices import recoding_choices
from tclose.cli.release_options import METHOD_WORDS, recoding_options
from tclose.cli.request import Request, request_of
from tclose.cli.requirement_options import requirement_options
from tclose.exact import Number
from tclose.frontiers import Frontier
from tclose.models.catalogue import MODELS

_HELP = """Try several thresholds with several methods, and show what each release of
TABLE would cost. Nothing is released.

\b
  tclose frontier patients.csv -q zip,age -s disease --k 5
  tclose frontier patients.csv -q zip,age -s pay --values 0.1,0.2,0.3 -o t.svg
  tclose frontier patients.csv -q zip,age -s pay --sweep k --values 2,5,10
  tclose frontier --policy tclose.toml --methods gather,mondrian --format csv

What is required besides the swept threshold holds for every release.
"""
_FORMATS = ("text", "json", "html", "markdown", "svg", "csv")
_SWEEP = "What to sweep"

_sweep_options = together(
    option(
        "--sweep",
        section=_SWEEP,
        metavar="MODEL",
        default="t",
        show_default=True,
        help="The model whose threshold is swept: one that takes one number.",
    ),
    option("--values", section=_SWEEP, metavar="N,N,…", help="The thresholds; a usual range of t or k if left out."),
    option(
        "--methods",
        section=_SWEEP,
        metavar="METHOD,…",
        help=f"The methods to compare, of {', '.join(METHOD_WORDS)}.",
    ),
)


@click.command("frontier", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@_sweep_options
@recoded_role_options
@requirement_options
@recoding_options
@format_option(*_FORMATS)
@output_option
@reading_options
@running_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> None:
    """Show what each threshold costs with each method."""
    form = format_for(given["output"], given["form"], _FORMATS)
    what = request_of(tables, given)
    check_targets(named_targets(given["output"]), what.inputs)
    from tclose.sweeping import USUAL_METHODS

    methods = _parts(given["methods"]) if given["methods"] else USUAL_METHODS
    values = _parts(given["values"]) if given["values"] else None
    found = swept(what, given, sweep=_sweep(given["sweep"]), values=values, methods=methods)
    deliver(_rendered(found, form, given["output"]), given["output"])


def swept(
    what: Request, given: Mapping[str, Any], *, sweep: str, values: Sequence[Number] | None, methods: Sequence[str]
) -> Frontier:
    """Return what releases cost of what was asked, with other thresholds of one model.

    Parameters
    ----------
    what, given
        What was asked, and the options that say what the engine may use.
    sweep, values, methods
        As for :func:`tclose.frontier`.
    """
    from tclose.sweeping import frontier

    policy = what.policy
    with running(given) as settings:
        return frontier(
            what.table,
            policy.roles,
            sweep=sweep,
            values=values,
            methods=methods,
            require=policy.requirements(),
            any=policy.any,
            **recoding_choices(policy),
            **settings,
        )


def _sweep(text: str) -> str:
    """Return the key of a model, however it is spelt."""
    key = text.strip().replace("-", "_")
    return key if key in MODELS else text


def _parts(text: str) -> list[str]:
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _rendered(found: Frontier, form: str, target: str | None) -> str:
    if form == "json":
        from tclose.render.data.json import json_text

        return json_text(found.to_dict())
    if form == "csv":
        from tclose.render.data.frontiers import frontier_csv

        return frontier_csv(found)
    if form == "svg":
        return found.to_svg()
    from tclose.render.telling.frontiers import frontier_document

    return face(form, [frontier_document(found)], target)
