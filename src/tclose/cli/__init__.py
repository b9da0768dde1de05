"""The command line: parse, call one verb, render, and leave with a code that says what was found."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn


def outcome(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    from tclose.cli.commands import commands
    from tclose.cli.errors import exit_code_of
    from tclose.data.text_encoding import speak_utf8

    speak_utf8()
    return exit_code_of(commands, arguments)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    sys.exit(outcome(arguments))
