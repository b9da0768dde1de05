"""The options that commands share, declared once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from tclose.cli.commands import Option
from tclose.cli.interrupts import time_limit
from tclose.cli.messages import speak
from tclose.errors import InputError
from tclose.labels import named_in_full
from tclose.progress import terminal_progress
from tclose.sources.database import DatabaseTable, is_database_address, server_of
from tclose.sources.source import FORMATS, ReadOptions, SparkSource

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

ROLES, MEASURING, READING, OUTPUT, RUNNING = "Roles", "Measuring", "Reading", "Output", "Running"
RELEASE = "Release"


class TableName(click.types.StringParamType):
    """A path, a glob, ``-`` for standard input, the address of a database, or ``example:NAME``."""

    name = "table"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete examples by their names and everything else as files."""
        del ctx, param
        from tclose.sources.examples import EXAMPLES

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
    return click.option(*declarations, cls=Option, section=section, **settings)


def together(*decorators: Decorator) -> Decorator:
    """Return decorators as one that adds their options in this order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return functools.reduce(lambda made, decorator: decorator(made), reversed(decorators), function)

    return decorate


order_option = option(
    "--order",
    section=ROLES,
    metavar="NAME=ORDER",
    multiple=True,
    help="The order of a sensitive attribute: value, frequency, or its values a,b,c.",
)

_column_options = together(
    option(
        "-q",
        "--quasi",
        section=ROLES,
        metavar="COLUMN",
        multiple=True,
        help="A quasi-identifier: what others may know of a person. Repeatable, or a list with commas.",
    ),
    option(
        "-s",
        "--sensitive",
        section=ROLES,
        metavar="NAME[:DISTANCE]",
        multiple=True,
        help="A sensitive attribute; its distance is ordered, numeric, nominal or hierarchical. Repeatable.",
    ),
    option(
        "-i",
        "--identifier",
        section=ROLES,
        metavar="COLUMN",
        multiple=True,
        help="A column that names a person outright. Repeatable.",
    ),
    option(
        "--person",
        section=ROLES,
        metavar="COLUMN",
        help="The column that tells people apart, where a person may have several rows: people are counted, not rows.",
    ),
    option("--rows", section=ROLES, is_flag=True, help="Count rows, though the policy names a person."),
    option(
        "--publish",
        section=ROLES,
        metavar="COLUMN|all",
        multiple=True,
        help="A column to publish as it is, without protection; all: every column without a role. Repeatable.",
    ),
    option(
        "--together",
        section=ROLES,
        type=click.Choice(["each", "quasi", "joint"]),
        help="Several sensitive attributes: each alone, the others as quasi-identifiers, or as one.",
    ),
    order_option,
    option(
        "--round",
        section=ROLES,
        metavar="NAME=STEP",
        multiple=True,
        help="Round a sensitive number to multiples of a step, such as 1000 or 0.5, before it is measured; a release "
        "has the rounded numbers. none: not, though the policy says so.",
    ),
)

null_and_policy_options = together(
    option(
        "--nulls",
        section=ROLES,
        metavar="NAME=MEANING",
        multiple=True,
        help="What a missing value means: drop, first, last, category or error.",
    ),
    option(
        "--policy",
        section=ROLES,
        metavar="FILE",
        type=click.Path(),
        help="Roles and requirements from a file, which other options override. "
        "Without -q and -s, ./tclose.toml is taken by itself.",
    ),
)

role_options = together(
    _column_options,
    option(
        "--hierarchy",
        section=ROLES,
        metavar="NAME=FILE",
        multiple=True,
        help="The hierarchy of a sensitive attribute, which makes it hierarchical.",
    ),
    null_and_policy_options,
)

recoded_role_options = together(
    _column_options,
    option(
        "--hierarchy",
        section=ROLES,
        metavar="NAME=HIERARCHY",
        multiple=True,
        help="How a quasi-identifier is generalised: a file, or words such as mask, flat or intervals:5,10. "
        "Of a sensitive attribute, a file, which makes it hierarchical.",
    ),
    null_and_policy_options,
)

reference_option = option(
    "--reference",
    section=MEASURING,
    metavar="TABLE",
    help="Compare classes with this table's distribution instead of the audited one's.",
)

reading_options = together(
    option("--delimiter", section=READING, metavar="CHAR", help="Between two cells: one character, or 'tab'."),
    option("--quote", section=READING, metavar="CHAR", help="Around cells; '' for none."),
    option("--encoding", section=READING, metavar="NAME", help="Such as utf-8 or windows-1252."),
    option("--decimal", section=READING, type=click.Choice([".", ","]), help="The decimal mark."),
    option(
        "--header/--no-header",
        section=READING,
        default=None,
        help="Whether the first line names the columns.",
    ),
    option("--sheet", section=READING, metavar="NAME", help="The sheet of a workbook, by name or number."),
    option(
        "--null",
        "null_text",
        section=READING,
        metavar="TEXT",
        multiple=True,
        help="A text that stands for a missing value, besides the empty one; repeatable.",
    ),
    option(
        "--input-format",
        "input_format",
        section=READING,
        type=click.Choice(FORMATS),
        metavar="FORMAT",
        help=f"One of {', '.join(FORMATS)}; found by itself if left out.",
    ),
    option(
        "--unpacked",
        section=READING,
        metavar="SIZE",
        help="The most that a compressed file may unpack to, such as 200GB; 64GB if left out.",
    ),
    option("--table", section=READING, metavar="NAME", help="The table of a database: patients, or clinic.patients."),
    option("--query", section=READING, metavar="SQL", help="A query on a database instead of a table."),
    option(
        "--timeout",
        section=READING,
        metavar="SECONDS",
        type=Seconds(),
        help="When to give up: after so many seconds of work, or of one statement of a database.",
    ),
)

running_options = together(
    option("--memory", section=RUNNING, metavar="SIZE", help="The most memory to use, such as 4GB."),
    option("--threads", section=RUNNING, type=click.IntRange(1), metavar="N", help="How many threads to use."),
    option(
        "--temp",
        section=RUNNING,
        metavar="FOLDER",
        help="Where to put what does not fit into memory.",
        type=click.Path(file_okay=False, exists=True),
    ),
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
        type=click.Choice(formats),
        help="By the ending of -o if left out, else text.",
    )


output_option = option(
    "-o",
    "--output",
    section=OUTPUT,
    metavar="FILE",
    type=click.Path(),
    help="Write to a file instead of the terminal.",
)


def read_options(given: Mapping[str, Any], usual: ReadOptions | None = None) -> ReadOptions:
    """Return how files are to be read: as the command line says, else as usual."""
    usual = usual or ReadOptions()
    names = ("delimiter", "quote", "encoding", "decimal", "header", "unpacked")
    chosen = {name: getattr(usual, name) if given[name] is None else given[name] for name in names}
    sheet = given["sheet"]
    return ReadOptions(
        **chosen,
        null_text=("", *given["null_text"]) if given["null_text"] else usual.null_text,
        sheet=int(sheet) if sheet and sheet.isdecimal() and len(sheet) < 10 else sheet or usual.sheet,
        format=given["input_format"] or usual.format,
    )


@contextmanager
def running(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give a verb what the running options say, and show how far it is."""
    lines = given["shown_progress"] == "json"
    with time_limit(given["timeout"]), terminal_progress(quiet=given["quiet"], lines=lines) as report:
        yield {"memory": given["memory"], "threads": given["threads"], "temp": given["temp"], "progress": report}


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
