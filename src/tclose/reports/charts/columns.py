"""The columns of a picture: the values one by one, or in groups where there are too many to draw."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tclose.auditing.explanations import Explanation
from tclose.policy.exact_numbers import decimal_text
from tclose.reports.phrases.cells import cell_text
from tclose.reports.phrases.numbers import counted, numbered, over

# How shares of mass are written in a picture: as fractions a person can add up, else as decimals.


LONGEST = 9
"""A fraction of more characters is shown as a decimal; the exact one is in the element's title."""

_LARGEST_SHARED = 120


def shared_denominator(values: Iterable[Fraction]) -> int:
    """Return the denominator under which all values are easily compared and added, or 1 if there is none.

    Examples
    --------
    >>> shared_denominator([Fraction(2, 9), Fraction(2, 3)]), shared_denominator([Fraction(1, 997), Fraction(1, 9)])
    (9, 1)
    """
    found = 1
    for value in values:
        found = math.lcm(found, value.denominator)
        if found > _LARGEST_SHARED:
            return 1
    return found


def amount(value: Fraction, common: int = 1) -> str:
    """Return a share as it is written in a picture.

    Parameters
    ----------
    value
        The share.
    common
        A denominator to write it over, as the neighbours are.

    Examples
    --------
    >>> amount(Fraction(2, 3), 9), amount(Fraction(1), 9), amount(Fraction(12345, 67891))
    ('6/9', '1', '0.1818')
    """
    if common % value.denominator == 0:
        return over(value, common)
    text = str(value)
    return text if len(text) <= LONGEST else decimal_text(float(value))


def alike(values: Sequence[Fraction], longest: int = LONGEST) -> list[str]:
    """Return shares written in one way: over one denominator, else as fractions if all are short, else as decimals.

    Parameters
    ----------
    values
        The shares.
    longest
        How many characters a fraction may have.

    Examples
    --------
    >>> alike([Fraction(2, 9), Fraction(2, 3)]), alike([Fraction(1, 2), Fraction(12345, 67891)])
    (['2/9', '6/9'], ['0.5', '0.1818'])
    """
    common = shared_denominator(values)
    texts = [amount(value, common) for value in values]
    short = all(len(str(value)) <= longest for value in values) and all(len(text) <= longest for text in texts)
    return texts if short else [decimal_text(float(value)) for value in values]


def exactly(value: Fraction) -> str:
    """Return a share exactly, with its decimal: ``3/8 = 0.375``, ``17/72 ≈ 0.2361``.

    Examples
    --------
    >>> exactly(Fraction(3, 8)), exactly(Fraction(17, 72)), exactly(Fraction(0))
    ('3/8 = 0.375', '17/72 ≈ 0.2361', '0')
    """
    if value.denominator == 1:
        return str(value.numerator)
    decimal = decimal_text(float(value))
    return f"{value} {'=' if Fraction(decimal) == value else '≈'} {decimal}"


def result(value: Fraction) -> str:
    """Return a distance for a heading: exactly, or as a decimal where the fraction is long.

    Examples
    --------
    >>> result(Fraction(3, 8)), result(Fraction(5709535, 62103558))
    ('3/8 = 0.375', '≈ 0.0919')
    """
    whole = exactly(value)
    return whole if len(str(value)) <= LONGEST else whole.partition(" ")[2]


def equals(name: str, value: Fraction) -> str:
    """Return a named result: ``area = 3/8 = 0.375``, ``area ≈ 0.0919``."""
    text = result(value)
    return f"{name} {text}" if text.startswith("≈") else f"{name} = {text}"


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
