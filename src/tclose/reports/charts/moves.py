"""The piles and the holes: what the class has, what the table has, and the moves that make them alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from tclose.auditing.explanations import Explanation
from tclose.policy.exact_numbers import decimal_text
from tclose.reports.charts import captions as sentences
from tclose.reports.charts.columns import Arrow, Columns, alike, arrows_of, columns_of, exactly, largest
from tclose.reports.charts.frame import MARGIN, Spacing, heading, legend, notes
from tclose.reports.charts.svg import (
    LONGEST,
    SIZE,
    SMALL,
    box,
    digits,
    document,
    element,
    escaped,
    head,
    labels_under,
    line,
    text_width,
    words,
)
from tclose.reports.phrases.explanations import whole_of
from tclose.reports.phrases.numbers import numbered

# What stands under the columns: the values, the two distributions, and what is carried from value to value.


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


# Arrows in lanes: each move rises from its pile, runs on a height of its own, and comes down into its hole.


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


LEFT = 104
TALLEST = 150


def moves_picture(explanation: Explanation, *, mark: str = "") -> str:
    """Return the piles and the holes with the moves as arrows, as a complete SVG picture.

    Parameters
    ----------
    explanation
        What to draw.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    subject = sentences.subject_of(explanation, "moves", mark)
    picture = _Picture(columns_of(explanation), subject.identity)
    width = picture.spacing.width
    head, y = heading(explanation, sentences.how_to_read_moves(explanation), width)
    key, y = legend(picture.legend, y + 14, width)
    floor = y + picture.sky + TALLEST + 14
    strip, y = picture.strip.drawn(floor)
    told = [sentences.left_over(picture.columns, picture.arrows), picture.columns.note, sentences.sums(explanation)]
    foot, y = notes(told, y + 22, width)
    return document(
        subject,
        sentences.name(explanation),
        sentences.moves_description(picture.columns, picture.arrows, picture.masses),
        (width, y + 4),
        [*head, *key, *picture.bars(floor), *picture.routes_drawn(floor), *strip, *foot],
    )


@dataclass(frozen=True)
class _Slice:
    """The part of a pile that one arrow takes, or of a hole that one arrow fills; heights in shares."""

    arrow: int
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class _Picture:
    """The measures of one picture, and its bars and arrows."""

    columns: Columns
    identity: str

    @cached_property
    def all_arrows(self) -> list[Arrow]:
        return arrows_of(self.columns)

    @cached_property
    def arrows(self) -> list[Arrow]:
        return largest(self.all_arrows, grouped=self.columns.grouped)

    @cached_property
    def masses(self) -> list[str]:
        """What the drawn arrows carry, all written in one way."""
        return alike([arrow.mass for arrow in self.arrows])

    @cached_property
    def spacing(self) -> Spacing:
        return Spacing(len(self.columns.items), LEFT, 130)

    @property
    def bar(self) -> float:
        return min(58.0, self.spacing.pitch * 0.56)

    @cached_property
    def strip(self) -> Strip:
        return Strip(self.columns, self.spacing)

    @cached_property
    def unit(self) -> float:
        """How many pixels high a mass of 1 is."""
        tallest = max(max(column.inside, column.outside) for column in self.columns.items)
        return TALLEST / float(tallest)

    @cached_property
    def lanes(self) -> int:
        """How many lanes the arrows need above the bars."""
        return max(lanes_of(self.routes(0)), default=-1) + 1

    @property
    def lane(self) -> float:
        """How far apart two lanes are."""
        return 26.0 if self.lanes <= 12 else 22.0

    @property
    def sky(self) -> float:
        """The room above the bars that the arrows need."""
        return 16 + self.lane * self.lanes

    @property
    def legend(self) -> list[tuple[str, str]]:
        explanation = self.columns.explanation
        whole = whole_of(explanation)
        entries = [(box(0, -7, 28, 15, "tc-stay"), "stays in place")]
        if self.arrows:
            leaving = box(0, -7, 28, 15, "tc-leave", fill=f"url(#{self.identity}-hatch)")
            entries.append((leaving, "too much here: moves away" if explanation.rule == "stay" else "moves away"))
        entries.append((box(0, -7, 28, 15, "tc-hole"), f"the share of {whole}; empty: a hole to fill"))
        return entries

    @cached_property
    def stays(self) -> list[Fraction]:
        """What of each pile is not moved to another column."""
        left = [column.inside for column in self.columns.items]
        for arrow in self.all_arrows:
            left[arrow.start] -= arrow.mass
        return left

    @cached_property
    def taken(self) -> dict[int, list[_Slice]]:
        """For each column, the slices of its pile that the drawn arrows take: what goes farthest lies on top."""
        found: dict[int, list[_Slice]] = {}
        top = [column.inside for column in self.columns.items]
        for at, arrow in sorted(enumerate(self.arrows), key=lambda item: (-item[1].span, item[0])):
            top[arrow.start] -= arrow.mass
            found.setdefault(arrow.start, []).append(_Slice(at, top[arrow.start], top[arrow.start] + arrow.mass))
        return found

    @cached_property
    def filled(self) -> dict[int, list[_Slice]]:
        """For each column, the slices of its hole that the drawn arrows fill, the first lowest."""
        found: dict[int, list[_Slice]] = {}
        top = list(self.stays)
        for at, arrow in enumerate(self.arrows):
            found.setdefault(arrow.end, []).append(_Slice(at, top[arrow.end], top[arrow.end] + arrow.mass))
            top[arrow.end] += arrow.mass
        return found

    def bars(self, floor: float) -> list[str]:
        """Return the piles, the holes and the ground they stand on."""
        parts = []
        for at, column in enumerate(self.columns.items):
            x, stay = self.spacing.centres[at] - self.bar / 2, self.stays[at]
            shapes = [element("title", escaped(self._about(at)))]
            if stay:
                shapes.append(self._block("tc-stay", x, floor, Fraction(0), stay))
            if column.inside > stay:
                fill = f"url(#{self.identity}-hatch)"
                shapes.append(self._block("tc-leave", x, floor, stay, column.inside, fill=fill))
            if column.outside:
                shapes.append(self._block("tc-hole", x - 3, floor, Fraction(0), column.outside, wider=6))
            parts.append(element("g", *shapes))
            parts += self._slices(at, floor)
        end = self.spacing.centres[-1] + self.spacing.pitch / 2
        return [*parts, line(LEFT, floor, end, floor, "tc-axis")]

    def _block(
        self, style: str, x: float, floor: float, low: Fraction, high: Fraction, *, wider: float = 0, fill: str = ""
    ) -> str:
        height = float(high - low) * self.unit
        return box(x, floor - float(high) * self.unit, self.bar + wider, height, style, fill=fill)

    def _slices(self, at: int, floor: float) -> list[str]:
        """Return the lines between the slices of a column, and the names of the moves in them."""
        taken, filled = self.taken.get(at, []), self.filled.get(at, [])
        parts, x = [], self.spacing.centres[at]
        for number, piece in [*enumerate(taken), *enumerate(filled)]:
            low, high = floor - float(piece.low) * self.unit, floor - float(piece.high) * self.unit
            if low - high < 4:
                continue
            if number:
                y, style = (high, "tc-axis") if piece in taken else (low, "tc-slot")
                parts.append(line(x - self.bar / 2, y, x + self.bar / 2, y, style))
            name = self.arrows[piece.arrow].name
            hidden = taken and piece not in taken
            if name and low - high >= 14 and text_width(name, SMALL) < self.bar and not hidden:
                parts.append(words(x, (low + high) / 2 + 4, name, "tc-small tc-strong tc-halo"))
        return parts

    def _about(self, at: int) -> str:
        column = self.columns.items[at]
        whole = whole_of(self.columns.explanation)
        return f"{column.label}: class {exactly(column.inside)}, {whole} {exactly(column.outside)}"

    def routes(self, floor: float) -> list[Route]:
        """Return the ways of the arrows."""
        routes = []
        heaviest = max((arrow.mass for arrow in self.arrows), default=Fraction(1))
        for at, arrow in enumerate(self.arrows):
            way = 1 if arrow.end > arrow.start else -1
            piece = next(piece for piece in self.taken[arrow.start] if piece.arrow == at)
            edge = self.spacing.centres[arrow.start] + way * self.bar / 2
            text = f"{arrow.name} {self.masses[at]}".strip()
            routes.append(
                Route(
                    leaves=(edge, floor - float(piece.low + piece.high) / 2 * self.unit),
                    rises_at=edge + way * self._offset(at),
                    ends=(self._landing(at), floor - self._top(arrow.end) - 1),
                    text=text,
                    hint=sentences.arrow_words(self.columns, arrow, str(arrow.mass)),
                    room=text_width(text, SIZE) * 1.06,
                    span=arrow.span,
                    thickness=1.4 + 2.6 * float(arrow.mass / heaviest) if self.columns.grouped else 1.8,
                )
            )
        return routes

    def _offset(self, at: int) -> float:
        """Return how far from its pile an arrow rises: those that leave on the same side, one beside the other."""
        arrow = self.arrows[at]
        right = arrow.end > arrow.start
        beside = [
            piece.arrow for piece in self.taken[arrow.start] if (self.arrows[piece.arrow].end > arrow.start) == right
        ]
        room = (self.spacing.pitch - self.bar) / 2 - 3
        place = beside.index(at) + 1
        return room * place / (len(beside) + 1) if len(beside) > 2 else min(room, 7.0 * place)

    def _landing(self, at: int) -> float:
        """Return where above its hole an arrow comes down: beside the others, so that none crosses another."""
        arrow = self.arrows[at]
        incoming = [piece.arrow for piece in self.filled[arrow.end]]
        order = sorted(incoming, key=lambda other: (self.arrows[other].start > arrow.end, -self.arrows[other].start))
        return self.spacing.centres[arrow.end] + self.bar * ((order.index(at) + 1) / (len(order) + 1) - 0.5)

    def _top(self, at: int) -> float:
        column = self.columns.items[at]
        return float(max(column.inside, column.outside)) * self.unit

    def routes_drawn(self, floor: float) -> list[str]:
        """Return the arrows."""
        return drawn_arrows(self.routes(floor), floor - TALLEST - 22, self.lane)
