"""What can be taken away: the release, its recipe and report, the audit and the policy file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tclose.policy.parts import About
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
ZIP = "application/zip"


def _audit_report(audit: Audit, about: About, name: str = "audit.html") -> Download:
    return Download(name, HTML, audit.to_html(about=about))


_OF_AUDITS: dict[str, Callable[[Audit, About], Download]] = {
    "audit.html": _audit_report,
    "audit.json": lambda audit, _about: Download("audit.json", JSON, audit.to_json()),
    "audit.confidential.html": lambda audit, about: _audit_report(
        audit.with_people(), about, "audit.confidential.html"
    ),
}


def _release_report(made: Made, about: About) -> Download:
    return Download("report.html", HTML, made.release.to_html(made.written, about=about))


def _owners_report(made: Made, about: About) -> Download:
    """Return the report that tells everything, which stays with the original."""
    told = made.release.with_original().to_html(made.written, frontier=made.frontier, about=about)
    return Download("report.confidential.html", HTML, told)


def _written(made: Made, name: str, media_type: str) -> Download:
    """Return the release in a further format, written and audited when first asked for."""
    path = made.folder / name
    if not path.exists():
        made.release.write(path)
    return Download(name, media_type, path=path)


def _package(made: Made, about: About) -> Download:
    """Return the package that is handed over, made for those that are named in its report."""
    from tclose.web.packages import write_package

    told = repr((about, made.release.attack))
    path = made.folder / f"release-{hashlib.sha256(told.encode()).hexdigest()[:16]}.zip"
    if not path.exists():
        partial = path.with_suffix(".partial")
        try:
            write_package(partial, made.release, made.written, replace(made.policy, about=about))
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    return Download("release.zip", ZIP, path=path)


_OF_RELEASES: dict[str, Callable[[Made, About], Download]] = {
    "release.csv": lambda made, _about: Download("release.csv", CSV, path=made.written.path),
    "release.parquet": lambda made, _about: _written(made, "release.parquet", PARQUET),
    "release.jsonl": lambda made, _about: _written(made, "release.jsonl", LINES),
    "recipe.json": lambda made, _about: Download("release.csv.recipe.json", JSON, path=made.written.recipe),
    "report.json": lambda made, _about: Download("release.csv.report.json", JSON, path=made.written.report),
    "report.html": _release_report,
    "report.confidential.html": _owners_report,
    "release.zip": _package,
}

NAMES = (*_OF_AUDITS, *_OF_RELEASES)
"""Everything that can be taken away."""


def download(kept: object, name: str, about: About) -> Download | None:
    """Return a file of what a job kept, with what a report says of people; None where it has no such file."""
    if isinstance(kept, Audit) and name in _OF_AUDITS:
        return _OF_AUDITS[name](kept, about)
    if isinstance(kept, Made) and name in _OF_RELEASES:
        return _OF_RELEASES[name](kept, about)
    return None
