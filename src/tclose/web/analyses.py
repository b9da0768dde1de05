"""The analyses that a page may ask for beside an audit and a release: attackers with their control, and levels."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from tclose.anonymization.algorithms.full_domain.neighbourhood import surroundings
from tclose.anonymization.algorithms.losses.catalogue import LOSSES, losses_by_column
from tclose.anonymization.algorithms.partition import published
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.anonymize import search_of
from tclose.anonymization.people_on_levels import PeopleOnLevels
from tclose.anonymization.problem_setup import Frame, tasks_of
from tclose.anonymization.release_search import framed_table
from tclose.anonymization.releases import Release
from tclose.attacks.attack import attack as attacked
from tclose.auditing.audit import audit_release, check_attributes
from tclose.auditing.open_table import opened_with
from tclose.engines.dispatch import session_for, working_session
from tclose.engines.level_counts import LevelledTable, LevelsEngine
from tclose.errors import InputError, notes_data
from tclose.policy.policy import Policy
from tclose.reports.charts.attacks import attack_picture
from tclose.reports.charts.lattice import lattice_picture
from tclose.reports.charts.usefulness import associations_picture, predictions_picture
from tclose.reports.content.attacks import outcomes_tables
from tclose.reports.phrases import attacks as words
from tclose.reports.phrases import releases as useful_words
from tclose.web.jobs import Job, Outcome
from tclose.web.moves import drawn, listed, played
from tclose.web.workspace import Opened

# What a table would give away, and lose, with every quasi-identifier on a level of its hierarchy.


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


def attacked_release(opened: Opened, policy: Policy, job: Job) -> Outcome:
    """Try all attackers on releases of halves of the table that are made as the policy says, with a control group.

    Parameters
    ----------
    opened
        The table.
    policy
        What is asked of the release.
    job
        Told how far the work is.
    """
    found = attacked(policy.with_table(opened.rows(job.tell)), progress=job.tell)
    data = {
        "holds": found.holds,
        "title": words.title(found),
        "sentences": [sentence for sentence in (words.about(found), words.finding(found)) if sentence],
        "legend": words.legend(found),
        "notes": notes_data(found.notes),
        "tables": [listed(table) for table in outcomes_tables(found)],
        "picture": played(attack_picture(found)),
    }
    return Outcome(data, found)


def lattice(opened: Opened, policy: Policy, levels: Mapping[str, int], job: Job) -> dict[str, Any]:
    """Return the lattice of levels, or what lies around some of them, judged with every row kept, and drawn.

    Requirements that need a population are left aside: no level of theirs is known.
    """
    frame = framed_rows(opened, policy, job)
    wanted = [each for each in policy.requirements() if not each.model.needs_population]
    problem = replace(frame.problem, tasks=tasks_of(wanted, frame.problem.domains))
    if policy.roles.person is None:
        found = surroundings(problem, levels, job.tell)
    else:
        with of_people(opened, policy, frame, job) as people:
            found = surroundings(problem, levels, job.tell, partial(people.judge, wanted))
    return {**found.to_dict(), "picture": played(lattice_picture(found))}


def usefulness_of(release: Release) -> dict[str, Any]:
    """Return what a release is still good for, in numbers, words and pictures."""
    found = release.usefulness()
    if found is None:
        return {"usefulness": None, "sentences": ["The table has too many distinct rows to say what is left of it."]}
    return {
        "usefulness": found.to_dict(),
        "sentences": [useful_words.learnt(each) for each in found.predictions],
        "remarks": useful_words.remarks(found),
        "pictures": [
            picture
            for picture in (drawn(associations_picture(found)), drawn(predictions_picture(found)))
            if picture is not None
        ],
    }
