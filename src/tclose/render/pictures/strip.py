"""What stands under the columns: the values, the two distributions, and what is carried from value to value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tclose.exact import decimal_text
from tclose.render.pictures.amounts import alike, exactly
from tclose.render.pictures.columns import Columns
from tclose.render.pictures.frame import MARGIN, Spacing
from tclose.render.pictures.lettering import LONGEST, SIZE, SMALL, labels_under, text_width
from tclose.render.pictures.svg import head, line, words
from tclose.render.words.explanations import whole_of
from tclose.render.words.numbers import numbered

ROW = 20


@dataclass(frozen=True)
class Strip:
    """The rows under the columns of a picture."""

    columns: Columns
    spacing: Spacing

    def drawn(self, floor: float) -> tuple[list[str], float]:
        """Return the rows under the ground, and the y below them."""
        labels = labels_under(
            [column.label for column in self.columns.items], self.spacing.centres, floor, self.spacing.pitch, LONGEST
        )
        y = floor + labels.height + 8
        whole = whole_of(self.columns.explanation).split()[-1]
        parts = [*labels.parts, line(MARGIN, y, self.spacing.width - MARGIN, y, "tc-grid")]
        shares = [column.inside for column in self.columns.items], [column.outside for column in self.columns.items]
        texts = self._fitting(*shares)
        size = self._size([*texts[0], *texts[1]])
        for name, held, told in zip(("class", whole), shares, texts, strict=True):
            y += ROW
            parts.append(words(MARGIN, y - 4, name, "tc-soft", anchor="start"))
            parts += [
                words(x, y - 4, text, f"tc-soft {size}".strip(), hint=exactly(share))
                for x, text, share in zip(self.spacing.centres, told, held, strict=True)
            ]
        if self.columns.explanation.flows and self.columns.explanation.value:
            flows, y = self._flows(y + 8)
            parts += flows
        return parts, y

    def _size(self, texts: Sequence[str]) -> str:
        """Return the style in which all of some texts fit their columns."""
        return "" if all(text_width(text, SIZE) <= self.spacing.pitch - 4 for text in texts) else "tc-small"

    def _fitting(self, *rows: Sequence[Fraction]) -> list[list[str]]:
        """Return rows of shares, all written in one way: exactly if that fits the columns, else as decimals."""
        ways = (
            [alike(row) for row in rows],
            [[decimal_text(float(share)) for share in row] for row in rows],
            [[_three_places(share) for share in row] for row in rows],
        )
        mixed = len({any("." in text for text in row) for row in ways[0]}) > 1
        for way in ways[1:-1] if mixed else ways[:-1]:
            if all(text_width(text, SMALL) <= self.spacing.pitch - 4 for row in way for text in row):
                return way
        return ways[-1]

    def _flows(self, y: float) -> tuple[list[str], float]:
        """Return what is carried over each edge as arrows between the columns."""
        flows = [self.columns.explanation.flows[column.last - 1] for column in self.columns.items[:-1]]
        names = ["" if self.columns.grouped else numbered("A", column.last) for column in self.columns.items[:-1]]
        (amounts,) = self._fitting([abs(flow) for flow in flows])
        joined = all(
            text_width(f"{name} {text}", SIZE) <= self.spacing.pitch - 8
            for name, text in zip(names, amounts, strict=True)
        )
        size = self._size([f"{name} {text}" if joined else text for name, text in zip(names, amounts, strict=True)])
        parts = [line(MARGIN, y - 4, self.spacing.width - MARGIN, y - 4, "tc-grid")]
        parts.append(words(MARGIN, y + 14, "carried on", "tc-soft", anchor="start"))
        for at, (flow, name, text) in enumerate(zip(flows, names, amounts, strict=True)):
            middle = (self.spacing.centres[at] + self.spacing.centres[at + 1]) / 2
            parts += self._flow_arrow(middle, y + 10, flow)
            lines = [f"{name} {text}".strip()] if joined or not name else [name, text]
            for row, told in enumerate(lines):
                parts.append(words(middle, y + 28 + 15 * row, told, size, hint=_flow_hint(name, flow)))
        return parts, y + 32 + (0 if joined or not names[0] else 15)

    def _flow_arrow(self, middle: float, y: float, flow: Fraction) -> list[str]:
        if not flow:
            return []
        reach, way = min(28.0, self.spacing.pitch * 0.36), 1 if flow > 0 else -1
        shaft = line(middle - way * reach, y, middle + way * (reach - 5), y, "tc-move")
        return [shaft, head(middle + way * reach, y, (way, 0), "tc-head")]


def _flow_hint(name: str, flow: Fraction) -> str:
    way = "nothing is carried" if not flow else "carried to the right" if flow > 0 else "carried to the left"
    return f"{name} {exactly(abs(flow))}, {way}".strip()


def _three_places(share: Fraction) -> str:
    """Return a share in as little room as three decimals take: ``.073``, ``4e-5``, ``0``, ``1``."""
    if share in (0, 1):
        return str(share)
    near = float(share)
    if near < 0.0005:
        return f"{near:.0e}".replace("e-0", "e-")
    return f"{near:.3f}".lstrip("0") if near < 0.9995 else f"{near:.4g}".lstrip("0")
