"""What someone learns who knows facts about a person, as JSON-ready data."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from tclose.auditing.facts import Candidates, Drawn, FactFigure, Facts, FactVerdict, Linked, Power
from tclose.reports.machine_readable.audits import schema_text, threshold_data, value_data
from tclose.reports.phrases.cells import key_data


def database_schema_text() -> str:
    """Return the JSON Schema of the audit of a database: what the schema of audits has, and its own."""
    whole = json.loads(schema_text())
    shared = ("schema_version", "tclose_version", "holds", "verdict", "reasons")
    own = ("facts", "known_facts")
    by_table = {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}
    schema = {
        "$schema": whole["$schema"],
        "$id": "urn:tclose:database:1",
        "title": "An audit of several tables about the same people by tclose",
        "description": "What the tables give away together to someone who knows traits and some facts of a person, "
        "and whether they meet their requirements.",
        "type": "object",
        "required": [*shared, "withheld", "naming", *own],
        "properties": {
            **{name: whole["properties"][name] for name in shared},
            "withheld": {**by_table, "description": "By table, the columns that it has although its policy withholds "
                         "them."},
            "naming": {**by_table, "description": "By table, the columns that name people."},
            **{name: whole["properties"][name] for name in own},
        },
        "additionalProperties": False,
        "$defs": whole["$defs"],
    }  # fmt: skip
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"


_COLUMNS = ("known", "model", "attribute", "value", "exact", "candidates", "sets", "alone", "fewer")


def facts_csv(found: Facts) -> str:
    """Return the figures for each number of facts as CSV; no trait and no cell of a fact is in it."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for power in found.powers:
        named = [("", "k", power.k)]
        named += [(name, key, each) for name, figures in power.attributes.items() for key, each in figures.items()]
        for name, key, each in named:
            value = value_data(each.value)
            size = each.worst.size
            writer.writerow(
                [power.known, key, name, value["value"], value.get("exact", ""), size, each.tied, power.alone,
                 power.fewer]
            )  # fmt: skip
    return text.getvalue()


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


def linked_data(linked: Linked) -> dict[str, Any]:
    """Return how many people a few of their rows tell apart."""
    return {"known": linked.known, "alone": linked.alone, "people": linked.people, "at_least": linked.at_least}


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
