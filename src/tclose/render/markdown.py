"""An audit as Markdown, for the summary of a continuous-integration job or a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tclose.exact import shown
from tclose.models.catalogue import label
from tclose.render.cells import visible
from tclose.render.words import (
    MARKS,
    VERDICT_TITLES,
    attribute_sentence,
    attribute_words,
    classes_of,
    failing_words,
    marked_verdict,
    table_sentences,
    vacuous_sentence,
    worst_words,
)
from tclose.results import Audit, Figure

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def audit_markdown(audit: Audit) -> str:
    """Return an audit as Markdown; everything that came from the table is escaped."""
    lines = [f"## {plain(marked_verdict(audit))}", "", plain(table_sentences(audit)), ""]
    if audit.verdicts:
        rows = [
            (
                MARKS[verdict.holds],
                verdict.requirement.text,
                attribute_words(verdict),
                shown(verdict.figure.value),
                failing_words(verdict),
                worst_words(verdict.figure, classes_of(audit, verdict.attribute)),
            )
            for verdict in audit.verdicts
        ]
        lines += table_lines(VERDICT_TITLES, rows)
    if audit.figures:
        lines += ["### The table", "", *_figures(audit.figures.values(), audit.class_count)]
    for attribute in audit.attributes.values():
        lines += [f"### {plain(visible(attribute.name))}", "", plain(attribute_sentence(attribute)), ""]
        lines += [
            *_figures(attribute.figures.values(), classes_of(audit, attribute.name)),
            plain(vacuous_sentence(attribute)),
            "",
        ]
        lines += _notes(attribute.notes)
    return "\n".join([*lines, *_notes(audit.notes)])


def _figures(figures: Iterable[Figure], class_count: int | None) -> list[str]:
    rows = [
        (label(figure.model), shown(figure.value), worst_words(figure, class_count), figure.model.title)
        for figure in figures
    ]
    return table_lines(("figure", "value", "worst class", "model"), rows)


def table_lines(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table as lines, its cells escaped, with an empty line after it."""
    lines = [titles, ["---"] * len(titles), *([plain(cell) for cell in row] for row in rows)]
    return [*(f"| {' | '.join(line)} |" for line in lines), ""]


def _notes(notes: Iterable[str]) -> list[str]:
    lines = [f"- {plain(visible(note))}" for note in notes]
    return [*lines, ""] if lines else []


def plain(text: str) -> str:
    """Return text with everything escaped that Markdown would obey."""
    return _SPECIAL.sub(r"\\\1", text)
