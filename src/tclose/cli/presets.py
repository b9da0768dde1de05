"""``tclose presets``: the rules that requirements can be named by, and what they do not cover."""

from __future__ import annotations

import click

from tclose.cli.commands import Command
from tclose.cli.options import format_option
from tclose.cli.output import colour_wanted, deliver, terminal_width
from tclose.policy.presets import PRESETS, Preset


@click.command("presets", cls=Command)
@format_option("text", "json")
@click.help_option()
def command(form: str | None) -> None:
    """List the rules that requirements can be named by: 'tclose audit --preset ema-0070'."""
    from tclose.reports.machine_readable.audits import json_text, preset_data

    data = [preset_data(preset) for preset in PRESETS.values()]
    deliver(json_text(data) if form == "json" else "\n".join(map(_text, PRESETS.values())), None)


def _text(preset: Preset) -> str:
    """Return what a preset asks, and what it does not cover, as lines."""
    from tclose.reports.formats.layout import painted, wrapped

    colour, width = colour_wanted(), terminal_width()
    asked = [f"--{key.replace('_', '-')} {number}" for key, number in preset.thresholds.items()]
    asked += ["checks columns and values"] if preset.checks_columns else []
    lines = [f"{painted(f'--preset {preset.key}', 'strong', colour=colour)}  {preset.title}"]
    lines += wrapped(preset.asks, width, first="    ", rest="    ")
    lines += wrapped(f"Stands for: {', '.join(asked)}. {preset.why}".rstrip(), width, first="    ", rest="    ")
    lines += wrapped(f"Does not cover: {' '.join(preset.not_covered)}", width, first="    ", rest="    ")
    source = wrapped(f"{preset.source}.", width, first="    ", rest="    ")
    return "\n".join([*lines, *(painted(line, "soft", colour=colour) for line in source)])
