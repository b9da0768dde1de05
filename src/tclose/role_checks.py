"""What may be said of roles, checked: names, one of some words, a list of values."""

from __future__ import annotations

from collections.abc import Iterable

from tclose.errors import InputError, listed


def names_of(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names of columns."""
    if not isinstance(names, str | Iterable):
        raise InputError(f"Columns are named by text or a list of texts, not by {type(names).__name__}.")
    return (names,) if isinstance(names, str) else tuple(str(name) for name in names)


def one_name(name: object, what: str) -> str | None:
    """Return the name of a column, or None where none is named."""
    if name is not None and not isinstance(name, str):
        raise InputError(f"The {what} is named by the text of one column, not by {type(name).__name__}.")
    return name


def choose(what: str, value: object, choices: tuple[str | None, ...]) -> None:
    """Refuse what is none of the choices."""
    if value not in choices:
        raise InputError(f"{what} must be one of {listed(filter(None, choices))}, not {value!r}.")


def check_list(order: Iterable[object]) -> None:
    """Refuse an order without values, or with one twice."""
    values = list(order)
    if not values:
        raise InputError("An order given as a list needs at least one value.")
    if len(set(map(str, values))) != len(values):
        raise InputError("An order given as a list must name each value once.")
