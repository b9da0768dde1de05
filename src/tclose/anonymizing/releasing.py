"""The verb ``anonymize``: the least damage that meets the requirements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tclose.anonymizing.disguising import disguise_notes, disguise_of, revealed, with_disguise
from tclose.anonymizing.engine_release import EngineWork
from tclose.anonymizing.framing import Frame, GivenHierarchy, Levels, RecodingOptions, attributes_of, framed
from tclose.anonymizing.labels import as_published, recipe_of, recoding_of
from tclose.anonymizing.obstacles import obstacles
from tclose.anonymizing.people_on_levels import around_levels, what_binds
from tclose.anonymizing.proving import Original, ReleaseAttempt, check_undivided, distinct_people, proved
from tclose.anonymizing.withstanding import bounded
from tclose.auditing import check_attributes, repeated, suspects
from tclose.engines.base import Engine, Progress, Table
from tclose.engines.disguises import USUAL_DAYS
from tclose.errors import Ask, Hint, InputError, ThresholdError, listed, meant
from tclose.exact import Number, share
from tclose.models.catalogue import Requirement, Wanted, required_for_any, requirements
from tclose.notes import Note
from tclose.opening import opened_with
from tclose.policy_release import MOST_EFFORT
from tclose.presets import preset_named, with_preset
from tclose.progress import shows_progress, silent
from tclose.recoding.losses.beside import told_beside
from tclose.recoding.losses.catalogue import LOSSES, all_losses, losses_by_column
from tclose.recoding.methods import METHODS, Found, check_method, coarsest_found, found, keeps_together
from tclose.recoding.problem import Problem
from tclose.recoding.search import Search, TimeLimit
from tclose.recoding.slack import slack
from tclose.recoding.usefulness import usefulness
from tclose.releases import Release
from tclose.roles import Roles
from tclose.sources import files_read

if TYPE_CHECKING:
    from tclose.sources import ReadOptions


@shows_progress
def anonymize(
    table: object,
    roles: Roles | None = None,
    *,
    require: Wanted | Iterable[Requirement] | None = None,
    any: int | None = None,  # noqa: A002 - the word of the option
    preset: str | None = None,
    hierarchies: Mapping[str, GivenHierarchy] | None = None,
    method: str = "auto",
    suppress: Number = 0,
    loss: str = "lm",
    levels: Mapping[str, Levels] | None = None,
    weights: Mapping[str, float] | None = None,
    numbers: Mapping[str, str] | None = None,
    intervals: bool = True,
    pruned: bool = False,
    against: str = "both",
    effort: int = 1,
    within: float | None = None,
    seed: int = 0,
    key: bytes | None = None,
    shift_days: int = USUAL_DAYS,
    withstand: Number | None = None,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Progress | None = None,
) -> Release:
    """Find the release of a table that meets the requirements with the least damage.

    Parameters
    ----------
    table
        A path, a frame, anything with an Arrow stream, or a built-in example such as ``"example:salary"``.
    roles
        Which column is what. Quasi-identifiers are recoded; identifiers are removed, and columns without a role;
        ``publish`` names those to be published as they are, ``pseudonym`` and ``shift`` those to be disguised.
    require
        What the release must meet: ``{"k": 5, "t": "0.2"}``, or for one attribute ``{"t": {"salary": "1/5"}}``.
    any
        At most how many of the quasi-identifiers someone knows, whichever they are: the release meets the requirements
        for every such combination of columns. None stands for all of them.
    preset
        As for :func:`tclose.audit`; one that checks columns is for audits.
    hierarchies
        How quasi-identifiers are generalised: for each a :class:`Hierarchy`, a file, a nested mapping, or words such
        as ``"intervals:5,10,20"`` or ``"flat"``. Numbers, dates and codes get one by themselves.
    method
        ``"auto"`` tries what applies and keeps the least loss; or one of ``gather``, ``mondrian``,
        ``full-domain``, ``merge``, and ``microaggregation`` and ``sabre``, which may put rows with the same
        quasi-identifiers into different classes: that tells more to someone who knows the method.
    suppress
        The largest share of rows that may be left out, such as ``"0.04"``.
    loss
        What to minimise; ``docs/losses.md`` lists the losses.
    levels
        For a quasi-identifier the level it is published on, or the finest and the coarsest level it may be.
    weights
        How much each quasi-identifier counts in the loss; 1 if it is not named.
    numbers
        For a quasi-identifier of numbers or dates what is published beside its text: ``"bounds"``, as ``age_low`` and
        ``age_high``, or ``"midpoint"``, as ``age_mid``.
    intervals
        Whether classes of numbers, dates and ordered categories may be published as intervals of their own.
    pruned
        Whether a full-domain search with suppression may leave out nodes that are unlikely to be best.
    against
        ``"both"``: the release meets the requirements against the original's distribution and against its own;
        ``"original"``: against the original's only.
    effort
        How long a release is improved, as a multiple of the usual time: 0 leaves it as the method found it.
    within
        After so many seconds the search is content with the best release it has, as soon as it has one. A note says so,
        because another run may then find another release.
    seed
        Decides what is left to chance; the same seed gives the same release, but for pseudonyms and shifted dates.
    key
        At least 16 secret bytes: with them, pseudonyms and offsets of dates are the same in every release. Without them
        they are fresh, and nobody can make them again.
    shift_days
        By how many days dates are shifted at most, forwards or backwards (``Roles.shift``).
    withstand
        The largest gain that an attacker may have, such as ``"0.01"``; see :func:`tclose.attack`. Stricter thresholds
        are tried until releases of halves of the table withstand every attacker; a seed of 0 becomes a secret one.
    read, memory, threads, temp, progress
        As for :func:`tclose.audit`.

    Returns
    -------
    Release
        The release, or what stands in the way of one.

    Examples
    --------
    >>> import tclose
    >>> release = tclose.anonymize("example:salary", require={"k": 3, "t": "0.4"}, hierarchies={"age": "flat"})
    >>> release.holds, release.original_rows, release.suppressed
    (True, 9, 0)
    """
    from tclose.engines.choosing import working_session

    check_method(method)
    with working_session(table, read=read, memory=memory, threads=threads, temp=temp) as session:
        opened, roles = opened_with(session, table, roles, progress)
        wanted = required_for_any(with_preset(requirements(require), _enforceable(preset)), any)
        check_attributes(wanted, roles)
        search = chosen_search(
            loss, against, progress, whole_classes=roles.person is not None or keeps_together(method), pruned=pruned,
            effort=effort, threads=threads, within=within,
        )  # fmt: skip
        options = RecodingOptions(
            hierarchies or {}, levels or {}, weights or {}, share(suppress, "suppress"), intervals, whole_seed(seed)
        )
        bound = bounded(withstand, roles, options)
        if not wanted:
            raise ThresholdError(
                "Nothing is required of the release.",
                code="no-requirements",
                field="require",
                hint=Hint("Require something, such as {} or {}.", Ask("k", 5), Ask("t", "0.2")),
            )
        available = [column.name for column in opened.columns]
        disguise = disguise_of(roles, shift_days, key)
        original = Original.of(session, opened, roles, roles.released(available), disguise)
        original = original.with_numbers(numbers or {}, {name: opened.column(name).type for name in roles.quasi})
        frame = framed_table(session, original.counted, roles, wanted, bound.options, search)
        _check_enough(frame, original)
        told = told_of_people(session, opened, roles)  # while a database still answers; a release ends that
        more = (
            *disguise_notes(original.published, roles, keyed=key is not None),
            *removal_notes(roles.undecided(available), roles),
        )
        make = partial(released, session, original, frame.settled(roles), wanted, inputs=files_read(table))
        found = bound.released(make, session, original.counted, frame, frame.settled(roles), wanted, method, search)
        recipe = with_disguise(found.recipe, disguise, keyed=key is not None)
        given_away = revealed(session, found, disguise, original.disguised)
        return replace(found, notes=(*told, *found.notes, *more), recipe=recipe, revealed=given_away)


def _check_enough(frame: Frame, original: Original) -> None:
    """Refuse to make classes larger than the whole table."""
    many, unit = (frame.problem.rows, "rows") if original.people is None else (original.people, "people")
    if frame.problem.k > many:
        raise InputError(
            f"Classes of {frame.problem.k} {unit} are required, but the table has {many}.",
            field="k",
            hint=Hint("Require less."),
        )


def told_of_people(session: Engine, opened: Table[Any], roles: Roles) -> tuple[Note, ...]:
    """Return what there is to say of people: how their rows are published, or that they are not counted."""
    if roles.person is not None:
        removed = "" if roles.pseudonym else "; it is removed"
        kept = (
            f"These figures count people, told apart by {roles.person!r}{removed}. Rows with the same "
            "quasi-identifiers stay together, also those of one person."
        )
        return (Note("people-counted", kept, column=roles.person), *repeated(session, opened, roles))
    some = suspects(opened, roles)
    return tuple(repeated(session, opened.keep(some), roles)) if some else ()


def _enforceable(preset: str | None) -> str | None:
    """Return a preset; refuse one that asks something of columns, which no search changes."""
    if preset is not None and preset_named(preset).checks_columns:
        raise InputError(
            f"The preset {preset!r} asks something of columns and not of classes, so no release is searched for it.",
            field="preset",
            hint=Hint("Make the release by other requirements, and audit it with the preset."),
        )
    return preset


def framed_table(
    session: Engine,
    table: Table[Any],
    roles: Roles,
    wanted: Sequence[Requirement],
    options: RecodingOptions,
    search: Search,
) -> Frame:
    """Return the problem that a table poses."""
    attributes = attributes_of(roles)
    distinct = session.distinct(table.counting(roles.person), roles.quasi, attributes, search.tell)
    return framed(distinct_people(session, table, roles, attributes, distinct), roles, wanted, options, search.tell)


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

    def attempt(problem: Problem) -> ReleaseAttempt:
        best = found(method, problem, replace(search, cluster=session.cluster(original.published)))
        if best is None:
            return ReleaseAttempt(_none(original, roles, wanted, frame, method, search), math.inf)
        return made(best)

    def made(best: Found) -> ReleaseAttempt:
        return ReleaseAttempt(_made(session, original, roles, wanted, frame, best, search, inputs or {}), best.loss)

    if roles.person is None:
        return attempt(frame.problem).release
    check_undivided(divided=method in METHODS and METHODS[method].divides)
    return proved(attempt, lambda: made(coarsest_found(frame.problem, search)), frame.problem, search.late)


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
    frame, partition = as_published(frame, best.partition, several=original.census is not None)
    columns = [column.name for column in table.columns]
    recipe = recipe_of(
        frame, partition, method=best.method, roles=roles, requirements=wanted, published=columns, own=search.own,
        numbers=original.numbers,
    )  # fmt: skip
    search.tell("Recoding rows", None)
    recoded, witness = original.recoded(session, roles, recoding_of(recipe, frame.distinct, frame.attributes))
    left_out = partition.suppressed() if original.census is None else original.census.rows - recoded.rows
    work = EngineWork(
        session, recoded, replace(roles, identifiers=()), tuple(wanted), frame.original(), left_out, search.own,
        original.counted, inputs, witness, cache(partial(usefulness, frame.problem, partition)),
        cache(partial(around_levels, session, original, roles, wanted, frame, recipe.levels)),
    )  # fmt: skip
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
        notes=(*table.notes, *frame.notes, *best.partition.notes, *_stricter_note(frame.problem, best.method)),
        unprotected=roles.unprotected(columns),
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


def removal_notes(undecided: Sequence[str], roles: Roles) -> Iterable[Note]:
    """Give a note on columns that a release leaves out because they have no role."""
    if undecided and roles.others != "publish":
        yield Note(
            "columns-without-role",
            f"Left out, because they have no role: {listed(undecided)}.",
            Hint("Publish one as it is with {}.", Ask("publish", [*undecided[:1]])),
        )


def chosen_search(
    loss: str,
    against: str,
    progress: Progress | None,
    *,
    whole_classes: bool,
    pruned: bool,
    effort: int = 1,
    threads: int | None = None,
    within: float | None = None,
) -> Search:
    """Return the search that a person's choices stand for, checked."""
    if loss not in LOSSES:
        problem = f"{loss!r} is not a loss; there are {listed(LOSSES, 30)}."
        raise InputError(problem, field="loss", hint=meant(loss, LOSSES))
    if against not in ("both", "original"):
        raise InputError(f"against must be 'both' or 'original', not {against!r}.", field="against")
    if not isinstance(effort, int) or isinstance(effort, bool) or not 0 <= effort <= MOST_EFFORT:
        raise InputError(f"The effort must be a whole number from 0 to {MOST_EFFORT}.", field="effort")
    if within is not None and (isinstance(within, bool) or not isinstance(within, int | float) or not within > 0):
        raise InputError("The time to search within must be a number of seconds greater than 0.", field="within")
    return Search(
        loss=LOSSES[loss],
        whole_classes=whole_classes,
        pruned=pruned,
        own=against == "both",
        effort=effort,
        threads=threads,
        limit=None if within is None else TimeLimit.of(within),
        tell=progress or silent,
    )


def whole_seed(seed: int) -> int:
    """Return the seed, checked."""
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**63:
        raise InputError("The seed must be a whole number from 0 to 2⁶³ − 1.", field="seed")
    return seed
