"""The branches of a hierarchy that a picture shows: all of them, or those that carry the most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from tclose.explanations import Explanation
from tclose.render.pictures.columns import MOST_COLUMNS
from tclose.render.words.cells import cell_text

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
