"""``tclose decide``: the open questions of a policy file, one by one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from tclose.cli.commands import Command
from tclose.cli.errors import FAILS, HOLDS, say
from tclose.cli.options import OUTPUT, RUNNING, option
from tclose.cli.output import commit, text_writer
from tclose.data.targets import target_at
from tclose.data.text_encoding import visible
from tclose.errors import InputError, TcloseError
from tclose.policy.files import read_policy

if TYPE_CHECKING:
    from tclose.models.value_order import Observed
    from tclose.policy.decide import Decisions, Question
    from tclose.policy.profiling.role_suggestions import Role

_HELP = """Ask about each column of a policy that is still undecided, and write the answers
into the file. Comments stay. Stop at any time and go on later.

\b
  tclose profile patients.csv -o tclose.toml
  tclose decide tclose.toml
  tclose decide tclose.toml --set ward=quasi-identifier --set note=remove

No value of the table is shown unless you ask for it.
"""
_ROLES = {
    "q": ("quasi-identifier", "others may know it about a person"),
    "s": ("sensitive", "it is to be protected"),
    "i": ("identifier", "it identifies a person directly: removed"),
    "p": ("person", "it identifies people, who may have several rows"),
    "r": ("remove", "not needed: removed"),
    "u": ("publish", "harmless: published as it is"),
}
_COMMANDS = {"v": "show its most frequent values", "b": "back", "n": "not now", "x": "stop"}
_SHOWN = 8
"""So many values are shown."""


@click.command("decide", cls=Command, help=_HELP)
@click.argument("policy", metavar="[POLICY]", type=click.Path(), default="tclose.toml")
@option(
    "--set", "answers", section=OUTPUT, usual=True, metavar="COLUMN=ROLE", multiple=True,
    help="Decide without being asked. Repeatable.",
)  # fmt: skip
@option("--quiet", section=RUNNING, is_flag=True, help="No remarks on standard error.")
@click.help_option()
def command(policy: str, answers: tuple[str, ...], **given: Any) -> int:
    """Decide on the columns of a policy."""
    from tclose.policy.decide import Decisions

    decisions = Decisions(Path(policy))
    for answer in answers:
        column, sign, role = answer.rpartition("=")
        if not sign:
            raise click.UsageError(f"--set takes COLUMN=ROLE, not {answer!r}.")
        _decide(decisions, column, role.strip())
    if answers:
        _save(decisions)
    else:
        _ask(decisions)
    left = decisions.open
    if left:
        say(f"Still undecided: {', '.join(visible(each.column) for each in left)}.", quiet=given["quiet"])
    else:
        say(f"Every column is decided. tclose anonymize --policy {policy}", quiet=given["quiet"])
    return FAILS if left else HOLDS


def _decide(decisions: Decisions, column: str, role: str) -> None:
    """Give a column a role; a hierarchy, a distance and thresholds to start from come from its values."""
    settings = None
    policy = read_policy(decisions.path)
    if role in ("quasi-identifier", "sensitive") and policy.table is not None:
        from tclose.policy.profiling.profile import profile_as
        from tclose.policy.writing import columns_toml

        try:
            found = profile_as(policy.table, column, cast("Role", role), read=policy.read)
            settings = columns_toml(found.policy())[column]
        except TcloseError:  # a table that is not here, or a column that it lacks: the role is decided all the same
            settings = None
    decisions.decide(column, role, settings)


def _values(path: Path, column: str) -> Observed | None:
    """Return the values of a column of the policy's table; None where it names none that can be read."""
    from tclose.engines.dispatch import working_session

    policy = read_policy(path)
    if policy.table is None:
        return None
    try:
        with working_session(policy.table, read=policy.read) as session:
            return session.values(session.open(policy.table).keep([column]), (column,))
    except TcloseError:
        return None


def _save(decisions: Decisions) -> None:
    commit({target_at(decisions.path): text_writer(decisions.text())}, {})


def _ask(decisions: Decisions) -> None:
    """Ask about every open column; each answer is written at once."""
    asked = decisions.open
    at = 0
    while at < len(asked):
        step = _answered(decisions, asked[at], f"{at + 1} of {len(asked)}")
        if step is None:
            return
        at = max(0, at + step)


def _answered(decisions: Decisions, question: Question, place: str) -> int | None:
    """Ask about a column until it is answered; return how many questions to go on, None to stop."""
    click.echo(f"\n{place}: {visible(question.column)}\n{visible(question.reason)}")
    for key, (role, meaning) in _ROLES.items():
        click.echo(f"  {key}  {role:<17} {meaning}")
    click.echo("  " + ", ".join(f"{key} {meaning}" for key, meaning in _COMMANDS.items()))
    while True:
        click.echo("> ", nl=False)
        line = sys.stdin.readline()
        answer = line.strip().lower()
        if not line or answer == "x":
            return None
        if answer in ("b", "n"):
            return -1 if answer == "b" else 1
        if answer == "v":
            _show_values(decisions.path, question.column)
        elif answer in _ROLES:
            before = question.column, "undecided"
            _decide(decisions, question.column, _ROLES[answer][0])
            try:
                _save(decisions)
            except InputError as problem:
                decisions.decide(*before)
                click.echo(visible(str(problem)))
                continue
            return 1
        else:
            click.echo(f"Type one of {', '.join((*_ROLES, *_COMMANDS))}.")


def _show_values(path: Path, column: str) -> None:
    """Show the most frequent values of a column: somebody asked for them."""
    seen = _values(path, column)
    if seen is None:
        click.echo("The policy names no table that can be read ([table] source = …).")
        return
    ranked = sorted(zip(seen.counts.tolist(), seen.listed, strict=True), key=lambda each: -each[0])
    for count, value in ranked[:_SHOWN]:
        click.echo(f"  {count:>10,}  {'(missing)' if value is None else visible(str(value))}")
    if len(ranked) > _SHOWN:
        click.echo(f"  and {len(ranked) - _SHOWN:,} other values")
