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

from tclose._version import __version__
from tclose.models.base import Model
from tclose.render.cells import WITHHELD, cell_data, key_data
from tclose.results import AttributeAudit, Audit, Figure, Value, Verdict, WorstClass
from tclose.roles import Distance, Hierarchical, Ordered, Roles

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
    return files("tclose.render").joinpath("audit.schema.json").read_text(encoding="utf-8")


def audit_data(audit: Audit) -> dict[str, Any]:
    """Return an audit as JSON-ready data; ``docs/audit.schema.json`` describes it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tclose_version": __version__,
        "source": audit.source,
        "rows": audit.rows,
        "classes": audit.class_count,
        "holds": audit.holds,
        "roles": _roles(audit.roles),
        "reference": audit.reference,
        "requirements": [_verdict(verdict) for verdict in audit.verdicts],
        **_figures(audit.figures),
        "attributes": {name: _attribute(attribute) for name, attribute in audit.attributes.items()},
        "notes": list(audit.notes),
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


def _figures(figures: Mapping[str, Figure]) -> dict[str, Any]:
    return {key: _figure(figure) for key, figure in figures.items()}


def _figure(figure: Figure) -> dict[str, Any]:
    data = value_data(figure.value)
    if parameters := _parameters(figure.model):
        data["parameters"] = parameters
    if figure.worst is not None:
        data["worst"] = _worst(figure.worst)
    if figure.details:
        data["details"] = {name: value_data(value) for name, value in figure.details.items()}
    return data


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
        "notes": list(attribute.notes),
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    requirement = verdict.requirement
    return {
        "text": requirement.text,
        "model": requirement.model.key,
        "parameters": _parameters(requirement.model),
        "attribute": verdict.attribute,
        "threshold": value_data(requirement.threshold),
        "holds": verdict.holds,
        "found": value_data(verdict.figure.value),
        "failing": {"classes": verdict.failing_classes, "rows": verdict.failing_rows},
        "vacuous": verdict.vacuous,
        "worst": None if verdict.figure.worst is None else _worst(verdict.figure.worst),
    }


def _roles(roles: Roles) -> dict[str, Any]:
    return {
        "quasi": list(roles.quasi),
        "sensitive": {name: distance and distance_data(distance) for name, distance in roles.sensitive.items()},
        "identifiers": list(roles.identifiers),
        "together": roles.together,
    }


def distance_data(distance: Distance) -> dict[str, Any]:
    """Return how far apart two values are, as declared."""
    data: dict[str, Any] = {"distance": distance.word, "nulls": distance.nulls}
    if isinstance(distance, Ordered):
        data["order"] = _order(distance.order)
    if isinstance(distance, Hierarchical):
        named = isinstance(distance.tree, str | Path)
        data["hierarchy"] = str(distance.tree) if named else None
    return data


def _order(order: str | tuple[object, ...]) -> object:
    """Return an order by its word, or its values; None where they are withheld."""
    if isinstance(order, str):
        return order
    return None if WITHHELD in order else [cell_data(value) for value in order]
