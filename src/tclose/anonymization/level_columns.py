"""Hierarchies whose levels are columns of the table itself: ``columns:AEDECOD,AEHLT,AEBODSYS``."""

from __future__ import annotations

from typing import Any

from tclose.data.hierarchies import Hierarchy, columns_hierarchy, level_columns, named
from tclose.data.progress import Report, silent
from tclose.data.values import as_text
from tclose.engines.base import Engine, Table
from tclose.errors import ColumnNotFoundError, HierarchyError, InputError
from tclose.policy.policy import Policy


def with_level_columns(session: Engine, table: Table[Any], policy: Policy, tell: Report = silent) -> Policy:
    """Return a policy whose hierarchies that are columns of its table have been read from it.

    Parameters
    ----------
    session, table
        The table, with all of its columns.
    policy
        Says which hierarchies are columns.
    tell
        Told how far the work is.
    """
    given = policy.columns.hierarchies
    read = {
        name: _read(session, table, name, columns, tell)
        for name, tree in given.items()
        if (columns := level_columns(tree))
    }
    return policy.with_options({"hierarchies": {**given, **read}}) if read else policy


def _read(session: Engine, table: Table[Any], name: str, columns: tuple[str, ...], tell: Report) -> Hierarchy:
    """Return the hierarchy of a column whose levels are columns."""
    available = [column.name for column in table.columns]
    for each in columns:
        if each not in available:
            raise ColumnNotFoundError(each, available, field="hierarchies")
    if columns[0] != name or len({*columns}) < len(columns):
        raise InputError(
            f"The levels of {name!r} begin with the column itself, and name each column once: columns:{name},….",
            field="hierarchies",
            column=name,
        )
    with named(name):
        if len(columns) == 1:
            raise HierarchyError("no column is named above the values; name one for each level, or use 'flat'.")
        found = session.distinct(table.keep(columns), columns, (), tell)
        texts = [[None if value is None else as_text(value) for value in each.listed] for each in found.quasi]
        rows = [[text[code] for text, code in zip(texts, row, strict=True)] for row in found.codes.tolist()]
        return columns_hierarchy(columns, rows)
