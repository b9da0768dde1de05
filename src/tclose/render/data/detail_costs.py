"""What costs the detail of a release as JSON."""

from __future__ import annotations

from typing import Any

from tclose.detail_costs import Advice, ColumnCost, DetailCosts, RequirementCost
from tclose.exact import written
from tclose.models.catalogue import Requirement
from tclose.render.words.detail_costs import advice_sentence, required_text


def why_data(costs: DetailCosts | None) -> dict[str, Any] | None:
    """Return what costs the detail; null where that was not measured."""
    if costs is None:
        return None
    return {
        "kept": costs.kept,
        "compared": costs.compared,
        "columns": [_column(each) for each in costs.columns],
        "requirements": [_requirement(each) for each in costs.requirements],
        "advice": None if costs.advice is None else {"text": advice_sentence(costs), **_advice(costs.advice)},
    }


def _column(cost: ColumnCost) -> dict[str, Any]:
    return {
        "column": cost.column,
        "kept": cost.kept,
        "others": cost.others,
        "others_without": cost.others_without,
    }


def _requirement(cost: RequirementCost) -> dict[str, Any]:
    return {
        **_required(cost.requirement),
        "binds": cost.binds,
        "kept_without": cost.kept_without,
        "looser": None if cost.looser is None else _required(cost.looser),
        "kept_looser": cost.kept_looser,
        "most_classes": cost.most_classes,
    }


def _required(requirement: Requirement) -> dict[str, Any]:
    return {
        "requirement": required_text(requirement),
        "model": requirement.model.key,
        "attribute": requirement.attribute,
        "threshold": written(requirement.threshold),
    }


def _advice(advice: Advice) -> dict[str, Any]:
    return {
        "kind": advice.kind,
        "kept": advice.kept,
        "before": advice.before,
        "column": advice.column,
        "hierarchy": advice.hierarchy,
        "method": advice.method,
        "suppress": None if advice.suppress is None else written(advice.suppress),
        "requirement": None if advice.requirement is None else _required(advice.requirement),
    }
