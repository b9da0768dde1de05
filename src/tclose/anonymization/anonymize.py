"""The verb ``anonymize``: the least damage that meets the requirements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tclose.anonymization.algorithms.catalogue import keeps_together
from tclose.anonymization.algorithms.losses.catalogue import LOSSES
from tclose.anonymization.algorithms.search import Search, TimeLimit
from tclose.anonymization.attack_bound import bounded
from tclose.anonymization.cost_breakdown import Costing, limit_notes
from tclose.anonymization.engine_release import EngineWork
from tclose.anonymization.level_columns import with_level_columns
from tclose.anonymization.person_verification import Original
from tclose.anonymization.problem_setup import Frame, check_names
from tclose.anonymization.pseudonymization import disguise_notes, disguise_of, read_key, revealed, with_disguise
from tclose.anonymization.release_points import points_asked
from tclose.anonymization.release_search import framed_table, released
from tclose.anonymization.releases import Release
from tclose.auditing.audit import check_attributes, repeated, suspects
from tclose.auditing.open_table import opened_with
from tclose.auditing.verdicts import check_accepted
from tclose.data.progress import silent
from tclose.data.sources import files_read
from tclose.engines.base import Engine, Progress, Table
from tclose.errors import Ask, Hint, InputError, Note, ThresholdError, listed
from tclose.policy.policy import Policy
from tclose.policy.presets import preset_named
from tclose.policy.roles import Roles
from tclose.policy.verbs import AnonymizeKeywords, verb


@verb(AnonymizeKeywords)
def anonymize(policy: Policy, *, key: bytes | None, progress: Progress | None) -> Release:
    """Find the release of a table that meets the requirements with the least loss of information.

    Parameters
    ----------
    table
        As for :func:`tclose.audit`.
    roles
        Which column is what. Quasi-identifiers are recoded; identifiers are removed, and columns without a role;
        ``publish`` names those to be published as they are, ``pseudonym`` and ``shifted`` those to be disguised.
    {options}
    key
        At least 16 secret bytes: with them, pseudonyms and offsets of dates are the same in every release. Without them
        they are fresh, and cannot be made again. The seed follows from them where none is given, or else from your own
        key.
    read, progress
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
    from tclose.engines.dispatch import working_session

    policy.check_without_facts("A search for releases")
    choices = policy.release
    key = read_key(choices.key_file, choices.key_variable) if key is None else key
    with working_session(policy.table, read=policy.read, **policy.resources.given) as session:
        check_enforceable(policy.required.preset)
        wanted = policy.requirements()
        fit = (partial(check_attributes, wanted), partial(check_names, columns=policy.columns))
        opened, roles = opened_with(session, policy.table, policy.roles, progress, *fit)
        policy = with_level_columns(session, opened, policy, progress or silent)
        by_people = roles.person is not None
        search = search_of(policy, progress, whole_classes=by_people or keeps_together(choices.method))
        bound = bounded(policy, roles)
        if not wanted:
            raise ThresholdError(
                "Nothing is required of the release.",
                code="no-requirements",
                field="require",
                hint=Hint("Require something, such as {} or {}.", Ask("k", 5), Ask("t", "0.2")),
            )
        available = [column.name for column in opened.columns]
        disguise = disguise_of(roles, choices.shift_days, key)
        original = Original.of(session, opened, roles, roles.released(available), disguise)
        types = {name: opened.column(name).type for name in roles.quasi}
        original = original.with_numbers(policy.columns.numbers, types)
        original = replace(original, points=points_asked(policy, roles, original))
        frame = framed_table(session, original.counted, roles, wanted, policy, search, key)
        policy = policy.with_options({"seed": frame.problem.seed})
        bound = replace(bound, policy=policy)
        _check_enough(frame, original)
        told = told_of_people(session, opened, roles)  # while a database still answers; a release ends that
        more = (
            *disguise_notes(original.published, roles, keyed=key is not None),
            *removal_notes(roles.unnamed(available), roles),
        )
        inputs = files_read(policy.table)
        make = partial(released, session, original, frame.settled(roles), wanted, inputs=inputs)
        counted = original.counted
        found = bound.released(make, session, counted, frame, frame.settled(roles), wanted, choices.method, search)
        limiting = limit_notes(found, frame, choices.method, search)
        if bound.limit is None and isinstance(found.work, EngineWork):
            costing = Costing(session, original, frame, roles, tuple(wanted), policy, search)
            found = replace(found, work=replace(found.work, costed=costing.costs))
        recipe = with_disguise(found.recipe, disguise, keyed=key is not None)
        given_away = revealed(session, found, disguise, original.disguised)
        if recipe is not None and policy.required.accept:
            recipe = replace(recipe, accept=policy.required.accept)
        if recipe is not None:
            recipe = replace(recipe, nulls=tuple(text for text in policy.read.null if text))
        made = replace(
            found,
            notes=(*told, *found.notes, *limiting, *more),
            recipe=recipe,
            revealed=given_away,
            accept=policy.required.accept,
        )
        if made.accept:
            check_accepted(made.reasons, made.accept)  # one that nothing needs is refused before anything is written
        return made


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


def check_enforceable(preset: str | None) -> None:
    """Refuse a preset that asks something of columns, which no search changes."""
    if preset is not None and preset_named(preset).checks_columns:
        raise InputError(
            f"The preset {preset!r} asks something of columns and not of classes, so no release is searched for it.",
            field="preset",
            hint=Hint("Make the release by other requirements, and audit it with the preset."),
        )


def removal_notes(undecided: Sequence[str], roles: Roles) -> Iterable[Note]:
    """Give a note on columns that a release leaves out because they have no role."""
    if undecided and roles.others != "publish":
        yield Note(
            "columns-without-role",
            f"Left out, because they have no role: {listed(undecided)}.",
            Hint("Publish one as it is with {}.", Ask("publish", [*undecided[:1]])),
        )


def search_of(policy: Policy, progress: Progress | None, *, whole_classes: bool, own: bool | None = None) -> Search:
    """Return the search that a policy asks for.

    Parameters
    ----------
    policy
        What is asked.
    progress
        Told how far the work is.
    whole_classes
        Whether rows that look alike stay together.
    own
        Whether classes are judged against the release's own distribution too; as the policy says if left out.
    """
    choices = policy.release
    return Search(
        loss=LOSSES[choices.loss],
        whole_classes=whole_classes,
        pruned=choices.pruned,
        own=choices.against == "both" if own is None else own,
        effort=choices.effort,
        threads=policy.resources.threads,
        limit=None if choices.within is None else TimeLimit.of(choices.within),
        tell=progress or silent,
    )
