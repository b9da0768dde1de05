"""The verb ``frontier``: sweep a threshold and see what each method's release costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from tclose.anonymizing.framing import GivenHierarchy, Levels, Wishes
from tclose.anonymizing.verb import chosen_search, framed_table, share_of_rows, whole_seed
from tclose.auditing import built_in_roles, check_attributes, checked
from tclose.engines.interface import Progress
from tclose.errors import InputError, ThresholdError, listed
from tclose.exact import Number, fraction
from tclose.frontiers import Frontier, Point
from tclose.measuring import Task
from tclose.models.catalogue import MODELS, Requirement, Wanted, requirements
from tclose.recoding.methods import check_method, found
from tclose.recoding.partition import Partition, kept_detail, published
from tclose.recoding.problem import Problem
from tclose.recoding.search import Search
from tclose.roles import Roles

if TYPE_CHECKING:
    from tclose.sources import ReadOptions

USUAL_METHODS = ("peel", "mondrian", "full-domain")
USUAL_VALUES = {"t": ("0.05", "0.1", "0.15", "0.2", "0.3", "0.4", "0.5"), "k": ("2", "5", "10", "20", "50", "100")}


def frontier(
    table: object,
    roles: Roles | None = None,
    *,
    sweep: str = "t",
    values: Iterable[Number] | None = None,
    methods: Sequence[str] = USUAL_METHODS,
    require: Wanted | Iterable[Requirement] | None = None,
    hierarchies: Mapping[str, GivenHierarchy] | None = None,
    suppress: Number = 0,
    loss: str = "lm",
    levels: Mapping[str, Levels] | None = None,
    weights: Mapping[str, float] | None = None,
    whole_classes: bool = False,
    intervals: bool = True,
    seed: int = 0,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Progress | None = None,
) -> Frontier:
    """Return what the release of a table costs at each of several thresholds, with each of several methods.

    Parameters
    ----------
    table, roles, hierarchies, suppress, loss, levels, weights, whole_classes, intervals, seed
        As for :func:`tclose.anonymize`.
    sweep
        The model whose threshold is swept, such as ``"t"`` or ``"k"``.
    values
        The thresholds; a usual range if left out.
    methods
        The methods to compare.
    require
        What every release must meet besides.
    read, memory, threads, temp, progress
        As for :func:`tclose.audit`.
    """
    from tclose.engines.choosing import working_session

    with working_session(table, read=read, memory=memory, threads=threads, temp=temp) as session:
        opened = session.open(table)
        roles = checked(roles if roles is not None else built_in_roles(table), opened)
        swept = _swept(sweep, values)
        others = tuple(each for each in requirements(require) if each.model.key != sweep)
        check_attributes(others, roles)
        if not methods:
            raise InputError("Name at least one method to compare (--method).")
        for method in methods:
            check_method(method)
        search = chosen_search(loss, "both", progress, whole_classes=whole_classes, pruned=False)
        wishes = Wishes(
            hierarchies or {}, levels or {}, weights or {}, share_of_rows(suppress), intervals, whole_seed(seed)
        )
        kept = opened.keep([*roles.quasi, *roles.sensitive])
        frame = framed_table(session, kept, roles, [*others, swept[0]], wishes, search)
        points = _points(frame.problem, search, methods, swept)
        notes = (*opened.notes, *frame.notes)
        return Frontier(opened.label, roles, others, sweep, loss, frame.problem.rows, points, notes)


def _points(
    problem: Problem, search: Search, methods: Sequence[str], swept: Sequence[Requirement]
) -> tuple[Point, ...]:
    """Return the points, from the strictest threshold on: what meets one meets every looser one too."""
    stricter_first = list(swept) if swept[0].model.good == "low" else list(reversed(swept))
    best: dict[str, Partition] = {}
    points = []
    for at, requirement in enumerate(stricter_first):
        here = replace(problem, tasks=_with(problem, requirement))
        for method in methods:
            search.tell(f"{method} at {requirement.text}", at / len(swept))
            attempt = found(method, here, search) if here.k <= here.rows else None
            tried = [best[method]] if method in best else []
            tried += [] if attempt is None else [attempt.partition]
            if tried:
                best[method] = min(tried, key=lambda partition: search.loss(here, partition))
            points.append(_point(here, search, method, requirement.threshold, best.get(method)))
    return tuple(sorted(points, key=lambda point: (point.threshold, methods.index(point.method))))


def _swept(sweep: str, values: Iterable[Number] | None) -> list[Requirement]:
    if sweep not in MODELS or MODELS[sweep].form != ("threshold",):
        one = [key for key, model in MODELS.items() if model.form == ("threshold",)]
        raise InputError(f"{sweep!r} cannot be swept; a model of one number can: {listed(one, 30)}.")
    if values is not None and (isinstance(values, str) or not isinstance(values, Iterable)):
        raise ThresholdError(f"The thresholds of {sweep} to try are a list, such as values=['0.1', '0.2'].")
    given = list(values) if values is not None else list(USUAL_VALUES.get(sweep, ()))
    if not given:
        raise ThresholdError(f"Say which thresholds of {sweep} to try: values=[…] (--values 0.1,0.2).")
    distinct = sorted({fraction(value, sweep) for value in given})
    return [requirement for value in distinct for requirement in requirements({sweep: value})]


def _with(problem: Problem, requirement: Requirement) -> tuple[Task, ...]:
    """Return the tasks with the threshold of the swept model replaced."""
    return tuple(
        replace(task, requirements=(replace(task.requirements[0], threshold=requirement.threshold),))
        if task.model.key == requirement.model.key
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
