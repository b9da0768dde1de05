"""How the classes of an audit are spread: how many have which distance, and how many which size."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from tclose.auditing.results import Audit, ClassTable
from tclose.policy.exact_numbers import decimal_text
from tclose.reports.phrases.cells import WITHHELD, key_text

# The worst classes of an attribute, ready to be shown.


@dataclass(frozen=True)
class ShownClass:
    """A class as a report lists it."""

    key: str
    size: int
    value: float

    @property
    def figure(self) -> str:
        """The figure, rounded for reading."""
        return decimal_text(self.value)


def worst_classes(audit: Audit, attribute: str, most: int, model: str = "t") -> list[ShownClass]:
    """Return the classes of an attribute with the highest figure of a model, the worst first.

    Parameters
    ----------
    audit
        What was found; an audit without class tables has no classes to show.
    attribute
        The sensitive attribute.
    most
        How many classes at most.
    model
        The key of a model for which a high figure gives much away.
    """
    table = audit.tables.get(attribute, audit.tables.get(None))
    figure = audit.attributes[attribute].figures.get(model)
    if table is None or figure is None or figure.worst is None or most < 1:
        return []
    names = tuple(figure.worst.key)
    size = table.columns[len(names)]
    column = figure_column(table, len(names), f"{attribute}.{model}")
    if column is None:
        return []

    def named(row: Mapping[str, Any]) -> str:
        return key_text({name: WITHHELD if audit.hides(int(row[size])) else row[name] for name in names})

    return [
        ShownClass(named(row), int(row[size]), float(row[column]))
        for row in table.rows(sort=column, descending=True, limit=most)
        if row[column] is not None
    ]


def figure_column(table: ClassTable, keys: int, wanted: str) -> str | None:
    """Return the column of a figure, which bears a mark where a quasi-identifier has its name; None without one.

    Parameters
    ----------
    table
        The classes.
    keys
        How many columns a class key has.
    wanted
        The figure, such as ``salary.t`` or ``size``.
    """
    return next((name for name in table.columns[keys:] if name.rstrip("_") == wanted.rstrip("_")), None)


BARS = 24
_ROUNDING = 1e-12
_FIRST_SIZES = (1, 2, 3, 5, 10, 20, 50)


@dataclass(frozen=True)
class Histogram:
    """Classes counted by intervals of a figure; an interval has its upper end but not its lower one."""

    edges: tuple[float, ...]
    """One more than there are intervals, ascending; the first interval also has its lower end."""
    counts: tuple[int, ...]
    threshold: float | None
    """An edge that a requirement sets, if there is one."""

    @property
    def classes(self) -> int:
        """How many classes are counted."""
        return sum(self.counts)

    def fails(self, at: int) -> bool:
        """Say whether an interval lies beyond the threshold, above which classes fail."""
        return self.threshold is not None and self.edges[at + 1] > self.threshold


@dataclass(frozen=True)
class Sizes:
    """Classes counted by their numbers of rows."""

    starts: tuple[int, ...]
    """The smallest size of each interval; the next interval begins where it ends."""
    counts: tuple[int, ...]
    largest: int
    k: int | None
    """The size that is required; it starts an interval."""
    unit: str = "rows"
    """What sizes count."""

    @property
    def labels(self) -> list[str]:
        """The sizes of each interval: ``1``, ``3–4``."""
        ends = [*(start - 1 for start in self.starts[1:]), self.largest]
        return [
            f"{start:,}" if start == end else f"{start:,}–{end:,}" for start, end in zip(self.starts, ends, strict=True)
        ]


def distances_of(audit: Audit, attribute: str) -> Histogram | None:
    """Return the classes of an attribute by their distance t; None where t or the classes are not there."""
    table = audit.tables.get(attribute, audit.tables.get(None))
    figure = audit.attributes[attribute].figures.get("t")
    if table is None or figure is None or attribute not in audit.evidence:
        return None
    column = figure_column(table, len(audit.evidence[attribute].quasi), f"{attribute}.t")
    threshold = required(audit, "t", attribute)
    if column is None:
        return None
    edges = _edges(float(figure.value), None if threshold is None else float(threshold))
    found = table.up_to(column, [*(edge + _ROUNDING for edge in edges[1:-1]), math.inf])
    counts = tuple(above - below for below, above in pairwise([0, *found]))
    return Histogram(edges, counts, None if threshold is None else float(threshold))


def sizes_of(audit: Audit) -> Sizes | None:
    """Return the classes by their sizes; None where they are not there."""
    table = audit.tables.get(None)
    size = None if table is None else figure_column(table, len(audit.roles.quasi), "size")
    if table is None or size is None:
        return None
    largest = int(next(iter(table.rows(sort=size, limit=1)))[size])
    required_k = required(audit, "k", None)
    k = None if required_k is None else int(required_k)
    starts = _starts(largest, k)
    found = table.up_to(size, [*(start - 1 for start in starts[1:]), math.inf])
    return Sizes(starts, tuple(above - below for below, above in pairwise([0, *found])), largest, k, audit.unit)


def required(audit: Audit, model: str, attribute: str | None) -> Fraction | None:
    """Return the strictest threshold that was required of a model; None where nothing was."""
    found = [
        verdict.requirement.threshold
        for verdict in audit.verdicts
        if verdict.requirement.model.key == model and verdict.attribute == attribute and verdict.requirement.any is None
    ]
    return (min(found) if model == "t" else max(found)) if found else None


def _edges(most: float, threshold: float | None) -> tuple[float, ...]:
    """Return the ends of the intervals: about equally wide, the threshold one of them."""
    if not threshold or threshold >= most:
        top = max(most, threshold or 0.0) or 1.0
        cut = [] if threshold is None else [0.0] * (threshold == 0.0)
        return (*cut, *(top * (at / BARS) for at in range(BARS + 1)))
    below = min(BARS - 1, max(1, round(BARS * threshold / most)))
    above = BARS - below
    return (
        *(threshold * at / below for at in range(below)),
        threshold,
        *(threshold + (most - threshold) * at / above for at in range(1, above + 1)),
    )


def _starts(largest: int, k: int | None) -> tuple[int, ...]:
    """Return where intervals of sizes begin: each size its own if there are few, else 1, 2, 3, 5, 10, 20 and so on."""
    if largest <= BARS:
        starts = set(range(1, largest + 1))
    else:
        starts = set(_FIRST_SIZES)
        while max(starts) < largest:
            starts |= {10 * start for start in starts if start >= 10} | {100}
    return tuple(sorted(start for start in starts | ({k} if k else set()) if start <= largest))
