"""The analyses that a page may ask for beside an audit and a release: attackers with their control, and levels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from tclose.anonymizing.framing import tasks_of
from tclose.attacking import attack as attacked
from tclose.notes import notes_data
from tclose.policy import Policy
from tclose.recoding.full_domain.surroundings import surroundings
from tclose.releases import Release
from tclose.render.pictures.attacks import attack_picture
from tclose.render.pictures.lattice import lattice_picture
from tclose.render.pictures.usefulness import associations_picture, predictions_picture
from tclose.render.telling.attacks import outcomes_tables
from tclose.render.words import attacks as words
from tclose.render.words import usefulness as useful_words
from tclose.web.jobs import Job, Outcome
from tclose.web.levels import framed_rows, of_people
from tclose.web.pictures import drawn, listed, played
from tclose.web.workspace import Opened


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
