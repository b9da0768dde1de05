"""The earth step by step: the moves of a plan or what is carried over each edge, and what columns hold between."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from tclose.render.pictures.columns import Arrow, Columns
from tclose.render.words.numbers import numbered


def carried(columns: Columns) -> list[Arrow]:
    """Return what is carried from each column to the next, A₁ … A_{m−1}; nothing where the values lie in a tree.

    What goes to the right is carried from left to right, what goes to the left from right to left, so that a column
    always holds what is taken from it.
    """
    explanation = columns.explanation
    if not explanation.on_a_line:
        return []
    costs = [abs(flow) * gap / explanation.scale for flow, gap in zip(explanation.flows, explanation.gaps, strict=True)]
    found: list[Arrow] = []
    first = 0
    for at, column in enumerate(columns.items[:-1]):
        flow = explanation.flows[column.last - 1]
        name = "" if columns.grouped else numbered("A", column.last)
        cost = sum(costs[first : column.last], Fraction(0))
        first = column.last
        if flow:
            start, end = (at, at + 1) if flow > 0 else (at + 1, at)
            found.append(Arrow(name, start, end, abs(flow), cost, 1))
    return _in_order(found)


def _in_order(stages: Sequence[Arrow]) -> list[Arrow]:
    """Return neighbours that go to the left from right to left; the others as they are."""
    ordered: list[Arrow] = []
    leftward: list[Arrow] = []
    for stage in stages:
        if stage.end > stage.start:
            ordered += [*reversed(leftward), stage]
            leftward = []
        else:
            leftward.append(stage)
    return [*ordered, *reversed(leftward)]


def held(columns: Columns, stages: Sequence[Arrow]) -> list[list[Fraction]]:
    """Return what each column holds before the first step and after each."""
    now = [column.inside for column in columns.items]
    found = [list(now)]
    for stage in stages:
        now[stage.start] -= stage.mass
        now[stage.end] += stage.mass
        found.append(list(now))
    return found


def spent(stages: Sequence[Arrow]) -> list[Fraction]:
    """Return what was paid before the first step and after each."""
    return list(accumulate((stage.cost for stage in stages), initial=Fraction(0)))
