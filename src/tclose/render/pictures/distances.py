"""How far the classes are from the table: bars over the distance, the threshold a line, failing classes hatched."""

from __future__ import annotations

from dataclasses import dataclass

from tclose.exact import decimal_text
from tclose.render.pictures.bars import LEFT, WIDTH, Bar, Bars, heading, sample
from tclose.render.pictures.frame import MARGIN, legend
from tclose.render.pictures.lettering import text_width
from tclose.render.pictures.svg import Subject, document, line, words
from tclose.render.telling.histograms import Histogram
from tclose.render.words.phrases import classes

_TICKS = 5


@dataclass(frozen=True)
class Distances:
    """What the picture shows: the classes of one attribute by their distance, and what to say of them."""

    attribute: str
    """The name of the attribute, fit to be shown."""
    histogram: Histogram
    whole: str
    """What classes are compared with: the table, or the reference."""
    required: str
    """The requirement, such as ``t ≤ 0.2``; empty where there is none."""
    verdict: str
    """How many classes fail, in words."""


def distances_picture(shown: Distances, *, mark: str = "") -> str:
    """Return the distances of the classes as a complete SVG picture.

    Parameters
    ----------
    shown
        What to draw.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    subject = Subject("distances", "", shown.attribute, (mark, shown))
    title = f"{shown.attribute}: how far the classes are from {shown.whole}"
    reading = f"Each bar counts the classes that are so far from {shown.whole}. {shown.verdict}"
    head, y = heading(title, reading)
    entries = [(sample(subject.identity, marked=False), "classes that hold" if shown.required else "classes")]
    if shown.required:
        entries.append((sample(subject.identity, marked=True), "classes that fail"))
    key, y = legend(entries, y + 12, WIDTH)
    picture = _Picture(shown, subject.identity, y + (76 if shown.required else 42))
    return document(
        subject, title, _description(shown), (WIDTH, picture.bars.floor + 56), [*head, *key, *picture.drawn()]
    )


@dataclass(frozen=True)
class _Picture:
    shown: Distances
    identity: str
    top: float

    def x(self, distance: float) -> float:
        edges = self.shown.histogram.edges
        return LEFT + (WIDTH - MARGIN - LEFT) * distance / edges[-1]

    @property
    def bars(self) -> Bars:
        histogram = self.shown.histogram
        items = [
            Bar(
                left=self.x(histogram.edges[at]) if histogram.edges[at + 1] else LEFT - 5,
                right=self.x(histogram.edges[at + 1]),
                classes=found,
                marked=histogram.fails(at),
                hint=f"{classes(found)}: {_interval(histogram, at)}",
            )
            for at, found in enumerate(histogram.counts)
        ]
        return Bars(tuple(items), self.identity, self.top, 58 if self.shown.required else 24)

    def drawn(self) -> list[str]:
        """Return the bars, the axis below them and the threshold."""
        bars = self.bars
        parts = bars.drawn()
        step = _step(self.shown.histogram.edges[-1])
        at = 0
        while step * at <= self.shown.histogram.edges[-1] * 1.0001:
            x = self.x(step * at)
            parts.append(line(x, bars.floor, x, bars.floor + 5, "tc-axis"))
            parts.append(words(x, bars.floor + 19, decimal_text(step * at), "tc-small"))
            at += 1
        parts.append(words((LEFT + WIDTH - MARGIN) / 2, bars.floor + 40, "distance t of a class", "tc-soft"))
        return [*parts, *self._threshold(bars)]

    def _threshold(self, bars: Bars) -> list[str]:
        histogram = self.shown.histogram
        if histogram.threshold is None:
            return []
        x, text = self.x(histogram.threshold), f"required: {self.shown.required}"
        room = text_width(text)
        start = x + 6 + room <= WIDTH - MARGIN
        place = words(
            x + 6 if start else x - 6, bars.top - 34, text, "tc-strong tc-halo", anchor="start" if start else "end"
        )
        return [line(x, bars.top - 46, x, bars.floor, "tc-move", stroke_dasharray="7 3"), place]


def _step(most: float) -> float:
    """Return a round distance between marks, so that about five fit."""
    power = 1.0
    while power > most:
        power /= 10
    return next(power * part for part in (0.2, 0.5, 1, 2, 5) if most / (power * part) <= _TICKS + 1)


def _interval(histogram: Histogram, at: int) -> str:
    low, high = decimal_text(histogram.edges[at]), decimal_text(histogram.edges[at + 1])
    if low == high:
        return f"t of {high}"
    return f"t up to {high}" if histogram.edges[at] == 0 else f"t above {low}, up to {high}"


def _description(shown: Distances) -> str:
    histogram = shown.histogram
    counts = histogram.counts
    told = [
        f"up to {decimal_text(histogram.edges[at + 1])}: {found:,}"  # goes on from the bar before
        if at and counts[at - 1]
        else f"{_interval(histogram, at)}: {classes(found)}"
        for at, found in enumerate(counts)
        if found
    ]
    return f"{shown.verdict} {'; '.join(told)}."
