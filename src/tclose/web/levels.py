"""What a table would give away, and lose, with every quasi-identifier on a level of its hierarchy."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from tclose.anonymizing.framing import Frame
from tclose.anonymizing.making import framed_table
from tclose.anonymizing.people_on_levels import PeopleOnLevels
from tclose.anonymizing.releasing import search_of
from tclose.auditing import audit_release, check_attributes
from tclose.engines.choosing import session_for, working_session
from tclose.engines.levels import LevelledTable, LevelsEngine
from tclose.errors import InputError
from tclose.opening import opened_with
from tclose.policy import Policy
from tclose.recoding.losses.catalogue import LOSSES, losses_by_column
from tclose.recoding.partition import published
from tclose.recoding.problem import Problem
from tclose.web.jobs import Job
from tclose.web.workspace import Opened


def at_levels(opened: Opened, policy: Policy, levels: Mapping[str, int], job: Job) -> dict[str, Any]:
    """Return the figures and the loss of the release that publishes each quasi-identifier on one level, all rows kept.

    Every requirement is judged by an audit, except those that need a population: no level of theirs is known. Where the
    policy counts people, the rows are recoded and those of each class counted.

    Parameters
    ----------
    opened
        The table; what was counted of it is kept for the next call.
    policy
        Roles, hierarchies and requirements.
    levels
        The level of each quasi-identifier; 0 for those that are not named.
    job
        Told how far the work is.
    """
    frame = framed_rows(opened, policy, job)
    problem = _on(frame, levels)
    wanted = policy.requirements()
    judged = tuple(each for each in wanted if not each.model.needs_population)
    check_attributes(judged, policy.roles)
    table = LevelledTable(frame.distinct, frame.attributes, frame.rows, problem, opened.label)
    if policy.roles.person is None:
        audit = audit_release(LevelsEngine(), table, policy.roles, judged, None).to_dict()
    else:
        with of_people(opened, policy, frame, job) as people:
            audit = people.audit(table.partition, judged).to_dict()
    release = published(table.partition)
    return {
        "levels": {quasi.name: quasi.lowest for quasi in problem.quasi},
        "heights": {quasi.name: len(quasi.levels) - 1 for quasi in frame.problem.quasi},
        **{key: audit[key] for key in ("rows", "classes", "holds", "k", "attributes", "requirements")},
        "unjudged": [each.text for each in wanted if each.model.needs_population],
        "loss": LOSSES["lm"](problem, release),
        "column_losses": dict(losses_by_column(problem, release)),
    }


@contextmanager
def of_people(opened: Opened, policy: Policy, frame: Frame, job: Job) -> Iterator[PeopleOnLevels]:
    """Give what counts the people of a table on any levels; the rows recoded for that are gone after the block."""
    rows = opened.rows(job.tell)
    with working_session(rows, read=policy.read) as session:
        table, roles = opened_with(session, rows, policy.roles)
        yield PeopleOnLevels(session, table.keep(roles.counted), roles, frame)


def framed_rows(opened: Opened, policy: Policy, job: Job) -> Frame:
    """Return the rows of a table, counted, with their hierarchies; the last ones are kept."""
    trees = {
        name: dict(tree) if isinstance(tree, Mapping) else str(tree)
        for name, tree in policy.columns.hierarchies.items()
    }
    asked = json.dumps([repr(policy.roles), trees, dict(policy.columns.weights)], sort_keys=True, default=str)
    rows = opened.rows(job.tell)

    def counted() -> Frame:
        session = session_for(rows, read=policy.read)
        table, roles = opened_with(session, rows, policy.roles)
        whole = policy.with_options({"levels": {}, "suppress": "0", "intervals": True, "seed": 0})
        search = search_of(whole, job.tell, whole_classes=False, own=False)
        roles = roles.by_rows
        return framed_table(session, table.keep([*roles.quasi, *roles.sensitive]), roles, (), whole, search)

    return opened.once("frame", asked, counted, job.tell)


def _on(frame: Frame, levels: Mapping[str, int]) -> Problem:
    quasi = []
    for column in frame.problem.quasi:
        level = levels.get(column.name, 0)
        if not 0 <= level < len(column.levels):
            raise InputError(f"{column.name!r} has the levels 0 to {len(column.levels) - 1}, not {level}.")
        quasi.append(replace(column, lowest=level, highest=level))
    return replace(frame.problem, quasi=tuple(quasi))
