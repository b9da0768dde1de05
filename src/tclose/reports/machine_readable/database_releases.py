"""A release of several tables about the same people, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tclose.anonymization.database.release import DatabaseRelease
    from tclose.auditing.facts.database_audits import DatabaseAudit

SCHEMA_VERSION = 1


def data_of_database(release: DatabaseRelease, audit: DatabaseAudit) -> dict[str, Any]:
    """Return what was released of several tables as JSON-ready data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "holds": audit.holds,
        "verdict": audit.verdict,
        "detail": release.detail,
        "tables": [
            {"name": name, "rows": len(next(iter(columns.values()))), "columns": list(columns)}
            for name, columns in release.tables.items()
        ],
        "kept": [
            {"table": k.table, "column": k.column, "before": k.before, "after": k.after, "detail": k.detail}
            for k in release.kept
        ],
        "notes": [note.text for note in release.notes],
        "audit": audit.to_dict(),
    }
