"""Several tables about the same people as one question: a policy for each, from whatever a verb was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tclose.data.sources import ReadOptions, are_tables
from tclose.errors import InputError, RoleConflictError, listed
from tclose.policy.policy import Policy
from tclose.policy.roles import Roles


@dataclass(frozen=True)
class TableAsked:
    """One of several tables about the same people, and what is asked of it."""

    policy: Policy
    name: str | None = None
    """How it is named; None where its source names it."""
    shared: bool = False
    """Whether the roles are those of all tables, of which each has some columns."""


def tables_asked(subject: object, roles: object, said: Mapping[str, Any]) -> list[TableAsked] | None:
    """Return what is asked of each of several tables; None where a verb was given one table.

    Parameters
    ----------
    subject
        A mapping from names to tables, a policy whose table is one, or a list of policies.
    roles
        For a mapping the roles of all tables, a policy of all, or a mapping from the same names to either.
    said
        The options that were given beside it.
    """
    if isinstance(subject, Sequence) and not isinstance(subject, str) and subject:
        if not all(isinstance(each, Policy) for each in subject):
            return None
        if roles is not None:
            raise RoleConflictError("Each policy of a list has its own roles; give none beside it.", field="roles")
        return [TableAsked(_with(each, said)) for each in subject]
    if isinstance(subject, Policy) and are_tables(subject.table):
        policy = subject if roles is None else replace(subject, roles=_roles(roles))
        return [TableAsked(_with(policy, said).with_table(t), n, shared=True) for n, t in subject.table.items()]  # type: ignore[attr-defined]
    if not are_tables(subject):
        return None
    tables: Mapping[str, object] = {str(name): table for name, table in subject.items()}  # type: ignore[attr-defined]
    if isinstance(roles, Mapping):
        given = {str(name): each for name, each in roles.items()}
        if given.keys() != tables.keys():
            raise InputError(f"The tables are {listed(tables)}, and roles are given of {listed(given)}.", field="roles")
        return [TableAsked(_with(_policy(given[name]), said).with_table(tables[name]), name) for name in tables]
    policy = _with(_policy(roles), said)
    return [TableAsked(policy.with_table(table), name, shared=True) for name, table in tables.items()]


def _with(policy: Policy, said: Mapping[str, Any]) -> Policy:
    read = said.get("read") or policy.read
    if not isinstance(read, ReadOptions):
        raise InputError(
            f"How files are read is given as ReadOptions(…), not as an object of type {type(read).__name__}."
        )
    return replace(policy.with_options({name: value for name, value in said.items() if name != "read"}), read=read)


def _policy(given: object) -> Policy:
    return given if isinstance(given, Policy) else Policy(roles=_roles(given))


def _roles(given: object) -> Roles:
    if isinstance(given, Roles):
        return given
    raise RoleConflictError(
        "Several tables need roles: Roles(quasi=[…], sensitive=[…], person=…), a Policy, or either for each table "
        f"by its name, not an object of type {type(given).__name__}.",
        field="roles",
    )
