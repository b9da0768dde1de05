"""``tclose models``: the catalogue of privacy models."""

from __future__ import annotations

from typing import Any

import click

from tclose.cli.commands import Command
from tclose.cli.options import format_option
from tclose.cli.output import colour_wanted, deliver, terminal_width
from tclose.models.base import Model
from tclose.models.catalogue import MODELS


@click.command("models", cls=Command)
@format_option("text", "json")
@click.help_option()
def command(form: str | None) -> None:
    """List the privacy models that an audit knows."""
    from tclose.reports.machine_readable.audits import json_text

    text = json_text([_data(model) for model in MODELS.values()]) if form == "json" else _text()
    deliver(text, None)


def _data(model: type[Model]) -> dict[str, Any]:
    return {
        "key": model.key,
        "title": model.title,
        "meaning": model.meaning,
        "source": model.source,
        "scope": model.scope,
        "good": model.good,
        "usual": model.usual,
        "needs_population": model.needs_population,
        "form": list(model.form),
        "example": model.example,
    }


def _text() -> str:
    from tclose.reports.formats.layout import painted, wrapped

    width, colour = terminal_width(), colour_wanted()
    lines = []
    for model in MODELS.values():
        usual = ", measured without being asked" if model.usual else ""
        of_what = "the table" if model.scope == "table" else "each sensitive attribute"
        option = f"--{model.key.replace('_', '-')} {model.example}"
        lines.append(f"{painted(option, 'strong', colour=colour)}{' ' * max(2, 26 - len(option))}{model.title}")
        lines += wrapped(model.meaning, width, first="    ", rest="    ")
        about = f"Of {of_what}; {model.good} figures protect{usual}. {model.source}."
        lines += [painted(line, "soft", colour=colour) for line in wrapped(about, width, first="    ", rest="    ")]
    return "\n".join(lines)
