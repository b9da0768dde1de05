"""A table opened for its roles: they fit its columns, and its numbers are read only as rounded as they say."""

from __future__ import annotations

from typing import Any

from tclose.engines.base import Engine, Progress, Table
from tclose.errors import ColumnNotFoundError, RoleConflictError, UndecidedColumnError, either
from tclose.progress import silent
from tclose.roles import Roles
from tclose.sources.examples import example_named, is_example


def opened_with(
    session: Engine, table: object, roles: Roles | None, progress: Progress | None = None
) -> tuple[Table[Any], Roles]:
    """Return a table opened, and its roles; an example brings its own. It is told that it is read."""
    if not isinstance(roles, Roles | None):
        kind = type(roles).__name__
        raise RoleConflictError(f"Roles are given as Roles(quasi=[…], sensitive=[…]), not as an object of type {kind}.")
    (progress or silent)("Reading the table", None)
    opened = session.open(table)
    found = checked(roles if roles is not None and roles != Roles() else built_in_roles(table), opened)
    return session.rounded(opened, found.steps), found


def built_in_roles(table: object) -> Roles:
    """Return the roles that an example brings; refuse other tables without roles."""
    if is_example(table):
        return example_named(str(table).removeprefix("example:")).roles
    raise RoleConflictError(
        "Name the roles of the columns: Roles(quasi=[…], sensitive=[…]); only examples bring theirs."
    )


def checked(roles: Roles, table: Table[Any]) -> Roles:
    """Return the roles if the table has their columns and there is a quasi-identifier; refuse them otherwise."""
    available = [column.name for column in table.columns]
    words = {
        "quasi-identifier": roles.quasi,
        "sensitive": tuple(roles.sensitive),
        "identifier": roles.identifiers,
        "person": () if roles.person is None else (roles.person,),
        "published": roles.publish,
        "shifted": roles.shifted,
    }
    surely_names = any(name in available for names in words.values() for name in names)  # not a first row of cells
    for role, names in words.items():
        for name in names:
            if name not in available:
                raise ColumnNotFoundError(name, available, role, listing=surely_names)
    if not roles.quasi:
        how = either("Roles(['NAME'], …)", "-q NAME")
        raise RoleConflictError(f"Name at least one quasi-identifier: what may someone know of a person? ({how})")
    if roles.others == "refuse" and (undecided := roles.undecided(available)):
        raise UndecidedColumnError(undecided)
    return roles
