"""The verb ``audit`` of several tables about the same people, judged for someone who knows facts from all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from tclose.auditing.audit import check_attributes
from tclose.auditing.facts.database_audits import DatabaseAudit
from tclose.auditing.facts.learned import learned_of_tables, other_engine
from tclose.auditing.open_table import no_quasi_identifier, opened_with
from tclose.auditing.results import ColumnDecision
from tclose.auditing.verdicts import TRAIT, accepted, check_accepted, reason_of, with_facts
from tclose.data.progress import silent
from tclose.data.sources import is_database, locate
from tclose.engines.base import Engine, Progress, Table
from tclose.engines.dispatch import is_on_cluster, working_session
from tclose.errors import Ask, ColumnNotFoundError, Hint, InputError, Problems
from tclose.models.catalogue import Requirement, few
from tclose.policy.policy import Policy
from tclose.policy.roles import Roles
from tclose.policy.several_tables import TableAsked


def audit_tables(tables: Sequence[TableAsked], *, progress: Progress | None = None) -> DatabaseAudit:
    """Measure what several tables about the same people reveal together, and judge it by their requirements.

    Parameters
    ----------
    tables
        What is asked of each table. They agree in how many facts are known.
    progress
        Called with a stage and a share done, from time to time.
    """
    first = _first(tables)
    in_database = next((asked.policy.table for asked in tables if is_database(asked.policy.table)), None)
    with working_session(in_database, **first.resources.given) as session:
        problems, opened, wanted = Problems(), [], dict[Requirement, None]()
        withheld, naming = {}, {}
        available: dict[str, None] = {}
        for asked in tables:
            with problems.caught():
                table, roles = _opened(session, asked, progress)
                names = [column.name for column in table.columns]
                available |= dict.fromkeys(names)
                opened.append((session.brought(table, roles.counted, progress or silent), roles))
                wanted |= dict.fromkeys(_spelled_out(asked.policy, tuple(roles.sensitive)))
                decided = ColumnDecision.of(roles, names) if asked.policy.closed else ()
                if found := tuple(each.name for each in decided if each.withheld):
                    withheld[table.label] = found
                naming[table.label] = roles.naming
        problems.check()
        _check_there(tables, available)
        facts = learned_of_tables(opened, first.required, tuple(wanted), progress=progress or silent)
    steady = [
        reason_of(TRAIT, name) for table in facts.tables if table.rows > table.people for name in table.steady
    ]  # fmt: skip
    reasons = tuple(with_facts(steady, certain=facts.certain))
    check_accepted(reasons, first.required.accept)
    return DatabaseAudit(facts, accepted(reasons, first.required.accept), withheld, naming, few(wanted))


def _first(tables: Sequence[TableAsked]) -> Policy:
    """Return the policy that says what all say; refuse policies that differ in it."""
    policies = [asked.policy for asked in tables]
    if any(policy.required.facts is None for policy in policies):
        raise InputError(
            "Tables about the same people are judged for someone who knows facts.",
            field="facts",
            hint=Hint("Say how many: {}.", Ask("facts", 1)),
        )
    said = [(p.required.facts, p.required.facts_as, p.required.fact_sets) for p in policies]
    if len(set(said)) > 1:
        raise InputError("The tables do not agree in how many facts are known, or how.", field="facts")
    for policy in policies:
        if is_on_cluster(policy.table):
            raise other_engine()
        for field in ("reference", "population", "after"):
            if getattr(policy.baseline, field) is not None:
                raise InputError("Tables about the same people are compared with all of these people.", field=field)
        if policy.required.preset is not None:
            raise InputError("A preset is about one table; require what it asks instead.", field="preset")
    known = {name for policy in policies for name in policy.roles.quasi}
    if not known:
        raise no_quasi_identifier()
    for field in ("traits", "fact_columns"):
        for name in getattr(policies[0].required, field):
            if name not in known:
                raise ColumnNotFoundError(name, sorted(known), "quasi-identifying", field=field)
    return policies[0]


def _opened(session: Engine, asked: TableAsked, progress: Progress | None) -> tuple[Table[Any], Roles]:
    """Return a table opened under its name, and its roles."""
    policy = asked.policy
    wanted = [each for each in policy.requirements() if each.attribute is not None]
    found, roles = opened_with(
        session,
        locate(policy.table, options=policy.read),
        policy.roles,
        progress,
        lambda own: check_attributes(wanted, policy.roles if asked.shared else own),
        beside=True,
        shared=asked.shared,
    )
    if roles.person is None:
        raise InputError(
            f"Nothing says whose the rows of {asked.name or found.label} are.",
            code="facts-without-people",
            field="person",
            hint=Hint("Name the column that tells people apart: {}.", Ask("person")),
        )
    return (found if asked.name is None else found.named(asked.name)), roles


def _check_there(tables: Sequence[TableAsked], available: Iterable[str]) -> None:
    """Refuse roles of columns that none of the tables has."""
    there, problems = list(available), Problems()
    roles = {name: role for asked in tables if asked.shared for name, role in asked.policy.roles.decisions.items()}
    for name, role in roles.items():
        if name not in there:
            with problems.caught():
                raise ColumnNotFoundError(name, there, role)
    problems.check()


def _spelled_out(policy: Policy, names: Sequence[str]) -> list[Requirement]:
    """Return what is required of a table, with what is required of each attribute written out."""
    found = []
    for each in policy.requirements():
        general = each.model.scope == "attribute" and each.attribute is None
        found += [replace(each, attribute=name) for name in names] if general else [each]
    return found
