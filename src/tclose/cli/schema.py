"""``tclose schema``: the JSON Schema of what a command writes as JSON, of a certificate, or of a policy file."""

from __future__ import annotations

import click

from tclose.cli.commands import Command
from tclose.cli.output import deliver

_COMMANDS = ("audit", "database", "explain", "anonymize", "attack", "certificate", "verify", "usefulness", "policy")


@click.command("schema", cls=Command)
@click.argument("of", metavar=f"[{'|'.join(_COMMANDS)}]", type=click.Choice(_COMMANDS), default="audit")
@click.help_option()
def command(of: str) -> None:
    """Print the JSON Schema of what a command writes with '--format json', of a certificate or of a policy file.

    That of 'database' is what 'audit' writes of several tables about the same people.
    """
    if of == "policy":
        from tclose.policy.schema import policy_schema
        from tclose.reports.machine_readable.audits import json_text

        deliver(json_text(policy_schema()), None)
        return
    if of == "database":
        from tclose.reports.machine_readable.facts import database_schema_text

        deliver(database_schema_text(), None)
        return
    if of == "explain":
        from tclose.reports.machine_readable.explanations import explanation_schema_text

        deliver(explanation_schema_text(), None)
        return
    if of == "anonymize":
        from tclose.reports.machine_readable.releases import release_schema_text

        deliver(release_schema_text(), None)
        return
    if of == "certificate":
        from tclose.anonymization.certificates import certificate_schema_text

        deliver(certificate_schema_text(), None)
        return
    if of == "verify":
        from tclose.reports.machine_readable.verifications import verification_schema_text

        deliver(verification_schema_text(), None)
        return
    if of == "usefulness":
        from tclose.reports.machine_readable.scores import scores_schema_text

        deliver(scores_schema_text(), None)
        return
    if of == "attack":
        from tclose.reports.machine_readable.attacks import attack_schema_text

        deliver(attack_schema_text(), None)
        return
    from tclose.reports.machine_readable.audits import schema_text

    deliver(schema_text(), None)
