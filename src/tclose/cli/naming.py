"""The words of the command line: an option with its value, quoted for a shell and ready to be pasted."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cache

from tclose.errors import Ask, speaking
from tclose.options import ByColumn, Option, declared

_BESIDE: Mapping[str, tuple[str, str]] = {
    "distance": ("-s", "DISTANCE"),
    "force": ("--force", ""),
    "key": ("--key-file FILE or --key-variable", "NAME"),
    "original": ("--original", "TABLE"),
    "recipe": ("--recipe", "FILE"),
    "replace": ("--replace", ""),
    "show_people": ("--show-people", ""),
    "why": ("--why", ""),
    "widen": ("--widen", ""),
}
"""Options of the command line that are no options of a policy, and what stands for their values."""


@cache
def _options() -> dict[str, Option]:
    """Return every option of a policy."""
    from tclose.policy.parts import SensitiveColumns
    from tclose.policy.policy import every_option
    from tclose.roles import Roles

    return {**declared(SensitiveColumns), **declared(Roles), **every_option()}


def _flag_of(field: str) -> tuple[str, str]:
    """Return the flag of an option, the short one if it has one, and what stands for its value."""
    if field in _BESIDE or field not in _options():
        return _BESIDE.get(field, (name_of(field), "NUMBER"))
    each = _options()[field]
    kind = each.kind.each if isinstance(each.kind, ByColumn) else each.kind
    return each.flags[0], kind.metavar.partition("[")[0].partition("|")[0]


def name_of(field: str) -> str:
    """Return the flag of an option or a model."""
    return _options()[field].flags[-1] if field in _options() else f"--{field.replace('_', '-')}"


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
    flag, place = _flag_of(ask.field)
    if isinstance(ask.value, Mapping):
        return " ".join(of_the_command_line(Ask(ask.field, value, name)) for name, value in ask.value.items())
    if ask.value is False:
        return f"--no-{flag[2:]}"
    if ask.value is True or not place:
        return flag
    value = place if ask.value is None else _text(ask.value)
    if ask.column is None:
        asked = (
            f"NAME={place}" if ask.field in _options() and isinstance(_options()[ask.field].kind, ByColumn) else place
        )
        return f"{flag} {asked if ask.value is None else shlex.quote(value)}"
    return f"{flag} {shlex.quote(f'{ask.column}:{value}' if ask.field == 'distance' else f'{ask.column}={value}')}"


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def command_line() -> AbstractContextManager[None]:
    """Let messages speak of options of the command line."""
    return speaking(of_the_command_line, name_of)
