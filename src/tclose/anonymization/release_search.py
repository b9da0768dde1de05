"""One release of one frame of a table: searched for, labelled, recoded, or what stands in its way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from tclose.anonymization.algorithms.associations import usefulness
from tclose.anonymization.algorithms.catalogue import (
    METHODS,
    Finder,
    Found,
    check_method,
    coarsest_found,
    found,
    told_if_stopped,
)
from tclose.anonymization.algorithms.losses.catalogue import all_losses, losses_by_column
from tclose.anonymization.algorithms.losses.release_context import told_beside
from tclose.anonymization.algorithms.partition import published, without_whole_lines
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.algorithms.slack import slack
from tclose.anonymization.counted_people import counted_people
from tclose.anonymization.engine_release import EngineWork
from tclose.anonymization.infeasibility import obstacles
from tclose.anonymization.people_on_levels import around_levels, what_binds
from tclose.anonymization.person_verification import (
    Original,
    ReleaseAttempt,
    check_undivided,
    distinct_people,
    places_of_people,
    proved,
)
from tclose.anonymization.problem_setup import Frame, attributes_of, framed
from tclose.anonymization.published_labels import recipe_of
from tclose.anonymization.recipes import Recipe
from tclose.anonymization.release_points import counted_by_column, points_notes, recoded, with_points
from tclose.anonymization.releases import Release
from tclose.anonymization.seed import seeded
from tclose.engines.base import Engine, Table
from tclose.errors import Hint, Note
from tclose.models.catalogue import Requirement
from tclose.policy.policy import Policy
from tclose.policy.roles import Roles


def framed_table(
    session: Engine,
    table: Table[Any],
    roles: Roles,
    wanted: Sequence[Requirement],
    policy: Policy,
    search: Search,
    key: bytes | None = None,
) -> Frame:
    """Return the problem that a table poses; where no seed is given, with one that follows from a key."""
    attributes = attributes_of(roles)
    distinct = session.distinct(table.counting(roles.person), roles.quasi, attributes, search.tell)
    policy, notes = seeded(policy, distinct, key)
    distinct = places_of_people(session, table, roles, distinct)
    everyone = distinct_people(session, table, roles, attributes, distinct)
    people = counted_people(session, table, roles, attributes, distinct, search.tell)
    frame = framed(everyone, roles, wanted, policy, search.tell, people)
    return replace(frame, notes=(*frame.notes, *notes))


def released(
    session: Engine,
    original: Original,
    roles: Roles,
    wanted: Sequence[Requirement],
    frame: Frame,
    method: str,
    search: Search,
    inputs: Mapping[Path, str] | None = None,
) -> Release:
    """Return the release that a method finds, ready to be written, or what stands in its way; by people, proved."""
    found = searched(session, original, roles, wanted, frame, method, search, inputs)
    return found.release if isinstance(found, ReleaseAttempt) else found


def searched(
    session: Engine,
    original: Original,
    roles: Roles,
    wanted: Sequence[Requirement],
    frame: Frame,
    method: str,
    search: Search,
    inputs: Mapping[Path, str] | None = None,
) -> ReleaseAttempt | Release:
    """Return the release that a method finds with its classes, or alone what stands in its way."""
    search = replace(search, cluster=session.cluster(original.published))

    def made(best: Found) -> ReleaseAttempt:
        told = told_if_stopped(best, search)
        release = _made(session, original, roles, wanted, frame, told, search, inputs or {})
        return ReleaseAttempt(release, best.loss, best.partition)

    def nothing() -> Release:
        return _none(original, roles, wanted, frame, method, search)

    if roles.person is None:
        best = found(method, frame.problem, search)
        return nothing() if best is None else made(best)
    check_method(method)
    check_undivided(divided=method in METHODS and METHODS[method].divides)
    finder = Finder(method, search)

    def attempt(problem: Problem, effort: float) -> ReleaseAttempt | None:
        best = finder.with_effort(problem, effort, search)
        return None if best is None else made(best)

    return proved(attempt, lambda: made(coarsest_found(frame.problem, search)), nothing, frame.problem, finder)


def _made(
    session: Engine,
    original: Original,
    roles: Roles,
    wanted: Sequence[Requirement],
    frame: Frame,
    best: Found,
    search: Search,
    inputs: Mapping[Path, str],
) -> Release:
    table = original.published
    search.tell("Labelling classes", 0.0)
    partition = published(without_whole_lines(frame.problem, best.partition))
    columns = [column.name for column in table.columns]
    recipe = recipe_of(
        frame, partition, method=best.method, roles=roles, requirements=wanted, published=columns, own=search.own,
        numbers=original.numbers,
    )  # fmt: skip
    search.tell("Recoding rows", None)

    def work_of(recipe: Recipe) -> EngineWork:
        rows, witness = recoded(session, original, roles, recipe, frame.distinct, frame.attributes)
        left_out = partition.suppressed() if original.census is None else original.census.rows - rows.rows
        return EngineWork(
            session, rows, replace(roles, identifiers=()), tuple(wanted), frame.original(), left_out, search.own,
            original.counted, inputs, witness, cache(partial(usefulness, *frame.by_rows(partition))),
            cache(partial(around_levels, session, original, roles, wanted, frame, recipe.levels)),
            roles.unprotected(columns),
        )  # fmt: skip

    asked = original.points
    raked = None if asked is None or not asked.raked else counted_by_column(recipe, frame.distinct, asked.declared)
    recipe, work = with_points(recipe, asked, work_of, raked)
    left_out = work.suppressed
    return Release(
        source=table.label,
        roles=roles,
        requirements=tuple(wanted),
        method=best.method,
        original_rows=frame.problem.rows if original.census is None else original.census.rows,
        class_count=len(recipe.cells),
        suppressed=left_out,
        levels=recipe.levels,
        losses=all_losses(frame.problem, partition, search.tell),
        column_losses=losses_by_column(frame.problem, partition),
        costs=told_beside(frame.problem, partition),
        notes=(
            *table.notes,
            *frame.notes,
            *best.partition.notes,
            *_stricter_note(frame.problem, best.method),
            *points_notes(recipe, work),
        ),
        unprotected=work.unprotected,
        recipe=recipe,
        work=work,
        people=original.people,
        slack=slack(frame.problem, partition, own=search.own) if original.people is None else None,
        binding=what_binds(session, original, roles, wanted, frame, search) if len(recipe.cells) == 1 else None,
    )


def _none(
    original: Original, roles: Roles, wanted: Sequence[Requirement], frame: Frame, method: str, search: Search
) -> Release:
    table = original.published
    standing = obstacles(frame.problem, search)
    note = () if standing else (_no_release(method),)
    return Release(
        source=table.label,
        roles=roles,
        requirements=tuple(wanted),
        method=method,
        original_rows=frame.problem.rows if original.census is None else original.census.rows,
        class_count=0,
        suppressed=0,
        levels=None,
        losses={},
        column_losses={},
        notes=(*table.notes, *frame.notes, *note),
        obstacles=standing,
        people=original.people,
    )


def _no_release(method: str) -> Note:
    return Note(
        "method-found-none",
        f"The method {method!r} found no release, though there is one.",
        Hint("Try the method {}.", repr("auto")),
    )


def _stricter_note(problem: Problem, method: str) -> Iterable[Note]:
    if problem.any is not None and not METHODS[method].for_any:
        yield Note(
            "stricter-than-any",
            f"{method} makes classes that meet the requirements by all columns together, which is stricter than by any "
            f"{problem.any} of them.",
        )
