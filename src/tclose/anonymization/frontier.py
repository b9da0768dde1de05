"""The verb ``frontier``: sweep a threshold and see what each method's release costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from tclose.anonymization.algorithms.catalogue import SIZES, keeps_together
from tclose.anonymization.algorithms.partition import Partition, kept_detail, published, without_whole_lines
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.algorithms.threshold_sweep import found_at_each, with_share
from tclose.anonymization.anonymize import check_enforceable, search_of, told_of_people
from tclose.anonymization.frontier_points import Frontier, Point
from tclose.anonymization.level_columns import with_level_columns
from tclose.anonymization.person_verification import Original, ReleaseAttempt
from tclose.anonymization.release_search import framed_table, searched
from tclose.anonymization.releases import Release
from tclose.auditing.audit import check_attributes
from tclose.auditing.open_table import opened_with
from tclose.data.progress import silent
from tclose.engines.base import Progress
from tclose.errors import Ask, Hint, InputError, Note, ThresholdError, about, listed
from tclose.models.catalogue import MODELS, Requirement, columns_known, required_for_any, requirements
from tclose.models.measuring import Task
from tclose.policy.exact_numbers import Number, fraction
from tclose.policy.policy import Policy
from tclose.policy.verbs import FrontierKeywords, verb

USUAL_VALUES = {"t": ("0.05", "0.1", "0.15", "0.2", "0.3", "0.4", "0.5"), "k": SIZES}


@verb(FrontierKeywords)
def frontier(policy: Policy, *, progress: Progress | None) -> Frontier:
    """Return what the release of a table costs at each of several thresholds, with each of several methods.

    On tables of many distinct rows each point takes a share of the effort of a release. What is required besides the
    swept threshold holds for every release.

    Parameters
    ----------
    table, roles
        As for :func:`tclose.anonymize`.
    {options}
    read, progress
        As for :func:`tclose.audit`.
    """
    from tclose.engines.dispatch import working_session

    policy.check_without_facts("A frontier")
    sweep, loss = policy.sweeping.sweep, policy.release.loss
    methods = tuple(dict.fromkeys(policy.sweeping.methods))
    with working_session(policy.table, read=policy.read, **policy.resources.given) as session:
        opened, roles = opened_with(session, policy.table, policy.roles, progress)
        policy = with_level_columns(session, opened, policy, progress or silent)
        check_enforceable(policy.required.preset)
        swept = required_for_any(_swept(sweep, policy.sweeping.values), policy.required.any)
        others = tuple(each for each in policy.requirements() if each.model.key != sweep)
        check_attributes(others, roles)
        if not methods:
            raise InputError(
                "No method to compare is named.", field="methods", hint=Hint("Name some: {}.", Ask("methods"))
            )
        search = search_of(policy, progress, whole_classes=True)
        original = Original.of(session, opened, roles, [*roles.quasi, *roles.sensitive])
        frame = framed_table(session, original.counted, roles, [*others, swept[0]], policy, search)

        def release(method: str, required: Requirement) -> ReleaseAttempt | Release:
            here = replace(frame, problem=replace(frame.problem, tasks=_with(frame.problem, required)))
            return searched(
                session, original, roles, [*others, required], here, method, with_share(frame.problem, search)
            )

        find = _points if roles.person is None else partial(_proved, release)
        points = find(frame.problem, search, methods, swept)
        known = _any_note(columns_known(swept))
        notes = (*told_of_people(session, opened, roles), *opened.notes, *frame.notes, *known)
        rows = frame.problem.rows if original.census is None else original.census.rows
        return Frontier(opened.label, roles, others, sweep, loss, rows, points, notes, original.people)


def _any_note(most: int | None) -> Iterable[Note]:
    if most is not None:
        known = "one column" if most == 1 else f"{most} columns"
        text = f"Every threshold is required for someone who knows any {known}, not by all columns together."
        yield Note("required-for-any", text)


def _points(
    problem: Problem, search: Search, methods: Sequence[str], swept: Sequence[Requirement]
) -> tuple[Point, ...]:
    """Return the points, by threshold: what each method finds there, as for a release."""
    strictest_first = _strictest_first(swept)
    problems = [replace(problem, tasks=_with(problem, required)) for required in strictest_first]
    points: dict[tuple[Fraction, str], Point] = {}
    for at, method in enumerate(methods):
        told = search.part(at / len(methods), (at + 1) / len(methods), f"{method}, {at + 1} of {len(methods)}: ")
        told = replace(told, whole_classes=keeps_together(method))
        releases = found_at_each(method, problems, told)
        for here, required, best in zip(problems, strictest_first, releases, strict=True):
            partition = None if best is None else best.partition
            points[required.threshold, method] = _point(here, search, method, required.threshold, partition)
    return tuple(points[required.threshold, method] for required in swept for method in methods)


def _strictest_first(swept: Sequence[Requirement]) -> list[Requirement]:
    return sorted(swept, key=lambda each: each.threshold, reverse=swept[0].model.good == "high")


def _proved(
    release: Callable[[str, Requirement], ReleaseAttempt | Release],
    problem: Problem,
    search: Search,
    methods: Sequence[str],
    swept: Sequence[Requirement],
) -> tuple[Point, ...]:
    """Return the points, by threshold: releases that audits of their people proved, also at stricter thresholds."""
    points: dict[tuple[Fraction, str], Point] = {}
    for method in methods:
        proven: list[ReleaseAttempt] = []
        for required in _strictest_first(swept):
            made = release(method, required)
            proven += [made] if isinstance(made, ReleaseAttempt) else []
            here = replace(problem, tasks=_with(problem, required))
            best = min(proven, key=lambda each: search.loss(here, each.partition), default=None)
            points[required.threshold, method] = _proven_point(here, search, method, required.threshold, best)
    return tuple(points[required.threshold, method] for required in swept for method in methods)


def _proven_point(
    problem: Problem, search: Search, method: str, threshold: Fraction, best: ReleaseAttempt | None
) -> Point:
    if best is None:
        return _point(problem, search, method, threshold, None)
    seen, release = published(without_whole_lines(problem, best.partition)), best.release
    return Point(
        method, threshold, holds=True, loss=search.loss(problem, seen), kept=release.kept,
        classes=release.class_count, suppressed=release.suppressed,
    )  # fmt: skip


def _swept(sweep: str, values: Iterable[Number] | None) -> list[Requirement]:
    if sweep not in MODELS or MODELS[sweep].form != ("threshold",):
        one = [key for key, model in MODELS.items() if model.form == ("threshold",)]
        raise InputError(f"{sweep!r} cannot be swept; a model of one number can: {listed(one, 30)}.", field="sweep")
    given = list(values) if values is not None else list(USUAL_VALUES.get(sweep, ()))
    if not given:
        raise ThresholdError(
            f"No thresholds of {sweep} to try are given.",
            field="values",
            hint=Hint("Give some: {}.", Ask("values", ["0.1", "0.2"])),
        )
    with about(field="values"):
        distinct = sorted({fraction(value, sweep) for value in given})
        return [requirement for value in distinct for requirement in requirements({sweep: value})]


def _with(problem: Problem, required: Requirement) -> tuple[Task, ...]:
    """Return the tasks with the threshold of the swept model replaced."""
    return tuple(
        replace(task, requirements=(replace(task.requirements[0], threshold=required.threshold),))
        if task.model.key == required.model.key
        else task
        for task in problem.tasks
    )


def _point(problem: Problem, search: Search, method: str, threshold: Fraction, partition: Partition | None) -> Point:
    if partition is None:
        return Point(method, threshold, holds=False, loss=None, kept=None, classes=0, suppressed=0)
    seen = published(partition)
    return Point(
        method, threshold, holds=True, loss=search.loss(problem, seen), kept=kept_detail(problem, seen),
        classes=seen.number, suppressed=seen.suppressed(),
    )  # fmt: skip
