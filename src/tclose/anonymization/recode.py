"""The verb ``recode``: the rows of a table with the cells that a recipe has for them, and nothing judged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tclose.anonymization.points import recoding_by_rows
from tclose.anonymization.recipe_matching import fitted_throughout
from tclose.anonymization.recipes import Recipe, read_recipe
from tclose.anonymization.row_recoding import rows_numbered
from tclose.data.progress import shows_progress, silent
from tclose.engines.base import Progress, RecodedTable
from tclose.errors import ColumnNotFoundError

if TYPE_CHECKING:
    from tclose.data.sources import ReadOptions


@shows_progress
def recode(
    table: object,
    recipe: Recipe | str | Path,
    *,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Progress | None = None,
) -> RecodedTable[Any]:
    """Recode the quasi-identifiers of a table by a recipe, judge nothing, and leave out no row.

    It is for test sets and trials, not for publishing: nothing is required of what comes of it.

    Parameters
    ----------
    table
        Any table with the quasi-identifiers of the recipe. Rows that no class covers get the coarsest cells.
    recipe
        A recipe, or the file of one.
    read, memory, threads, temp, progress
        As for :func:`tclose.audit`.

    Returns
    -------
    Released
        The columns that the recipe publishes, as far as the table has them, but for those that it disguises: there are
        no pseudonyms and no shifted dates without a release. Rows of a frame stay in their order; those of a file or
        a database are in an order of their own.
    """
    from tclose.engines.dispatch import working_session

    recipe = recipe if isinstance(recipe, Recipe) else read_recipe(recipe)
    table, number = rows_numbered(table)
    with working_session(table, read=read, memory=memory, threads=threads, temp=temp) as session:
        opened = session.rounded(session.open(table), recipe.roles.steps)
        available = [column.name for column in opened.columns]
        quasi = [column.name for column in recipe.columns]
        for name in quasi:
            if name not in available:
                raise ColumnNotFoundError(name, available, "recoded")
        disguised = (*recipe.roles.shown_people, *recipe.roles.shifted)
        published = tuple(name for name in recipe.published if name in available and name not in disguised)
        kept = opened.keep(published)
        tell = progress or silent
        distinct = session.distinct(kept, quasi, (), tell)
        fit = fitted_throughout(recipe, distinct, opened.label, tell)
        tell("Recoding rows", None)
        shown = published if number is None else (*published, number)
        kept = opened.keep(shown)
        made = session.recode(kept, recoding_by_rows(replace(fit.recipe, published=shown), distinct))
        return made if number is None else made.ordered_by(number)
