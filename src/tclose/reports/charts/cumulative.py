"""The two cumulative curves of class and table, and the area between them, which is the distance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby, pairwise

from tclose.auditing.explanations import Explanation
from tclose.reports.charts import captions as sentences
from tclose.reports.charts.columns import MOST_COLUMNS, alike, columns_of, equals, exactly
from tclose.reports.charts.frame import NARROWEST, WIDEST, heading, legend, notes
from tclose.reports.charts.svg import (
    LONGEST,
    SIZE,
    SMALL,
    Labels,
    Subject,
    box,
    digits,
    document,
    element,
    labels_under,
    line,
    shortened,
    text_width,
    words,
)
from tclose.reports.phrases.cells import cell_text
from tclose.reports.phrases.explanations import whole_of
from tclose.reports.phrases.numbers import counted, numbered

LEFT, RIGHT = 76, 52
TALL = 300
MOST_POINTS = 400
"""Curves of more values are drawn through this many points at most."""


def cumulative_picture(explanation: Explanation, *, mark: str = "") -> str:
    """Return the two cumulative curves with the area between them, as a complete SVG picture.

    Parameters
    ----------
    explanation
        What to draw; its values lie on a line.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    subject = sentences.subject_of(explanation, "cumulative", mark)
    width = WIDEST if len(explanation.values) > 4 else NARROWEST
    head, y = heading(explanation, sentences.how_to_read_curves(explanation), width)
    key, y = legend(_legend(explanation, subject), y + 14, width)
    curves = _Curves(explanation, width, y + 24)
    labels = curves.labels()
    foot, y = notes([curves.note, curves.scale_note], curves.floor + labels.height + 24, width)
    return document(
        subject,
        sentences.name(explanation, "as cumulative curves"),
        sentences.cumulative_description(columns_of(explanation)),
        (width, y + 4),
        [*head, *key, *curves.drawn(subject.identity), *labels.parts, *foot],
    )


def _legend(explanation: Explanation, subject: Subject) -> list[tuple[str, str]]:
    whole = whole_of(explanation)
    entries = [(line(0, 0, 28, 0, "tc-class"), "the class"), (line(0, 0, 28, 0, "tc-table"), whole)]
    for name, occurs, text in (
        ("hatch", any(flow > 0 for flow in explanation.flows), "the class is ahead: carry to the right"),
        ("back", any(flow < 0 for flow in explanation.flows), "the class lags behind: carry to the left"),
    ):
        if occurs:
            entries.append((box(0, -7, 28, 15, "tc-area", fill=f"url(#{subject.identity}-{name})"), text))
    return entries


@dataclass(frozen=True)
class _Point:
    """A value's place on the axis, and both curves right of it, in pixels."""

    x: float
    inside: float
    outside: float
    sign: int


@dataclass(frozen=True)
class _Curves:
    """The plot of the two curves."""

    explanation: Explanation
    width: float
    top: float

    @property
    def floor(self) -> float:
        return self.top + TALL

    @property
    def right(self) -> float:
        return self.width - RIGHT

    @cached_property
    def places(self) -> list[float]:
        """Where the values are on the axis: as far apart as the distance says."""
        whole = self.explanation.scale or 1
        run = accumulate(self.explanation.gaps, initial=0)
        return [LEFT + (self.right - LEFT) * (place / whole) for place in run]

    @cached_property
    def points(self) -> list[_Point]:
        """The corners of both curves, not more than can be told apart."""
        size, total = self.explanation.size, self.explanation.total
        inside = accumulate(self.explanation.counts)
        outside = accumulate(self.explanation.reference_counts)
        found: list[_Point] = []
        cell = (self.right - LEFT) / MOST_POINTS
        thin = len(self.places) > MOST_POINTS
        for x, mass, hole in zip(self.places, inside, outside, strict=True):
            apart = mass * total - hole * size
            sign = (apart > 0) - (apart < 0)
            point = _Point(x, self._y(mass / size), self._y(hole / total), sign)
            if thin and found and int((x - LEFT) / cell) == int((found[-1].x - LEFT) / cell):
                found[-1] = point
            else:
                found.append(point)
        return found

    def _y(self, share: float) -> float:
        return self.floor - TALL * share

    @property
    def note(self) -> str:
        many = len(self.places)
        if len(self.points) == many:
            return ""
        return f"{counted(many, 'value')} drawn through {len(self.points)} points; the results are exact."

    @property
    def scale_note(self) -> str:
        if not self.explanation.value:
            return ""
        if self.explanation.distance.in_units:
            across = "Values stand as far apart as they differ"
        else:
            across = "Values stand one step apart, whatever they are"
        return f"{across}; the square from the first value to the last, from 0 to 1, has an area of 1."

    def drawn(self, identity: str) -> list[str]:
        """Return the plot from the back to the front."""
        parts = []
        for quarter in range(5):
            y = self._y(quarter / 4)
            parts.append(line(LEFT, y, self.right + 14, y, "tc-grid"))
            parts.append(words(LEFT - 10, y + 4, f"{quarter * 25} %", "tc-soft tc-small", anchor="end"))
        parts += [self._area(run, identity) for run in self._runs()]
        named = self._named()
        parts += [line(strip.x, strip.inside, strip.x, strip.outside, "tc-strip") for strip in self._inner_edges()]
        parts.append(self._curve([point.inside for point in self.points], "tc-class"))
        parts.append(self._curve([point.outside for point in self.points], "tc-table"))
        parts.append(line(LEFT, self.floor, self.right + 14, self.floor, "tc-axis"))
        return [*parts, *named, *self._answer()]

    def _runs(self) -> Iterator[list[tuple[_Point, _Point]]]:
        """Yield the stretches on which one curve lies above the other."""
        for sign, edges in groupby(pairwise(self.points), key=lambda edge: edge[0].sign):
            if sign:
                yield list(edges)

    def _area(self, run: Sequence[tuple[_Point, _Point]], identity: str) -> str:
        out = f"M{digits(run[0][0].x)},{digits(run[0][0].inside)}" + "".join(
            f"V{digits(left.inside)}H{digits(right.x)}" for left, right in run
        )
        back = "".join(f"V{digits(left.outside)}H{digits(left.x)}" for left, _ in reversed(run))
        fill = f"url(#{identity}-{'hatch' if run[0][0].sign > 0 else 'back'})"
        return element("path", d=f"{out}{back}Z", class_="tc-area", fill=fill)

    def _curve(self, heights: Sequence[float], style: str) -> str:
        path = f"M{digits(LEFT)},{digits(self.floor)}"
        last = ""
        for point, height in zip(self.points, heights, strict=True):
            if digits(height) != last:
                path += f"H{digits(point.x)}V{digits(height)}"
                last = digits(height)
        return element("path", d=f"{path}H{digits(self.right + 14)}", class_=style)

    @property
    def _single(self) -> bool:
        """Whether each strip of the area can be told apart and named."""
        return len(self.places) <= MOST_COLUMNS

    def _inner_edges(self) -> list[_Point]:
        return [edge[0] for run in self._runs() for edge in run[1:]] if self._single else []

    def _named(self) -> list[str]:
        """Return the names of the strips, the flows over the edges, where they fit."""
        names = [numbered("A", at) for at in range(1, len(self.places))] if self._single else []
        masses = alike([abs(flow) for flow in self.explanation.flows]) if self._single else []
        edges = list(pairwise(self.points))
        whole = [f"{name} {mass}" for name, mass in zip(names, masses, strict=True)]
        if self._narrow(edges, [*names, *masses]):
            return []
        stacked = self._narrow(edges, whole)
        parts = []
        for (left, right), *lines, flow in zip(edges, names, masses, self.explanation.flows, strict=False):
            texts = lines if stacked else [" ".join(lines)]
            if flow and abs(left.inside - left.outside) >= 15 * len(texts):
                x, y = (left.x + right.x) / 2, (left.inside + left.outside) / 2 + 11 - 7 * len(texts)
                hint = f"{lines[0]} {exactly(abs(flow))}"
                parts += [
                    words(x, y + 14 * row, text, "tc-small tc-strong tc-halo", hint=hint)
                    for row, text in enumerate(texts)
                ]
        return parts

    @staticmethod
    def _narrow(edges: Sequence[tuple[_Point, _Point]], texts: Sequence[str]) -> bool:
        """Return whether some of the texts are too wide for the narrowest strip."""
        room = min((right.x - left.x for left, right in edges), default=0.0) - 6
        return max((text_width(text, SMALL) for text in texts), default=room + 1) > room

    def _answer(self) -> list[str]:
        """Return the size of the area in words, in a corner that the curves leave free, with a line to the area."""
        if not self.explanation.value:
            return []
        text = equals("shaded area", self.explanation.value)
        room = text_width(text, SIZE) * 1.06
        place = self._free_corner(room)
        if place is None:
            return [words(*self._middle(room), text, "tc-strong tc-halo", hint=exactly(self.explanation.value))]
        x, y, low = place
        target = self._target(low=low)
        start = (min(max(target[0], x + 12), x + room - 40), y - 15 if low else y + 6)
        pointer = line(*start, *target, "tc-axis")
        dot = element("circle", cx=target[0], cy=target[1], r=3, class_="tc-dot")
        return [
            pointer,
            dot,
            words(x, y, text, "tc-strong tc-halo", anchor="start", hint=exactly(self.explanation.value)),
        ]

    def _target(self, *, low: bool) -> tuple[float, float]:
        """Return a point of the area for the line from its size to end in: near, and clear of the names."""
        edges = [edge for run in self._runs() for edge in run]
        highest = max(abs(left.inside - left.outside) for left, _ in edges)
        high = [edge for edge in edges if abs(edge[0].inside - edge[0].outside) >= 0.6 * highest]
        left, right = high[-1] if low else high[0]
        upper, lower = sorted((left.inside, left.outside))
        aside = min(8.0, (lower - upper) / 4)
        x = left.x + (right.x - left.x) * (0.8 if low else 0.2)
        return x, lower - aside if low else upper + aside

    def _free_corner(self, room: float) -> tuple[float, float, bool] | None:
        """Return a place for a text of this width under the curves (True) or above them, or None if there is none."""
        high = 34.0
        start = self.right - room - 8
        before = [point for point in self.points if point.x <= start]
        lowest = max((max(point.inside, point.outside) for point in before[-1:]), default=self.floor)
        if lowest < self.floor - high - 10:
            return start, self.floor - 14, True
        end = LEFT + room + 16
        until = [point for point in self.points if point.x <= end]
        highest = min((min(point.inside, point.outside) for point in until[-1:]), default=self.floor)
        return (LEFT + 10.0, self.top + 24, False) if highest > self.top + high + 10 else None

    def _middle(self, room: float) -> tuple[float, float]:
        run = max(self._runs(), key=_weight)
        x = (run[0][0].x + run[-1][1].x) / 2
        x = min(max(x, LEFT + room / 2 + 6), self.right - room / 2)
        at = next(edge[0] for edge in run if edge[1].x >= min(x, run[-1][1].x))
        return x, (at.inside + at.outside) / 2 + 4

    def labels(self) -> Labels:
        """Return the labels of the axis: all of them, or as many as stand side by side."""
        texts = [cell_text(value) for value in self.explanation.values] if self._single else []
        if self._single and not self.explanation.distance.in_units:
            pitch = (self.right - LEFT) / max(1, len(texts) - 1)
            return labels_under(texts, self.places, self.floor, min(pitch, 2 * RIGHT), LONGEST)
        return self._some_labels()

    def _some_labels(self) -> Labels:
        parts, last = [], len(self.places) - 1
        text_of = [shortened(cell_text(self.explanation.values[at]), 130) for at in (0, last)]
        final = self.places[last] - text_width(text_of[1]) / 2
        busy = 0.0
        for at, x in enumerate(self.places):
            if at not in (0, last) and (x < busy + 30 or x + 10 > final):
                continue
            whole = cell_text(self.explanation.values[at])
            text = shortened(whole, 130)
            half = text_width(text) / 2
            if at not in (0, last) and (x - half < busy + 10 or x + half + 10 > final):
                continue
            parts.append(line(x, self.floor, x, self.floor + 5, "tc-axis"))
            parts.append(words(x, self.floor + 20, text, hint=whole if text != whole else ""))
            busy = x + half
        return Labels(tuple(parts), 26)


def _weight(run: Sequence[tuple[_Point, _Point]]) -> float:
    return sum((right.x - left.x) * abs(left.inside - left.outside) for left, right in run)
