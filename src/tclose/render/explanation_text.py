"""Explanations as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from tclose.explanations import Explanation
from tclose.render.explanation_parts import Section, told
from tclose.render.explanation_words import NOTHING
from tclose.render.layout import Cell, aligned, painted, wrapped


def explanations_text(items: Sequence[Explanation], *, width: int = 80, colour: bool = False) -> str:
    """Return explanations as text.

    Parameters
    ----------
    items
        What is explained.
    width
        Columns of the terminal.
    colour
        Whether to colour it, by ANSI escape sequences.
    """
    width = max(40, width)
    blocks = [_explanation(item, width, colour=colour) for item in items]
    return f"\n\n{'─' * width}\n\n".join("\n".join(block) for block in blocks) or NOTHING


def _explanation(explanation: Explanation, width: int, *, colour: bool) -> list[str]:
    parts = told(explanation)
    if not parts.sections:
        return wrapped(" ".join(parts.verdict), width)
    lines = [painted(line, "bold", colour=colour) for line in wrapped(parts.title, width)]
    lines += ["", *(line for sentence in parts.verdict for line in wrapped(sentence, width))]
    for section in parts.sections:
        lines += ["", *(painted(line, "bold", colour=colour) for line in wrapped(section.title, width))]
        lines += _section(section, width, colour=colour)
    return lines


def _section(section: Section, width: int, *, colour: bool) -> list[str]:
    lines = [line for text in section.before for line in wrapped(text, width, first="  ", rest="  ")]
    if section.grid is not None:
        titles = [Cell(title, "dim") for title in section.grid.titles]
        rows = [[Cell(text) for text in row] for row in section.grid.rows]
        lines += aligned([titles, *rows], width, indent="  ", colour=colour)
    return lines + [line for text in section.after for line in wrapped(text, width, first="  ", rest="      ")]
