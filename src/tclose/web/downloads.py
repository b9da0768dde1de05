"""What can be taken away: the release, its recipe and report, the audit and the policy file."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tclose.anonymization.releases import Release, Written
from tclose.auditing.results import Audit
from tclose.data.labels import public
from tclose.policy.parts import About
from tclose.policy.policy import Policy
from tclose.policy.roles import Distance, Hierarchical, Roles
from tclose.policy.writing import policy_text
from tclose.reports.machine_readable.audits import json_text
from tclose.reports.machine_readable.croissant import dataset_statement
from tclose.reports.machine_readable.openlineage import Handed
from tclose.web.work import Made

# The package that is handed over: the release, its reports, the policy it meets, a statement, and checksums of all.


_CHUNK = 1 << 20
_READ_ME = """What is handed over with {name}

release.csv       the table
report.html       what was required and found, to read, print and sign
report.json       the same for machines
tclose.toml       the policy that the release meets: tclose audit release.csv --policy tclose.toml
statement.jsonld  what this is, its columns, and checksums (Croissant)
SHA256SUMS        checksums of every other file: sha256sum --check SHA256SUMS

The recipe by which the release was made is not here. It holds values of the original: it is secret, and stays with it.
"""


def write_package(place: Path, release: Release, written: Written, policy: Policy) -> None:
    """Write the package of a release as a zip file; the recipe, which holds values of the original, is not in it.

    Parameters
    ----------
    place
        The file to write.
    release, written
        The release, and the file that it was written to.
    policy
        What the release was made for.
    """
    name = public(release.source)
    texts = {
        "report.html": release.to_html(written, about=policy.about),
        "report.json": written.report.read_text(encoding="utf-8") if written.report is not None else "",
        "tclose.toml": policy_text(handed_over(policy)),
    }
    texts["README.txt"] = _READ_ME.format(name=name)
    with zipfile.ZipFile(place, "x", zipfile.ZIP_DEFLATED) as package:
        sums = {"release.csv": _added(package, "release.csv", _chunks(written.path))}
        for file, text in texts.items():
            sums[file] = _added(package, file, iter([text.encode()]))
        handed = [Handed(file, digest, package.getinfo(file).file_size) for file, digest in sums.items()]
        told = json_text(dataset_statement(release, handed))
        sums["statement.jsonld"] = _added(package, "statement.jsonld", iter([told.encode()]))
        lines = "".join(f"{digest}  {file}\n" for file, digest in sums.items())
        package.writestr("SHA256SUMS", lines)


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            yield chunk


def _added(package: zipfile.ZipFile, name: str, chunks: Iterator[bytes]) -> str:
    """Add a file to a package, and return its checksum."""
    digest = hashlib.sha256()
    with package.open(name, "w", force_zip64=True) as file:
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
    return digest.hexdigest()


def handed_over(policy: Policy) -> Policy:
    """Return what of a policy a recipient may know: the roles and requirements by which the release can be audited.

    Hierarchies of quasi-identifiers hold values of the original, and files have folders of this machine.
    """
    roles = policy.roles
    sensitive = {name: distance and _without_folder(distance) for name, distance in roles.sensitive.items()}
    known = Roles(roles.quasi, sensitive, together=roles.together, publish=roles.publish)
    return Policy(roles=known, required=policy.required, read=policy.read, about=policy.about)


def _without_folder(distance: Distance) -> Distance:
    if isinstance(distance, Hierarchical) and isinstance(distance.tree, str | Path):
        return replace(distance, tree=Path(distance.tree).name)
    return distance


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
