"""Whether the parts of a recipe that was read from a file fit together."""

from __future__ import annotations

import numpy as np

from tclose.recipes import Cell, Recipe, RecodedColumn
from tclose.values import written_sizes


def fits_together(recipe: Recipe) -> bool:
    """Say whether the parts of a recipe speak of the same columns, values and classes."""
    points = recipe.points is None or len(recipe.points.columns) == len(recipe.columns)
    return points and _names_fit(recipe) and _pieces_fit(recipe)


def _names_fit(recipe: Recipe) -> bool:
    """Say whether the parts of a recipe speak of the same columns."""
    roles, published, names = recipe.roles, recipe.published, tuple(column.name for column in recipe.columns)
    attributes = {requirement.attribute for requirement in recipe.requirements} - {None}
    heights = {column.name: column.hierarchy.height for column in recipe.columns}
    levels = heights if recipe.levels is None else recipe.levels
    return (
        len(names) > 0
        and names == roles.quasi
        and attributes <= {*roles.sensitive}
        and len({*published}) == len(published)
        and {*names, *roles.sensitive} <= {*published}
        and {*roles.naming} & {*published} == {*roles.shown_people}
        and {*roles.shifted} <= {*published}
        and recipe.numbers.keys() <= {*names}
        and tuple(recipe.sensitive) == (() if recipe.counts is None else tuple(roles.sensitive))
        and levels.keys() == heights.keys()
        and all(level <= heights[name] for name, level in levels.items())
        and all(_cell_fits(column, cell) for column in recipe.columns for cell in column.cells)
    )


def _is_interval(column: RecodedColumn, cell: Cell) -> bool:
    """Say whether a cell is an interval between values, numbers or dates, or from one or up to one."""
    ends = [end for end in (cell.low, cell.high) if end is not None]
    if cell.label is None or not ends:
        return False
    if {*ends} <= column.known:
        return True
    known = written_sizes(ends)
    sizes = [size for end in ends if (size := known[end]) is not None]
    return len(sizes) == len(ends) and sizes[0] <= sizes[-1]


def _cell_fits(column: RecodedColumn, cell: Cell) -> bool:
    """Say whether a cell is one of its column's hierarchy, or an interval of its values."""
    if cell.level is None:
        return _is_interval(column, cell)
    return cell.level < len(column.labels) and (cell.label is None or cell.label in column.labels[cell.level])


def _pieces_fit(recipe: Recipe) -> bool:
    """Say whether every position points somewhere, and every combination of values to one class or its counts."""
    spans = [len(column.values) for column in recipe.columns] + [len(values) for values in recipe.sensitive.values()]
    counts = np.zeros_like(recipe.classes) if recipe.counts is None else recipe.counts
    inside = (recipe.codes >= 0) & (recipe.codes < np.array(spans, dtype=np.int64))
    published = (recipe.cells >= 0) & (recipe.cells < np.array([len(column.cells) for column in recipe.columns]))
    classes = (recipe.classes >= -1) & (recipe.classes < len(recipe.cells))
    return bool(
        len(recipe.codes) == len(recipe.classes) == len(counts)
        and inside.all()
        and published.all()
        and classes.all()
        and (counts >= 0).all()
        and (recipe.counts is not None or len(np.unique(recipe.codes, axis=0)) == len(recipe.codes))
    )
