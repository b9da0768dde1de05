"""``tclose schema``: the JSON Schema of an audit or an explanation."""

from __future__ import annotations

import click

from tclose.cli.lazy import Command
from tclose.cli.output import deliver


@click.command("schema", cls=Command)
@click.argument("of", metavar="[audit|explain]", type=click.Choice(["audit", "explain"]), default="audit")
@click.help_option()
def command(of: str) -> None:
    """Print the JSON Schema of what a command writes with '--format json'."""
    if of == "explain":
        from tclose.render.explanation_json import explanation_schema_text

        deliver(explanation_schema_text(), None)
        return
    from tclose.render.json import schema_text

    deliver(schema_text(), None)
