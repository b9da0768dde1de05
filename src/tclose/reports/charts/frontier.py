"""The frontier as a picture: kept detail, or loss, over the swept threshold, a line for each method."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

from tclose.anonymization.frontier_points import Frontier, Point
from tclose.models.catalogue import MODELS
from tclose.policy.exact_numbers import decimal_text, written
from tclose.reports.charts.frame import MARGIN, notes
from tclose.reports.charts.svg import Subject, broken, digits, document, element, escaped, line, text_width, words
from tclose.reports.phrases.frontiers import about, kept_is_shown, threshold_text, title
from tclose.reports.phrases.numbers import percent

WIDTH = 800
TALL = 320
LEFT, LABELS = 76, 190
_TICKS = 5
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class _Look:
    """How the line of a method is told from the others, in colour and without."""

    line: str
    fill: str
    marker: Callable[[float, float], Sequence[tuple[float, float]]] | None
    dashes: str | None = None
    wide: float | None = None


def _corners(number: int, size: float, turn: float) -> Callable[[float, float], Sequence[tuple[float, float]]]:
    """Return a marker with so many corners."""

    def placed(x: float, y: float) -> list[tuple[float, float]]:
        angles = [turn + 2 * math.pi * at / number for at in range(number)]
        return [(x + size * math.cos(angle), y + size * math.sin(angle)) for angle in angles]

    return placed


_UP, _QUARTER = -math.pi / 2, math.pi / 4
_LOOKS = (
    _Look("tc-class", "tc-dot", None),
    _Look("tc-table", "tc-down-head", _corners(4, 6.5, _QUARTER)),
    _Look("tc-move", "tc-head", _corners(3, 7, _UP)),
    _Look("tc-axis", "tc-node", _corners(4, 6.5, 0), "3 3"),
    _Look("tc-up", "tc-node", _corners(3, 7, -_UP), "9 3 2 3", 1.8),
    _Look("tc-branch", "tc-node", _corners(4, 6, _QUARTER), "2 4"),
    _Look("tc-down", "tc-node", None, None, 3),
)
"""In the order of the methods; the tenth looks like the third."""


def frontier_picture(frontier: Frontier, *, mark: str = "") -> str:
    """Return the frontier as a complete SVG picture.

    Parameters
    ----------
    frontier
        What to draw.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    subject = Subject("frontier", frontier.source, frontier.sweep, (mark, frontier.loss, frontier.points))
    head, y = _heading(frontier)
    plot = _Plot(frontier, y + 26)
    foot, y = notes(_missing(frontier), plot.floor + 64, WIDTH)
    return document(
        subject,
        title(frontier),
        _description(frontier),
        (WIDTH, y + 4),
        [*head, *plot.drawn(), *foot],
    )


def _heading(frontier: Frontier) -> tuple[list[str], float]:
    parts, y = [], 34.0
    for text in broken(title(frontier), WIDTH - 2 * MARGIN, 2, 18):
        parts.append(words(MARGIN, y, text, "tc-name", anchor="start"))
        y += 23
    for text in broken(f"{about(frontier)} {_reading(frontier)}", WIDTH - 2 * MARGIN, 4):
        parts.append(words(MARGIN, y, text, "tc-soft", anchor="start"))
        y += 18
    return parts, y


def _reading(frontier: Frontier) -> str:
    return "Higher lines keep more." if kept_is_shown(frontier) else "Lower lines lose less."


def _value(frontier: Frontier, point: Point) -> float | None:
    value = point.kept if kept_is_shown(frontier) else point.loss
    return value if value is not None and math.isfinite(value) else None


def _shown(frontier: Frontier, value: float) -> str:
    return percent(value) if kept_is_shown(frontier) else decimal_text(value)


def _missing(frontier: Frontier) -> list[str]:
    """Return which searches found nothing, a sentence for each method."""
    told = []
    for method in frontier.methods:
        without = [threshold_text(frontier, each.threshold) for each in _of(frontier, method) if not each.holds]
        if without:
            told.append(f"{method} found no release for {', '.join(without)}.")
    return told


def _of(frontier: Frontier, method: str) -> list[Point]:
    return sorted((each for each in frontier.points if each.method == method), key=lambda each: each.threshold)


def _description(frontier: Frontier) -> str:
    what = "Kept detail" if kept_is_shown(frontier) else f"The loss {frontier.loss}"
    told = [f"{about(frontier)} {what} by method."]
    for method in frontier.methods:
        values = [(each, _value(frontier, each)) for each in _of(frontier, method)]
        shown = [
            f"{threshold_text(frontier, each.threshold)}: {'no release' if v is None else _shown(frontier, v)}"
            for each, v in values
        ]
        told.append(f"{method}: {'; '.join(shown)}.")
    return " ".join(told)


@dataclass(frozen=True)
class _Plot:
    """The axes, the lines of the methods, and their names at the right end."""

    frontier: Frontier
    top: float

    @property
    def floor(self) -> float:
        return self.top + TALL

    @property
    def right(self) -> float:
        return WIDTH - LABELS

    @cached_property
    def thresholds(self) -> list[float]:
        return [float(each) for each in self.frontier.thresholds]

    @cached_property
    def logarithmic(self) -> bool:
        """Whether thresholds differ so much that the smaller ones would lie on each other."""
        return self.thresholds[0] > 0 and self.thresholds[-1] / self.thresholds[0] > 20

    @cached_property
    def ticks(self) -> list[float]:
        """The heights with a line: round numbers from 0 to all that is drawn."""
        if kept_is_shown(self.frontier):
            return [0, 0.25, 0.5, 0.75, 1]
        values = [_value(self.frontier, point) for point in self.frontier.points]
        most = max((value for value in values if value is not None), default=0.0) or 1.0
        power = 10 ** math.floor(math.log10(most / _TICKS))
        step = next(step * power for step in _STEPS if _TICKS * step * power >= most)
        return [step * at for at in range(_TICKS + 1)]

    def x(self, threshold: float) -> float:
        low, high = self.thresholds[0], self.thresholds[-1]
        if low == high:
            return (LEFT + self.right) / 2
        if self.logarithmic:
            share = math.log(threshold / low) / math.log(high / low)
        else:
            share = (threshold - low) / (high - low)
        return LEFT + 26 + (self.right - LEFT - 52) * share

    def y(self, value: float) -> float:
        return self.floor - TALL * value / self.ticks[-1]

    def drawn(self) -> list[str]:
        """Return the plot from the back to the front."""
        lines, ends = [], []
        for at, method in enumerate(self.frontier.methods):
            look = _LOOKS[at % len(_LOOKS)]
            drawn_line, end = self._line(method, look, self.lane * (at - (len(self.frontier.methods) - 1) / 2))
            lines += drawn_line
            ends += [] if end is None else [(end, method, look)]
        return [*self._axes(), *lines, *self._names(ends)]

    def _axes(self) -> list[str]:
        parts = []
        for tick in self.ticks:
            parts.append(line(LEFT, self.y(tick), self.right, self.y(tick), "tc-grid"))
            text = f"{tick:.0%}".replace("%", " %") if kept_is_shown(self.frontier) else decimal_text(tick)
            parts.append(words(LEFT - 10, self.y(tick) + 4, text, "tc-soft tc-small", anchor="end"))
        what = "detail kept" if kept_is_shown(self.frontier) else f"loss {self.frontier.loss}"
        parts.append(words(LEFT - 56, self.top - 14, what, "tc-soft tc-small", anchor="start"))
        parts.append(line(LEFT, self.floor, self.right, self.floor, "tc-axis"))
        busy = 0.0
        for threshold in self.frontier.thresholds:
            x, text = self.x(float(threshold)), written(threshold)
            parts.append(line(x, self.floor, x, self.floor + 5, "tc-axis"))
            half = text_width(text, 13) / 2
            if x - half > busy:
                parts.append(words(x, self.floor + 20, text))
                busy = x + half + 6
        scale = ", on a logarithmic scale" if self.logarithmic else ""
        model = MODELS[self.frontier.sweep]
        strict = "left" if model.good == "low" else "right"
        below = f"{self.frontier.sweep}, required{scale}; stricter to the {strict}"
        parts.append(words((LEFT + self.right) / 2, self.floor + 42, below, "tc-soft"))
        return parts

    @cached_property
    def lane(self) -> float:
        """How far beside each other the marks of one threshold stand, so that none hides another."""
        places = [self.x(each) for each in self.thresholds]
        least = min((right - left for left, right in pairwise(places)), default=60.0)
        return min(12.0, 0.8 * least / len(self.frontier.methods))

    def _line(self, method: str, look: _Look, aside: float) -> tuple[list[str], float | None]:
        """Return the line of a method with its markers, broken where there is no release, and where it ends."""
        values = [(point, _value(self.frontier, point)) for point in _of(self.frontier, method)]
        parts: list[str] = []
        markers: list[str] = []
        end = None
        for there, run in groupby(values, key=lambda pair: pair[1] is not None):
            found = [(point, value) for point, value in run if value is not None]
            places = [(self.x(float(point.threshold)) + aside, self.y(value)) for point, value in found]
            if not there:
                continue
            path = "M" + "L".join(f"{digits(x)},{digits(y)}" for x, y in places)
            style = {"stroke_dasharray": look.dashes, "stroke_width": look.wide}
            parts.append(element("path", d=path, class_=look.line, **style))
            for (point, value), (x, y) in zip(found, places, strict=True):
                markers.append(self._point(point, value, _marker(x, y, look)))
            end = places[-1][1]
        return [*parts, *markers], end

    def _point(self, point: Point, value: float, marker: str) -> str:
        """Return the marker of a release, which says its method and its threshold."""
        told = f"{point.method} at {threshold_text(self.frontier, point.threshold)}: {_shown(self.frontier, value)}"
        title = element("title", escaped(told))
        return element(
            "g", title, marker, class_="tc-pick", data_method=point.method, data_threshold=written(point.threshold)
        )

    def _names(self, ends: Sequence[tuple[float, str, _Look]]) -> list[str]:
        """Return the names of the methods beside the ends of their lines, none on another."""
        ranked = sorted(ends, key=lambda end: end[0])
        parts: list[str] = []
        lowest = self.floor - 20 * (len(ranked) - 1)
        busy = self.top - 30.0
        for rank, (y, method, look) in enumerate(ranked):
            place = max(busy + 20, min(y, lowest + 20 * rank))
            busy = place
            x = self.right + 12
            style = {"stroke_dasharray": look.dashes, "stroke_width": look.wide}
            parts.append(line(x, place, x + 28, place, look.line, **style))
            parts.append(_marker(x + 14, place, look))
            parts.append(words(x + 36, place + 4, method, "tc-strong", anchor="start"))
        return parts


def _marker(x: float, y: float, look: _Look) -> str:
    if look.marker is None:
        return element("circle", cx=x, cy=y, r=5, class_=look.fill)
    corners = "L".join(f"{digits(a)},{digits(b)}" for a, b in look.marker(x, y))
    return element("path", d=f"M{corners}Z", class_=look.fill)
