"""Results as anyone may know them: files without the folders of a machine, tables without their server."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from tclose.attacks.findings import Attack
from tclose.composing import Composition
from tclose.explanations import Explanation
from tclose.facts import FactFigure, Facts
from tclose.frontiers import Frontier
from tclose.labels import public
from tclose.profiling import Profile
from tclose.releases import Release
from tclose.results import Audit

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
