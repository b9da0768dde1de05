"""How a cell, a column name and a class key are shown, with nothing in them that a terminal would obey."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar

from tclose.anonymization.frontier_points import Frontier
from tclose.anonymization.releases import Release
from tclose.attacks.findings import Attack
from tclose.auditing.composition import Composition
from tclose.auditing.explanations import Explanation
from tclose.auditing.facts import FactFigure, Facts
from tclose.auditing.results import Audit
from tclose.data.labels import public
from tclose.data.text_encoding import visible as visible
from tclose.data.values import as_text
from tclose.policy.profiling.profile import Profile

# Results as anyone may know them: files without the folders of a machine, tables without their server.


Found = TypeVar("Found", Audit, Explanation)
Named = TypeVar("Named", Attack, Frontier, Profile, Release)


def unfoldered(found: Found) -> Found:
    """Return an audit or an explanation whose table and reference are named without their folders."""
    changed: dict[str, Any] = {"source": public(found.source), "reference": public(found.reference)}
    if isinstance(found, Audit):
        changed["notes"] = tuple(note.public for note in found.notes)
        changed["composition"] = None if found.composition is None else _composition(found.composition)
        changed["facts"] = None if found.facts is None else unfoldered_facts(found.facts)
    return replace(found, **changed)


def unfoldered_facts(found: Facts) -> Facts:
    """Return what someone learns who knows facts, with tables named without their folders."""

    def figure(each: FactFigure) -> FactFigure:
        facts = tuple(replace(fact, table=public(fact.table)) for fact in each.worst.facts)
        return replace(each, worst=replace(each.worst, facts=facts))

    return found.telling(figure, public)


def unfoldered_result(found: Named) -> Named:
    """Return a result whose table is named without its folders, in its notes too."""
    return replace(found, source=public(found.source), notes=tuple(note.public for note in found.notes))


def _composition(found: Composition) -> Composition:
    linked = (replace(each, previous=tuple(map(public, each.previous))) for each in found.linked)
    verdicts = (replace(each, previous=tuple(map(public, each.previous))) for each in found.verdicts)
    return replace(found, linked=tuple(linked), verdicts=tuple(verdicts))


NULL = "∅"
"""A missing value; a text that reads the same is quoted."""

_MARKS = ("=", ", ", '"', NULL)


class Withheld:
    """Stands in a class key for a value that was asked not to be shown."""

    def __str__(self) -> str:
        return "•••"


WITHHELD = Withheld()


def cell_text(value: object) -> str:
    r"""Return a cell as a person reads it; text is quoted where it could be taken for something else.

    Examples
    --------
    >>> print(*(cell_text(value) for value in (None, "null", "", "∅", 2.0, "a\tb")))
    ∅ null "" "∅" 2 a\tb
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return NULL
    if isinstance(value, bytes | bytearray):
        return "0x" + value.hex()
    if not isinstance(value, str):
        return visible(as_text(value))
    shown = visible(value)
    if not value or value != value.strip() or any(mark in value for mark in _MARKS):
        return '"' + shown.replace('"', '\\"') + '"'
    return shown


def cell_data(value: object) -> object:
    """Return a cell as JSON holds it: whole numbers as integers, dates as ISO text, null as null.

    Examples
    --------
    >>> [cell_data(value) for value in (dt.date(2020, 1, 31), Decimal("3.0"), "3", float("inf"))]
    ['2020-01-31', 3, '3', 'Infinity']
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float | Decimal | Fraction):
        return _number_data(value)
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray):
        return value.hex()
    return str(value)


def _number_data(value: float | Decimal | Fraction) -> object:
    if isinstance(value, float | Decimal) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if value == int(value):
        return int(value)
    near = float(value)
    same = isinstance(value, Decimal) and Decimal(repr(near)) == value
    return near if isinstance(value, float) or same else str(value)


def key_text(key: Mapping[str, object]) -> str:
    """Return a class key in one line: ``zip=476**, age=2*``; a table that is one class has no key.

    Examples
    --------
    >>> print(key_text({"zip": "476**", "age": None}))
    zip=476**, age=∅
    """
    if not key:
        return "the whole table"
    if all(value is WITHHELD for value in key.values()):
        return "withheld"
    return ", ".join(f"{visible(name)}={cell_text(value)}" for name, value in key.items())


def key_data(key: Mapping[str, object]) -> dict[str, object] | None:
    """Return a class key as JSON holds it; None where it is withheld."""
    if key and all(value is WITHHELD for value in key.values()):
        return None
    return {name: cell_data(value) for name, value in key.items()}
