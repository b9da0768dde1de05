"""What can be taken away: the release, its recipe and report, the audit and the policy file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tclose.results import Audit
from tclose.web.work import Made


@dataclass(frozen=True)
class Download:
    """A file to hand over: its text, or where it is."""

    name: str
    media_type: str
    text: str | None = None
    path: Path | None = None


CSV, PARQUET, JSON, LINES, HTML = (
    "text/csv",
    "application/vnd.apache.parquet",
    "application/json",
    "application/jsonl",
    "text/html",
)


def _audit_report(audit: Audit) -> Download:
    return Download("audit.html", HTML, audit.to_html())


def _audit_json(audit: Audit) -> Download:
    return Download("audit.json", JSON, audit.to_json())


_OF_AUDITS: dict[str, Callable[[Audit], Download]] = {"audit.html": _audit_report, "audit.json": _audit_json}


def _release_report(made: Made) -> Download:
    return Download("report.html", HTML, made.release.to_html(made.written))


def _written(made: Made, name: str, media_type: str) -> Download:
    """Return the release in a further format, written and audited when first asked for."""
    path = made.folder / name
    if not path.exists():
        made.release.write(path)
    return Download(name, media_type, path=path)


_OF_RELEASES: dict[str, Callable[[Made], Download]] = {
    "release.csv": lambda made: Download("release.csv", CSV, path=made.written.path),
    "release.parquet": lambda made: _written(made, "release.parquet", PARQUET),
    "release.jsonl": lambda made: _written(made, "release.jsonl", LINES),
    "recipe.json": lambda made: Download("release.csv.recipe.json", JSON, path=made.written.recipe),
    "report.json": lambda made: Download("release.csv.report.json", JSON, path=made.written.report),
    "report.html": _release_report,
}

NAMES = (*_OF_AUDITS, *_OF_RELEASES)
"""Everything that can be taken away."""


def download(kept: object, name: str) -> Download | None:
    """Return a file of what a job kept; None where it has no such file."""
    if isinstance(kept, Audit) and name in _OF_AUDITS:
        return _OF_AUDITS[name](kept)
    if isinstance(kept, Made) and name in _OF_RELEASES:
        return _OF_RELEASES[name](kept)
    return None
