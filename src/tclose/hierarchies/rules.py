"""Rules that outlive the values they were built from: what intervals, breaks, masks and dates make of other values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tclose.errors import HierarchyError
from tclose.hierarchies.dates import calendar_levels, check_levels, days_of
from tclose.hierarchies.files import ROOT
from tclose.hierarchies.intervals import break_hierarchy, interval_hierarchy
from tclose.hierarchies.leaves import is_label
from tclose.hierarchies.masks import masked_levels
from tclose.hierarchies.tree import Hierarchy, Row
from tclose.readings import exact_number


def extended_hierarchy(tree: Hierarchy, values: Iterable[str]) -> Hierarchy:
    """Return a hierarchy with a row for each further value that its rule covers.

    Intervals and breaks cover every number, dates every date, a mask every code that is no longer than the longest it
    was made for, and ``flat`` every text. Groups and quantiles know only the values that they were made of, and so does
    a hierarchy from a file.

    Parameters
    ----------
    tree
        The hierarchy; without a rule it is returned as it is.
    values
        Values as texts; those that the rule does not cover are left out.

    Raises
    ------
    HierarchyError
        When the rule is none, or did not make the rows of the tree.

    Examples
    --------
    >>> for row in extended_hierarchy(interval_hierarchy([17], [5, 10]), ["22.5", "old"]).rows:
    ...     print(" < ".join(row))
    17 < [15, 20) < [10, 20) < *
    22.5 < [20, 25) < [20, 30) < *
    """
    if tree.rule is None:
        return tree
    new = [value for value in dict.fromkeys(values) if value not in tree and is_label(value)]
    return Hierarchy((*tree.rows, *_follow(tree.rule, new, tree.height)), tree.rule)


def check_rule(rule: str) -> None:
    """Refuse a text that is no rule."""
    _follow(rule, (), 1)


def _follow(rule: str, values: Sequence[str], height: int) -> tuple[Row, ...]:
    word, _, rest = rule.partition(":")
    if word not in _RULES:
        raise HierarchyError("The hierarchy has a rule that this version of tclose does not know; build it again.")
    return _RULES[word](rest, values, height)


def _intervals(widths: str, values: Sequence[str], _height: int) -> tuple[Row, ...]:
    numbers = _numbers(values)
    built = interval_hierarchy(numbers, widths.split(","))
    return built.rows if numbers else ()


def _breaks(lists: str, values: Sequence[str], _height: int) -> tuple[Row, ...]:
    numbers = _numbers(values)
    built = break_hierarchy(numbers, [given.split(",") for given in lists.split("/")])
    return built.rows if numbers else ()


def _numbers(values: Sequence[str]) -> list[str]:
    return [value for value in values if exact_number(value) is not None]


def _mask(side: str, values: Sequence[str], height: int) -> tuple[Row, ...]:
    if side not in ("left", "right"):
        raise HierarchyError("Codes are masked from the right or from the left; build the hierarchy again.")
    codes = [value for value in values if len(value) <= height]
    levels = masked_levels(codes, height, from_the="left" if side == "left" else "right")
    return _rows(codes, levels, ROOT * height)


def _dates(levels: str, values: Sequence[str], _height: int) -> tuple[Row, ...]:
    named = levels.split(",")
    check_levels(named)
    day_of = {value: days[0] for value in values if (days := days_of({value: value}))}
    return _rows(list(day_of), calendar_levels(list(day_of.values()), named))


def _flat(nothing: str, values: Sequence[str], _height: int) -> tuple[Row, ...]:
    if nothing:
        raise HierarchyError("A flat hierarchy has nothing to choose; build it again.")
    return _rows(values, [])


def _rows(values: Sequence[str], levels: Sequence[Sequence[str]], root: str = ROOT) -> tuple[Row, ...]:
    return tuple((value, *labels, root) for value, *labels in zip(values, *levels, strict=True))


_RULES: dict[str, Callable[[str, Sequence[str], int], tuple[Row, ...]]] = {
    "breaks": _breaks,
    "dates": _dates,
    "flat": _flat,
    "intervals": _intervals,
    "mask": _mask,
}
