"""The verb ``verify``: a file of a release against its certificate, and for the owner against the original."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from tclose.anonymization.apply import apply
from tclose.anonymization.certificates import (
    Attested,
    Certificate,
    CertifiedFigure,
    FileAlone,
    certificate_bytes,
    parse_certificate,
)
from tclose.anonymization.engine_release import EngineWork
from tclose.anonymization.file_audit import audited_alone
from tclose.anonymization.recipes import Recipe, read_recipe, requirement_kept
from tclose.anonymization.releases import Release
from tclose.anonymization.verifications import Comparison, Judged, Verification
from tclose.auditing.results import Audit
from tclose.auditing.verdicts import Reason, reason_of
from tclose.data.labels import named_in_full
from tclose.data.progress import Report, shows_progress, silent
from tclose.data.sources import FileSource, ReadOptions, locate
from tclose.engines.base import Engine, Progress
from tclose.errors import Ask, CertificateError, Hint, InputError, SourceError

_NEAR = 1e-9
"""So far apart, as a share, may two floats be that stand for the same figure: those without an exact fraction."""


@shows_progress
def verify(
    table: str | Path,
    certificate: Certificate | str | Path,
    *,
    original: object = None,
    recipe: Recipe | str | Path | None = None,
    key: bytes | None = None,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Check the file of a release against its certificate.

    What the file alone gives is counted again: its SHA-256, rows, classes and figures against its own distribution.
    What only the owner of the original can know is attested by the certificate, and not checked, unless the original
    and the recipe are at hand.

    Parameters
    ----------
    table
        The file.
    certificate
        A certificate, or the file of one.
    original, recipe
        The table that the release was made from and the recipe of the release, for its owner: the release is made
        again, compared with the file, and its people are counted.
    key
        The secret of pseudonyms and shifted dates, where the recipe was made with one.
    read
        How the original is read, where it is named; else how the file is.
    memory, threads, temp, progress
        As for :func:`tclose.audit`.

    Returns
    -------
    Verification
        What was certified, beside what was found.
    """
    if (original is None) != (recipe is None):
        missing = "recipe" if recipe is None else "original"
        raise InputError(
            "People are counted by the original and the recipe together.",
            field=missing,
            hint=Hint("Name both: {} and {}.", Ask("original"), Ask("recipe")),
        )
    given, seal = _read(certificate)
    path, own_read = _file_of(table), None if original is not None else read
    tell = progress or silent
    settings: dict[str, Any] = {"memory": memory, "threads": threads, "temp": temp}
    with _unchanged(path):
        tell("Reading the file", None)
        sha256 = _sha256(path)
        columns, audit, problem = _audited(path, given, sha256, own_read, tell, settings)
    owned = None
    if recipe is not None:
        made = read_recipe(recipe) if not isinstance(recipe, Recipe) else recipe
        release = apply(original, made, key=key, read=read, progress=progress, **settings)
        owned = tuple(_owned(given, made, release, audit, tell))
    return Verification(
        named_in_full(str(table)),
        given,
        seal,
        sha256,
        tuple(_recomputed(given, columns, audit)),
        () if audit is None else tuple(_judged(given, audit[1])),
        problem,
        _reasons(given, audit),
        owned,
    )


def _read(certificate: Certificate | str | Path) -> tuple[Certificate, str]:
    """Return a certificate, and the SHA-256 of its file."""
    if isinstance(certificate, Certificate):
        content = f"{certificate.to_json()}\n".encode()
        return certificate, hashlib.sha256(content).hexdigest()
    if not isinstance(certificate, str | Path):
        kind = type(certificate).__name__
        raise CertificateError(f"A certificate is a Certificate or the path of one, not an object of type {kind}.")
    content = certificate_bytes(certificate)
    return parse_certificate(content, repr(str(certificate))), hashlib.sha256(content).hexdigest()


def _file_of(table: object) -> Path:
    """Return the one file that a table is."""
    source = locate(table) if isinstance(table, str | Path) else None
    if not isinstance(source, FileSource) or len(source.paths) != 1 or source.partitions:
        raise InputError("A certificate is of one file; name that.", field="table")
    return source.paths[0]


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise SourceError(f"The file {str(path)!r} cannot be read: {problem.strerror}.") from None


@contextmanager
def _unchanged(path: Path) -> Iterator[None]:
    """Refuse a file that changes while it is read: its checksum would be of other rows than its figures."""
    before = _state(path)
    yield
    if _state(path) != before:
        raise SourceError(f"The file {str(path)!r} changed while it was read.")


def _state(path: Path) -> tuple[int, ...] | None:
    """Return which file stands there, and when it was changed; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


Found = tuple[FileAlone, Audit]


def _audited(
    path: Path,
    certificate: Certificate,
    sha256: str,
    read: ReadOptions | None,
    tell: Report,
    settings: dict[str, Any],
) -> tuple[tuple[str, ...], Found | None, str]:
    """Return the columns of a file, what an audit of it alone found, and why there is none."""
    from tclose.engines.dispatch import working_session

    with working_session(path, read=read, **settings) as session:
        opened = session.open(path)
        columns = tuple(column.name for column in opened.columns)
        lacking = [each.name for each in certificate.columns if each.name not in columns]
        if lacking:
            return columns, None, "The file lacks columns that were certified, so that its figures cannot be counted."
        try:
            return columns, _found(session, opened, certificate, tell), ""
        except InputError as problem:
            if sha256 == certificate.sha256:
                raise
            return columns, None, f"The figures of the file cannot be counted: {problem}"


def _found(session: Engine, table: Any, certificate: Certificate, tell: Report) -> Found:
    audit = audited_alone(session, table, certificate.roles, certificate.requirements, tell)
    return FileAlone.of(audit), audit


def _recomputed(certificate: Certificate, columns: tuple[str, ...], found: Found | None) -> Iterator[Comparison]:
    """Give what the certificate says of the file alone, beside what was found."""
    known = [each.name for each in certificate.columns]
    more = [name for name in columns if name not in known]
    less = [name for name in known if name not in columns]
    told = [f"{len(some)} {word}" for word, some in (("more", more), ("missing", less)) if some]
    same = ", ".join(told) or ("the same" if [*columns] == known else "in another order")
    yield Comparison("columns", None, str(len(known)), f"{len(columns)} ({same})", [*columns] == known)
    if found is None:
        return
    said, alone = certificate.alone, found[0]
    for what, certified, counted in (
        ("counts", said.counts, alone.counts),
        ("rows", said.rows, alone.rows),
        ("people", said.people, alone.people),
        ("classes", said.classes, alone.classes),
        ("fingerprint", said.fingerprint, alone.fingerprint),
    ):
        if certified is not None or counted is not None:
            yield Comparison(what, None, _shown(certified), _shown(counted), certified == counted)
    yield from _figures(said.figures, alone.figures)


def _reasons(certificate: Certificate, found: Found | None) -> tuple[Reason, ...]:
    """Return why the verdict is not true of people: as its owner attests, and what the file shows besides."""
    told = [reason_of(each.code, each.attribute, each.accepted) for each in certificate.attested.reasons]
    known = {each.name for each in told}
    return (*told, *(each for each in (() if found is None else found[1].reasons) if each.name not in known))


def _shown(value: object) -> str:
    return "none" if value is None else str(value)


def _figures(certified: Iterable[CertifiedFigure], found: Iterable[CertifiedFigure]) -> Iterator[Comparison]:
    """Give the figures that a certificate says beside those that were found; one that has no other is not the same."""
    said, counted = {each.place: each for each in certified}, {each.place: each for each in found}
    for place in dict.fromkeys([*said, *counted]):
        figure, attribute, known = place
        one, other = said.get(place), counted.get(place)
        yield Comparison(
            figure if known is None else f"{figure} of any {known} columns",
            attribute,
            "not certified" if one is None else one.text,
            "not found" if other is None else other.text,
            one is not None and other is not None and _same(one, other),
        )


def _same(certified: CertifiedFigure, found: CertifiedFigure) -> bool:
    """Say whether two figures are the same: exactly, or nearly where no fraction is the figure."""
    one, other = certified.value, found.value
    if certified.text == found.text or one == other:
        return True
    if found.exact or not (math.isfinite(one) and math.isfinite(other)):
        return False
    return abs(Fraction(one) - Fraction(other)) <= Fraction(_NEAR) * abs(Fraction(other))


def _judged(certificate: Certificate, audit: Audit) -> Iterator[Judged]:
    """Give each requirement as the file alone meets it."""
    same_unit = certificate.attested.counts == audit.unit
    for verdict in audit.verdicts:
        own = certificate.attested.against == "both" or verdict.requirement.model.scope == "table"
        yield Judged(verdict, same_unit and own)


def _owned(
    certificate: Certificate, recipe: Recipe, release: Release, found: Found | None, tell: Report
) -> Iterator[Comparison]:
    """Give what the owner attests beside what the original and the recipe give."""
    asked = [requirement_kept(each) for each in certificate.requirements]
    of_recipe = [requirement_kept(each) for each in recipe.requirements]
    yield Comparison(
        "requirements of the recipe", None, _others(same=True), _others(same=asked == of_recipe), asked == of_recipe
    )
    work = release.work
    if not isinstance(work, EngineWork):
        missed = "no release that meets its requirements"
        yield Comparison("the recipe makes", None, "this file", missed, holds=False)
        return
    again, _ = _found(work.session, work.table, certificate, tell)
    same = found is not None and _alike(again, found[0])
    yield Comparison("the recipe makes", None, "this file", "this file" if same else "another table", same)
    own, original = release.audits()
    attested, counted = certificate.attested, Attested.of(release, own, original)
    for what, certified, each in (
        ("counts", attested.counts, counted.counts),
        ("rows of the original", attested.original_rows, counted.original_rows),
        ("rows left out", attested.left_out, counted.left_out),
        ("people of the original", attested.people, counted.people),
    ):
        if certified is not None or each is not None:
            yield Comparison(what, None, _shown(certified), _shown(each), certified == each)
    if attested.published_counts or counted.published_counts:
        same = attested.published_counts == counted.published_counts
        yield Comparison("published counts", None, "those of the recipe", "those" if same else "others", same)
    said = {(each.requirement, each.attribute): each.holds for each in attested.requirements}
    seen = {(each.requirement, each.attribute): each.holds for each in counted.requirements}
    for place in dict.fromkeys([*said, *seen]):
        yield Comparison(
            *place, _held(said.get(place)), _held(seen.get(place)), said.get(place) is seen.get(place) is True
        )
    yield from _figures(attested.figures, counted.figures)


def _alike(one: FileAlone, other: FileAlone) -> bool:
    """Say whether two tables give the same."""
    same = (one.rows, one.people, one.classes, one.fingerprint) == (
        other.rows, other.people, other.classes, other.fingerprint,
    )  # fmt: skip
    return same and all(each.holds for each in _figures(one.figures, other.figures))


def _others(*, same: bool) -> str:
    return "those of the certificate" if same else "others"


def _held(said: object) -> str:
    return "not said" if said is None else "holds" if said else "does not hold"
