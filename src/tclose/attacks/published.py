"""Published cells of any tool, read as the values of the original that they cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tclose.composing.cells import covering
from tclose.domains import Observed
from tclose.errors import Ask, Hint, InputError
from tclose.hierarchies import Hierarchy
from tclose.recoding.partition import INTERVAL, Cells
from tclose.recoding.problem import Level, Quasi
from tclose.values import as_text, same_text

_NOBODY = -1
"""The node of a cell that covers no value, until all nodes of its level are numbered."""
Mask = NDArray[np.bool_]


def covered_values(name: str, values: Sequence[object], hierarchy: Hierarchy, cells: Observed) -> Mask:
    """Return which values of the original each cell of a column covers; refuse cells that mean nothing.

    Parameters
    ----------
    name
        The column.
    values
        The values of the original in their order; None is a missing value.
    hierarchy
        Its hierarchy, by whose labels cells may go.
    cells
        What the release publishes instead.
    """
    texts = [None if value is None else as_text(value) for value in values]
    labels: dict[str, list[int]] = {}
    for at, (value, text) in enumerate(zip(values, texts, strict=True)):
        if text is not None:
            above = (hierarchy.ancestor(text, level) for level in range(1, hierarchy.height + 1))
            for label in dict.fromkeys((text, same_text(value), *above)):
                labels.setdefault(label, []).append(at)
    found, strange = covering([None if cell is None else as_text(cell).strip() for cell in cells.listed], texts, labels)
    if strange.any():
        raise InputError(
            f"{int(strange.sum()):,} of {len(found):,} different cells of {name!r} in the release are neither values "
            "of the original nor intervals, sets or masks of them.",
            field="hierarchies",
            column=name,
            hint=Hint("Give the hierarchy that has them: {}.", Ask("hierarchies", "FILE", name)),
        )
    return found


def read_cells(
    quasi: Sequence[Quasi], hierarchies: Sequence[Hierarchy], published: Sequence[Observed], codes: NDArray[np.int32]
) -> tuple[tuple[Quasi, ...], Cells]:
    """Return the cells of classes as runs of values, or as nodes where they are none.

    Parameters
    ----------
    quasi, hierarchies
        The quasi-identifiers of the original.
    published
        The cells of each that the release has.
    codes
        Classes × quasi-identifiers: which of its cells each class publishes.
    """
    shape = codes.shape
    cells = Cells(np.zeros(shape, dtype=np.int16), np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32))
    columns = []
    for at, (each, tree) in enumerate(zip(quasi, hierarchies, strict=True)):
        masks = covered_values(each.name, each.values, tree, published[at])
        levels, forms = _levels(masks, len(each.values))
        form = np.array(forms)[codes[:, at]]
        cells.levels[:, at], cells.first[:, at], cells.last[:, at] = form.T
        columns.append(replace(each, levels=levels, places=np.linspace(0, 1, len(each.values)), steps=None))
    return tuple(columns), cells


def _levels(masks: Mask, values: int) -> tuple[tuple[Level, ...], list[tuple[int, int, int]]]:
    """Return levels that hold what is no run of values, and for each mask its level, first and last."""
    taken: list[NDArray[np.int32]] = []
    forms = []
    for mask in masks:
        where = np.flatnonzero(mask)
        if len(where) and where[-1] - where[0] + 1 == len(where):
            forms.append((INTERVAL, int(where[0]), int(where[-1])))
            continue
        level = next((at for at, nodes in enumerate(taken) if not nodes[mask].any()), len(taken))
        if level == len(taken):
            taken.append(np.zeros(values, dtype=np.int32))
        node = int(taken[level].max(initial=0)) + 1
        taken[level][mask] = node
        forms.append((level, node, node) if len(where) else (level, _NOBODY, _NOBODY))
    nobody = [int(nodes.max(initial=0)) + 1 for nodes in taken]
    return tuple(_level(nodes) for nodes in taken), [
        (level, nobody[level], nobody[level]) if first == _NOBODY else (level, first, last)
        for level, first, last in forms
    ]


def _level(nodes: NDArray[np.int32]) -> Level:
    number = int(nodes.max(initial=0)) + 2  # 0: every other value; the last: none
    leaves = np.bincount(nodes, minlength=number)
    return Level(nodes, tuple(map(str, range(number))), leaves, np.maximum(leaves - 1, 0) / max(len(nodes) - 1, 1))
