"""Points fitted to published counts: how often each value of a column is drawn, so that the release has these counts.

The counts are of one column each, rounded and withheld where they are few, and published beside the release. Nothing
else of the original is asked.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.points.cells import Members, PublishedColumn
from tclose.models.counts import Integers

ROUNDED = 50
"""Published counts are multiples of this."""
WITHHELD = 30
"""A count of fewer people than this is not published."""
_ROUNDS = 200
"""So often the weights of values are fitted."""
Floats = NDArray[np.float64]
Count = tuple[str, int | None]
"""What is counted, a value or a stretch of the line, and its rounded count; None where that is withheld."""
Counts = Mapping[str, tuple[Count, ...]]
"""Published counts by column."""


def published_counts(labels: Sequence[str], counts: Integers, *, stretches: bool) -> tuple[Count, ...]:
    """Return counts as they are published: rounded, and withheld where they are of few people.

    Stretches lie between cuts that are published anyway; a value that few people have is not even named.

    Examples
    --------
    >>> published_counts(["a", "b", "c"], np.array([1013, 29, 30]), stretches=False)
    (('a', 1000), ('c', 50))
    >>> published_counts(["< 10", "≥ 10"], np.array([12, 174]), stretches=True)
    (('< 10', None), ('≥ 10', 150))
    """
    shown = [(label, _rounded(count)) for label, count in zip(labels, counts.tolist(), strict=True)]
    return tuple(each for each in shown if stretches or each[1] is not None)


def _rounded(count: int) -> int | None:
    return None if count < WITHHELD else max((count + ROUNDED // 2) // ROUNDED * ROUNDED, ROUNDED)


@dataclass(frozen=True)
class _Parts:
    """Cells in parts of one count each; the parts of a cell stand together, in the order of its values."""

    cell: Integers
    """The cell of each part."""
    group: Integers
    """What its values are counted with."""
    first: Integers
    """Which of the cell's values it begins with."""
    number: Floats
    """How many values it has."""


def fitted_places(
    members: Sequence[Members], column: PublishedColumn, counts: Sequence[Count], cells: Integers, where: Floats,
    sizes: Floats,
) -> Integers:  # fmt: skip
    """Return which of its cell's values everyone gets, so that published counts come out as nearly as cells allow.

    Parameters
    ----------
    members
        What each cell may stand for.
    column
        The column as the release shows it.
    counts
        Its published counts.
    cells, where, sizes
        The cell of everyone, how far into the cell they stand, from 0 to 1, and how many rows they are.
    """
    parts, targets = _parts(members, column, counts)
    mass = np.bincount(cells, sizes, len(members)).astype(np.float64)
    wanted = _wanted(targets, float(mass.sum()))
    share = _fitted(parts, wanted, mass)
    starts = np.searchsorted(parts.cell, np.arange(len(members) + 1))
    before = np.concatenate([[0.0], np.cumsum(share)])  # the shares of a cell come to 1
    base = before[starts[cells]]
    place = base + where * (before[starts[cells + 1]] - base)
    part = np.searchsorted(before, place, side="right") - 1
    part = np.clip(part, starts[cells], starts[cells + 1] - 1)
    inside = np.divide(place - before[part], share[part], out=np.zeros(len(cells)), where=share[part] > 0)
    at = np.floor(np.clip(inside, 0.0, 1.0) * parts.number[part])
    return np.asarray(parts.first[part] + np.minimum(at, parts.number[part] - 1).astype(np.int64))


def _wanted(targets: Sequence[int | None], whole: float) -> Floats:
    """Return how many rows each group is to have: as published, and the rest shared by what is withheld or not named.

    The last group is of all values that no count names.
    """
    wanted = np.array([WITHHELD / 2 if each is None else each for each in targets], dtype=np.float64)
    return np.append(wanted, max(whole - float(wanted.sum()), WITHHELD / 2))


def _parts(
    members: Sequence[Members], column: PublishedColumn, counts: Sequence[Count]
) -> tuple[_Parts, list[int | None]]:
    """Return the cells in parts, and the published count of each group."""
    names, targets = [name for name, _ in counts], [count for _, count in counts]
    of_value = {name: at for at, name in enumerate(names)}
    stretches = [column.stretch(name) for name in names]
    ends = [each.last + 1 for each in stretches[:-1] if each is not None and each.last is not None]
    on_line = len(names) > 1 and len(ends) == len(names) - 1 and not column.nominal
    rows: list[tuple[int, int, int, int]] = []
    for at, each in enumerate(members):
        groups = _on_line(each, column, ends) if on_line else _by_name(each, of_value, len(names))
        begins = [begin for begin, _ in groups]
        rows += [
            (at, of, begin, end - begin) for (begin, of), end in zip(groups, [*begins[1:], each.number], strict=True)
        ]
    cell, group, first, number = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return _Parts(cell, group, first, number.astype(np.float64)), targets


def _on_line(members: Members, column: PublishedColumn, cuts: Sequence[int]) -> list[tuple[int, int]]:
    """Return where the values of a cell go into another stretch, and which it is; it has one with values of no line."""
    if members.line is None:
        text = members.text(0)
        stretch = None if text is None else column.stretch(text)
        place = None if stretch is None or members.number > 1 else stretch.first
        return [(0, len(cuts) + 1 if place is None else bisect_right(cuts, place))]
    last = members.first + (members.number - 1) * members.step
    found = [(0, bisect_right(cuts, members.first))]
    for at in range(found[0][1], bisect_right(cuts, last)):
        begin = -((members.first - cuts[at]) // members.step)
        found = [*(found if found[-1][0] < begin else found[:-1]), (begin, at + 1)]
    return found


def _by_name(members: Members, of_value: Mapping[str, int], others: int) -> list[tuple[int, int]]:
    """Return each value of a cell with the count that names it."""
    if members.line is not None and members.number > 1:
        return [(0, others)]
    texts = [members.text(at) for at in range(members.number)]
    return [(at, others if text is None else of_value.get(text, others)) for at, text in enumerate(texts)]


def _fitted(parts: _Parts, wanted: Floats, mass: Floats) -> Floats:
    """Return the share of its cell that each part gets, by iterative proportional fitting of the groups' weights."""
    weight = np.ones(len(wanted))
    cells = len(mass)
    for _ in range(_ROUNDS):
        share = parts.number * weight[parts.group]
        share /= np.bincount(parts.cell, share, cells)[parts.cell]
        found = np.bincount(parts.group, share * mass[parts.cell], len(wanted))
        ratio = np.divide(wanted, found, out=np.ones(len(wanted)), where=found > 0)
        weight = np.clip(weight * ratio, 1e-9, 1e9)
    share = parts.number * weight[parts.group]
    return np.asarray(share / np.bincount(parts.cell, share, cells)[parts.cell])
