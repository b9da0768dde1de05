"""How well a release answers counting queries: a seeded workload, the true answers and the estimates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tclose.counts import Integers
from tclose.recoding.losses.base import Loss
from tclose.recoding.losses.reader import covered, positions
from tclose.recoding.partition import Partition
from tclose.recoding.problem import Codes, Floats, Problem

_AT_ONCE = 1 << 18
"""So many numbers are held to answer queries at once."""
_STRETCH = 1 << 16


@dataclass(frozen=True)
class Workload:
    """Counting queries: how many rows have, in some columns, a value within a range.

    ``columns``, ``first`` and ``last`` are arrays of queries × conditions on quasi-identifiers; ranges are
    of :func:`~tclose.recoding.losses.reader.positions`. Each query also has a range of ranks of one sensitive
    attribute (−1: none).
    """

    columns: Integers
    first: Integers
    last: Integers
    attribute: Integers
    first_rank: Integers
    last_rank: Integers


def workload(problem: Problem, queries: int = 1000, *, conditions: int = 3, selectivity: float = 0.1) -> Workload:
    """Return random queries that depend on the problem and its seed alone.

    Parameters
    ----------
    problem
        The table.
    queries
        How many.
    conditions
        On how many quasi-identifiers each query sets a condition (fewer if there are not so many); a
        further condition is on a sensitive attribute, if there is one.
    selectivity
        The share of the combinations of values that meet all conditions: each range holds the share
        ``selectivity ** (1 / conditions)`` of its column's values, at least one value.
    """
    draw = np.random.default_rng(problem.seed)
    conditions = min(conditions, len(problem.quasi))
    width = selectivity ** (1 / (conditions + bool(problem.domains)))
    columns = np.argsort(draw.random((queries, len(problem.quasi))), axis=1)[:, :conditions]
    lengths = np.array([len(quasi.values) for quasi in problem.quasi])[columns]
    first, last = _ranges(draw, lengths, width)
    if not problem.domains:
        none = np.full(queries, -1)
        return Workload(columns, first, last, none, none, none)
    attribute = draw.integers(len(problem.domains), size=queries)
    lengths = np.array([len(domain.counts) for domain in problem.domains])[attribute]
    return Workload(columns, first, last, attribute, *_ranges(draw, lengths, width))


def _ranges(draw: np.random.Generator, lengths: Integers, width: float) -> tuple[Integers, Integers]:
    """Return the ends of random ranges that hold a given share of so many values."""
    held = np.maximum(1, np.rint(lengths * width).astype(np.int64))
    first = (draw.random(lengths.shape) * (lengths - held + 1)).astype(np.int64)
    return first, first + held - 1


def true_answers(problem: Problem, asked: Workload) -> Floats:
    """Return the answer of the original table to each query."""
    found = np.zeros(len(asked.columns))
    narrow = np.min_scalar_type(max(len(quasi.values) for quasi in problem.quasi))
    places = np.stack([positions(quasi).astype(narrow)[problem.codes[:, at]] for at, quasi in enumerate(problem.quasi)])
    for attribute in np.unique(asked.attribute).tolist():
        order, wanted = _by_rank(problem.ranks, attribute, asked)
        ordered, further = places[:, order], problem.counts[order].astype(np.float64) - 1
        several = np.flatnonzero(further)
        for some, inside in wanted:
            for rows in _stretches(inside):
                heavy = several[slice(*np.searchsorted(several, [rows.start, rows.stop]))]
                for queries in _batches(some, rows.stop - rows.start):
                    meets = np.ones((len(queries), rows.stop - rows.start), dtype=bool)
                    for column, first, last in _conditions(asked, queries):
                        reach = (last - first).astype(narrow)[:, None]  # below the first, a difference is larger
                        meets &= ordered[column, rows] - first.astype(narrow)[:, None] <= reach
                    found[queries] += [np.count_nonzero(row) for row in meets]
                    found[queries] += meets[:, heavy - rows.start].astype(np.float64) @ further[heavy]
    return found


def _stretches(inside: slice) -> Iterator[slice]:
    """Give rows that are looked at together: so few that what is found of them stays in the cache."""
    for start in range(inside.start, inside.stop, _STRETCH):
        yield slice(start, min(start + _STRETCH, inside.stop))


def estimates(problem: Problem, partition: Partition, asked: Workload) -> Floats:
    """Return what a reader of the release would answer: each cell counts evenly for the values in it."""
    found = np.zeros(len(asked.columns))
    first_places, last_places = covered(problem, partition.cells)
    cells = [_DistinctCells.of(first_places[:, at], last_places[:, at]) for at in range(len(problem.quasi))]
    kept = np.flatnonzero(partition.classes >= 0)
    for attribute in np.unique(asked.attribute).tolist():
        order, wanted = _by_rank(problem.ranks[partition.rows[kept]], attribute, asked)
        classes, counts = partition.classes[kept][order], partition.counts[kept][order]
        for some, inside in wanted:
            sizes = np.bincount(classes[inside], counts[inside], partition.number).astype(np.float64)
            for queries in _batches(some, partition.number):
                within = np.repeat(sizes[None], len(queries), axis=0)
                for columns, first, last in _conditions(asked, queries):
                    for column in np.unique(columns).tolist():
                        at = np.flatnonzero(columns == column)
                        within[at] *= cells[column].shares(first[at], last[at])
                found[queries] = within.sum(axis=1)
    return found


def query_error(problem: Problem, partition: Partition) -> float:
    """Return the median relative error of the estimates, over the queries whose answer is not 0; NaN without any."""
    asked = workload(problem)
    truth = true_answers(problem, asked)
    answered = truth > 0
    if not answered.any():
        return float("nan")
    off = np.abs(estimates(problem, partition, asked) - truth)[answered]
    return float(np.median(off / truth[answered]))


@dataclass(frozen=True)
class _DistinctCells:
    """The different cells of one column, and which of them each class has."""

    first: Codes
    last: Codes
    of_class: Integers

    @staticmethod
    def of(first: Codes, last: Codes) -> _DistinctCells:
        _, at, of_class = np.unique(first.astype(np.int64) << 32 | last, return_index=True, return_inverse=True)
        return _DistinctCells(first[at], last[at], of_class)

    def shares(self, first: Integers, last: Integers) -> Floats:
        """Return, for each of several ranges, the share of the values of each class's cell that it holds."""
        held = np.minimum(self.last, last[:, None]) - np.maximum(self.first, first[:, None]) + 1
        return np.asarray((np.maximum(held, 0) / (self.last - self.first + 1))[:, self.of_class])


def _conditions(asked: Workload, queries: Integers) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Give the first condition of some queries, then the second, and so on."""
    for at in range(asked.columns.shape[1]):
        yield asked.columns[queries, at], asked.first[queries, at], asked.last[queries, at]


def _batches(queries: Integers, each: int) -> Iterator[Integers]:
    """Give queries that are answered at once, where each needs so many numbers."""
    step = max(1, _AT_ONCE // max(1, each))
    for start in range(0, len(queries), step):
        yield queries[start : start + step]


def _by_rank(ranks: Codes, attribute: int, asked: Workload) -> tuple[Integers, list[tuple[Integers, slice]]]:
    """Return pieces in the order of an attribute's ranks, and which of them are wanted by which queries on it."""
    queries = np.flatnonzero(asked.attribute == attribute)
    if attribute < 0:
        return np.arange(len(ranks)), [(queries, slice(0, len(ranks)))]
    order = np.argsort(ranks[:, attribute], kind="stable")
    ascending = ranks[order, attribute]
    starts = np.searchsorted(ascending, asked.first_rank[queries], side="left")
    stops = np.searchsorted(ascending, asked.last_rank[queries], side="right")
    ends, which = np.unique(np.stack([starts, stops]), axis=1, return_inverse=True)
    groups = np.split(np.argsort(which, kind="stable"), np.cumsum(np.bincount(which))[:-1])
    return order, [(queries[group], slice(*pair)) for group, pair in zip(groups, ends.T.tolist(), strict=True)]


QUERY_ERROR = Loss(
    key="query",
    title="query error",
    meaning="How far off the count of a random query is, as a share of the count; the median of 1000 queries.",
    source="J. Cao, P. Karras: Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012",
    formula="median over queries of \\|estimate − answer\\| / answer",
    left_out="counted by no estimate",
    of=query_error,
    monotone=False,
    bounded=False,
    reported=True,
)
