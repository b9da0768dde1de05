"""Runs the command line as a person does, and hands back what came out."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import tclose as package
from canaries import shown_in

SOURCE = Path(package.__file__).parents[1]
"""Where the package lies that is tested: the source, or the installation of a wheel."""


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    def __post_init__(self):
        assert shown_in(self.err) == []


def tclose(*arguments, cwd=None, stdin="", env=None):
    """Run ``tclose`` in a process of its own, without a terminal."""
    surroundings = {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "utf-8", **(env or {})}
    done = subprocess.run(
        [sys.executable, "-m", "tclose", *map(str, arguments)],
        cwd=cwd,
        input=stdin.encode(),
        capture_output=True,
        env=surroundings,
        check=False,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def in_process(capfdbinary, *arguments):
    """Run the command line in this process: faster, with the same exit codes and streams."""
    from tclose.cli.commands import commands
    from tclose.cli.errors import exit_code_of

    code = exit_code_of(commands, [str(argument) for argument in arguments])
    sys.stdout.flush()
    out, err = capfdbinary.readouterr()
    return Outcome(code, out.decode(), err.decode())
