"""A frontier as JSON and CSV."""

from __future__ import annotations

import csv
import io
from typing import Any

from tclose import __version__
from tclose.anonymization.frontier_points import Frontier, Point
from tclose.errors import notes_data
from tclose.policy.exact_numbers import written
from tclose.reports.machine_readable.audits import SCHEMA_VERSION, finite, threshold_data
from tclose.reports.phrases.releases import required_texts


def frontier_data(frontier: Frontier) -> dict[str, Any]:
    """Return a frontier as JSON-ready data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tclose": __version__,
        "kind": "frontier",
        "source": frontier.source,
        "rows": frontier.rows,
        "people": frontier.people,
        "requirements": required_texts(frontier.requirements),
        "sweep": frontier.sweep,
        "loss": frontier.loss,
        "methods": list(frontier.methods),
        "points": [_point_data(frontier, point) for point in frontier.points],
        "notes": notes_data(frontier.notes),
    }


def _point_data(frontier: Frontier, point: Point) -> dict[str, Any]:
    return {
        "method": point.method,
        "threshold": threshold_data(point.threshold),
        "holds": point.holds,
        "loss": finite(point.loss),
        "kept": finite(point.kept),
        "classes": point.classes,
        "suppressed": point.suppressed,
        "best": point == frontier.best(point.threshold),
    }


def frontier_csv(frontier: Frontier) -> str:
    """Return a frontier as CSV, a line for each search."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["method", frontier.sweep, "holds", "loss", "kept", "classes", "suppressed"])
    for point in frontier.points:
        measured = ["" if value is None else repr(value) for value in (point.loss, point.kept)]
        holds = str(point.holds).lower()
        writer.writerow([point.method, written(point.threshold), holds, *measured, point.classes, point.suppressed])
    return text.getvalue()
