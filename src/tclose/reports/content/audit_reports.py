"""The report of an audit that somebody can sign, as a document: what was required, found and assumed."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from tclose import __version__
from tclose.auditing.results import Audit, Figure, Verdict
from tclose.errors import to_readers
from tclose.policy.parts import About
from tclose.reports.charts import audits as pictures
from tclose.reports.content.audits import (
    SHOWN_CLASSES,
    VERDICT,
    any_section,
    columns_section,
    composition_sections,
    figures_table,
    population_section,
    preset_section,
    verdict_cell,
    worst_table,
)
from tclose.reports.content.decisions import decision_section, glossary_section, purpose_section, rules_section
from tclose.reports.content.facts import fact_sections
from tclose.reports.content.redaction import redacted, without_people
from tclose.reports.document import Cell, Document, Paragraph, Picture, Section, Table, Terms, section, table
from tclose.reports.machine_readable.fingerprint import COVERS, MOST_CLASSES, fingerprint
from tclose.reports.phrases import audits as words
from tclose.reports.phrases.audits import TITLE as FINDING
from tclose.reports.phrases.audits import risks
from tclose.reports.phrases.cells import unfoldered, visible
from tclose.reports.phrases.glossary import never_promised
from tclose.reports.phrases.numbers import classes, counted, joined, title_of, units

_NULLS = {
    "error": "none, else the table would have been refused",
    "drop": "left out",
    "first": "the lowest value",
    "last": "the highest value",
    "category": "a value of their own",
}
_TOGETHER = {
    "each": "each by itself",
    "joint": "together, their combinations as values",
    "quasi": "each with the others among the quasi-identifiers",
}
_NOTHING = "Nothing was required, so nothing is judged. The figures below say what the table gives away."
_VACUOUS = "Where a requirement always holds, no table with this reference could miss it: it protects nobody."
_FINGERPRINT = "Fingerprint of the table"
DRAWN = 2
"""Of so many attributes classes are drawn value by value; a report stays small enough to be sent by mail."""
PICTURED = 6
"""Of so many the distances of classes are drawn, and what each quasi-identifier gives away."""
_SHORT = 16
"""So many letters of a fingerprint stand below every page."""
Told = list[tuple[str, Sequence[str]]]
"""Terms with the lines that tell of each."""


@to_readers()
def audit_report(
    audit: Audit,
    *,
    show_classes: int = SHOWN_CLASSES,
    redact: bool = False,
    about: About | None = None,
    made: datetime | None = None,
) -> Document:
    """Return the report of an audit.

    Parameters
    ----------
    audit
        What was found.
    show_classes
        How many of the worst classes to list.
    redact
        Whether to leave out every class key and every value of the table, and the fingerprint.
    about
        What it is for, and who answers for it.
    made
        When the report is made; now if left out.
    """
    about = about or About()
    audit = without_people(unfoldered(audit))
    seen = redacted(audit) if redact else audit
    told = [*assumed(seen), *made_by(audit, made or datetime.now(UTC), withheld=redact)]
    title, care = words.verdict_sentence(seen), words.care_sentences(seen)
    unprotected = [title, *care] if seen.holds is False else care
    return Document(
        kind="Privacy audit",
        title=title,
        care=" ".join(care),
        lead=tuple(
            filter(
                None,
                (
                    words.table_sentences(seen),
                    *(visible(warning.text) for warning in seen.warnings),
                    *words.reason_sentences(seen.reasons, seen.warnings),
                    *words.narrow_sentences(seen),
                    *words.failing_sentences(seen),
                    words.withheld_sentence(seen),
                ),
            )
        ),
        sections=(
            *decision_section(seen, about, unprotected),
            *purpose_section(about),
            *_required(seen),
            *columns_section(seen),
            *preset_section(seen),
            *measured_sections(audit, show_classes=show_classes, redact=redact),
            *rules_section(seen),
            *closing_sections(told, [seen]),
        ),
        verdict=seen.verdict,
        name=f"Privacy audit of {visible(audit.source)}",
        confidential="" if redact else words.confidential_words(audit),
        footer=footer(told),
        signers=signers(about),
    )


def signers(about: About) -> tuple[str, ...]:
    """Return the lines to sign, with the names that are known."""
    return (
        f"Author: {visible(about.author) or 'name and position'}",
        f"Approver: {visible(about.approver) or 'name and position'}",
        *("Place and date", "Place and date", "Signature of the author", "Signature of the approver"),
        f"To be reviewed on {visible(about.review)}".strip(),
        "Remarks",
    )


def footer(told: Told) -> str:
    """Return what stands below every page: when the report was made, and the fingerprint of what it is about."""
    lines = dict(told)
    found, *covered = lines.get(_FINGERPRINT, ("",))
    return f"{lines['Report made'][0]}  {found[:_SHORT] if covered else ''}".strip()


def _required(audit: Audit) -> tuple[Section, ...]:
    titles = (VERDICT, "required", "of", "found", "exactly", "failing", "worst class")
    rows = [
        [
            *requirement_cells(verdict, holds=verdict.holds),
            words.failing(audit, verdict),
            words.worst_words(verdict.figure, words.classes_of(audit, verdict.attribute)),
        ]
        for verdict in audit.verdicts
    ]
    return required_section(table(titles, rows, name="What was required", names=1, last="below"), audit.verdicts)


def requirement_cells(verdict: Verdict, *, holds: bool) -> list[str | Cell]:
    """Return a requirement with what was found: the verdict, what is required of what, and the figure twice."""
    value = verdict.figure.value
    return [
        verdict_cell(holds=holds, vacuous=verdict.vacuous),
        Cell(f"{verdict.requirement.model.title}: {verdict.requirement.text}", "strong"),
        words.attribute_words(verdict),
        words.found_decimal(verdict),
        words.exact(value),
    ]


def required_section(rows: Table, verdicts: Sequence[Verdict]) -> tuple[Section, ...]:
    """Return what was required, and what to know of it."""
    remark = Paragraph("" if verdicts else _NOTHING)
    if any(verdict.vacuous and verdict.holds for verdict in verdicts):
        remark = Paragraph(_VACUOUS, "soft")
    return section("What was required", rows, remark, anchor="required")


def measured_sections(
    audit: Audit,
    *,
    show_classes: int = SHOWN_CLASSES,
    redact: bool = False,
    of: str = "",
    before: Audit | None = None,
) -> list[Section]:
    """Return what a report shows of an audit's attributes and class sizes.

    Parameters
    ----------
    audit
        What was found.
    show_classes
        How many of the worst classes to list.
    redact
        Whether to leave out every class key and every value of the table.
    of
        Of what it is, in a heading.
    before
        The audit of the original, where this is the audit of a release.
    """
    audit = without_people(audit)
    seen = redacted(audit) if redact else audit
    ranked = _most_told(audit)
    found = [
        each
        for at, name in enumerate(audit.attributes, start=1)
        for each in _attribute(
            audit, name, show_classes, redact=redact, of=of, anchor=f"attribute-{at}", rank=ranked.index(name)
        )
    ]
    sizes = section(
        f"Class sizes{of}",
        Paragraph(words.sizes_sentence(seen)),
        Picture("", "Sizes of the classes", lambda: pictures.sizes_drawn(audit)),
        figures_table(seen.figures, seen.class_count, "Figures of the table", titled=True),
        Paragraph(words.trajectory_sentence(seen)),
        anchor="sizes",
    )
    finding = _finding(audit, before, of)
    beside = (*any_section(seen), *fact_sections(seen.facts), *composition_sections(seen), *population_section(seen))
    return [*found, *sizes, *finding, *beside]


def _finding(audit: Audit, before: Audit | None, of: str) -> tuple[Section, ...]:
    """Return who could find people, and how likely."""
    rows = [(risk.attacker, risk.who, Cell(risk.found, "strong"), risk.more) for risk in risks(audit)]
    return section(
        f"{FINDING}{of}",
        Picture("", FINDING, lambda: pictures.risks_drawn(audit, before)),
        table(("attacker", "who", "chance", "besides"), rows, name=FINDING),
        anchor="finding",
    )


def _most_told(audit: Audit) -> list[str]:
    """Return the attributes in the order of their t, the largest first; those without one last."""

    def largest(name: str) -> float:
        figure = audit.attributes[name].figures.get("t")
        return -1.0 if figure is None or figure.value is None else float(figure.value)

    return sorted(audit.attributes, key=largest, reverse=True)


def _attribute(
    audit: Audit, name: str, show_classes: int, *, redact: bool, of: str, anchor: str, rank: int
) -> tuple[Section, ...]:
    """Return what a report shows of an attribute; what shows keys or values is left out if asked.

    Its classes are drawn value by value where there are few attributes, or where few have a larger t: ``rank`` says
    how many.
    """
    shown_audit = redacted(audit) if redact else audit
    attribute, seen = shown_audit.attributes[name], visible(name)
    drawn = len(audit.attributes) <= DRAWN or rank < DRAWN
    pictured = rank < PICTURED
    worst = [] if redact or not drawn else pictures.worst_explanations(audit, name)
    told = words.distances_sentence(shown_audit, name) if "t" in attribute.figures else ""
    return section(
        f"{seen}{of}",
        Paragraph(f"{told} {words.driver_sentence(attribute)}".strip()),
        Picture(
            "Distances of the classes",
            f"Distances of the classes of {seen}",
            lambda: pictures.distances_drawn(audit, name) if pictured else None,
        ),
        figures_table(attribute.figures, words.classes_of(audit, name), f"Figures of {seen}", titled=True),
        Paragraph(words.vacuous_sentence(attribute), "soft"),
        Picture("The worst classes", f"Shares of the values of {seen}", lambda: pictures.distributions_drawn(worst)),
        worst_table(shown_audit, name, show_classes),
        Picture(
            "How the worst class differs",
            f"Moves in the worst class of {seen}",
            lambda: pictures.moves_drawn(worst),
        ),
        Paragraph(_undrawn(audit, name, any_drawn=bool(worst), redact=redact, drawn=drawn, pictured=pictured), "soft"),
        Picture(
            "What each quasi-identifier gives away",
            f"Quasi-identifiers and {seen}",
            lambda: pictures.drivers_drawn(attribute) if pictured else None,
        ),
        beside=words.attribute_sentence(attribute),
        anchor=anchor,
    )


def _undrawn(audit: Audit, name: str, *, any_drawn: bool, redact: bool, drawn: bool, pictured: bool) -> str:
    """Return why the worst classes of an attribute are not drawn; empty where they are."""
    if redact:
        return "The worst classes and their values are withheld in this report."
    if not drawn:
        names = joined(_most_told(audit)[:DRAWN])
        more = "" if pictured else f" Distances are drawn for the {PICTURED} with the largest t."
        return f"Classes are drawn value by value for the attributes with the largest t: {names}.{more}"
    if not any_drawn and audit.has_few and not audit.shows_people:
        return f"The worst classes have fewer than {units(audit.few, audit.unit)}; they are not drawn."
    if len(audit.evidence[name].domain.values) > pictures.MOST_VALUES:
        return "The attribute has too many values to draw its classes value by value."
    return ""


def closing_sections(told: Told, audits: Iterable[Audit]) -> list[Section]:
    """Return what was assumed, what the models mean, and what no model promises."""
    models = table(("model", "what it says", "what it does not stop"), _models(audits))
    audits = list(audits)
    promised = never_promised(people=all(audit.people is not None for audit in audits))
    limits = Terms(tuple((term, (Paragraph(sentence),)) for term, sentence in promised.items()))
    return [
        *section("What was assumed", terms(told), anchor="assumed"),
        *section("What the models mean", models, anchor="models"),
        *section("What is not promised", limits, anchor="limits"),
        *glossary_section(),
    ]


def terms(told: Told) -> Terms:
    """Return terms with their lines; a fingerprint is set as code."""
    return Terms(tuple((term, tuple(_line(term, at, line) for at, line in enumerate(lines))) for term, lines in told))


def _line(term: str, at: int, line: str) -> Paragraph:
    return Paragraph(line, "code" if term == _FINGERPRINT and not at else "")


def assumed(audit: Audit) -> Told:
    """Return what was audited and how."""
    roles = audit.roles
    rows: Told = [
        ("Table", [f"{visible(audit.source)}: {words.everyone(audit)}, {classes(audit.class_count)}"]),
        ("Quasi-identifiers", [joined(roles.quasi)]),
    ]
    rows += [(f"Sensitive: {visible(name)}", list(_measured(audit, name))) for name in audit.attributes]
    if len(roles.sensitive) > 1:
        rows.append(("Several sensitive attributes", [_TOGETHER.get(roles.together, roles.together)]))
    if roles.person is not None:
        rows.append(("People are told apart by", [visible(roles.person)]))
    if roles.identifiers:
        rows.append(("Identifiers", [joined(roles.identifiers)]))
    rows.append(("Classes are compared with", [visible(audit.reference)]))
    if audit.notes:
        rows.append(("While reading", [visible(note.text) for note in audit.notes]))
    return rows


def _measured(audit: Audit, name: str) -> Iterable[str]:
    attribute = audit.attributes[name]
    yield f"{words.distance_words(attribute.distance)}; {counted(attribute.values, 'value')}"
    left = f" ({units(attribute.left_out, audit.unit)})" if attribute.left_out else ""
    yield f"missing values: {_NULLS[attribute.distance.nulls]}{left}"
    yield from (visible(note.text) for note in attribute.notes)


def made_by(audit: Audit | None, made: datetime, *, withheld: bool = False) -> Told:
    """Return by what and when a report was made, and the fingerprint of the table."""
    rows: Told = [
        ("Report made", [f"{made.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"]),
        ("Made by", [f"tclose {__version__}, Python {platform.python_version()}"]),
    ]
    if audit is None:
        return rows
    if withheld:
        return [*rows, ("Fingerprint", ["withheld, as class keys and values are: it could be used to try guesses"])]
    found = fingerprint(audit)
    lines = [found, COVERS] if found is not None else [f"none: there are more than {MOST_CLASSES:,} classes"]
    return [*rows, (_FINGERPRINT, lines)]


def _models(audits: Iterable[Audit]) -> list[list[str]]:
    """Return every model that was measured: its name, what it means, and what it does not stop."""
    figures: list[Figure] = []
    for audit in audits:
        figures += audit.figures.values()
        figures += [figure for each in audit.attributes.values() for figure in each.figures.values()]
    models = {title_of(figure.model): figure.model for figure in figures}
    return [[title, model.meaning, model.limit] for title, model in models.items()]
