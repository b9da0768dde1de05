"""Whole rows before and after: some people of a table as they were, and beside it what is published of them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tclose.engines.choosing import held_rows
from tclose.engines.rounding import plain, rounded
from tclose.errors import InputError
from tclose.recipes import Recipe
from tclose.sources import is_database
from tclose.web.comparing import Cells, published_cells, recipe_names
from tclose.web.work import Made
from tclose.web.workspace import Opened

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
