"""The columns of a picture: the values one by one, or in groups where there are too many to draw."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from tclose.explanations import Explanation
from tclose.render.words.cells import cell_text
from tclose.render.words.numbers import numbered
from tclose.render.words.phrases import counted

MOST_COLUMNS = 24
GROUPS = 20
MOST_ARROWS = 16
MOST_GROUPED_ARROWS = 8


@dataclass(frozen=True)
class Column:
    """One value, or several neighbours, with what the class and the reference hold of them."""

    label: str
    inside: Fraction
    outside: Fraction
    last: int
    """The position of its last value, counted from 1."""


@dataclass(frozen=True)
class Arrow:
    """A move between two columns, or all moves between two groups; columns count from 0."""

    name: str
    start: int
    end: int
    mass: Fraction
    cost: Fraction
    moves: int
    """How many moves of the plan it sums up."""

    @property
    def distance(self) -> Fraction:
        """How far the earth goes; on average, where it sums up several moves."""
        return self.cost / self.mass

    @property
    def span(self) -> int:
        """How many columns the arrow crosses."""
        return abs(self.end - self.start)


@dataclass(frozen=True)
class Columns:
    """The values of an explanation as a picture shows them."""

    explanation: Explanation
    items: tuple[Column, ...]
    column_of: tuple[int, ...]
    """For each value, in the attribute's order, the column that holds it."""

    @property
    def grouped(self) -> bool:
        """Whether a column may hold several values."""
        return len(self.items) < len(self.column_of)

    @property
    def note(self) -> str:
        """How many values are shown in how many groups; nothing where each is shown."""
        if not self.grouped:
            return ""
        values = counted(len(self.column_of), "value")
        if self.explanation.on_a_line:
            return f"{values} shown in {len(self.items)} groups of neighbours; the results are exact."
        return (
            f"{values}: the {len(self.items) - 1} that differ most are shown, the others as one column; "
            "the results are exact."
        )


def columns_of(explanation: Explanation) -> Columns:
    """Return the columns of a picture: at most 24."""
    many = len(explanation.values)
    if many <= MOST_COLUMNS:
        return _columns(explanation, _beside_each_other(explanation))
    if explanation.on_a_line:
        return _columns(explanation, [at * GROUPS // many for at in range(many)])
    size, total = explanation.size, explanation.total
    counts = list(zip(explanation.counts, explanation.reference_counts, strict=True))
    apart = [abs(inside * total - outside * size) for inside, outside in counts]
    by_difference = sorted(range(many), key=lambda at: (-apart[at], -counts[at][1], at))
    column_of = [GROUPS - 1] * many
    for column, at in enumerate(sorted(by_difference[: GROUPS - 1])):
        column_of[at] = column
    return _columns(explanation, column_of)


def _beside_each_other(explanation: Explanation) -> list[int]:
    """Return the column of each value: in their order, but in a tree those of a group side by side."""
    groups = [explanation.levels[at] for at in reversed(range(len(explanation.levels)))]
    places = sorted(range(len(explanation.values)), key=lambda at: (*(group[at] for group in groups), at))
    column_of = [0] * len(places)
    for column, at in enumerate(places):
        column_of[at] = column
    return column_of


def regrouped(columns: Columns, explanation: Explanation) -> Columns:
    """Return the columns of another class of the same attribute, grouped in the same way."""
    return _columns(explanation, list(columns.column_of))


def _columns(explanation: Explanation, column_of: list[int]) -> Columns:
    held: dict[int, list[int]] = {}
    for at, column in enumerate(column_of):
        held.setdefault(column, []).append(at)
    items = [
        Column(
            label=_label(explanation, positions),
            inside=Fraction(sum(explanation.counts[at] for at in positions), explanation.size),
            outside=Fraction(sum(explanation.reference_counts[at] for at in positions), explanation.total),
            last=positions[-1] + 1,
        )
        for _, positions in sorted(held.items())
    ]
    return Columns(explanation, tuple(items), tuple(column_of))


def _label(explanation: Explanation, positions: list[int]) -> str:
    first = cell_text(explanation.values[positions[0]])
    if len(positions) == 1:
        return first
    if not explanation.on_a_line:
        return f"{len(positions):,} others"
    last = cell_text(explanation.values[positions[-1]])
    return f"{first} – {last}" if " " in first + last or "-" in first + last else f"{first}–{last}"


def arrows_of(columns: Columns) -> list[Arrow]:
    """Return all moves between columns: each by itself, or summed from group to group."""
    column_of = columns.column_of
    if not columns.grouped:
        return [
            Arrow(numbered("B", at), column_of[step.start - 1], column_of[step.end - 1], step.mass, step.cost, 1)
            for at, step in enumerate(columns.explanation.moves, start=1)
        ]
    unit = columns.explanation.size * columns.explanation.total
    fine = unit * (columns.explanation.scale or 1)
    sums: dict[tuple[int, int], list[int]] = {}
    for step in columns.explanation.moves:
        way = column_of[step.start - 1], column_of[step.end - 1]
        if way[0] != way[1]:
            known = sums.setdefault(way, [0, 0, 0])
            mass = step.mass.numerator * (unit // step.mass.denominator)
            known[0] += mass
            known[1] += mass * step.distance.numerator * (fine // unit // step.distance.denominator)
            known[2] += 1
    return [
        Arrow("", *way, Fraction(mass, unit), Fraction(cost, fine), moves)
        for way, (mass, cost, moves) in sorted(sums.items())
    ]


def largest(arrows: Iterable[Arrow], *, grouped: bool) -> list[Arrow]:
    """Return the arrows to draw, those that carry most of the cost, in their order."""
    arrows = list(arrows)
    most = MOST_GROUPED_ARROWS if grouped else MOST_ARROWS
    kept = sorted(range(len(arrows)), key=lambda at: (-arrows[at].cost, at))[:most]
    return [arrows[at] for at in sorted(kept)]
