"""The scores of a release as JSON-ready data."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from tclose import __version__
from tclose.anonymization.scores import Bias, Scores
from tclose.data.labels import public
from tclose.errors import notes_data

SCHEMA_VERSION = 1
"""Raised when a field changes its meaning or goes away; new fields do not raise it."""


def scores_data(scores: Scores) -> dict[str, Any]:
    """Return scores as JSON-ready data; ``docs/usefulness.schema.json`` describes it."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tclose_version": __version__,
        "kind": "usefulness",
        "confidential": True,
        "release": public(scores.release),
        "original": public(scores.original),
        "rows": {"release": scores.rows, "original": scores.original_rows},
        "columns": list(scores.columns),
        "marginals": [{"columns": by, "score": score} for by, score in scores.marginals.items()],
        "propensity": scores.propensity,
        "matches": {
            "unique": scores.matches.unique,
            "found": scores.matches.found,
            "chance": scores.matches.chance,
        },
        "correlations": [
            {
                "columns": [each.first, each.second],
                "measure": each.measure,
                "original": each.original,
                "release": each.release,
            }
            for each in scores.correlations
        ],
        "biases": [_bias(each) for each in scores.biases],
        "notes": notes_data(scores.notes),
    }


def _bias(each: Bias) -> dict[str, Any]:
    return {
        "what": each.what,
        "column": each.column,
        "on": each.on,
        "original": each.original,
        "release": each.release,
        "moved": each.moved,
        "overlap": each.overlap,
        "warned": each.warned,
    }


def scores_schema_text() -> str:
    """Return the JSON Schema of :func:`scores_data`."""
    return files("tclose.reports.machine_readable").joinpath("usefulness.schema.json").read_text(encoding="utf-8")
