"""The verb ``attack``: what someone who knows the method learns, beside what they would learn without the release."""

from __future__ import annotations

from dataclasses import replace

from tclose.anonymization.algorithms.catalogue import keeps_together
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.anonymize import check_enforceable, search_of
from tclose.anonymization.attack_simulation import Plan, check_attackable, check_followed, subjects_of, tried, tried_on
from tclose.anonymization.seed import seeded
from tclose.attacks.catalogue import attackers_named
from tclose.attacks.findings import Attack
from tclose.auditing.audit import check_attributes
from tclose.auditing.open_table import opened_with
from tclose.data.sources.examples import is_example
from tclose.engines.base import Engine, Progress
from tclose.engines.distinct import DistinctRows
from tclose.errors import Ask, Hint, InputError
from tclose.policy.policy import Policy
from tclose.policy.roles import Roles
from tclose.policy.verbs import AttackKeywords, verb


@verb(AttackKeywords)
def attack(policy: Policy, *, progress: Progress | None) -> Attack:
    """Return what attackers learn from a release of a table: one that is made as asked, or one that exists.

    The table is divided at random. One half is released, and every attacker concludes from the release what the
    sensitive values of people are: of those who are in it, and of those of the other half who look like one of them.
    What is right about both was learnt about the population; the difference was learnt about the people.

    Parameters
    ----------
    table, roles
        As for :func:`tclose.anonymize`.
    {options}
    read, progress
        As for :func:`tclose.audit`.

    Examples
    --------
    >>> import tclose
    >>> found = tclose.attack("example:original-incidents", require={"k": 2}, hierarchies={"zone": "flat"})
    >>> found.divisions, [outcome.attacker for outcome in found.outcomes][:3]
    (2, ['reader', 'register', 'method'])
    """
    from tclose.engines.dispatch import working_session

    policy.check_without_facts("An attack")
    asked, method = policy.attacking, policy.release.method
    made = asked.release is None
    if asked.previous and made:
        raise InputError(
            "Other releases are attacked beside one that exists, and none is named.",
            field="release",
            hint=Hint("Name it: {}.", Ask("release")),
        )
    with working_session(policy.table, read=policy.read, **policy.resources.given) as session:
        opened, roles = opened_with(session, policy.table, policy.roles, progress)
        check_attackable(roles)
        check_enforceable(policy.required.preset)
        wanted = policy.requirements()
        check_attributes(wanted, roles)
        chosen = attackers_named(
            asked.attackers,
            collecting=asked.twice or bool(asked.previous),
            made=made,
            required=bool(wanted),
            following=roles.person is not None,
        )
        search = search_of(policy, progress, whole_classes=roles.person is not None or keeps_together(method))
        subjects = subjects_of(session, opened, roles, search.tell)
        if asked.attackers is not None:
            check_followed(chosen, subjects, roles)
        policy, noted = seeded(policy, subjects.distinct)
        plan = Plan(roles, wanted, policy, method, search, chosen, asked.divisions if made else 0, asked.twice)
        releases = [
            _opened(session, each, roles, search) for each in (asked.release, *asked.previous) if each is not None
        ]
        trial = tried_on(subjects, releases, plan) if releases else tried(subjects, plan)
        told = trial.attack(opened.label, plan, policy.required.largest_gain, (*opened.notes, *noted))
        return replace(told, few=0) if is_example(policy.table) else told


def _opened(session: Engine, table: object, roles: Roles, search: Search) -> DistinctRows:
    """Return the distinct rows of a release, which has the columns of its original."""
    opened, own = opened_with(session, table, Roles(roles.quasi, roles.sensitive, together=roles.together))
    return subjects_of(session, opened, own, search.tell).distinct
