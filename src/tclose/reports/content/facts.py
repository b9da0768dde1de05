"""What someone learns who knows facts about a person, as sections of a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tclose.auditing.facts import Facts
from tclose.auditing.verdicts import Outcome, Reason
from tclose.policy.exact_numbers import shown
from tclose.reports.document import MARKS, Cell, Document, Paragraph, Section, Table, section, table
from tclose.reports.phrases import facts as words
from tclose.reports.phrases.audits import reason_sentences
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import counted, naming_sentence, withheld_columns


def fact_sections(found: Facts | None) -> tuple[Section, ...]:
    """Return what someone learns who knows facts; nothing where that was not asked."""
    if found is None:
        return ()
    required: list[list[str | Cell]] = [
        [
            Cell(MARKS[each.holds], "good" if each.holds else "bad", long="✓ holds" if each.holds else "✗ fails"),
            Cell(each.text, "strong"),
            visible(each.requirement.attribute or "people"),
            Cell(shown(each.figure.value), "good" if each.holds else "bad"),
            "none" if each.holds else counted(each.failing, "set"),
            words.worst_words(each.figure),
        ]
        for each in found.verdicts
    ]
    titles = (Cell("", long="verdict"), "required", "of", "found", "failing", "worst")
    drawn = " ".join(filter(None, map(words.drawn_sentence, found.powers)))
    return section(
        "Someone who knows facts",
        Paragraph(words.facts_sentence(found)),
        table(titles, required, name="What is required for someone who knows facts", names=1, last="below"),
        _figures(found),
        Paragraph(drawn),
        Paragraph(words.drivers_sentence(found)),
        anchor="facts",
    )


def database_document(
    found: Facts,
    verdict: Outcome | None,
    reasons: Sequence[Reason],
    *,
    withheld: Mapping[str, Sequence[str]],
    naming: Mapping[str, Sequence[str]],
) -> Document:
    """Return what tables about the same people give away as a document.

    Parameters
    ----------
    found
        What someone learns who knows facts.
    verdict, reasons
        The verdict, and what keeps it from a pass.
    withheld, naming
        By table, the columns that its policy withholds, and those that name people.
    """
    held = [f"{visible(table)} holds {withheld_columns(columns)}." for table, columns in withheld.items()]
    named = [f"{visible(table)}: {naming_sentence(columns)}" for table, columns in naming.items() if columns]
    return Document(
        kind="Privacy audit of a database",
        title=words.database_sentence(found, verdict, withheld=bool(withheld)),
        care=" ".join(named),
        lead=(*held, *reason_sentences(reasons)),
        sections=fact_sections(found),
        verdict=verdict,
        name="Privacy audit of a database",
    )


def _figures(found: Facts) -> Table:
    """Return the figures for each number of facts, a row each."""
    models = [(name, key) for name, figures in found.powers[0].attributes.items() for key in figures]
    titles = [
        "facts",
        "k",
        "alone",
        f"fewer than {found.fewer_than:,}",
        *(f"{key} of {visible(n)}" for n, key in models),
    ]
    rows: list[list[str | Cell]] = [
        [
            f"{power.known:,}",
            Cell(shown(power.k.value), "strong"),
            words.alone_words(power.alone, found),
            words.alone_words(power.fewer, found),
            *(shown(power.attributes[name][key].value) for name, key in models),
        ]
        for power in found.powers
    ]
    return table(titles, rows, name="Figures by the number of facts", names=1)
