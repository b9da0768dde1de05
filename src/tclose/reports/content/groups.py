"""What of an explanation is shown one by one, and what is taken together so that it stays readable at any size."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tclose.auditing.explanations import Explanation, Step
from tclose.reports.formats.layout import elided
from tclose.reports.phrases.cells import cell_text, visible

MOST_VALUES = 20
"""So many values, or groups of values, are shown one by one."""
MOST_MOVES = 12
"""So many moves are listed one by one."""
_LONGEST_LABEL = 40


@dataclass(frozen=True)
class Band:
    """A row of a table of values: one value, or several that are shown together."""

    name: str
    """Its positions in the attribute's order, or nothing where they are scattered."""
    label: str
    count: int
    """Rows of the class."""
    total: int
    """Rows of the reference."""
    inside: Fraction
    outside: Fraction
    adds: Fraction
    """What its values add to the sum of the definition, before the division."""
    running: Fraction
    """On a line: S after its last value."""
    upto: Fraction
    """The sum of the definition up to here."""
    values: int = 1
    """How many values, or groups, it stands for."""

    @property
    def difference(self) -> Fraction:
        """P − q."""
        return self.inside - self.outside


@dataclass(frozen=True)
class ShownMoves:
    """The moves that are listed, each with its number in the plan, and what the others come to."""

    listed: tuple[tuple[int, Step], ...]
    rest: int
    rest_cost: Fraction


def value_text(value: object) -> str:
    """Return a value of an attribute as it is shown; a combination of several with a cross between them."""
    parts = value if isinstance(value, tuple) else (value,)
    return elided(" × ".join(cell_text(part) for part in parts), _LONGEST_LABEL)


def binned(explanation: Explanation) -> bool:
    """Say whether values are taken together for display."""
    return len(explanation.values) > MOST_VALUES


def unit(explanation: Explanation) -> Fraction:
    """Return the length of one whole unit of the gaps: 1, or for numbers what one step stands for."""
    if not explanation.distance.in_units or not explanation.scale:
        return Fraction(1)
    if (positions := explanation.domain.positions) is None:
        return Fraction(1)
    places, common = positions
    return Fraction(places[-1] - places[0], common * explanation.scale)


def divisor(explanation: Explanation) -> Fraction:
    """Return what the sum of the definition is divided by: the steps, the range of numbers, or the levels."""
    return unit(explanation) * explanation.scale


def level_distances(explanation: Explanation) -> list[Fraction]:
    """Return the total variation on each level of a tree, from the values up: the mass that goes up there."""
    return [sum((mass for mass in level if mass > 0), Fraction(0)) for level in explanation.tree_flows]


def line_bands(explanation: Explanation) -> list[Band]:
    """Return the values of a line in their order, neighbours taken together where they are many."""
    size = len(explanation.values)
    shown = min(size, MOST_VALUES)
    edges = [at * size // shown for at in range(shown + 1)]
    step = unit(explanation)
    found = []
    for low, high in itertools.pairwise(edges):
        before = explanation.terms[low - 1].total if low else Fraction(0)
        term = explanation.terms[high - 1]
        found.append(
            Band(
                name=str(high) if high == low + 1 else f"{low + 1}–{high}",
                label=_run_label(explanation, low, high),
                count=sum(explanation.counts[low:high]),
                total=sum(explanation.reference_counts[low:high]),
                inside=Fraction(sum(explanation.counts[low:high]), explanation.size),
                outside=Fraction(sum(explanation.reference_counts[low:high]), explanation.total),
                adds=(term.total - before) * step,
                running=term.running,
                upto=term.total * step,
                values=high - low,
            )
        )
    return found


def _run_label(explanation: Explanation, low: int, high: int) -> str:
    first, last = value_text(explanation.values[low]), value_text(explanation.values[high - 1])
    return first if high == low + 1 else f"{first} … {last}"


def level_bands(explanation: Explanation, level: int) -> list[Band]:
    """Return the groups of a level of a tree, the least different taken together where they are many."""
    groups = explanation.levels[level]
    size = max(groups) + 1
    counts, totals, first = [0] * size, [0] * size, [0] * size
    for at in range(len(groups) - 1, -1, -1):
        counts[groups[at]] += explanation.counts[at]
        totals[groups[at]] += explanation.reference_counts[at]
        first[groups[at]] = at
    order = list(range(size))
    if size > MOST_VALUES:
        gaps = [abs(counts[at] * explanation.total - totals[at] * explanation.size) for at in order]
        order.sort(key=lambda at: (-gaps[at], at))
    alone = order if size <= MOST_VALUES else order[: MOST_VALUES - 1]
    rows = [([at], _group_label(explanation, first[at], level)) for at in alone]
    if len(alone) < size:
        noun = "values" if level == 0 else "groups"
        rows.append((order[len(alone) :], f"{size - len(alone):,} other {noun}"))
    return _level_rows(explanation, rows, counts, totals, name=(lambda at: str(first[at] + 1)) if level == 0 else None)


def _level_rows(
    explanation: Explanation,
    rows: Sequence[tuple[list[int], str]],
    counts: Sequence[int],
    totals: Sequence[int],
    name: Callable[[int], str] | None,
) -> list[Band]:
    n, whole, upto, found = explanation.size, explanation.total, Fraction(0), []
    for members, label in rows:
        adds = Fraction(sum(abs(counts[at] * whole - totals[at] * n) for at in members), n * whole)
        upto += adds
        count, total = sum(counts[at] for at in members), sum(totals[at] for at in members)
        found.append(
            Band(
                name=name(members[0]) if name is not None and len(members) == 1 else "",
                label=label,
                count=count,
                total=total,
                inside=Fraction(count, n),
                outside=Fraction(total, whole),
                adds=adds,
                running=Fraction(0),
                upto=upto,
                values=len(members),
            )
        )
    return found


def _group_label(explanation: Explanation, at: int, level: int) -> str:
    if level == 0:
        return value_text(explanation.values[at])
    return elided(visible(explanation.label(at + 1, level)), _LONGEST_LABEL)


def shown_moves(explanation: Explanation) -> ShownMoves:
    """Return the moves to list: a short plan in its own order, of a long one the costliest."""
    moves = list(enumerate(explanation.moves, start=1))
    if len(moves) <= MOST_MOVES:
        return ShownMoves(tuple(moves), 0, Fraction(0))
    moves.sort(key=lambda numbered: (-float(numbered[1].cost), numbered[0]))
    rest = [step.cost for _, step in moves[MOST_MOVES:]]
    return ShownMoves(tuple(moves[:MOST_MOVES]), len(rest), sum(rest, Fraction(0)))
