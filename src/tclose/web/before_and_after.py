"""Whole rows before and after: some people of a table as they were, and beside it what is published of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.recipes import Cell, Recipe, RecodedColumn
from tclose.auditing.results import Audit
from tclose.data.sources import is_database
from tclose.data.values import as_text
from tclose.engines.class_tables import ClassTable
from tclose.engines.dispatch import held_rows
from tclose.engines.rounding import plain, rounded
from tclose.errors import InputError
from tclose.models.counts import Integers, Ranks
from tclose.web.work import Made
from tclose.web.workspace import Opened

# Rows before and after: what each combination of quasi-identifiers becomes, and how columns are spread.


MOST_BARS = 12
MOST_LOOKED_AT = 20_000
"""So many combinations are looked through at once for some that change."""
Cells = list[str | None]
Floats = NDArray[np.float64]
_Counted = tuple[Sequence[object], Integers]


def compared(made: Made, offset: int, limit: int, *, people: bool, changed: bool = False) -> dict[str, Any]:
    """Return some combinations of quasi-identifiers, the most frequent first, each with what is published instead.

    Parameters
    ----------
    made
        The release.
    offset, limit
        Which combinations.
    people
        Show also those of so few that they show single people; what was there before is withheld otherwise.
    changed
        Give only those that are not published as they are; ``next`` says where to go on.
    """
    original, recipe = made.original, made.release.recipe
    if original is None or recipe is None:
        raise InputError("The rows of this table cannot be compared: the original is not at hand any more.")
    table = _table(original)
    shown = original.with_people() if people else original
    size = table.figures[0]
    looked = list(table.rows(sort=size, limit=MOST_LOOKED_AT if changed else limit, offset=offset))
    all_keys = [tuple(_text(row[name]) for name in recipe_names(recipe)) for row in looked]
    found = published_cells(recipe, all_keys)
    wanted = [at for at, key in enumerate(all_keys) if not changed or found[key] != [list(key)]]
    given = wanted[:limit]
    seen = given[-1] + 1 if len(wanted) > limit else len(looked)
    rows, keys = [looked[at] for at in given], [all_keys[at] for at in given]
    return {
        "columns": list(recipe_names(recipe)),
        "counts": original.unit,
        "total": len(table),
        "withheld": table.up_to(size, [original.few - 1])[0] if original.few else 0,
        "few": original.few,
        "offset": offset,
        "next": offset + seen,
        "rows": [
            {"size": row[size], "before": None if shown.hides(row[size]) else list(key), "after": found[key]}
            for row, key in zip(rows, keys, strict=True)
        ],
    }


def spread(made: Made) -> dict[str, Any]:
    """Return how the rows are spread over the values of each quasi-identifier, before and after.

    Values of so few rows that they show single people are counted together. Of numbers that are published as many
    intervals, each counts evenly for the values in it, so that both sides have the same bars.
    """
    original, recipe = made.original, made.release.recipe
    if original is None or recipe is None:
        raise InputError("The columns of this table cannot be compared: the original is not at hand any more.")
    before, after = _counted(original), _counted(made.written.audit)
    found = {}
    for column in recipe.columns:
        old, new = before[column.name], after[column.name]
        drawn = _drawn_evenly(column, old, new) if _many_numbers(old[0]) and len(new[0]) > MOST_BARS else None
        shown = new if drawn is None else (old[0], drawn)
        bars = {"before": _bars(*old, original.few), "after": _bars(*shown, original.few)}
        found[column.name] = {**bars, "evenly": drawn is not None}
    return found


def _drawn_evenly(column: RecodedColumn, before: _Counted, after: _Counted) -> Integers | None:
    """Return how many released rows each value gets if every cell counts evenly for its values; None if unknown."""
    values = np.array(before[0], dtype=np.float64)
    texts = [_text(value) for value in before[0]]
    cells = {cell.label: cell for cell in column.cells}
    sums = np.zeros(len(values))
    for label, size in zip(after[0], after[1].tolist(), strict=True):
        cell = cells.get(_text(label))
        inside = None if cell is None else _inside(column, cell, values, texts)
        if inside is None or not inside.any():
            return None
        sums[inside] += size / inside.sum()
    rounded = np.rint(np.cumsum(sums)).astype(np.int64)  # of running sums, so that no row is lost
    return np.asarray(np.diff(rounded, prepend=np.int64(0)), dtype=np.int64)


def _inside(column: RecodedColumn, cell: Cell, values: Floats, texts: Cells) -> NDArray[np.bool_] | None:
    """Return which values a cell may stand for; None for what is no number."""
    if cell.level is not None:
        above = [text is not None and column.hierarchy.ancestor(text, cell.level) == cell.label for text in texts]
        return np.array(above)
    try:
        low, high = float(cell.low or "-inf"), float(cell.high or "inf")
    except ValueError:
        return None
    return np.asarray((values >= low) & ((values < high) if cell.beyond else (values <= high)))


def _table(audit: Audit) -> ClassTable:
    return next(iter(audit.tables.values()))


def recipe_names(recipe: Recipe) -> Sequence[str]:
    """Return the quasi-identifiers in the order of a recipe."""
    return [column.name for column in recipe.columns]


def _text(value: object) -> str | None:
    return None if value is None else as_text(value)


def published_cells(
    recipe: Recipe, keys: Sequence[tuple[str | None, ...]]
) -> dict[tuple[str | None, ...], list[Cells | None]]:
    """Return, for each combination, the cells that its rows publish, those of most rows first; None for left out."""
    places = [{text: at for at, text in enumerate(column.values)} for column in recipe.columns]
    codes = np.array([[place[text] for place, text in zip(places, key, strict=True)] for key in keys], dtype=np.int32)
    quasi = recipe.codes[:, : len(places)]
    pieces = _among(quasi, codes)
    found: dict[tuple[str | None, ...], dict[int, int]] = {key: {} for key in keys}
    by_code = {tuple(row): key for row, key in zip(codes.tolist(), keys, strict=True)}
    for at in pieces.tolist():
        key = by_code.get(tuple(quasi[at].tolist()))
        if key is not None:
            into = int(recipe.classes[at])
            found[key][into] = found[key].get(into, 0) + (1 if recipe.counts is None else int(recipe.counts[at]))
    return {
        key: [_cells(recipe, into) for into in sorted(classes, key=lambda each: -classes[each])]
        for key, classes in found.items()
    }


def _among(rows: Ranks, wanted: Ranks) -> NDArray[np.int64]:
    """Return which rows may be among those wanted: in every column they have a value that one of these has."""
    kept = np.arange(len(rows))
    for column in range(rows.shape[1] if len(wanted) else 0):
        kept = kept[np.isin(rows[kept, column], wanted[:, column])]
    return kept if len(wanted) else kept[:0]


def _cells(recipe: Recipe, into: int) -> Cells | None:
    if into < 0:
        return None
    return [column.cells[cell].label for column, cell in zip(recipe.columns, recipe.cells[into].tolist(), strict=True)]


def _counted(audit: Audit) -> dict[str, _Counted]:
    """Return the values of each quasi-identifier, each with its rows."""
    table = _table(audit)
    coded = table.encoded()
    return {
        name: (values, np.bincount(positions, weights=coded.sizes, minlength=len(values)).astype(np.int64))
        for name, values, positions in zip(table.quasi, coded.values, coded.positions, strict=True)
    }


def _numbers(values: Sequence[object]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _many_numbers(values: Sequence[object]) -> bool:
    return _numbers(values) and len(values) > MOST_BARS


def _bars(values: Sequence[object], sums: Integers, few: int) -> list[dict[str, Any]]:
    """Return the bars of a histogram: in the order of numbers, else the longest first; the rest and the few as one."""
    if _many_numbers(values):
        return _intervals(np.array(values, dtype=np.float64), sums, few)
    often = [at for at in np.argsort(-sums, kind="stable").tolist() if sums[at] >= few]
    kept = often if len(often) <= MOST_BARS else often[: MOST_BARS - 1]
    if _numbers(values):
        kept.sort(key=lambda at: values[at])
    bars = [{"label": _text(values[at]), "size": int(sums[at]), "values": 1} for at in kept]
    rest = len(values) - len(kept)
    if rest:
        bars.append({"label": "others", "size": int(sums.sum() - sums[kept].sum()), "values": rest})
    return bars


def _intervals(values: NDArray[np.float64], sums: Integers, few: int) -> list[dict[str, Any]]:
    """Return equally wide intervals, of whole numbers where all are; one of very few is counted to its neighbour."""
    low, high = float(values.min()), float(values.max())
    whole = bool((values == np.floor(values)).all())
    step = float(np.ceil((high - low + 1) / MOST_BARS)) if whole else (high - low) / MOST_BARS
    places = np.minimum(((values - low) // step).astype(np.int64), MOST_BARS - 1)
    sizes = np.bincount(places, weights=sums, minlength=MOST_BARS).astype(np.int64).tolist()
    held = np.bincount(places, minlength=MOST_BARS).tolist()
    bars: list[list[int]] = []  # first place, last place, size, values
    for at in range(int(places.max()) + 1):
        if bars and (bars[-1][2] < few or sizes[at] < few):
            bars[-1] = [bars[-1][0], at, bars[-1][2] + sizes[at], bars[-1][3] + held[at]]
        else:
            bars.append([at, at, sizes[at], held[at]])
    ends = [(low + step * first, low + step * (last + 1) - (1 if whole else 0)) for first, last, _, _ in bars]
    return [
        {"label": f"{start:.6g} to {end:.6g}", "size": size, "values": count}
        for (start, end), (_, _, size, count) in zip(ends, bars, strict=True)
    ]


SHOWN = 100
"""So many rows are drawn to be looked at."""


def whole_rows(made: Made, opened: Opened) -> dict[str, Any]:
    """Return rows drawn at random with all their columns, each with what is published of it.

    A row that may be in several classes, because rows that look alike were divided, is shown in that of most of them.

    Parameters
    ----------
    made
        The release.
    opened
        The table that it was made of.
    """
    recipe = made.release.recipe
    if recipe is None or is_database(opened.table):
        raise InputError("Whole rows cannot be shown here: they are in a database, or not at hand any more.")
    texts = _drawn(opened, made)
    names = list(texts)
    rows: list[Cells] = [list(row) for row in zip(*texts.values(), strict=True)]
    keys = [tuple(row[names.index(name)] for name in recipe_names(recipe)) for row in rows]
    found = published_cells(recipe, sorted(set(keys), key=repr))
    return {
        "columns": names,
        "published": [name for name in names if name in recipe.published],
        "disguised": [name for name in names if name in (*recipe.roles.shown_people, *recipe.roles.shifted)],
        "total": made.release.original_rows,
        "rows": [
            {"before": row, "after": _after(recipe, dict(zip(names, row, strict=True)), found[key][0])}
            for row, key in zip(rows, keys, strict=True)
        ],
    }


def _drawn(opened: Opened, made: Made) -> Mapping[str, list[str | None]]:
    def silent(stage: str, share: float | None) -> None:
        del stage, share

    sample = held_rows(opened.rows(silent), read=made.policy.read, sample=SHOWN)
    try:
        return sample.texts()  # type: ignore[no-any-return]
    finally:
        sample.drop()


def _after(recipe: Recipe, row: Mapping[str, str | None], cells: Cells | None) -> Cells | None:
    """Return the cells that are published of a row, in the order of its columns; None where it is left out."""
    if cells is None:
        return None
    recoded = dict(zip(recipe_names(recipe), cells, strict=True))
    return [recoded.get(name, _stepped(recipe, name, text)) for name, text in row.items() if name in recipe.published]


def _stepped(recipe: Recipe, name: str, text: str | None) -> str | None:
    step = recipe.roles.steps.get(name)
    try:
        return text if step is None or text is None else plain(rounded(Fraction(text), step))
    except ValueError:  # no number, such as an infinity, is left as it is
        return text
