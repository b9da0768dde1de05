"""The options that say what must hold, one for each privacy model."""

from __future__ import annotations

from typing import Any

import click

from tclose.cli.options import option, together
from tclose.models.catalogue import MODELS

_REQUIREMENTS = "Requirements"


def _model_option(key: str) -> Any:
    model = MODELS[key]
    names = [*([f"-{key}"] if len(key) == 1 else []), f"--{key.replace('_', '-')}", f"require_{key}"]
    of_attribute = "" if model.scope == "table" else "[NAME=]"
    return option(
        *names,
        section=_REQUIREMENTS,
        metavar=f"{of_attribute}{','.join(model.form).upper()}",
        multiple=True,
        help=f"{model.title}, such as {model.example}.",
    )


requirement_options = together(
    *(_model_option(key) for key in MODELS),
    option(
        "--presence",
        "require_presence",
        section=_REQUIREMENTS,
        metavar="LOW,HIGH",
        multiple=True,
        help="δ-presence between two bounds, such as 0.1,0.5.",
    ),
    option(
        "--preset",
        section=_REQUIREMENTS,
        metavar="NAME",
        help="What a rule asks, such as ema-0070; 'tclose presets' lists them. Options for single models go first.",
    ),
    option(
        "--any",
        section=_REQUIREMENTS,
        metavar="M",
        type=click.IntRange(1),
        help="What is required holds for whoever knows at most M of the quasi-identifiers, whichever they are.",
    ),
)
