"""Which class of a recipe takes in a row that the recipe has not seen: one whose cells cover its values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tclose.engines.interface import DistinctRows
from tclose.hierarchies import extended_hierarchy, named
from tclose.readings import as_text, exact_number
from tclose.recipes import Cell, Recipe, RecodedColumn

_PAIRS_AT_ONCE = 4_000_000
_UNKNOWN = "\0"
"""The label of a value that a hierarchy lacks; no label of a hierarchy can be it."""


def extended(recipe: Recipe, distinct: DistinctRows) -> Recipe:
    """Return the recipe with what becomes of the combinations of quasi-identifiers that a table has.

    Values that the recipe has not seen are placed by the rule of their hierarchy, where it has one. Combinations
    that the recipe knows keep their class. Of the classes whose cells cover another combination, it goes to the one
    that publishes most detail; where none does, it is left out, or, where every column has one level and nothing was
    left out, it makes a class of its own.
    """
    texts = [
        [None if value is None else as_text(value) for value in _listed(observed.values)] for observed in distinct.quasi
    ]
    recipe = replace(recipe, columns=tuple(map(_by_rule, recipe.columns, texts)))
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


def _by_rule(column: RecodedColumn, texts: Sequence[str | None]) -> RecodedColumn:
    """Return a column whose hierarchy has the values that its rule covers."""
    with named(column.name):
        tree = extended_hierarchy(column.hierarchy, (text for text in texts if text is not None))
    return replace(column, hierarchy=tree)


def _listed(values: Sequence[object] | NDArray[np.generic]) -> list[object]:
    return list(values.tolist()) if isinstance(values, np.ndarray) else list(values)


def _spelled(codes: NDArray[np.int32], texts: Sequence[Sequence[str | None]]) -> list[tuple[str | None, ...]]:
    return [tuple(texts[at][code] for at, code in enumerate(row)) for row in codes.tolist()]


def _covering(recipe: Recipe, texts: Sequence[Sequence[str | None]], codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return for each combination the class of most detail that covers it, −1 where none does."""
    reaches = [_Reach.of(column, seen) for column, seen in zip(recipe.columns, texts, strict=True)]
    taken = np.unique(recipe.classes[recipe.classes >= 0])
    widths = [_Reach.of(column, column.values).widths() for column in recipe.columns]
    cost = np.sum([width[recipe.cells[taken, at]] for at, width in enumerate(widths)], axis=0)
    taken = taken[np.argsort(cost, kind="stable")]
    cells = recipe.cells[taken]
    found = np.full(len(codes), -1, dtype=np.int64)
    step = max(1, _PAIRS_AT_ONCE // max(len(taken), 1))
    for start in range(0, len(codes), step):
        some = codes[start : start + step]
        fits = np.ones((len(some), len(taken)), dtype=bool)
        for at, reach in enumerate(reaches):
            fits &= reach.covers(some[:, at], cells[:, at])
        first = fits.argmax(axis=1)
        found[start : start + step] = np.where(fits.any(axis=1), taken[first], -1)
    return found


@dataclass(frozen=True)
class _Reach:
    """Which values each cell of a column covers, in numbers that are compared all at once."""

    places: NDArray[np.int64]
    """The place of each value on a line, −1 where it has none."""
    labels: NDArray[np.int64]
    """Values × levels: the number of the label."""
    levels: NDArray[np.int64]
    """The level of each cell, −1 for an interval."""
    low: NDArray[np.int64]
    """Of an interval its lowest place, of other cells the number of the label."""
    high: NDArray[np.int64]

    @staticmethod
    def of(column: RecodedColumn, texts: Sequence[str | None]) -> _Reach:
        """Return what the cells of a column cover of some values."""
        number_of: dict[str | None, int] = {}
        labels = [
            [number_of.setdefault(_label(column, text, level), len(number_of)) for text in texts]
            for level in range(column.hierarchy.height + 1)
        ]
        place_of = _places(column, texts)
        ends = [
            (number_of.setdefault(cell.label, len(number_of)), 0)
            if cell.level is not None
            else (place_of[cell.low], place_of[cell.high])
            for cell in column.cells
        ]
        return _Reach(
            np.array([place_of[text] for text in texts], dtype=np.int64),
            np.array(labels, dtype=np.int64).T,
            np.array([-1 if cell.level is None else cell.level for cell in column.cells], dtype=np.int64),
            *np.array(ends, dtype=np.int64).reshape(-1, 2).T,
        )

    def covers(self, values: NDArray[np.int32], cells: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which of some cells cover which of some values: values × cells."""
        levels, low, high = self.levels[cells], self.low[cells], self.high[cells]
        places = self.places[values][:, np.newaxis]
        inside = (low <= places) & (places <= high)
        return np.where(levels < 0, inside, self.labels[values][:, levels] == low)

    def widths(self) -> NDArray[np.int64]:
        """Return how many of the values each cell covers."""
        ordered = np.sort(self.places)
        found = np.searchsorted(ordered, self.high, side="right") - np.searchsorted(ordered, self.low)
        for level in range(self.labels.shape[1]):
            here = self.levels == level
            found[here] = np.bincount(self.labels[:, level], minlength=int(self.low.max(initial=0)) + 1)[self.low[here]]
        return np.asarray(found)


def _places(column: RecodedColumn, texts: Sequence[str | None]) -> dict[str | None, int]:
    """Return the places of values on the line: by their size, or in the column's order where they have none."""
    ends = {end for cell in column.cells if cell.level is None for end in (cell.low, cell.high)}
    sizes = {text: None if text is None else _size(text) for text in {*texts, *ends}}
    if any(sizes[end] is None for end in ends):
        return dict.fromkeys(texts, -1) | {text: at for at, text in enumerate(column.values)}
    rank_of = {size: rank for rank, size in enumerate(sorted({size for size in sizes.values() if size is not None}))}
    return {text: -1 if size is None else rank_of[size] for text, size in sizes.items()}


def _size(text: str) -> Fraction | None:
    """Return the number that a text stands for, or the moment."""
    number = exact_number(text)
    if number is not None:
        return number
    try:
        return exact_number(dt.datetime.fromisoformat(text))
    except ValueError:
        return None


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
