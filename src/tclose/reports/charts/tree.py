"""The hierarchy as a tree, with the mass that crosses each of its edges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from tclose.auditing.explanations import Explanation
from tclose.reports.charts import captions as sentences
from tclose.reports.charts.columns import MOST_COLUMNS, Column, Columns, alike, equals, exactly
from tclose.reports.charts.frame import MARGIN, Spacing, heading, legend, notes
from tclose.reports.charts.moves import Strip
from tclose.reports.charts.svg import (
    SIZE,
    SMALL,
    box,
    document,
    element,
    escaped,
    head,
    line,
    shortened,
    text_width,
    turned,
    words,
)
from tclose.reports.content.groups import level_distances
from tclose.reports.phrases.cells import cell_text
from tclose.reports.phrases.explanations import whole_of
from tclose.reports.phrases.numbers import counted

# The branches of a hierarchy that a picture shows: all of them, or those that carry the most.


MOST_CHILDREN = 7


@dataclass(frozen=True)
class Branch:
    """A node of the tree with what leaves it upward; negative where mass comes down to it."""

    label: str
    level: int
    flow: Fraction
    inside: Fraction
    outside: Fraction
    leaves: int
    children: tuple[Branch, ...] = ()

    @property
    def bottoms(self) -> Iterator[Branch]:
        """The branches at its foot, from left to right."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.bottoms

    @property
    def carried(self) -> Fraction:
        """How much is moved on its edges, in both directions."""
        return sum((abs(child.flow) + child.carried for child in self.children), Fraction(0))


def whole_tree(explanation: Explanation) -> Branch:
    """Return the tree of a hierarchical attribute; a label repeated from level to level is one branch."""
    paths = list(zip(*explanation.levels, strict=True)) if explanation.levels else []
    return _branch(explanation, paths, list(range(len(paths))), len(explanation.levels))


def _branch(explanation: Explanation, paths: list[tuple[int, ...]], held: list[int], level: int) -> Branch:
    below: dict[int, list[int]] = {}
    for at in held if level else []:
        below.setdefault(paths[at][level - 1], []).append(at)
    children = tuple(_branch(explanation, paths, part, level - 1) for part in below.values())
    label = cell_text(explanation.label(held[0] + 1, level) if level else explanation.values[held[0]])
    inside = Fraction(sum(explanation.counts[at] for at in held), explanation.size)
    outside = Fraction(sum(explanation.reference_counts[at] for at in held), explanation.total)
    whole = Branch(label, level, inside - outside, inside, outside, len(held), children)
    same = len(children) == 1 and children[0].label == label and level < len(explanation.levels)
    return children[0] if same else whole


def shown_tree(tree: Branch) -> Branch:
    """Return the tree with 24 branches at its foot at most; those that carry least are summed up."""
    return tree if tree.leaves <= MOST_COLUMNS else _grown(tree, MOST_COLUMNS)


def _grown(branch: Branch, room: int) -> Branch:
    """Return a branch with as many of its children as there is room for, the busiest with children of their own."""
    if not branch.children or room < 2:
        return _closed(branch)
    busiest = sorted(branch.children, key=lambda child: (-abs(child.flow) - child.carried, child.label))
    most = min(room, MOST_CHILDREN + 1)
    kept = busiest if len(busiest) <= most else busiest[: most - 1]
    rest = busiest[len(kept) :]
    spare = room - len(kept) - bool(rest)
    grown: dict[int, Branch] = {}
    for child in kept:
        wide = _grown(child, min(spare + 1, 1 + room // 2)) if spare else _closed(child)
        spare -= len(list(wide.bottoms)) - 1
        grown[id(child)] = wide
    children = [grown[id(child)] for child in branch.children if id(child) in grown]
    return replace(branch, children=(*children, *([_summed(rest)] if rest else [])))


def _closed(branch: Branch) -> Branch:
    """Return a branch without its children, which says how many values it stands for."""
    if not branch.children:
        return branch
    return replace(branch, label=f"{branch.label} ({branch.leaves:,})", children=())


def _summed(rest: list[Branch]) -> Branch:
    leaves = sum(branch.leaves for branch in rest)
    return Branch(
        label=f"{leaves:,} others",
        level=max(branch.level for branch in rest),
        flow=sum((branch.flow for branch in rest), Fraction(0)),
        inside=sum((branch.inside for branch in rest), Fraction(0)),
        outside=sum((branch.outside for branch in rest), Fraction(0)),
        leaves=leaves,
    )


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
