"""A verification as a document: what the file alone gives, and apart from it what its owner attests."""

from __future__ import annotations

from collections.abc import Iterable

from tclose.anonymization.verifications import Comparison, Verification
from tclose.reports.content.audits import VERDICT, verdict_cell
from tclose.reports.document import Cell, Document, Paragraph, Table, section, table
from tclose.reports.phrases import verifications as words
from tclose.reports.phrases.audits import attribute_words, found_words, reason_sentences
from tclose.reports.phrases.cells import visible


def verification_document(found: Verification) -> Document:
    """Return a verification as a document; no mark stands beside what nobody recomputed."""
    return Document(
        kind="Verification of a release",
        title=words.title(found),
        care=words.care_sentence(found),
        lead=(
            *filter(None, (words.file_sentence(found), visible(found.problem))),
            *reason_sentences(found.reasons),
        ),
        sections=(
            *section(
                "Recomputed from the file alone",
                _compared(found.recomputed, "Recomputed from the file alone"),
                _requirements(found),
            ),
            *section(
                "Attested by its owner, not recomputed",
                None if found.owned is not None else _attested(found),
                None if found.owned is not None else Paragraph(words.NOT_RECOMPUTED, "soft"),
            ),
            *section(
                "Recomputed from the original and the recipe",
                _compared(found.owned or (), "Recomputed from the original and the recipe"),
            ),
        ),
        verdict=found.verdict,
        name=f"Verification of {visible(found.source)}",
    )


def _compared(some: Iterable[Comparison], name: str) -> Table:
    rows: list[list[str | Cell]] = [
        [
            Cell("✓" if each.holds else "✗", "good" if each.holds else "bad", long="same" if each.holds else "differs"),
            Cell(visible(each.what), "strong"),
            visible(each.of or "the table"),
            words.short(each.found),
            "" if each.holds else f"certified: {words.short(each.certified)}",
        ]
        for each in some
    ]
    return table((Cell("", long="same"), "what", "of", "found", "differs"), rows, name=name, names=1, last="below")


def _requirements(found: Verification) -> Table:
    """Return the requirements that the file alone decides, and of the others those that it shows to be missed."""
    decided = [each for each in found.requirements if each.decides or each in found.missed]
    rows: list[list[str | Cell]] = [
        [
            verdict_cell(holds=each.verdict.holds),
            Cell(each.verdict.requirement.text, "strong"),
            attribute_words(each.verdict),
            found_words(each.verdict),
        ]
        for each in decided
    ]
    return table((VERDICT, "required", "of", "found"), rows, name="Requirements that the file decides", names=1)


def _attested(found: Verification) -> Table:
    rows: list[list[str | Cell]] = [
        [Cell(what, "strong"), visible(of), visible(said)] for what, of, said in words.attested(found.certificate)
    ]
    return table(("attested", "of", "what its owner says"), rows, name="Attested by its owner", names=0, last="below")
