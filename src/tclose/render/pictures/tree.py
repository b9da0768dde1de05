"""The hierarchy as a tree, with the mass that crosses each of its edges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from tclose.explanations import Explanation
from tclose.render.pictures import sentences
from tclose.render.pictures.amounts import alike, equals, exactly
from tclose.render.pictures.branches import Branch, shown_tree, whole_tree
from tclose.render.pictures.columns import Column, Columns
from tclose.render.pictures.frame import MARGIN, Spacing, heading, legend, notes
from tclose.render.pictures.lettering import SIZE, SMALL, shortened, text_width
from tclose.render.pictures.strip import Strip
from tclose.render.pictures.svg import box, document, element, escaped, head, line, turned, words
from tclose.render.telling.bands import level_distances
from tclose.render.words.explanations import whole_of
from tclose.render.words.phrases import counted

LEFT = 118
STEP = 92
BOX = 24


def tree_picture(explanation: Explanation, *, mark: str = "") -> str:
    """Return the hierarchy with the mass that crosses each edge, as a complete SVG picture.

    Parameters
    ----------
    explanation
        What to draw; its values are the leaves of a tree.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    picture = _Picture(explanation, shown_tree(whole_tree(explanation)))
    width = picture.spacing.width
    top, y = heading(explanation, sentences.how_to_read_tree(explanation), width)
    key, y = legend(_legend(explanation), y + 14, width)
    strip, end = picture.strip.drawn(picture.floor(y + 14))
    foot, end = notes([picture.note, _sum(explanation)], end + 22, width)
    return document(
        sentences.subject_of(explanation, "tree", mark),
        sentences.name(explanation, "as a tree"),
        picture.description,
        (width, end + 4),
        [*top, *key, *picture.drawn(y + 14), *strip, *foot],
    )


def _legend(explanation: Explanation) -> list[tuple[str, str]]:
    if not explanation.value:
        return []
    up = line(0, 0, 20, 0, "tc-up", stroke_width=5) + head(28, 0, (1, 0), "tc-head", 5)
    down = line(0, 0, 20, 0, "tc-down", stroke_width=5) + head(28, 0, (1, 0), "tc-down-head", 5)
    return [
        (up, f"goes up: the class has more here than {whole_of(explanation)}"),
        (down, "comes down: the class has less"),
        (line(0, 0, 28, 0, "tc-branch"), "nothing crosses"),
    ]


def _sum(explanation: Explanation) -> str:
    if not explanation.value:
        return ""
    added = " + ".join(alike(level_distances(explanation)))
    return f"Going up, level by level from below: {equals(f'({added}) ÷ {explanation.scale}', explanation.value)}."


@dataclass(frozen=True)
class _Picture:
    """The measures of one picture, and its branches."""

    explanation: Explanation
    tree: Branch

    @cached_property
    def bottoms(self) -> list[Branch]:
        return list(self.tree.bottoms)

    @cached_property
    def spacing(self) -> Spacing:
        return Spacing(len(self.bottoms), LEFT, 96)

    @cached_property
    def strip(self) -> Strip:
        items = tuple(Column(b.label, b.inside, b.outside, at + 1) for at, b in enumerate(self.bottoms))
        columns = Columns(self.explanation, items, tuple(range(len(items))))
        return Strip(columns, self.spacing)

    @cached_property
    def told(self) -> dict[Fraction, str]:
        """What crosses the edges drawn, all written in one way."""
        masses = sorted({abs(flow) for flow in _flows(self.tree)})
        return dict(zip(masses, alike(masses), strict=True))

    @cached_property
    def upright(self) -> bool:
        """Whether the masses at the foot of the tree stand upright, for want of room."""
        widest = max((text_width(self.told[abs(branch.flow)], SMALL) for branch in self.bottoms), default=0)
        return widest + 22 > self.spacing.pitch

    @cached_property
    def heaviest(self) -> Fraction:
        flows = [abs(flow) for level in self.explanation.tree_flows for flow in level]
        return max(flows, default=Fraction(0)) or Fraction(1)

    def floor(self, top: float) -> float:
        """Return the height of the leaves."""
        return top + BOX + STEP * len(self.explanation.levels)

    @property
    def note(self) -> str:
        many = len(self.explanation.values)
        if many == len(self.bottoms):
            return ""
        return (
            f"{counted(many, 'value')} shown in {len(self.bottoms)} branches, those that carry most; "
            "the results are exact."
        )

    @property
    def description(self) -> str:
        """The picture in words."""
        told = [
            sentences.result_sentence(self.explanation),
            sentences.how_to_read_tree(self.explanation),
            self.note,
            _sum(self.explanation),
            "Branches: " + "; ".join(self._told(self.tree)) + ".",
        ]
        return " ".join(part for part in told if part)

    def _told(self, branch: Branch) -> list[str]:
        found = []
        for child in branch.children:
            way = "sends up" if child.flow > 0 else "receives" if child.flow < 0 else "is as it should be"
            mass = f" {self.told[abs(child.flow)]}" if child.flow else ""
            found += [f"{child.label} under {branch.label} {way}{mass}", *self._told(child)]
        return found

    def drawn(self, top: float) -> list[str]:
        """Return the levels, the edges and the nodes, from the back to the front."""
        parts: list[str] = []
        risen = level_distances(self.explanation)
        for level, (mass, told) in enumerate(zip(risen, alike(risen), strict=True)) if self.explanation.value else ():
            y = top + BOX + STEP * (len(risen) - level) - 34
            parts.append(words(MARGIN, y, "goes up here", "tc-soft tc-small", anchor="start"))
            parts.append(words(MARGIN, y + 16, told, "tc-told tc-strong", anchor="start", hint=exactly(mass)))
        edges: list[str] = []
        nodes: list[str] = []
        texts: list[str] = []
        self._grow(self.tree, 0, top, (edges, nodes, texts))
        return [*parts, *edges, *nodes, *texts]

    def _grow(self, branch: Branch, first: int, top: float, into: tuple[list[str], list[str], list[str]]) -> float:
        """Draw a branch whose foot starts at a column; return where its node stands."""
        edges, nodes, texts = into
        if not branch.children:
            return self.spacing.centres[first]
        y = top + STEP * (len(self.explanation.levels) - branch.level)
        places, at = [], first
        for child in branch.children:
            places.append(self._grow(child, at, top, into))
            at += len(list(child.bottoms))
        x = (places[0] + places[-1]) / 2
        bus = y + BOX + 18
        edges.append(line(x, y + BOX, x, bus, "tc-branch"))
        edges.append(line(places[0], bus, places[-1], bus, "tc-branch"))
        for child, place in zip(branch.children, places, strict=True):
            foot = self.floor(top) if not child.children else top + STEP * (len(self.explanation.levels) - child.level)
            self._edge(child, place, (bus, foot), into)
        room = self.spacing.pitch * (at - first) - 6
        text = shortened(branch.label, room - 10)
        if len(text) < min(4, len(branch.label)):
            hint = element("title", escaped(branch.label))
            nodes.append(element("circle", hint, cx=x, cy=y + BOX / 2, r=BOX / 2, class_="tc-node"))
            return x
        wide = min(room, text_width(text) + 18)
        nodes.append(box(x - wide / 2, y, wide, BOX, "tc-node", rx=5))
        texts.append(words(x, y + 16.5, text, hint=branch.label))
        return x

    def _edge(
        self, child: Branch, x: float, ends: tuple[float, float], into: tuple[list[str], list[str], list[str]]
    ) -> None:
        """Draw the edge above a branch: thick where mass crosses it, with an arrow and the mass."""
        edges, _, texts = into
        high, low = ends
        if not child.flow:
            edges.append(line(x, high, x, low, "tc-branch"))
            return
        thick = 2 + 8 * float(abs(child.flow) / self.heaviest)
        size = 4 + thick / 3
        up = child.flow > 0
        tip, tail = (high, low) if up else (low, high)
        way = -1 if up else 1
        shaft = line(x, tail, x, tip - way * size, "tc-up" if up else "tc-down", stroke_width=thick)
        hint = f"{child.label}: {exactly(abs(child.flow))} {'goes up' if up else 'comes down'}"
        arrow = head(x, tip, (0, way), "tc-head" if up else "tc-down-head", size)
        edges.append(element("g", element("title", escaped(hint)), shaft, arrow))
        texts.append(self._mass(child, x, min(high + STEP / 2 - 6, (high + low) / 2 + 4), thick, hint))

    def _mass(self, child: Branch, x: float, y: float, thick: float, hint: str) -> str:
        text = self.told[abs(child.flow)]
        style = f"tc-halo tc-strong {'tc-told' if child.flow > 0 else 'tc-sunk'}"
        beside = x + thick / 2 + 5
        room = self.spacing.pitch * len(list(child.bottoms))
        if (self.upright and not child.children) or text_width(text, SMALL) + 22 > room:
            return turned(beside + thick / 6 + 8, y - 2, -90, text, f"{style} tc-small", anchor="middle", hint=hint)
        size = "" if text_width(text, SIZE) + 22 <= room and not self.upright else " tc-small"
        return words(beside, y, text, style + size, anchor="start", hint=hint)


def _flows(branch: Branch) -> Iterator[Fraction]:
    for child in branch.children:
        yield child.flow
        yield from _flows(child)
