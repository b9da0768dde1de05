"""A verification as JSON-ready data."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from tclose import __version__
from tclose.anonymization.verifications import Comparison, Verification
from tclose.auditing.verdicts import reasons_data
from tclose.data.labels import public

SCHEMA_VERSION = 1
"""Raised when a field changes its meaning or goes away; new fields do not raise it."""


def verification_data(found: Verification) -> dict[str, Any]:
    """Return a verification as JSON-ready data; ``docs/verification.schema.json`` describes it."""
    certificate = found.certificate
    return {
        "schema_version": SCHEMA_VERSION,
        "tclose_version": __version__,
        "kind": "verification",
        "source": public(found.source),
        "holds": found.holds,
        "verdict": found.verdict,
        "reasons": reasons_data(found.reasons),
        "same_file": found.same_file,
        "same_figures": found.same_figures,
        "problem": found.problem or None,
        "certificate": {"sha256": found.seal, "tclose": certificate.version, "file": certificate.name},
        "sha256": {"certified": certificate.sha256, "found": found.sha256},
        "recomputed": comparisons_data(found.recomputed),
        "requirements": [
            {
                "requirement": each.verdict.requirement.text,
                "attribute": each.verdict.attribute,
                "decided_by": "file" if each.decides else "owner",
                "holds": each.verdict.holds if each.decides or each in found.missed else None,
            }
            for each in found.requirements
        ],
        "attested": certificate.to_dict()["attested"],
        "owned": None if found.owned is None else comparisons_data(found.owned),
    }


def verification_schema_text() -> str:
    """Return the JSON Schema of :func:`verification_data`."""
    return files("tclose.reports.machine_readable").joinpath("verification.schema.json").read_text(encoding="utf-8")


def comparisons_data(some: Iterable[Comparison]) -> list[dict[str, Any]]:
    """Return what was certified beside what was found."""
    return [
        {"what": each.what, "of": each.of, "certified": each.certified, "found": each.found, "same": each.holds}
        for each in some
    ]
