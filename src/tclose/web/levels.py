"""What a table would give away, and lose, with every quasi-identifier on a level of its hierarchy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tclose.anonymizing.framing import Frame, Wishes
from tclose.anonymizing.verb import chosen_search, framed_table
from tclose.auditing import checked
from tclose.counts import Part, sparse_block
from tclose.engines.choosing import session_for
from tclose.errors import InputError
from tclose.measuring import Task, measured
from tclose.models.catalogue import Requirement
from tclose.models.distinct_l import DistinctL
from tclose.models.k_anonymity import KAnonymity
from tclose.models.t_closeness import TCloseness
from tclose.policy import Policy
from tclose.recoding.full_domain.method import find
from tclose.recoding.losses.catalogue import LOSSES, losses_by_column
from tclose.recoding.methods import coarsest
from tclose.recoding.partition import published
from tclose.recoding.problem import Problem
from tclose.render.json import value_data
from tclose.results import Value
from tclose.web.jobs import Job
from tclose.web.workspace import Opened


def at_levels(opened: Opened, policy: Policy, levels: Mapping[str, int], job: Job) -> dict[str, Any]:
    """Return k, ℓ, t and the loss of the release that publishes each quasi-identifier on one level, nothing left out.

    Parameters
    ----------
    opened
        The table; what was counted of it is kept for the next call.
    policy
        Roles and hierarchies.
    levels
        The level of each quasi-identifier; 0 for those that are not named.
    job
        Told how far the work is.
    """
    frame = _frame(opened, policy, job)
    problem = _on(frame, levels)
    heights = {quasi.name: len(quasi.levels) - 1 for quasi in frame.problem.quasi}
    search = chosen_search("lm", "original", job.tell, whole_classes=False, pruned=False)
    partition = find(problem, search)
    if partition is None:
        raise InputError("There are no rows to publish.")
    release = published(partition)
    return {
        "levels": {quasi.name: quasi.lowest for quasi in problem.quasi},
        "heights": heights,
        "rows": problem.rows,
        "classes": release.number,
        **_figures(problem, policy.requirements()),
        "loss": LOSSES["lm"](problem, release),
        "column_losses": dict(losses_by_column(problem, release)),
    }


def _frame(opened: Opened, policy: Policy, job: Job) -> Frame:
    """Return the rows of a table, counted; the last ones are kept."""
    trees = {name: tree if isinstance(tree, str) else dict(tree) for name, tree in policy.hierarchies.items()}
    asked = json.dumps([repr(policy.roles), trees, dict(policy.weights)], sort_keys=True, default=str)
    with opened.lock:
        known = opened.kept.get("frame")
        if known is not None and known[0] == asked:
            return known[1]  # type: ignore[no-any-return]
        session = session_for(opened.table, read=policy.read)
        table = session.open(opened.table)
        roles = checked(policy.roles, table)
        search = chosen_search("lm", "original", job.tell, whole_classes=False, pruned=False)
        wishes = Wishes(policy.hierarchies, {}, policy.weights)
        frame = framed_table(session, table.keep([*roles.quasi, *roles.sensitive]), roles, (), wishes, search)
        opened.kept["frame"] = (asked, frame)
        return frame


def _on(frame: Frame, levels: Mapping[str, int]) -> Problem:
    quasi = []
    for column in frame.problem.quasi:
        level = levels.get(column.name, 0)
        if not 0 <= level < len(column.levels):
            raise InputError(f"{column.name!r} has the levels 0 to {len(column.levels) - 1}, not {level}.")
        quasi.append(replace(column, lowest=level, highest=level))
    return replace(frame.problem, quasi=tuple(quasi))


def _figures(problem: Problem, wanted: Sequence[Requirement]) -> dict[str, Any]:
    """Return k of the classes, and ℓ and t of each attribute in them, each with whether it meets what is required."""
    classes, number = coarsest(problem)
    sizes = np.zeros(number, dtype=np.int64)
    np.add.at(sizes, classes, problem.counts)
    domains = problem.domains
    blocks = tuple(sparse_block(classes, problem.ranks[:, at], problem.counts, number) for at in range(len(domains)))
    part = Part(np.arange(number)[:, np.newaxis], sizes, blocks)
    tasks = [Task(KAnonymity(), None)]
    tasks += [Task(model, at) for at in range(len(domains)) for model in (DistinctL(), TCloseness())]
    tallies = measured(part, tasks, domains).tallies
    found: dict[str, Any] = {"attributes": {domain.name: {} for domain in domains}}
    for task, tally in zip(tasks, tallies, strict=True):
        name = None if task.attribute is None else domains[task.attribute].name
        value: Value = 0 if tally.value is None else tally.value
        judged = [
            each.met_by(value) for each in wanted if each.model.key == task.model.key and each.attribute in (None, name)
        ]
        place = found if name is None else found["attributes"][name]
        place[task.model.key] = {**value_data(value), "holds": all(judged) if judged else None}
    return found
