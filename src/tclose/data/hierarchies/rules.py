"""Rules that outlive the values they were built from: what intervals, breaks, masks and dates make of other values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tclose.data.hierarchies.codes import check_lengths, icd10_levels, is_icd10, masked_levels, prefix_levels
from tclose.data.hierarchies.dates import are_months, calendar_levels, check_levels, days_of
from tclose.data.hierarchies.files import ROOT
from tclose.data.hierarchies.leaves import is_label
from tclose.data.hierarchies.numbers import (
    bottom_hierarchy,
    break_hierarchy,
    interval_hierarchy,
    round_hierarchy,
    top_hierarchy,
)
from tclose.data.hierarchies.tree import Hierarchy, Row
from tclose.data.values import UnclearNumbersError
from tclose.data.values.numbers import numbers_in
from tclose.errors import HierarchyError


def extended_hierarchy(tree: Hierarchy, values: Iterable[str]) -> Hierarchy:
    """Return a hierarchy with a row for each further value that its rule covers.

    Intervals, breaks, top and bottom coding and rounding cover every number, dates every date, prefixes every text,
    ICD-10 its codes, a mask every code that is no longer than the longest it
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
    return Hierarchy((*tree.rows, *_follow(tree.rule, new, tree)), tree.rule)


def check_rule(rule: str) -> None:
    """Refuse a text that is no rule."""
    _follow(rule, (), Hierarchy(((ROOT, ROOT),)))


def _follow(rule: str, values: Sequence[str], tree: Hierarchy) -> tuple[Row, ...]:
    word, _, rest = rule.partition(":")
    if word not in _RULES:
        raise HierarchyError("The hierarchy has a rule that this version of tclose does not know; build it again.")
    return _RULES[word](rest, values, tree)


def _intervals(widths: str, values: Sequence[str], tree: Hierarchy) -> tuple[Row, ...]:
    built = interval_hierarchy(_numbers(values, tree), widths.split(","))
    return _of_new(built, values)


def _breaks(lists: str, values: Sequence[str], tree: Hierarchy) -> tuple[Row, ...]:
    built = break_hierarchy(_numbers(values, tree), [given.split(",") for given in lists.split("/")])
    return _of_new(built, values)


def _top(numbers: str, values: Sequence[str], tree: Hierarchy) -> tuple[Row, ...]:
    top, *widths = numbers.split(",")
    return _of_new(top_hierarchy(_numbers(values, tree), top, widths), values)


def _bottom(numbers: str, values: Sequence[str], tree: Hierarchy) -> tuple[Row, ...]:
    bottom, *widths = numbers.split(",")
    return _of_new(bottom_hierarchy(_numbers(values, tree), bottom, widths), values)


def _round(units: str, values: Sequence[str], tree: Hierarchy) -> tuple[Row, ...]:
    return _of_new(round_hierarchy(_numbers(values, tree), units.split(",")), values)


def _prefix(lengths: str, values: Sequence[str], _tree: Hierarchy) -> tuple[Row, ...]:
    if not all(length.isdecimal() and len(length) < 10 for length in lengths.split(",")):
        raise HierarchyError("Prefixes have whole numbers of characters; build the hierarchy again.")
    kept = [int(length) for length in lengths.split(",")]
    check_lengths(kept)
    return _rows(values, prefix_levels(values, kept))


def _icd10(nothing: str, values: Sequence[str], _tree: Hierarchy) -> tuple[Row, ...]:
    if nothing:
        raise HierarchyError("The hierarchy of ICD-10 has nothing to choose; build it again.")
    codes = [value for value in values if is_icd10(value)]
    return _rows(codes, icd10_levels(codes))


def _numbers(values: Sequence[str], tree: Hierarchy) -> list[str]:
    """Return the values that are numbers, with those known already: together they say what a comma means."""
    try:
        return list(numbers_in([*tree.leaves, *values]))
    except UnclearNumbersError as unclear:
        raise HierarchyError(f"The new values cannot be placed: {unclear}") from None


def _of_new(built: Hierarchy, values: Sequence[str]) -> tuple[Row, ...]:
    new = set(values)
    return tuple(row for row in built.rows if row[0] in new)


def _mask(side: str, values: Sequence[str], tree: Hierarchy) -> tuple[Row, ...]:
    height = tree.height
    if side not in ("left", "right"):
        raise HierarchyError("Codes are masked from the right or from the left; build the hierarchy again.")
    codes = [value for value in values if len(value) <= height]
    levels = masked_levels(codes, height, from_the="left" if side == "left" else "right")
    return _rows(codes, levels, ROOT * height)


def _dates(levels: str, values: Sequence[str], _tree: Hierarchy) -> tuple[Row, ...]:
    named = levels.split(",")
    check_levels(named)
    coarse = not {"day", "week"} & set(named)  # of a month nobody knows the day
    day_of = {
        value: days[0]
        for value in values
        if (days := days_of({value: value})) and (coarse or not are_months({value: value}))
    }
    return _rows(list(day_of), calendar_levels(list(day_of.values()), named))


def _flat(nothing: str, values: Sequence[str], _tree: Hierarchy) -> tuple[Row, ...]:
    if nothing:
        raise HierarchyError("A flat hierarchy has nothing to choose; build it again.")
    return _rows(values, [])


def _rows(values: Sequence[str], levels: Sequence[Sequence[str]], root: str = ROOT) -> tuple[Row, ...]:
    return tuple((value, *labels, root) for value, *labels in zip(values, *levels, strict=True))


_RULES: dict[str, Callable[[str, Sequence[str], Hierarchy], tuple[Row, ...]]] = {
    "bottom": _bottom,
    "breaks": _breaks,
    "dates": _dates,
    "flat": _flat,
    "icd10": _icd10,
    "intervals": _intervals,
    "mask": _mask,
    "prefix": _prefix,
    "round": _round,
    "top": _top,
}
