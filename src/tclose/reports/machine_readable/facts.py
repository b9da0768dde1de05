"""What someone learns who knows facts about a person, as JSON-ready data."""

from __future__ import annotations

from typing import Any

from tclose.auditing.facts import Candidates, Drawn, FactFigure, Facts, FactVerdict, Power
from tclose.reports.machine_readable.audits import threshold_data, value_data
from tclose.reports.phrases.cells import key_data


def facts_data(found: Facts) -> dict[str, Any]:
    """Return the figures for each number of facts, and what they are of; the schema of audits describes it."""
    return {
        "facts": [_power(power) for power in found.powers],
        "known_facts": {
            "asked": found.asked,
            "largest": found.largest,
            "counted": "multiset" if found.repeated else "set",
            "people": found.people,
            "fewer_than": found.fewer_than,
            "tables": [
                {
                    "source": each.label,
                    "rows": each.rows,
                    "people": each.people,
                    "traits": list(each.traits),
                    "facts": list(each.facts),
                }
                for each in found.tables
            ],
            "drivers": None if found.drivers is None else dict(found.drivers),
            "requirements": [_verdict(verdict) for verdict in found.verdicts],
        },
    }


def _power(power: Power) -> dict[str, Any]:
    by_model: dict[str, dict[str, Any]] = {}
    for name, figures in power.attributes.items():
        for key, figure in figures.items():
            by_model.setdefault(key, {})[name] = _figure(figure)
    return {
        "known": power.known,
        "sets": power.sets,
        "k": int(power.k.value),
        "alone": power.alone,
        "fewer": power.fewer,
        **by_model,
        "worst": _candidates(power.k),
        **({} if power.drawn is None else {"drawn": _drawn(power.drawn)}),
    }


def _drawn(drawn: Drawn) -> dict[str, Any]:
    return {"people": drawn.people, "fewer": drawn.fewer, "at_least": drawn.low, "at_most": drawn.high}


def _figure(figure: FactFigure) -> dict[str, Any]:
    return {**value_data(figure.value), "worst": _candidates(figure)}


def _candidates(figure: FactFigure) -> dict[str, Any]:
    worst: Candidates = figure.worst
    return {
        "base": key_data(worst.base),
        "facts": [{"table": fact.table, "cells": key_data(fact.cells)} for fact in worst.facts],
        "size": worst.size,
        "tied": figure.tied,
    }


def _verdict(verdict: FactVerdict) -> dict[str, Any]:
    requirement = verdict.requirement
    return {
        "text": verdict.text,
        "model": requirement.model.key,
        "attribute": requirement.attribute,
        "threshold": threshold_data(requirement.threshold),
        "known": verdict.known,
        "holds": verdict.holds,
        "found": value_data(verdict.figure.value),
        "failing": verdict.failing,
        "worst": _candidates(verdict.figure),
    }
