"""Points drawn for the cells of a release, evenly over those who share a cell, and dealt in a secret order."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.problem import numbered
from tclose.anonymization.points.cells import Members, PublishedColumn, Shown
from tclose.anonymization.points.lines import Line, line_of
from tclose.anonymization.points.raking import Count, Counts, fitted_places
from tclose.data.values import texts_or_none
from tclose.engines.distinct import DistinctRows
from tclose.engines.recoding import Recoding
from tclose.models.counts import Integers, Ranks

if TYPE_CHECKING:
    from tclose.anonymization.recipes import Recipe, RecodedColumn

Chances = NDArray[np.float64]
"""Numbers from 0 to 1 that only the owner of the seed can make."""
_WORD = 2.0**-53


@dataclass(frozen=True)
class PointsAsked:
    """What points are asked for.

    Parameters
    ----------
    form
        ``"class"`` or ``"row"``.
    types
        The type of each quasi-identifier.
    declared
        The quasi-identifiers whose hierarchy their owner gave.
    raked
        Whether points are fitted to counts, which are then published.
    """

    form: str
    types: Mapping[str, str]
    declared: frozenset[str] = frozenset()
    raked: bool = False


@dataclass(frozen=True)
class PointsColumn:
    """What is kept of a quasi-identifier to draw points for cells that a later table has."""

    line: Line | None
    declared: bool
    texts: bool
    shown: tuple[Shown, ...] = field(repr=False)
    counts: tuple[Count, ...] = ()
    """The published counts that its points are fitted to."""

    def published(self, column: RecodedColumn) -> PublishedColumn:
        """Return the column as the release shows it."""
        return PublishedColumn(self.shown, column.hierarchy, column.order, self.line, self.declared, self.texts)


@dataclass(frozen=True, eq=False)
class Points:
    """The points of a release.

    Parameters
    ----------
    form
        ``"class"``: one value a cell for each class, or ``"row"``: one for each row.
    attempt
        How often they were drawn before.
    columns
        The quasi-identifiers.
    labels, cells
        Of each quasi-identifier the labels, and which of them each class has, in classes × quasi-identifiers.
    values, drawn
        Likewise the points. Where each row has its own, no class has any.
    """

    form: str
    attempt: int
    columns: tuple[PointsColumn, ...]
    labels: tuple[tuple[str | None, ...], ...] = field(repr=False)
    cells: Ranks = field(repr=False)
    values: tuple[tuple[str | None, ...], ...] = field(repr=False)
    drawn: Ranks = field(repr=False)

    @property
    def by_row(self) -> bool:
        """Whether each row has points of its own."""
        return self.form == "row"

    @property
    def raked(self) -> bool:
        """Whether they are fitted to published counts."""
        return any(column.counts for column in self.columns)


def drawn(
    recipe: Recipe,
    asked: PointsAsked,
    attempt: int = 0,
    *,
    counts: Counts | None = None,
    sizes: Integers | None = None,
) -> Points:
    """Return the points of the release that a recipe makes.

    Parameters
    ----------
    recipe
        The recipe.
    asked
        What points are asked for.
    attempt
        How often they were drawn before.
    counts, sizes
        The published counts to which points are fitted, and how many rows each class has.
    """
    columns, labels, codes = [], [], []
    for at, column in enumerate(recipe.columns):
        kind = asked.types[column.name]
        shown = tuple(dict.fromkeys((cell.label, cell.level) for cell in column.cells))
        line = None if column.order is not None else line_of(column.values, kind)
        own = () if counts is None else counts.get(column.name, ())
        columns.append(PointsColumn(line, column.name in asked.declared, kind.startswith("VARCHAR"), shown, own))
        texts, code_of = _spelled([cell.label for cell in column.cells])
        labels.append(texts)
        codes.append(code_of[recipe.cells[:, at]])
    cells = np.stack(codes, axis=1).astype(np.int32)
    points = Points(asked.form, attempt, tuple(columns), tuple(labels), cells, (), cells)
    if points.by_row:
        none = np.zeros((0, len(columns)), dtype=np.int32)
        return replace(points, cells=none, drawn=none, values=tuple(() for _ in columns))
    order = np.lexsort(cells.T[::-1])  # labels are in their own order, so that no class is known by its place
    values, found = [], np.empty_like(cells)
    for at, column in enumerate(recipe.columns):
        each = np.ones(len(order)) if sizes is None else sizes[order].astype(np.float64)
        picked, texts = _dealt(points, recipe, at, column, cells[order, at], labels[at], each)
        found[order, at] = picked
        values.append(texts)
    return replace(points, values=tuple(values), drawn=found)


def pointed(recoding: Recoding, points: Points, recipe: Recipe) -> Recoding:
    """Return a recoding that publishes a point in the place of each cell; a new class draws its own.

    Parameters
    ----------
    recoding
        What a recipe makes of the rows of a table.
    points
        The points of the release that the recipe was made for.
    recipe
        The recipe, as it was fitted to the table.
    """
    known, place = _placed(points, recipe)
    drawn_of = np.empty_like(recoding.cells)
    texts: list[list[str | None]] = []
    fresh = np.flatnonzero(~known)
    own = [_own_draws(points, recipe, int(at)) for at in fresh]
    for at in range(len(recipe.columns)):
        every = list(points.values[at])
        number_of = {text: code for code, text in enumerate(every)}
        drawn_of[known, at] = points.drawn[place[known], at]
        for row, each in zip(fresh.tolist(), own, strict=True):
            drawn_of[row, at] = number_of.setdefault(each[at], len(number_of))
        texts.append(list(number_of))
    return _relabelled(recoding, texts, drawn_of)


def pointed_rows(recoding: Recoding, points: Points, recipe: Recipe, counts: Integers) -> Recoding:
    """Return a recoding that publishes points of each row's own.

    Parameters
    ----------
    recoding
        What the recipe makes of the rows of a table.
    points
        What is to be drawn.
    recipe
        The recipe, as it was fitted to the table.
    counts
        How many rows each piece of the recoding has.
    """
    kept = recoding.classes >= 0
    times = np.where(kept, counts, 1)
    pieces = np.repeat(np.arange(len(counts)), times)
    published = kept[pieces]
    classes = np.full(len(pieces), -1, dtype=np.int64)
    classes[published] = np.arange(int(published.sum()))
    rows = recoding.classes[pieces[published]]
    labels, cells = [], np.empty((len(rows), len(recipe.columns)), dtype=np.int32)
    for at, column in enumerate(recipe.columns):
        spelled, code_of = _spelled([cell.label for cell in column.cells])
        labels.append(spelled)
        cells[:, at] = code_of[recipe.cells[rows, at]]
    order = np.lexsort(cells.T[::-1])
    texts, found = [], np.empty_like(cells)
    for at, column in enumerate(recipe.columns):
        picked, values = _dealt(points, recipe, at, column, cells[order, at], labels[at], np.ones(len(order)))
        found[order, at] = picked
        texts.append(list(values))
    split = replace(
        recoding,
        codes=np.ascontiguousarray(recoding.codes[pieces]),
        classes=classes,
        counts=np.where(published, 1, counts[pieces]).astype(np.int64),
        cells=np.ascontiguousarray(recipe.cells[rows]),
    )
    return _relabelled(split, texts, found)


def recoding_by_rows(recipe: Recipe, distinct: DistinctRows) -> Recoding:
    """Return what the engine does with the rows of a table by a recipe that was fitted to it, each with its points."""
    recoding, points = recipe.recoding(), recipe.points
    if points is None or not points.by_row:
        return recoding
    return pointed_rows(recoding, points, recipe, rows_of_pieces(recipe, distinct))


def rows_of_pieces(recipe: Recipe, distinct: DistinctRows) -> Integers:
    """Return how many rows of a table each piece of a recipe has that goes by quasi-identifiers alone."""
    mapped = []
    for column, observed, codes in zip(recipe.columns, distinct.quasi, distinct.codes.T, strict=True):
        place = {text: at for at, text in enumerate(column.values)}
        listed = observed.values.tolist() if isinstance(observed.values, np.ndarray) else list(observed.values)
        mapped.append(np.array([place[text] for text in texts_or_none(listed)], dtype=np.int32)[codes])
    together = numbered(np.concatenate([recipe.codes, np.stack(mapped, axis=1)]))
    counts = np.bincount(together[len(recipe.codes) :], distinct.counts, int(together.max(initial=0)) + 1)
    return counts[together[: len(recipe.codes)]].astype(np.int64)


def _relabelled(recoding: Recoding, texts: Sequence[Sequence[str | None]], found: Ranks) -> Recoding:
    """Return a recoding that publishes texts, each beside the cell that it was drawn from, as values of their types."""
    labels, whose, cells = [], [], np.empty_like(found)
    for at, known in enumerate(texts):
        pairs = recoding.cells[:, at].astype(np.int64) * max(len(known), 1) + found[:, at]
        distinct, of = np.unique(pairs, return_inverse=True)
        cells[:, at] = of.ravel()
        labels.append([known[pair % max(len(known), 1)] for pair in distinct.tolist()])
        whose.append((distinct // max(len(known), 1)).tolist())
    added = tuple(replace(each, values=[each.values[cell] for cell in whose[each.quasi]]) for each in recoding.added)
    return replace(recoding, labels=tuple(labels), cells=cells, added=added, typed=True)


def _placed(points: Points, recipe: Recipe) -> tuple[NDArray[np.bool_], Integers]:
    """Return which classes of a recipe the release has, by their labels, and where."""
    codes = []
    for at, column in enumerate(recipe.columns):
        known = {label: code for code, label in enumerate(points.labels[at])}
        code_of = np.array([known.get(cell.label, -1) for cell in column.cells], dtype=np.int32)
        codes.append(code_of[recipe.cells[:, at]])
    here = np.stack(codes, axis=1)
    together = numbered(np.concatenate([points.cells, here]) + 1)
    place_of = np.full(int(together.max(initial=0)) + 1, -1, dtype=np.int64)
    place_of[together[: len(points.cells)]] = np.arange(len(points.cells))
    place = place_of[together[len(points.cells) :]]
    return place >= 0, place


def _own_draws(points: Points, recipe: Recipe, at: int) -> list[str | None]:
    """Return the points of a class that the release does not have, by its labels and the seed alone."""
    cells = [column.cells[cell] for column, cell in zip(recipe.columns, recipe.cells[at].tolist(), strict=True)]
    spelled = "\1".join("\0" if cell.label is None else cell.label for cell in cells)
    chances = _chances(recipe.seed, points, f"class {spelled}", len(cells))
    found = []
    for kept, column, cell, chance in zip(points.columns, recipe.columns, cells, chances.tolist(), strict=True):
        members = kept.published(column).members(cell.label, cell.level)
        found.append(members.text(min(int(chance * members.number), members.number - 1)))
    return found


def _dealt(
    points: Points,
    recipe: Recipe,
    at: int,
    column: RecodedColumn,
    cells: Ranks,
    labels: Sequence[str | None],
    sizes: Chances,
) -> tuple[Ranks, tuple[str | None, ...]]:
    """Return the point that everyone of some cells gets, and the points as texts.

    Those who share a cell are put into a secret order. Of n, the one in place i gets the value at (i + u)/n of what the
    cell may stand for, with u from 0 to 1: two values of a cell are drawn as often as each other, or one once more.
    Where points are fitted to counts, everyone takes as much of the cell as they have rows, and values what they weigh.
    """
    kept = points.columns[at]
    shown = kept.published(column)
    members = _members(shown, column, labels)
    order = np.lexsort((_chances(recipe.seed, points, f"order of {column.name}", len(cells)), cells))
    placed, rows = cells[order], sizes[order] if kept.counts else np.ones(len(cells))
    begins = np.flatnonzero(np.diff(placed, prepend=-1))
    whose = np.cumsum(np.diff(placed, prepend=-1) != 0) - 1
    whole = np.add.reduceat(rows, begins) if len(begins) else rows
    shift = _chances(recipe.seed, points, f"shift of {column.name}", len(begins))[whose]
    before = np.cumsum(rows) - rows
    share = (before - before[begins][whose] + shift * rows) / whole[whose]
    if kept.counts:
        picked = fitted_places(members, shown, kept.counts, placed.astype(np.int64), share, rows)
    else:
        numbers = np.array([float(each.number) for each in members])[placed]
        picked = np.minimum(np.floor(share * numbers), numbers - 1).astype(np.int64)
    new = np.ones(len(placed), dtype=bool)  # within a cell the values come in their order
    new[1:] = (placed[1:] != placed[:-1]) | (picked[1:] != picked[:-1])
    pairs = zip(placed[new].tolist(), picked[new].tolist(), strict=True)
    texts, code_of = _numbered([members[cell].text(place) for cell, place in pairs])
    found = np.empty(len(cells), dtype=np.int32)
    found[order] = code_of[np.cumsum(new) - 1]
    return found, texts


def _members(shown: PublishedColumn, column: RecodedColumn, labels: Sequence[str | None]) -> list[Members]:
    """Return what each label may stand for; one that stands on several levels, what it does on the finest."""
    level_of: dict[str | None, int | None] = {}
    for cell in sorted(column.cells, key=lambda each: -1 if each.level is None else -each.level):
        level_of[cell.label] = cell.level
    return [shown.members(label, level_of.get(label)) for label in labels]


def _spelled(texts: Sequence[str | None]) -> tuple[tuple[str | None, ...], Ranks]:
    """Return the distinct texts in their order, and the place of each text among them."""
    distinct, codes = _numbered(texts)
    order = sorted(range(len(distinct)), key=lambda at: (distinct[at] is None, distinct[at] or ""))
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return tuple(distinct[at] for at in order), place[codes]


def _numbered(texts: Sequence[str | None]) -> tuple[tuple[str | None, ...], Ranks]:
    """Return the distinct texts, and the place of each text among them."""
    place: dict[str | None, int] = {}
    codes = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.int32)
    return tuple(place), codes


def _chances(seed: int, points: Points, purpose: str, number: int) -> Chances:
    """Return numbers from 0 to 1 that follow from the seed, for one purpose."""
    stream = hashlib.shake_256(f"points of tclose\0{seed}\0{points.form}\0{points.attempt}\0{purpose}".encode())
    words = np.frombuffer(stream.digest(8 * number), dtype="<u8")
    return np.asarray((words >> np.uint64(11)).astype(np.float64) * _WORD)
