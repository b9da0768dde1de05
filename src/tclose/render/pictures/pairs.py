"""Bars below each other in groups: a name, and a bar for each of a few numbers that are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tclose.render.pictures.frame import MARGIN, Drawn
from tclose.render.pictures.lettering import SMALL, shortened, text_width
from tclose.render.pictures.svg import element, escaped, line, words

WIDTH = 720
LEFT = 190
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


def groups_drawn(groups: Sequence[Group], top: float, most: float, identity: str, left: float = LEFT) -> Drawn:
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
    left = max(left, min(MARGIN + longest + 16, WIDTH / 2))
    room = WIDTH - left - MARGIN - _APART - numbers
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
