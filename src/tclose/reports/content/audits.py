"""An audit as a document: the verdict first, then the figures behind it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from tclose.auditing.results import AttributeAudit, Audit, Figure, Verdict
from tclose.errors import Ask, Hint, Note
from tclose.models.catalogue import label
from tclose.models.populations.findings import PopulationFinding
from tclose.policy.exact_numbers import decimal_text, shown
from tclose.reports.content.distributions import worst_classes
from tclose.reports.content.facts import fact_sections
from tclose.reports.content.redaction import without_people
from tclose.reports.document import MARKS, Cell, Document, Notes, Paragraph, Picture, Section, Table, section, table
from tclose.reports.phrases import audits as audit_phrases
from tclose.reports.phrases import audits as words
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.facts import linked_sentence
from tclose.reports.phrases.numbers import counted, joined, percent, title_of, units

# What several releases say together, as sections of a document.


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
            Cell(words.composed_found_words(each), "good" if each.holds else "bad"),
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


# What was estimated of a population, as a section of the document of an audit.


_NAMES = {
    "pitman": "Pitman",
    "zayatz": "Zayatz",
    "snb": "SNB",
    "dankar": "Dankar's rule",
}


def population_section(audit: Audit) -> tuple[Section, ...]:
    """Return what was estimated of the population; nothing where that was not asked."""
    found = audit.population
    if found is None:
        return ()
    rows: list[list[str | Cell]] = [_row(found, key) for key in found.estimates]
    lone = "of lone rows" if audit.people is None else "of those alone here"
    titles = ("estimator", "alone in it", "of all", lone, "error here")
    return section(
        "The population",
        Paragraph(_drawn_sentence(found, audit)),
        table(titles, rows, name="Who is alone in the population"),
        Paragraph(_risk_sentence(found, audit)),
        Paragraph(_weighted_sentence(found)),
        Paragraph("None of these is the truth: they are estimates from the sizes of classes alone.", "soft"),
        anchor="population",
    )


def _row(found: PopulationFinding, key: str) -> list[str | Cell]:
    uniques, alone, error = found.estimates[key].uniques, found.alone(key), found.errors[key]
    if uniques is None:
        return [_NAMES[key], Cell("no answer", "soft"), "", "", ""]
    return [
        _NAMES[key],
        Cell(f"{uniques:,.0f}", "strong"),
        percent(min(1.0, uniques / found.appearances)),
        "" if alone is None else percent(alone),
        "not tried" if error is None else f"{'+' if error >= 0 else '−'}{percent(abs(error))}",
    ]


def _drawn_sentence(found: PopulationFinding, audit: Audit) -> str:
    words = ("row", "rows") if audit.people is None else ("person", "people")
    drawn, alone = (counted(number, *words) for number in (found.drawn, found.sample.uniques))
    verb = "is" if found.sample.uniques == 1 else "are"
    often = ""
    if found.sample.rows != found.drawn:
        drawn += f", who appear {counted(found.sample.rows, 'time')} in classes,"
        alone = counted(found.sample.uniques, "appearance")
        often = " It is taken that others appear in classes as often."
    return (
        f"{drawn} of a population of {counted(found.people, 'person', 'people')} ({percent(found.fraction)}); "
        f"{alone} {verb} alone in the table.{often}"
    )


def _risk_sentence(found: PopulationFinding, audit: Audit) -> str:
    low, high = (decimal_text(each, 2) for each in found.journalist)
    fits = f"About {found.expected_rows:,.0f} of them fit one person of the population only, by Dankar's rule: k-map 1."
    if found.k_map > 1:
        nobody = "a row" if audit.people is None else "anybody"
        fits = (
            f"Hardly {nobody} fits one person of the population only, by Dankar's rule: k-map at least {found.k_map}."
        )
    return f"{fits} The journalist risk of the smallest classes is between {low} and {high}."


def _weighted_sentence(found: PopulationFinding) -> str:
    if found.weighted is None:
        return ""
    return (
        f"By the weights of rows, the smallest class has {shown(found.weighted.smallest)} people in the population: "
        f"journalist risk {shown(found.weighted.largest_risk)}, {decimal_text(found.weighted.mean_risk, 4)} on average."
    )


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
        title=audit_phrases.verdict_sentence(audit),
        care=" ".join(audit_phrases.care_sentences(audit)),
        lead=(
            audit_phrases.table_sentences(audit),
            *(visible(str(warning)) for warning in audit.warnings),
            *audit_phrases.reason_sentences(audit.reasons, audit.warnings),
            *filter(None, [linked_sentence(audit.linked)]),
            *audit_phrases.narrow_sentences(audit),
        ),
        sections=(
            *section("", _requirements(audit)),
            *columns_section(audit),
            *preset_section(audit),
            *section(
                "The table",
                figures_table(audit.figures, audit.class_count, "Figures of the table"),
                Paragraph(audit_phrases.trajectory_sentence(audit)),
            ),
            *attributes,
            *any_section(audit),
            *fact_sections(audit.facts),
            *composition_sections(audit),
            *population_section(audit),
            *section("", notes([*audit.notes, *filter(None, [audit_phrases.withheld_sentence(audit, how)])])),
        ),
        verdict=audit.verdict,
        confidential=audit_phrases.confidential_words(audit),
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
    rows = [_requirement(verdict, audit_phrases.classes_of(audit, verdict.attribute)) for verdict in audit.verdicts]
    return table(titles, rows, name="What was required", names=1, last="below")


def _requirement(verdict: Verdict, class_count: int | None) -> list[str | Cell]:
    return [
        verdict_cell(holds=verdict.holds),
        Cell(verdict.requirement.text, "strong"),
        audit_phrases.attribute_words(verdict),
        Cell(audit_phrases.found_words(verdict), "good" if verdict.holds else "bad"),
        audit_phrases.failing_words(verdict),
        Cell(
            audit_phrases.worst_words(verdict.figure, class_count, sized=False),
            long=audit_phrases.worst_words(verdict.figure, class_count),
        ),
    ]


def columns_section(audit: Audit) -> tuple[Section, ...]:
    """Return the columns that the table has although its policy withholds them; nothing where there are none."""
    rows: list[list[str | Cell]] = [
        [verdict_cell(holds=False), Cell(visible(each.name), "strong"), Cell(audit_phrases.decision_words(each), "bad")]
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
        [verdict_cell(holds=check.holds), Cell(check.text, "strong"), audit_phrases.missed_words(check)]
        for check in checks
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
        [label(each.model), of, Cell(shown(each.value), "strong"), audit_phrases.worst_words(each, None)]
        for of, each in figures
    ]
    return section(
        "Any column" if found.most == 1 else f"Any {found.most} columns",
        Paragraph(audit_phrases.any_sentence(found, len(audit.roles.quasi))),
        table(("figure", "of", "value", "worst class"), rows, name="Figures for some of the columns", last="below"),
        anchor="any",
    )


def _figure_rows(figure: Figure, class_count: int | None, *, titled: bool) -> Iterator[list[str | Cell]]:
    model = figure.model
    found: list[str | Cell] = [Cell(shown(figure.value), "strong"), audit_phrases.worst_words(figure, class_count)]
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
        figures_table(attribute.figures, audit_phrases.classes_of(audit, name), f"Figures of {seen}"),
        Paragraph(audit_phrases.vacuous_sentence(attribute), "soft"),
        Picture("", f"Distances of the classes of {seen}", partial(_distances, audit, name)),
        _drivers(attribute),
        worst_table(audit, name, show_classes),
        notes(attribute.notes),
        beside=audit_phrases.attribute_sentence(attribute),
    )


def _distances(audit: Audit, name: str) -> str | None:
    from tclose.reports.charts.audits import distances_drawn

    return distances_drawn(audit, name)


def _drivers(attribute: AttributeAudit) -> Table:
    """Return t without each quasi-identifier."""
    rows = [
        (name, t, Cell("drives the disclosure" if most else "", "soft"))
        for name, t, most in audit_phrases.ranked_drivers(attribute)
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
