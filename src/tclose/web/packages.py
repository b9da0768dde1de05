"""The package that is handed over: the release, its reports, the policy it meets, a statement, and checksums of all."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tclose.labels import public
from tclose.policy import Policy
from tclose.policy.writing import policy_text
from tclose.releases import Release, Written
from tclose.render.data.json import json_text
from tclose.render.data.lineage import Handed
from tclose.render.data.statements import dataset_statement
from tclose.roles import Distance, Hierarchical, Roles

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
