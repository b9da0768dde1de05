"""An audit as JSON: the same audit gives the same text, byte for byte."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any

from tclose import __version__
from tclose.auditing.composition import Composition, Difference, JointFigure, JointVerdict, Linked
from tclose.auditing.results import AnyColumns, AttributeAudit, Audit, Exposed, Figure, Value, Verdict, WorstClass
from tclose.auditing.verdicts import reasons_data
from tclose.engines.people import Trajectories
from tclose.errors import notes_data
from tclose.models.base import Model
from tclose.models.catalogue import requirements
from tclose.models.populations.findings import PopulationFinding
from tclose.policy.exact_numbers import written
from tclose.policy.presets import Applied, Preset
from tclose.policy.roles import EACH_ROW, Distance, Roles
from tclose.reports.content.redaction import without_people
from tclose.reports.phrases.audits import found_words
from tclose.reports.phrases.cells import WITHHELD, cell_data, key_data

_UNSEEN = re.compile("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")
SCHEMA_VERSION = 1
"""Raised when a field changes its meaning or goes away; new fields do not raise it."""


def audit_json(audit: Audit, *, indent: int | None = 2) -> str:
    """Return an audit as JSON text."""
    return json_text(audit_data(audit), indent=indent)


def json_text(data: object, *, indent: int | None = 2) -> str:
    """Return data as JSON text that is valid UTF-8 and holds nothing that a terminal would obey."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, indent=indent)
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def schema_text() -> str:
    """Return the JSON Schema of :func:`audit_data`."""
    return files("tclose.reports.machine_readable").joinpath("audit.schema.json").read_text(encoding="utf-8")


def audit_data(audit: Audit) -> dict[str, Any]:
    """Return an audit as JSON-ready data; ``docs/audit.schema.json`` describes it."""
    from tclose.reports.machine_readable.facts import facts_data, linked_data

    audit = without_people(audit)
    return {
        "schema_version": SCHEMA_VERSION,
        "tclose_version": __version__,
        "source": audit.source,
        "rows": audit.rows,
        "people": audit.people,
        "trajectories": trajectories_data(audit.trajectories),
        "classes": audit.class_count,
        "holds": audit.holds,
        "verdict": audit.verdict,
        "reasons": reasons_data(audit.reasons),
        "unprotected": list(audit.unprotected),
        **({} if audit.exposed is None else {"exposed": _exposed(audit.exposed)}),
        **({} if not audit.columns else {"columns": _columns(audit)}),
        "roles": _roles(audit.roles),
        "reference": audit.reference,
        "requirements": [_verdict(verdict) for verdict in audit.verdicts],
        **_figures(audit.figures),
        "attributes": {name: _attribute(attribute) for name, attribute in audit.attributes.items()},
        "naming": list(audit.naming),
        "warnings": notes_data(audit.warnings),
        "withheld_below": audit.few if audit.has_few and not audit.shows_people else None,
        "confidential": audit.has_few and audit.shows_people,
        **({} if audit.population is None else {"population": _population(audit.population)}),
        **({} if audit.preset is None else {"preset": _preset(audit.preset)}),
        **({} if audit.any is None else {"any": _any_columns(audit.any)}),
        **({} if not audit.linked else {"linked": list(map(linked_data, audit.linked))}),
        **({} if audit.facts is None else facts_data(audit.facts)),
        **({} if audit.composition is None else {"composition": composition_data(audit.composition)}),
        "notes": notes_data(audit.notes),
    }


def value_data(value: Value) -> dict[str, Any]:
    """Return a figure with its exact fraction, where it has one that is not a whole number.

    Examples
    --------
    >>> value_data(Fraction(3, 8)), value_data(3), value_data(math.inf)
    ({'value': 0.375, 'exact': '3/8'}, {'value': 3}, {'value': None, 'infinite': True})
    """
    if isinstance(value, Fraction) and value.denominator != 1:
        return {"value": float(value), "exact": str(value)}
    if isinstance(value, Fraction | int):
        return {"value": int(value)}
    if math.isnan(value):
        return {"value": None}
    if math.isinf(value):
        return {"value": None, "infinite": True}
    return {"value": float(value)}


def threshold_data(threshold: Fraction) -> dict[str, Any]:
    """Return a threshold with its text, in which no digit is lost."""
    return {**value_data(threshold), "text": written(threshold)}


def finite(value: Value | None) -> float | None:
    """Return a number as JSON can hold it."""
    return None if value is None or not math.isfinite(value) else float(value)


def _figures(figures: Mapping[str, Figure]) -> dict[str, Any]:
    return {key: _figure(figure) for key, figure in figures.items()}


def _figure(figure: Figure) -> dict[str, Any]:
    data = {**value_data(figure.value), "counts": figure.unit}
    if parameters := _parameters(figure.model):
        data["parameters"] = parameters
    if figure.worst is not None:
        data["worst"] = _worst(figure.worst)
    if figure.known is not None:
        data["known"] = list(figure.known)
    if figure.details:
        data["details"] = {name: value_data(value) for name, value in figure.details.items()}
    return data


def _population(found: PopulationFinding) -> dict[str, Any]:
    low, high = found.journalist
    weighted = found.weighted
    return {
        "people": found.people,
        "drawn": found.drawn,
        "appearances": found.sample.rows,
        "sampling_fraction": found.fraction,
        "sample_uniques": found.sample.uniques,
        "estimates": {
            key: {
                "uniques": finite(each.uniques),
                "alone": finite(found.alone(key)),
                "error": finite(found.errors[key]),
                "parameters": dict(each.parameters),
            }
            for key, each in found.estimates.items()
        },
        "expected_rows": found.expected_rows,
        "journalist": {"at_least": low, "at_most": high},
        "k_map": found.k_map,
        **(
            {}
            if weighted is None
            else {
                "weighted": {
                    "k_map": value_data(weighted.smallest),
                    "journalist": value_data(weighted.largest_risk),
                    "average": weighted.mean_risk,
                }
            }
        ),
    }


def preset_data(preset: Preset) -> dict[str, Any]:
    """Return a preset as JSON-ready data."""
    return {
        "key": preset.key,
        "title": preset.title,
        "asks": preset.asks,
        "requirements": [each.text for each in requirements(preset.thresholds)],
        "checks_columns": preset.checks_columns,
        "why": preset.why,
        "not_covered": list(preset.not_covered),
        "source": preset.source,
    }


def _preset(applied: Applied) -> dict[str, Any]:
    checks = [
        {"rule": check.rule, "text": check.text, "holds": check.holds, "failing": dict(check.missed)}
        for check in applied.checks
    ]
    return {**preset_data(applied.preset), "checks": checks}


def _columns(audit: Audit) -> list[dict[str, Any]]:
    failing = {each.name for each in audit.failing_columns}
    return [
        {
            "name": each.name,
            "decision": each.decision,
            "protected": each.protected,
            "withheld": each.withheld,
            "fails": each.name in failing,
        }
        for each in audit.columns
    ]


def _any_columns(found: AnyColumns) -> dict[str, Any]:
    return {
        "columns": found.most,
        "subsets": found.subsets,
        "figures": _figures(found.figures),
        "attributes": {name: _figures(figures) for name, figures in found.attributes.items()},
    }


def _parameters(model: Model) -> dict[str, Any]:
    fields = dataclasses.fields(model)  # type: ignore[arg-type]
    return {field.name: cell_data(getattr(model, field.name)) for field in fields}


def _worst(worst: WorstClass) -> dict[str, Any]:
    return {"key": key_data(worst.key), "size": worst.size, "tied": worst.tied}


def _attribute(attribute: AttributeAudit) -> dict[str, Any]:
    drivers = attribute.drivers
    return {
        "distance": attribute.distance.word,
        "values": attribute.values,
        "left_out": attribute.left_out,
        "largest_t": value_data(attribute.largest_t),
        **_figures(attribute.figures),
        "drivers": None if drivers is None else {name: value_data(t) for name, t in drivers.items()},
        "notes": notes_data(attribute.notes),
    }


def _exposed(found: Exposed) -> dict[str, Any]:
    return {"columns": list(found.columns), "k": found.k, "alone": found.alone}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    requirement, figure = verdict.requirement, verdict.figure
    subsets = verdict.failing_subsets
    return {
        "text": requirement.text,
        "model": requirement.model.key,
        "parameters": _parameters(requirement.model),
        "attribute": verdict.attribute,
        "threshold": threshold_data(requirement.threshold),
        **({} if requirement.any is None else {"any": requirement.any}),
        "holds": verdict.holds,
        "found": {**value_data(figure.value), "text": found_words(verdict)},
        "failing": {
            "classes": verdict.failing_classes,
            figure.unit: verdict.failing_rows,
            **({"at_most": True} if verdict.at_most else {}),
            **({} if subsets is None else {"subsets": subsets}),
        },
        "vacuous": verdict.vacuous,
        **({} if figure.known is None else {"known": list(figure.known)}),
        "worst": None if figure.worst is None else _worst(figure.worst),
    }


def trajectories_data(found: Trajectories | None) -> dict[str, int] | None:
    """Return by which sets of classes people are told apart; null where people are not counted."""
    if found is None:
        return None
    return {
        "several": found.several,
        "different": found.different,
        "unique": found.unique,
        "k": found.smallest,
    }


def _roles(roles: Roles) -> dict[str, Any]:
    return {
        "quasi": list(roles.quasi),
        "sensitive": {name: distance and distance_data(distance) for name, distance in roles.sensitive.items()},
        "identifiers": list(roles.identifiers),
        "person": EACH_ROW if roles.rows_are_people else roles.person,
        "together": roles.together,
        "publish": list(roles.publish),
        "pseudonym": roles.pseudonym,
        "shifted": list(roles.shifted),
        "others": roles.others,
    }


def distance_data(distance: Distance) -> dict[str, Any]:
    """Return how far apart two values are, as declared."""
    return {"distance": distance.word, **{name: _declared(value) for name, value in distance.declared.items()}}


def _declared(value: object) -> object:
    """Return what was declared by its word or path, or its values; None where they are withheld or kept in memory."""
    if isinstance(value, str | Path):
        return str(value)
    if not isinstance(value, tuple) or WITHHELD in value:
        return None
    return [cell_data(each) for each in value]


# What several releases say together, as JSON-ready data.


def composition_data(found: Composition) -> dict[str, Any]:
    """Return a composition as JSON-ready data; the schema of audits describes it."""
    return {
        "person": found.person,
        "linked": [_linked(each) for each in found.linked],
        "requirements": [_composed_verdict(verdict) for verdict in found.verdicts],
    }


def _linked(linked: Linked) -> dict[str, Any]:
    return {
        "previous": list(linked.previous),
        "classes": linked.classes,
        "people": linked.people,
        "attributes": {
            name: {
                "figures": {key: _composed_figure(figure) for key, figure in each.figures.items()},
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


def _composed_figure(figure: JointFigure) -> dict[str, Any]:
    worst = figure.worst
    keys = [key_data(key) for key in worst.keys]
    return {
        **value_data(figure.value),
        "worst": {"keys": keys, "sizes": list(worst.sizes), "people": worst.people, "tied": figure.tied},
    }


def _composed_verdict(verdict: JointVerdict) -> dict[str, Any]:
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
