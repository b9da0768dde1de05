"""Dates and points in time in days, weeks, months, quarters, years and decades."""

from __future__ import annotations

import datetime as dt
import itertools
import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from tclose.data.hierarchies.leaves import Leaves, grown, sorted_leaves
from tclose.data.hierarchies.tree import Hierarchy
from tclose.data.values import FineMoment
from tclose.errors import HierarchyError, Hint, listed, meant

CALENDAR_LEVELS = ("day", "month", "year", "decade")
"""The levels taken where none are named."""

_LABELS: dict[str, Callable[[dt.date], str]] = {
    "day": dt.date.isoformat,
    "week": lambda day: "{:04d}-W{:02d}".format(*day.isocalendar()[:2]),
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"{day.year // 10 * 10:04d}s",
    "century": lambda day: f"{day.year // 100 * 100:04d}–{day.year // 100 * 100 + 99:04d}",
}
_WRITTEN = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?", re.ASCII)
_MONTH = re.compile(r"\d{4}-\d{2}", re.ASCII)


def date_hierarchy(values: Iterable[object], levels: Sequence[str] = CALENDAR_LEVELS) -> Hierarchy:
    """Return dates under their months, years and decades, and points in time under their days first.

    Parameters
    ----------
    values
        Dates, points in time (each counts as the day it shows in its own time zone), or texts such as
        ``2024-03-07``, or such as ``2024-03`` if all are months; missing ones are left out.
    levels
        Some of ``day``, ``week``, ``month``, ``quarter``, ``year``, ``decade``, ``century``, the finer
        first. ``day`` is passed over where the values are days already, and ``day`` and ``month`` where they are
        months. A ``week`` (ISO 8601, from Monday) may lie in two months and in two years, so it is the last level.

    Raises
    ------
    HierarchyError
        When a value is no date, or a level is unknown or not coarser than the one before.

    Examples
    --------
    >>> import datetime as dt
    >>> for row in date_hierarchy([dt.date(2024, 3, 7), dt.date(1999, 12, 31)]).rows:
    ...     print(" < ".join(row))
    1999-12-31 < 1999-12 < 1999 < 1990s < *
    2024-03-07 < 2024-03 < 2024 < 2020s < *
    """
    check_levels(levels)
    leaves = sorted_leaves(values)
    days = days_of(leaves)
    if days is None:
        raise HierarchyError(
            "The calendar needs dates, and some of the distinct values are none; write them as 2024-03-07, or build "
            "numbers with 'intervals', codes with 'mask', or give a hierarchy file."
        )
    if are_months(leaves):
        if "week" in levels:
            raise HierarchyError("The values are months, and a month has several weeks; leave the level 'week' out.")
        levels = [level for level in levels if level not in ("day", "month")]
    columns = calendar_levels(days, levels)
    if levels and levels[0] == "day" and columns[0] == list(leaves):
        levels, columns = levels[1:], columns[1:]
    return grown(leaves, columns, rule=f"dates:{','.join(levels)}" if levels else None)


def calendar_levels(days: Sequence[dt.date], levels: Sequence[str]) -> list[list[str]]:
    """Return what days are called on some levels of the calendar."""
    return [[_LABELS[level](day) for day in days] for level in levels]


def levels_that_unite(days: Sequence[dt.date], distinct: int) -> tuple[str, ...]:
    """Return the usual levels without those that unite nothing more than the one below.

    Parameters
    ----------
    days
        The day of each leaf.
    distinct
        How many leaves there are.
    """
    kept = []
    for level in CALENDAR_LEVELS:
        nodes = len({_LABELS[level](day) for day in days})
        if nodes < distinct:
            kept.append(level)
            distinct = nodes
    return tuple(kept)


def days_of(leaves: Leaves) -> list[dt.date] | None:
    """Return the day of each leaf, of a month its first; None where one has none, or where months stand beside days."""
    if any(isinstance(value, str) and _MONTH.fullmatch(value) for value in leaves.values()) and not are_months(leaves):
        return None
    days = [_day(value) for value in leaves.values()]
    found = [day for day in days if day is not None]
    return found if len(found) == len(days) else None


def are_months(leaves: Leaves) -> bool:
    """Say whether all leaves are texts such as ``2024-03``."""
    return bool(leaves) and all(isinstance(value, str) and _MONTH.fullmatch(value) for value in leaves.values())


def _day(value: object) -> dt.date | None:
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    if isinstance(value, FineMoment):
        return value.date
    if isinstance(value, np.datetime64):
        day = value.astype("datetime64[D]").item()
        return day if isinstance(day, dt.date) else None
    if isinstance(value, str) and (_WRITTEN.fullmatch(value) or _MONTH.fullmatch(value)):
        written = f"{value}-01" if _MONTH.fullmatch(value) else value
        try:
            return dt.datetime.fromisoformat(written).date()
        except ValueError:
            return None
    return None


def check_levels(levels: Sequence[str]) -> None:
    """Refuse levels that the calendar lacks, or that are not from fine to coarse."""
    if not levels:
        raise HierarchyError(f"No level of the calendar was named; take some of {listed(_LABELS)}.")
    for level in levels:
        if level not in _LABELS:
            hint = meant(level, _LABELS) or Hint("There are {}.", listed(_LABELS))
            raise HierarchyError(f"The calendar has no level {level!r}.", hint=hint)
    ranks = [list(_LABELS).index(level) for level in levels]
    if any(after <= before for before, after in itertools.pairwise(ranks)):
        raise HierarchyError(f"The levels of the calendar go from fine to coarse: {listed(_LABELS)}.")
    if "week" in levels[:-1]:
        raise HierarchyError("A week may lie in two months and in two years; let it be the last level.")
