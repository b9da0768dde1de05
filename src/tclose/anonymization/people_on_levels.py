"""A table of people on one level of each hierarchy: recoded where its rows are, and audited by who is in each class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tclose.anonymization.algorithms.full_domain.neighbourhood import Surroundings, quick_surroundings
from tclose.anonymization.algorithms.partition import Partition, levelled
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.infeasibility import binding, missed_by_counts
from tclose.anonymization.person_verification import Original, obstacles_of
from tclose.anonymization.problem_setup import Frame
from tclose.anonymization.published_labels import recipe_of
from tclose.anonymization.releases import Binding, Obstacle
from tclose.auditing.audit import audit_release
from tclose.auditing.results import Audit
from tclose.engines.base import Engine, Table
from tclose.models.catalogue import Requirement
from tclose.policy.roles import Roles


@dataclass(frozen=True)
class PeopleOnLevels:
    """What is needed to count the people of a table on any levels; distinct rows do not say who is in several of them.

    Parameters
    ----------
    session
        The engine that holds the rows.
    table
        The table, with the column that tells people apart.
    roles
        Which column is what.
    frame
        Its distinct rows and hierarchies.
    """

    session: Engine
    table: Table[Any]
    roles: Roles
    frame: Frame

    def audit(self, partition: Partition, wanted: Sequence[Requirement]) -> Audit:
        """Return the audit, by people, of the table that publishes these classes."""
        names = self.roles.counted
        recipe = recipe_of(
            self.frame, partition, method="full-domain", roles=self.roles, requirements=(), published=names, own=True
        )
        recoded = self.session.recode(self.table, recipe.recoding())
        return audit_release(self.session, recoded, replace(self.roles, identifiers=()), tuple(wanted), None)

    def judge(self, wanted: Sequence[Requirement], problem: Problem, partition: Partition) -> tuple[bool, int, int]:
        """Say whether these classes meet what is required, how many they are, and how few people are in one."""
        del problem
        found = self.audit(partition, wanted)
        return found.met is not False, found.class_count, found.k


def what_binds(
    session: Engine, original: Original, roles: Roles, wanted: Sequence[Requirement], frame: Frame, search: Search
) -> Binding | None:
    """Return why a release keeps no detail, by the people of the table where they are counted."""
    if original.people is None:
        return binding(frame.problem, partial(missed_by_counts, search))
    there = PeopleOnLevels(session, original.counted, roles, frame)

    def missed(problem: Problem) -> tuple[Obstacle, ...]:
        verdicts = there.audit(levelled(problem), wanted).verdicts
        return obstacles_of([each for each in verdicts if not each.holds], proven=False)

    return binding(frame.problem, missed)


def around_levels(
    session: Engine,
    original: Original,
    roles: Roles,
    wanted: Sequence[Requirement],
    frame: Frame,
    levels: Mapping[str, int] | None,
) -> Surroundings | None:
    """Return what lies around the levels of a release, where it has some and that takes little time."""
    if original.people is None:
        return quick_surroundings(frame.problem, levels)
    there = PeopleOnLevels(session, original.counted, roles, frame)
    return quick_surroundings(frame.problem, levels, partial(there.judge, wanted))
