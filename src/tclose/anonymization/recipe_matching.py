"""A recipe fitted to another table: which class each of its combinations goes to, and why some rows have no place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.problem import numbered
from tclose.anonymization.recipes import Cell, Recipe, RecodedColumn
from tclose.data.hierarchies import extended_hierarchy, named
from tclose.data.progress import Report, silent
from tclose.data.values import has_zone, texts_or_none, written_sizes
from tclose.engines.distinct import DistinctRows
from tclose.errors import Hint, InputError, Note, counted
from tclose.models.counts import Integers, Ranks

# Which class of a recipe takes in a row that the recipe has not seen: one whose cells cover its values.


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


# What is refused to be recoded: a table that a recipe hardly knows, so that much would be the coarsest cells.


_MOST = 10
"""Of this many cells of a column, one at most may be the coarsest without the recipe saying so."""
_ONE = 1
"""A single row or value that the recipe does not know says nothing of the table; a model may be asked about one row."""


def fitted_throughout(recipe: Recipe, distinct: DistinctRows, label: str, tell: Report = silent) -> Fitted:
    """Return what a recipe makes of every row of a table; refuse one that it hardly knows.

    Parameters
    ----------
    recipe
        The recipe.
    distinct
        The distinct rows of the table.
    label
        How messages name the table.
    tell
        Told how far the work is.
    """
    fit = fitted(recipe, distinct, "all", tell)
    _check_hierarchies(recipe, fit, distinct, label)
    if fit.unplanned > _ONE and fit.unplanned * _MOST > distinct.rows:
        named = next((note.column for note in fit.reasons if note.column is not None), recipe.columns[0].name)
        why = " ".join(note.text for note in fit.reasons)
        raise InputError(
            f"{fit.unplanned:,} of {counted(distinct.rows, 'cell')} of {named!r} in {label} would be the coarsest, "
            f"because the recipe has no class for their rows: more than a tenth. {why}",
            code="hardly-covered",
            column=named,
            hint=Hint("Read the table as the recipe's was read, or make a recipe of this table."),
        )
    return fit


def _check_hierarchies(recipe: Recipe, fit: Fitted, distinct: DistinctRows, label: str) -> None:
    """Refuse a table of which a hierarchy knows fewer than half of a column's values."""
    for column, widened, observed in zip(recipe.columns, fit.recipe.columns, distinct.quasi, strict=True):
        listed = observed.values.tolist() if hasattr(observed.values, "tolist") else list(observed.values)
        texts = [text for text in spelled(column, texts_or_none(listed), recipe.nulls) if text is not None]
        known = sum(text in widened.hierarchy or text in column.known for text in texts)
        if len(texts) - known > _ONE and 2 * known < len(texts):
            raise InputError(
                f"The hierarchy of {column.name!r} knows {known:,} of its {counted(len(texts), 'value')} in {label}: "
                "fewer than half.",
                code="hierarchy-knows-few",
                column=column.name,
                hint=Hint("Name the column that the recipe was made with, or make a recipe of this table."),
            )
