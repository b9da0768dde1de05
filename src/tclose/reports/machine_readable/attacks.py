"""An attack as JSON."""

from __future__ import annotations

from dataclasses import asdict
from importlib.resources import files
from typing import Any

from tclose import __version__
from tclose.attacks.catalogue import ATTACKERS
from tclose.attacks.findings import Attack, Exposure, Outcome
from tclose.errors import notes_data
from tclose.policy.exact_numbers import written
from tclose.reports.machine_readable.audits import SCHEMA_VERSION
from tclose.reports.phrases.releases import required_texts


def attack_schema_text() -> str:
    """Return the JSON Schema of :func:`attack_data`."""
    return files("tclose.reports.machine_readable").joinpath("attack.schema.json").read_text(encoding="utf-8")


def attack_data(attack: Attack) -> dict[str, Any]:
    """Return an attack as JSON-ready data; ``docs/attack.schema.json`` describes it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tclose": __version__,
        "kind": "attack",
        "source": attack.source,
        "holds": attack.holds,
        "limit": None if attack.limit is None else written(attack.limit),
        "gain": attack.gain,
        "rows": attack.rows,
        "people": attack.people,
        "divisions": attack.divisions,
        "method": attack.method,
        "kept": attack.kept,
        "requirements": required_texts(attack.requirements),
        "beyond": {name: written(t) for name, t in attack.beyond.items()},
        "rho": dict(attack.rho),
        "withheld_below": attack.few if attack.hides else None,
        "confidential": attack.has_few and attack.shows_people,
        "attackers": [outcome_data(attack, outcome) for outcome in attack.outcomes],
        "notes": notes_data(attack.notes),
    }


def outcome_data(attack: Attack, outcome: Outcome) -> dict[str, Any]:
    """Return what one attacker got, as JSON-ready data."""
    members, control, prior = outcome.accuracy
    return {
        "attacker": outcome.attacker,
        "knows": ATTACKERS[outcome.attacker].knows,
        "attribute": outcome.attribute,
        "people": outcome.people,
        "beyond_t": outcome.beyond,
        "claims": outcome.claims,
        "right": outcome.right,
        "said": outcome.said,
        "control_people": outcome.control_people,
        "control_claims": outcome.control_claims,
        "control_right": outcome.control_right,
        "risk": outcome.risk,
        "gain": None if outcome.gain is None else asdict(outcome.gain),
        "accuracy": {"members": members, "control": control, "prior": prior},
        "by_value": [_exposure(each) for each in attack.told(outcome.by_value)],
        "by_class_size": [_exposure(each) for each in attack.told(outcome.by_size)],
    }


def _exposure(exposure: Exposure) -> dict[str, Any]:
    counted = {name: number for name, number in asdict(exposure).items() if name != "persons"}
    return {**counted, "difference": exposure.difference}
