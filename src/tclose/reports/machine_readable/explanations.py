"""Explanations as JSON-ready data: every number exact, positions counted from 1."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib.resources import files
from typing import Any

from tclose import __version__
from tclose.auditing.explanations import Explanation, Step
from tclose.reports.content.groups import divisor, level_distances, unit
from tclose.reports.machine_readable.audits import distance_data, value_data
from tclose.reports.phrases.cells import cell_data, key_data
from tclose.reports.phrases.explanations import verdict

SCHEMA_VERSION = 1
"""Raised when a field changes its meaning or goes away; new fields do not raise it."""


def explanations_data(items: Sequence[Explanation]) -> dict[str, Any]:
    """Return explanations as JSON-ready data; ``docs/explanation.schema.json`` describes it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tclose_version": __version__,
        "explanations": [explanation_data(item) for item in items],
    }


def explanation_schema_text() -> str:
    """Return the JSON Schema of :func:`explanations_data`."""
    return files("tclose.reports.machine_readable").joinpath("explanation.schema.json").read_text(encoding="utf-8")


def explanation_data(explanation: Explanation) -> dict[str, Any]:
    """Return one explanation as JSON-ready data."""
    return {
        "source": explanation.source,
        "reference": explanation.reference,
        "class": key_data(explanation.key),
        "size": explanation.size,
        "total": explanation.total,
        "counts": explanation.unit,
        "confidential": explanation.shows_people,
        "attribute": explanation.attribute,
        "measured": distance_data(explanation.distance),
        "distance": _exact(explanation.value),
        "t": _exact(explanation.t),
        "largest": _exact(explanation.domain.largest_t),
        **({} if explanation.beside is None else {"beside": _beside(explanation, explanation.beside)}),
        "words": verdict(explanation),
        "values": _values(explanation),
        "divisor": str(divisor(explanation)),
        "flows": [str(flow) for flow in explanation.flows],
        "terms": _terms(explanation),
        "levels": _levels(explanation),
        "shares": [
            {
                "position": share.position,
                "value": _value(share.value),
                "inside": str(share.inside),
                "outside": str(share.outside),
                "near": str(share.near),
                "usual": str(share.usual),
                "difference": str(share.apart),
            }
            for share in explanation.shares
        ],
        "rule": explanation.rule if explanation.on_a_line else "stay",
        "moves": [_move(step) for step in explanation.moves],
        "shifts": [
            {
                "position": shift.position,
                "value": _value(shift.value),
                "p": str(shift.inside),
                "q": str(shift.outside),
                "difference": str(shift.difference),
            }
            for shift in explanation.shifts
        ],
        "agreement": {
            "moves": str(explanation.plan_cost),
            "flows": str(explanation.flow_cost),
            "audit": str(explanation.value),
            "agree": explanation.plan_cost == explanation.flow_cost == explanation.value,
        },
        "models": {
            key: {"title": model.title, **value_data(value)} for key, (model, value) in explanation.other_models.items()
        },
    }


def _beside(explanation: Explanation, other: Explanation) -> dict[str, Any]:
    """Return how missing values are judged here, and t where they are judged in the other way."""
    return {"missing": "left-out" if explanation.domain.missing is None else "value", "other_t": _exact(other.t)}


def _exact(value: Fraction) -> dict[str, Any]:
    return {"value": float(value), "exact": str(value)}


def _value(value: object) -> object:
    """Return a value; a combination of several as a list."""
    return [cell_data(part) for part in value] if isinstance(value, tuple) else cell_data(value)


def _values(explanation: Explanation) -> list[dict[str, Any]]:
    columns = zip(
        explanation.values,
        explanation.counts,
        explanation.reference_counts,
        explanation.inside,
        explanation.outside,
        strict=True,
    )
    return [
        {"position": at, "value": _value(value), "count": count, "total": total, "p": str(p), "q": str(q)}
        for at, (value, count, total, p, q) in enumerate(columns, start=1)
    ]


def _terms(explanation: Explanation) -> list[dict[str, Any]]:
    """Return the terms of the definition on a line, in the units of the attribute."""
    step = unit(explanation)
    gaps = [*(gap * step for gap in explanation.gaps), Fraction(0)]
    return [
        {
            "position": term.position,
            "difference": str(term.difference),
            "running": str(term.running),
            "gap": str(gap),
            "term": str(abs(term.running) * gap),
            "sum": str(term.total * step),
        }
        for term, gap in zip(explanation.terms, gaps, strict=False)
    ]


def _levels(explanation: Explanation) -> list[dict[str, Any]]:
    """Return the levels of a tree, from the values up, each with the mass that leaves its groups upward."""
    found = []
    for level, distance in enumerate(level_distances(explanation)):
        flows = explanation.tree_flows[level]
        first = {group: at for at, group in reversed(list(enumerate(explanation.levels[level], start=1)))}
        groups = [
            {"label": explanation.label(first[group], level), "flow": str(flow)} for group, flow in enumerate(flows)
        ]
        found.append({"level": level, "distance": str(distance), "groups": groups})
    return found


def _move(step: Step) -> dict[str, Any]:
    return {
        "from": step.start,
        "to": step.end,
        "mass": str(step.mass),
        "distance": str(step.distance),
        "cost": str(step.cost),
        "remainder": str(step.remainder),
    }
