"""The sentences of a verification."""

from __future__ import annotations

from collections.abc import Iterator

from tclose.anonymization.certificates import Certificate
from tclose.anonymization.verifications import Verification
from tclose.reports.phrases.audits import qualified_words
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import counted

NOT_RECOMPUTED = (
    "The owner of the original can recompute this with the recipe. Whoever can change a certificate can change what it "
    "attests: compare its SHA-256 with the one that the owner tells you."
)
_SHORT = 16
_DIGEST = 64


def title(found: Verification) -> str:
    """Return the verdict in words."""
    source, its = visible(found.source), "is the file that was certified"
    if found.met:
        owned = ", and the original gives what its owner attests" if found.owned is not None else ""
        same = f"{source} {its}. It gives the figures that its certificate says{owned}"
        return qualified_words(
            f"{same}, and meets the requirements" if found.verdict != "pass" else same, found.verdict
        )
    if not found.same_file and found.same_figures:
        return f"{source} gives the same figures as the file that was certified, but is not that file byte for byte."
    if not found.same_file:
        return f"{source} is not the file that was certified, and gives other figures."
    if not found.same_figures:
        return f"{source} {its}, but its certificate says other figures than it gives."
    if found.missed or not all(each.holds for each in found.certificate.attested.requirements):
        return f"{source} {its}, but does not meet what its certificate requires."
    return f"{source} {its}, but the original and the recipe do not give what its owner attests."


def care_sentence(found: Verification) -> str:
    """Return what the file alone does not decide, in words; empty where it decides everything."""
    if not found.undecided:
        return ""
    whole = len(found.undecided) == len(found.requirements)
    which = "Its requirements are" if whole else f"{counted(len(found.undecided), 'requirement')} of it are"
    return f"{which} attested by its owner, not recomputed."


def file_sentence(found: Verification) -> str:
    """Return the checksums, in words."""
    told = f"SHA-256 of the file: {found.sha256}."
    if not found.same_file:
        told += f" Certified: {found.certificate.sha256}. What the owner attests is bound to the certified file alone."
    return f"{told} SHA-256 of the certificate: {found.seal}."


def short(text: str) -> str:
    """Return a text with a checksum shortened."""
    return f"{text[:_SHORT]}…" if len(text) == _DIGEST else visible(text)


def attested(certificate: Certificate) -> Iterator[tuple[str, str, str]]:
    """Give what the owner attests: what, of what, and how much or whether it holds."""
    said = certificate.attested
    yield "the original", "the table", counted(said.original_rows, "row")
    if said.people is not None:
        yield "people", "the table", f"{said.people:,}"
    yield "left out", "the table", counted(said.left_out, "row")
    for each in said.requirements:
        held = "holds" if each.holds else "does not hold"
        yield each.requirement, each.attribute or "the table", f"{held}, by {said.counts}, against the original"
    for figure in said.figures:
        yield figure.figure, figure.attribute or "the table", f"{figure.text}, by {said.counts}"
