"""The options that commands share, declared once."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from tclose.cli.commands import Option as Listed
from tclose.cli.errors import speak
from tclose.cli.interrupts import time_limit
from tclose.data.labels import named_in_full
from tclose.data.progress import terminal_progress
from tclose.data.sources.database import DatabaseTable, is_database_address, server_of
from tclose.data.sources.source import ReadOptions, SparkSource
from tclose.errors import InputError
from tclose.models.catalogue import MODELS
from tclose.policy.options import Choice, Option, Switch, declared
from tclose.policy.parts import Hierarchies, Resources, SensitiveColumns
from tclose.policy.roles import Roles
from tclose.policy.verbs import ROLES_OF, VERBS

_BEGUN = "tclose.begun"
"""Where a command keeps the moment at which its line was read."""

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

ROLES, READING, OUTPUT, RUNNING = "Roles", "Reading", "Output", "Running"
RELEASE = "Release"


class TableName(click.types.StringParamType):
    """A path, a glob, ``-`` for standard input, the address of a database, or ``example:NAME``."""

    name = "table"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete examples by their names and everything else as files."""
        del ctx, param
        from tclose.data.sources.examples import EXAMPLES

        named = [f"example:{name}" for name in EXAMPLES]
        fitting = [CompletionItem(name) for name in named if incomplete and name.startswith(incomplete)]
        return fitting or [CompletionItem(incomplete, type="file")]


class Seconds(click.FloatRange):
    """A time to wait: more than nothing, and less than a million seconds, which the clocks of systems can count."""

    def __init__(self) -> None:
        super().__init__(0, 10**6, min_open=True, max_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse what is no number too: it is neither below nor above a bound."""
        seconds = super().convert(value, param, ctx)
        return seconds if seconds > 0 else self.fail(f"{value} is no number of seconds.", param, ctx)


def option(*declarations: str, section: str, **settings: Any) -> Decorator:
    """Declare an option under a heading of the help."""
    return click.option(*declarations, cls=Listed, section=section, **settings)


def policy_option(each: Option, **more: Any) -> Decorator:
    """Return an option of a policy as click knows it; its value is read by its kind, and not by click."""
    settings: dict[str, Any] = {"section": each.section, "help": each.help_of_flag, "usual": each.usual, **more}
    if isinstance(each.kind, Switch):
        (flag,) = (flag for flag in each.flags if flag.startswith("--"))
        if not each.kind.negative:
            return option(flag, each.name, is_flag=True, default=None, **settings)
        return option(f"{flag}/--no-{flag[2:]}", each.name, default=None, **settings)
    if isinstance(each.kind, Choice):
        settings["shell_complete"] = _completing(each.kind)
    if each.bare is not None:
        settings |= {"is_flag": False, "flag_value": each.bare}
    metavar = f"[{each.kind.metavar}]" if each.bare is not None else each.kind.metavar
    return option(*each.flags, each.name, metavar=metavar, multiple=each.kind.repeats, **settings)


def _completing(kind: Choice) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    def complete(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
        return [word for word in kind.known() if word.startswith(incomplete)]

    return complete


def together(*decorators: Decorator) -> Decorator:
    """Return decorators as one that adds their options in this order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return functools.reduce(lambda made, decorator: decorator(made), reversed(decorators), function)

    return decorate


reading_options = together(
    *(policy_option(each) for each in declared(ReadOptions).values()),
    option("--table", section=READING, metavar="NAME", help="The table of a database: patients, or clinic.patients."),
    option("--query", section=READING, metavar="SQL", help="A query on a database instead of a table."),
    option(
        "--timeout",
        section=READING,
        metavar="SECONDS",
        type=Seconds(),
        callback=lambda ctx, _, value: ctx.meta.setdefault(_BEGUN, time.monotonic()) and value,
        help="When to give up: after so many seconds of work, or of one statement of a database.",
    ),
)

running_options = together(
    *(policy_option(each) for each in declared(Resources).values()),
    option(
        "--engine",
        section=RUNNING,
        type=click.Choice(["auto", "spark"]),
        help="Who reads TABLE: auto, the engine where it is; or spark, which reads any path it knows.",
    ),
    option("--master", section=RUNNING, metavar="URL", help="With --engine spark: local[*], yarn, spark://host:7077 …"),
    option(
        "--conf",
        section=RUNNING,
        metavar="KEY=VALUE",
        multiple=True,
        help="With --engine spark: a setting of Spark. Repeatable.",
    ),
    option("--quiet", section=RUNNING, is_flag=True, help="No progress and no remarks on standard error."),
    option(
        "--progress",
        "shown_progress",
        section=RUNNING,
        type=click.Choice(["auto", "json"]),
        default="auto",
        help="How far the work is: a line on a terminal; or json, a line of JSON each time on standard error.",
    ),
    option(
        "--log",
        section=RUNNING,
        type=click.Choice(["text", "json"]),
        default="text",
        expose_value=False,
        is_eager=True,
        callback=lambda _context, _option, form: speak(form),
        help="Remarks and errors on standard error as text, or each as an object of JSON.",
    ),
)


def format_option(*formats: str) -> Decorator:
    """Declare ``--format`` with the formats a command can write."""
    return option(
        "--format",
        "form",
        section=OUTPUT,
        usual=True,
        type=click.Choice(formats),
        help="By the ending of -o if left out, else text.",
    )


output_option = option(
    "-o",
    "--output",
    section=OUTPUT,
    usual=True,
    metavar="FILE",
    type=click.Path(),
    help="Write to a file instead of the terminal.",
)


@contextmanager
def within_time(given: Mapping[str, Any]) -> Iterator[None]:
    """Give up when ``--timeout`` is over: its clock runs from when the command line was read, over all blocks."""
    seconds, ctx = given.get("timeout"), click.get_current_context(silent=True)
    begun = None if ctx is None else ctx.meta.get(_BEGUN)
    passed = 0.0 if begun is None else time.monotonic() - begun
    with time_limit(None if seconds is None else max(seconds - passed, 1e-3)):
        yield


@contextmanager
def running(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give a verb what the running options say, and show how far it is."""
    lines = given["shown_progress"] == "json"
    with within_time(given), terminal_progress(quiet=given["quiet"], lines=lines) as report:
        yield {"progress": report}


def table_names(tables: tuple[str, ...], given: Mapping[str, Any], read: ReadOptions) -> Any:
    """Return what is audited: one name, files of one table, what Spark reads, or the table or query of a database."""
    if given.get("engine") == "spark" or given.get("master") or given.get("conf"):
        return _read_by_spark(tables, given, read)
    named = {name: given.get(name) for name in ("table", "query")}
    if len(tables) == 1 and is_database_address(tables[0]):
        return DatabaseTable(tables[0], **named, timeout=given.get("timeout"))
    if any(value is not None for value in named.values()):
        raise click.UsageError("--table and --query go with one address of a database, such as sqlite:PATH.")
    return tables[0] if len(tables) == 1 else [Path(table) for table in tables]


def _read_by_spark(tables: tuple[str, ...], given: Mapping[str, Any], read: ReadOptions) -> SparkSource:
    """Return the table that a Spark session, started for it, reads."""
    if given["engine"] != "spark":
        raise click.UsageError("--master and --conf go with --engine spark.")
    if len(tables) != 1:
        raise click.UsageError("Spark reads one path, which may be a folder or a glob; name just one TABLE.")
    conf = tuple(spark_settings(given["conf"]).items())
    return SparkSource(named_in_full(tables[0]), tables[0], given["master"], conf, read)


def spark_settings(texts: tuple[str, ...]) -> dict[str, str]:
    """Return settings written as ``key=value``.

    Examples
    --------
    >>> spark_settings(("spark.executor.memory=4g", "spark.app.name=a=b"))
    {'spark.executor.memory': '4g', 'spark.app.name': 'a=b'}
    """
    found = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key.strip():
            raise InputError(f"--conf {text!r} is not KEY=VALUE, such as spark.executor.memory=4g.")
        found[key.strip()] = value
    return found


def shown_names(tables: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of tables as they may be shown: an address of a database without user and password."""
    return tuple(server_of(table) if is_database_address(table) else table for table in tables)


def template_option(section: str) -> Decorator:
    """Return the option that replaces the template of a report."""
    return option(
        "--template",
        section=section,
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False),
        help="A Jinja template of your own for the report as HTML.",
    )


# The options of a policy on the command line: made of their declarations, for each verb those that it takes.


SECTIONS = ("Roles", "Requirements", "Compared with", "Measuring", "Attack", "What to sweep", "Release")
"""The sections of the help, in their order."""
USUAL_MODELS = ("k", "l", "t")


def options_of(verb: str) -> dict[str, Option]:
    """Return the options of a policy that the command of a verb takes, by name."""
    roles = declared(Roles)
    found = {name: roles[name] for name in ROLES_OF[verb]}
    found |= declared(SensitiveColumns) | declared(VERBS[verb])
    if "hierarchies" not in found:
        found |= declared(Hierarchies)
    return {name: each for name, each in found.items() if each.command_line and name not in declared(Resources)}


def policy_options(verb: str) -> Decorator:
    """Return the decorator that gives a command the options of its verb."""
    every = options_of(verb)
    listed = sorted(every.values(), key=lambda each: SECTIONS.index(each.section))
    roles = [policy_option(each) for each in listed if each.section == ROLES]
    others = [policy_option(each) for each in listed if each.section != ROLES]
    policy = option(
        "--policy", section=ROLES, metavar="FILE", type=click.Path(), usual=True,
        help="Read roles and requirements from a file; ./tclose.toml by default.",
    )  # fmt: skip
    return together(*roles, policy, *_model_options(verb), *others)


def _model_options(verb: str) -> Iterator[Decorator]:
    """Give an option for each privacy model that a verb can require."""
    if "require" not in declared(VERBS[verb]):
        return
    for key, model in MODELS.items():
        of_attribute = "" if model.scope == "table" else "[NAME=]"
        names = [*([f"-{key}"] if len(key) == 1 else []), f"--{key.replace('_', '-')}", f"require_{key}"]
        yield option(
            *names, section="Requirements", metavar=f"{of_attribute}{','.join(model.form).upper()}", multiple=True,
            usual=key in USUAL_MODELS, help=f"{model.title}, such as {model.example}.",
        )  # fmt: skip
    yield option(
        "--presence", "require_presence", section="Requirements", metavar="LOW,HIGH", multiple=True,
        help="δ-presence between two bounds, such as 0.1,0.5.",
    )  # fmt: skip
