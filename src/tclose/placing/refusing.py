"""What is refused to be recoded: a table that a recipe hardly knows, so that much would be the coarsest cells."""

from __future__ import annotations

from tclose.engines.distinct import DistinctRows
from tclose.errors import Hint, InputError, counted
from tclose.placing.fitting import Fitted, fitted, spelled
from tclose.progress import Report, silent
from tclose.recipes import Recipe
from tclose.values import texts_or_none

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
