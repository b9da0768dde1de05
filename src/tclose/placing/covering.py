"""Which class of a recipe takes in a row that the recipe has not seen: one whose cells cover its values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tclose.recipes import Recipe, RecodedColumn
from tclose.values import has_zone, written_sizes

Texts = Sequence[str | None]
"""The values of a column as texts; None is a missing value."""
_PAIRS_AT_ONCE = 4_000_000
UNKNOWN = "\0"
"""The label of a value that a hierarchy lacks; no label of a hierarchy can be it."""


def covering(
    recipe: Recipe, texts: Sequence[Texts], codes: NDArray[np.int32], tell: Callable[[float], None]
) -> NDArray[np.int64]:
    """Return for each combination the class of most detail that covers it, −1 where none does; tell the share done."""
    reaches = [_Reach.of(column, seen) for column, seen in zip(recipe.columns, texts, strict=True)]
    taken = np.unique(recipe.classes[recipe.classes >= 0])
    widths = [_Reach.of(column, column.values).widths() for column in recipe.columns]
    cost = np.sum([width[recipe.cells[taken, at]] for at, width in enumerate(widths)], axis=0)
    taken = taken[np.argsort(cost, kind="stable")]
    cells = recipe.cells[taken]
    found = np.full(len(codes), -1, dtype=np.int64)
    step = max(1, _PAIRS_AT_ONCE // max(len(taken), 1))
    for start in range(0, len(codes), step):
        tell(start / len(codes))
        some = codes[start : start + step]
        fits = np.ones((len(some), len(taken)), dtype=bool)
        for at, reach in enumerate(reaches):
            fits &= reach.covers(some[:, at], cells[:, at])
        first = fits.argmax(axis=1)
        found[start : start + step] = np.where(fits.any(axis=1), taken[first], -1)
    return found


def covered(recipe: Recipe, texts: Sequence[Texts], at: int) -> NDArray[np.bool_]:
    """Return which values of a column some class of the recipe covers, whatever the other columns hold."""
    column = recipe.columns[at]
    cells = np.unique(recipe.cells[np.unique(recipe.classes[recipe.classes >= 0]), at])
    if recipe.levels is not None:
        return np.array([label(column, text, recipe.levels[column.name]) != UNKNOWN for text in texts[at]], dtype=bool)
    values = np.arange(len(texts[at]), dtype=np.int32)
    return np.asarray(_Reach.of(column, texts[at]).covers(values, cells).any(axis=1))


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
    def of(column: RecodedColumn, texts: Texts) -> _Reach:
        """Return what the cells of a column cover of some values."""
        number_of: dict[str | None, int] = {}
        labels = [
            [number_of.setdefault(label(column, text, level), len(number_of)) for text in texts]
            for level in range(column.hierarchy.height + 1)
        ]
        place_of = _places(column, texts)
        last = max(place_of.values(), default=0)
        ends = [
            (number_of.setdefault(cell.label, len(number_of)), 0)
            if cell.level is not None
            else (
                0 if cell.low is None else place_of[cell.low],
                last if cell.high is None else place_of[cell.high] - cell.beyond,
            )
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
        inside = (low >= 0) & (low <= places) & (places <= high)
        return np.where(levels < 0, inside, self.labels[values][:, levels] == low)

    def widths(self) -> NDArray[np.int64]:
        """Return how many of the values each cell covers."""
        ordered = np.sort(self.places)
        found = np.searchsorted(ordered, self.high, side="right") - np.searchsorted(ordered, self.low)
        for level in range(self.labels.shape[1]):
            here = self.levels == level
            found[here] = np.bincount(self.labels[:, level], minlength=int(self.low.max(initial=0)) + 1)[self.low[here]]
        return np.asarray(found)


def _places(column: RecodedColumn, texts: Texts) -> dict[str | None, int]:
    """Return the places of values on the line: in the order that the column declares, or else by their size.

    A point in time with a zone has no place among those without, nor the other way round.
    """
    if column.order is not None:
        return dict.fromkeys([*column.values, *texts], -1) | {text: at for at, text in enumerate(column.order)}
    ends = {end for cell in column.cells if cell.level is None for end in (cell.low, cell.high)}
    every = {*column.values, *texts, *ends}
    zones = {has_zone(end) for end in ends if end is not None} - {None}
    fitting = [text for text in every if text is not None and (not zones or has_zone(text) in (None, *zones))]
    written = written_sizes(fitting)
    sizes = {text: None if text is None else written.get(text) for text in every}
    rank_of = {size: rank for rank, size in enumerate(sorted({size for size in sizes.values() if size is not None}))}
    return {text: -1 if size is None else rank_of[size] for text, size in sizes.items()}


def label(column: RecodedColumn, text: str | None, level: int) -> str | None:
    """Return the label of a value on a level; a missing value stays missing below the root."""
    if text is None:
        return column.hierarchy.rows[0][-1] if level == column.hierarchy.height else None
    return column.hierarchy.ancestor(text, level) if text in column.hierarchy else UNKNOWN
