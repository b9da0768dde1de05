"""A release as HTML: a fragment for notebooks or a page; no script, nothing from outside."""

from __future__ import annotations

from tclose.releases import Release, Written
from tclose.render import release_words as words
from tclose.render.cells import visible
from tclose.render.html import rendered


def release_html(release: Release, written: Written | None = None) -> str:
    """Return a release as an HTML fragment that brings its own styles.

    Parameters
    ----------
    release
        What was found.
    written
        The files that were written, with the audits of what is in them.
    """
    return rendered(
        "release.html",
        holds=release.holds,
        verdict=words.verdict(release),
        sentences=[
            sentence
            for sentence in (
                words.size_sentence(release),
                words.kept_sentence(release),
                words.method_sentence(release),
            )
            if sentence
        ],
        requirements=[] if release.obstacles else words.requirement_rows(release, written),
        audited=written is not None,
        obstacles=words.obstacle_rows(release),
        best="found" if words.made_by_recipe(release) else "best possible",
        ways_out=words.ways_out(release),
        columns=[(name, words.percent(lost), round(100 * lost, 1)) for name, lost in words.column_rows(release)],
        losses=words.loss_rows(release),
        notes=[visible(note) for note in release.notes],
        files=words.file_rows(written) if written is not None else [],
    )
