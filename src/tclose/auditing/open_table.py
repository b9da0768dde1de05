"""A table opened for its roles: they fit its columns, and its numbers are read only as rounded as they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tclose.data.progress import silent
from tclose.data.sources.examples import example_named, is_example
from tclose.engines.base import Engine, Progress, Table
from tclose.errors import Ask, ColumnNotFoundError, Hint, InputError, Problems, RoleConflictError, UndecidedColumnError
from tclose.policy.roles import EACH_ROW, Roles

Check = Callable[[Roles], object]
"""Refuses roles that do not fit what else was said."""


def opened_with(
    session: Engine,
    table: object,
    roles: Roles | None,
    progress: Progress | None = None,
    *checks: Check,
    beside: bool = False,
    shared: bool = False,
) -> tuple[Table[Any], Roles]:
    """Return a table opened, and its roles; an example brings its own. It is told that it is read.

    Parameters
    ----------
    session, table, roles, progress
        The engine, the table, what was said of its columns, and who is told.
    checks
        What else refuses roles; all that is wrong with them is told at once.
    beside
        Whether other tables are about the same people, so that this one may have no quasi-identifier.
    shared
        Whether the roles are those of all these tables, and this one has some of their columns.
    """
    if not isinstance(roles, Roles | None):
        kind = type(roles).__name__
        raise RoleConflictError(f"Roles are given as Roles(quasi=[…], sensitive=[…]), not as an object of type {kind}.")
    (progress or silent)("Reading the table", None)
    opened = session.open(table)
    try:
        found = roles if roles is not None and roles != Roles() else built_in_roles(table)
        found = found.among(column.name for column in opened.columns) if shared else found
        found = checked(found, opened, *checks, beside=beside)
    except UndecidedColumnError as undecided:
        raise UndecidedColumnError(riskiest_first(session, opened, undecided.columns)) from None
    return session.rounded(opened, found.steps), found


def no_quasi_identifier() -> RoleConflictError:
    """Return the error where nothing is said to be known of people."""
    return RoleConflictError(
        "No quasi-identifier is named: what may someone know of a person?",
        code="no-quasi-identifier",
        field="quasi",
        hint=Hint("Name at least one: {}.", Ask("quasi")),
    )


def riskiest_first(session: Engine, table: Table[Any], names: Sequence[str]) -> list[str]:
    """Return columns in the order in which they should be decided on: the ones that tell most rows apart first."""
    usable = [column.name for column in table.columns if column.name in names and column.problem is None]
    try:
        counted = session.statistics(table.keep(usable), silent).columns if usable else ()
    except InputError:  # a table without rows: what is undecided is said all the same
        counted = ()
    same_pairs = {column.name: column.same_pairs for column in counted}
    return sorted(names, key=lambda name: (name not in same_pairs, same_pairs.get(name, 0)))


def built_in_roles(table: object) -> Roles:
    """Return the roles that an example brings; refuse other tables without roles."""
    if is_example(table):
        return example_named(str(table).removeprefix("example:")).roles
    raise RoleConflictError(
        "The table has no roles; only examples bring theirs.",
        code="no-roles",
        field="roles",
        hint=Hint("Name the roles of its columns: {} and {}.", Ask("quasi"), Ask("sensitive")),
    )


def checked(roles: Roles, table: Table[Any], *checks: Check, beside: bool = False) -> Roles:
    """Return the roles if the table has their columns and there is a quasi-identifier; refuse them otherwise.

    Parameters
    ----------
    roles, table
        The roles, and the table whose columns they are of.
    checks
        What else refuses roles; all that is wrong is told at once.
    beside
        As for :func:`opened_with`.
    """
    available = [column.name for column in table.columns]
    if roles.person == EACH_ROW and EACH_ROW not in available:
        roles = replace(roles, person=None, rows_are_people=True)
    named = {
        "quasi": ("quasi-identifier", roles.quasi),
        "sensitive": ("sensitive", tuple(roles.sensitive)),
        "identifiers": ("identifier", roles.identifiers),
        "person": ("person", () if roles.person is None else (roles.person,)),
        "publish": ("published", roles.publish),
        "shifted": ("shifted", roles.shifted),
    }
    surely_names = any(name in available for _, names in named.values() for name in names)  # not a first row of cells
    problems, listed = Problems(), False
    for field, (role, names) in named.items():
        for name in names:
            if name not in available:
                error = ColumnNotFoundError(
                    name, available, role, listing=surely_names, listed_before=listed, field=field
                )
                listed |= error.hint is None
                if not surely_names:  # then one thing is wrong: the first line, or what separates its cells
                    raise error
                with problems.caught():
                    raise error
    for check in checks:
        with problems.caught():
            check(roles)
    problems.check()
    if not roles.quasi and not beside:
        raise no_quasi_identifier()
    undecided = [name for name in roles.undecided if name in available] if roles.others != "remove" else []
    unnamed = roles.unnamed(available) if roles.others == "refuse" else ()
    if undecided or unnamed:
        raise UndecidedColumnError([*undecided, *unnamed])
    return roles
