"""A profile as a document; of the table's values it shows none."""

from __future__ import annotations

from tclose.policy.profiling.profile import ColumnProfile, Profile
from tclose.reports.content.audits import notes
from tclose.reports.document import Cell, Document, Formula, Tone, section, table
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import counted, percent

_TITLES = ("column", "type", "values", "missing", "unique", "separates", "suggested role")
_TONES: dict[str, Tone] = {"identifier": "bad", "person": "bad", "remove": "soft", "undecided": "bad"}


def profile_document(profile: Profile) -> Document:
    """Return a profile as a document."""
    size = f"{counted(profile.rows, 'row')}, {counted(len(profile.columns), 'column')}"
    rows = [_row(column) for column in profile.columns]
    return Document(
        kind="Profile of a table",
        title=f"{visible(profile.source)}: {size}",
        lead=(),
        sections=(
            *section("", table(_TITLES, rows, name="Columns")),
            *section("Why", *map(Formula, _reasons(profile))),
            *section("What would change it", *map(Formula, _changes(profile))),
            *section("", notes((*_remarks(profile), *profile.notes))),
        ),
        name=f"Profile of {visible(profile.source)}",
    )


def _row(column: ColumnProfile) -> list[str | Cell]:
    about = "" if column.exact else "≈"
    role = f"{column.role}, {column.distance.word}" if column.distance else column.role
    tone = _TONES.get(column.role, "strong")
    return [
        Cell(visible(column.name), tone),
        column.type.lower(),
        f"{about}{column.distinct:,}",
        f"{column.nulls:,}",
        about + percent(column.uniqueness),
        about + percent(column.separation),
        Cell(role, tone),
    ]


def _reasons(profile: Profile) -> list[str]:
    """Return each reason for a role, and how sure it is, with the columns that it gave it to."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for column in profile.columns:
        reasons.setdefault((column.reason, column.confidence), []).append(visible(column.name))
    return [
        f"{', '.join(names)}: {visible(reason)} Confidence: {confidence}."
        for (reason, confidence), names in reasons.items()
    ]


def _changes(profile: Profile) -> list[str]:
    """Return what would give columns another role, each with the columns that it is said of."""
    changes: dict[str, list[str]] = {}
    for column in profile.columns:
        changes.setdefault(column.change, []).append(visible(column.name))
    return [f"{', '.join(names)}: {visible(change)}" for change, names in changes.items()]


def _remarks(profile: Profile) -> list[str]:
    remarks = ["Unique: different values per row. Separates: the share of all pairs of rows that it tells apart."]
    if not all(column.exact for column in profile.columns):
        remarks.append("≈ marks what was estimated rather than counted, because the table is large.")
    if profile.null:
        remarks.append(
            "Some columns are numbers but for a code, which counts as a missing value here; a policy written from this "
            "profile says so ([table] null)."
        )
    remarks.append("The roles are suggestions from names and counts; read them before you rely on them.")
    return remarks
