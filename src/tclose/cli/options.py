"""The options that commands share, declared once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from tclose.cli.lazy import Option
from tclose.cli.progress import progress
from tclose.sources.database import DatabaseTable, is_database_address, server_of
from tclose.sources.source import FORMATS, ReadOptions

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


def option(*declarations: str, section: str, **settings: Any) -> Decorator:
    """Declare an option under a heading of the help."""
    return click.option(*declarations, cls=Option, section=section, **settings)


def together(*decorators: Decorator) -> Decorator:
    """Return decorators as one that adds their options in this order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return functools.reduce(lambda made, decorator: decorator(made), reversed(decorators), function)

    return decorate


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
        "--together",
        section=ROLES,
        type=click.Choice(["each", "quasi", "joint"]),
        help="Several sensitive attributes: each alone, the others as quasi-identifiers, or as one.",
    ),
    option(
        "--order",
        section=ROLES,
        metavar="NAME=ORDER",
        multiple=True,
        help="The order of a sensitive attribute: value, frequency, or its values a,b,c.",
    ),
)

_null_and_policy_options = together(
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
    _null_and_policy_options,
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
    _null_and_policy_options,
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
    option("--table", section=READING, metavar="NAME", help="The table of a database: patients, or clinic.patients."),
    option("--query", section=READING, metavar="SQL", help="A query on a database instead of a table."),
    option(
        "--timeout",
        section=READING,
        metavar="SECONDS",
        type=click.FloatRange(0, min_open=True),
        help="When a database is to give up on a statement.",
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
    names = ("delimiter", "quote", "encoding", "decimal", "header")
    chosen = {name: getattr(usual, name) if given[name] is None else given[name] for name in names}
    sheet = given["sheet"]
    return ReadOptions(
        **chosen,
        null_text=("", *given["null_text"]) if given["null_text"] else usual.null_text,
        sheet=int(sheet) if sheet and sheet.isdecimal() else sheet or usual.sheet,
        format=given["input_format"] or usual.format,
    )


@contextmanager
def running(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give a verb what the running options say, and show how far it is."""
    with progress(quiet=given["quiet"]) as report:
        yield {"memory": given["memory"], "threads": given["threads"], "temp": given["temp"], "progress": report}


def table_names(tables: tuple[str, ...], given: Mapping[str, Any] | None = None) -> Any:
    """Return what is audited: one name, the files of one table, a Spark frame, or the table or query of a database."""
    if given and (given.get("engine") == "spark" or given.get("master") or given.get("conf")):
        return _spark_frame(tables, given)
    named = {name: (given or {}).get(name) for name in ("table", "query", "timeout")}
    if len(tables) == 1 and is_database_address(tables[0]):
        return DatabaseTable(tables[0], **named)
    if any(value is not None for value in named.values()):
        raise click.UsageError("--table, --query and --timeout go with one address of a database, such as sqlite:PATH.")
    return tables[0] if len(tables) == 1 else [Path(table) for table in tables]


def _spark_frame(tables: tuple[str, ...], given: Mapping[str, Any]) -> Any:
    """Return the table that a Spark session, started for it, reads."""
    if given["engine"] != "spark":
        raise click.UsageError("--master and --conf go with --engine spark.")
    if len(tables) != 1:
        raise click.UsageError("Spark reads one path, which may be a folder or a glob; name just one TABLE.")
    from tclose.engines.spark.starting import read_table, settings

    return read_table(tables[0], given["master"], tuple(settings(given["conf"]).items()))


def shown_names(tables: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of tables as they may be shown: an address of a database without user and password."""
    return tuple(server_of(table) if is_database_address(table) else table for table in tables)
