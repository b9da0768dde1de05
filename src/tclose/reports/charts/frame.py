"""What stands around the drawing: the heading, how to read it, the legend, the notes below; and room for columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tclose.auditing.explanations import Explanation
from tclose.reports.charts import captions as sentences
from tclose.reports.charts.svg import broken, text_width, words
from tclose.reports.phrases.numbers import CONFIDENTIAL

MARGIN = 20
NARROWEST = 720
WIDEST = 960

Drawn = tuple[list[str], float]
"""Elements, and the y below them."""


@dataclass(frozen=True)
class Spacing:
    """How columns stand side by side: as far apart as there is room."""

    columns: int
    left: float
    """Where the first column begins."""
    widest: float
    """How far apart columns are at most."""

    @property
    def pitch(self) -> float:
        """How far apart the columns are."""
        return min(self.widest, (WIDEST - self.left - MARGIN) / self.columns)

    @property
    def width(self) -> float:
        """How wide the picture is."""
        return max(NARROWEST, self.left + MARGIN + self.pitch * self.columns)

    @cached_property
    def centres(self) -> list[float]:
        """Where the middle of each column is."""
        return [self.left + self.pitch * (at + 0.5) for at in range(self.columns)]


def heading(explanation: Explanation, reading: str, width: float) -> Drawn:
    """Return the heading and how to read the picture."""
    room = width - 2 * MARGIN
    about, found = sentences.heading(explanation), sentences.verdict(explanation)
    parts, y = [], 34.0
    if explanation.shows_people:
        parts.append(words(MARGIN, 20, CONFIDENTIAL, "tc-strong", anchor="start"))
        y += 10
    if text_width(f"{about}: {found}", 18) <= room:
        lines = [f"{about}: {found}"]
    else:
        lines = [*broken(about, room, 3, 18), found]
    for text in lines:
        parts.append(words(MARGIN, y, text, "tc-name", anchor="start", hint=f"{about}: {found}"))
        y += 23
    for text in broken(reading, room, 5):
        parts.append(words(MARGIN, y, text, "tc-soft", anchor="start"))
        y += 18
    return parts, y


def legend(entries: Sequence[tuple[str, str]], y: float, width: float) -> Drawn:
    """Return the legend: samples, each 28 wide and drawn at the origin, with their words."""
    parts, x, row = [], float(MARGIN), y
    for sample, text in entries:
        wide = 36 + text_width(text) + 22
        if x > MARGIN and x + wide > width - MARGIN:
            x, row = MARGIN, row + 22
        parts.append(f'<g transform="translate({x:g} {row:g})">{sample}</g>')
        parts.append(words(x + 36, row + 5, text, anchor="start"))
        x += round(wide)
    return parts, row + 18


def notes(lines: Sequence[str], y: float, width: float) -> Drawn:
    """Return the notes below the drawing."""
    parts = []
    for note in lines:
        for text in broken(note, width - 2 * MARGIN, 3) if note else []:
            parts.append(words(MARGIN, y, text, "tc-soft", anchor="start"))
            y += 18
    return parts, y
