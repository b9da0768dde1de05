"""A profile as text, JSON and HTML; of the table's values it shows none."""

from __future__ import annotations

from typing import Any

from tclose.exact import decimal_text
from tclose.profiling import ColumnProfile, Profile
from tclose.render.cells import visible
from tclose.render.html import rendered
from tclose.render.json import SCHEMA_VERSION, value_data
from tclose.render.layout import Cell, aligned, painted, wrapped
from tclose.render.words import counted

_TITLES = ("column", "type", "values", "missing", "unique", "separates", "suggested role")


def profile_data(profile: Profile) -> dict[str, Any]:
    """Return a profile as JSON-ready data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "source": profile.source,
        "rows": profile.rows,
        "columns": {column.name: _column_data(column) for column in profile.columns},
        "notes": list(profile.notes),
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
    }


def profile_text(profile: Profile, *, width: int | None = None, colour: bool = False) -> str:
    """Return a profile as text."""
    width = max(40, width or 80)
    styles = {"identifier": "bad", "quasi-identifier": "bold", "sensitive": "bold", "insensitive": "dim"}
    rows = [
        [Cell(text, styles[column.role] if at in (0, 6) else "") for at, text in enumerate(_cells(column))]
        for column in profile.columns
    ]
    lines = [painted(line, "bold", colour=colour) for line in wrapped(_heading(profile), width)] + [""]
    lines += aligned([[Cell(title, "dim") for title in _TITLES], *rows], width, colour=colour)
    lines += ["", "Why"]
    for reason, names in _reasons(profile).items():
        listed_names = ", ".join(visible(name) for name in names)
        lines += wrapped(f"{listed_names}: {visible(reason)}", width, first="  ", rest="    ")
    for note in (*_remarks(profile), *profile.notes):
        lines += wrapped(visible(note), width, first="  • ", rest="    ")
    return "\n".join(lines)


def profile_html(profile: Profile) -> str:
    """Return a profile as an HTML fragment."""
    rows = [{"cells": _cells(column), "reason": visible(column.reason)} for column in profile.columns]
    notes = [visible(note) for note in (*_remarks(profile), *profile.notes)]
    return rendered("profile.html", heading=_heading(profile), titles=_TITLES, rows=rows, notes=notes)


def _reasons(profile: Profile) -> dict[str, list[str]]:
    """Return the columns of each reason."""
    reasons: dict[str, list[str]] = {}
    for column in profile.columns:
        reasons.setdefault(column.reason, []).append(column.name)
    return reasons


def _heading(profile: Profile) -> str:
    size = f"{counted(profile.rows, 'row')}, {counted(len(profile.columns), 'column')}"
    return f"{visible(profile.source)}: {size}"


def _cells(column: ColumnProfile) -> list[str]:
    about = "" if column.exact else "≈"
    role = f"{column.role}, {column.distance.word}" if column.distance else column.role
    return [
        visible(column.name),
        column.type.lower(),
        f"{about}{column.distinct:,}",
        f"{column.nulls:,}",
        about + _percent(float(column.uniqueness)),
        about + _percent(float(column.separation)),
        role,
    ]


def _percent(share: float) -> str:
    """Return a share in percent, never rounded to a false none or all."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{decimal_text(100 * share, 1)}%"


def _remarks(profile: Profile) -> list[str]:
    remarks = ["Unique: different values per row. Separates: the share of all pairs of rows that it tells apart."]
    if not all(column.exact for column in profile.columns):
        remarks.append("≈ marks what was estimated rather than counted, because the table is large.")
    remarks.append("The roles are suggestions from names and counts; read them before you rely on them.")
    return remarks
