"""The report of a release that somebody can sign: what is promised, before and after, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from tclose.exact import shown
from tclose.frontiers import Frontier
from tclose.models.catalogue import label
from tclose.releases import Release, Written
from tclose.render import release_words, report_words
from tclose.render.cells import visible
from tclose.render.folders import without_folders
from tclose.render.frontier import frontier_table
from tclose.render.html import rendered
from tclose.render.limits import NEVER_PROMISED
from tclose.render.pictures import drawn
from tclose.render.report import audit_parts
from tclose.render.words import classes, counted, joined
from tclose.results import Audit, Figure


@dataclass(frozen=True)
class Audits:
    """The audits that a report of a release shows."""

    own: Audit
    """The release against its own distribution."""
    original: Audit
    """The release against the distribution of the original."""
    before: Audit | None
    """The original; None where it is not at hand."""


@dataclass(frozen=True)
class BeforeAfter:
    """A figure of the original and of the release."""

    figure: str
    of: str
    before: str
    after: str
    against_original: str


def release_report_html(
    release: Release,
    written: Written | None = None,
    *,
    frontier: Frontier | None = None,
    made: datetime | None = None,
) -> str:
    """Return the report of a release as a page that asks for nothing from outside.

    Parameters
    ----------
    release
        What was found.
    written
        The files that were written; their audits are shown instead of audits of the rows at hand.
    frontier
        What other thresholds would have cost.
    made
        When the report is made; now if left out.
    """
    release = replace(release, source=without_folders(release.source))
    audits = _audits(release, written)
    parts = audit_parts(audits.own) if audits is not None else {"attributes": [], "sizes": None, "redacted": False}
    sentences = (
        release_words.size_sentence(release),
        release_words.kept_sentence(release),
        *([] if release.holds else _missed(release)),
    )
    return rendered(
        "report.html",
        kind="Release of a table",
        title=f"Release of {visible(release.source)}",
        holds=release.holds,
        verdict=release_words.verdict(release),
        sentences=[sentence for sentence in sentences if sentence],
        requirements=[] if audits is None else _requirements(release, audits),
        audited_twice=True,
        release=_release(release, written, audits, frontier),
        **parts,
        assumed=_assumed(release, audits, made or datetime.now(UTC)),
        models=[] if audits is None else report_words.model_rows([audits.own]),
        never=NEVER_PROMISED.items(),
        explained="",
    )


def _audits(release: Release, written: Written | None) -> Audits | None:
    if release.work is None:
        return None
    own, original = release.audits() if written is None else (written.audit, written.against_original)
    name = release.source if written is None else written.path.name
    driving = release.work.drivers()
    attributes = {each: replace(found, drivers=driving[each]) for each, found in own.attributes.items()}
    own = replace(own, source=name, attributes=attributes)
    return Audits(own, replace(original, source=name), release.work.before())


def _missed(release: Release) -> list[str]:
    return [f"Required: {joined(release_words.required_texts(release.requirements))}."]


def _requirements(release: Release, audits: Audits) -> list[report_words.RequirementRow]:
    """Return the requirements; they must hold against the original, and against the release itself if promised."""
    promised = release.recipe is None or release.recipe.own
    pairs = zip(audits.own.verdicts, audits.original.verdicts, strict=True)
    return [
        replace(
            report_words.requirement_row(audits.own, own, original),
            holds=original.holds and (own.holds or not promised),
        )
        for own, original in pairs
    ]


def _release(
    release: Release, written: Written | None, audits: Audits | None, frontier: Frontier | None
) -> dict[str, Any]:
    """Return what the template shows of the release itself."""
    return {
        "before_after": [] if audits is None else list(_before_after(release, audits)),
        "method": release_words.method_sentence(release),
        "recipe": _recipe(release),
        "columns": [
            (name, release_words.percent(lost), round(100 * lost, 1))
            for name, lost in release_words.column_rows(release)
        ],
        "losses": release_words.loss_rows(release),
        "obstacles": release_words.obstacle_rows(release),
        "best": "found" if release_words.made_by_recipe(release) else "best possible",
        "ways_out": release_words.ways_out(release),
        "frontier": None if frontier is None else _frontier(frontier),
        "files": [] if written is None else _files(written),
    }


def _frontier(frontier: Frontier) -> dict[str, Any]:
    """Return what other thresholds would cost: the picture and its numbers."""
    from tclose.render.figures.frontier import frontier_figure

    frontier = replace(frontier, source=without_folders(frontier.source))
    return {"picture": drawn(frontier_figure(frontier, mark="report")), **frontier_table(frontier)}


def _files(written: Written) -> list[tuple[str, str, str]]:
    """Return the files that were written, without the folder that they are in."""
    (_, _, remark), *others = release_words.file_rows(written)
    return [("release", visible(written.path.name), remark), *others]


def _before_after(release: Release, audits: Audits) -> Iterable[BeforeAfter]:
    """Give rows, classes and every figure of the original and of the release."""
    own, original, before = audits.own, audits.original, audits.before
    was = classes(before.class_count) if before else ""
    yield BeforeAfter("rows", "the table", counted(release.rows, "row"), counted(own.rows, "row"), "")
    yield BeforeAfter("classes", "the table", was, classes(own.class_count), "")
    groups: list[tuple[str, Mapping[str, Figure], Mapping[str, Figure], Mapping[str, Figure]]] = [
        ("the table", before.figures if before else {}, own.figures, original.figures)
    ]
    groups += [
        (
            visible(name),
            before.attributes[name].figures if before else {},
            attribute.figures,
            original.attributes[name].figures,
        )
        for name, attribute in own.attributes.items()
    ]
    for of, old, new, against in groups:
        for key, figure in new.items():
            compared = "" if of == "the table" else shown(against[key].value)
            was = shown(old[key].value) if key in old else ""
            yield BeforeAfter(label(figure.model), of, was, shown(figure.value), compared)


def _recipe(release: Release) -> list[tuple[str, str]]:
    """Return the recipe in words, without any value of the table."""
    recipe = release.recipe
    if recipe is None:
        return []
    levels = "" if recipe.levels is None else ", ".join(f"{visible(name)} {at}" for name, at in recipe.levels.items())
    again = "yes: quasi-identifiers alone decide what becomes of a row"
    only = "no: rows that look alike were divided by their sensitive values"
    rows = [
        ("Method", recipe.method),
        ("Levels", levels or "not the same for all classes"),
        ("Seed", str(recipe.seed)),
        ("Applies to new rows", again if recipe.applies_to_new_rows else only),
        ("Promised against", "the original's distribution" + (" and the release's own" if recipe.own else "")),
        ("Columns published", joined(recipe.published)),
    ]
    removed = joined(release.roles.identifiers)
    return [*rows, ("Identifiers removed", removed)] if removed else rows


def _assumed(release: Release, audits: Audits | None, made: datetime) -> list[tuple[str, list[str]]]:
    notes = [("While making it", [visible(note) for note in release.notes])] if release.notes else []
    if audits is None:
        roles = release.roles
        told = [
            ("Table", [f"{visible(release.source)}: {counted(release.rows, 'row')}"]),
            ("Quasi-identifiers", [joined(roles.quasi)]),
            ("Sensitive", [joined(roles.sensitive)]),
        ]
        return [*told, *notes, *report_words.made_rows(None, made)]
    rows = report_words.assumed_rows(audits.own, source=audits.own.source)
    return [
        ("Original", [f"{visible(release.source)}: {counted(release.rows, 'row')}"]),
        ("Release", rows[0][1]),
        *rows[1:],
        *notes,
        *report_words.made_rows(audits.own, made),
    ]
