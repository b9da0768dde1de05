"""Arrows in lanes: each move rises from its pile, runs on a height of its own, and comes down into its hole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tclose.render.pictures.svg import digits, element, escaped, head, words

GAP = 8


@dataclass(frozen=True)
class Route:
    """Where an arrow leaves, rises, comes down and ends, and what is written on it."""

    leaves: tuple[float, float]
    rises_at: float
    ends: tuple[float, float]
    text: str
    hint: str
    room: float
    """How wide its text is."""
    span: int
    """How many columns it crosses; the shortest arrows run lowest."""
    thickness: float = 1.8

    @property
    def reach(self) -> tuple[float, float]:
        """The stretch that the arrow and its text need in their lane."""
        low, high = sorted((self.rises_at, self.ends[0]))
        missing = max(0.0, self.room + 8 - (high - low)) / 2
        return low - missing, high + missing


def lanes_of(routes: Sequence[Route]) -> list[int]:
    """Return the lane of each arrow, the shortest lowest, so that no two in a lane touch."""
    taken: list[list[tuple[float, float]]] = []
    lanes = [0] * len(routes)
    for at in sorted(range(len(routes)), key=lambda at: (routes[at].span, at)):
        low, high = routes[at].reach
        free = (
            lane
            for lane, stretches in enumerate(taken)
            if all(high + GAP <= start or end + GAP <= low for start, end in stretches)
        )
        lane = next(free, len(taken))
        if lane == len(taken):
            taken.append([])
        taken[lane].append((low, high))
        lanes[at] = lane
    return lanes


def drawn_arrows(routes: Sequence[Route], floor: float, step: float) -> list[str]:
    """Return the arrows and, in front of all of them, their texts.

    Parameters
    ----------
    routes
        The arrows.
    floor
        The height of the lowest lane.
    step
        How far apart lanes are.
    """
    lanes = lanes_of(routes)
    lines, texts = [], []
    for at in sorted(range(len(routes)), key=lambda at: -lanes[at]):
        route, y = routes[at], floor - step * lanes[at]
        above = [other for other in range(len(routes)) if lanes[other] > lanes[at]]
        upright = [x for other in above for x in (routes[other].rises_at, routes[other].ends[0])]
        lines.append(_line(route, y))
        texts.append(
            words(_clear_place(route, upright), y - 5, route.text, "tc-told tc-halo tc-strong", hint=route.hint)
        )
    return [*lines, *texts]


def _line(route: Route, y: float) -> str:
    (x0, y0), x1, (x2, y2) = route.leaves, route.rises_at, route.ends
    way = 1 if x2 > x1 else -1
    turn = min(10.0, abs(x2 - x1) / 2)
    out = 1 if x1 > x0 else -1
    bend = min(6.0, abs(x1 - x0), abs(y0 - y) / 2)
    path = (
        f"M{digits(x0)},{digits(y0)}H{digits(x1 - out * bend)}"
        f"Q{digits(x1)},{digits(y0)} {digits(x1)},{digits(y0 - bend)}V{digits(y + turn)}"
        f"Q{digits(x1)},{digits(y)} {digits(x1 + way * turn)},{digits(y)}H{digits(x2 - way * turn)}"
        f"Q{digits(x2)},{digits(y)} {digits(x2)},{digits(y + turn)}V{digits(y2 - 6)}"
    )
    size = 3 + route.thickness / 2
    return element(
        "g",
        element("title", escaped(route.hint)),
        element("path", d=path, class_="tc-under"),
        element("path", d=path, class_="tc-way", stroke_width=route.thickness),
        head(x2, y2, (0, 1), "tc-head", size),
    )


def _clear_place(route: Route, upright: Sequence[float]) -> float:
    """Return where along its lane a text is crossed by the fewest other arrows, as near the middle as can be."""
    low, high = sorted((route.rises_at, route.ends[0]))
    middle, half = (low + high) / 2, route.room / 2 + 4
    slack = max(0.0, (high - low) / 2 - half)
    places = [middle + slack * share / 8 for share in (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8)]
    return min(places, key=lambda place: (sum(abs(x - place) < half for x in upright), abs(place - middle)))
