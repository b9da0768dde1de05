"""The verb ``apply``: make the release of a recipe again, or recode new rows by it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tclose.anonymization.engine_release import EngineWork
from tclose.anonymization.person_verification import Original, distinct_people, missed_by, obstacles_of
from tclose.anonymization.problem_setup import attributes_of
from tclose.anonymization.pseudonymization import disguise_again, disguise_notes, revealed
from tclose.anonymization.published_labels import sensitive_keys
from tclose.anonymization.recipe_matching import Fitted, fitted, is_own
from tclose.anonymization.recipes import Recipe, read_recipe
from tclose.anonymization.release_points import points_notes, recoded
from tclose.anonymization.releases import Release
from tclose.auditing.open_table import opened_with
from tclose.data.progress import Report, shows_progress, silent
from tclose.data.sources import files_read
from tclose.engines.base import Engine, Progress
from tclose.engines.distinct import DistinctRows
from tclose.errors import Ask, ColumnNotFoundError, DomainError, EmptyTableError, Hint, Note, counted, listed
from tclose.policy.exact_numbers import Number, share
from tclose.policy.roles import Roles

if TYPE_CHECKING:
    from tclose.data.sources import ReadOptions


@shows_progress
def apply(
    table: object,
    recipe: Recipe | str | Path,
    *,
    widen: bool = False,
    suppress: Number | None = None,
    key: bytes | None = None,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Progress | None = None,
) -> Release:
    """Recode a table by a recipe, and judge what comes of it.

    Parameters
    ----------
    table
        The table that the recipe was made from, or any other with the same columns. Rows that no class of the recipe
        covers are left out.
    recipe
        A recipe, or the file of one.
    widen
        Whether rows that the recipe has no place for get the coarsest cells instead of being left out.
    suppress
        The largest share of rows that may be left out; that of the recipe if nothing is said.
    key
        The secret of pseudonyms and shifted dates, where the recipe was made with one.
    read, memory, threads, temp, progress
        As for :func:`tclose.audit`.

    Returns
    -------
    Release
        The release; without one where the recoded table misses a requirement of the recipe, or more rows would be
        left out than may be. Losses are those of the search, and are not measured again.
    """
    from tclose.engines.dispatch import working_session

    inputs = files_read(table) | files_read(recipe, "the recipe")
    recipe = recipe if isinstance(recipe, Recipe) else read_recipe(recipe)
    if suppress is not None:
        recipe = replace(recipe, suppress=share(suppress, "suppress"))
    tell = progress or silent
    with _meant_by_recipe(), working_session(table, read=read, memory=memory, threads=threads, temp=temp) as session:
        opened, roles = opened_with(session, table, replace(recipe.roles, identifiers=(), others=None), tell)
        available = [column.name for column in opened.columns]
        _check_columns(recipe, available)
        disguise = disguise_again(recipe, key)
        kept = Original.of(session, opened, roles, recipe.published, disguise)
        distinct = session.distinct(kept.published, roles.quasi, attributes_of(roles), tell)
        fit = _fit(recipe, distinct, opened.label, tell, widen=widen)
        tell("Recoding rows", None)
        work = replace(_recoded(session, kept, roles, fit.recipe, distinct), inputs=inputs)
        left_out, audits = work.suppressed, work.audits(tell)
        standing = obstacles_of(missed_by(audits, own=recipe.own), proven=True)
        holds = not standing and left_out <= recipe.suppress * distinct.rows
        more = disguise_notes(kept.published, roles, keyed=key is not None)
        release = Release(
            source=opened.label, roles=roles,
            requirements=recipe.requirements,
            method=recipe.method,
            original_rows=distinct.rows,
            class_count=audits[0].class_count,
            suppressed=left_out,
            levels=recipe.levels,
            losses={}, column_losses={},
            notes=(
                *opened.notes, *_notes(fit, left_out), *fit.reasons, *more, *_added(recipe, available),
                *points_notes(recipe, work),
            ),
            unprotected=work.unprotected if holds else (),
            obstacles=standing, recipe=recipe,
            work=work if holds else None, people=kept.people, accept=recipe.accept,
        )  # fmt: skip
        return replace(release, revealed=revealed(session, release, disguise, kept.disguised))


@contextmanager
def _meant_by_recipe() -> Iterator[None]:
    """Say of values that do not fit a column's meaning that it is the recipe which has that meaning."""
    try:
        yield
    except DomainError as problem:
        hint = Hint("The recipe keeps what {} was told: say it there and make it again.", Ask("anonymize"))
        problem.hint = hint
        raise


def _recoded(session: Engine, kept: Original, roles: Roles, recipe: Recipe, distinct: DistinctRows) -> EngineWork:
    """Return the rows that a recipe publishes, with what is needed to judge them."""
    attributes = attributes_of(roles)
    released, witness = recoded(session, kept, roles, recipe, distinct, attributes)
    everyone = distinct_people(session, kept.counted, roles, attributes, distinct)
    return EngineWork(
        session, released, roles, recipe.requirements, dict(zip(attributes, everyone.sensitive, strict=True)),
        distinct.rows - released.rows, recipe.own, kept.counted, witness=witness,
        unprotected=roles.unprotected(recipe.published),
    )  # fmt: skip


def _fit(recipe: Recipe, distinct: DistinctRows, label: str, tell: Report, *, widen: bool) -> Fitted:
    """Return what the recipe makes of a table: its own release again, or the cells that cover the rows of another."""
    if recipe.divides and is_own(recipe, distinct, *sensitive_keys(distinct, attributes_of(recipe.roles))):
        return Fitted(recipe, (), again=True)
    fit = fitted(recipe, distinct, "new" if widen else "none", tell)
    if not (fit.recipe.classes >= 0).any():
        raise EmptyTableError(" ".join([f"The recipe leaves out every row of {label}.", *map(str, fit.reasons)]))
    return fit


def _check_columns(recipe: Recipe, available: Sequence[str]) -> None:
    """Refuse a table without a column that the recipe publishes."""
    for name in recipe.published:
        if name not in available:
            raise ColumnNotFoundError(name, available, "published", field="publish")


def _added(recipe: Recipe, available: Sequence[str]) -> Iterator[Note]:
    """Give a note on columns that the table of the recipe did not have, or that nobody decided on then."""
    known = {*recipe.published, *recipe.roles.naming}
    others = [name for name in available if name not in known]
    if others:
        yield Note("columns-not-in-recipe", f"Left out, because the recipe does not publish them: {listed(others)}.")


def _notes(fit: Fitted, left_out: int) -> Iterator[Note]:
    if fit.again:
        yield Note("made-again", "Made again by a recipe that divides rows by their sensitive values.")
    else:
        yield Note("made-by-recipe", "Made by a recipe; the quasi-identifiers alone decide how a row is generalised.")
    if left_out:
        yield Note("rows-without-class", f"{counted(left_out, 'row')} left out: no class of the recipe covers them.")
    if fit.widened:
        yield Note(
            "rows-widened",
            f"{counted(fit.widened, 'row')} with the coarsest cells: no class of the recipe covers them.",
        )
