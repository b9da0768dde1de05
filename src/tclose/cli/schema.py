"""``tclose schema``: the JSON Schema of an audit."""

from __future__ import annotations

import click

from tclose.cli.lazy import Command
from tclose.cli.output import deliver


@click.command("schema", cls=Command)
@click.help_option()
def command() -> None:
    """Print the JSON Schema of what 'tclose audit --format json' writes."""
    from tclose.render.json import schema_text

    deliver(schema_text(), None)
