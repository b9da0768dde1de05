"""What is said on standard error: lines for people, or objects of JSON for whoever gathers logs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import click

Level = Literal["info", "error", "debug"]
_spoken = {"form": "text"}


def speak(form: str) -> None:
    """Say everything from now on as ``text`` or as ``json``."""
    _spoken["form"] = form


def tell(text: str, level: Level = "info", data: Mapping[str, Any] | None = None) -> None:
    """Write to standard error; where it takes nothing, the exit code still tells.

    Parameters
    ----------
    text
        A line for people.
    level
        What it is.
    data
        What programs are told instead of that line: a message, and what it is about.
    """
    try:
        click.echo(_line(text, level, data or {}) if _spoken["form"] == "json" else text, err=True)
    except OSError:
        with Path(os.devnull).open("w") as nowhere:  # what is still held back must not fail again
            os.dup2(nowhere.fileno(), sys.stderr.fileno())


def _line(text: str, level: Level, data: Mapping[str, Any]) -> str:
    moment = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = {"time": moment, "level": level, "message": text}
    return json.dumps({**line, **data}, ensure_ascii=False)
