"""What several releases say together, as sections of a document."""

from __future__ import annotations

from tclose.exact import shown
from tclose.render.document import MARKS, Cell, Paragraph, Section, section, table
from tclose.render.words import compositions as words
from tclose.render.words.cells import visible
from tclose.render.words.phrases import counted, joined
from tclose.results import Audit

_FIGURES = ("figure", "value", "what it is", "worst classes")


def composition_sections(audit: Audit) -> tuple[Section, ...]:
    """Return what the audited table and previous releases say together; nothing where that was not asked."""
    found = audit.composition
    if found is None:
        return ()
    told = "What is required of l, p, alpha and t must hold for whoever has all releases, too."
    rows: list[list[str | Cell]] = [
        [
            Cell(MARKS[each.holds], "good" if each.holds else "bad", long="✓ holds" if each.holds else "✗ fails"),
            Cell(each.requirement.text, "strong"),
            visible(each.requirement.attribute or ""),
            joined(each.previous),
            Cell(words.found_words(each), "good" if each.holds else "bad"),
            "none" if each.holds else counted(each.failing, "combination"),
        ]
        for each in found.verdicts
    ]
    titles = (Cell("", long="verdict"), "required", "of", "after", "found", "failing")
    sections = section(
        "Together with previous releases",
        Paragraph(told if rows else ""),
        table(titles, rows, name="What is required with previous releases", names=1, last="below"),
        anchor="after",
    )
    for linked in found.linked:
        for name, attribute in linked.attributes.items():
            figures: list[list[str | Cell]] = [
                [key, Cell(shown(each.value), "strong"), words.MEANINGS[key], words.joint_words(each)]
                for key, each in attribute.figures.items()
            ]
            sections += section(
                f"{visible(name)} after {joined(linked.previous)}",
                Paragraph(words.linked_sentence(found, linked)),
                table(_FIGURES, figures, name=f"Figures of {visible(name)} together", untitled=True, last="below"),
                Paragraph(words.agreement_sentence(attribute, linked)),
                Paragraph("" if attribute.difference is None else words.difference_sentence(attribute.difference)),
            )
    return sections
