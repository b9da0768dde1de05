"""The command ``tclose`` and what its commands are for."""

from __future__ import annotations

import importlib
import keyword
from collections.abc import Mapping
from typing import Any

import click

from tclose import __version__

# Commands that are imported when they are called, and help that is grouped under headings.


_LAST = "Other"
"""The heading of options that have none of their own; it comes last."""


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own names and are imported only when needed."""

    def __init__(self, package: str, summaries: Mapping[str, str], **options: Any) -> None:
        super().__init__(**options)
        self._package = package
        self._summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order in which they are used."""
        del ctx
        return list(self._summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it."""
        del ctx
        if cmd_name not in self._summaries:
            return None
        module = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        command = importlib.import_module(f"{self._package}.{module}").command
        return command if isinstance(command, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is called, or say which one may have been meant."""
        from tclose.errors import closest

        if args and args[0] not in self._summaries and not args[0].startswith("-"):
            near = closest(args[0], self._summaries)
            hint = f" Did you mean {near!r}?" if near else f" There are {', '.join(self._summaries)}."
            ctx.fail(f"There is no command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from their summaries, without importing them."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self._summaries.items()))


class Option(click.Option):
    """An option that is listed under a heading of the help."""

    def __init__(self, *arguments: Any, section: str = _LAST, usual: bool = False, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.section = section
        self.usual = usual


_EVERY = "tclose.cli.help_all"


def _is_usual(parameter: click.Parameter) -> bool:
    """Say whether the short help lists a parameter: what is no option of ours is always listed."""
    return getattr(parameter, "usual", True)


def _show_everything(ctx: click.Context, parameter: click.Parameter, value: object) -> None:
    """Print the help with every option, and end."""
    del parameter
    if value and not ctx.resilient_parsing:
        ctx.meta[_EVERY] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_HELP_ALL = Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_everything, usual=True,
    help="Show every option and exit.",
)  # fmt: skip


class Command(click.Command):
    """A command whose help lists the usual options under their headings, and with ``--help-all`` every option."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, with ``--help-all`` where there are more options than usual ones."""
        found = super().get_params(ctx)
        return [*found, _HELP_ALL] if any(not _is_usual(each) for each in found) else found

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, heading by heading."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if isinstance(parameter, click.Option) else None
            if record is not None and (ctx.meta.get(_EVERY) or _is_usual(parameter)):
                sections.setdefault(getattr(parameter, "section", _LAST), []).append(record)
        for section, records in sorted(sections.items(), key=lambda item: item[0] == _LAST):
            with formatter.section(section):
                formatter.write_dl(records, col_max=26)


_HELP = """Measure, explain and bound what a table about people gives away.

\b
  tclose audit example:salary --k 3 --t 0.2
  tclose explain example:salary -s salary          shows why, move by move
  tclose anonymize patients.csv -q zip,age -s disease --k 5 --t 0.2 -o out.csv
  tclose profile patients.csv
  tclose profile patients.csv -o tclose.toml       writes a policy to edit
  tclose audit --policy tclose.toml                judges the table it names

\b
Exit codes: 0 every requirement holds, or none was made; 1 one does not hold;
2 usage or input; 3 the engine failed; 130 interrupted.

\b
Shell completion, for bash (likewise zsh and fish):
  eval "$(_TCLOSE_COMPLETE=bash_source tclose)"
"""

COMMANDS = {
    "audit": "Measure a table and judge it by its requirements.",
    "explain": "Show why a class is as far from the table as it is.",
    "anonymize": "Make a release that meets the requirements.",
    "apply": "Make a release again by its recipe.",
    "verify": "Check the file of a release against its certificate.",
    "usefulness": "Say what a release is worth beside its original.",
    "recode": "Recode a table by a recipe, and judge nothing.",
    "sql": "Print an audit as one SQL statement, to run in a warehouse.",
    "attack": "Measure what someone who knows the method learns.",
    "frontier": "Show what each threshold costs with each method.",
    "policy": "Print what is asked of a table, and the origin of every value.",
    "profile": "Say what the columns are and suggest their roles.",
    "decide": "Ask about the columns of a policy that are undecided.",
    "import": "Read a project of ARX as a policy.",
    "serve": "Open a page where a table is understood and repaired.",
    "models": "List the privacy models that an audit knows.",
    "presets": "List the rules that requirements can be named by.",
    "examples": "List the tables that are built in, or write one.",
    "schema": "Print the JSON Schema of reports and of policy files.",
}

commands = LazyGroup("tclose.cli", COMMANDS, name="tclose", help=_HELP, no_args_is_help=True)
click.version_option(__version__, prog_name="tclose", message="%(prog)s %(version)s")(commands)
