"""Hierarchies in a few words, for the command line and policies: ``intervals:5,10``, ``mask``, ``dates:month,year``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tclose.data.hierarchies.codes import icd10_hierarchy, mask_hierarchy, prefix_hierarchy
from tclose.data.hierarchies.dates import CALENDAR_LEVELS, date_hierarchy
from tclose.data.hierarchies.groups import FindBands, flat_hierarchy, group_hierarchy, quantile_hierarchy
from tclose.data.hierarchies.inference import inferred_hierarchy, neighbour_hierarchy, round_interval_hierarchy
from tclose.data.hierarchies.leaves import in_order, leaves_of, plain, weights_of
from tclose.data.hierarchies.numbers import (
    bottom_hierarchy,
    break_hierarchy,
    interval_hierarchy,
    round_hierarchy,
    top_hierarchy,
)
from tclose.data.hierarchies.tree import Hierarchy
from tclose.errors import HierarchyError, Hint, closest, listed, meant

_LONGEST_NUMBER = 18
_LONGEST_PART = 1_000


@dataclass(frozen=True)
class _Column:
    """The distinct values of a column, and what is known of them."""

    values: Sequence[object]
    counts: Sequence[int]
    kind: str
    categories: Sequence[str] | None
    bands: FindBands


def is_builder(text: str) -> bool:
    """Say whether a text asks for a hierarchy to be built; if not, it is the path of a file.

    The words are reserved: a file named ``flat`` is written ``./flat``.

    Examples
    --------
    >>> is_builder("intervals:5,10"), is_builder("flat"), is_builder("./flat"), is_builder("zip.csv")
    (True, True, False, False)
    """
    return text.partition(":")[0].strip() in _BUILDERS


def builder_meant(path: str) -> str | None:
    """Return the words that somebody may have meant by the path of a file that is not there, or None.

    Examples
    --------
    >>> builder_meant("interval:5,10"), builder_meant("tables/zip.csv")
    ('intervals:5,10', None)
    """
    word, colon, rest = path.partition(":")
    name = Path(word).name
    near = None if "." in name or os.path.lexists(path) else closest(name, _BUILDERS)
    return None if near is None else f"{near}{colon}{rest}"


def built_hierarchy(
    text: str,
    values: Iterable[object],
    counts: Iterable[int],
    kind: str,
    categories: Sequence[str] | None = None,
    bands: FindBands = lambda: None,
) -> Hierarchy:
    """Return the hierarchy over the values of a column that a text describes.

    Parameters
    ----------
    text
        ``intervals``, ``intervals:5,10,20``, ``quantiles``, ``quantiles:8,4,2``, ``breaks:18,30,65``,
        ``breaks:18,30,65/30`` (a level after each stroke), ``mask``, ``mask:left``, ``dates``,
        ``dates:month,year``, ``groups``, ``groups:2,4``, ``prefix:3,1``, ``icd10``, ``top:90``, ``top:90,5,10``,
        ``bottom:18``, ``round:100``, ``flat``, or ``auto`` for an inferred one.
    values, counts
        The distinct values, and how many rows carry each; missing ones are left out.
    kind
        What the values are: ``number``, ``time``, ``truth``, ``text`` or ``mixed``.
    categories
        The order that the column itself declares, if it does. Otherwise groups follow the values' size,
        or else the alphabet.
    bands
        Finds where groups and quantiles of numbers, dates and times may begin, if not at every value.

    Raises
    ------
    HierarchyError
        When the text cannot be understood, or does not suit the values.

    Examples
    --------
    >>> built_hierarchy("mask:left", ["10", "20"], [4, 3], "text").rows
    (('10', '*0', '**'), ('20', '*0', '**'))
    """
    word, colon, rest = (part.strip() for part in text.partition(":"))
    if word not in _BUILDERS:
        hint = meant(word, _BUILDERS) or Hint("There are {}.", listed(_BUILDERS, len(_BUILDERS)))
        raise HierarchyError(f"{word!r} is no way to build a hierarchy.", hint=hint)
    if colon and not rest:
        raise HierarchyError(f"Nothing follows the colon in {text!r}; leave it out, or say what it should be.")
    given = [part.strip() for part in rest.split(",")] if rest else []
    if max(map(len, given), default=0) > _LONGEST_PART:
        raise HierarchyError(f"A part of the hierarchy '{word}:…' is too long to be a number or a word.")
    column = _Column(plain(values), list(counts), kind, categories, bands)
    return _BUILDERS[word](given, column)


def _intervals(given: list[str], column: _Column) -> Hierarchy:
    if given:
        return interval_hierarchy(column.values, given)
    return round_interval_hierarchy(column.values, column.counts, column.bands)


def _quantiles(given: list[str], column: _Column) -> Hierarchy:
    leaves = leaves_of(column.values)
    weights = weights_of(column.values, column.counts)
    ordered = in_order(leaves, column.categories)
    groups = _whole(given, "quantiles:8,4,2") or [8, 4, 2]
    return quantile_hierarchy(
        [leaves[leaf] for leaf in ordered],
        [weights[leaf] for leaf in ordered],
        groups=groups,
        keep_order=column.categories is not None,
        bands=column.bands(),
    )


def _breaks(given: list[str], column: _Column) -> Hierarchy:
    if not given:
        raise HierarchyError("'breaks' needs the numbers at which intervals start, as in breaks:18,30,65.")
    levels = ",".join(given).split("/")
    return break_hierarchy(column.values, [level.split(",") for level in levels])


def _mask(given: list[str], column: _Column) -> Hierarchy:
    side = given[0] if given else "right"
    if len(given) > 1 or side not in ("right", "left"):
        raise HierarchyError("Codes are masked from one side; write mask:right or mask:left.")
    return mask_hierarchy(column.values, from_the="left" if side == "left" else "right")


def _dates(given: list[str], column: _Column) -> Hierarchy:
    return date_hierarchy(column.values, given or CALENDAR_LEVELS)


def _groups(given: list[str], column: _Column) -> Hierarchy:
    leaves = leaves_of(column.values)
    ordered = [leaves[leaf] for leaf in in_order(leaves, column.categories)]
    if not given:
        return neighbour_hierarchy(ordered, column.bands())
    return group_hierarchy(ordered, _whole(given, "groups:2,4"), bands=column.bands())


def _prefix(given: list[str], column: _Column) -> Hierarchy:
    return prefix_hierarchy(column.values, _whole(given, "prefix:3,1") or [3, 1])


def _icd10(given: list[str], column: _Column) -> Hierarchy:
    if given:
        raise HierarchyError("'icd10' has nothing to choose; write it without a colon.")
    return icd10_hierarchy(column.values)


def _top(given: list[str], column: _Column) -> Hierarchy:
    if not given:
        raise HierarchyError("'top' needs the number from which on all are one, as in top:90, or top:90,5,10.")
    return top_hierarchy(column.values, given[0], given[1:])


def _bottom(given: list[str], column: _Column) -> Hierarchy:
    if not given:
        raise HierarchyError("'bottom' needs the number below which all are one, as in bottom:18, or bottom:18,5,10.")
    return bottom_hierarchy(column.values, given[0], given[1:])


def _round(given: list[str], column: _Column) -> Hierarchy:
    if not given:
        raise HierarchyError("'round' needs the unit to round to, as in round:100.")
    return round_hierarchy(column.values, given)


def _columns(given: list[str], column: _Column) -> Hierarchy:  # noqa: ARG001 - builders are called alike
    raise HierarchyError(
        "Levels that are columns of the table are for quasi-identifiers of a release; here, name a file.",
    )


def _flat(given: list[str], column: _Column) -> Hierarchy:
    if given:
        raise HierarchyError("'flat' has nothing to choose; write it without a colon.")
    return flat_hierarchy(column.values)


def _auto(given: list[str], column: _Column) -> Hierarchy:
    if given:
        raise HierarchyError("'auto' has nothing to choose; write it without a colon.")
    found = inferred_hierarchy(column.values, column.counts, column.kind, column.categories, column.bands)
    if found is None:
        raise HierarchyError(
            "The values do not show a hierarchy; give a file with one, or 'flat', "
            "which publishes a value as it is or not at all."
        )
    return found


def _whole(given: list[str], example: str) -> list[int]:
    if not all(number.isdecimal() and len(number) <= _LONGEST_NUMBER for number in given):
        raise HierarchyError(f"Groups are counted in whole numbers; write them as in {example}.")
    return [int(number) for number in given]


_BUILDERS = {
    "auto": _auto,
    "bottom": _bottom,
    "breaks": _breaks,
    "columns": _columns,
    "dates": _dates,
    "flat": _flat,
    "groups": _groups,
    "icd10": _icd10,
    "intervals": _intervals,
    "mask": _mask,
    "prefix": _prefix,
    "quantiles": _quantiles,
    "round": _round,
    "top": _top,
}
