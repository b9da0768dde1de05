"""Explanations as Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from tclose.explanations import Explanation
from tclose.render.explanation_parts import Section, told
from tclose.render.explanation_words import NOTHING
from tclose.render.markdown import plain, table_lines


def explanations_markdown(items: Sequence[Explanation], *, depth: int = 2) -> str:
    """Return explanations as Markdown; everything that came from the table is escaped.

    Parameters
    ----------
    items
        What is explained.
    depth
        The level of the headings of explanations; those of their sections are one below.
    """
    lines: list[str] = []
    for item in items:
        parts = told(item)
        lines += [f"{'#' * depth} {plain(parts.title)}", ""]
        lines += [plain(" ".join(parts.verdict)), ""]
        for section in parts.sections:
            lines += [f"{'#' * (depth + 1)} {plain(section.title)}", "", *section_lines(section)]
    return "\n".join(lines) if lines else NOTHING


def section_lines(section: Section) -> list[str]:
    """Return what a section holds as lines, without its heading."""
    lines = [plain(" ".join(section.before)), ""] if section.before else []
    if section.grid is not None:
        lines += table_lines([plain(title) for title in section.grid.titles], section.grid.rows)
    for text in section.after:
        lines += [plain(text), ""]
    return lines
