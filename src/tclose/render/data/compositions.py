"""What several releases say together, as JSON-ready data."""

from __future__ import annotations

from typing import Any

from tclose.composing import Composition, Difference, JointFigure, JointVerdict, Linked
from tclose.render.data.json import threshold_data, value_data
from tclose.render.words.cells import key_data


def composition_data(found: Composition) -> dict[str, Any]:
    """Return a composition as JSON-ready data; the schema of audits describes it."""
    return {
        "person": found.person,
        "linked": [_linked(each) for each in found.linked],
        "requirements": [_verdict(verdict) for verdict in found.verdicts],
    }


def _linked(linked: Linked) -> dict[str, Any]:
    return {
        "previous": list(linked.previous),
        "classes": linked.classes,
        "people": linked.people,
        "attributes": {
            name: {
                "figures": {key: _figure(figure) for key, figure in each.figures.items()},
                "contradicting": each.contradicting,
                "changed": each.changed,
                "m": each.m,
                "difference": None if each.difference is None else _difference(each.difference),
            }
            for name, each in linked.attributes.items()
        },
    }


def _difference(found: Difference) -> dict[str, Any]:
    return {
        "same": found.same,
        "few": found.few,
        "joined": found.joined,
        "left": found.left,
        "least": found.least,
    }


def _figure(figure: JointFigure) -> dict[str, Any]:
    worst = figure.worst
    keys = [key_data(key) for key in worst.keys]
    return {
        **value_data(figure.value),
        "worst": {"keys": keys, "sizes": list(worst.sizes), "people": worst.people, "tied": figure.tied},
    }


def _verdict(verdict: JointVerdict) -> dict[str, Any]:
    return {
        "text": verdict.text,
        "model": verdict.requirement.model.key,
        "attribute": verdict.requirement.attribute,
        "threshold": threshold_data(verdict.requirement.threshold),
        "previous": list(verdict.previous),
        "holds": verdict.holds,
        "found": None if verdict.figure is None else value_data(verdict.figure.value),
        "failing": verdict.failing,
    }
