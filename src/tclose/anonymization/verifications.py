"""What the verification of a release found: what was certified, beside what its file gives."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from tclose.anonymization.certificates import Certificate
from tclose.auditing.results import Verdict
from tclose.auditing.verdicts import Outcome, Reason, verdict_of
from tclose.data.text_encoding import holdable


@dataclass(frozen=True)
class Comparison:
    """Something that a certificate says, beside what was found."""

    what: str
    of: str | None
    """The sensitive attribute, where it is about one."""
    certified: str
    found: str
    holds: bool


@dataclass(frozen=True)
class Judged:
    """A requirement as the file alone meets it."""

    verdict: Verdict
    decides: bool
    """Whether the file alone can decide it: not where the file does not say whose its rows are, for example."""


@dataclass(frozen=True)
class Verification:
    """Whether a file is the one that was certified, and gives the figures that its certificate says."""

    source: str
    certificate: Certificate
    seal: str
    """The SHA-256 of the certificate itself."""
    sha256: str
    """The SHA-256 of the file."""
    recomputed: tuple[Comparison, ...]
    """What the file alone gives."""
    requirements: tuple[Judged, ...]
    problem: str = ""
    """Why the figures of the file could not be recomputed, in a sentence; empty where they were."""
    reasons: tuple[Reason, ...] = ()
    """Why the verdict on the release is not true of people: attested by its owner, or found in the file."""
    owned: tuple[Comparison, ...] | None = None
    """What the owner's original and recipe give; None where they were not at hand."""

    @property
    def same_file(self) -> bool:
        """Whether the file is the one that was certified, byte for byte."""
        return self.sha256 == self.certificate.sha256

    @property
    def same_figures(self) -> bool:
        """Whether the file gives the figures that the certificate says."""
        return not self.problem and all(each.holds for each in self.recomputed)

    @property
    def missed(self) -> tuple[Judged, ...]:
        """The requirements that the file does not meet."""
        return tuple(each for each in self.requirements if _counts(each) and not each.verdict.holds)

    @property
    def undecided(self) -> tuple[Judged, ...]:
        """The requirements that the owner attests, and the file alone cannot decide."""
        return () if self.owned is not None else tuple(each for each in self.requirements if not each.decides)

    @property
    def verdict(self) -> Outcome:
        """The verdict on the release: a fail where anything differs from the certificate or misses a requirement."""
        return verdict_of(self.reasons, met=self.met)

    @property
    def holds(self) -> bool:
        """Whether the verdict is a pass."""
        return self.verdict == "pass"

    @property
    def met(self) -> bool:
        """Whether everything that was recomputed is as certified, and every requirement that could be judged holds."""
        owned = self.owned is None or all(each.holds for each in self.owned)
        attested = all(each.holds for each in self.certificate.attested.requirements)
        return self.same_file and self.same_figures and not self.missed and attested and owned

    def __bool__(self) -> bool:
        return self.holds

    def to_dict(self) -> dict[str, Any]:
        """Return the verification as JSON-ready data; ``docs/verification.schema.json`` describes it."""
        from tclose.reports.machine_readable.verifications import verification_data

        return verification_data(self)

    def to_json(self) -> str:
        """Return the verification as JSON text."""
        from tclose.reports.machine_readable.audits import json_text

        return json_text(self.to_dict())

    def to_markdown(self) -> str:
        """Return the verification as Markdown."""
        from tclose.reports.content.verifications import verification_document
        from tclose.reports.formats.markdown import markdown

        return markdown(verification_document(self))

    def __str__(self) -> str:
        from tclose.reports.content.verifications import verification_document
        from tclose.reports.formats.text import text

        return holdable(text(verification_document(self)), sys.stdout)

    def _repr_html_(self) -> str:
        from tclose.reports.content.verifications import verification_document
        from tclose.reports.formats.html import fragment

        return fragment(verification_document(self))


def _counts(judged: Judged) -> bool:
    """Say whether a requirement that the file misses is missed: people are no more than rows, so k always is."""
    return judged.decides or judged.verdict.requirement.model.key == "k"
