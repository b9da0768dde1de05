"""An audit as a document: the verdict first, then the figures behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from tclose.errors import Ask, Hint
from tclose.exact import shown
from tclose.models.catalogue import label
from tclose.notes import Note
from tclose.render.document import MARKS, Cell, Document, Notes, Paragraph, Picture, Section, Table, section, table
from tclose.render.telling.classes import worst_classes
from tclose.render.telling.compositions import composition_sections
from tclose.render.telling.facts import fact_sections
from tclose.render.telling.populations import population_section
from tclose.render.telling.redaction import without_people
from tclose.render.words import audits as words
from tclose.render.words.cells import visible
from tclose.render.words.phrases import title_of, units
from tclose.results import AttributeAudit, Audit, Figure, Verdict

SHOWN_CLASSES = 5
VERDICT = Cell("", long="verdict")
"""The title of a column of verdicts."""
_DETAILS = {
    "at_risk": "above 1 in 5",
    "narrow": "below 1 in 20",
    "band_80": "band of 80 %",
    "width_80": "its width",
}
"""What stands beside a figure, where its name says little."""


def audit_document(audit: Audit, *, show_classes: int = SHOWN_CLASSES) -> Document:
    """Return an audit as a document.

    Parameters
    ----------
    audit
        What was found.
    show_classes
        How many of the worst classes to list for each attribute.
    """
    audit = without_people(audit)
    how = str(Hint("{} shows them.", Ask("show_people", value=True)))
    attributes = [each for name in audit.attributes for each in _attribute(audit, name, show_classes)]
    return Document(
        kind="Privacy audit",
        title=words.verdict_sentence(audit),
        care=" ".join(words.care_sentences(audit)),
        lead=(
            words.table_sentences(audit),
            *(visible(str(warning)) for warning in audit.warnings),
            *words.reason_sentences(audit.reasons, audit.warnings),
            *words.narrow_sentences(audit),
        ),
        sections=(
            *section("", _requirements(audit)),
            *columns_section(audit),
            *preset_section(audit),
            *section(
                "The table",
                figures_table(audit.figures, audit.class_count, "Figures of the table"),
                Paragraph(words.trajectory_sentence(audit)),
            ),
            *attributes,
            *any_section(audit),
            *fact_sections(audit.facts),
            *composition_sections(audit),
            *population_section(audit),
            *section("", notes([*audit.notes, *filter(None, [words.withheld_sentence(audit, how)])])),
        ),
        verdict=audit.verdict,
        confidential=words.confidential_words(audit),
        name=f"Privacy audit of {visible(audit.source)}",
    )


def notes(lines: Iterable[Note | str]) -> Notes:
    """Return notes, with their hints, with nothing in them that a terminal would obey."""
    return Notes(tuple(visible(str(line)) for line in lines))


def verdict_cell(*, holds: bool, vacuous: bool = False) -> Cell:
    """Return a verdict as a cell."""
    told = "✗ fails" if not holds else "✓ holds, as it always would" if vacuous else "✓ holds"
    return Cell(MARKS[holds], "good" if holds else "bad", long=told)


def _requirements(audit: Audit) -> Table:
    titles = (VERDICT, "required", "of", "found", "failing", "worst class")
    rows = [_requirement(verdict, words.classes_of(audit, verdict.attribute)) for verdict in audit.verdicts]
    return table(titles, rows, name="What was required", names=1, last="below")


def _requirement(verdict: Verdict, class_count: int | None) -> list[str | Cell]:
    return [
        verdict_cell(holds=verdict.holds),
        Cell(verdict.requirement.text, "strong"),
        words.attribute_words(verdict),
        Cell(words.found_words(verdict), "good" if verdict.holds else "bad"),
        words.failing_words(verdict),
        Cell(
            words.worst_words(verdict.figure, class_count, sized=False),
            long=words.worst_words(verdict.figure, class_count),
        ),
    ]


def columns_section(audit: Audit) -> tuple[Section, ...]:
    """Return the columns that the table has although its policy withholds them; nothing where there are none."""
    rows: list[list[str | Cell]] = [
        [verdict_cell(holds=False), Cell(visible(each.name), "strong"), Cell(words.decision_words(each), "bad")]
        for each in audit.failing_columns
    ]
    way_out = Hint(
        "Remove them from the file, or decide otherwise in the policy; {} only tells of them.",
        Ask("unprotected", "tell"),
    )
    return section(
        "Columns that its policy withholds",
        table((VERDICT, "column", "decision"), rows, name="Columns that its policy withholds", names=1),
        Paragraph(str(way_out) if rows else "", "soft"),
        anchor="columns",
    )


def figures_table(figures: Mapping[str, Figure], class_count: int | None, name: str, *, titled: bool = False) -> Table:
    """Return figures as a table: what it is, its value, the class that decides it, and the model.

    ``titled``: for readers who require nothing themselves, by the titles of the models alone.
    """
    rows = [row for figure in figures.values() for row in _figure_rows(figure, class_count, titled=titled)]
    titles = ("figure", "value", "worst class", *(() if titled else ("model",)))
    return table(titles, rows, name=name, untitled=True, last="shorten" if titled else "drop")


def preset_section(audit: Audit) -> tuple[Section, ...]:
    """Return the rule that was asked for by its name: what it checked of columns, and what it does not cover."""
    if audit.preset is None:
        return ()
    preset, checks = audit.preset.preset, audit.preset.checks
    rows: list[list[str | Cell]] = [
        [verdict_cell(holds=check.holds), Cell(check.text, "strong"), words.missed_words(check)] for check in checks
    ]
    return section(
        preset.title,
        Paragraph(" ".join(filter(None, (preset.asks, preset.why)))),
        table((VERDICT, "asked of columns", "found"), rows, name="What is asked of columns", names=1, last="below"),
        Paragraph(f"It is no legal promise ({preset.source}). It does not cover:"),
        notes(preset.not_covered),
        anchor="preset",
    )


def any_section(audit: Audit) -> tuple[Section, ...]:
    """Return the figures for whoever knows only some of the columns; nothing where that was not asked."""
    found = audit.any
    if found is None:
        return ()
    figures = [("the table", figure) for figure in found.figures.values()]
    figures += [(visible(name), each) for name, mine in found.attributes.items() for each in mine.values()]
    rows: list[list[str | Cell]] = [
        [label(each.model), of, Cell(shown(each.value), "strong"), words.worst_words(each, None)]
        for of, each in figures
    ]
    return section(
        "Any column" if found.most == 1 else f"Any {found.most} columns",
        Paragraph(words.any_sentence(found, len(audit.roles.quasi))),
        table(("figure", "of", "value", "worst class"), rows, name="Figures for some of the columns", last="below"),
        anchor="any",
    )


def _figure_rows(figure: Figure, class_count: int | None, *, titled: bool) -> Iterator[list[str | Cell]]:
    model = figure.model
    found: list[str | Cell] = [Cell(shown(figure.value), "strong"), words.worst_words(figure, class_count)]
    if titled:
        yield [Cell(title_of(model), about=model.meaning), *found]
    else:
        yield [label(model), *found, Cell(model.title, "soft", about=model.meaning)]
    for name, value in figure.details.items():
        named = _DETAILS.get(name, name.replace("_", " "))
        yield [Cell(f"  {named}", "soft", long=named), shown(value), "", *([] if titled else [""])]


def _attribute(audit: Audit, name: str, show_classes: int) -> tuple[Section, ...]:
    attribute = audit.attributes[name]
    seen = visible(name)
    return section(
        seen,
        figures_table(attribute.figures, words.classes_of(audit, name), f"Figures of {seen}"),
        Paragraph(words.vacuous_sentence(attribute), "soft"),
        Picture("", f"Distances of the classes of {seen}", partial(_distances, audit, name)),
        _drivers(attribute),
        worst_table(audit, name, show_classes),
        notes(attribute.notes),
        beside=words.attribute_sentence(attribute),
    )


def _distances(audit: Audit, name: str) -> str | None:
    from tclose.render.pictures.audits import distances_drawn

    return distances_drawn(audit, name)


def _drivers(attribute: AttributeAudit) -> Table:
    """Return t without each quasi-identifier."""
    rows = [
        (name, t, Cell("drives the disclosure" if most else "", "soft"))
        for name, t, most in words.ranked_drivers(attribute)
    ]
    return table(("left out", "t", "remark"), rows, caption="t without a quasi-identifier", untitled=True, last="below")


def worst_table(audit: Audit, attribute: str, most: int) -> Table:
    """Return the worst classes of an attribute; those that read the same because they are withheld are told once."""
    found = worst_classes(audit, attribute, most)
    caption = "Worst class by t" if len(found) == 1 else f"The {len(found)} worst classes by t"
    alike = Counter((row.figure, row.size, row.key) for row in found)
    rows = [
        (figure, Cell(units(size, audit.unit), long=f"{size:,}"), key if times == 1 else f"{times} classes, each {key}")
        for (figure, size, key), times in alike.items()
    ]
    return table(
        ("t", audit.unit, "class"), rows, caption=caption, name=f"Worst classes of {visible(attribute)}", names=None,
        untitled=True,
    )  # fmt: skip
