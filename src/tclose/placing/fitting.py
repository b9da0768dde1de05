"""A recipe fitted to another table: which class each of its combinations goes to, and why some rows have no place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers, Ranks
from tclose.engines.distinct import DistinctRows
from tclose.errors import counted
from tclose.hierarchies import extended_hierarchy, named
from tclose.notes import Note
from tclose.placing.covering import UNKNOWN, Texts, covered, covering, label
from tclose.progress import Report, silent
from tclose.recipes import Cell, Recipe, RecodedColumn
from tclose.recoding.problem import numbered
from tclose.values import texts_or_none

FINDING = "Finding a class for every row"
_NEW = -2
"""The class of a combination that the recipe has not seen, until one is found for it."""
ANYTHING = "*"
"""The coarsest cell of any column."""
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]*?(0+)")
_MIDNIGHT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]00:00:00(?:\.0+)?")


@dataclass(frozen=True)
class Fitted:
    """A recipe for the combinations of a table, and the rows that it leaves out."""

    recipe: Recipe
    reasons: tuple[Note, ...]
    """Why rows have no place, a sentence each, with how many."""
    widened: int = 0
    """How many of these rows have the coarsest cells instead."""
    again: bool = False
    """Whether the table is the recipe's own."""
    unplanned: int = 0
    """How many rows without a place the recipe has not seen; the others it leaves out as it did when it was made."""


Widened = Literal["none", "new", "all"]
"""Which rows without a place get the coarsest cells: none, those that the recipe has not seen, or all."""


def fitted(recipe: Recipe, distinct: DistinctRows, widened: Widened = "none", tell: Report = silent) -> Fitted:
    """Return what a recipe makes of the combinations of quasi-identifiers that a table has.

    Values are matched with the recipe's by what they mean, whatever type carries them; values that it has not seen
    are placed by the rule of their hierarchy, where it has one. Combinations that the recipe knows keep their class.
    Of the classes whose cells cover another combination, it goes to the one that publishes most detail; where none
    does, it is left out, or, where every column has one level and nothing was left out, it makes a class of its own.
    Where rows that look alike were divided by their sensitive values, every combination counts as another.

    Parameters
    ----------
    recipe
        A recipe.
    distinct
        The distinct rows of the table.
    widened
        Which rows without a place get the coarsest cells.
    tell
        Told how far the work is.
    """
    tell(FINDING, 0.0)
    own = [texts_or_none(_listed(seen.values)) for seen in distinct.quasi]
    texts = [list(spelled(column, seen, recipe.nulls)) for column, seen in zip(recipe.columns, own, strict=True)]
    recipe = replace(recipe, columns=tuple(map(_by_rule, recipe.columns, texts)))
    of_row = numbered(distinct.codes)
    codes = distinct.codes[np.unique(of_row, return_index=True)[1]]
    classes = _known(recipe, texts, codes)
    new = np.flatnonzero(classes == _NEW)
    if len(new) and recipe.levels is not None:
        recipe, classes = _on_levels(recipe, texts, codes, classes)
    elif len(new):
        classes[new] = covering(recipe, texts, codes[new], lambda share: tell(FINDING, share))
    sizes = np.bincount(of_row, distinct.counts, len(codes)).astype(np.int64)
    out = classes < 0
    is_new = np.isin(np.arange(len(codes)), new)[out]
    reasons = tuple(_reasons(recipe, texts, codes[out], is_new, sizes[out]))
    wide = out if widened == "all" else out & np.isin(np.arange(len(codes)), new)
    if widened != "none" and wide.any():
        recipe = _with_coarsest(recipe, [[texts[at][code] for code in codes[wide, at]] for at in range(len(texts))])
        classes[wide] = len(recipe.cells) - 1
    columns = tuple(replace(column, values=tuple(seen)) for column, seen in zip(recipe.columns, own, strict=True))
    return Fitted(
        _trimmed(
            replace(recipe, columns=columns, codes=codes.astype(np.int32), classes=classes, counts=None, sensitive={})
        ),
        reasons,
        int(sizes[wide].sum()) if widened != "none" else 0,
        unplanned=int(sizes[out][is_new].sum()),
    )


def is_own(recipe: Recipe, distinct: DistinctRows, sensitive: Mapping[str, Texts], codes: Ranks) -> bool:
    """Say whether a table has just the rows of the one that a recipe was made from.

    Parameters
    ----------
    recipe
        A recipe that divides rows by their sensitive values.
    distinct
        The distinct rows of the table.
    sensitive, codes
        The values of its sensitive columns, and which of them each distinct row has.
    """
    if recipe.counts is None or distinct.rows != int(recipe.counts.sum()):
        return False
    quasi = [texts_or_none(_listed(seen.values)) for seen in distinct.quasi]
    here = _combinations(np.concatenate([distinct.codes, codes], axis=1), [*quasi, *sensitive.values()])
    there = _combinations(recipe.codes, [*(column.values for column in recipe.columns), *recipe.sensitive.values()])
    return _totals(here, distinct.counts) == _totals(there, recipe.counts)


def _totals(combinations: Iterable[tuple[str | None, ...]], counts: Integers) -> dict[tuple[str | None, ...], int]:
    found: dict[tuple[str | None, ...], int] = {}
    for each, count in zip(combinations, counts.tolist(), strict=True):
        found[each] = found.get(each, 0) + count
    return {each: count for each, count in found.items() if count}


def _known(recipe: Recipe, texts: Sequence[Texts], codes: Ranks) -> Integers:
    """Return the class of each combination that the recipe has seen; of the others, that they are new."""
    if recipe.divides:
        return np.full(len(codes), _NEW, dtype=np.int64)
    seen: list[Integers] = []
    here: list[Integers] = []
    for at, column in enumerate(recipe.columns):
        number_of: dict[str | None, int] = {}
        for values, of_rows, into in ((column.values, recipe.codes, seen), (texts[at], codes, here)):
            numbers = [number_of.setdefault(text, len(number_of)) for text in values]
            into.append(np.array(numbers, dtype=np.int64)[of_rows[:, at]])
    together = numbered(np.concatenate([np.stack(seen, axis=1), np.stack(here, axis=1)]))
    class_of = np.full(int(together.max(initial=0)) + 1, _NEW, dtype=np.int64)
    class_of[together[: len(recipe.codes)]] = recipe.classes
    return class_of[together[len(recipe.codes) :]]


def _with_coarsest(recipe: Recipe, texts: Sequence[Texts]) -> Recipe:
    """Return a recipe with one more class, whose cells are the coarsest: the root, or * where it lacks a value."""
    columns, chosen = [], []
    for column, seen in zip(recipe.columns, texts, strict=True):
        height = column.hierarchy.height
        lacking = any(text is not None and text not in column.hierarchy for text in seen)
        cell = Cell(ANYTHING if lacking else label(column, None, height), height)
        cells = column.cells if cell in column.cells else (*column.cells, cell)
        columns.append(replace(column, cells=cells))
        chosen.append(cells.index(cell))
    return replace(recipe, columns=tuple(columns), cells=np.vstack([recipe.cells, np.array([chosen], dtype=np.int32)]))


def _listed(values: Sequence[object] | NDArray[np.generic]) -> list[object]:
    return list(values.tolist()) if isinstance(values, np.ndarray) else list(values)


def _combinations(codes: Ranks, texts: Sequence[Texts]) -> list[tuple[str | None, ...]]:
    return [tuple(texts[at][code] for at, code in enumerate(row)) for row in codes.tolist()]


def spelled(column: RecodedColumn, texts: Texts, nulls: Sequence[str]) -> Iterator[str | None]:
    """Give each text as the recipe spells it: itself, or the one there that means the same; None if it is missing."""
    alike = _by_meaning(text for text in column.values if text is not None)
    below = _by_meaning(column.hierarchy.leaves)
    for text in texts:
        if text is None or text in column.known or text in column.hierarchy:
            yield text
        elif text in nulls:
            yield None
        else:
            meant = _meaning(text)
            yield alike.get(meant) or below.get(meant) or text


def _by_meaning(texts: Iterable[str]) -> dict[str, str | None]:
    """Return texts by what they mean; None where several mean the same."""
    found: dict[str, str | None] = {}
    for text in texts:
        meant = _meaning(text)
        found[meant] = None if meant in found else text
    return found


def _meaning(text: str) -> str:
    """Return a text as other types would spell it: a number without zeros at its end, a midnight as its day.

    Examples
    --------
    >>> _meaning("39.0"), _meaning("1.50"), _meaning("2020-01-31T00:00:00"), _meaning("007.0")
    ('39', '1.5', '2020-01-31', '007.0')
    """
    if number := _NUMBER.fullmatch(text):
        return text[: number.start(1)].rstrip(".")
    day = _MIDNIGHT.fullmatch(text)
    return day[1] if day else text


def _by_rule(column: RecodedColumn, texts: Texts) -> RecodedColumn:
    """Return a column whose hierarchy has the values that its rule covers."""
    with named(column.name):
        tree = extended_hierarchy(column.hierarchy, (text for text in texts if text is not None))
    return replace(column, hierarchy=tree)


def _on_levels(
    recipe: Recipe, texts: Sequence[Texts], codes: NDArray[np.int32], classes: Integers
) -> tuple[Recipe, Integers]:
    """Return the recipe and the classes with new combinations published on the levels of the recipe."""
    columns, chosen = [], []
    for at, column in enumerate(recipe.columns):
        level = (recipe.levels or {})[column.name]
        number_of = {cell.label: position for position, cell in enumerate(column.cells)} | {UNKNOWN: -1}
        labels = [label(column, text, level) for text in texts[at]]
        cells = list(column.cells)
        for each in labels:
            if number_of.setdefault(each, len(cells)) == len(cells):
                cells.append(Cell(each, level))
        columns.append(replace(column, cells=tuple(cells)))
        chosen.append(np.array([number_of[each] for each in labels], dtype=np.int32)[codes[:, at]])
    wanted = np.stack(chosen, axis=1)
    every = recipe.cells.tolist()
    class_of = {tuple(row): at for at, row in enumerate(every)}
    open_ended = bool((recipe.classes >= 0).all())
    for at in np.flatnonzero(classes == _NEW).tolist():
        row = tuple(wanted[at].tolist())
        if open_ended and row not in class_of and min(row) >= 0:
            class_of[row] = len(every)
            every.append(list(row))
        classes[at] = class_of.get(row, -1)
    return replace(recipe, columns=tuple(columns), cells=np.array(every, dtype=np.int32)), classes


def _trimmed(recipe: Recipe) -> Recipe:
    """Return a recipe without classes and cells that no row has, whose labels need not be values of the table."""
    used, classes = np.unique(np.append(recipe.classes, -1), return_inverse=True)
    cells = recipe.cells[used[1:]]
    columns, chosen = [], []
    for at, column in enumerate(recipe.columns):
        kept, number = np.unique(cells[:, at], return_inverse=True)
        columns.append(replace(column, cells=tuple(column.cells[cell] for cell in kept.tolist())))
        chosen.append(number.ravel())
    return replace(
        recipe,
        columns=tuple(columns),
        classes=classes.ravel()[:-1] - 1,
        cells=np.stack(chosen, axis=1).astype(np.int32),
    )


def _reasons(
    recipe: Recipe, texts: Sequence[Texts], codes: Ranks, new: NDArray[np.bool_], sizes: Integers
) -> Iterator[Note]:
    """Give why combinations are left out: columns none of whose cells cover a value first, then other reasons."""
    explained = np.zeros(len(codes), dtype=bool)
    for at, column in enumerate(recipe.columns):
        bare = new & ~covered(recipe, texts, at)[codes[:, at]]
        lacking = np.array([text is not None and text not in column.hierarchy for text in texts[at]], dtype=bool)
        for here, why in (
            (bare & lacking[codes[:, at]], "that its hierarchy does not cover"),
            (bare & ~lacking[codes[:, at]], "that no class of the recipe covers"),
        ):
            if here.any():
                values = len(np.unique(codes[here, at]))
                what = "a value" if values == 1 else f"one of {values:,} values"
                rows = int(sizes[here].sum())
                text = f"{column.name}: {counted(rows, 'row')} {'has' if rows == 1 else 'have'} {what} {why}."
                yield Note("value-not-covered", text, column=column.name)
        explained |= bare
    together = int(sizes[new & ~explained].sum())
    if together:
        text = f"{counted(together, 'row')}: no class covers this combination of values, though each value has a place."
        yield Note("combination-not-covered", text)
    before = int(sizes[~new].sum())
    if before:
        text = f"{counted(before, 'row')}: the recipe leaves out such rows, as it did when it was made."
        yield Note("left-out-by-recipe", text)
