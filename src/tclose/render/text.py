"""An audit as text for people: the verdict first, then the figures behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tclose.exact import shown
from tclose.models.catalogue import label
from tclose.render.cells import visible
from tclose.render.classes import worst_classes
from tclose.render.layout import Cell, aligned, elided, fits, painted, wrapped
from tclose.render.words import (
    MARKS,
    VERDICT_TITLES,
    attribute_sentence,
    attribute_words,
    classes_of,
    counted,
    failing_words,
    marked_verdict,
    ranked_drivers,
    table_sentences,
    vacuous_sentence,
    worst_words,
)
from tclose.results import AttributeAudit, Audit, Figure, Verdict

WIDTH = 80


def audit_text(audit: Audit, *, width: int | None = None, colour: bool = False, show_classes: int = 5) -> str:
    """Return an audit as text.

    Parameters
    ----------
    audit
        What was found.
    width
        Columns of the terminal; 80 if left out.
    colour
        Whether to colour it, by ANSI escape sequences.
    show_classes
        How many of the worst classes to list for each attribute.
    """
    page = _Page(max(40, width or WIDTH), colour=colour)
    page.verdict(audit)
    if audit.figures:
        page.figures("The table", "", audit.figures, audit.class_count)
    for attribute in audit.attributes.values():
        page.attribute(audit, attribute, show_classes)
    page.notes(audit.notes)
    return "\n".join(page.lines)


class _Page:
    """Lines of a report in the making."""

    def __init__(self, width: int, *, colour: bool) -> None:
        self.width = width
        self.colour = colour
        self.lines: list[str] = []

    def paragraph(self, text: str, style: str = "", indent: str = "") -> None:
        lines = wrapped(text, self.width, first=indent, rest=indent)
        self.lines += [painted(line, style, colour=self.colour) for line in lines]

    def table(self, rows: list[list[Cell]], indent: str = "  ") -> None:
        self.lines += aligned(rows, self.width, indent=indent, colour=self.colour)

    def heading(self, text: str, rest: str) -> None:
        self.lines.append("")
        first, *others = wrapped(f"{text}  {rest}".rstrip(), self.width, rest="  ")
        named = first.startswith(text)
        shown_first = painted(text, "bold", colour=self.colour) + first[len(text) :] if named else first
        self.lines += [shown_first, *others]

    def verdict(self, audit: Audit) -> None:
        style = {True: "good", False: "bad", None: "bold"}[audit.holds]
        self.paragraph(marked_verdict(audit), style)
        self.paragraph(table_sentences(audit))
        if audit.verdicts:
            self.lines.append("")
            rows = [_verdict_row(verdict, classes_of(audit, verdict.attribute)) for verdict in audit.verdicts]
            self.verdicts([[Cell(title, "dim") for title in VERDICT_TITLES], *rows])

    def verdicts(self, rows: list[list[Cell]]) -> None:
        """Write the requirements, with the worst class on a line of its own where the row has no room for it."""
        if fits(rows, self.width):
            self.table(rows, indent="")
            return
        first, *lines = aligned([row[:-1] for row in rows], self.width, colour=self.colour)
        self.lines.append(first)
        for line, row in zip(lines, rows[1:], strict=True):
            worst = elided(f"     worst: {row[-1].text}", self.width)
            self.lines += [line, painted(worst, "dim", colour=self.colour)] if row[-1].text else [line]

    def figures(self, title: str, sentence: str, figures: Mapping[str, Figure], class_count: int | None) -> None:
        self.heading(title, sentence)
        rows = [row for figure in figures.values() for row in _figure_rows(figure, class_count)]
        self.table(rows if fits(rows, self.width, indent="  ") else [row[:-1] for row in rows])

    def attribute(self, audit: Audit, attribute: AttributeAudit, show_classes: int) -> None:
        self.figures(
            visible(attribute.name),
            attribute_sentence(attribute),
            attribute.figures,
            classes_of(audit, attribute.name),
        )
        if vacuous := vacuous_sentence(attribute):
            self.paragraph(vacuous, "dim", indent="  ")
        self.drivers(attribute)
        self.classes(audit, attribute, show_classes)
        self.notes(attribute.notes, blank=False)

    def drivers(self, attribute: AttributeAudit) -> None:
        if not attribute.drivers:
            return
        self.lines.append("  t without a quasi-identifier:")
        rows = [
            [Cell(name), Cell(t), Cell("drives the disclosure" if most else "", "dim")]
            for name, t, most in ranked_drivers(attribute)
        ]
        self.table(rows, indent="    ")

    def classes(self, audit: Audit, attribute: AttributeAudit, most: int) -> None:
        found = worst_classes(audit, attribute.name, most)
        if not found:
            return
        self.lines.append(f"  {'Worst class' if len(found) == 1 else f'The {len(found)} worst classes'} by t:")
        self.table(
            [[Cell(row.figure), Cell(counted(row.size, "row")), Cell(row.key)] for row in found],
            indent="    ",
        )

    def notes(self, notes: Iterable[str], *, blank: bool = True) -> None:
        notes = list(notes)
        if notes and blank:
            self.lines.append("")
        for note in notes:
            self.lines += wrapped(visible(note), self.width, first="  • ", rest="    ")


def _verdict_row(verdict: Verdict, class_count: int | None) -> list[Cell]:
    style = "good" if verdict.holds else "bad"
    return [
        Cell(MARKS[verdict.holds], style),
        Cell(verdict.requirement.text, "bold"),
        Cell(attribute_words(verdict)),
        Cell(shown(verdict.figure.value), style),
        Cell(failing_words(verdict)),
        Cell(worst_words(verdict.figure, class_count, sized=False)),
    ]


def _figure_rows(figure: Figure, class_count: int | None) -> list[list[Cell]]:
    first = [
        Cell(label(figure.model)),
        Cell(shown(figure.value), "bold"),
        Cell(worst_words(figure, class_count)),
        Cell(figure.model.title, "dim"),
    ]
    details = [
        [Cell(f"  {name.replace('_', ' ')}", "dim"), Cell(shown(value)), Cell(""), Cell("")]
        for name, value in figure.details.items()
    ]
    return [first, *details]
