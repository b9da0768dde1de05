"""Which class of a recipe takes in a row that the recipe has not seen: one whose cells cover its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tclose.engines.interface import DistinctRows
from tclose.readings import as_text, exact_number
from tclose.recipes import Cell, Recipe, RecodedColumn

_PAIRS_AT_ONCE = 4_000_000
_UNKNOWN = "\0"
"""The label of a value that a hierarchy lacks; no label of a hierarchy can be it."""


def extended(recipe: Recipe, distinct: DistinctRows) -> Recipe:
    """Return the recipe with what becomes of the combinations of quasi-identifiers that a table has.

    Combinations that the recipe knows keep their class. Of the classes whose cells cover another combination, it
    goes to the one that publishes most detail; where none does, it is left out, or, where every column has one level
    and nothing was left out, it makes a class of its own.
    """
    texts = [
        [None if value is None else as_text(value) for value in _listed(observed.values)] for observed in distinct.quasi
    ]
    codes = np.unique(distinct.codes, axis=0)
    known = {tuple(row): at for at, row in enumerate(_spelled(recipe.codes, [c.values for c in recipe.columns]))}
    rows = _spelled(codes, texts)
    classes = np.array([recipe.classes[known[row]] if row in known else -2 for row in rows], dtype=np.int64)
    columns, cells = recipe.columns, recipe.cells
    strange = np.flatnonzero(classes == -2)
    if len(strange):
        if recipe.levels is not None:
            columns, cells, classes = _on_levels(recipe, texts, codes, classes)
        else:
            classes[strange] = _covering(recipe, texts, codes[strange])
    named = tuple(replace(column, values=tuple(seen)) for column, seen in zip(columns, texts, strict=True))
    return replace(recipe, columns=named, codes=codes.astype(np.int32), classes=classes, cells=cells)


def _listed(values: Sequence[object] | NDArray[np.generic]) -> list[object]:
    return list(values.tolist()) if isinstance(values, np.ndarray) else list(values)


def _spelled(codes: NDArray[np.int32], texts: Sequence[Sequence[str | None]]) -> list[tuple[str | None, ...]]:
    return [tuple(texts[at][code] for at, code in enumerate(row)) for row in codes.tolist()]


def _covering(recipe: Recipe, texts: Sequence[Sequence[str | None]], codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return for each combination the class of most detail that covers it, −1 where none does."""
    covers = [_covers(column, seen) for column, seen in zip(recipe.columns, texts, strict=True)]
    widths = [_covers(column, column.values).sum(axis=0) / max(len(column.values), 1) for column in recipe.columns]
    taken = np.unique(recipe.classes[recipe.classes >= 0])
    cells = recipe.cells[taken]
    cost = np.sum([width[cells[:, at]] for at, width in enumerate(widths)], axis=0)
    by_cost = np.argsort(cost, kind="stable")
    cells, taken = cells[by_cost], taken[by_cost]
    found = np.full(len(codes), -1, dtype=np.int64)
    step = max(1, _PAIRS_AT_ONCE // max(len(taken), 1))
    for start in range(0, len(codes), step):
        some = codes[start : start + step]
        fits = np.ones((len(some), len(taken)), dtype=bool)
        for at, cover in enumerate(covers):
            fits &= cover[some[:, at]][:, cells[:, at]]
        first = fits.argmax(axis=1)
        found[start : start + step] = np.where(fits.any(axis=1), taken[first], -1)
    return found


def _covers(column: RecodedColumn, texts: Sequence[str | None]) -> NDArray[np.bool_]:
    """Return which values each cell of a column covers: values × cells."""
    place = {text: at for at, text in enumerate(column.values)}
    numbers = [None if text is None else exact_number(text) for text in texts]
    found = np.zeros((len(texts), len(column.cells)), dtype=bool)
    for at, cell in enumerate(column.cells):
        bounds = _Bounds.of(cell, place) if cell.level is None else None
        for row, text in enumerate(texts):
            if bounds is not None:
                found[row, at] = text is not None and bounds.hold(text, numbers[row], place)
            else:
                found[row, at] = _label(column, text, cell.level or 0) == cell.label
    return found


@dataclass(frozen=True)
class _Bounds:
    """The ends of an interval, as numbers where they are some, else as places in the column's order."""

    low: object
    high: object
    by_number: bool

    @staticmethod
    def of(cell: Cell, place: dict[str | None, int]) -> _Bounds:
        low, high = exact_number(cell.low or ""), exact_number(cell.high or "")
        if low is not None and high is not None:
            return _Bounds(low, high, by_number=True)
        return _Bounds(place[cell.low], place[cell.high], by_number=False)

    def hold(self, text: str, number: object, place: dict[str | None, int]) -> bool:
        value = number if self.by_number else place.get(text)
        return value is not None and bool(self.low <= value <= self.high)  # type: ignore[operator]


def _label(column: RecodedColumn, text: str | None, level: int) -> str | None:
    """Return the label of a value on a level; a missing value stays missing below the root."""
    if text is None:
        return column.hierarchy.rows[0][-1] if level == column.hierarchy.height else None
    return column.hierarchy.ancestor(text, level) if text in column.hierarchy else _UNKNOWN


def _on_levels(
    recipe: Recipe, texts: Sequence[Sequence[str | None]], codes: NDArray[np.int32], classes: NDArray[np.int64]
) -> tuple[tuple[RecodedColumn, ...], NDArray[np.int32], NDArray[np.int64]]:
    """Return columns, cells and classes with new combinations published on the levels of the recipe.

    Rows with a value that a hierarchy lacks are left out.
    """
    columns, chosen = [], []
    unknown = np.zeros(len(codes), dtype=bool)
    for at, column in enumerate(recipe.columns):
        level = (recipe.levels or {})[column.name]
        cell_of = {cell.label: position for position, cell in enumerate(column.cells)}
        labels = [_label(column, text, level) for text in texts[at]]
        unknown |= np.array([label == _UNKNOWN for label in labels])[codes[:, at]]
        cell_of_value = np.array([cell_of.setdefault(label, len(cell_of)) for label in labels], dtype=np.int32)
        added = tuple(Cell(label, level) for label in list(cell_of)[len(column.cells) :])
        columns.append(replace(column, cells=(*column.cells, *added)))
        chosen.append(cell_of_value[codes[:, at]])
    wanted = np.stack(chosen, axis=1)
    class_of = {tuple(row): at for at, row in enumerate(recipe.cells.tolist())}
    cells = recipe.cells.tolist()
    open_ended = bool((recipe.classes >= 0).all())
    for at in np.flatnonzero(classes == -2).tolist():
        row = tuple(wanted[at].tolist())
        if unknown[at]:
            classes[at] = -1
            continue
        if row not in class_of and open_ended:
            class_of[row] = len(cells)
            cells.append(list(row))
        classes[at] = class_of.get(row, -1)
    return tuple(columns), np.array(cells, dtype=np.int32), classes
