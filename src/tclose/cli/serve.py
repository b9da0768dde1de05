"""``tclose serve``: the page, on this machine only."""

from __future__ import annotations

import importlib.util
import webbrowser
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tclose.cli.commands import Command
from tclose.cli.errors import HOLDS, say
from tclose.cli.options import RUNNING, TableName, option, policy_options, reading_options, table_names, together
from tclose.errors import EngineNotInstalledError

if TYPE_CHECKING:
    from tclose.web.workspace import Named

_HELP = """Open a page in the browser where TABLE is understood and repaired.

\b
  tclose serve patients.csv
  tclose serve patients.csv -q zip,age -s salary:ordered --k 5 --t 0.2
  tclose serve                              examples, or a file to choose

The page is served to this machine only, by a process that ends with Ctrl-C.
Its address holds a token without which nothing is answered. Files that are
uploaded lie in a private folder that is removed at the end. Nothing is sent
to anybody.
"""


@click.command("serve", cls=Command, help=_HELP)
@click.argument("tables", metavar="[TABLE]...", nargs=-1, type=TableName())
@policy_options("serve")
@reading_options
@together(
    option(
        "--port",
        section=RUNNING,
        metavar="N",
        type=click.IntRange(0, 65535),
        default=0,
        help="The port; any that is free if left out.",
    ),
    option("--no-browser", section=RUNNING, is_flag=True, help="Only print the address; open no browser."),
    option("--quiet", section=RUNNING, is_flag=True, help="Print the address and nothing else."),
)
@click.help_option()
def command(tables: tuple[str, ...], **given: Any) -> int:
    """Serve the page."""
    for package in ("starlette", "uvicorn"):
        if importlib.util.find_spec(package) is None:
            raise EngineNotInstalledError("The page", package, "web")
    from tclose.web.server import serve

    named = _named(tables, given)
    try:
        serve(named, port=given["port"], ready=lambda address, way: _announce(address, way, given))
    except KeyboardInterrupt:
        say("Closed; what was uploaded is removed.", quiet=given["quiet"])
    return HOLDS


def _announce(address: str, way: Path, given: Mapping[str, Any]) -> None:
    click.echo(address)
    say("Ctrl-C ends the server.", quiet=given["quiet"])
    if not given["no_browser"]:
        webbrowser.open(way.as_uri())


def _named(tables: tuple[str, ...], given: Mapping[str, Any]) -> Named | None:
    """Return the table that was named and what was asked of it; where no roles are named, the page suggests some."""
    from tclose.cli.question import POLICY_FILE, policy_of_command, read_options
    from tclose.data.sources import DatabaseTable, locate
    from tclose.data.sources.database import is_database_address, server_of
    from tclose.policy.policy import Policy
    from tclose.web.workspace import Named

    if given["timeout"] is not None and not (len(tables) == 1 and is_database_address(tables[0])):
        raise click.UsageError("--timeout goes with an address of a database here; other work you stop on the page.")
    if "-" in tables:
        raise click.UsageError("Standard input can be read only once, and a page reads often; name a file.")
    is_example = len(tables) == 1 and tables[0].startswith("example:")
    roles_named = given["policy"] or given["quasi"] or given["sensitive"] or is_example
    if roles_named or Path(POLICY_FILE).is_file():
        policy = policy_of_command(tables, given, "serve")
        return Named(policy.table, locate(policy.table).label, policy, roles_known=True)
    if not tables:
        return None
    from tclose.engines.dispatch import column_names, database_tables

    read = read_options(given)
    if (
        len(tables) == 1
        and is_database_address(tables[0])
        and not ("#" in tables[0] or given.get("table") or given.get("query"))
    ):
        database_tables(tables[0])
        return Named(None, server_of(tables[0]), Policy(read=read), roles_known=False, database=tables[0])
    table = table_names(tables, given, read)
    column_names(table, read=read)
    named = table.address if isinstance(table, DatabaseTable) else tables[0]
    policy = Policy(table=named if len(tables) == 1 else None, read=read)
    return Named(table, locate(table).label, policy, roles_known=False)
