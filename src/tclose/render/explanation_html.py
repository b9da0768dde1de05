"""Explanations as HTML with their figures: a fragment for notebooks; no script, nothing from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from tclose.explanations import Explanation
from tclose.render.explanation_parts import told
from tclose.render.explanation_words import NOTHING
from tclose.render.html import rendered


def explanations_html(items: Sequence[Explanation]) -> str:
    """Return explanations as an HTML fragment that brings its own styles and figures."""
    return rendered("explanation.html", explanations=[_explanation(item) for item in items], nothing=NOTHING)


def _explanation(explanation: Explanation) -> dict[str, Any]:
    """Return what the template shows of an explanation; only the figures are taken as they are."""
    from tclose.render.figures import figures

    parts = told(explanation)
    drawn = figures(explanation) if parts.sections else {}
    return {
        "title": parts.title,
        "verdict": parts.verdict,
        "sections": parts.sections,
        "figures": [Markup(_inline(svg)) for svg in drawn.values()],  # noqa: S704 - drawn and escaped by us
    }


def _inline(svg: str) -> str:
    """Return a picture without what only a file of its own needs."""
    return svg.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1).strip()
