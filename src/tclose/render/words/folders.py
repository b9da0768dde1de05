"""What was read named as anyone may know it: files without the folders of this machine, tables without their server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import Any, TypeVar

from tclose.composing import Composition
from tclose.explanations import Explanation
from tclose.results import Audit

_COMPARED = "the distribution of "
Found = TypeVar("Found", Audit, Explanation)


def without_folders(source: str) -> str:
    """Return how a table was named, without the folders of this machine and without the server that holds it.

    Examples
    --------
    >>> without_folders("data/a.csv, data/b.csv"), without_folders("the example 'salary'")
    ('a.csv, b.csv', "the example 'salary'")
    >>> without_folders("public.patients of postgresql://db.example/clinic")
    'public.patients'
    """
    if "://" in source:
        return source.partition(" of ")[0] if " of " in source.partition("://")[0] else source
    return ", ".join(PurePath(part).name or part for part in source.split(", "))


def unfoldered(found: Found) -> Found:
    """Return an audit or an explanation whose table and reference are named without their folders."""
    compared = found.reference.removeprefix(_COMPARED)
    named = compared != found.reference
    reference = f"{_COMPARED}{without_folders(compared)}" if named else found.reference
    changed: dict[str, Any] = {"source": without_folders(found.source), "reference": reference}
    if isinstance(found, Audit) and found.composition is not None:
        changed["composition"] = _composition(found.composition)
    return replace(found, **changed)


def _composition(found: Composition) -> Composition:
    linked = (replace(each, previous=tuple(map(without_folders, each.previous))) for each in found.linked)
    verdicts = (replace(each, previous=tuple(map(without_folders, each.previous))) for each in found.verdicts)
    return replace(found, linked=tuple(linked), verdicts=tuple(verdicts))
