"""Explanations as HTML with their figures: a fragment for notebooks; no script, nothing from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tclose.explanations import Explanation
from tclose.render.explanation_parts import told
from tclose.render.explanation_words import NOTHING
from tclose.render.html import rendered
from tclose.render.pictures import drawn


def explanations_html(items: Sequence[Explanation]) -> str:
    """Return explanations as an HTML fragment that brings its own styles and figures."""
    return rendered("explanation.html", explanations=[_explanation(item) for item in items], nothing=NOTHING)


def _explanation(explanation: Explanation) -> dict[str, Any]:
    """Return what the template shows of an explanation; only the figures are taken as they are."""
    from tclose.render.figures import figures

    parts = told(explanation)
    pictures = figures(explanation) if parts.sections else {}
    return {
        "title": parts.title,
        "verdict": parts.verdict,
        "sections": parts.sections,
        "figures": [drawn(svg) for svg in pictures.values()],
    }
