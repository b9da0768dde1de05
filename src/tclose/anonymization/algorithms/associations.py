"""What a release is still good for: how columns go together before and after, and what a model learns of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from tclose.anonymization.algorithms.checking import cell_codes
from tclose.anonymization.algorithms.losses.cells import losses_by_column, value_counts
from tclose.anonymization.algorithms.partition import INTERVAL, Cells, Partition
from tclose.anonymization.algorithms.problem import Codes, Floats, Problem, Quasi
from tclose.models.closeness import TCloseness
from tclose.models.counts import Integers, sparse_block
from tclose.models.distances.earth_movers import LineGround
from tclose.models.domains import Domain

# How a reader of a release spreads a cell: evenly over the values that it may stand for.


def positions(quasi: Quasi) -> Codes:
    """Return the position of each value in an order that keeps cells together.

    On a line it is the order of the values, else that of the hierarchy.
    """
    if quasi.line is not None:
        return np.arange(len(quasi.values), dtype=np.int32)
    order = np.lexsort([level.nodes for level in quasi.levels])
    found = np.empty(len(order), dtype=np.int32)
    found[order] = np.arange(len(order), dtype=np.int32)
    return found


def covered(problem: Problem, cells: Cells) -> tuple[Codes, Codes]:
    """Return the first and the last position that each cell covers; classes × quasi-identifiers."""
    first, last = np.zeros_like(cells.first), np.zeros_like(cells.last)
    for column, quasi in enumerate(problem.quasi):
        place = positions(quasi)
        for at in np.unique(cells.levels[:, column]).tolist():
            here = cells.levels[:, column] == at
            low, high = cells.first[here, column], cells.last[here, column]
            if at != INTERVAL:
                nodes = quasi.levels[at].nodes
                starts = np.full(int(nodes.max()) + 1, len(place), dtype=np.int32)
                np.minimum.at(starts, nodes, place)
                ends = np.zeros(len(starts), dtype=np.int32)
                np.maximum.at(ends, nodes, place)
                low, high = starts[low], ends[low]
            first[here, column], last[here, column] = low, high
    return first, last


# How closely two columns go together, before a release and as a reader of it would draw them.


MOST_CELLS = 4_000_000
"""Pairs of columns with more combinations of values are looked at as they are published, a cell as one value."""
_NOTHING = 1e-9
"""So few rows are what is left of rounding."""


@dataclass(frozen=True)
class Association:
    """How closely two columns go together: 0 not at all, 1 where each decides the other."""

    first: str
    second: str
    before: float | None
    """In the original; None where nearly every row has a value of its own, so that nothing can be said."""
    after: float | None
    """In the release, each cell counted evenly for the values that it may stand for; None likewise."""


@dataclass(frozen=True)
class _Column:
    """A column of the original and of a release, piece by piece."""

    name: str
    before: Codes
    after: Codes
    """What is published; −1 where a piece is left out."""
    first: Codes
    last: Codes
    """The first and the last position that the published cell covers, in an order that keeps cells together."""
    values: int


def associations(problem: Problem, partition: Partition, published: Codes, most: int) -> Iterator[Association]:
    """Give how closely columns go together, pair by pair.

    Parameters
    ----------
    problem
        The original.
    partition
        The release.
    published
        Pieces × quasi-identifiers: the number of the published cell; −1 for pieces that are left out.
    most
        How many quasi-identifiers are looked at.
    """
    columns = [*_quasi(problem, partition, published, most), *_sensitive(problem, partition)]
    counts = partition.counts
    for one, other in combinations(columns, 2):
        before = association(one.before, other.before, counts)
        if one.values * other.values > MOST_CELLS:
            after = association(one.after, other.after, counts)
        else:
            after = _of_table(_drawn(one, other, counts))
        yield Association(one.name, other.name, before, after)


def _quasi(problem: Problem, partition: Partition, published: Codes, most: int) -> Iterator[_Column]:
    first, last = covered(problem, partition.cells)
    kept = np.maximum(partition.classes, 0)
    for at, quasi in enumerate(problem.quasi[:most]):
        before = problem.codes[partition.rows, at]
        yield _Column(quasi.name, before, published[:, at], first[kept, at], last[kept, at], len(quasi.values))


def _sensitive(problem: Problem, partition: Partition) -> Iterator[_Column]:
    for at, domain in enumerate(problem.domains):
        ranks = problem.ranks[partition.rows, at]
        after = np.where(partition.classes < 0, -1, ranks)
        yield _Column(domain.name, ranks, after, ranks, ranks, len(domain.values))


def _drawn(one: _Column, other: _Column, counts: Integers) -> Floats:
    """Return how many rows have each pair of values, if every cell counts evenly for the values in it."""
    kept = (one.after >= 0) & (other.after >= 0)
    (low, high), (left, right) = ((each.first[kept], each.last[kept] + 1) for each in (one, other))
    share = counts[kept] / ((high - low) * (right - left).astype(np.float64))
    wide, size = other.values + 1, (one.values + 1) * (other.values + 1)
    steps = np.zeros(size)
    for row, column, sign in ((low, left, 1), (high, right, 1), (low, right, -1), (high, left, -1)):
        steps += sign * np.bincount(row.astype(np.int64) * wide + column, weights=share, minlength=size)
    table = steps.reshape(-1, wide).cumsum(axis=0).cumsum(axis=1)[:-1, :-1]
    return np.where(table > _NOTHING, table, 0.0)


def _of_table(table: Floats) -> float | None:
    """Return the association of two columns by how many rows have each pair of their values."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows = float(table.sum())
    if rows < 2 - _NOTHING:
        return None
    if 1 in table.shape:
        return 0.0
    square = float((table * (table / table.sum(axis=1, keepdims=True)) / table.sum(axis=0)).sum()) - 1.0
    return _corrected(square, table.shape[0] - 1.0, table.shape[1] - 1.0, rows)


def association(first: Codes, second: Codes, counts: Integers) -> float | None:
    """Return Cramér's V of two columns, without the bias that many values bring (Bergsma 2013).

    Parameters
    ----------
    first, second
        The value of each piece; pieces with −1 in either are left out.
    counts
        How many rows each piece stands for.

    Examples
    --------
    >>> halves, pieces = np.array([0, 0, 1, 1]), np.array([500, 0, 0, 500])
    >>> association(halves, np.array([0, 1, 0, 1]), pieces)
    1.0
    """
    kept = (first >= 0) & (second >= 0) & (counts > 0)
    if not kept.any():
        return None
    ones, one_of = np.unique(first[kept], return_inverse=True)
    others, other_of = np.unique(second[kept], return_inverse=True)
    weights = counts[kept].astype(np.float64)
    rows = float(weights.sum())
    if rows < 2:
        return None
    if len(ones) == 1 or len(others) == 1:
        return 0.0
    pairs, place = np.unique(one_of * len(others) + other_of, return_inverse=True)
    together = np.bincount(place, weights=weights)
    of_first = np.bincount(one_of, weights=weights)[pairs // len(others)]
    of_second = np.bincount(other_of, weights=weights)[pairs % len(others)]
    square = float((together * (together / of_first) / of_second).sum()) - 1.0
    return _corrected(square, len(ones) - 1.0, len(others) - 1.0, rows)


def _corrected(square: float, wide: float, high: float, rows: float) -> float | None:
    """Return V by the mean square contingency, without the bias that so many values bring."""
    square = max(0.0, square - wide * high / (rows - 1.0))
    least = min(wide - wide**2 / (rows - 1.0), high - high**2 / (rows - 1.0))
    return min(1.0, float(np.sqrt(square / least))) if least > 0 else None


# How far each column's distribution, as a reader of the release would draw it, is from the original's.


def marginal_distances(problem: Problem, partition: Partition) -> dict[str, float]:
    """Return the distance between the original and the released distribution of each column.

    A cell of a quasi-identifier counts evenly for the values that it may stand for. Quasi-identifiers on a
    line (numbers, dates, ordered categories) have the earth mover's distance along it, others total
    variation. Sensitive columns have the distance that their roles declare: 0 as long as no row is left
    out. Rows left out of the release are no part of its distributions; if all are, every distance is 1.
    """
    sizes = partition.sizes()
    first, last = covered(problem, partition.cells)
    found = {}
    for at, quasi in enumerate(problem.quasi):
        released = _spread_evenly(quasi, first[:, at], last[:, at], sizes)
        found[quasi.name] = _distance(quasi, value_counts(problem, at), released) if sizes.any() else 1.0
    kept = partition.classes >= 0
    for at, domain in enumerate(problem.domains):
        found[domain.name] = _closeness(domain, problem.ranks[partition.rows[kept], at], partition.counts[kept])
    return found


def _spread_evenly(quasi: Quasi, first: Codes, last: Codes, sizes: Integers) -> Floats:
    """Return how many released rows each value gets, if every cell counts evenly for the values in it."""
    share = sizes / (last - first + 1.0)
    length = len(quasi.values) + 1
    steps = np.bincount(first, weights=share, minlength=length) - np.bincount(last + 1, weights=share, minlength=length)
    return np.asarray(np.cumsum(steps)[positions(quasi)])


def _distance(quasi: Quasi, original: Floats, released: Floats) -> float:
    difference = released / released.sum() - original / original.sum()
    if quasi.line is not None and len(quasi.line) == len(quasi.values):
        return float((np.abs(np.cumsum(difference)[:-1]) * np.diff(quasi.line)).sum())
    return float(np.abs(difference).sum() / 2)


def _closeness(domain: Domain, ranks: Codes, counts: Integers) -> float:
    block = sparse_block(np.zeros(len(ranks), dtype=np.int64), ranks, counts, 1)
    return float(TCloseness().measure(block, domain).values[0]) if block.sizes[0] else 1.0


MOST_PIECES = 2_000_000
"""Of more distinct rows nothing is measured."""
MOST_COLUMNS = 12
"""So many columns are looked at in pairs: the sensitive ones, and the first quasi-identifiers."""
FOLDS = 5
GROUPS = 4
"""Into so many groups of about equal rows an attribute on a line is put that has more than :data:`MOST_VALUES`."""
MOST_VALUES = 10
"""So many values of an attribute are told apart by a model."""
_SEED = 7


@dataclass(frozen=True)
class Prediction:
    """How often a simple model is right about a sensitive attribute of rows that it has not seen."""

    attribute: str
    groups: int
    """How many values, or groups of values, it tells apart."""
    guess: float
    """Whoever always says the most frequent one."""
    original: float
    """The model that learnt from the original, and is asked about rows of it."""
    release: float
    """The model that learnt from the release, and is asked about rows as they are published."""


@dataclass(frozen=True)
class Usefulness:
    """What a release is still good for."""

    lost: Mapping[str, float]
    """The share of the detail of each quasi-identifier that is lost."""
    moved: Mapping[str, float]
    """How far the distribution of each column, drawn from the release, is from the original's."""
    associations: tuple[Association, ...]
    """The closest of the original first."""
    predictions: tuple[Prediction, ...]
    columns_left_out: int = 0
    """How many quasi-identifiers were not looked at in pairs."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {
            "columns": {name: {"lost": self.lost.get(name), "moved": moved} for name, moved in self.moved.items()},
            "associations": [
                {"columns": [each.first, each.second], "before": each.before, "after": each.after}
                for each in self.associations
            ],
            "predictions": [
                {
                    "attribute": each.attribute,
                    "groups": each.groups,
                    "guess": each.guess,
                    "original": each.original,
                    "release": each.release,
                }
                for each in self.predictions
            ],
            "columns_left_out": self.columns_left_out,
        }


def usefulness(problem: Problem, partition: Partition) -> Usefulness | None:
    """Return what a release is still good for; None where there are too many distinct rows to say.

    Parameters
    ----------
    problem
        The original.
    partition
        The release.
    """
    if len(partition.rows) > MOST_PIECES:
        return None
    before, after = problem.codes[partition.rows], _released(partition)
    ranks = problem.ranks[partition.rows]
    looked_at = min(len(problem.quasi), max(1, MOST_COLUMNS - len(problem.domains)))
    pairs = associations(problem, partition, after, looked_at)
    folds = dealt(partition.counts)
    return Usefulness(
        losses_by_column(problem, partition),
        marginal_distances(problem, partition),
        tuple(sorted(pairs, key=lambda pair: -(pair.before or 0.0))),
        tuple(_predicted(domain, ranks[:, at], before, after, folds) for at, domain in enumerate(problem.domains)),
        len(problem.quasi) - looked_at,
    )


def _released(partition: Partition) -> Codes:
    """Return, for each piece, the number of the cell that it publishes in each column; −1 where it is left out."""
    kept = partition.classes >= 0
    found = np.full((len(kept), partition.cells.levels.shape[1]), -1, dtype=np.int32)
    found[kept] = cell_codes(partition)[partition.classes[kept]]
    return found


def dealt(counts: Integers) -> Integers:
    """Return how many rows of each piece are in each part of the table: pieces × :data:`FOLDS`, dealt like cards.

    Parts differ by one row at the most, whatever the order of the table.

    Examples
    --------
    >>> dealt(np.array([3, 7])).sum(axis=0), dealt(np.array([3, 7])).sum(axis=1)
    (array([2, 2, 2, 2, 2]), array([3, 7]))
    """
    order = np.random.default_rng(_SEED).permutation(len(counts))
    ends = np.cumsum(counts[order])
    starts = ends - counts[order]
    found = np.zeros((len(counts), FOLDS), dtype=np.int64)
    for fold in range(FOLDS):
        found[order, fold] = _fitting(ends, fold) - _fitting(starts, fold)
    return found


def _fitting(end: Integers, fold: int) -> Integers:
    """Return how many of the cards before each place go to one part."""
    return (end + FOLDS - 1 - fold) // FOLDS


def _predicted(domain: Domain, ranks: Codes, before: Codes, after: Codes, folds: Integers) -> Prediction:
    groups, number = grouped(domain, ranks, folds.sum(axis=1))
    known = groups >= 0
    rows = int(folds[known].sum())
    sums = np.bincount(groups[known], weights=folds[known].sum(axis=1), minlength=number)
    original, release = (
        sum(right(codes[known], groups[known], number, folds[known], fold) for fold in range(FOLDS)) / rows
        if rows
        else 0.0
        for codes in (before, after)
    )
    return Prediction(domain.name, number, float(sums.max() / rows) if rows else 0.0, original, release)


def grouped(domain: Domain, ranks: Codes, counts: Integers) -> tuple[Codes, int]:
    """Return what a model is to tell apart: the values, or groups of them where there are many; and how many.

    Values on a line are put into groups of about equal rows; of others the most frequent stay, and the rest is one.
    """
    sums = np.bincount(ranks[ranks >= 0], weights=counts[ranks >= 0], minlength=len(domain.values)).astype(np.int64)
    if len(sums) <= MOST_VALUES:
        places = np.arange(len(sums))
    elif isinstance(domain.ground, LineGround):
        middles = np.cumsum(sums) - sums / 2
        places = np.minimum((GROUPS * middles / max(1, sums.sum())).astype(np.int64), GROUPS - 1)
    else:
        places = np.full(len(sums), MOST_VALUES - 1)
        places[np.argsort(-sums, kind="stable")[: MOST_VALUES - 1]] = np.arange(MOST_VALUES - 1)
    held = np.unique(places[sums > 0])
    numbers = np.searchsorted(held, places)
    return np.where(ranks >= 0, numbers[np.maximum(ranks, 0)], -1).astype(np.int32), len(held)


def right(codes: Codes, groups: Codes, number: int, folds: Integers, fold: int) -> int:
    """Return of how many rows of one part a naive Bayes model is right that learnt from the other parts.

    Parameters
    ----------
    codes
        Pieces × columns: what the model sees; a piece with −1 is not in the release, and is guessed about.
    groups, number
        What it is to say of each piece, of how many.
    folds
        Pieces × parts: how many rows each part has.
    fold
        The part that it is asked about.
    """
    seen, asked = codes[:, 0] >= 0, folds[:, fold] > 0
    learnt = np.where(seen, folds.sum(axis=1) - folds[:, fold], 0).astype(np.float64)
    prior = np.bincount(groups, weights=learnt, minlength=number).astype(np.float64)
    with np.errstate(divide="ignore"):
        scores = np.tile(np.log(prior), (int(asked.sum()), 1))
    known = seen[asked]
    for column in range(codes.shape[1]):
        span = int(codes[:, column].max()) + 1
        pairs = groups[seen].astype(np.int64) * span + codes[seen, column]
        table = np.bincount(pairs, weights=learnt[seen], minlength=number * span)
        scores[known] += _logarithms(table.astype(np.float64).reshape(number, span), prior).T[
            codes[asked, column][known]
        ]
    return int(folds[asked, fold][scores.argmax(axis=1) == groups[asked]].sum())


def _logarithms(table: Floats, prior: Floats) -> Floats:
    """Return the logarithm of the share of each value in each group, every value taken for seen once more."""
    return np.asarray(np.log((table + 1.0) / (prior[:, np.newaxis] + table.shape[1])))
