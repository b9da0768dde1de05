"""A release of several tables about the same people, as a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tclose.reports.content.facts import fact_sections
from tclose.reports.document import Cell, Document, Notes, Paragraph, section, table
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import counted, percent

if TYPE_CHECKING:
    from tclose.anonymization.database.release import DatabaseRelease
    from tclose.auditing.facts.database_audits import DatabaseAudit


def release_of_database(release: DatabaseRelease, audit: DatabaseAudit) -> Document:
    """Return what was released of several tables, with the audit of the written tables.

    Parameters
    ----------
    release
        The release.
    audit
        The audit of its tables as they were read back.
    """
    facts = audit.facts
    rows: list[list[str | Cell]] = [
        [
            visible(each.table),
            Cell(visible(each.column), "strong"),
            f"{each.after:,} of {each.before:,}",
            percent(each.detail),
        ]
        for each in release.kept
    ]
    linked = (
        "The tables are linked by fresh pseudonyms, which nobody can make again: they answer how traits and facts go "
        "together, and which facts of a person do."
    )
    return Document(
        kind="Release of a database",
        title=f"{counted(len(release.tables), 'table')} of {counted(facts.people, 'person', 'people')} "
        "can be handed out together.",
        lead=(linked,),
        sections=(
            *section(
                "What is kept",
                Paragraph(
                    f"{percent(release.detail)} of the detail of all cells is kept. A fact that is left out keeps none."
                ),
                table(("table", "column", "cells", "detail kept"), rows, name="What is kept of each column", names=1),
                Notes(tuple(note.text for note in release.notes)),
            ),
            *fact_sections(facts),
        ),
        verdict=audit.verdict,
        name="Release of a database",
    )
