"""The words of the command line: an option with its value, quoted for a shell and ready to be pasted."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import AbstractContextManager

from tclose.errors import Ask, speaking

FLAGS: Mapping[str, tuple[str, str]] = {
    "any": ("--any", "NUMBER"),
    "decimal": ("--decimal", "MARK"),
    "delimiter": ("--delimiter", "CHARACTER"),
    "distance": ("-s", "DISTANCE"),
    "encoding": ("--encoding", "NAME"),
    "force": ("--force", ""),
    "header": ("--header", ""),
    "hierarchies": ("--hierarchy", "FILE"),
    "identifiers": ("--identifier", "NAME"),
    "key": ("--key-file FILE or --key-variable", "NAME"),
    "levels": ("--levels", "LEVEL"),
    "measure": ("--measure", "MODELS"),
    "memory": ("--memory", "SIZE"),
    "methods": ("--methods", "NAMES"),
    "null_text": ("--null", "TEXT"),
    "nulls": ("--nulls", "MEANING"),
    "order": ("--order", "VALUE,VALUE"),
    "original": ("--original", "TABLE"),
    "person": ("--person", "COLUMN"),
    "population": ("--population", "FILE"),
    "population_size": ("--population-size", "NUMBER"),
    "previous": ("--previous", "FILE"),
    "publish": ("--publish", "NAME"),
    "quasi": ("-q", "NAME"),
    "release": ("--release", "FILE"),
    "replace": ("--replace", ""),
    "round": ("--round", "STEP"),
    "rows": ("--rows", ""),
    "sampling_fraction": ("--sampling-fraction", "FRACTION"),
    "sensitive": ("-s", "NAME"),
    "sheet": ("--sheet", "NAME"),
    "show_people": ("--show-people", ""),
    "suppress": ("--suppress", "SHARE"),
    "temp": ("--temp", "FOLDER"),
    "twice": ("--twice", ""),
    "unpacked": ("--unpacked", "SIZE"),
    "values": ("--values", "NUMBERS"),
    "weight_column": ("--weight-column", "COLUMN"),
    "widen": ("--widen", ""),
}
"""The option of each field, and what stands for a value that the person chooses; other fields are models."""
_OF_COLUMNS = ("hierarchies", "levels", "nulls", "order", "round")
"""What is given for a column: NAME=VALUE."""
_COMMANDS = {"anonymize": "tclose anonymize"}


def of_the_command_line(ask: Ask) -> str:
    """Return an option with its value.

    Examples
    --------
    >>> of_the_command_line(Ask("person", "patient id")), of_the_command_line(Ask("k", 5))
    ("--person 'patient id'", '--k 5')
    >>> of_the_command_line(Ask("hierarchies", {"zip": "flat", "job": "flat"}))
    '--hierarchy zip=flat --hierarchy job=flat'
    >>> of_the_command_line(Ask("hierarchies", "flat", "zip")), of_the_command_line(Ask("header", value=False))
    ('--hierarchy zip=flat', '--no-header')
    """
    if ask.field in _COMMANDS:
        return _COMMANDS[ask.field]
    flag, place = FLAGS.get(ask.field, (f"--{ask.field.replace('_', '-')}", "NUMBER"))
    if isinstance(ask.value, Mapping):
        return " ".join(of_the_command_line(Ask(ask.field, value, name)) for name, value in ask.value.items())
    if ask.value is False:
        return f"--no-{flag[2:]}"
    if ask.value is True or not place:
        return flag
    value = place if ask.value is None else _text(ask.value)
    if ask.column is None:
        asked = f"NAME={place}" if ask.field in _OF_COLUMNS else place
        return f"{flag} {asked if ask.value is None else shlex.quote(value)}"
    return f"{flag} {shlex.quote(f'{ask.column}:{value}' if ask.field == 'distance' else f'{ask.column}={value}')}"


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def command_line() -> AbstractContextManager[None]:
    """Let messages speak of options of the command line."""
    return speaking(of_the_command_line)
