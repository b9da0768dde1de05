"""A release as JSON: what was promised, what it cost, and what stands in the way where there is none."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from tclose._version import __version__
from tclose.models.catalogue import short
from tclose.releases import Obstacle, Release, Written
from tclose.render.cells import key_data
from tclose.render.folders import without_folders
from tclose.render.json import SCHEMA_VERSION, audit_data, value_data
from tclose.render.release_words import finite, kept_share, nearest, required_texts


def release_data(release: Release) -> dict[str, Any]:
    """Return a release as JSON-ready data; ``docs/release.schema.json`` describes it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tclose": __version__,
        "kind": "release",
        "source": release.source,
        "holds": release.holds,
        "requirements": required_texts(release.requirements),
        "method": release.method,
        "levels": None if release.levels is None else dict(release.levels),
        "rows": release.rows,
        "released": release.rows - release.suppressed if release.holds else 0,
        "suppressed": release.suppressed,
        "classes": release.classes,
        "kept": kept_share(release),
        "losses": {key: finite(value) for key, value in release.losses.items()},
        "column_losses": {name: finite(value) for name, value in release.column_losses.items()},
        "obstacles": [_obstacle(obstacle) for obstacle in release.obstacles],
        "notes": list(release.notes),
    }


def report_data(release: Release, written: Written) -> dict[str, Any]:
    """Return the report that goes beside a release: the release, its files and both audits, without folders."""
    return {
        **release_data(release),
        "source": without_folders(release.source),
        "files": {
            what: path.name
            for what, path in (("release", written.path), ("recipe", written.recipe), ("report", written.report))
            if path is not None
        },
        "audit": {**audit_data(written.audit), "source": written.path.name},
        "audit_against_original": {**audit_data(written.against_original), "source": written.path.name},
    }


def release_schema_text() -> str:
    """Return the JSON Schema of :func:`release_data` and :func:`report_data`."""
    return files("tclose.render").joinpath("release.schema.json").read_text(encoding="utf-8")


def _obstacle(obstacle: Obstacle) -> dict[str, Any]:
    requirement = obstacle.requirement
    return {
        "requirement": requirement.text,
        "model": requirement.model.key,
        "attribute": requirement.attribute,
        "threshold": short(requirement.threshold),
        "best": value_data(obstacle.value),
        "nearest": nearest(obstacle),
        "class": key_data(obstacle.key),
    }
