"""A profile as JSON."""

from __future__ import annotations

from typing import Any

from tclose.errors import notes_data
from tclose.policy.profiling.profile import ColumnProfile, Profile
from tclose.reports.machine_readable.audits import SCHEMA_VERSION, value_data


def profile_data(profile: Profile) -> dict[str, Any]:
    """Return a profile as JSON-ready data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "source": profile.source,
        "rows": profile.rows,
        "columns": {column.name: _column_data(column) for column in profile.columns},
        "hierarchies": dict(profile.hierarchies),
        "thresholds": {name: dict(by) for name, by in profile.thresholds.items()},
        "notes": notes_data(profile.notes),
    }


def _column_data(column: ColumnProfile) -> dict[str, Any]:
    return {
        "type": column.type,
        "nulls": column.nulls,
        "distinct": column.distinct,
        "uniqueness": value_data(column.uniqueness),
        "separation": value_data(column.separation),
        "exact": column.exact,
        "role": column.role,
        "distance": column.distance and column.distance.word,
        "reason": column.reason,
        "confidence": column.confidence,
        "change": column.change,
    }
