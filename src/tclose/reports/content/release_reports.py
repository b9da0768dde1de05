"""The report of a release that somebody can sign, as a document: what is promised, before and after, what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from tclose.anonymization.algorithms.full_domain.neighbourhood import Surroundings
from tclose.anonymization.frontier_points import Frontier
from tclose.anonymization.releases import Release, Written
from tclose.auditing.results import Audit, Figure
from tclose.errors import to_readers
from tclose.policy.exact_numbers import shown
from tclose.policy.parts import About
from tclose.policy.roles import IDENTIFIERS_PUBLISHED
from tclose.reports.charts.audits import distances_drawn
from tclose.reports.content.audit_reports import (
    Told,
    assumed,
    closing_sections,
    footer,
    made_by,
    measured_sections,
    required_section,
    requirement_cells,
    signers,
    terms,
)
from tclose.reports.content.audits import VERDICT
from tclose.reports.content.decisions import decision_section, purpose_section, rules_section
from tclose.reports.content.frontiers import frontier_table
from tclose.reports.content.redaction import without_people
from tclose.reports.content.releases import (
    LOSSES_TITLE,
    LOST,
    REQUIRED,
    attack_sections,
    files_table,
    losses_table,
    lost_table,
    obstacles_table,
    release_document,
    useful_blocks,
    why_blocks,
)
from tclose.reports.document import Block, Document, Heading, Paragraph, Picture, Section, Table, section, table
from tclose.reports.phrases import audits as audit_words
from tclose.reports.phrases import frontiers as frontier_words
from tclose.reports.phrases import releases as words
from tclose.reports.phrases.cells import unfoldered_result, visible
from tclose.reports.phrases.numbers import classes, counted, everyone, joined, percent, title_of
from tclose.reports.phrases.releases import DETAIL_COSTS_TITLE as TITLE
from tclose.reports.phrases.releases import NOT_TOLD, beside, confidential, original_withheld

_LOSSES_OF_PEOPLE = "In losses, rows of a person that are alike count as one row."


@dataclass(frozen=True)
class _Audits:
    """The audits that a report of a release shows."""

    own: Audit
    """The release against its own distribution."""
    original: Audit
    """The release against the distribution of the original."""
    before: Audit | None
    """The original; None where it is not at hand."""


@to_readers()
def release_report(
    release: Release,
    written: Written | None = None,
    *,
    frontier: Frontier | None = None,
    about: About | None = None,
    made: datetime | None = None,
) -> Document:
    """Return the report of a release.

    Parameters
    ----------
    release
        What was found.
    written
        The files that were written; their audits are shown instead of audits of the rows at hand.
    frontier
        What other thresholds would have cost; a report that says so is its owner's alone.
    about
        What it is for, and who answers for it.
    made
        When the report is made; now if left out.
    """
    about = about or About()
    release = unfoldered_result(beside(release if frontier is None else release.with_original()))
    audits = _audits(release, written)
    told = _assumed(release, audits, made or datetime.now(UTC))
    missed = "" if release.holds else f"Required: {joined(words.required_texts(release.requirements))}."
    return Document(
        kind="Release of a table",
        title=words.verdict(release),
        care=" ".join(words.care_sentences(release)),
        lead=(
            *filter(None, (words.size_sentence(release), words.kept_sentence(release), missed)),
            *audit_words.reason_sentences(release.reasons),
            *(() if audits is None else audit_words.narrow_sentences(without_people(audits.own))),
        ),
        sections=(
            *(() if audits is None else decision_section(audits.own, about, words.unprotected_sentences(release))),
            *purpose_section(about),
            *(() if audits is None else _required(release, audits)),
            *section("The release", *_release(release, written, audits, frontier), anchor="release"),
            *attack_sections(release),
            *([] if audits is None else measured_sections(audits.own, of=" in the release", before=audits.before)),
            *(() if audits is None else rules_section(audits.own, attacked=release.attack is not None)),
            *closing_sections(told, [] if audits is None else [audits.own]),
        ),
        verdict=release.verdict,
        name=f"Release of {visible(release.source)}",
        footer=footer(told),
        confidential=confidential(release),
        signers=signers(about),
    )


def notebook_release(release: Release) -> Document:
    """Return a release as a notebook shows it: what it has by every figure, before and after, and its classes drawn."""
    release = unfoldered_result(release)
    document, release = release_document(release), release.with_original()
    audits = _audits(release, None)
    if audits is None:
        return document
    told = section("Before and after", _before_after(release, audits))
    drawn = [
        picture
        for name in audits.own.attributes
        for picture in section(
            f"Distances of the classes of {visible(name)}",
            Picture("", f"Distances of {visible(name)}", partial(distances_drawn, without_people(audits.own), name)),
        )
    ]
    (asked,) = _required(release, audits)
    others = [each for each in document.sections if getattr(each.blocks[0], "name", "") != REQUIRED]
    return replace(document, sections=(replace(asked, title=""), *told, *drawn, *others))


def _audits(release: Release, written: Written | None) -> _Audits | None:
    if release.work is None:
        return None
    own, original = release.audits() if written is None else written.audits
    name = release.source if written is None else written.path.name
    driving = release.work.drivers()
    attributes = {each: replace(found, drivers=driving[each]) for each, found in own.attributes.items()}
    own = replace(own, source=name, attributes=attributes)
    own = replace(own, notes=tuple(note for note in own.notes if note.code != IDENTIFIERS_PUBLISHED))  # it was removed
    return _Audits(own, replace(original, source=name), release.work.before())


def _required(release: Release, audits: _Audits) -> tuple[Section, ...]:
    titles = (VERDICT, "required", "of", "found", "exactly", "against the original", "failing")
    rows = [
        [
            *requirement_cells(each.own, holds=each.holds),
            NOT_TOLD if release.withholds_original else audit_words.found_words(each.original),
            audit_words.failing(audits.own, each.own),
        ]
        for each in words.judged(release, (audits.own, audits.original))
        if each.own is not None and each.original is not None
    ]
    return required_section(table(titles, rows, name=REQUIRED, names=1), audits.own.verdicts)


def _release(
    release: Release, written: Written | None, audits: _Audits | None, frontier: Frontier | None
) -> Iterator[Block]:
    """Give what there is to say of the release itself."""
    yield Paragraph(words.method_sentence(release))
    yield obstacles_table(release)
    yield from map(Paragraph, words.ways_out(release))
    if audits is not None:
        yield Heading("Before and after")
        yield _before_after(release, audits)
        yield Paragraph(original_withheld(release), "soft")
    if release.column_losses or release.losses:
        yield Heading("What it cost")
        yield replace(lost_table(release), caption=LOST)
        yield replace(losses_table(release, titled=True), caption=LOSSES_TITLE)
        yield Paragraph("" if release.people is None else _LOSSES_OF_PEOPLE, "soft")
        yield Paragraph(words.slack_sentence(release))
    if release.recipe is not None and release.recipe.published_counts:
        yield Heading("Published counts")
        yield Paragraph(words.COUNTS_CAUTION)
        yield _published_counts(release.recipe.published_counts)
    if release.why is not None:
        yield Heading(TITLE)
        yield from why_blocks(release.why)
    if release.work is not None and release.tells_original:
        yield from useful_blocks(release.work.useful())
        yield from _lattice(release, release.work.around())
    if frontier is not None:
        yield from _frontier(unfoldered_result(frontier))
    if release.recipe is not None:
        yield Heading("Recipe")
        yield terms(_recipe(release))
    if written is not None:
        yield replace(files_table(written, folder=False), caption="Written")


def _published_counts(published: Mapping[str, tuple[tuple[str, int | None], ...]]) -> Table:
    """Return the counts to which the values of a release are fitted."""
    rows = [
        (visible(name), visible(of), "fewer than 30" if count is None else f"{count:,}")
        for name, counts in published.items()
        for of, count in counts
    ]
    return table(("column", "of", "people"), rows, name="Published counts")


def _lattice(release: Release, found: Surroundings | None) -> Iterator[Block]:
    """Give what the levels around those of the release would come to, where all classes share their levels."""
    if found is None:
        return
    from tclose.reports.charts.lattice import lattice_picture

    left_out = f"The release itself leaves out {counted(release.suppressed, 'row')}." if release.suppressed else ""
    yield Heading("What other levels would come to")
    yield Picture("", "Lattice of levels", lambda: lattice_picture(found, remark=left_out, mark="report"))


def _frontier(frontier: Frontier) -> Iterator[Block]:
    """Give what other thresholds would cost: the picture and its numbers."""
    from tclose.reports.charts.frontier import frontier_picture

    yield Heading("What other thresholds would cost")
    yield Picture("", "Frontier", lambda: frontier_picture(frontier, mark="report"))
    yield frontier_table(frontier)
    yield Paragraph(frontier_words.legend(frontier), "soft")


def _before_after(release: Release, audits: _Audits) -> Table:
    """Return rows, classes and every figure of the original and of the release.

    A report may go beside the release. The original's classes are not published, and what the worst of them has of
    sensitive values may give its people away: only the owner, who has the original, is told. Where rows are left out,
    how many classes there were, and how small, would tell of those rows.
    """
    owner = release.tells_original
    own, original, before = audits.own, audits.original, None if release.withholds_original else audits.before
    rows = [
        ["rows", "the table", counted(release.original_rows, "row"), counted(own.rows, "row"), ""],
        ["classes", "the table", "" if before is None else classes(before.class_count), classes(own.class_count), ""],
    ]
    none: Mapping[str, Figure] = {}
    groups = [("the table", none if before is None else before.figures, own.figures, none)]
    groups += [
        (
            visible(name),
            before.attributes[name].figures if before is not None and owner else none,
            attribute.figures,
            none if release.withholds_original else original.attributes[name].figures,
        )
        for name, attribute in own.attributes.items()
    ]
    for of, old, new, against in groups:
        for key, figure in new.items():
            was, compared = (shown(found[key].value) if key in found else "" for found in (old, against))
            rows.append([title_of(figure.model), of, was, shown(figure.value), compared])
    titles = ("figure", "of", "original", "release", "release against the original")
    return table(titles, rows, name="Before and after")


def _recipe(release: Release) -> Told:
    """Return the recipe in words, without any value of the table."""
    recipe = release.recipe
    if recipe is None:
        return []
    levels = "" if recipe.levels is None else ", ".join(f"{visible(name)} {at}" for name, at in recipe.levels.items())
    alone = "to cells, by their quasi-identifiers alone"
    divided = "to the cells that cover them; here rows that look alike were divided by their sensitive values"
    rows: Told = [
        ("Method", [recipe.method]),
        ("Levels", [levels or "not the same for all classes"]),
        ("Seed", [str(recipe.seed) if release.tells_original else "kept in the recipe alone"]),
        ("New rows go", [divided if recipe.divides else alone]),
        ("Rows that may be left out", [percent(recipe.suppress) if recipe.suppress else "none"]),
        ("Promised against", ["the original's distribution" + (" and the release's own" if recipe.own else "")]),
        ("Columns published", [joined(recipe.published)]),
    ]
    if release.roles.pseudonym is not None:
        rows.append(("Pseudonyms in", [visible(release.roles.pseudonym)]))
    if release.roles.shifted:
        rows.append(("Dates shifted in", [joined(release.roles.shifted)]))
    removed = joined(name for name in release.roles.naming if name not in release.roles.shown_people)
    return [*rows, ("Identifiers removed", [removed])] if removed else rows


def _assumed(release: Release, audits: _Audits | None, made: datetime) -> Told:
    found = [visible(note.text) for note in release.notes]
    notes: Told = [("While making it", found)] if found else []
    if audits is None:
        told: Told = [
            ("Table", [f"{visible(release.source)}: {everyone(release.original_rows, release.people)}"]),
            ("Quasi-identifiers", [joined(release.roles.quasi)]),
            ("Sensitive", [joined(release.roles.sensitive)]),
        ]
        return [*told, *notes, *made_by(None, made)]
    (_, table_lines), *rows = assumed(audits.own)
    return [
        ("Original", [f"{visible(release.source)}: {everyone(release.original_rows, release.people)}"]),
        ("Release", table_lines),
        *rows,
        *notes,
        *made_by(audits.own, made),
    ]
