"""The piles and the holes: what the class has, what the table has, and the moves that make them alike."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from tclose.explanations import Explanation
from tclose.render.pictures import sentences
from tclose.render.pictures.amounts import alike, exactly
from tclose.render.pictures.columns import Arrow, Columns, arrows_of, columns_of, largest
from tclose.render.pictures.frame import Spacing, heading, legend, notes
from tclose.render.pictures.lanes import Route, drawn_arrows, lanes_of
from tclose.render.pictures.lettering import SIZE, SMALL, text_width
from tclose.render.pictures.strip import Strip
from tclose.render.pictures.svg import box, document, element, escaped, line, words
from tclose.render.words.explanations import whole_of

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
