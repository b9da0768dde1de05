"""How columns are named on the command line: lists, NAME:DISTANCE and NAME=VALUE, for any name."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Collection, Iterable, Sequence

import click

from tclose.errors import RoleConflictError, closest, listed
from tclose.policy.roles import split_name
from tclose.reports.phrases.cells import NULL

Columns = Callable[[], Collection[str]]
"""Looks up the columns of the table, when a comma makes it necessary."""


def column_list(texts: Iterable[str], columns: Columns) -> list[str]:
    """Return the columns that options name; a comma separates two names unless it is part of one.

    Examples
    --------
    >>> column_list(["zip,age", "city, state"], lambda: ["zip", "age", "city, state"])
    ['zip', 'age', 'city, state']
    """
    found: list[str] = []
    for text in texts:
        if "," in text and text not in columns():
            found += [part.strip() for part in text.split(",") if part.strip()]
        else:
            found.append(text)
    return found


def sensitive_list(texts: Iterable[str], columns: Columns) -> dict[str, str | None]:
    """Return the sensitive columns that options name, each with its distance word or None.

    Examples
    --------
    >>> sensitive_list(["salary:ordered,disease"], lambda: ["salary", "disease"])
    {'salary': 'ordered', 'disease': None}
    """
    found: dict[str, str | None] = {}
    for text in texts:
        whole = "," not in text or text in columns() or split_name(text)[0] in columns()
        for part in [text] if whole else column_list([text], columns):
            name, word = split_name(part)
            if name in found:
                raise RoleConflictError(f"The column {name!r} is named twice; give it one role, once.")
            found[name] = word
    return found


def assigned(option: str, texts: Iterable[str], names: Collection[str], role: str = "sensitive") -> dict[str, str]:
    """Return what NAME=VALUE options give to each name.

    Parameters
    ----------
    option
        The option, for messages.
    texts
        What was written.
    names
        The names that may stand before the sign; the longest that fits is meant.
    role
        What columns of these names are, for messages.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, value = _split(option, text, names, role)
        if name in found:
            raise click.UsageError(f"{option} is given twice for {name!r}.")
        found[name] = value
    return found


def _split(option: str, text: str, names: Collection[str], role: str) -> tuple[str, str]:
    name = _longest_before_sign(text, names)
    if name is not None:
        return name, text[len(name) + 1 :]
    given, sign, _ = text.partition("=")
    if not sign or not given:
        raise click.UsageError(f"{option} takes NAME=VALUE, not {text!r}.")
    near = closest(given, names)
    way_out = f"Did you mean {near!r}?" if near else f"{role.capitalize()} are {listed(names)}."
    raise click.UsageError(f"{option} names {given!r}, which is not a {role} column. {way_out}")


def _longest_before_sign(text: str, names: Iterable[str]) -> str | None:
    """Return the longest of some names that stands before ``=`` at the start of a text, or None."""
    return max((name for name in names if text.startswith(f"{name}=")), key=len, default=None)


def thresholds(option: str, texts: Iterable[str], names: Collection[str]) -> dict[str | None, str]:
    """Return the thresholds of options such as ``--t 0.2 --t salary=0.1``; under None the general one."""
    general = [text for text in texts if "=" not in text]
    if len(general) > 1:
        raise click.UsageError(f"{option} is given twice; give one threshold, and NAME=THRESHOLD for an attribute.")
    found: dict[str | None, str] = {None: general[0]} if general else {}
    found.update(assigned(option, [text for text in texts if "=" in text], names))
    return found


def declared_order(text: str) -> str | list[str]:
    """Return an order as written: a word, or values separated by commas, quoted where they hold one.

    Examples
    --------
    >>> declared_order("frequency"), declared_order('low,"mid, or so",high')
    ('frequency', ['low', 'mid, or so', 'high'])
    """
    if text in ("value", "frequency"):
        return text
    return next(csv.reader([text], skipinitialspace=True), [])


def class_key(texts: Sequence[str], columns: Collection[str]) -> dict[str, str | None]:
    """Return the class that ``--class COLUMN=VALUE,…`` options name, with values written as reports write them.

    A comma separates two columns where a column and a sign follow it. Where there are as many options as
    columns, each is one COLUMN=VALUE and nothing in it separates. Nothing or ∅ after the sign is a missing
    value; a value in double quotes is a text, ``""`` the empty one.

    Examples
    --------
    >>> class_key(['zip=476**, age=">=40"'], ["zip", "age"]), class_key(["city=Paris, Texas", "age="], ["age", "city"])
    ({'zip': '476**', 'age': '>=40'}, {'city': 'Paris, Texas', 'age': None})
    """
    names = sorted(columns, key=len, reverse=True)
    before = "|".join(re.escape(name) for name in names)
    whole = len(texts) == len(names)
    parts = texts if whole else [part for text in texts for part in re.split(rf",\s*(?=(?:{before})=)", text)]
    found: dict[str, str | None] = {}
    for part in parts:
        name = _longest_before_sign(part, names)
        if name is None:
            raise click.UsageError(_no_such_column(part, columns))
        if name in found:
            raise click.UsageError(f"--class names {name!r} twice.")
        found[name] = _class_value(part[len(name) + 1 :])
    return found


def _no_such_column(part: str, columns: Collection[str]) -> str:
    given, sign, _ = part.partition("=")
    if not sign:
        return f"--class takes COLUMN=VALUE, with the columns {listed(columns)}."
    near = closest(given, columns)
    way_out = f"Did you mean {near!r}?" if near else f"A class is named by {listed(columns)}."
    return f"--class names {given!r}, which is not a quasi-identifier. {way_out}"


def _class_value(text: str) -> str | None:
    if text in ("", NULL):
        return None
    quoted = len(text) > 1 and text.startswith('"') and text.endswith('"')
    return text[1:-1].replace('\\"', '"') if quoted else text
