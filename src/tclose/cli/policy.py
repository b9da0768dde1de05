"""``tclose policy``: the policy that a command line stands for, with the origin of every value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from tclose.cli.commands import Command
from tclose.cli.options import TableName, format_option, output_option, policy_options, reading_options
from tclose.cli.output import check_targets, deliver, format_for, named_targets
from tclose.cli.question import policy_of_command
from tclose.policy.options import Option
from tclose.policy.policy import Policy

_HELP = """Print the policy that a command line stands for: every option with its value,
and where the value comes from: the command line, a policy file, a preset, an
example, or the default. Other commands take the same options.

\b
  tclose policy patients.csv -q zip,age -s pay --k 5 --preset ema-0070
  tclose policy --policy tclose.toml --suppress 0.02
  tclose policy --policy tclose.toml --format json
"""
_FORMATS = ("text", "json", "toml")
_WIDEST = 60
"""So wide are columns of text at most."""


@click.command("policy", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@policy_options("policy")
@format_option(*_FORMATS)
@output_option
@reading_options
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> None:
    """Print a policy and the origin of every value."""
    form = format_for(given["output"], given["form"], _FORMATS)
    policy = policy_of_command(tables, given, "policy")
    check_targets(named_targets(given["output"]), policy.inputs)
    deliver(_rendered(policy, form), given["output"])


def _rendered(policy: Policy, form: str) -> str:
    from tclose.policy.writing import policy_text

    if form == "toml":
        return policy_text(policy)
    rows = list(_rows(policy))
    if form == "json":
        from tclose.policy.policy import VERSION
        from tclose.reports.machine_readable.audits import json_text

        return json_text(
            {"version": VERSION, "policy": [dict(zip(("option", "value", "origin"), row, strict=True)) for row in rows]}
        )
    widths = [min(_WIDEST, max(len(row[at]) for row in rows)) for at in range(2)]
    return "\n".join(f"{name:{widths[0]}}  {value:{widths[1]}}  {origin}".rstrip() for name, value, origin in rows)


def _rows(policy: Policy) -> Iterator[tuple[str, str, str]]:
    """Give the name, the value and the origin of everything that a policy says."""
    from tclose.policy.policy import every_option, parts_of
    from tclose.policy.writing import columns_toml, named_table

    usual = Policy()
    file = policy.file or ""
    yield "table", named_table(policy.table), policy.origins.get("table", file)
    for name, said in columns_toml(policy).items():
        yield f"columns.{name}", said, policy.origins.get("roles", file)
    for requirement in policy.requirements():
        yield _required(policy, requirement)
    for name, each in every_option().items():
        part = next(part for part, made in parts_of(Policy).items() if hasattr(getattr(usual, part), name))
        value = getattr(getattr(policy, part), name)
        if name not in ("require", "preset") and part != "columns":
            default = value == getattr(getattr(usual, part), name)
            yield name, _shown(each, value), policy.origins.get(name, "default" if default else file)


def _required(policy: Policy, requirement: Any) -> tuple[str, str, str]:
    key = requirement.model.key
    of = "" if requirement.attribute is None else f".{requirement.attribute}"
    own = key in policy.thresholds
    origin = policy.origins.get(f"require_{key}", policy.file or "") if own else f"preset {policy.required.preset}"
    return f"{key}{of}", requirement.text, origin


def _shown(each: Option, value: object) -> str:
    from tclose.policy.writing import option_toml

    return "" if value is None else option_toml(each, value)
