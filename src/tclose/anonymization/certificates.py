"""The certificate of a release: what its file gives alone, and what its owner attests, bound to it by its SHA-256.

It is public: it has no row, no seed and nothing of the original that the report beside the release does not say.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, cast

from tclose import __version__
from tclose.anonymization.recipes import distance_kept, distance_of, requirement_kept, requirement_of
from tclose.anonymization.releases import Release, Written
from tclose.auditing.results import Audit, Figure, Value
from tclose.auditing.verdicts import CODES
from tclose.data.file_reading import read_whole
from tclose.data.hierarchies import Hierarchy, hierarchy_of, is_builder
from tclose.data.values import as_text
from tclose.errors import CertificateError, Hint, TcloseError, ThresholdError
from tclose.models.catalogue import Requirement, label
from tclose.models.counts import Unit
from tclose.policy.exact_numbers import fraction, written
from tclose.policy.roles import Distance, Hierarchical, Nominal, Numeric, Ordered, Roles, Together
from tclose.reports.machine_readable.audits import json_text
from tclose.reports.machine_readable.fingerprint import fingerprint

SCHEMA_VERSION = 1
"""Raised when a field changes its meaning or goes away; another version is refused."""
Against = Literal["both", "original"]
_MOST_BYTES = 2**24
_ROLES = ("quasi-identifier", "sensitive", "pseudonym", "shifted", "publish")
_NO_NUMBER = {"infinite": math.inf, "none": math.nan}


PublishedCounts = tuple[tuple[str, tuple[tuple[str, int | None], ...]], ...]
"""Counts of columns: what is counted, and how many, None where that is withheld."""


@dataclass(frozen=True)
class CertifiedColumn:
    """A column of the file, with its role."""

    name: str
    role: str
    distance: Distance | None = None
    """How far apart its values are, where it is sensitive."""


@dataclass(frozen=True)
class CertifiedFigure:
    """A figure by the name of its model."""

    figure: str
    attribute: str | None
    """The sensitive attribute; None for a figure of the table."""
    known: int | None
    """How many of the quasi-identifiers are known to whom it is about; None for all of them."""
    text: str
    """The figure as a decimal or fraction; ``infinite``, or ``none`` where there is none."""
    exact: bool = True
    """Whether the figure is a fraction; one without may differ in its last digits from machine to machine."""

    @property
    def value(self) -> Value:
        """The figure as a number."""
        return _NO_NUMBER[self.text] if self.text in _NO_NUMBER else fraction(self.text)

    @property
    def place(self) -> tuple[str, str | None, int | None]:
        """What it is a figure of."""
        return self.figure, self.attribute, self.known


@dataclass(frozen=True)
class FileAlone:
    """What whoever has the file can count."""

    counts: Unit
    rows: int
    people: int | None
    classes: int
    fingerprint: str | None
    figures: tuple[CertifiedFigure, ...]

    @staticmethod
    def of(audit: Audit) -> FileAlone:
        """Return what an audit of the file by itself found."""
        return FileAlone(audit.unit, audit.rows, audit.people, audit.class_count, fingerprint(audit), figures_of(audit))


@dataclass(frozen=True)
class AttestedRequirement:
    """What the owner says of a requirement."""

    requirement: str
    attribute: str | None
    holds: bool


@dataclass(frozen=True)
class AttestedReason:
    """What the owner says of why the verdict is not true of people."""

    code: str
    attribute: str | None
    accepted: str | None
    """Why it was accepted; None where it was not."""


@dataclass(frozen=True)
class Attested:
    """What only the owner of the original can count."""

    counts: Unit
    original_rows: int
    left_out: int
    people: int | None
    against: Against
    """Whether the requirements hold against the release's own distribution too."""
    requirements: tuple[AttestedRequirement, ...]
    """Against the distribution of the original."""
    figures: tuple[CertifiedFigure, ...]
    """Figures by people, where the file does not say whose its rows are."""
    reasons: tuple[AttestedReason, ...]
    """Why the verdict on the release is not true of people, or cannot be given."""
    published_counts: PublishedCounts = ()
    """The counts of each column to which the values of the file are fitted; they can narrow cells down."""

    @staticmethod
    def of(release: Release, own: Audit, original: Audit) -> Attested:
        """Return what the owner of a release attests, from its audits against itself and against the original."""
        hidden = counts_hidden_people(release.roles)
        both = release.recipe is not None and release.recipe.own
        return Attested(
            original.unit,
            release.original_rows,
            release.suppressed,
            release.people,
            "both" if both else "original",
            tuple(AttestedRequirement(each.requirement.text, each.attribute, each.holds) for each in original.verdicts),
            figures_of(own) if hidden else (),
            tuple(AttestedReason(each.code, each.attribute, each.accepted) for each in release.reasons),
            () if release.recipe is None else tuple(release.recipe.published_counts.items()),
        )


@dataclass(frozen=True)
class Certificate:
    """What is certified of the file of a release."""

    version: str
    """The version of tclose that wrote it."""
    name: str
    size: int
    sha256: str
    together: Together
    columns: tuple[CertifiedColumn, ...]
    """Every column of the file, in its order."""
    requirements: tuple[Requirement, ...]
    alone: FileAlone
    attested: Attested

    @property
    def roles(self) -> Roles:
        """The roles by which the file is audited."""
        return roles_of(self.columns, self.together)

    @staticmethod
    def of(release: Release, found: Written) -> Certificate:
        """Return the certificate of a release that was written."""
        if found.alone is None or found.sha256 is None or found.size is None or release.recipe is None:
            raise CertificateError("A certificate is of a release in a file: name one with -o FILE.")
        return Certificate(
            __version__,
            found.path.name,
            found.size,
            found.sha256,
            release.roles.together,
            certified_columns(release, found.audit),
            release.requirements,
            FileAlone.of(found.alone),
            Attested.of(release, *found.audits),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as JSON-ready data; ``docs/certificate.schema.json`` describes it."""
        alone, attested = self.alone, self.attested
        return {
            "schema_version": SCHEMA_VERSION,
            "tclose": self.version,
            "kind": "certificate",
            "file": {"name": self.name, "bytes": self.size, "sha256": self.sha256},
            "together": self.together,
            "columns": [
                {"name": each.name, "role": each.role}
                | ({} if each.distance is None else {"distance": distance_kept(each.distance)})
                for each in self.columns
            ],
            "requirements": [requirement_kept(each) for each in self.requirements],
            "file_alone": {
                "counts": alone.counts,
                "rows": alone.rows,
                "people": alone.people,
                "classes": alone.classes,
                "fingerprint": alone.fingerprint,
                "figures": _figures_data(alone.figures),
            },
            "attested": {
                "counts": attested.counts,
                "original_rows": attested.original_rows,
                "rows_left_out": attested.left_out,
                "people": attested.people,
                "against": attested.against,
                "requirements": [
                    {"requirement": each.requirement, "attribute": each.attribute, "holds": each.holds}
                    for each in attested.requirements
                ],
                "figures": _figures_data(attested.figures),
                "reasons": [
                    {"code": each.code, "attribute": each.attribute, "accepted": each.accepted}
                    for each in attested.reasons
                ],
                **_counts_data(attested.published_counts),
            },
        }

    def to_json(self) -> str:
        """Return the certificate as JSON text."""
        return json_text(self.to_dict())


def certificate_schema_text() -> str:
    """Return the JSON Schema of a certificate."""
    return files("tclose.reports.machine_readable").joinpath("certificate.schema.json").read_text(encoding="utf-8")


def counts_hidden_people(roles: Roles) -> bool:
    """Say whether people are counted by a column that a release does not have."""
    return roles.person is not None and roles.pseudonym is None


def roles_of(columns: Iterable[CertifiedColumn], together: Together) -> Roles:
    """Return the roles of columns."""
    by_role: dict[str, list[str]] = {role: [] for role in _ROLES}
    for each in columns:
        by_role[each.role].append(each.name)
    pseudonyms = by_role["pseudonym"]
    return Roles(
        by_role["quasi-identifier"],
        {each.name: each.distance for each in columns if each.role == "sensitive"},
        together=together,
        pseudonym=pseudonyms[0] if pseudonyms else None,
        shifted=by_role["shifted"],
        publish=by_role["publish"],
    )


def certified_columns(release: Release, audit: Audit) -> tuple[CertifiedColumn, ...]:
    """Return the columns of a release; ``audit`` is the one against its own distribution.

    Numbers beside the text of a quasi-identifier count as quasi-identifiers, too. Sensitive numbers are rounded
    already, and a hierarchy has only the values that are released.
    """
    added = () if release.recipe is None else release.recipe.recoding().added
    roles = {name: role for name, role in release.roles.decisions.items() if role in _ROLES}
    roles |= dict.fromkeys((column.name for column in added), "quasi-identifier")
    return tuple(
        CertifiedColumn(
            column.name,
            roles.get(column.name, "publish"),
            _public_distance(column.name, release.roles, audit) if column.name in release.roles.sensitive else None,
        )
        for column in release.table.columns
    )


def _public_distance(name: str, roles: Roles, audit: Audit) -> Distance:
    """Return how far apart the values of an attribute are, as far as the release tells them."""
    declared = audit.attributes[name].distance if name in audit.attributes else roles.sensitive[name]
    if isinstance(declared, Ordered | Numeric):
        return replace(declared, round=None)
    if not isinstance(declared, Hierarchical) or (isinstance(declared.tree, str) and is_builder(declared.tree)):
        return declared or Nominal()
    tree = hierarchy_of(declared.tree, name)
    if name not in audit.evidence:  # measured jointly, where its tree has no say
        return Nominal()
    domain = audit.evidence[name].domain
    texts = {as_text(value) for value, count in zip(domain.values, domain.counts, strict=True) if count}
    rows = tuple(row for row in tree.naming(sorted(texts), domain.kind).rows if row[0] in texts)
    return replace(declared, tree=Hierarchy(rows))


def figures_of(audit: Audit) -> tuple[CertifiedFigure, ...]:
    """Return every figure of an audit."""
    found = list(_certified(audit.figures, None))
    for name, attribute in audit.attributes.items():
        found += _certified(attribute.figures, name)
    if audit.any is not None:
        found += _certified(audit.any.figures, None, audit.any.most)
        for name, figures in audit.any.attributes.items():
            found += _certified(figures, name, audit.any.most)
    return tuple(found)


def _certified(
    figures: Mapping[str, Figure], attribute: str | None, known: int | None = None
) -> Iterator[CertifiedFigure]:
    for each in figures.values():
        yield CertifiedFigure(label(each.model), attribute, known, value_text(each.value), each.exact is not None)


def value_text(value: Value) -> str:
    """Return a figure so that it reads back as the same one.

    Examples
    --------
    >>> value_text(Fraction(3, 8)), value_text(5), value_text(math.inf), value_text(0.1)
    ('0.375', '5', 'infinite', '0.1')
    """
    if isinstance(value, Fraction | int):
        return written(value)
    return "none" if math.isnan(value) else "infinite" if math.isinf(value) else repr(float(value))


def _counts_data(published: PublishedCounts) -> dict[str, Any]:
    found = [
        {"column": name, "counts": [{"of": of, "count": count} for of, count in counts]} for name, counts in published
    ]
    return {"published_counts": found} if found else {}


def _figures_data(figures: Iterable[CertifiedFigure]) -> list[dict[str, Any]]:
    return [
        {"figure": each.figure, "attribute": each.attribute}
        | ({} if each.known is None else {"known": each.known})
        | {"value": each.text}
        for each in figures
    ]


def read_certificate(path: str | Path) -> Certificate:
    """Return the certificate in a file.

    Raises
    ------
    CertificateError
        If the file cannot be read, is no certificate, or one of another version.
    """
    named = repr(str(path))
    return parse_certificate(certificate_bytes(path), named)


def certificate_bytes(path: str | Path) -> bytes:
    """Return what the file of a certificate holds."""
    try:
        return read_whole(Path(path), _MOST_BYTES)
    except FileNotFoundError:
        hint = Hint("'tclose anonymize --certificate FILE' writes one beside a release.")
        raise CertificateError(f"There is no certificate {str(path)!r}.", field="certificate", hint=hint) from None
    except (OSError, ValueError) as problem:
        why = getattr(problem, "strerror", None) or "no file has such a name"
        raise CertificateError(f"The certificate {str(path)!r} cannot be read: {why}.", field="certificate") from None


def parse_certificate(content: bytes, named: str) -> Certificate:
    """Return the certificate that a text is; messages name its file."""
    try:
        data = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise CertificateError(f"{named} is no certificate: it is not JSON, or says something twice.") from None
    if not isinstance(data, dict) or data.get("kind") != "certificate":
        raise CertificateError(f"{named} is no certificate.", hint=Hint("'tclose anonymize --certificate' writes one."))
    version = data.get("schema_version")
    if isinstance(version, bool | float) or version != SCHEMA_VERSION:
        raise CertificateError(
            f"{named} is a certificate of another version.", hint=Hint("Use the tclose that wrote it, or a later one.")
        )
    try:
        return _certificate(data)
    except _StrangeError as problem:
        raise CertificateError(f"The certificate {named} is damaged or was edited: {problem}.") from None
    except (TcloseError, KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError):
        raise CertificateError(f"The certificate {named} is damaged or was edited.") from None


class _StrangeError(Exception):
    """Something in a certificate is not what it should be; the message names its place and no value."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key twice")
    return found


def _no_constant(_word: str) -> None:
    raise ValueError("no number of JSON")


def _certificate(data: Mapping[str, Any]) -> Certificate:
    whole = _object(
        data, "the certificate", "schema_version", "tclose", "kind", "file", "together", "columns", "requirements",
        "file_alone", "attested",
    )  # fmt: skip
    file = _object(whole["file"], "file", "name", "bytes", "sha256")
    columns = tuple(_column(each) for each in _listed(whole["columns"], "columns"))
    names = [each.name for each in columns]
    if len({*names}) != len(names) or [each.role for each in columns].count("pseudonym") > 1:
        raise _StrangeError("columns name a column or the pseudonym twice")
    found = Certificate(
        _text(whole["tclose"], "tclose"),
        _text(file["name"], "file.name"),
        _whole(file["bytes"], "file.bytes"),
        _digest(file["sha256"], "file.sha256"),
        cast("Together", _one_of(whole["together"], ("each", "quasi", "joint"), "together")),
        columns,
        tuple(_requirement(each) for each in _listed(whole["requirements"], "requirements")),
        _alone(whole["file_alone"]),
        _attested(whole["attested"]),
    )
    if not found.roles.quasi or not found.requirements:
        raise _StrangeError("it names no quasi-identifier or requires nothing")
    if {each.text for each in found.requirements} != {each.requirement for each in found.attested.requirements}:
        raise _StrangeError("attested.requirements are others than requirements")
    sensitive = {*found.roles.sensitive, None}
    if any(each.attribute not in sensitive for each in found.requirements):
        raise _StrangeError("it requires something of a column that is not sensitive")
    return found


def _column(given: object) -> CertifiedColumn:
    data = _object(given, "columns", "name", "role", maybe="distance")
    name, role = _text(data["name"], "columns.name"), _one_of(data["role"], _ROLES, "columns.role")
    if (role == "sensitive") != ("distance" in data):
        raise _StrangeError("columns.distance stands with sensitive columns alone")
    return CertifiedColumn(name, role, _distance(name, data["distance"]) if role == "sensitive" else None)


def _distance(name: str, given: object) -> Distance:
    """Return a distance; a hierarchy is in the certificate, and never the name of a file."""
    word = given.get("distance") if isinstance(given, dict) else None
    more = {"ordered": ("order",), "hierarchical": ("hierarchy",)}.get(str(word), ())
    data = _object(given, "columns.distance", "distance", "nulls", *more)
    tree = data.get("hierarchy")
    if isinstance(tree, str) and not is_builder(tree):
        raise _StrangeError("columns.distance.hierarchy is neither a list nor words")
    found = distance_of(name, data)
    if found is None or found.word != word:
        raise _StrangeError("columns.distance is none")
    return found


def _requirement(given: object) -> Requirement:
    data = _object(given, "requirements", "model", "numbers", "attribute", maybe="any")
    for number in _listed(data["numbers"], "requirements.numbers"):
        _text(number, "requirements.numbers")
    return requirement_of(data)


def _alone(given: object) -> FileAlone:
    data = _object(given, "file_alone", "counts", "rows", "people", "classes", "fingerprint", "figures")
    return FileAlone(
        _unit(data["counts"], "file_alone.counts"),
        _whole(data["rows"], "file_alone.rows"),
        None if data["people"] is None else _whole(data["people"], "file_alone.people"),
        _whole(data["classes"], "file_alone.classes"),
        None if data["fingerprint"] is None else _digest(data["fingerprint"], "file_alone.fingerprint"),
        _figures(data["figures"], "file_alone.figures"),
    )


def _attested(given: object) -> Attested:
    data = _object(
        given, "attested", "counts", "original_rows", "rows_left_out", "people", "against", "requirements", "figures",
        "reasons", maybe="published_counts",
    )  # fmt: skip
    return Attested(
        _unit(data["counts"], "attested.counts"),
        _whole(data["original_rows"], "attested.original_rows"),
        _whole(data["rows_left_out"], "attested.rows_left_out"),
        None if data["people"] is None else _whole(data["people"], "attested.people"),
        cast("Against", _one_of(data["against"], ("both", "original"), "attested.against")),
        tuple(_attested_requirement(each) for each in _listed(data["requirements"], "attested.requirements")),
        _figures(data["figures"], "attested.figures"),
        tuple(_attested_reason(each) for each in _listed(data["reasons"], "attested.reasons")),
        tuple(_counts_of(each) for each in _listed(data.get("published_counts", []), "attested.published_counts")),
    )


def _counts_of(given: object) -> tuple[str, tuple[tuple[str, int | None], ...]]:
    where = "attested.published_counts"
    data = _object(given, where, "column", "counts")
    pairs = [_object(each, where, "of", "count") for each in _listed(data["counts"], where)]
    found = [
        (_text(each["of"], where), None if each["count"] is None else _whole(each["count"], where)) for each in pairs
    ]
    return _text(data["column"], where), tuple(found)


def _attested_requirement(given: object) -> AttestedRequirement:
    data = _object(given, "attested.requirements", "requirement", "attribute", "holds")
    if not isinstance(data["holds"], bool):
        raise _StrangeError("attested.requirements.holds is neither true nor false")
    attribute = data["attribute"]
    return AttestedRequirement(
        _text(data["requirement"], "attested.requirements.requirement"),
        None if attribute is None else _text(attribute, "attested.requirements.attribute"),
        data["holds"],
    )


def _attested_reason(given: object) -> AttestedReason:
    data = _object(given, "attested.reasons", "code", "attribute", "accepted")
    attribute, accepted = data["attribute"], data["accepted"]
    return AttestedReason(
        _one_of(data["code"], CODES, "attested.reasons.code"),
        None if attribute is None else _text(attribute, "attested.reasons.attribute"),
        None if accepted is None else _text(accepted, "attested.reasons.accepted"),
    )


def _figures(given: object, where: str) -> tuple[CertifiedFigure, ...]:
    found = tuple(_figure(each, where) for each in _listed(given, where))
    if len({each.place for each in found}) != len(found):
        raise _StrangeError(f"{where} has a figure twice")
    return found


def _figure(given: object, where: str) -> CertifiedFigure:
    data = _object(given, where, "figure", "attribute", "value", maybe="known")
    attribute = data["attribute"]
    found = CertifiedFigure(
        _text(data["figure"], f"{where}.figure"),
        None if attribute is None else _text(attribute, f"{where}.attribute"),
        _whole(data["known"], f"{where}.known") if "known" in data else None,
        _text(data["value"], f"{where}.value"),
    )
    try:
        _ = found.value
    except ThresholdError:
        raise _StrangeError(f"{where}.value is no number") from None
    return found


def _object(given: object, where: str, *keys: str, maybe: str = "") -> dict[str, Any]:
    """Return an object that has these keys and no other, but for one that it may have."""
    if not isinstance(given, dict):
        raise _StrangeError(f"{where} is no object")
    missing = [key for key in keys if key not in given]
    if missing:
        raise _StrangeError(f"{where} lacks {missing[0]!r}")
    if {*given} - {*keys, maybe}:
        raise _StrangeError(f"{where} says something that this version of tclose does not know")
    return given


def _listed(given: object, where: str) -> Sequence[object]:
    if not isinstance(given, list):
        raise _StrangeError(f"{where} is no list")
    return given


def _text(given: object, where: str) -> str:
    if not isinstance(given, str):
        raise _StrangeError(f"{where} is no text")
    return given


def _whole(given: object, where: str) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given < 2**63:
        raise _StrangeError(f"{where} is no whole number of the right size")
    return given


def _one_of(given: object, known: Sequence[str], where: str) -> str:
    if given not in known:
        raise _StrangeError(f"{where} is none of {', '.join(known)}")
    return str(given)


def _unit(given: object, where: str) -> Unit:
    return cast("Unit", _one_of(given, ("rows", "people"), where))


def _digest(given: object, where: str) -> str:
    if not isinstance(given, str) or not re.fullmatch("[0-9a-f]{64}", given):
        raise _StrangeError(f"{where} is no SHA-256 in 64 hexadecimal digits")
    return given
