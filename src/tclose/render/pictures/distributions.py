"""The table against its worst classes: what share of each has every value, one panel for each class."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tclose.explanations import Explanation
from tclose.render.pictures.amounts import amount, result
from tclose.render.pictures.bars import heading
from tclose.render.pictures.columns import Columns, columns_of, regrouped
from tclose.render.pictures.frame import MARGIN, WIDEST, Spacing, legend, notes
from tclose.render.pictures.lettering import LONGEST, SIZE, labels_under, shortened, text_width
from tclose.render.pictures.svg import Subject, box, document, element, escaped, line, words
from tclose.render.words.cells import key_text, visible
from tclose.render.words.explanations import mass_of, whole_of
from tclose.render.words.phrases import percent

LEFT = 72
TALL = 84
_HEAD = 30
_WIDEST = 660
_GAP = 14
_BOLD = 1.12 * SIZE


def distributions_picture(explanations: Sequence[Explanation], *, mark: str = "") -> str:
    """Return the distribution of the table against those of some classes as a complete SVG picture.

    Parameters
    ----------
    explanations
        The classes, all of one attribute, the worst first.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    worst = explanations[0]
    facts = (mark, worst.source, [each.counts for each in explanations], worst.reference_counts)
    subject = Subject("distributions", key_text(worst.key), worst.attribute, facts)
    common = columns_of(worst)
    panels = [_Panel(each, regrouped(common, each)) for each in explanations]
    picture = _Picture(panels, Spacing(len(common.items), LEFT, min(64, _WIDEST / len(common.items))))
    whole = whole_of(worst)
    title = f"{visible(worst.attribute)}: {whole} against its worst classes"
    reading = (
        f"Bars are the shares of a class, dashed outlines those of {whole}. "
        "Where they differ, the class gives something away."
    )
    head, y = heading(title, reading, picture.width)
    key, y = legend(_entries(whole), y + 12, picture.width)
    drawn, y = picture.drawn(y + 8)
    foot, y = notes([common.note], y + 20, picture.width)
    told = " ".join(panel.told(whole) for panel in panels)
    return document(subject, title, f"{reading} {told}", (picture.width, y), [*head, *key, *drawn, *foot])


def _entries(whole: str) -> list[tuple[str, str]]:
    return [(box(4, -7, 20, 14, "tc-stay"), "the class"), (box(0, -8, 28, 16, "tc-hole"), whole)]


@dataclass(frozen=True)
class _Panel:
    """One class, with the columns that all panels share."""

    explanation: Explanation
    columns: Columns

    @property
    def name(self) -> str:
        return f"{key_text(self.explanation.key)}{self._about}"

    @property
    def _about(self) -> str:
        rows = mass_of(self.explanation, self.explanation.size)
        return f" ({rows}), distance {result(self.explanation.value)}"

    def short_name(self, room: float) -> str:
        """Return the name so that it fits in bold: what is left out is left out of the key."""
        left = room - text_width(self._about, _BOLD)
        return shortened(key_text(self.explanation.key), left, _BOLD) + self._about

    def told(self, whole: str) -> str:
        shares = [
            f"{column.label}: class {amount(column.inside)}, {whole.split()[-1]} {amount(column.outside)}"
            for column in self.columns.items
        ]
        return f"{self.name}: {'; '.join(shares)}."


@dataclass(frozen=True)
class _Picture:
    """All panels under each other, on one scale."""

    panels: Sequence[_Panel]
    spacing: Spacing

    @property
    def width(self) -> float:
        names = max(math.ceil(text_width(panel.name, _BOLD)) + 1 for panel in self.panels)
        return max(
            640.0,
            self.spacing.left + MARGIN + self.spacing.pitch * self.spacing.columns,
            min(WIDEST, names + 2 * MARGIN),
        )

    @property
    def most(self) -> Fraction:
        return max(max(column.inside, column.outside) for panel in self.panels for column in panel.columns.items)

    def drawn(self, y: float) -> tuple[list[str], float]:
        """Return the panels and the labels under the last of them."""
        parts: list[str] = []
        for panel in self.panels:
            parts += self._panel(panel, y)
            y += _HEAD + TALL + _GAP
        labels = [column.label for column in self.panels[0].columns.items]
        under = labels_under(labels, self.spacing.centres, y - _GAP, self.spacing.pitch, LONGEST)
        return [*parts, *under.parts], y - _GAP + under.height

    def _panel(self, panel: _Panel, y: float) -> list[str]:
        floor, right = y + _HEAD + TALL, self.width - MARGIN
        name = panel.short_name(right - MARGIN)
        parts = [words(MARGIN, y + 15, name, "tc-strong", anchor="start", hint=panel.name)]
        for share in (self.most, self.most / 2):
            at = floor - TALL * float(share / self.most)
            parts.append(line(LEFT, at, right, at, "tc-grid"))
            parts.append(words(LEFT - 8, at + 4, percent(share), "tc-soft tc-small", anchor="end"))
        half = min(24.0, 0.42 * self.spacing.pitch)
        for centre, column in zip(self.spacing.centres, panel.columns.items, strict=True):
            inside, outside = (TALL * float(share / self.most) for share in (column.inside, column.outside))
            hint = element("title", escaped(f"{column.label}: class {column.inside}, reference {column.outside}"))
            if column.inside:
                shape = {"x": centre - 0.7 * half, "y": floor - inside, "width": 1.4 * half, "height": inside}
                parts.append(element("rect", hint, **shape, class_="tc-stay"))
            if column.outside:
                parts.append(box(centre - half, floor - outside, 2 * half, outside, "tc-hole"))
        parts.append(line(LEFT, floor, right, floor, "tc-axis"))
        return parts
