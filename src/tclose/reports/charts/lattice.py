"""The lattice of levels as a picture: a box for each node, the finest below, those that meet what is required plain."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tclose.anonymization.algorithms.full_domain.neighbourhood import JudgedNode, Surroundings
from tclose.reports.charts.bars import heading, sample
from tclose.reports.charts.frame import MARGIN, legend, notes
from tclose.reports.charts.svg import (
    SMALL,
    Subject,
    box,
    document,
    element,
    escaped,
    line,
    shortened,
    text_width,
    words,
)
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import counted, joined, percent

WIDTH = 760
_WIDEST, _TALL, _GAP, _ROW = 104, 40, 8, 74
_TITLE = "Levels, and what becomes of each"
Place = tuple[float, float, float]
"""The middle of a box, its top, and its width."""


def lattice_picture(found: Surroundings, *, remark: str = "", mark: str = "") -> str:
    """Return a lattice as a complete SVG picture; every box says in ``data-levels`` which levels it stands for.

    Parameters
    ----------
    found
        What to draw.
    remark
        What else to know, in a sentence.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    subject = Subject("lattice", "", "", (mark, found, remark))
    head, y = heading(_TITLE, _reading(found), WIDTH)
    entries = [(sample(subject.identity, marked=False), "everything required holds" if found.required else "levels")]
    if found.required:
        entries.append((sample(subject.identity, marked=True), "something fails"))
    entries.append((box(1, -6, 26, 12, "tc-class"), "chosen"))
    key, y = legend(entries, y + 12, WIDTH)
    rows = [list(some) for _, some in groupby(reversed(found.nodes), key=lambda node: sum(node.levels))]
    places = {
        node.levels: place
        for at, row in enumerate(rows)
        for node, place in zip(row, _places(len(row), y + 10 + at * _ROW), strict=True)
    }
    parts = [*head, *key, *_links(found, places)]
    parts += [_drawn(found, node, places[node.levels], subject.identity) for node in found.nodes]
    foot, y = notes([remark], y + 10 + len(rows) * _ROW, WIDTH)
    told = "; ".join(described(found, node) for node in found.nodes)
    return document(subject, _TITLE, f"{_reading(found)} {told}.", (WIDTH, y + 4), [*parts, *foot])


def _reading(found: Surroundings) -> str:
    shown = (
        f"The numbers are the levels of {joined(found.names)}; finer levels stand below."
        if found.whole
        else "Above are the next coarser levels, below the next finer ones, each named by the column that changes; at "
        "the ends everything hidden, and everything as it is."
    )
    return f"Every quasi-identifier on one level of its hierarchy, all rows kept, and the detail that is kept. {shown}"


def _places(number: int, top: float) -> list[Place]:
    room = (WIDTH - 2 * MARGIN) / number
    wide = min(_WIDEST, room - _GAP)
    room = min(room, _WIDEST + 3 * _GAP)
    left = WIDTH / 2 - room * (number - 1) / 2
    return [(left + room * at, top, wide) for at in range(number)]


def _links(found: Surroundings, places: dict[tuple[int, ...], Place]) -> list[str]:
    """Return lines between nodes of which one is a step coarser; beyond the next ones, between ends and middle."""
    drawn = []
    for one in found.nodes:
        for other in found.nodes:
            steps = [b - a for a, b in zip(one.levels, other.levels, strict=True)]
            if sum(steps) == 1 and min(steps) == 0:
                (x1, y1, _), (x2, y2, _) = places[one.levels], places[other.levels]
                drawn.append(line(x1, y1, x2, y2 + _TALL, "tc-branch"))
    return drawn


def _drawn(found: Surroundings, node: JudgedNode, place: Place, identity: str) -> str:
    x, y, wide = place
    look = {"class_": "tc-stay"} if node.holds else {"class_": "tc-leave", "fill": f"url(#{identity}-hatch)"}
    middle = box(x - wide / 2 + 4, y + 4, wide - 8, _TALL - 8, "tc-paper")
    parts = [
        element("title", escaped(described(found, node))),
        element("rect", x=x - wide / 2, y=y, width=wide, height=_TALL, rx=4, **look),
        middle,
        words(x, y + 18, _label(found, node, wide - 2), "tc-small tc-strong"),
        words(x, y + 31, shortened(percent(node.kept), wide - 10, SMALL), "tc-small"),
    ]
    if node.levels == found.chosen:
        parts.append(box(x - wide / 2 - 3, y - 3, wide + 6, _TALL + 6, "tc-class", rx=6))
    levels = ",".join(map(str, node.levels))
    return element("g", *parts, data_levels=levels, class_="tc-pick")


def _label(found: Surroundings, node: JudgedNode, room: float) -> str:
    """Return what stands in a box: all levels, or the one that differs from the chosen node's."""
    if found.whole:
        return " ".join(map(str, node.levels))
    changed = [at for at, level in enumerate(node.levels) if level != found.chosen[at]]
    if not changed:
        return "chosen"
    if len(changed) == 1:
        level = f" {node.levels[changed[0]]}"
        return shortened(visible(found.names[changed[0]]), room - text_width(level, SMALL), SMALL) + level
    return "coarsest" if sum(node.levels) > sum(found.chosen) else "finest"


def described(found: Surroundings, node: JudgedNode) -> str:
    """Return a node in words: its levels, whether they meet what is required, and what they cost."""
    levels = ", ".join(_leveled(found.names, node.levels))
    verdict = ("everything required holds" if node.holds else "something fails") if found.required else ""
    facts = f"{percent(node.kept)} of the detail is kept, the smallest class has {counted(node.smallest, 'row')}"
    return ": ".join(filter(None, (levels, ", ".join(filter(None, (verdict, facts))))))


def _leveled(names: Sequence[str], levels: Sequence[int]) -> list[str]:
    return [f"{visible(name)} on level {level}" for name, level in zip(names, levels, strict=True)]
