"""A release with points: drawn where they are asked for, recoded, and drawn again where two classes must not be one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tclose.anonymization.algorithms.quasi_identifiers import bands_of
from tclose.anonymization.engine_release import EngineWork
from tclose.anonymization.person_verification import Original
from tclose.anonymization.points import (
    Counts,
    PointsAsked,
    drawn,
    pointed_rows,
    published_counts,
    rows_of_pieces,
    takes_for_codes,
)
from tclose.anonymization.problem_setup import least_cell
from tclose.anonymization.published_labels import recoding_of
from tclose.anonymization.recipes import Recipe
from tclose.auditing.audit import audit_release
from tclose.data.hierarchies import is_builder
from tclose.data.values import as_texts, exact_number
from tclose.engines.base import Engine, RecodedTable
from tclose.engines.distinct import DistinctRows
from tclose.errors import Ask, Hint, InputError, Note, counted
from tclose.models.counts import Integers
from tclose.policy.policy import Policy
from tclose.policy.roles import Roles
from tclose.reports.phrases.releases import COUNTS_CAUTION

_TRIES = 16
"""So often points are drawn before a release with points is given up."""
Counted = tuple[Counts, Integers]
Rows = tuple[RecodedTable[Any], RecodedTable[Any] | None]


def points_asked(policy: Policy, roles: Roles, original: Original) -> PointsAsked | None:
    """Return what points a policy asks for; None where it asks for cells."""
    form, raked = policy.release.points, policy.release.rake
    if raked and (form == "none" or roles.person is not None):
        why = "no values are drawn" if form == "none" else "people are counted, and some may have several rows"
        way = Hint("Draw values too: {}.", Ask("points", "class")) if form == "none" else Hint("Leave it out.")
        raise InputError(f"Nothing can be fitted to published counts: {why}.", field="rake", hint=way)
    if form == "none":
        return None
    if form == "row" and roles.person is not None:
        raise InputError(
            "Where people are counted, each row cannot have points of its own: the rows of a person would differ.",
            field="points",
            hint=Hint("Draw points for each class: {}.", Ask("points", "class")),
        )
    given = policy.columns.hierarchies
    declared = (name for name, tree in given.items() if not (isinstance(tree, str) and is_builder(tree)))
    types = {name: original.published.column(name).type for name in roles.quasi}
    return PointsAsked(form, types, frozenset(declared), raked)


def counted_by_column(recipe: Recipe, distinct: DistinctRows, declared: Container[str]) -> Counted:
    """Return the counts of the released rows that are published of each column, and how many rows each class has.

    Of numbers and dates the stretches between admitted cuts are counted, of other columns the values.

    Parameters
    ----------
    recipe, distinct
        The recipe, and the distinct rows of the table that it was made from.
    declared
        The quasi-identifiers whose hierarchy their owner gave.
    """
    rows = rows_of_pieces(recipe, distinct) if recipe.counts is None else recipe.counts
    kept = recipe.classes >= 0
    sizes = np.bincount(recipe.classes[kept], rows[kept], len(recipe.cells)).astype(np.int64)
    least = least_cell(recipe.requirements)
    found = {}
    for at, (column, observed) in enumerate(zip(recipe.columns, distinct.quasi, strict=True)):
        counts = np.bincount(recipe.codes[kept, at], rows[kept], len(column.values)).astype(np.int64)
        count_of = dict(zip(column.values, counts.tolist(), strict=True))
        numbers = observed.kind in ("number", "time") and observed.categories is None
        if not numbers or takes_for_codes(column.hierarchy, declared=column.name in declared):
            shown = {text: count for text, count in count_of.items() if text is not None}
            found[column.name] = published_counts([*shown], np.array([*shown.values()], np.int64), stretches=False)
        elif (bands := bands_of(observed, least)) is not None and bands.begins:
            present = [value for value in observed.listed if value is not None]
            ordered = sorted(present, key=lambda value: exact_number(value) or 0)
            of = [count_of[text] for text in as_texts(ordered)]
            begins = [0, *bands.begins]
            totals = np.add.reduceat(np.array(of, dtype=np.int64), begins)
            labels = [bands.label(*pair) for pair in itertools.pairwise([*begins, len(of)])]
            found[column.name] = published_counts(labels, totals, stretches=True)
    return found, sizes


def with_points(
    recipe: Recipe, asked: PointsAsked | None, made: Callable[[Recipe], EngineWork], counted: Counted | None = None
) -> tuple[Recipe, EngineWork]:
    """Return a recipe with the points that are asked for, and the rows that it makes, which meet what is required.

    Two classes may draw the same points and are one class then. Most requirements are kept where classes merge; where
    one is not, the rows are audited, and points are drawn again until they meet it.

    Parameters
    ----------
    recipe, asked
        The recipe, and what points are asked for.
    made
        Recodes the rows by a recipe.
    counted
        What is published of each column, and how many rows each class has, where points are fitted to counts.
    """
    if asked is None:
        return recipe, made(recipe)
    sure = asked.form == "row" or all(each.model.kept_by_merging for each in recipe.requirements)
    for attempt in range(_TRIES):
        counts, sizes = counted or (None, None)
        pointed = replace(recipe, points=drawn(recipe, asked, attempt, counts=counts, sizes=sizes))
        work = made(pointed)
        if sure or not work.misses(*work.audits()):
            return pointed, work
    raise InputError(
        f"Points were drawn {_TRIES} times, and each time classes that drew the same points miss together what each of "
        "them meets.",
        code="points-miss",
        field="points",
        hint=Hint("Publish the cells, or require something that is kept where classes merge."),
    )


def recoded(
    session: Engine,
    original: Original,
    roles: Roles,
    recipe: Recipe,
    distinct: DistinctRows,
    attributes: Sequence[tuple[str, ...]],
) -> Rows:
    """Return the rows that a recipe publishes, and where these are not what is judged, the rows that are.

    Where each row has points of its own, the cells that these are drawn from are judged.
    """
    recoding = recoding_of(recipe, distinct, attributes)
    if recipe.points is None or not recipe.points.by_row:
        return original.recoded(session, roles, recoding)
    counts = rows_of_pieces(recipe, distinct) if recoding.counts is None else recoding.counts
    shown = pointed_rows(recoding, recipe.points, recipe, counts)
    return session.recode(original.published, shown), session.recode(original.published, recoding)


def points_notes(recipe: Recipe, work: EngineWork) -> Iterator[Note]:
    """Give what there is to say of points."""
    if recipe.points is None:
        return
    if recipe.points.raked:
        yield Note("counts-published", COUNTS_CAUTION)
    if not recipe.points.by_row:
        text = (
            "Values stand in the place of cells, one for each class. They are drawn from the cells and the seed alone, "
            "and the table of values meets what is required."
        )
        yield Note("points-per-class", text)
        return
    roles = replace(work.roles, sensitive={})
    audit = audit_release(work.session, work.table, roles, (), None)
    k = audit.figures["k"]
    lone = k.worst.tied if k.value == 1 and k.worst is not None else 0
    text = (
        f"Values stand in the place of cells, each row's own. As a table they have k = {k.value}, and "
        f"{counted(lone, 'row')} of {audit.rows:,} {'stands' if lone == 1 else 'stand'} alone; the figures of this "
        "release are those of its cells."
    )
    yield Note("points-per-row", text)


def check_certifiable(recipe: Recipe | None, path: Path | None) -> None:
    """Refuse to certify a table of points that does not meet by itself what its cells meet."""
    if path is not None and recipe is not None and recipe.points is not None and recipe.points.by_row:
        raise InputError(
            "A certificate is of a file that meets by itself what is required, and one with points of each row's own "
            "does not.",
            field="points",
            hint=Hint("Draw points for each class: {}.", Ask("points", "class")),
        )
