"""A release as JSON: what was promised, what it cost, and what stands in the way where there is none."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from tclose import __version__
from tclose.anonymization.detail_costs import Advice, ColumnCost, DetailCosts, RequirementCost
from tclose.anonymization.recipes import Recipe
from tclose.anonymization.releases import Binding, Obstacle, Release, Written
from tclose.auditing.verdicts import reasons_data
from tclose.engines.pseudonyms import Revealed
from tclose.errors import notes_data
from tclose.models.catalogue import Requirement
from tclose.policy.exact_numbers import written
from tclose.reports.machine_readable.attacks import attack_data
from tclose.reports.machine_readable.audits import SCHEMA_VERSION, audit_data, finite, trajectories_data, value_data
from tclose.reports.phrases.cells import key_data, unfoldered_result
from tclose.reports.phrases.releases import (
    ORIGINAL_WITHHELD,
    advice_sentence,
    beside,
    kept_share,
    nearest,
    required_text,
    required_texts,
    shown_key,
)

# What costs the detail of a release as JSON.


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


def release_data(release: Release) -> dict[str, Any]:
    """Return a release as JSON-ready data; ``docs/release.schema.json`` describes it."""
    release = beside(release)
    return {
        "schema_version": SCHEMA_VERSION,
        "tclose": __version__,
        "kind": "release",
        "source": release.source,
        "confidential": release.tells_original,
        "holds": release.holds,
        "verdict": release.verdict,
        "reasons": reasons_data(release.reasons),
        "unprotected": list(release.unprotected),
        "requirements": required_texts(release.requirements),
        "method": release.method,
        "points": None if release.recipe is None or release.recipe.points is None else release.recipe.points.form,
        "published_counts": published_counts_data(release.recipe),
        "levels": None if release.levels is None else dict(release.levels),
        "rows": release.original_rows,
        "people": release.people,
        "released": release.released_rows,
        "suppressed": release.suppressed,
        "classes": release.class_count,
        "kept": kept_share(release),
        "losses": {key: finite(value) for key, value in release.losses.items()},
        "column_losses": {name: finite(value) for name, value in release.column_losses.items()},
        "slack": None if release.slack is None else value_data(release.slack),
        "revealed": _revealed(release.revealed),
        "obstacles": [_obstacle(release, obstacle) for obstacle in release.obstacles],
        "binding": None if release.binding is None else _binding(release.binding),
        "why": why_data(release.why),
        "attack": None if release.attack is None else attack_data(release.attack),
        "notes": notes_data(release.notes),
    }


def published_counts_data(recipe: Recipe | None) -> list[dict[str, Any]] | None:
    """Return the counts to which points are fitted; null where none are published."""
    if recipe is None or not recipe.published_counts:
        return None
    return [
        {"column": name, "counts": [{"of": of, "count": count} for of, count in counts]}
        for name, counts in recipe.published_counts.items()
    ]


def _revealed(found: Revealed | None) -> dict[str, Any] | None:
    """Return what pseudonyms and shifted dates give away; null where there are none."""
    if found is None:
        return None
    dates = {
        "days": found.days,
        "units": found.units,
        "alone": found.alone,
        "fewest_offsets": found.fewest,
        "offset_known": found.known,
    }
    return {
        "linked": trajectories_data(found.linked),
        "dates": None if found.days is None else dates,
    }


def report_data(release: Release, written: Written) -> dict[str, Any]:
    """Return the report that goes beside a release: the release, its files and both audits, without folders."""
    return {
        **release_data(unfoldered_result(release)),
        "files": {
            what: path.name
            for what, path in (("release", written.path), ("recipe", written.recipe), ("report", written.report))
            if path is not None
        },
        "audit": {**audit_data(written.audit), "source": written.path.name},
        "audit_against_original": _against_original(release, written),
    }


def _against_original(release: Release, written: Written) -> dict[str, Any]:
    """Return the audit against the original's distribution; where rows were left out, no more than its verdicts.

    Its figures follow from the values of the rows that were left out, and whoever has the release finds them by trying.
    """
    audit = written.against_original
    if not release.withholds_original:
        return {**audit_data(audit), "source": written.path.name}
    return {
        "source": written.path.name,
        "reference": audit.reference,
        "holds": audit.holds,
        "verdict": audit.verdict,
        "withheld": ORIGINAL_WITHHELD,
        "requirements": [
            {"text": each.requirement.text, "attribute": each.attribute, "holds": each.holds} for each in audit.verdicts
        ],
    }


def release_schema_text() -> str:
    """Return the JSON Schema of :func:`release_data` and :func:`report_data`."""
    return files("tclose.reports.machine_readable").joinpath("release.schema.json").read_text(encoding="utf-8")


def _binding(binding: Binding) -> dict[str, Any]:
    """Return why nothing is kept: the requirements that bind, each with the nearest by which the column keeps some."""
    bound = [
        {
            "requirement": each.requirement.text,
            "model": each.requirement.model.key,
            "attribute": each.requirement.attribute,
            "nearest": nearest(each),
        }
        for each in binding.obstacles
    ]
    return {"column": binding.column, "groups": binding.groups, "requirements": bound}


def _obstacle(release: Release, obstacle: Obstacle) -> dict[str, Any]:
    requirement = obstacle.requirement
    return {
        "requirement": requirement.text,
        "model": requirement.model.key,
        "attribute": requirement.attribute,
        "threshold": written(requirement.threshold),
        "best": value_data(obstacle.value),
        "nearest": nearest(obstacle),
        "proven": obstacle.proven,
        "class": key_data(shown_key(release, obstacle)),
    }
