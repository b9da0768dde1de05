"""Bars below each other in groups: a name, and a bar for each of a few numbers that are compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from tclose.reports.charts.frame import MARGIN, Drawn
from tclose.reports.charts.svg import SMALL, box, broken, element, escaped, line, shortened, text_width, words

# Bars that count classes: heights by the square root of the number, so that one class in many is still seen.


WIDTH = 640
LEFT = 72
TALL = 190
_TICK_GAP = 22.0


@dataclass(frozen=True)
class Bar:
    """A bar: where it stands, how many classes it counts, and what to read on pointing at it."""

    left: float
    right: float
    classes: int
    marked: bool
    """Whether these classes fail."""
    hint: str


@dataclass(frozen=True)
class Bars:
    """Bars on a common floor with their axis."""

    items: tuple[Bar, ...]
    identity: str
    top: float
    headroom: float = 24
    """How far above the highest bar the name of the axis stands."""

    @property
    def floor(self) -> float:
        """Where the bars stand."""
        return self.top + TALL

    @property
    def most(self) -> int:
        """The largest number of classes in a bar."""
        return max((bar.classes for bar in self.items), default=0) or 1

    def y(self, classes: float) -> float:
        """Return how high a number of classes is."""
        return self.floor - TALL * math.sqrt(classes / self.most)

    def drawn(self) -> list[str]:
        """Return the axis, the bars and their numbers, from the back to the front."""
        return [*self._axis(), *(part for bar in self.items for part in self._bar(bar)), self._ground()]

    def _axis(self) -> list[str]:
        name = "classes, on a square-root scale"
        parts = [words(MARGIN, self.top - self.headroom, name, "tc-soft tc-small", anchor="start")]
        for tick in ticks(self.most):
            parts.append(line(LEFT, self.y(tick), WIDTH - MARGIN, self.y(tick), "tc-grid"))
            parts.append(words(LEFT - 8, self.y(tick) + 4, f"{tick:,}", "tc-soft tc-small", anchor="end"))
        return parts

    def _ground(self) -> str:
        return line(LEFT, self.floor, WIDTH - MARGIN, self.floor, "tc-axis")

    def _bar(self, bar: Bar) -> list[str]:
        if not bar.classes:
            return []
        top = self.y(bar.classes)
        title = element("title", escaped(bar.hint))
        shape = {"x": bar.left, "y": top, "width": bar.right - bar.left, "height": self.floor - top}
        if bar.marked:
            drawn = element("rect", title, **shape, class_="tc-leave", fill=f"url(#{self.identity}-hatch)")
        else:
            drawn = element("rect", title, **shape, class_="tc-stay")
        number = f"{bar.classes:,}"
        fits = bar.classes == self.most or text_width(number, SMALL) <= bar.right - bar.left + 4
        middle = (bar.left + bar.right) / 2
        return [drawn, words(middle, top - 5, number, "tc-small tc-halo") if fits else ""]


def heading(title: str, reading: str, width: float = WIDTH) -> Drawn:
    """Return the heading of a picture and how to read it."""
    parts, y = [], 30.0
    for text in broken(title, width - 2 * MARGIN, 2, 18):
        parts.append(words(MARGIN, y, text, "tc-name", anchor="start", hint=title))
        y += 23
    for text in broken(reading, width - 2 * MARGIN, 5):
        parts.append(words(MARGIN, y, text, "tc-soft", anchor="start"))
        y += 18
    return parts, y


def sample(identity: str, *, marked: bool) -> str:
    """Return a sample of a bar for the legend."""
    if marked:
        return box(0, -7, 28, 14, "tc-leave", fill=f"url(#{identity}-hatch)")
    return box(0, -7, 28, 14, "tc-stay")


def ticks(most: int) -> list[int]:
    """Return round numbers for an axis of square roots up to a number, far enough apart to be read.

    Examples
    --------
    >>> ticks(3), ticks(40_000)
    ([0, 1, 2], [0, 1000, 5000, 10000, 20000])
    """
    found = [0]
    for number in _round_numbers(most):
        if TALL * (math.sqrt(number / most) - math.sqrt(found[-1] / most)) >= _TICK_GAP:
            found.append(number)
    return found


def _round_numbers(most: int) -> Sequence[int]:
    numbers: list[int] = []
    for power in count():
        for digit in (1, 2, 5):
            if digit * 10**power > most:
                return numbers
            numbers.append(digit * 10**power)
    return numbers


PAIRS_WIDTH = 720
PAIRS_LEFT = 190
_BAR, _GAP, _BETWEEN = 13, 3, 14
_APART = 6
"""Between a bar and its number."""


@dataclass(frozen=True)
class Compared:
    """One of the numbers that are compared."""

    value: float
    shown: str
    """The number as it is read."""
    marked: bool | None
    """Whether it is drawn hatched; None for an outline."""
    hint: str = ""
    """What to read on pointing at it."""


@dataclass(frozen=True)
class Group:
    """Numbers that are compared under one name."""

    label: str
    bars: tuple[Compared, ...]


def groups_drawn(groups: Sequence[Group], top: float, most: float, identity: str, left: float = PAIRS_LEFT) -> Drawn:
    """Return the bars of groups on one axis.

    Parameters
    ----------
    groups
        What to draw.
    top
        Where the first bar begins.
    most
        The number whose bar is as long as there is room.
    identity
        The picture's word, for its hatching.
    left
        Where bars begin; names stand left of it. Longer names push it to the right, up to the middle.
    """
    parts, y = [], top
    numbers = max((text_width(bar.shown, SMALL) for group in groups for bar in group.bars), default=0.0)
    longest = max((text_width(group.label) for group in groups), default=0.0)
    left = max(left, min(MARGIN + longest + 16, PAIRS_WIDTH / 2))
    room = PAIRS_WIDTH - left - MARGIN - _APART - numbers
    for group in groups:
        middle = y + (len(group.bars) * (_BAR + _GAP) - _GAP) / 2 + 5
        label = shortened(group.label, left - MARGIN - 12)
        parts.append(words(left - 10, middle, label, anchor="end", hint=group.label))
        for bar in group.bars:
            parts += _drawn(bar, y, room * bar.value / (most or 1.0), identity, left)
            y += _BAR + _GAP
        y += _BETWEEN
    return [*parts, line(left, top - 6, left, y - 8, "tc-axis")], y


def _drawn(bar: Compared, y: float, wide: float, identity: str, left: float) -> list[str]:
    """Return a bar with its number."""
    hint = element("title", escaped(bar.hint))
    shape = {"x": left, "y": y, "width": max(wide, 1.0), "height": _BAR}
    if bar.marked:
        drawn = element("rect", hint, **shape, class_="tc-leave", fill=f"url(#{identity}-hatch)")
    else:
        drawn = element("rect", hint, **shape, class_="tc-hole" if bar.marked is None else "tc-stay")
    end = left + max(wide, 1.0) + _APART
    return [drawn, words(end, y + _BAR - 2, bar.shown, "tc-small", anchor="start")]
