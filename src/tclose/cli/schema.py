"""``tclose schema``: the JSON Schema of an audit, an explanation or a release."""

from __future__ import annotations

import click

from tclose.cli.lazy import Command
from tclose.cli.output import deliver

_COMMANDS = ("audit", "explain", "anonymize")


@click.command("schema", cls=Command)
@click.argument(
    "of", metavar="[audit|explain|anonymize]", type=click.Choice(["audit", "explain", "anonymize"]), default="audit"
)
@click.help_option()
def command(of: str) -> None:
    """Print the JSON Schema of what a command writes with '--format json'."""
    if of == "explain":
        from tclose.render.explanation_json import explanation_schema_text

        deliver(explanation_schema_text(), None)
        return
    if of == "anonymize":
        from tclose.render.release_json import release_schema_text

        deliver(release_schema_text(), None)
        return
    from tclose.render.json import schema_text

    deliver(schema_text(), None)
