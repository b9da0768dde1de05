"""Quasi-identifiers prepared for the search: values in order, levels with their costs, places on a line."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from tclose.anonymization.algorithms.interval_ends import Steps, counted_by, counted_once, steps_of
from tclose.anonymization.algorithms.problem import Codes, Floats, Level, Quasi
from tclose.data.hierarchies import ROOT, Bands, Hierarchy
from tclose.data.values import UnclearNumbersError, as_text, as_texts, exact_number, sizes_of
from tclose.data.values.round_numbers import Grid
from tclose.errors import InputError
from tclose.models.value_order import Observed


def prepared(
    name: str,
    observed: Observed,
    hierarchy: Hierarchy,
    *,
    inferred: bool,
    intervals: bool = True,
    on_line: bool = True,
    levels: tuple[int, int] | None = None,
    weight: float = 1.0,
    least: int | None = None,
) -> tuple[Quasi, Codes]:
    """Return a quasi-identifier and the code of each observed value.

    Parameters
    ----------
    name
        The column.
    observed
        Its distinct values.
    hierarchy
        Its hierarchy; every value but a missing one must be a leaf.
    inferred
        Whether the hierarchy was made from the values, so that costs are counted over the values' own line.
    intervals
        Whether classes may publish intervals where the values lie on a line.
    on_line
        Whether values lie on a line if they can; codes do not, though they may be numbers.
    levels
        The finest and the coarsest level that may be published.
    weight
        How much a loss in this column counts.
    least
        How many people each cell beside a cut at which an interval may end must hold; None for ends at every value.
    """
    seen = observed.values.tolist() if isinstance(observed.values, np.ndarray) else list(observed.values)
    order, line = _in_order(seen, observed, hierarchy)
    values = tuple(seen[at] for at in order)
    codes = np.empty(len(order), dtype=np.int32)
    codes[order] = np.arange(len(order), dtype=np.int32)
    texts = as_texts([value for value in values if value is not None])
    leaves = len(hierarchy.leaves) + (len(texts) < len(values))
    places = None if line is None else _places(texts, line, hierarchy, None if inferred else leaves)
    made = _levels(values, texts, hierarchy, name, leaves)
    if inferred and places is not None:
        made = tuple(_by_width(level, places) for level in made)
    lowest, highest = levels or (0, len(made) - 1)
    if not 0 <= lowest <= highest < len(made):
        raise InputError(
            f"The levels {lowest} to {highest} of {name!r} are not in its hierarchy, which has 0 to {len(made) - 1}.",
            field="levels",
            column=name,
        )
    placed = places if on_line else None
    # with a finest level, an interval between values would be finer than the level that was asked for
    places = placed if intervals and lowest == 0 else None
    steps = None
    if places is not None and least is not None:
        steps = _steps(observed, order, values[: len(texts)], least)
        places = None if steps is None else places
        if steps is not None and places is not None and steps.grid.outer is None and not inferred:
            places = places.copy()  # an interval without an end reaches to the last leaf, though nobody has it
            places[0], places[-1] = 0.0, 1.0
    return Quasi(name, values, made, leaves, places, lowest, highest, weight, steps, placed), codes


def bands_of(observed: Observed, least: int) -> Bands | None:
    """Return where groups of the values of a column may begin; None where it has no grid, or its own categories.

    Parameters
    ----------
    observed
        The distinct values.
    least
        How many people each cell beside a cut at which a group may begin must hold.
    """
    if observed.categories is not None or observed.kind not in ("number", "time"):
        return None
    values = observed.listed
    sizes = {at: exact_number(value) for at, value in enumerate(values) if value is not None}
    if None in sizes.values():
        return None
    order = sorted(sizes, key=lambda at: sizes[at])  # type: ignore[arg-type,return-value]
    steps = _steps(observed, order, [values[at] for at in order], least)
    if steps is None:
        return None

    def label(start: int, end: int) -> str:
        return ROOT if end - start == len(order) else steps.interval(start, end - 1).label

    return Bands((np.flatnonzero(np.diff(steps.of)) + 1).tolist(), label)


def _steps(observed: Observed, order: Sequence[int], values: Sequence[object], least: int) -> Steps | None:
    """Return the steps of the present values of a column, given their positions in it; None without a grid."""
    categories = observed.categories
    rank = None if categories is None else {category: at for at, category in enumerate(categories)}
    grid = Grid.of(values if rank is None else [rank[as_text(value)] for value in values], categories)
    if grid is None:
        return None
    there = np.array(order[: len(values)], dtype=np.int64)
    if observed.people is None:
        return steps_of(grid, counted_by(observed.counts[there]), least)
    place = np.full(len(observed.counts), -1, dtype=np.int32)
    place[there] = np.arange(len(there), dtype=np.int32)
    return steps_of(grid, counted_once(observed.people.renumbered(place), len(there)), least)


def _in_order(
    values: Sequence[object], observed: Observed, hierarchy: Hierarchy
) -> tuple[list[int], list[object] | None]:
    """Return the positions of the values in their order, missing last, and their numbers if they lie on a line."""
    missing = [at for at, value in enumerate(values) if value is None]
    present = [at for at, value in enumerate(values) if value is not None]
    if observed.categories is not None:
        rank = {category: at for at, category in enumerate(observed.categories)}
        numbers: list[object] = [rank.get(as_text(values[at])) for at in present]
    elif observed.kind in ("number", "time"):
        numbers = [value if type(value := values[at]) is int else exact_number(value) for at in present]
    else:
        numbers = [None]
    if any(number is None for number in numbers):
        leaf = {text: at for at, text in enumerate(hierarchy.leaves)}
        present.sort(key=lambda at: leaf.get(as_text(values[at]), len(leaf)))
        return [*present, *missing], None
    by = sorted(range(len(present)), key=lambda at: numbers[at])  # type: ignore[arg-type,return-value]
    return [*(present[at] for at in by), *missing], [numbers[at] for at in by]


def _places(texts: Sequence[str], line: Sequence[object], hierarchy: Hierarchy, leaves: int | None) -> Floats | None:
    """Return the place of each value between 0 and 1: over the leaves of a given hierarchy, else by size."""
    if not line:
        return None
    if leaves is None:
        return _by_size(line)
    at = {leaf: place for place, leaf in enumerate(_leaves_in_order(hierarchy))}
    places = np.array([at.get(text, -1) for text in texts], dtype=np.float64)
    if (np.diff(places) <= 0).any():
        return None
    return places / max(leaves - 1, 1)


def _by_size(line: Sequence[Any]) -> Floats:
    """Return the place of each number between the least and the greatest."""
    span = line[-1] - line[0]
    if span > sys.float_info.max:
        return np.array([float((number - line[0]) / span) for number in line])
    sizes = np.array([float(number - line[0]) for number in line])
    return np.asarray(sizes / sizes[-1]) if sizes[-1] > 0 else np.zeros(len(sizes))


def _leaves_in_order(hierarchy: Hierarchy) -> list[str]:
    """Return the leaves by their numbers, or as the hierarchy has them where they are not all numbers."""
    leaves = list(hierarchy.leaves)
    try:
        sizes = sizes_of(leaves)
    except UnclearNumbersError:
        return leaves
    numbers = {leaf: size for leaf, size in zip(leaves, sizes, strict=True) if size is not None}
    return sorted(leaves, key=numbers.__getitem__) if len(numbers) == len(leaves) else leaves


def _levels(
    values: Sequence[object], texts: Sequence[str], hierarchy: Hierarchy, name: str, total: int
) -> tuple[Level, ...]:
    """Return the levels of the hierarchy over the values; a missing value is a branch of its own."""
    if any(text not in hierarchy for text in texts):
        hierarchy.codes(texts, name)  # refuses them, and says which
    absent = len(values) - len(texts)
    rows, top, made = [hierarchy.row(text) for text in texts], hierarchy.height, []
    for at in range(top + 1):
        counted = Counter(map(itemgetter(at), hierarchy.rows))
        labels = [row[at] for row in rows]
        if absent:
            labels.append(hierarchy.rows[0][-1] if at == top else "")
        number_of: dict[str, int] = {}
        nodes = np.array([number_of.setdefault(label, len(number_of)) for label in labels], dtype=np.int32)
        leaves = np.array([total if at == top else counted.get(label, 1) for label in number_of], dtype=np.int64)
        costs = (leaves - 1) / max(total - 1, 1)
        made.append(Level(nodes, tuple(number_of), leaves, costs))
    return tuple(made)


def _by_width(level: Level, places: Floats) -> Level:
    """Return the level with the cost of each node as the width of the values it holds."""
    nodes = level.nodes[: len(places)]
    low = np.full(len(level.labels), np.inf)
    high = np.full(len(level.labels), -np.inf)
    np.minimum.at(low, nodes, places)
    np.maximum.at(high, nodes, places)
    missing = len(level.nodes) > len(places)
    costs = np.where(np.isfinite(low), high - low, 0.0)
    if len(level.labels) == 1:
        costs = np.full(1, float(len(level.nodes) > 1))
    elif missing:
        costs[level.nodes[-1]] = 0.0
    return Level(level.nodes, level.labels, level.leaves, costs)
