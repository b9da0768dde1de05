"""``tclose schema``: the JSON Schema of what a command writes as JSON, of a certificate, or of a policy file."""

from __future__ import annotations

import click

from tclose.cli.commands import Command
from tclose.cli.output import deliver

_COMMANDS = ("audit", "explain", "anonymize", "attack", "certificate", "verify", "usefulness", "policy")


@click.command("schema", cls=Command)
@click.argument("of", metavar=f"[{'|'.join(_COMMANDS)}]", type=click.Choice(_COMMANDS), default="audit")
@click.help_option()
def command(of: str) -> None:
    """Print the JSON Schema of what a command writes with '--format json', of a certificate or of a policy file."""
    if of == "policy":
        from tclose.policy.schema import policy_schema
        from tclose.render.data.json import json_text

        deliver(json_text(policy_schema()), None)
        return
    if of == "explain":
        from tclose.render.data.explanations import explanation_schema_text

        deliver(explanation_schema_text(), None)
        return
    if of == "anonymize":
        from tclose.render.data.releases import release_schema_text

        deliver(release_schema_text(), None)
        return
    if of == "certificate":
        from tclose.certificates import certificate_schema_text

        deliver(certificate_schema_text(), None)
        return
    if of == "verify":
        from tclose.render.data.verifications import verification_schema_text

        deliver(verification_schema_text(), None)
        return
    if of == "usefulness":
        from tclose.render.data.scores import scores_schema_text

        deliver(scores_schema_text(), None)
        return
    if of == "attack":
        from tclose.render.data.attacks import attack_schema_text

        deliver(attack_schema_text(), None)
        return
    from tclose.render.data.json import schema_text

    deliver(schema_text(), None)
