"""What stands under the columns: the values, the two distributions, and what is carried from value to value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from tclose.render.figures import sentences
from tclose.render.figures.amounts import amount, common_denominator, exactly, numbered
from tclose.render.figures.columns import Columns
from tclose.render.figures.lettering import SIZE, SMALL, labels_under, text_width
from tclose.render.figures.svg import head, line, words

ROW = 20
LEFT = 20


@dataclass(frozen=True)
class Strip:
    """The rows under the columns of a figure."""

    columns: Columns
    centres: Sequence[float]
    pitch: float
    width: float
    flowing: bool = True

    def drawn(self, floor: float) -> tuple[list[str], float]:
        """Return the rows under the ground, and the y below them."""
        texts = [column.label for column in self.columns.items]
        labels = labels_under(texts, self.centres, floor, self.pitch, 150)
        y = floor + labels.height + 8
        whole = sentences.whole_of(self.columns.explanation).split()[-1]
        parts = [*labels.parts, line(LEFT, y, self.width - LEFT, y, "tc-grid")]
        for name, held in (
            ("class", [column.inside for column in self.columns.items]),
            (whole, [column.outside for column in self.columns.items]),
        ):
            y += ROW
            parts.append(words(LEFT, y - 4, name, "tc-soft", anchor="start"))
            parts += self._cells(held, y - 4)
        if self.flowing and self.columns.explanation.flows and self.columns.explanation.value:
            flows, y = self._flows(y + 8)
            parts += flows
        return parts, y

    def _cells(self, held: Sequence[Fraction], y: float) -> list[str]:
        texts = [self._amount(share) for share in held]
        size = SIZE if all(text_width(text, SIZE) <= self.pitch - 4 for text in texts) else SMALL
        style = "tc-soft" if size == SIZE else "tc-soft tc-small"
        return [
            words(x, y, text, style, hint=exactly(share))
            for x, text, share in zip(self.centres, texts, held, strict=True)
        ]

    def _amount(self, share: Fraction, common: int = 1) -> str:
        text = amount(share, common)
        if text_width(text, SMALL) <= self.pitch - 4:
            return text
        near = float(share)
        return f"{near:.3f}".lstrip("0") if near >= 0.0005 else f"{near:.0e}".replace("e-0", "e-")

    def _flows(self, y: float) -> tuple[list[str], float]:
        """Return what is carried over each edge as arrows between the columns."""
        flows = [self.columns.explanation.flows[column.last - 1] for column in self.columns.items[:-1]]
        common = common_denominator(flows)
        names = ["" if self.columns.grouped else numbered("A", column.last) for column in self.columns.items[:-1]]
        amounts = [self._amount(abs(flow), common) for flow in flows]
        joined = all(
            text_width(f"{name} {text}", SIZE) <= self.pitch - 8 for name, text in zip(names, amounts, strict=True)
        )
        parts = [line(LEFT, y - 4, self.width - LEFT, y - 4, "tc-grid")]
        parts.append(words(LEFT, y + 14, "carried on", "tc-soft", anchor="start"))
        for at, (flow, name, text) in enumerate(zip(flows, names, amounts, strict=True)):
            middle = (self.centres[at] + self.centres[at + 1]) / 2
            parts += self._flow_arrow(middle, y + 10, flow)
            lines = [f"{name} {text}".strip()] if joined or not name else [name, text]
            for row, told in enumerate(lines):
                style = "" if text_width(told, SIZE) <= self.pitch - 4 else "tc-small"
                parts.append(words(middle, y + 28 + 15 * row, told, style, hint=_flow_hint(name, flow)))
        return parts, y + 32 + (0 if joined or not names[0] else 15)

    def _flow_arrow(self, middle: float, y: float, flow: Fraction) -> list[str]:
        if not flow:
            return []
        reach, way = min(28.0, self.pitch * 0.36), 1 if flow > 0 else -1
        shaft = line(middle - way * reach, y, middle + way * (reach - 5), y, "tc-move")
        return [shaft, head(middle + way * reach, y, (way, 0), "tc-head")]


def _flow_hint(name: str, flow: Fraction) -> str:
    way = "nothing is carried" if not flow else "carried to the right" if flow > 0 else "carried to the left"
    return f"{name} {exactly(abs(flow))}, {way}".strip()
