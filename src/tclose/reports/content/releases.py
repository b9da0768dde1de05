"""A release as a document: the verdict first, then what it cost and where it went."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from tclose.anonymization.algorithms.associations import Usefulness
from tclose.anonymization.algorithms.losses.catalogue import LOSSES
from tclose.anonymization.detail_costs import ColumnCost, DetailCosts, RequirementCost
from tclose.anonymization.releases import Release, Written
from tclose.auditing.results import Verdict
from tclose.policy.exact_numbers import decimal_text
from tclose.reports.content.attacks import outcomes_tables
from tclose.reports.content.audits import VERDICT, notes, verdict_cell
from tclose.reports.content.redaction import without_people
from tclose.reports.document import (
    Block,
    Cell,
    Document,
    Heading,
    Notes,
    Paragraph,
    Picture,
    Section,
    Table,
    section,
    table,
)
from tclose.reports.phrases import releases as release_phrases
from tclose.reports.phrases import releases as words
from tclose.reports.phrases.attacks import finding, legend
from tclose.reports.phrases.audits import figure_beside, marked_found, narrow_sentences, reason_sentences
from tclose.reports.phrases.cells import key_text, visible
from tclose.reports.phrases.numbers import percent
from tclose.reports.phrases.releases import DETAIL_COSTS_TITLE as TITLE
from tclose.reports.phrases.releases import beside, confidential, judged

# What a release is still good for, as parts of its report: columns, pairs of columns, and what a model learns.


def useful_blocks(found: Usefulness | None) -> Iterator[Block]:
    """Give what a release is still good for; nothing where that is not known."""
    if found is None:
        return
    from tclose.reports.charts.usefulness import associations_picture, predictions_picture

    yield Heading(words.USEFULNESS_TITLE)
    yield table(
        ("column", "detail lost", "distribution off by"),
        [
            [
                visible(name),
                percent(found.lost[name]) if name in found.lost else "",
                decimal_text(moved),
            ]
            for name, moved in found.moved.items()
        ],
        name="Columns of the release",
    )
    yield Picture("", "How columns go together", partial(associations_picture, found))
    yield Picture("", "What a model learns", partial(predictions_picture, found))
    yield from (Paragraph(words.learnt(each)) for each in found.predictions)
    yield Notes(tuple(words.remarks(found)))


# What costs the detail of a release, as parts of a document for its owner: by column, by requirement, and advice.


def why_blocks(costs: DetailCosts | None) -> Iterator[Block]:
    """Give what costs the detail; nothing where that was not measured."""
    if costs is None:
        return
    yield Paragraph(words.advice_sentence(costs), "strong")
    yield table(
        ("column", "keeps", "others keep", "others without it"),
        [_column(each) for each in costs.columns],
        name="By column",
        caption="By column: what it keeps, and what the others keep with it and without it",
    )
    yield table(
        ("required", "binds", "without it", "looser", "with that", "classes"),
        [_requirement(each) for each in costs.requirements],
        name="By requirement",
        caption="By requirement: what is kept without it and with a looser one, and the most classes of any release",
    )
    yield Paragraph(words.legend(costs), "soft")


def _column(cost: ColumnCost) -> list[str | Cell]:
    others = "" if cost.others is None else percent(cost.others)
    return [visible(cost.column), percent(cost.kept), others, Cell(words.share(cost.others_without), "strong")]


def _requirement(cost: RequirementCost) -> list[str | Cell]:
    looser = cost.looser
    return [
        words.required_text(cost.requirement),
        "yes" if cost.binds else "no",
        Cell(words.share(cost.kept_without), "strong"),
        "" if looser is None else looser.text,
        "" if looser is None else words.share(cost.kept_looser),
        "" if cost.most_classes is None else f"{cost.most_classes:,}",
    ]


LOST = "Detail lost, by column"
REQUIRED = "What was required"
LOSSES_TITLE = "Losses, of each less is better"


def release_document(release: Release, written: Written | None = None) -> Document:
    """Return a release as a document.

    Parameters
    ----------
    release
        What was found.
    written
        The files that were written, with the audits of what is in them.
    """
    lead = (
        release_phrases.size_sentence(release),
        release_phrases.kept_sentence(release),
        release_phrases.method_sentence(release),
    )
    narrow = narrow_sentences(without_people(release.audits()[0])) if release.holds else ()
    asked: Table | None = obstacles_table(release) if release.obstacles else _requirements(release, written)
    if not release.obstacles and release_phrases.spared(release) is not None:
        asked = None
    return Document(
        kind="Release of a table",
        title=release_phrases.verdict(release),
        care=" ".join(release_phrases.care_sentences(release)),
        lead=tuple(filter(None, (*lead, *reason_sentences(release.reasons), *narrow))),
        sections=(
            *section("", asked),
            *section(LOST, lost_table(release)),
            *section(LOSSES_TITLE, losses_table(release)),
            *section("", *map(Paragraph, release_phrases.ways_out(release))),
            *section(TITLE, *why_blocks(release.why)),
            *(() if release.attack is None else attack_sections(release)),
            *section("", notes(release.notes)),
            *section("Written", None if written is None else files_table(written)),
        ),
        verdict=release.verdict,
        name=f"Release of {visible(release.source)}",
    )


def release_handed_over(release: Release) -> Document:
    """Return a release as a document for whoever gets it, or for its owner alone where it was told to be."""
    return replace(release_document(beside(release)), confidential=confidential(release))


def attack_sections(release: Release) -> tuple[Section, ...]:
    """Return which attackers were tried on releases like this one, and what they got."""
    told = Paragraph(release_phrases.attack_sentence(release))
    attack = release.attack
    if attack is None:
        return () if release_phrases.made_by_recipe(release) else section("Attackers", told, anchor="attackers")
    from tclose.reports.charts.attacks import attack_picture

    drawn = Picture("", "Attackers", lambda: attack_picture(attack, mark="release"))
    tables = outcomes_tables(attack)
    lines = (Paragraph(finding(attack)), Paragraph(legend(attack)))
    return section("Attackers", told, drawn, *tables, *lines, anchor="attackers")


def _requirements(release: Release, written: Written | None) -> Table:
    """Return the requirements; with the figures of the release where it was written and audited."""
    titles = (VERDICT, "required", "of", "in the release", "against the original")
    rows = [
        (verdict_cell(holds=each.holds), Cell(each.text, "strong"), each.of, _found(each.own), _found(each.original))
        for each in judged(release, None if written is None else written.audits)
    ]
    shown_columns = len(titles) if written is not None else 3
    rows_shown = [row[:shown_columns] for row in rows]
    return table(titles[:shown_columns], rows_shown, name=REQUIRED, names=1)


def _found(verdict: Verdict | None) -> Cell:
    return Cell(marked_found(verdict), "good" if verdict is not None and verdict.holds else "bad")


def obstacles_table(release: Release) -> Table:
    """Return what stands in the way: required, of what, the figure, and the class that decides it."""
    sparing = any(each.sparing for each in release.obstacles)
    best = "found" if release_phrases.made_by_recipe(release) else "best with all rows" if sparing else "best possible"
    rows = [
        (
            verdict_cell(holds=False),
            Cell(each.requirement.text, "strong"),
            release_phrases.subject(each.requirement),
            Cell(figure_beside(each.value, each.requirement, holds=False), "bad"),
            key_text(release_phrases.shown_key(release, each)),
        )
        for each in release.obstacles
    ]
    titles = (VERDICT, "required", "of", best, "class that decides it")
    return table(titles, rows, name="What stands in the way", names=1, last="drop")


def lost_table(release: Release) -> Table:
    """Return each quasi-identifier with the share of its detail that is lost, the largest first."""
    ranked = sorted(release.column_losses.items(), key=lambda item: -item[1])
    rows = [(visible(name), Cell(percent(lost), "strong"), Cell("", share=lost)) for name, lost in ranked]
    return table(("column", "lost", "of its detail"), rows, name=LOST, untitled=True)


def losses_table(release: Release, *, titled: bool = False) -> Table:
    """Return the losses that are reported; ``titled``: by their titles alone."""
    found = ((loss, release.losses.get(loss.key)) for loss in LOSSES.values() if loss.reported)
    rows = [
        (
            loss.title if titled else loss.key,
            Cell(decimal_text(value), "strong"),
            Cell("" if titled else loss.title, "soft"),
        )
        for loss, value in found
        if value is not None
    ]
    return table(("loss", "value", "what it is"), rows, name=LOSSES_TITLE, untitled=True)


_NAMED = {
    "page": "the report that was asked for",
    "statement": "for catalogues",
    "certificate": "goes with the release; 'tclose verify' checks it",
}
"""What to know of files that a person asked for."""


def files_table(written: Written, *, folder: bool = True) -> Table:
    """Return the files that were written, with what to know of each; without the folder that they are in if asked."""
    path = str(written.path) if folder else written.path.name
    files = [
        ("release", path, "the table to publish"),
        ("report", written.report and written.report.name, "beside it: what was promised and measured"),
        ("recipe", written.recipe and written.recipe.name, "stays with the original, whose values it has"),
        *((kind, str(file), _NAMED[kind]) for kind, file in written.named),
    ]
    rows = [(name, Cell(visible(file), "strong"), Cell(remark, "soft")) for name, file, remark in files if file]
    return table(("what", "file", "remark"), rows, name="Written", untitled=True, last="below", uncut=True)
