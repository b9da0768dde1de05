"""The verb ``apply``: make the release of a recipe again, or recode new rows by it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tclose.anonymizing.covering import extended
from tclose.anonymizing.framing import attributes_of
from tclose.anonymizing.labels import recoding_of
from tclose.anonymizing.working import EngineWork
from tclose.auditing import checked
from tclose.engines.interface import Progress
from tclose.errors import ColumnNotFoundError, counted
from tclose.recipes import Recipe, read_recipe
from tclose.releases import Obstacle, Release
from tclose.results import Audit
from tclose.roles import Roles

if TYPE_CHECKING:
    from tclose.sources import ReadOptions


def apply(
    recipe: Recipe | str | Path,
    table: object,
    *,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Progress | None = None,
) -> Release:
    """Recode a table by a recipe, and judge what comes of it.

    Parameters
    ----------
    recipe
        A recipe, or the file of one.
    table
        The table that the recipe was made from; or, where its quasi-identifiers alone decide what becomes of a row,
        any table with the same columns. Rows that no class of the recipe covers are left out.
    read, memory, threads, temp, progress
        As for :func:`tclose.audit`.

    Returns
    -------
    Release
        The release; without one where the recoded table misses a requirement of the recipe. Losses are those of
        the search, and are not measured again.
    """
    from tclose.engines.choosing import working_session

    recipe = recipe if isinstance(recipe, Recipe) else read_recipe(recipe)
    tell = progress or (lambda _stage, _share: None)
    with working_session(table, read=read, memory=memory, threads=threads, temp=temp) as session:
        opened = session.open(table)
        roles = checked(_roles_without_identifiers(recipe), opened)
        available = [column.name for column in opened.columns]
        for name in recipe.published:
            if name not in available:
                raise ColumnNotFoundError(name, available, "published")
        kept = opened.keep(recipe.published)
        distinct = session.distinct(kept, roles.quasi, attributes_of(roles), tell)
        fitted = extended(recipe, distinct) if recipe.applies_to_new_rows else recipe
        tell("Recoding", None)
        released = session.recode(kept, recoding_of(fitted, distinct, attributes_of(roles)))
        original = dict(zip(attributes_of(roles), distinct.sensitive, strict=True))
        left_out = distinct.rows - released.rows
        work = EngineWork(session, released, roles, recipe.requirements, original, left_out, recipe.own, kept)
        own, against_original = work.audits()
        standing = _missed(against_original) or (_missed(own) if recipe.own else ())
        return Release(
            source=opened.label,
            roles=roles,
            requirements=recipe.requirements,
            method=recipe.method,
            rows=distinct.rows,
            classes=own.class_count,
            suppressed=left_out,
            levels=recipe.levels,
            losses={},
            column_losses={},
            notes=(*opened.notes, *_notes(fitted, left_out)),
            obstacles=standing,
            recipe=fitted,
            work=None if standing else work,
        )


def _roles_without_identifiers(recipe: Recipe) -> Roles:
    roles = recipe.roles
    return Roles(roles.quasi, roles.sensitive, (), roles.together)


def _missed(audit: Audit) -> tuple[Obstacle, ...]:
    return tuple(
        Obstacle(
            replace(verdict.requirement, attribute=verdict.attribute),
            verdict.figure.value,
            verdict.figure.worst.key if verdict.figure.worst is not None else {},
        )
        for verdict in audit.verdicts
        if not verdict.holds
    )


def _notes(recipe: Recipe, left_out: int) -> tuple[str, ...]:
    made = "Made by a recipe; the quasi-identifiers alone decide what becomes of a row."
    again = "Made again by a recipe that divides rows by their sensitive values; it fits its own table only."
    out = () if not left_out else (f"{counted(left_out, 'row')} left out, which no class of the recipe takes in.",)
    return (made if recipe.applies_to_new_rows else again, *out, *_uncovered(recipe))


def _uncovered(recipe: Recipe) -> Iterator[str]:
    """Give the columns with values that nothing says how to generalise, where each is published on one level."""
    for column in recipe.columns if recipe.levels is not None else ():
        strange = sum(value is not None and value not in column.hierarchy for value in column.values)
        if strange:
            what, them = ("value is", "it") if strange == 1 else ("values are", "them")
            yield f"{column.name}: {strange} {what} not covered by its hierarchy; rows that have {them} are left out."
